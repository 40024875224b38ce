"""What judging may cost: calls or dollars, estimated before and counted after."""

import math
import re
import threading
from dataclasses import dataclass, field
from typing import Final

import msgspec

from ethogram.errors import UsageError
from ethogram.judging.prices import Price

BYTES_PER_TOKEN: Final = 3
"""English prose has about four bytes of UTF-8 a token, code and JSON about three."""
ESTIMATE: Final = (
    "Tokens are estimated: one for every three bytes of UTF-8, which is above what English prose "
    "takes; answers as long as their prompt expects. Models that think before they answer write "
    "more."
)
_BUDGET: Final = re.compile(
    r"(?:(?P<sign>\$)\s*)?(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>calls?|dollars?|usd|\$)?",
    re.IGNORECASE,
)


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The most that may be asked; None: no limit of that kind."""

    calls: int | None = None
    dollars: float | None = None

    def __str__(self) -> str:
        if self.calls is not None:
            return f"{self.calls:,} calls"
        return "no limit" if self.dollars is None else shown_dollars(self.dollars)


def shown_dollars(amount: float) -> str:
    """An amount as people read it: cents, and less than a cent with two digits that count.

    >>> shown_dollars(1234.5), shown_dollars(0.00123), shown_dollars(0.0)
    ('$1,234.50', '$0.0012', '$0.00')
    """
    return f"${amount:,.2f}" if amount >= 0.01 or amount <= 0 else f"${amount:.2g}"


def parse_budget(text: str) -> Budget:
    """A budget as people write it.

    Raises
    ------
    UsageError
        If it is neither a number of calls nor an amount of dollars.

    Examples
    --------
    >>> parse_budget("500"), parse_budget("2.50 dollars")
    (Budget(calls=500, dollars=None), Budget(calls=None, dollars=2.5))
    >>> parse_budget("$3").dollars
    3.0
    """
    found = _BUDGET.fullmatch(text.strip())
    unit = (found["unit"] or "calls").lower() if found else ""
    if found and (found["sign"] or not unit.startswith("call")):
        if not (found["sign"] and found["unit"]):
            return Budget(dollars=float(found["number"]))
    elif found and "." not in found["number"]:
        return Budget(calls=int(found["number"]))
    raise UsageError(f"--judge-budget: calls such as 500 or dollars such as '$2.50', got {text!r}")


def estimated_tokens(text: str) -> int:
    """How many tokens a text has, roughly and rather too many.

    >>> estimated_tokens("abcdef"), estimated_tokens("")
    (2, 0)
    """
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a call or of several."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


def cost(usage: Usage, price: Price | None) -> float | None:
    """Dollars for tokens; None where the price is not known."""
    if price is None:
        return None
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6


@dataclass
class Ledger:
    """What was spent and what is reserved for calls that are out; judges of one study share it.

    A call is let out only if its estimate still fits into the budget beside those that are out, so
    that answers that arrive at the same time don't exceed it.
    """

    budget: Budget
    calls: int = 0
    dollars: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def reserve(self, estimate: float | None) -> bool:
        """Whether one more call of that cost fits; if so it counts as spent."""
        with self._lock:
            if self.budget.calls is not None and self.calls + 1 > self.budget.calls:
                return False
            if self.budget.dollars is not None and (
                self.dollars + (estimate or 0.0) > self.budget.dollars
            ):
                return False
            self.calls += 1
            self.dollars += estimate or 0.0
            return True

    def settle(self, estimate: float | None, actual: float | None) -> None:
        """Replace a call's estimate by what it did cost."""
        with self._lock:
            self.dollars += (actual or 0.0) - (estimate or 0.0)

    def release(self, estimate: float | None) -> None:
        """Take back a call that was not answered, and so not billed."""
        with self._lock:
            self.calls -= 1
            self.dollars -= estimate or 0.0
