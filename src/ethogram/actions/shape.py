"""The shape of a shell text: its words, but for those that are no more than operands.

Agents run few commands on many files: ``grep -n needle a.py`` and ``grep -n thread b.py`` are of
one shape. Where tables decide by a command's name and options, every text of a shape has the same
label, so one of them is judged and the others cost a look into a table. That is most of the
distinct commands of real runs.
"""

import re
from typing import Final

from ethogram.actions.plain import LEXEME

MAX_SHAPED: Final = 1_000
"""Longer texts are seldom alike in shape, so none is made of them."""

Shape = tuple[str, ...]
"""The tokens of a text in order; an empty text in place of each operand."""

# An operand follows another word after one space or tab, is not an option, quoted or not, and is
# a word that no quote or escape continues. It alone stands outside the group, which makes it an
# empty text to findall.
_TOKENS: Final = re.compile(
    rf"""[ \t]*+(?:
      (?<=[^\s|&;<>!(){{}}\\][ \t])
        (?:[\w./][^\s'"\\$`(){{}}<>|&;\#!]*+|'(?!-)[^'\\]*+'|"(?!-)[^"\\`$]*+")
        (?![^ \t])
      |({LEXEME}))""",
    re.VERBOSE | re.DOTALL,
)
_SEPARATORS: Final = frozenset({"|", "||", "&&", ";", "\n"})
_KNOWN: Final = _SEPARATORS | {"", "2>&1", "2>"}
_DEVICE: Final = "/dev/null"
_FURTHER: Final = re.compile(r"[<>&(){}`#!\\]|['\"$]\Z|[^'\"]*[<>]")
"""How tokens begin that read or write files, open a group, are a comment or no word at all."""


def shape_of(text: str) -> Shape | None:
    """Shape of a text; None for one that is long or has a here-document.

    Examples
    --------
    >>> shape_of("grep -n 'two words' a.py | head -5")
    ('grep', '-n', '', '', '|', 'head', '-5')
    """
    if len(text) > MAX_SHAPED or "<<" in text:
        return None
    return tuple(_TOKENS.findall(text))


def names_in(shape: Shape) -> list[str] | None:
    """Names of a shape's commands as they are written; None if there is more to see than commands.

    A text with redirections to files, expansions of commands, groups or comments is such a one.

    Examples
    --------
    >>> names_in(shape_of("grep -n 'two words' a.py 2>/dev/null | head -5"))
    ['grep', 'head']
    >>> names_in(shape_of("ls > found.txt")) is None
    True
    """
    names: list[str] = []
    before = "\n"
    for token in shape:
        if token not in _KNOWN and _FURTHER.match(token):
            return None
        if before == "2>" and token != _DEVICE:
            return None
        if before in _SEPARATORS and token not in _SEPARATORS:
            names.append(token)
        before = token
    return names
