"""Which pairs of runs a judge is asked about: every one, or a draw where repeats make too many."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.sample import Sample
from ethogram.stats.arrays import IntArray

MAX_PAIRS: Final = 5


class RunPair(NamedTuple):
    """Two runs of one task, as places in the sample; the first one's system comes first."""

    task: int
    first: int
    second: int


def drawn_pairs(
    sample: Sample,
    *,
    max_pairs: int = MAX_PAIRS,
    seed: int = 0,
    reference: str | Sequence[str] | None = None,
    own_repeats: bool = False,
) -> list[RunPair]:
    """Pairs of runs of every two systems at every task that both ran.

    Parameters
    ----------
    sample : Sample
        The runs.
    max_pairs : int
        At most so many of two systems at one task, drawn without replacement where there are more.
    seed : int
        The same seed draws the same pairs, whatever the systems are called and whatever else is
        drawn.
    reference : str or sequence of str, optional
        Only pairs with this system, or with one of these.
    own_repeats : bool
        Pairs of runs of one system, too: how alike its repeats are.

    Raises
    ------
    UnknownNameError
        If no system is called as a reference.
    UsageError
        If ``max_pairs`` is less than 1.
    """
    if max_pairs < 1:
        raise UsageError(f"max_pairs must be 1 or more, got {max_pairs}")
    named = [reference] if isinstance(reference, str) else list(reference or ())
    for name in named:
        if name not in sample.systems:
            raise UnknownNameError("system", name, list(sample.systems))
    found = []
    for task, runs in enumerate(sample.by_task):
        for one, other in _systems(sample, named, own_repeats=own_repeats):
            here, there = (runs[sample.system[runs] == system] for system in (one, other))
            pairs = list(_upper(here) if one == other else product(here.tolist(), there.tolist()))
            found += [RunPair(task, *pair) for pair in _draw(sample, pairs, max_pairs, seed)]
    return found


def _systems(
    sample: Sample, references: Sequence[str], *, own_repeats: bool
) -> Iterator[tuple[int, int]]:
    for one, first in enumerate(sample.systems):
        for other in range(one if own_repeats else one + 1, len(sample.systems)):
            if not references or {first, sample.systems[other]} & set(references):
                yield one, other


def _upper(runs: IntArray) -> Iterator[tuple[int, int]]:
    first, second = np.triu_indices(len(runs), 1)
    yield from zip(runs[first].tolist(), runs[second].tolist(), strict=True)


def _draw(
    sample: Sample, pairs: list[tuple[int, int]], most: int, seed: int
) -> list[tuple[int, int]]:
    """Some of the pairs, by a generator that knows nothing but which runs they join."""
    if len(pairs) <= most:
        return pairs
    run_ids = sample.runs["run_id"]
    named = sorted(
        (tuple(sorted((run_ids[one], run_ids[other]))), (one, other)) for one, other in pairs
    )
    key = crc32("|".join("+".join(names) for names, _ in named).encode())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key,)))
    chosen = np.sort(rng.choice(len(named), size=most, replace=False))
    return [named[place][1] for place in chosen]
