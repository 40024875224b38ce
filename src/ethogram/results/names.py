"""Long names made short enough to stand over a column, and measures' names as people read them."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

ELLIPSIS: Final = "…"
_SPELLINGS: Final[Mapping[str, str]] = {
    "cv": "CV",
    "icc": "ICC",
    "usd": "USD",
    "pct": "%",
    "sd": "SD",
    "pass": "pass",
}


def label_of(name: str) -> str:
    """The name of a measure or column as a label: ``cv_actions`` becomes ``CV actions``.

    ``pass_at_3`` becomes ``pass@3`` and ``pass_hat_3`` ``pass^3``, as papers write them; symbols of
    one letter (``k``, ``p_value``) stay small.
    """
    name = re.sub(r"\bpass_at_(\w+)", r"pass@\1", name)
    name = re.sub(r"\bpass_hat_(\w+)", r"pass^\1", name)
    if name.startswith("pass"):
        return name.replace("_", " ")
    words = [_SPELLINGS.get(word, word) for word in name.split("_") if word]
    label = " ".join(words)
    return label if words and len(words[0]) == 1 else label[:1].upper() + label[1:]


def short_names(names: Iterable[str], width: int = 24) -> dict[str, str]:
    """A short name for each name, different for different names.

    What all names have in common before their last shared slash is left out; what is still longer
    than ``width`` loses its middle; should two then be equal, they get numbers.

    Parameters
    ----------
    names : iterable of str
        Names of systems or tasks; repeated ones count once.
    width : int
        Largest number of characters, at least 8.

    Returns
    -------
    dict of str to str
        Short name by name, in the order of the names.

    Examples
    --------
    >>> short_names(["mini-swe-agent/gpt-5", "mini-swe-agent/claude"])
    {'mini-swe-agent/gpt-5': 'gpt-5', 'mini-swe-agent/claude': 'claude'}
    """
    distinct = list(dict.fromkeys(names))
    shared = common_prefix(distinct)
    short: dict[str, str] = {}
    taken: set[str] = set()
    for name in distinct:
        candidate = elide(name[len(shared) :], width)
        number = 1
        while candidate in taken:
            number += 1
            candidate = f"{elide(name[len(shared) :], width - len(str(number)) - 1)}~{number}"
        taken.add(candidate)
        short[name] = candidate
    return short


def common_prefix(names: Iterable[str]) -> str:
    """What all names share up to a separator (``/``, ``::``, ``__``).

    Empty for one name, and where a name would have nothing left.
    """
    distinct = set(names)
    if len(distinct) < 2:
        return ""
    first, last = min(distinct), max(distinct)
    ends_at = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    shared = first[:ends_at]
    ends = [shared.rfind(mark) + len(mark) for mark in ("/", "::", "__") if mark in shared]
    prefix = shared[: max(ends, default=0)]
    return "" if prefix in distinct else prefix


def elide(name: str, width: int) -> str:
    """The name with an ellipsis for its middle where it is longer than ``width``."""
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return name[: width - 1 - tail] + ELLIPSIS + name[len(name) - tail :]
