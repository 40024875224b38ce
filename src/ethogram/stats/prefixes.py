"""Where sequences part: the classes of sequences that agree on their first symbols.

Sequences of a group (the runs of one task by one system) start out in one class. At every step a
class splits by the next symbol; a sequence that has ended differs from one that goes on, and
sequences that end together have been equal from start to end. Everything about divergence follows
from the sizes of these classes, for all subsets of k sequences at once and without drawing any: a
subset has not diverged after s steps if and only if it lies within one class of depth s.

All groups are refined together, one step at a time, so the cost is a few array operations a step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

END: Final = -1
"""Symbol that every sequence has after its last one."""


@dataclass(frozen=True)
class Sequences:
    """Sequences of symbols in groups, as flat arrays.

    Parameters
    ----------
    codes : ndarray of int
        Symbols (0 or more) of all sequences, one sequence after the other.
    lengths : ndarray of int, shape (n_sequences,)
        Symbols of each; may be 0.
    groups : ndarray of int, shape (n_sequences,)
        Group of each, numbered from 0.
    n_groups : int
        How many groups there are.
    """

    codes: IntArray
    lengths: IntArray
    groups: IntArray
    n_groups: int

    def __post_init__(self) -> None:
        if int(self.lengths.sum()) != len(self.codes) or len(self.lengths) != len(self.groups):
            raise ValueError(
                f"sequences: {len(self.codes)} symbols and {len(self.groups)} groups for "
                f"{len(self.lengths)} lengths that add up to {int(self.lengths.sum())}"
            )

    @cached_property
    def starts(self) -> IntArray:
        """Place of the first symbol of each sequence."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def group_sizes(self) -> IntArray:
        """Sequences in each group."""
        return np.bincount(self.groups, minlength=self.n_groups)


@dataclass(frozen=True)
class Level:
    """The classes of two or more sequences that agree on their first ``depth`` symbols."""

    depth: int
    members: IntArray
    """Indices of the sequences that are in such a class."""
    classes: IntArray
    """Class of each member, numbered from 0 over all groups."""
    children: IntArray
    """Class of each member once one more symbol is looked at, numbered from 0."""
    ended: BoolArray
    """Whether that symbol is the end of the sequence."""


def refine(sequences: Sequences) -> Iterator[Level]:
    """Levels of the prefix tree, from depth 0 until no class of two or more can split any more."""
    n_symbols = int(sequences.codes.max(initial=0)) + 2
    members = np.arange(len(sequences.lengths))
    members, classes = _shared(members, sequences.groups)
    depth = 0
    while len(members):
        symbols = _symbols_at(sequences, members, depth)
        _, children = np.unique(classes * n_symbols + (symbols - END), return_inverse=True)
        ended = symbols == END
        yield Level(depth, members, classes, children, ended)
        members, classes = _shared(members[~ended], children[~ended])
        depth += 1


def _shared(members: IntArray, classes: IntArray) -> tuple[IntArray, IntArray]:
    """Members of classes of two or more, and those classes numbered from 0."""
    _, numbers, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    kept = sizes[numbers] > 1
    return members[kept], np.unique(numbers[kept], return_inverse=True)[1]


def _symbols_at(sequences: Sequences, members: IntArray, depth: int) -> IntArray:
    going_on = sequences.lengths[members] > depth
    symbols = np.full(len(members), END)
    symbols[going_on] = sequences.codes[sequences.starts[members[going_on]] + depth]
    return symbols


def subset_share(sizes: IntArray, totals: IntArray, k: int) -> FloatArray:
    """Share of the k-subsets of n items that lie within m of them: C(m, k) / C(n, k).

    Parameters
    ----------
    sizes, totals : ndarray of int
        m and n.
    k : int
        Size of the subsets, 0 or more.

    Returns
    -------
    ndarray of float
        NaN where n < k.

    Examples
    --------
    >>> subset_share(np.array([3, 1]), np.array([5, 5]), 2)
    array([0.3, 0. ])
    """
    share = np.ones(len(sizes))
    for i in range(k):
        share *= np.clip(sizes - i, 0, None) / np.where(totals > i, totals - i, np.nan)
    return share


