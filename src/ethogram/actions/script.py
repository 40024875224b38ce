"""A shell script as the rules see it: pipelines of commands with their words, files and texts."""

import re
from typing import Final

import msgspec


class Command(msgspec.Struct, gc=False):
    """One command of a pipeline."""

    words: list[str]
    """Name and arguments without quotes, assignments before the name included; empty for a bare
    redirection, a subshell or a loop."""
    writes: list[str] = []
    """Files written by redirection; devices left out."""
    stdin: str | None = None
    """A here-document or here-string fed to it."""
    inner: list["Script"] = []
    """Scripts in its words: ``$(...)``, backquotes, ``<(...)``."""
    body: "Script | None" = None
    """The script of a subshell, group or loop."""


Pipeline = list[Command]
Script = list[Pipeline]

_QUOTED: Final = re.compile(r"""\$?'([^']*)'|\$?"((?:[^"\\]++|\\.)*+)"|\\(.)""", re.DOTALL)
_ESCAPE: Final = re.compile(r'\\([\\"$`\n])')


def unquote(word: str) -> str:
    """Take quotes and escapes off a shell word; expansions stay as they are written."""
    if "\\" not in word:
        if "'" not in word and '"' not in word:
            return word
        first = word[0]
        if first in "'\"" and word.find(first, 1) == len(word) - 1:
            return word[1:-1]
    return _QUOTED.sub(_bare, word)


def _bare(match: re.Match[str]) -> str:
    single, double, escaped = match.groups()
    if single is not None:
        return single
    return _ESCAPE.sub(r"\1", double) if double is not None else escaped.strip("\n")


def is_file(target: str) -> bool:
    """Tell a file that a redirection writes from a device or a descriptor."""
    return not target.startswith(("/dev/", "&"))
