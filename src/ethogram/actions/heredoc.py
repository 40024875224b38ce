"""Here-documents, lifted out of a command before it is parsed.

A body is data: only the line that opens it is shell. Lifting it leaves a short text for the parser,
whatever the body holds, and a placeholder word where the body was; tree-sitter-bash reads redirections
around a here-document wrongly often enough (``cat <<E > f && python f``) that this is also the more
exact way.
"""

import re
from typing import Final

_PLACEHOLDER: Final = "__heredoc_{}__"
_PLACEHOLDER_WORD: Final = re.compile(r"__heredoc_(\d+)__")

# Quotes, escapes, comments and here-strings are skipped as wholes, so that a `<<` inside them opens nothing.
_LEXEME: Final = re.compile(
    r"""'[^']*'
      | "(?:[^"\\]++|\\.)*+"
      | \\.
      | (?<![^\s;&|(])\#[^\n]*
      | <<<
      | \(\([^()\n]*\)\)
      | \d*<<-?[ \t]*(?P<quote>\\|'|")?(?P<word>[A-Za-z_!.%@][\w.!%@-]*)(?:(?<=\w)['"])?
      | \n""",
    re.VERBOSE | re.DOTALL,
)


def lift(text: str) -> tuple[str, list[str]]:
    """Take the bodies of here-documents out of a shell text.

    Parameters
    ----------
    text : str
        A shell command.

    Returns
    -------
    tuple of str and list of str
        The text with a placeholder word for each here-document, and the bodies. A body whose end line
        is missing reaches to the end of the text, as in the shell.

    Examples
    --------
    >>> lift("cat <<E > f && ls\\nx = 1\\nE\\npwd")
    ('cat __heredoc_0__ > f && ls\\npwd', ['x = 1'])
    """
    if "<<" not in text:
        return text, []
    kept: list[str] = []
    bodies: list[str] = []
    ends: list[str] = []
    start = position = 0
    while (match := _LEXEME.search(text, position)) is not None:
        position = match.end()
        if (word := match["word"]) is not None:
            kept += [text[start : match.start()], _PLACEHOLDER.format(len(bodies) + len(ends))]
            ends.append(word)
            start = position
        elif ends and match[0] == "\n":
            kept.append(text[start:position])
            start = position = _take_bodies(text, position, ends, bodies)
    bodies += [""] * len(ends)
    return "".join(kept) + text[start:], bodies


def _take_bodies(text: str, position: int, ends: list[str], bodies: list[str]) -> int:
    """Read the bodies that the finished line opened; return where the next line starts."""
    for word in ends:
        end = re.compile(rf"^[ \t]*{re.escape(word)}[ \t]*$", re.MULTILINE).search(text, position)
        bodies.append(text[position : end.start() - 1 if end else len(text)])
        position = min(end.end() + 1, len(text)) if end else len(text)
    ends.clear()
    return position


def body_of(word: str, bodies: list[str]) -> str | None:
    """Return the here-document that a word stands for, None for any other word."""
    match = _PLACEHOLDER_WORD.fullmatch(word)
    if match is None or int(match[1]) >= len(bodies):
        return None
    return bodies[int(match[1])]
