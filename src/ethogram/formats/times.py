"""Points in time, as files write them, in seconds since 1970-01-01 UTC."""

from datetime import UTC, datetime
from typing import Final

MILLISECONDS_FROM: Final = 1e11
"""Numbers from here on are milliseconds: as seconds they would lie beyond the year 5000."""
MICROSECONDS_FROM: Final = 1e14
NANOSECONDS_FROM: Final = 1e17

_SCALES: Final = ((NANOSECONDS_FROM, 1e9), (MICROSECONDS_FROM, 1e6), (MILLISECONDS_FROM, 1e3))


def to_seconds(value: str | float | None) -> float | None:
    """Read a point in time.

    Parameters
    ----------
    value : str or float or None
        An ISO 8601 text, or a number of seconds, milliseconds, microseconds or nanoseconds since
        1970 (told apart by its size), as a number or as text. A text without a zone is taken as
        UTC: the zone it was written in isn't recorded, and durations don't depend on it.

    Returns
    -------
    float or None
        Seconds since 1970-01-01 UTC; None for None and for what is no point in time.

    Examples
    --------
    >>> to_seconds("1970-01-02T00:00:00Z")
    86400.0
    >>> to_seconds("1970-01-02 00:00:00")
    86400.0
    >>> to_seconds(1_700_000_000_000)
    1700000000.0
    >>> to_seconds("yesterday") is None
    True
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _from_text(value.strip())
    return _from_number(float(value))


def _from_number(value: float) -> float | None:
    if not 0 <= value < float("inf"):
        return None
    for start, scale in _SCALES:
        if value >= start:
            return value / scale
    return value


def _from_text(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _number_in(text)
    if text.isdigit() and len(text) != len("YYYYMMDD"):
        return _number_in(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _number_in(text: str) -> float | None:
    try:
        return _from_number(float(text))
    except ValueError:
        return None
