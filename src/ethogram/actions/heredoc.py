"""Here-documents, lifted out of a command before it is parsed.

A body is data: only the line that opens it is shell. Lifting it leaves a short text for the parser,
whatever the body holds, and a placeholder word where the body was. tree-sitter-bash reads
redirections around a here-document wrongly often enough (``cat <<E > f && python f``) that this is
also more exact.
"""

import re
from typing import Final

PLACEHOLDER_START: Final = "__heredoc_"
_PLACEHOLDER: Final = PLACEHOLDER_START + "{}__"
_PLACEHOLDER_WORD: Final = re.compile(r"__heredoc_(\d+)__")

_OPENING: Final = r"""\d*<<-?[ \t]*(?:\\|'|")?"""
_NAME: Final = r"[A-Za-z_!.%@][\w.!%@-]*"
# Quotes, escapes, comments, here-strings and arithmetic are skipped as wholes: a `<<` inside opens
# nothing. All that lies before the next opening or the end of a line is one match.
_LEXEMES: Final = re.compile(
    rf"""(?: [^'"\\\#<(\n\d]++
      | '[^']*+'
      | "(?:[^"\\]++|\\.)*+"
      | \\.
      | (?<![^\s;&|(])\#[^\n]*
      | <<<
      | \(\([^()\n]*\)\)
      | (?!{_OPENING}{_NAME}|\n).
    )*+
    (?:(?P<opens>{_OPENING}(?P<word>{_NAME})(?:(?<=\w)['"])?)
      | \n
    )""",
    re.VERBOSE | re.DOTALL,
)


def lift(text: str) -> tuple[str, list[str]]:
    r"""Take the bodies of here-documents out of a shell text.

    Parameters
    ----------
    text : str
        A shell command.

    Returns
    -------
    tuple of str and list of str
        The text with a placeholder word for each here-document, and the bodies. A body whose end
        line is missing reaches to the end of the text, as in the shell.

    Examples
    --------
    >>> lift("cat <<E > f && ls\nx = 1\nE\npwd")
    ('cat __heredoc_0__ > f && ls\npwd', ['x = 1'])
    """
    if "<<" not in text:
        return text, []
    kept: list[str] = []
    bodies: list[str] = []
    open_words: list[str] = []
    start = position = 0
    while (match := _LEXEMES.match(text, position)) is not None:
        position = match.end()
        if (word := match["word"]) is not None:
            number = len(bodies) + len(open_words)
            kept += [text[start : match.start("opens")], _PLACEHOLDER.format(number)]
            open_words.append(word)
            start = position
        elif open_words:
            kept.append(text[start:position])
            start = position = _take_bodies(text, position, open_words, bodies)
            if text.find("<<", position) < 0:
                break
    bodies += [""] * len(open_words)
    return "".join(kept) + text[start:], bodies


def _take_bodies(text: str, position: int, words: list[str], bodies: list[str]) -> int:
    """Read the bodies that the finished line opened; return where the next line starts."""
    for word in words:
        first, after = _end_line(text, position, word)
        bodies.append(text[position:first])
        position = after
    words.clear()
    return position


def _end_line(text: str, position: int, word: str) -> tuple[int, int]:
    """Return where a body ends, and where the text goes on after the line with its end word."""
    found = text.find(word, position)
    while found >= 0:
        line = max(text.rfind("\n", position, found) + 1, position)
        after = text.find("\n", found)
        after = len(text) if after < 0 else after
        if text[line:after].strip(" \t") == word:
            return max(line - 1, position), min(after + 1, len(text))
        found = text.find(word, found + 1)
    return len(text), len(text)


def body_of(word: str, bodies: list[str]) -> str | None:
    """Return the here-document that a word stands for, None for any other word."""
    match = _PLACEHOLDER_WORD.fullmatch(word)
    if match is None or int(match[1]) >= len(bodies):
        return None
    return bodies[int(match[1])]
