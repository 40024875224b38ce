"""Plain scripts without the parser: words, quotes, pipes, ``&&``, ``;`` and redirections.

Nearly all commands that agents write are of this shape. Reading them here costs a fraction of what
building and walking a tree costs, and is more exact where tree-sitter-bash loses a newline between
two of them. Whatever else the shell has (substitutions, groups, loops, tests) is left to
`ethogram.actions.shell`: then the answer is None.
"""

import re
from collections.abc import Callable
from typing import Final

from ethogram.actions.heredoc import body_of
from ethogram.actions.script import Command, Script, is_file, unquote

LEXEME: Final = r"""
      \d?>&[\d-]|\d?>>?\|?
      |(?:[^\s'"\\$`(){}<>|&;\#!]++
        |'[^']*+'|"(?:[^"\\`$]++|\\.|\$(?!\())*+"|\\[^\n]
        |\$(?=\w)|\$?\{[\w,./*-]*\}|(?<=[^\s|&;<>])[\#!])++
      |\|\|?|&>>?|&&?|;|\n
      |<(?:<<)?
      |\#[^\n]*|\\\n
      |\S"""
"""A word, an operator or a comment, as a verbose pattern in which a dot is any character."""

_TOKENS: Final = re.compile(rf"[ \t]*+({LEXEME})", re.VERBOSE | re.DOTALL)
_COMPOUND: Final = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done"),
        *("case", "esac", "in", "function", "select", "coproc", "[["),
    }
)


class _Reader:
    """What was read so far; `target` is where the next word goes if not to the command's words."""

    __slots__ = ("bodies", "command", "pipeline", "script", "target")

    def __init__(self, bodies: list[str]) -> None:
        self.bodies = bodies
        self.command = Command([])
        self.pipeline = [self.command]
        self.script: Script = []
        self.target: Callable[[_Reader, str], None] | None = None

    def word(self, token: str) -> bool:
        """Put a word where it belongs; False if it opens something that is not plain."""
        if token[0] == "#":
            return True
        if self.target is not None:
            self.target(self, unquote(token))
            self.target = None
        elif token[0] == "_" and (body := body_of(token, self.bodies)) is not None:
            self.command.stdin = body
        elif token in _COMPOUND and not self.command.words:
            return False
        else:
            self.command.words.append(unquote(token))
        return True

    def to_file(self, word: str) -> None:
        """Note a redirection's target."""
        if is_file(word):
            self.command.writes.append(word)

    def from_file(self, word: str) -> None:
        """Take a file that is read for an argument."""
        self.command.words.append(word)

    def from_text(self, word: str) -> None:
        """Feed a here-string."""
        self.command.stdin = word

    def pipe(self) -> None:
        """Begin the next command of the pipeline."""
        self.command = Command([])
        self.pipeline.append(self.command)

    def end(self) -> None:
        """Finish the pipeline, unless nothing stands in it."""
        command = self.command
        if len(self.pipeline) > 1 or command.words or command.writes or command.stdin is not None:
            self.script.append(self.pipeline)
            self.command = Command([])
            self.pipeline = [self.command]

    def write(self) -> None:
        """Expect a target."""
        self.target = _Reader.to_file

    def read(self) -> None:
        """Expect a file to be read."""
        self.target = _Reader.from_file

    def read_text(self) -> None:
        """Expect a here-string."""
        self.target = _Reader.from_text

    def skip(self) -> None:
        """Pass over a descriptor, a negation or a continued line."""


_OPERATORS: Final[dict[str, Callable[[_Reader], None] | None]] = {
    "|": _Reader.pipe,
    **dict.fromkeys(["||", "&&", ";", "&", "\n"], _Reader.end),
    **dict.fromkeys([">", ">>", ">|", "&>", "&>>", "1>", "1>>", "2>", "2>>"], _Reader.write),
    "<": _Reader.read,
    "<<<": _Reader.read_text,
    **dict.fromkeys(["2>&1", "1>&2", ">&2", ">&1", "2>&-", "1>&-", "!", "\\\n"], _Reader.skip),
    **dict.fromkeys([*"(){}`$'\"#\\"], None),
}


def read_plain(text: str, bodies: list[str]) -> Script | None:
    """Read a script of plain commands.

    Parameters
    ----------
    text : str
        A shell text out of which the here-documents were lifted.
    bodies : list of str
        Those here-documents.

    Returns
    -------
    list of list of Command or None
        None if the text has anything that only the parser can read.
    """
    reader = _Reader(bodies)
    words = reader.command.words
    for token in _TOKENS.findall(text):
        if token in _OPERATORS:
            operator = _OPERATORS[token]
            if operator is None:
                return None
            operator(reader)
            words = reader.command.words
        elif words and reader.target is None and token[0] not in "_#":
            words.append(unquote(token))  # nearly every word: not worth a call
        elif not reader.word(token):
            return None
    reader.end()
    return reader.script
