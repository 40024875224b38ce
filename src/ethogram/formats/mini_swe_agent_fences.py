"""Where commands stand in the text of a mini-SWE-agent reply."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec


class Block(msgspec.Struct, frozen=True, gc=False):
    """A command in a text."""

    start: int
    """Where its opening begins."""
    end: int
    """Where its closing ends."""
    command: str
    """What stands between them, without white space around it."""


class Fence(msgspec.Struct, frozen=True, gc=False):
    r"""How a command stands in a text: after a start and a gap, up to the first closing.

    ``pattern`` is the scaffold's own regular expression, as files quote it. It is not used: looking
    for the ends is many times faster than matching what lies between them.

    Examples
    --------
    >>> FENCES["bash"].blocks("Look:\n```bash\nls -l\n```")
    [Block(start=6, end=23, command='ls -l')]
    """

    pattern: str
    start: str
    gap: re.Pattern[str]
    """What stands between the start and the command, white space before it included."""
    closing: str

    def blocks(self, text: str) -> list[Block]:
        """All commands of a text, in order."""
        found: list[Block] = []
        position = 0
        while (start := text.find(self.start, position)) >= 0:
            position = start + len(self.start)
            gap = self.gap.match(text, position)
            if gap is None:
                continue
            end = text.find(self.closing, gap.end())
            if end < 0:
                # White space alone: its last newline is the closing's and an earlier one the gap's.
                end = gap.end() - 1
                if "\n" not in gap[0][:-1] or not text.startswith(self.closing, end):
                    break
            position = end + len(self.closing)
            found.append(Block(start, position, text[gap.end() : end].strip()))
        return found


_TO_NEXT_LINE: Final = re.compile(r"\s*\n")

FENCES: Final[Mapping[str, Fence]] = {
    "bash": Fence(r"```bash\s*\n(.*?)\n```", "```bash", _TO_NEXT_LINE, "\n```"),
    "mswea_bash_command": Fence(
        r"```mswea_bash_command\s*\n(.*?)\n```", "```mswea_bash_command", _TO_NEXT_LINE, "\n```"
    ),
    "xml": Fence(
        r"<mswea_bash_command>(.*?)</mswea_bash_command>",
        "<mswea_bash_command>",
        re.compile(""),
        "</mswea_bash_command>",
    ),
}
"""Fences by name; the first is the scaffold's own default."""
