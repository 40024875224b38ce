"""What a piece of code is for: to rewrite files, to show something, or to be run."""

import re
import sys
from typing import Final

from ethogram.actions.kinds import Kind, LanguageRule

MAX_CODE: Final = 50_000
"""Only this much of a piece of code is looked at."""


class Purpose:
    """Tells what code of one language is for."""

    def __init__(self, rule: LanguageRule) -> None:
        self._writes = _any(rule.writes)
        self._reads = _any(rule.reads)
        self._shows = _any(rule.shows)
        self._checks = _any(rule.checks)
        self._imports = re.compile(rule.imports, re.MULTILINE) if rule.imports else None

    def kind_of(self, code: str) -> Kind:
        """Return edit, understand or verify; the head of ``kinds.toml`` has the rule."""
        code = code[:MAX_CODE]
        reads = self._found(self._reads, code)
        if self._found(self._writes, code) and (reads or self._only_standard(code)):
            return "edit"
        if self._found(self._shows, code):
            return "understand"
        if reads and not self._found(self._checks, code) and self._only_standard(code):
            return "understand"
        return "verify"

    @staticmethod
    def _found(pattern: re.Pattern[str] | None, code: str) -> bool:
        return pattern is not None and pattern.search(code) is not None

    def _only_standard(self, code: str) -> bool:
        if self._imports is None:
            return True
        names = {first or second for first, second in self._imports.findall(code)}
        return names <= sys.stdlib_module_names


def _any(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None
