"""What a piece of code is for: to rewrite files, to show something, or to be run."""

import re
import sys
from collections.abc import Iterable
from typing import Final

import msgspec

from ethogram.actions.kinds import Kind, LanguageRule

MAX_CODE: Final = 50_000
"""Only this much of a piece of code is looked at."""

_EXPRESSION: Final = re.compile(r"[\w.\[\]]*(?:\([^()\n]*\))?\Z")
_LITERAL: Final = re.compile(r"(?:[A-Za-z_]|\\\.)(?:\w|\\\.)*")
_INNER: Final = re.compile(r"\\.|\[\^?\]?[^]]*\]|\((?:[^()\\[]|\\.|\[\^?\]?[^]]*\])*\)", re.DOTALL)


class _Pattern(msgspec.Struct, frozen=True):
    """A pattern, and the text that all its matches begin with: far faster to look for."""

    start: str
    regex: re.Pattern[str]

    def is_in(self, code: str) -> bool:
        return self.start in code and self.regex.search(code) is not None

    def matches(self, code: str) -> Iterable[re.Match[str]]:
        return self.regex.finditer(code) if self.start in code else ()


Patterns = tuple[_Pattern, ...]


class Purpose:
    """Tells what code of one language is for, by the patterns of its entry in the tables."""

    def __init__(self, rule: LanguageRule) -> None:
        self._in_place = _compiled(rule.in_place)
        self._writes = _compiled(rule.writes)
        self._reads = _compiled(rule.reads)
        self._shows = _compiled(rule.shows)
        self._checks = _compiled(rule.checks)
        self._tries = _compiled(rule.tries)
        self._imports = re.compile(rule.imports, re.MULTILINE) if rule.imports else None

    def kind_of(self, code: str) -> Kind:
        """Return edit, understand or verify; ``kinds.toml`` has the rule above its languages."""
        code = code[:MAX_CODE]
        written = _files(self._writes, code)
        if self._edits(code, written):
            return "edit"
        if written or _found(self._tries, code) or _found(self._checks, code):
            return "verify"
        shows = _found(self._shows, code)
        shows = shows or (_found(self._reads, code) and self._only_standard(code))
        return "understand" if shows else "verify"

    def edits(self, code: str) -> bool:
        """Tell whether the kind is edit, without asking which of the others it is."""
        code = code[:MAX_CODE]
        return self._edits(code, _files(self._writes, code))

    def _edits(self, code: str, written: dict[str, int]) -> bool:
        """Tell code that rewrites files from what is known to be written by it."""
        if not written:
            return _found(self._in_place, code)
        return (
            _found(self._in_place, code)
            or _rewritten(_files(self._reads, code), written, code)
            or (not _found(self._tries, code) and self._only_standard(code))
        )

    def _only_standard(self, code: str) -> bool:
        if self._imports is None:
            return True
        names = {first or second for first, second in self._imports.findall(code)}
        return names <= sys.stdlib_module_names


def _compiled(patterns: Iterable[str]) -> Patterns:
    return tuple(_Pattern(literal_start(pattern), re.compile(pattern)) for pattern in patterns)


def literal_start(pattern: str) -> str:
    r"""Text that all matches of a regular expression begin with; empty if that isn't plain to see.

    Examples
    --------
    >>> literal_start(r"\.write_text\s*\(")
    '.write_text'
    >>> literal_start(r"https?://")
    'http'
    >>> literal_start(r"a|b")
    ''
    """
    match = _LITERAL.match(pattern)
    outer, n_inner = pattern, 1
    while n_inner:
        outer, n_inner = _INNER.subn("", outer)
    if match is None or "|" in outer or "(?#" in pattern:  # a comment hides what stands behind it
        return ""
    start = match[0].replace("\\.", ".")
    return start[:-1] if pattern[match.end() : match.end() + 1] in {"?", "*", "{"} else start


def _found(patterns: Patterns, code: str) -> bool:
    return any(pattern.is_in(code) for pattern in patterns)


def _files(patterns: Patterns, code: str) -> dict[str, int]:
    """Return the expressions for the files that patterns find, each with its first place."""
    files: dict[str, int] = {}
    for pattern in patterns:
        for match in pattern.matches(code):
            name = match[1] if match.lastindex else _before(code, match.start())
            name = name.strip("\\'\" ")
            files[name] = min(files.get(name, match.start()), match.start())
    return files


def _before(code: str, place: int) -> str:
    """Return the expression that ends at a place."""
    match = _EXPRESSION.search(code, max(place - 80, 0), place)
    return match[0] if match is not None else ""


def _rewritten(read: dict[str, int], written: dict[str, int], code: str) -> bool:
    """Tell whether a file is read and then, or in the same line, written."""
    for name, place in written.items():
        end = code.find("\n", place)
        if read.get(name, len(code)) <= (end if end >= 0 else len(code) - 1):
            return True
    return False