@dataclass(frozen=True)
class Divergence:
    """Divergence of each group over all subsets of k of its sequences; NaN with fewer than k.

    The divergence step of a subset is the first position, counted from 1, at which not all of its
    sequences show the same symbol.
    """

    never: FloatArray
    """Share of subsets whose sequences are all equal."""
    mean: FloatArray
    """Mean divergence step of the others; NaN if there are none."""
    by_step: FloatArray
    """Shape (n_groups, n_steps): share of subsets that have diverged by step 1, 2, ..."""


def divergence(sequences: Sequences, k: int, *, n_steps: int = 5) -> Divergence:
    r"""Divergence step of subsets of k sequences, exactly, for each group.

    With :math:`m_c` the sizes of the classes at depth s, a subset of k out of n has not diverged
    after s steps with probability :math:`P(D > s) = \sum_c \binom{m_c}{k} / \binom{n}{k}`, and
    :math:`E[D; D < \infty] = \sum_{s \ge 0} (P(D > s) - P(D = \infty))`.

    Parameters
    ----------
    sequences : Sequences
        The sequences of all groups.
    k : int
        Size of the subsets, 2 or more.
    n_steps : int
        Steps up to which ``by_step`` goes.
    """
    if k < 2:
        raise ValueError(f"divergence: k must be 2 or more, got {k}")
    totals = sequences.group_sizes
    together = np.zeros((sequences.n_groups, n_steps + 1))
    never, total = np.zeros(sequences.n_groups), np.zeros(sequences.n_groups)
    for level in refine(sequences):
        group_of = sequences.groups[level.members]
        going_on = _share_by_group(level.classes, group_of, totals, k)
        total += going_on
        if level.depth <= n_steps:
            together[:, level.depth] = never + going_on
        ended = _share_by_group(level.children[level.ended], group_of[level.ended], totals, k)
        never += ended
        total -= (level.depth + 1) * ended
        if level.depth < n_steps:
            together[:, level.depth + 1 :] = never[:, None]
    absent = totals < k
    never[absent] = np.nan
    together[absent] = np.nan
    diverging = np.where(1 - never > 1e-12, 1 - never, np.nan)
    return Divergence(never=never, mean=total / diverging, by_step=1 - together[:, 1:])


def _share_by_group(classes: IntArray, group_of: IntArray, totals: IntArray, k: int) -> FloatArray:
    """Share of the k-subsets of each group that lie within one of the given classes."""
    _, first, sizes = np.unique(classes, return_index=True, return_counts=True)
    groups = group_of[first]
    shares = subset_share(sizes, totals[groups], k)
    by_group: FloatArray = np.bincount(
        groups, weights=np.nan_to_num(shares), minlength=len(totals)
    ).astype(np.float64)
    return by_group


def unique_share(sequences: Sequences, k: int) -> FloatArray:
    """Share of sequences that equal no other one among k of their group; NaN with fewer than k.

    A sequence with m - 1 equals among the n of its group is alone in a subset of k that holds it
    with probability C(n - m, k - 1) / C(n - 1, k - 1).
    """
    totals = sequences.group_sizes
    copies = np.ones(len(sequences.lengths), dtype=np.int64)
    for level in refine(sequences):
        same = level.children[level.ended]
        _, numbers, sizes = np.unique(same, return_inverse=True, return_counts=True)
        copies[level.members[level.ended]] = sizes[numbers]
    n = totals[sequences.groups]
    alone = subset_share(n - copies, n - 1, k - 1)
    sums = np.bincount(sequences.groups, weights=alone, minlength=sequences.n_groups)
    shares: FloatArray = np.where(totals >= max(k, 1), sums / np.maximum(totals, 1), np.nan)
    return shares
