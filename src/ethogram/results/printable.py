"""Text from strangers, made harmless to show: no control, direction or invisible characters.

A terminal obeys escape sequences that stand in a file's name or in an action, and a drawing can't
hold most control characters at all. Where a result is shown they are replaced by their pictures
(``␛`` for escape); the result itself keeps what was recorded.
"""

import re
from dataclasses import replace
from typing import Final

import polars as pl

from ethogram.results.result import Result
from ethogram.results.table import Table

_PICTURES: Final = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_OTHERS: Final = {
    code: 0xFFFD
    for low, high in (
        (0x80, 0x9F),  # C1 controls
        (0xAD, 0xAD),  # soft hyphen
        (0x200B, 0x200F),  # zero width, direction marks
        (0x202A, 0x202E),  # embeddings and overrides of direction
        (0x2060, 0x2069),  # joiners, isolates
        (0xD800, 0xDFFF),  # halves of surrogate pairs
        (0xFEFF, 0xFEFF),
        (0xFFFE, 0xFFFF),
    )
    for code in range(low, high + 1)
}
_REPLACED: Final = _PICTURES | _OTHERS
_KEPT_IN_PROSE: Final = {code: char for code, char in _REPLACED.items() if code not in {0x09, 0x0A}}
_CLASS: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_IN_FRAMES: Final = (
    r"[\x00-\x1f\x7f-\x{9f}\x{ad}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2069}\x{feff}]"
)


def printable(text: str) -> str:
    r"""The text with pictures in the place of characters that a terminal would obey.

    Tabs and ends of lines are kept.

    >>> printable("a\x1b[2Jb\u202ec\n")
    'a␛[2Jb\ufffdc\n'
    """
    return text.translate(_KEPT_IN_PROSE) if _CLASS.search(text) else text


def printable_name(text: str) -> str:
    r"""The same for what must stand on one line, such as a name.

    >>> printable_name("one\ntwo")
    'one␊two'
    """
    return text.translate(_REPLACED) if _CLASS.search(text) else text


def printable_result(result: Result) -> Result:
    """A result all of whose texts can be shown."""
    return replace(
        result,
        tables={name: _table(table) for name, table in result.tables.items()},
        notes=tuple(map(printable, result.notes)),
        summary=tuple(map(printable, result.summary)),
    )


def _table(table: Table) -> Table:
    frame = table.frame
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    odd = [n for n in texts if frame[n].str.contains(_IN_FRAMES).any()]
    if not odd:
        return table
    cleaned = [
        pl.Series(n, [None if t is None else printable_name(t) for t in frame[n]], pl.String)
        for n in odd
    ]
    return replace(table, frame=frame.with_columns(cleaned))
