"""Every fit that the figures need: the observed one, the one with success offset, the nulls."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.measures.consistency.attribution import Attribution, OffsetOf, attribute
from ethogram.measures.consistency.folds import FOLDS
from ethogram.measures.consistency.sample import Sample
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray
from ethogram.stats.parallel import spawn_seeds

MAX_RUNS: Final = 10_000
"""Runs that refits work on, unless all are asked for."""
N_PERMUTATIONS: Final = {"none": 0, "quick": 5, "all": 99}
"""By ``controls``."""
MIN_PERMUTATIONS_P: Final = 99
"""From so many permutations on a p value says something."""
LONG: Final = 120.0
"""Seconds from which the time is worth a warning."""

Say = Callable[[str], None]


def nothing(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Shuffled:
    """Attributions of one kind, of the outcomes as they are and in a random order.

    Attributes
    ----------
    observed : ndarray of shape (n_runs, n_features)
        With the true outcomes.
    nulls : sequence of ndarray
        With outcomes shuffled within systems, one a permutation.
    """

    observed: FloatArray
    nulls: Sequence[FloatArray]


@dataclass(frozen=True)
class Evidence:
    """Attributions under each condition.

    Attributes
    ----------
    sample : Sample
        All runs.
    observed, offset : Attribution
        Of all runs; the second beyond each system's success rate.
    null_sample : Sample
        The runs that permutations work on: all, or a balanced subsample.
    shuffled : mapping of str to Shuffled
        Attributions of those, raw ("") and with success offset ("_offset"); the same permutations
        under both. Empty without permutations.
    """

    sample: Sample
    observed: Attribution
    offset: Attribution
    null_sample: Sample
    shuffled: Mapping[str, Shuffled]

    @property
    def n_permutations(self) -> int:
        """How often outcomes were shuffled."""
        return len(self.shuffled[""].nulls) if self.shuffled else 0


def success_offset(systems: IntArray, success: BoolArray, asked: IntArray) -> FloatArray:
    """Log-odds of success of each system on the training fold; 0 for one that is not there.

    ``log((s + 1/2) / (n - s + 1/2))`` of s successes in n runs.

    >>> success_offset(np.array([0, 0]), np.array([True, True]), np.array([0, 1])).round(3).tolist()
    [1.609, 0.0]
    """
    n_systems = int(max(systems.max(initial=0), asked.max(initial=0))) + 1
    n = np.bincount(systems, minlength=n_systems)
    won = np.bincount(systems, weights=success.astype(np.float64), minlength=n_systems)
    odds: FloatArray = np.log((won + 0.5) / (n - won + 0.5))[asked]
    return odds


OFFSETS: Final[Mapping[str, OffsetOf | None]] = {"": None, "_offset": success_offset}
"""What is taken as known, by the end of a figure's name."""


def shuffled_within(sample: Sample, *, rng: np.random.Generator) -> BoolArray:
    """Outcomes in a random order within each system, whose rate stays what it is."""
    labels = sample.success.copy()
    for number in range(len(sample.systems)):
        own = sample.system == number
        labels[own] = rng.permutation(labels[own])
    return labels


def balanced(sample: Sample, n_runs: int, *, rng: np.random.Generator) -> BoolArray:
    """About ``n_runs`` runs, as many of each system as it has, whole tasks drawn at random."""
    kept = np.zeros(len(sample.success), dtype=np.bool_)
    left = n_runs
    sizes = np.bincount(sample.system)
    for place, number in enumerate(np.argsort(sizes, kind="stable")):
        share = left // (len(sizes) - place)
        own = np.flatnonzero(sample.system == number)
        tasks, where = np.unique(sample.task[own], return_inverse=True)
        rank = rng.permutation(len(tasks))[where]
        order = np.argsort(rank, kind="stable")
        until = np.searchsorted(np.sort(rank), rank[order][: share + 1][-1], side="left")
        chosen = own if len(own) <= share else own[order][:until]
        kept[chosen] = True
        left -= len(chosen)
    return kept


def gather(  # noqa: PLR0913  how many fits, of what, where
    sample: Sample,
    *,
    folds: str,
    seed: int,
    n_permutations: int,
    max_runs: int | None = MAX_RUNS,
    n_later: int = 0,
    executor: Executor | None = None,
    say: Say = nothing,
    clock: Callable[[], float] = time.monotonic,
) -> Evidence:
    """Fit the observed predictor, the one with success offset and both with permuted outcomes.

    The first fit tells how long all will take, with ``n_later`` more that the caller has in mind;
    ``say`` is told where that is over two minutes.
    """
    numbers = FOLDS[folds](sample, seed=seed)
    start = clock()
    observed = attribute(sample, numbers, seed=seed, executor=executor)
    seconds = clock() - start
    rng = np.random.default_rng(spawn_seeds(seed, 1)[0])
    kept = np.ones(len(sample.success), dtype=np.bool_)
    if n_permutations and max_runs is not None and len(sample.success) > max_runs:
        kept = balanced(sample, max_runs, rng=rng)
    n_more = 1 + n_later + 2 * n_permutations
    expected = seconds * (n_more - 2 * n_permutations * (1 - float(kept.mean())))
    if expected > LONG:
        fits = "fit takes" if n_more == 1 else "fits take"
        say(f"consistency: {n_more} more {fits} about {expected / 60:.0f} minutes")
    offset = attribute(sample, numbers, seed=seed, offset=success_offset, executor=executor)
    if not n_permutations:
        return Evidence(sample, observed, offset, sample, {})
    part, part_folds = sample, numbers
    both = {"": observed.values, "_offset": offset.values}
    if not kept.all():
        part = sample.restrict(kept)
        part_folds = FOLDS[folds](part, seed=seed)
        both = {
            variant: attribute(
                part, part_folds, seed=seed, offset=offset_of, executor=executor
            ).values
            for variant, offset_of in OFFSETS.items()
        }
    labels = [shuffled_within(part, rng=rng) for _ in range(n_permutations)]
    shuffled = {
        variant: Shuffled(
            both[variant],
            [
                attribute(
                    part, part_folds, seed=seed, labels=each, offset=offset_of, executor=executor
                ).values
                for each in labels
            ],
        )
        for variant, offset_of in OFFSETS.items()
    }
    return Evidence(sample, observed, offset, part, shuffled)


def z_scores(features: FloatArray) -> FloatArray:
    """Features in units of their spread over all runs; 0 where one is constant or not known.

    >>> z_scores(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    known = ~np.isnan(features)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, features, 0.0).sum(axis=0) / n
    centred = np.where(known, features - mean, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / n)
    usable = spread > 1e-12 * np.maximum(1.0, np.abs(mean))
    return np.where(usable, centred / np.where(usable, spread, 1.0), 0.0)
