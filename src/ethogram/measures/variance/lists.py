"""Lists of many systems in a sentence: the first few, and how many more there are."""

from collections.abc import Iterable
from typing import Final

MAX_NAMED: Final = 5


def listed(parts: Iterable[str], joint: str = ", ") -> str:
    """The first parts joined; of more than `MAX_NAMED` the others are counted.

    >>> listed("abc"), listed("abcdefgh")
    ('a, b, c', 'a, b, c, d, e and 3 more')
    """
    all_parts = list(parts)
    shown = joint.join(all_parts[:MAX_NAMED])
    n_more = len(all_parts) - MAX_NAMED
    return f"{shown} and {n_more:,} more" if n_more > 0 else shown
