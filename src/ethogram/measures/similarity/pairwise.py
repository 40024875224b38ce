"""Scores of pairs of runs by any function of two runs: the baselines."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.stats.arrays import FloatArray, IntArray
from ethogram.stats.parallel import parallel_map

Item = TypeVar("Item", bound=Hashable)
Compare = Callable[[Item, Item], float | None]
"""Symmetric; None where the two can't be compared."""


@dataclass(frozen=True)
class RunPairs:
    """Which runs are compared: places in the sample, a pair a row, shape (n, 2)."""

    same_task: IntArray
    other_task: IntArray
    """Runs of one system: each with those at the system's next task."""


def run_pairs(sample: Sample) -> RunPairs:
    """Pair the runs of each task, and each system's runs of neighbouring tasks."""
    same = [_upper(runs) for runs in sample.by_task]
    other = []
    for number in range(len(sample.systems)):
        own = [runs[sample.system[runs] == number] for runs in sample.by_task]
        own = [runs for runs in own if len(runs)]
        if len(own) > 1:
            other += [_product(runs, own[place - 1]) for place, runs in enumerate(own)]
    return RunPairs(_stack(same), _stack(other))


def pairwise_scores(  # noqa: PLR0913  what is compared, how, and what it is called
    name: str,
    items: Sequence[Item],
    sample: Sample,
    compare: Compare[Item],
    *,
    label: str = "",
    about: str = "",
    executor: Executor | None = None,
) -> TaskScores:
    """Mean over pairs of runs, at each task, of a similarity of two runs.

    Two items are compared once, however many pairs of runs they stand for: repeats and systems that
    do the same cost nothing.

    Parameters
    ----------
    name, label, about : str
        As in `TaskScores`.
    items : sequence of hashable
        What stands for each run, in the order of the sample's runs.
    sample : Sample
        The runs.
    compare : callable
        Similarity of two items, 0 to 1; None: not defined for these two, which leaves the pair of
        runs out.
    executor : concurrent.futures.Executor, optional
        Compares side by side.

    Notes
    -----
    ``unlike`` compares a system's runs at each task with those at its next task in order of names,
    not with all others: enough for a mean over tasks, at the cost of one more comparison a run.
    """
    codes, kinds = _encode(items)
    pairs = run_pairs(sample)
    found = _compared(codes, kinds, pairs, compare, executor)
    system, n_tasks = sample.system, len(sample.tasks)
    shape = (len(sample.systems), len(sample.systems), n_tasks)
    first, second = pairs.same_task.T
    places = np.stack([system[first], system[second], sample.task[first]])
    values = _means(places, found[: len(first)], shape)
    unlike_places = np.stack([system[pairs.other_task[:, 0]], sample.task[pairs.other_task[:, 0]]])
    diagonal = np.arange(shape[0])
    repeats = values[diagonal, diagonal].copy()
    return TaskScores(
        name=name,
        systems=sample.systems,
        tasks=sample.tasks,
        values=values,
        repeats=repeats,
        unlike=_means(unlike_places, found[len(first) :], (shape[0], n_tasks)),
        runs=sample.n_runs,
        label=label,
        about=about,
    )


def n_comparisons(items: Sequence[Item], sample: Sample) -> int:
    """How many pairs of different items `pairwise_scores` compares."""
    codes, _ = _encode(items)
    pairs = run_pairs(sample)
    ends = np.sort(codes[np.concatenate([pairs.same_task, pairs.other_task])], axis=1)
    return len(np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0))


def _encode(items: Sequence[Item]) -> tuple[IntArray, list[Item]]:
    numbers: dict[Item, int] = {}
    codes = [numbers.setdefault(item, len(numbers)) for item in items]
    return np.array(codes, dtype=np.int64), list(numbers)


def _compared(
    codes: IntArray,
    kinds: Sequence[Item],
    pairs: RunPairs,
    compare: Compare[Item],
    executor: Executor | None,
) -> FloatArray:
    """The similarity of every pair of runs, in order; NaN where it isn't defined."""
    ends = np.sort(codes[np.concatenate([pairs.same_task, pairs.other_task])], axis=1)
    different, place = np.unique(ends, axis=0, return_inverse=True)
    items = [(kinds[first], kinds[second]) for first, second in different]
    found = parallel_map(partial(_apply, compare), items, executor=executor)
    known = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    return known[place.reshape(-1)] if len(known) else known


def _apply(compare: Compare[Item], pair: tuple[Item, Item]) -> float | None:
    return compare(*pair)


def _means(places: IntArray, found: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Mean of what was found by place; symmetric in the first two axes where there are three."""
    if len(shape) == 3:
        mirrored = places[:, places[0] != places[1]][[1, 0, 2]]
        found = np.concatenate([found, found[places[0] != places[1]]])
        places = np.concatenate([places, mirrored], axis=1)
    kept = ~np.isnan(found)
    cell = np.ravel_multi_index(tuple(places[:, kept]), shape)
    size = int(np.prod(shape))
    sums = np.bincount(cell, weights=found[kept], minlength=size)
    with np.errstate(invalid="ignore"):
        return (sums / np.bincount(cell, minlength=size)).reshape(shape)


def _upper(runs: IntArray) -> IntArray:
    first, second = np.triu_indices(len(runs), k=1)
    return np.stack([runs[first], runs[second]], axis=1)


def _product(first: IntArray, second: IntArray) -> IntArray:
    return np.stack([np.repeat(first, len(second)), np.tile(second, len(first))], axis=1)


def _stack(parts: Sequence[IntArray]) -> IntArray:
    return np.concatenate([np.zeros((0, 2), dtype=np.int64), *parts])
