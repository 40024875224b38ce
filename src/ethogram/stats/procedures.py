"""Procedures: things done in a row so often that they count as one, learnt by byte-pair merges.

::

    learn_procedures(sequences, *, n_merges=192, min_count=2) -> Procedures
    Procedures.encode(sequence) -> tuple[str, ...]
    Procedures.encode_all(sequences) -> list[tuple[str, ...]]

The most frequent pair of neighbours becomes one token, again and again; tokens so made can be
merged further. Learn once over all systems that are to be compared, so that their procedures have
the same names; then `ethogram.stats.distributions` says how far two systems' uses of them lie
apart.

All sequences lie in one array of numbers with a mark at the end of each: a count or a merge is a
few passes over memory, whatever the number of sequences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import IntArray

SEPARATOR: Final = " > "
"""Stands between the symbols of a procedure in its name."""

_END: Final = 0
"""Stands at the end of each sequence; tokens are numbered from 1."""

_MAX_CELLS: Final = 1 << 24
"""Possible pairs up to which a table of all of them is cheaper than sorting those that occur."""


@dataclass(frozen=True, slots=True)
class Procedures:
    """Merges in the order in which they were learnt.

    Attributes
    ----------
    symbols : tuple of str
        The symbols seen, sorted.
    merges : tuple of (int, int)
        The two tokens that each merge makes one. Tokens are numbered from 1: the symbols first,
        then what each merge makes.
    """

    symbols: tuple[str, ...]
    merges: tuple[tuple[int, int], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each token in order: ``find > read`` for what is made of ``find`` and ``read``.

        Merges that lead to the same symbols in a row by other ways give the same name.
        """
        return tuple(SEPARATOR.join(parts) for parts in _parts(self.symbols, self.merges)[1:])

    def encode(self, sequence: Sequence[str]) -> tuple[str, ...]:
        """Names of the procedures, and of the symbols outside one, that make up a sequence.

        Merges are done in the order in which they were learnt, from left to right. A symbol that
        was not seen in learning stays as it is.

        Examples
        --------
        >>> learnt = learn_procedures([["find", "read", "pay"], ["find", "read"]])
        >>> learnt.encode(["look", "find", "read", "find"])
        ('look', 'find > read', 'find')
        """
        return self.encode_all([sequence])[0]

    def encode_all(self, sequences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """As `encode`, for many sequences at once: much faster than one after the other."""
        unseen = sorted({*chain.from_iterable(sequences)} - {*self.symbols})
        names = [None, *self.names, *unseen]
        numbers = dict(zip(self.symbols, count(1), strict=False))
        numbers.update(zip(unseen, count(len(names) - len(unseen)), strict=False))
        tokens = _flat(sequences, numbers)
        for made, (left, right) in enumerate(self.merges, len(self.symbols) + 1):
            tokens = _merged(tokens, left, right, made)
        ends = np.flatnonzero(tokens == _END)
        starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
        labels = np.array(names, dtype=object)[tokens].tolist()
        return [tuple(labels[start:end]) for start, end in zip(starts, ends, strict=True)]


def learn_procedures(
    sequences: Sequence[Sequence[str]], *, n_merges: int = 192, min_count: int = 2
) -> Procedures:
    """Learn which symbols follow each other so often that they make one procedure.

    Parameters
    ----------
    sequences : sequence of sequences of str
        One a run; their order doesn't matter. No procedure spans two of them.
    n_merges : int
        Most merges to learn. The default is the size of the vocabulary in Oderinwale (2026).
    min_count : int
        A pair that occurs less often is not merged; learning ends when none occurs so often.

    Returns
    -------
    Procedures
        The most frequent pair first. Of equally frequent ones, the first by the symbols of its left
        token, then by those of its right one. A symbol that repeats is counted as merges take it,
        from the left: three in a row are one pair.

    Raises
    ------
    UsageError
        If ``n_merges`` is negative or ``min_count`` less than 1.

    References
    ----------
    Oderinwale (2026), Agent trajectories as programs, arXiv 2606.16988 (ProcGrep); Gage (1994), A
    new algorithm for data compression.

    Examples
    --------
    >>> learn_procedures([["find", "read", "pay"], ["find", "read"], ["read", "pay"]]).names
    ('find', 'pay', 'read', 'find > read')
    """
    if n_merges < 0 or min_count < 1:
        raise UsageError(
            f"need n_merges of 0 or more and min_count of 1 or more; got {n_merges} and {min_count}"
        )
    symbols = tuple(sorted({*chain.from_iterable(sequences)}))
    tokens = _flat(sequences, dict(zip(symbols, count(1), strict=False)))
    parts = _parts(symbols, ())
    merges: list[tuple[int, int]] = []
    while len(merges) < n_merges:
        pair = _most_frequent(tokens, parts, min_count)
        if pair is None:
            break
        tokens = _merged(tokens, *pair, len(parts))
        merges.append(pair)
        parts.append(parts[pair[0]] + parts[pair[1]])
    return Procedures(symbols, tuple(merges))


def _parts(symbols: Sequence[str], merges: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
    """The symbols that each token stands for, by its number."""
    parts: list[tuple[str, ...]] = [(), *((symbol,) for symbol in symbols)]
    for left, right in merges:
        parts.append(parts[left] + parts[right])
    return parts


def _flat(sequences: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> IntArray:
    """All symbols as numbers, with a mark at the end of each sequence."""
    return np.array(
        [token for sequence in sequences for token in (*map(numbers.__getitem__, sequence), _END)],
        dtype=np.int64,
    )


def _every_other(places: IntArray) -> IntArray:
    """Of places in a row, the first, the third and so on: the pairs that don't overlap."""
    if not len(places):
        return places
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 2) > 1)
    lengths = np.diff(starts, append=len(places))
    kept: IntArray = places[(np.arange(len(places)) - np.repeat(starts, lengths)) % 2 == 0]
    return kept


def _merged(tokens: IntArray, left: int, right: int, made: int) -> IntArray:
    """Each pair of neighbours ``left, right`` replaced by one token, from left to right."""
    places = np.flatnonzero(tokens[:-1] == left)
    places = places[tokens[places + 1] == right]
    if not len(places):
        return tokens
    places = _every_other(places)
    changed = tokens.copy()
    changed[places] = made
    return np.delete(changed, places + 1)


def _most_frequent(
    tokens: IntArray, parts: Sequence[tuple[str, ...]], min_count: int
) -> tuple[int, int] | None:
    """The pair of neighbours to merge next, if any occurs often enough."""
    left, right, width = tokens[:-1], tokens[1:], len(parts)
    found, counts = _occurring(left * width + right, width**2)
    first, second = np.divmod(found, width)
    repeated = np.bincount(left[_every_other(np.flatnonzero(left == right))], minlength=width)
    counts = np.where(first == second, repeated[first], counts)
    counts[(first == _END) | (second == _END)] = 0
    most = counts.max(initial=0)
    if most < min_count:
        return None
    top = counts == most
    candidates = zip(first[top].tolist(), second[top].tolist(), strict=True)
    return min(candidates, key=lambda pair: (parts[pair[0]], parts[pair[1]], pair))


def _occurring(values: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """Distinct values, all below a limit, and how often each occurs."""
    if limit > _MAX_CELLS:
        found, counts = np.unique(values, return_counts=True)
        return found, counts.astype(np.int64)
    table = np.bincount(values)
    found = np.flatnonzero(table)
    return found, table[found]
