"""The one place where numbers are rounded: when they are shown."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

MISSING: Final = "–"
SHARE: Final = "share"
WHOLE: Final = "whole percent"
"""How a share is shown where the sign stands elsewhere."""


def _significant(value: float, digits: int = 3) -> str:
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


FORMATS: Final[Mapping[str, Callable[[float], str]]] = {
    SHARE: lambda value: f"{100 * value:.1f} %",
    WHOLE: lambda value: f"{100 * value:.0f}",
    "percent": lambda value: f"{value:.1f} %",
    "points": lambda value: f"{100 * value:+.1f} pp",
    "percent_points": lambda value: f"{value:+.1f} pp",
    "count": lambda value: f"{value:,.0f}",
    "actions": lambda value: f"{value:,.1f}",
    "tokens": lambda value: f"{value:,.0f}",
    "usd": lambda value: f"${value:,.4f}" if abs(value) < 0.1 else f"${value:,.2f}",
    "seconds": lambda value: f"{value:,.1f} s",
    "correlation": lambda value: f"{value:+.2f}",
    "ratio": lambda value: f"{value:.2f}×",
    "p": lambda value: "<0.001" if value < 0.001 else f"{value:.3f}",
}


def show_number(value: float | int | None, unit: str = "") -> str:
    """A number as people read it; a dash for a missing one.

    >>> show_number(0.5812, "share"), show_number(15.23, "percent"), show_number(None)
    ('58.1 %', '15.2 %', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    return FORMATS.get(unit, _significant)(float(value))


_UNIT: Final = re.compile(r"\$| (?:%|pp|s)\Z|×\Z")


def show_count(n: int, noun: str) -> str:
    """A number of things.

    >>> show_count(1, "task"), show_count(1200, "run")
    ('1 task', '1,200 runs')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def show_interval(
    value: float | None, low: float | None, high: float | None, unit: str = ""
) -> str:
    """A value with its interval, the unit said once: ``15.2 % [12.1, 18.3]``.

    >>> show_interval(2.5, 1.0, 4.0, "usd"), show_interval(90.0, 60.0, 120.0, "seconds")
    ('$2.50 [1.00, 4.00]', '90.0 s [60.0, 120.0]')
    """
    shown = show_number(value, unit)
    if value is None or low is None or high is None:
        return shown
    ends = (_UNIT.sub("", show_number(end, unit)) for end in (low, high))
    return f"{shown} [{', '.join(ends)}]"
