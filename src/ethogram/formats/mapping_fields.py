"""Where one field lies in somebody's own record, and how its value is read.

A `Where` is one line of a mapping file in frozen form; `find` looks the value up in a `Scope` (the
record at hand, what encloses it, what the file's path says) and `read` makes it what the field
takes: a text, a number, true or false, a point in time or a way of ending.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, get_args

from ethogram.formats.json_text import canonical
from ethogram.formats.times import to_seconds
from ethogram.trajectory import ENDINGS, Problem

Kind = Literal["text", "whole", "number", "truth", "time", "ending", "event", "any"]
Others = Literal["warn", "keep", "null"]
OTHERS: Final[tuple[str, ...]] = get_args(Others)

STEP_EVENTS: Final = ("action", "reply", "user", "system", "observation", "skip")
"""What a step may be: an event, the answer to an action before it, or nothing of interest."""


class Path(NamedTuple):
    """A dotted path: first up to what encloses the record, then down by keys and positions."""

    up: int
    down: tuple[str, ...]
    written: str


class Check(NamedTuple):
    """A comparison that makes true or false of a value."""

    name: Literal["equals", "starts_with", "contains", "at_least"]
    value: Any

    def holds(self, found: Any) -> bool:
        """Whether it holds for a value that is there."""
        if self.name == "equals":
            return bool(found == self.value)
        if self.name == "at_least":
            number = _number(found)
            return number is not None and number >= self.value
        text = as_text(found)
        return text.startswith(self.value) if self.name == "starts_with" else self.value in text


@dataclass(frozen=True)
class Where:
    """Where a field lies and what becomes of its value.

    Exactly one of ``paths``, ``const``, ``capture``, ``counted_from`` and ``entry_key`` is set.
    """

    paths: tuple[Path, ...] = ()
    const: Any = None
    capture: str | None = None
    counted_from: int | None = None
    entry_key: bool = False
    values: Mapping[str, Any] | None = None
    containing: Mapping[str, Any] | None = None
    others: Others = "warn"
    scale: float | None = None
    check: Check | None = None

    @property
    def rule(self) -> str | None:
        """The comparison in words, e.g. ``reward >= 1``."""
        if self.check is None:
            return None
        sign = {"equals": "=", "at_least": ">="}.get(self.check.name, self.check.name)
        return f"{'|'.join(path.written for path in self.paths)} {sign} {self.check.value}"


@dataclass(frozen=True)
class Scope:
    """A record with the objects that enclose it, from the inside out."""

    value: Any
    parents: tuple[Any, ...] = ()
    number: int = 0
    """0-based position among the entries of the innermost list or object of entries."""
    key: str | None = None
    """Key under which the entry stands; None in a list."""
    captures: Mapping[str, str] = field(default_factory=dict)

    def inner(self, value: Any) -> "Scope":
        """Scope of a value within this record; a list is no level of its own."""
        parents = (self.value, *self.parents) if isinstance(self.value, dict) else self.parents
        return Scope(value, parents, self.number, self.key, self.captures)

    def entry(self, value: Any, number: int, key: str | None = None) -> "Scope":
        """Scope of one of this record's entries."""
        return replace(self.inner(value), number=number, key=key)


class Complaints:
    """What didn't fit, counted by field and sentence."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, name: str, reason: str, count: int = 1) -> None:
        """Count values of a field that didn't fit."""
        self._counts[name, reason] += count

    def problems(self) -> Iterator[Problem]:
        """One warning for each field and sentence."""
        for (name, reason), count in self._counts.items():
            yield Problem(reason=f"{name}: {reason}", field=name, severity="warning", count=count)


def find(where: Where, scope: Scope) -> Any:
    """Return the value as written; None if it isn't there."""
    if where.paths:
        return next((v for p in where.paths if (v := resolve(p, scope)) is not None), None)
    if where.capture is not None:
        return scope.captures.get(where.capture)
    if where.counted_from is not None:
        return scope.number + where.counted_from
    return scope.key if where.entry_key else where.const


def resolve(path: Path, scope: Scope) -> Any:
    """Follow a path; None where it leads to nothing."""
    chain = (scope.value, *scope.parents)
    if path.up >= len(chain):
        return None
    value = chain[path.up]
    for step in path.down:
        value = _child(value, step)
        if value is None:
            return None
    return value


def _child(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    if (
        isinstance(value, list)
        and step.lstrip("-").isdigit()
        and -len(value) <= int(step) < len(value)
    ):
        return value[int(step)]
    return None


def read(where: Where | None, kind: Kind, scope: Scope, name: str, complaints: Complaints) -> Any:
    """Return the value of a field as its kind; None, and a complaint, for what doesn't fit."""
    if where is None:
        return None
    found = find(where, scope)
    if found is None:
        return None
    if where.check is not None:
        return where.check.holds(found)
    if where.values is not None or where.containing is not None:
        known, found = _mapped(where, found)
        if not known and where.others != "keep":
            if where.others == "warn":
                complaints.add(name, f"{_shown(found)} is not among the values listed")
            return None
    value = CONVERTERS[kind](_scaled(found, where.scale))
    if value is None and found is not None:
        complaints.add(name, f"expected {KINDS[kind]}, found {_shown(found)}")
    return value


def _scaled(found: Any, scale: float | None) -> Any:
    number = _number(found) if scale is not None else None
    return found if scale is None or number is None else number * scale


def _mapped(where: Where, found: Any) -> tuple[bool, Any]:
    text = as_text(found)
    if where.values is not None and text in where.values:
        return True, where.values[text]
    for part, value in (where.containing or {}).items():
        if part in text:
            return True, value
    return False, found


def as_text(value: Any) -> str:
    """Return a value as text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else canonical(value)


def _shown(value: Any) -> str:
    text = as_text(value)
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() else None


def _truth(value: Any) -> bool | None:
    return bool(value) if isinstance(value, int | float) and value in {0, 1} else None


def _time(value: Any) -> float | None:
    return to_seconds(value) if isinstance(value, str | int | float) else None


def _word(words: tuple[str, ...]) -> Callable[[Any], str | None]:
    return lambda value: value if isinstance(value, str) and value in words else None


CONVERTERS: Final[Mapping[Kind, Callable[[Any], Any]]] = {
    "text": as_text,
    "whole": _whole,
    "number": _number,
    "truth": _truth,
    "time": _time,
    "ending": _word(ENDINGS),
    "event": _word(STEP_EVENTS),
    "any": lambda value: value,
}
KINDS: Final[Mapping[Kind, str]] = {
    "text": "a text",
    "whole": "a whole number",
    "number": "a number",
    "truth": "true or false",
    "time": "a point in time (ISO 8601 or seconds)",
    "ending": f"one of {', '.join(ENDINGS)}",
    "event": f"one of {', '.join(STEP_EVENTS)}",
    "any": "anything",
}
