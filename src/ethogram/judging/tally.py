"""What became of the questions: counted, and said in sentences."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from ethogram.judging.budget import ESTIMATE, Usage, shown_dollars

NOT_ASKED: Final = "budget reached"
NOT_KEPT: Final = "not in the cache"
UNFIT: Final = "no fitting answer"


@dataclass
class Tally:
    """Counts of one judge over all that it was asked."""

    judge: str
    questions: int = 0
    """The same one counts once each time that it comes up."""
    kept: int = 0
    """Answered from the cache."""
    answered: int = 0
    """Answered now."""
    again: int = 0
    """Asked a second time because the first answer didn't fit."""
    plain: bool = False
    """Whether the server refused JSON schemas."""
    cut: int = 0
    """Prompts of which the server seems to have read only a part."""
    missing: Counter[str] = field(default_factory=Counter)
    """Reason -> questions without an answer."""
    usage: Usage = field(default_factory=Usage)
    dollars: float | None = 0.0
    """What the new answers cost; None where the price is not known."""
    stopped: str | None = None
    """Why the asking ended early."""

    def spent(self, usage: Usage, dollars: float | None) -> None:
        """Count what a call took."""
        self.usage += usage
        self.dollars = None if self.dollars is None or dollars is None else self.dollars + dollars

    def sentences(self) -> list[str]:
        """What happened, the important first."""
        said = [self.stopped] if self.stopped else []
        said.append(
            f"Judge {self.judge}: questions {self.questions:,}, answered now {self.answered:,}, "
            f"from the cache {self.kept:,}, without an answer {self.missing.total():,}."
        )
        if self.missing:
            reasons = ", ".join(f"{why} {count:,}" for why, count in sorted(self.missing.items()))
            said.append(f"Without an answer: {reasons}. Figures leave them out and count them.")
        if self.again:
            said.append(f"Asked again because the first answer didn't fit: {self.again:,}.")
        if self.plain:
            said.append("The server refuses JSON schemas; it was asked without.")
        if self.cut:
            said.append(
                f"Prompts that the server seems to have cut (it counts far fewer tokens than were "
                f"sent): {self.cut:,}. Their answers are worth little; give it a longer context."
            )
        if self.answered:
            said.append(f"Used {_amount(self.usage, self.dollars)}.")
        return said


@dataclass(frozen=True)
class Plan:
    """What asking would take."""

    judge: str
    place: str
    calls: int
    kept: int
    usage: Usage
    dollars: float | None
    prices_of: str
    """Date of the table of prices."""

    def sentences(self) -> list[str]:
        """Calls, tokens and cost."""
        if not self.calls:
            return [f"Judge {self.judge}: nothing to ask, {self.kept:,} answers are in the cache."]
        said = (
            f"Judge {self.judge} at {self.place}: calls to make {self.calls:,}, answers in the "
            f"cache {self.kept:,}; about {self._amount()}."
        )
        return [said, ESTIMATE]

    def _amount(self) -> str:
        priced = f" by prices of {self.prices_of}" if self.dollars is not None else ""
        return _amount(self.usage, self.dollars) + priced


def _amount(usage: Usage, dollars: float | None) -> str:
    money = "at a price that is not known" if dollars is None else shown_dollars(dollars)
    return f"{usage.input_tokens:,} input tokens and {usage.output_tokens:,} output tokens, {money}"
