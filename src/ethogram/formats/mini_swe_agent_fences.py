"""Where commands stand in the text of a mini-SWE-agent reply."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec


class Block(NamedTuple):
    """A command in a text."""

    start: int
    """Where its opening begins."""
    end: int
    """Where its closing ends."""
    command: str
    """What stands between them, without white space around it."""


class Fence(msgspec.Struct, frozen=True, gc=False):
    r"""How a command stands in a text: between an opening and the first closing after it.

    ``pattern`` is the scaffold's own regular expression, as files quote it. It is not used: looking
    for the closing is many times faster than matching what comes before it.

    Examples
    --------
    >>> FENCES["bash"].blocks("Look:\n```bash\nls -l\n```")
    [Block(start=6, end=23, command='ls -l')]
    """

    pattern: str
    opening: re.Pattern[str]
    closing: str

    def blocks(self, text: str) -> list[Block]:
        """All commands of a text, in order."""
        found: list[Block] = []
        position = 0
        while (opening := self.opening.search(text, position)) is not None:
            end = text.find(self.closing, opening.end())
            if end < 0:
                # White space alone: its last newline is the closing's and an earlier one the
                # opening's.
                end = opening.end() - 1
                if "\n" not in opening[0][:-1] or not text.startswith(self.closing, end):
                    break
            position = end + len(self.closing)
            command = text[opening.end() : end].strip()
            found.append(Block(opening.start(), position, command))
        return found


FENCES: Final[Mapping[str, Fence]] = {
    "bash": Fence(r"```bash\s*\n(.*?)\n```", re.compile(r"```bash\s*\n"), "\n```"),
    "mswea_bash_command": Fence(
        r"```mswea_bash_command\s*\n(.*?)\n```", re.compile(r"```mswea_bash_command\s*\n"), "\n```"
    ),
    "xml": Fence(
        r"<mswea_bash_command>(.*?)</mswea_bash_command>",
        re.compile("<mswea_bash_command>"),
        "</mswea_bash_command>",
    ),
}
"""Fences by name; the first is the scaffold's own default."""
