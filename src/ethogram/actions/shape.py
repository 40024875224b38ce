"""The shape of a shell text: its words, but for those that are no more than operands.

Agents run few commands on many files: ``grep -n needle a.py`` and ``grep -n thread b.py`` are of
one shape. Where tables decide by a command's name and options, every text of a shape has the same
label, so one of them is judged and the others cost a look into a table. That is most of the
distinct commands of real runs.
"""

import re
from typing import Final

from ethogram.actions.heredoc import PLACEHOLDER_START, lift
from ethogram.actions.plain import LEXEME

MAX_SHAPED: Final = 1_000
"""Longer texts, here-documents left out, are seldom alike in shape, so none is made of them."""
MAX_CHARS: Final = 100_000
"""No shape is made of a text that is longer with its here-documents."""

Shape = tuple[str, ...]
"""The tokens of a text in order; an empty text in place of each operand."""

# An operand follows another word after one space or tab, is neither an option nor `=`, quoted or
# not, and is a word that no quote or escape continues. A file that is written follows `>` in the
# same way. They alone stand outside the group, which makes them empty texts to findall.
_TOKENS: Final = re.compile(
    rf"""[ \t]*+(?:
      (?<=[^\s|&;<!(){{}}\\][ \t])(?!_|(?<=>[ \t])(?:['"]|/dev/))
        (?:[\w./][^\s'"\\$`(){{}}<>|&;\#!]*+|'(?!-|=')[^']*+'|"(?!-|=")(?:[^"\\`$]++|\\.)*+")
        (?![^ \t])
      |({LEXEME}))""",
    re.VERBOSE | re.DOTALL,
)
_SEPARATORS: Final = frozenset({"|", "||", "&&", ";", "\n"})
_WRITES: Final = frozenset({">", ">>"})
_KNOWN: Final = _SEPARATORS | _WRITES | {"", "2>&1", "2>"}
_AFTER: Final = {"2>": "/dev/null", **dict.fromkeys(_WRITES, "")}
"""What stands after a token that takes a file: a device, or a file that was left out."""
_FURTHER: Final = re.compile(r"[<>&(){}`#!\\]|['\"$]\Z|[^'\"]*[<>]")
"""How tokens begin that read or write files, open a group, are a comment or no word at all."""


def shape_of(text: str) -> Shape | None:
    r"""Shape of a text; None for a long one, and where something follows a here-document.

    A here-document counts as the word that stands for it, whatever it holds.

    Examples
    --------
    >>> shape_of("grep -n 'two words' a.py | head -5")
    ('grep', '-n', '', '', '|', 'head', '-5')
    >>> shape_of("cat > a.py <<E\nx = 1\nE")
    ('cat', '>', '', '__heredoc_0__')
    """
    bodies: list[str] = []
    if "<<" in text:
        last_line = text[text.rfind("\n") + 1 :]
        if len(text) > MAX_CHARS or last_line not in text[: text.find("\n")]:
            return None  # what follows most often runs the file: lifting would be for nothing
        text, bodies = lift(text)
    text = text.rstrip("\n")
    if len(text) > MAX_SHAPED or text.count(PLACEHOLDER_START) != len(bodies):
        return None
    return tuple(_TOKENS.findall(text))


def names_in(shape: Shape) -> list[str] | None:
    """Names of a shape's commands as they are written; None if there is more to see than commands.

    Such are a text in which one of several commands writes a file, and one with other redirections,
    groups, comments, or expansions of commands.

    Examples
    --------
    >>> names_in(shape_of("grep -n 'two words' a.py 2>/dev/null | head -5"))
    ['grep', 'head']
    >>> names_in(shape_of("ls > found.txt && wc found.txt")) is None
    True
    """
    names: list[str] = []
    writes = False
    before = "\n"
    for token in shape:
        if (token not in _KNOWN and _FURTHER.match(token)) or _AFTER.get(before, token) != token:
            return None
        if before in _SEPARATORS and token not in _SEPARATORS:
            names.append(token)
        writes = writes or token in _WRITES
        before = token
    return None if writes and len(names) > 1 else names
