"""Cells, headings and grids: what a shown table consists of."""

import math
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ethogram.results.numbers import MISSING, show_number

_MARKS: Final = "abcdefghijklmnopqrstuvwxyz"


class Cell(msgspec.Struct, frozen=True):
    """What stands in one place of a grid."""

    text: str
    order: float | str | None = None
    """What to sort by; None sorts last."""
    note: str = ""
    mark: str = ""
    """Letter of the footnote that says why there is no value."""


class Heading(msgspec.Struct, frozen=True):
    """Head of a column."""

    text: str
    numeric: bool = False
    about: str = ""


class Grid(msgspec.Struct, frozen=True):
    """A table as it is shown."""

    title: str
    about: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footnotes: tuple[tuple[str, str], ...] = ()
    """Letter and sentence; sentences without a letter concern the whole table."""
    n_labels: int = 1
    """How many leading columns name the row."""


class Footnotes:
    """Sentences that stand under a grid, each with one letter however often it is called."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def mark(self, sentence: str) -> str:
        """Letter of a sentence."""
        if sentence not in self._marks:
            number = len(self._marks)
            turn, place = divmod(number, len(_MARKS))
            self._marks[sentence] = _MARKS[place] * (turn + 1)
        return self._marks[sentence]

    def all(self, *general: str) -> tuple[tuple[str, str], ...]:
        """Every lettered sentence, then the general ones."""
        marked = ((mark, sentence) for sentence, mark in self._marks.items())
        return (*marked, *(("", sentence) for sentence in general if sentence))


def shown(value: Any, unit: str = "") -> Cell:
    """A cell for any value of a frame.

    >>> shown(0.5, "share").text, shown(True).text, shown([3, 4], "count").text, shown(None).text
    ('50.0 %', 'yes', '3, 4', '–')
    """
    match value:
        case None:
            return Cell(MISSING)
        case bool():
            return Cell("yes" if value else "no", float(value))
        case int() | float():
            text = f"{value:,}" if isinstance(value, int) and not unit else show_number(value, unit)
            return Cell(text, None if math.isnan(value) else float(value))
        case list():
            return Cell(", ".join(shown(part, unit).text for part in value), float(len(value)))
        case _:
            return text_cell(value)


def system_cell(name: str | None, short: Mapping[str, str]) -> Cell:
    """A system's short name, with the full one as note."""
    if name is None or name not in short:
        return text_cell(name)
    return Cell(short[name], name, name if short[name] != name else "")


def text_cell(value: object) -> Cell:
    """A cell that sorts by its text."""
    text = MISSING if value is None else str(value)
    return Cell(text, text)
