"""Where sequences of symbols part, and how alike they stay.

::

    encode(sequences) -> list[str]                            one character a symbol
    divergence_step(sequences) -> int | None
    pairwise_divergence(sequences) -> FloatArray              (n, n), inf where equal
    edit_similarity(first, second) -> float
    mean_pairwise_similarity(sequences) -> float
    coherence_after_divergence(sequences, *, subsets=None) -> float | None
    ends_in_loop(sequence, *, window=12, max_period=3) -> bool

A sequence is what one run did, one hashable symbol an action (a kind, a command's head, a text).
Symbols are mapped to characters once: strings compare, sort and align at the speed of memory.

Divergence of many tasks at once, over all subsets of ``k`` runs, is `ethogram.stats.prefixes`.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import count, pairwise

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist, cpdist

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.arrays import FloatArray, IntArray


def encode(sequences: Sequence[Sequence[Hashable]]) -> list[str]:
    """Each sequence as a string in which equal characters are equal symbols.

    Raises
    ------
    UsageError
        With more distinct symbols than there are characters (1,114,112).
    """
    characters = defaultdict[Hashable, str](map(chr, count()).__next__)
    try:
        return ["".join([characters[symbol] for symbol in sequence]) for sequence in sequences]
    except ValueError as err:
        raise UsageError("more than 1,114,112 distinct symbols") from err


def _require_two(sequences: Sequence[object]) -> None:
    if len(sequences) < 2:
        raise NotEnoughDataError(f"a comparison needs two or more runs; got {len(sequences)}")


def _parting(first: str, second: str) -> float:
    """First position, from 1, at which two strings differ; infinity when they are equal."""
    if first == second:
        return np.inf
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low + 1


def divergence_step(sequences: Sequence[Sequence[Hashable]]) -> int | None:
    """First action, counted from 1, at which not all runs show the same symbol.

    A run that has ended differs from one that goes on. None if and only if all sequences are equal.

    Raises
    ------
    NotEnoughDataError
        With fewer than two sequences.

    References
    ----------
    Mehta (2026), section 4.4.

    Examples
    --------
    >>> divergence_step(["abc", "abd", "abc"]), divergence_step(["ab", "abc"])
    (3, 3)
    >>> divergence_step(["ab", "ab"]) is None
    True
    """
    _require_two(sequences)
    codes = encode(sequences)
    # in sorted order, what the first and the last share, all share
    step = _parting(min(codes), max(codes))
    return None if step == np.inf else int(step)


def pairwise_divergence(sequences: Sequence[Sequence[Hashable]]) -> FloatArray:
    """Divergence step of each pair of runs.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric; infinity where two sequences are equal, hence on the diagonal. The divergence
        step of any subset of runs is the smallest entry between one of them and the others.

    Examples
    --------
    >>> pairwise_divergence(["ab", "ac", "ab"]).tolist()
    [[inf, 2.0, inf], [2.0, inf, 2.0], [inf, 2.0, inf]]
    """
    codes = encode(sequences)
    order = sorted(range(len(codes)), key=codes.__getitem__)
    steps = [_parting(codes[one], codes[next_]) for one, next_ in pairwise(order)]
    table = np.full((len(codes), len(codes)), np.inf)
    for place, one in enumerate(order):
        nearest = np.minimum.accumulate(np.array(steps[place:], dtype=np.float64))
        table[one, order[place + 1 :]] = nearest
        table[order[place + 1 :], one] = nearest
    return table


def edit_similarity(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """``1 - Levenshtein distance / length of the longer sequence``; 1 for two empty ones.

    0 to 1, symmetric; 1 means equal.

    Examples
    --------
    >>> edit_similarity("abcd", "abxd"), edit_similarity("", "")
    (0.75, 1.0)
    """
    one, other = encode([first, second])
    return float(Levenshtein.normalized_similarity(one, other))


def mean_pairwise_similarity(sequences: Sequence[Sequence[Hashable]]) -> float:
    """Mean of `edit_similarity` over all pairs of runs.

    It does not depend on ``k``: the mean over all subsets of ``k`` runs is the same.

    Raises
    ------
    NotEnoughDataError
        With fewer than two sequences.

    Examples
    --------
    >>> mean_pairwise_similarity(["ab", "ab", "xy"])
    0.3333333333333333
    """
    _require_two(sequences)
    codes = encode(sequences)
    table = cdist(codes, codes, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
    return float(table[np.triu_indices(len(codes), 1)].mean())


def coherence_after_divergence(
    sequences: Sequence[Sequence[Hashable]], *, subsets: IntArray | None = None
) -> float | None:
    """How alike the runs of a task stay from the step at which they part.

    Mean pairwise `edit_similarity` of what each run does from the divergence step on (a run that
    has ended by then does nothing: empty against empty is 1, against anything else 0). 0 to 1;
    higher means that the runs take other steps of the same kind, not another course.

    Parameters
    ----------
    sequences : sequence of sequences
        One sequence of symbols a run.
    subsets : ndarray of shape (n_subsets, k), optional
        Subsets of runs (`ethogram.stats.repeats.k_subsets`), each with its own divergence step; the
        mean over those that part. All runs as one by default.

    Returns
    -------
    float or None
        None when no subset parts: there is nothing after.

    Raises
    ------
    NotEnoughDataError
        With fewer than two sequences.

    Notes
    -----
    Mehta (2026) describes this quantity in words only; the definition is ours.

    Examples
    --------
    >>> coherence_after_divergence(["abcd", "abxd"])
    0.5
    """
    _require_two(sequences)
    codes = encode(sequences)
    chosen = np.arange(len(codes))[None, :] if subsets is None else subsets
    steps = pairwise_divergence(sequences)[chosen[:, :1], chosen[:, 1:]].min(axis=1)
    first, second = np.triu_indices(chosen.shape[1], 1)
    total, parted = 0.0, np.isfinite(steps)
    for step in np.unique(steps[parted]).astype(int):
        rests = [code[step - 1 :] for code in codes]
        rows = chosen[steps == step]
        pairs = rows[:, first] * len(codes) + rows[:, second]
        distinct, times = np.unique(pairs, return_counts=True)
        alike = cpdist(
            [rests[pair // len(codes)] for pair in distinct],
            [rests[pair % len(codes)] for pair in distinct],
            scorer=Levenshtein.normalized_similarity,
            dtype=np.float64,
        )
        total += float(alike @ times) / len(first)
    return total / int(parted.sum()) if parted.any() else None


def ends_in_loop(sequence: Sequence[Hashable], *, window: int = 12, max_period: int = 3) -> bool:
    """Whether the last ``window`` actions repeat a cycle of at most ``max_period`` actions.

    A run shorter than ``window`` does not.

    Raises
    ------
    UsageError
        Unless ``1 <= max_period < window``.

    Examples
    --------
    >>> ends_in_loop("xyz" + "ab" * 6), ends_in_loop("abcd" * 5)
    (True, False)
    """
    if not 1 <= max_period < window:
        raise UsageError(f"need 1 <= max_period < window; got {max_period} and {window}")
    tail = list(sequence[-window:])
    return len(tail) == window and any(
        tail[period:] == tail[:-period] for period in range(1, max_period + 1)
    )
