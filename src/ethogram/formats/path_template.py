"""Templates for paths: what ``{system}/{task_id}/run{trial}.json`` captures from a file's name.

A template describes the end of a path, from the beginning of a folder's or file's name on. A
capture takes one or more characters and never crosses a ``/``; ``?`` takes one, ``*`` any number of
them, ``**/`` any number of folders. A capture that occurs twice must take the same text both times.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ethogram.errors import UsageError
from ethogram.formats.base import COMPRESSIONS

_PIECE: Final = re.compile(r"\{([^{}]*)\}|(\*\*/?|\*|\?)|([{}])")
_WILD: Final = {"**": "(?:.*/)?", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class PathTemplate:
    """A template for the end of a path.

    Parameters
    ----------
    text : str
        As written, with captures in braces.

    Raises
    ------
    UsageError
        If a brace has no partner or a capture's name isn't letters, digits and ``_``.

    Examples
    --------
    >>> template = PathTemplate("{system}/{task_id}/run{trial}.json")
    >>> template.match("logs/a/t-1/run2.json")
    {'system': 'a', 'task_id': 't-1', 'trial': '2'}
    >>> template.match("run2.json") is None
    True
    """

    text: str

    def __post_init__(self) -> None:
        for piece in _PIECE.finditer(self.text):
            name, _, brace = piece.groups()
            if brace:
                raise UsageError(f"template {self.text!r}: a {brace!r} without its partner")
            if name is not None and not _NAME.fullmatch(name):
                raise UsageError(
                    f"template {self.text!r}: {{{name}}} is not a name: letters, digits and _"
                )

    @property
    def captures(self) -> tuple[str, ...]:
        """Names of the captures, in order, each once."""
        return tuple(dict.fromkeys(name for name, _, _ in _PIECE.findall(self.text) if name))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts, seen, end = [], set(), 0
        for piece in _PIECE.finditer(self.text):
            parts.append(re.escape(self.text[end : piece.start()]))
            end, name = piece.end(), piece[1]
            if name is None:
                parts.append(_WILD[piece[2]])
            else:
                parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
                seen.add(name)
        parts.append(re.escape(self.text[end:]))
        return re.compile(rf"(?:.*/)?{''.join(parts)}", re.DOTALL)

    def match(self, name: str) -> dict[str, str] | None:
        """What the captures take from a path (or ``archive::member``); None if it doesn't match.

        The suffix of a compression counts only where the template doesn't match without it.
        """
        path = name.replace("::", "/").replace("\\", "/")
        match = self._pattern.fullmatch(_unpacked(path)) or self._pattern.fullmatch(path)
        return match.groupdict() if match else None


def _unpacked(path: str) -> str:
    for suffix in COMPRESSIONS:
        path = path.removesuffix(suffix)
    return path
