"""Names of systems and models taken out of texts, so that a judge can't know whom it judges."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Self

import msgspec
import polars as pl

from ethogram.results.vendors import brands_in

MASKED: Final = "[masked]"
SHORTEST: Final = 3
"""Characters of a name that is masked; two are enough where one of them is a digit (o3)."""
_PARTS: Final = re.compile(r"/|::")
_WORD: Final = re.compile(r"[^\W_]+")
_DATE: Final = re.compile(r"\A(?:\d{8}|20\d\d)\Z")
# At most three, so that a name never reaches over a text.
_BETWEEN: Final = r"(?:[^\w\n]|_){0,3}"


class Mask(msgspec.Struct, frozen=True, dict=True):
    """What is masked.

    Examples
    --------
    >>> mask = Mask(names=("claude-sonnet-4-5-20250929", "claude"))
    >>> mask("Claude Sonnet 4.5 wrote claudes; claude did.")
    '[masked] wrote claudes; [masked] did.'
    """

    names: tuple[str, ...]
    too_short: tuple[str, ...] = ()
    """Names of systems that are left as they are: every "a" would be one."""

    @classmethod
    def of(cls, systems: pl.DataFrame) -> Self:
        """Mask the names of systems, scaffolds and models, their parts and their brands.

        Parameters
        ----------
        systems : polars.DataFrame
            The cohort's table.
        """
        columns = ("system", "scaffold", "model", "model_snapshot")
        written = {name for column in columns for name in systems[column].drop_nulls()}
        names = sorted({part for name in written for part in _named(name)})
        long = tuple(name for name in names if _is_long(name))
        systems_short = {name for name in systems["system"].drop_nulls() if not _is_long(name)}
        return cls(names=long, too_short=tuple(sorted(systems_short)))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.names, key=len, reverse=True)
        rules = [rule for name in longest_first for rule in (re.escape(name), _rule(name))]
        if not rules:
            return None
        return re.compile(
            rf"(?<![A-Za-z0-9_])(?:{'|'.join(dict.fromkeys(rules))})(?![A-Za-z0-9_])", re.IGNORECASE
        )

    def __call__(self, text: str) -> str:
        """The text with every name replaced, whatever its capitals and signs between its words."""
        return text if self._pattern is None else self._pattern.sub(MASKED, text)


def _named(name: str) -> Iterator[str]:
    """A name, its parts between slashes, the brands in them, and what stands from there on."""
    yield name
    for part in _PARTS.split(name):
        yield part
        for brand in brands_in(part):
            yield brand
            yield part[part.lower().index(brand) :]


def _is_long(name: str) -> bool:
    letters = "".join(_WORD.findall(name))
    if letters.isdigit():
        return False
    return len(letters) >= SHORTEST or (len(letters) == 2 and any(map(str.isdigit, letters)))


def _rule(name: str) -> str:
    """A name as a pattern: its words with little between them; a date at its end may be missing."""
    words = _WORD.findall(name)
    return _joined(words[: _undated(words)], words[_undated(words) :])


def _undated(words: Sequence[str]) -> int:
    """How many words a name has before the date at its end."""
    dated = [place for place, word in enumerate(words) if place and _DATE.match(word)]
    digits_only = bool(dated) and all(word.isdigit() for word in words[dated[0] :])
    return dated[0] if digits_only else len(words)


def _joined(words: Iterable[str], date: Sequence[str]) -> str:
    rule = _BETWEEN.join(map(re.escape, words))
    if not date:
        return rule
    return rf"{rule}(?:{_BETWEEN}{_BETWEEN.join(map(re.escape, date))})?"
