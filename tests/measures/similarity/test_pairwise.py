"""Scores of pairs of runs by any function."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measures.similarity.runs_made import cohort_of

from ethogram.measures.similarity.pairwise import (
    Compare,
    n_comparisons,
    pairwise_scores,
    run_pairs,
)
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.simulate.build import run

Made: TypeAlias = tuple[str, str, int, int]
"""System, task, trial and item."""


def nearness(one: int, other: int) -> float | None:
    """Of two numbers; nothing is near 0."""
    return None if 0 in {one, other} else 1 / (1 + abs(one - other))


class Counted:
    """A comparison that remembers what it compared."""

    def __init__(self) -> None:
        self.pairs: list[tuple[int, int]] = []

    def __call__(self, one: int, other: int) -> float | None:
        self.pairs.append((one, other))
        return nearness(one, other)


def sample_with(runs: Sequence[Made]) -> tuple[Sample, list[int]]:
    """A sample and the item of each of its runs; runs are ``(system, task, trial, item)``."""
    items = {f"{system}/{task}/{trial}": item for system, task, trial, item in runs}
    cohort = cohort_of(
        run([], system=system, task=task, trial=trial) for system, task, trial, _ in runs
    )
    sample = sample_of(cohort)
    natives = dict(cohort.runs.select("run_id", "native_id").iter_rows())
    return sample, [items[natives[run_id]] for run_id in sample.runs["run_id"]]


def scores(
    runs: Sequence[Made], compare: Compare[int] = nearness, *, executor: Executor | None = None
) -> TaskScores:
    sample, items = sample_with(runs)
    return pairwise_scores("near", items, sample, compare, executor=executor)


def test_a_score_is_the_mean_over_pairs_of_runs_of_a_task() -> None:
    """a has 1 and 2, b has 3: nearness 1/3 and 1/2."""
    found = scores([("a", "t1", 0, 1), ("a", "t1", 1, 2), ("b", "t1", 0, 3), ("b", "t2", 0, 9)])

    assert found.values[0, 1].tolist() == pytest.approx([5 / 12, np.nan], nan_ok=True)
    assert found.values[1, 0].tolist() == pytest.approx([5 / 12, np.nan], nan_ok=True)
    assert found.repeats[0].tolist() == pytest.approx([1 / 2, np.nan], nan_ok=True)
    assert np.isnan(found.repeats[1]).all()
    assert found.runs is not None
    assert found.runs.tolist() == [[2, 0], [1, 1]]


def test_a_pair_that_can_not_be_compared_is_left_out() -> None:
    found = scores([("a", "t1", 0, 0), ("a", "t1", 1, 2), ("b", "t1", 0, 3)])

    assert found.values[0, 1, 0] == pytest.approx(1 / 2)


def test_where_no_pair_can_be_compared_there_is_no_score() -> None:
    assert np.isnan(scores([("a", "t1", 0, 0), ("b", "t1", 0, 0)]).values).all()


def test_other_tasks_of_a_system_are_a_floor() -> None:
    """Each of a's runs beside those at its task before: t1 with t3, t2 with t1, t3 with t2."""
    found = scores([("a", "t1", 0, 1), ("a", "t2", 0, 2), ("a", "t3", 0, 4), ("b", "t1", 0, 1)])

    assert found.unlike is not None
    assert found.unlike[0].tolist() == pytest.approx([1 / 4, 1 / 2, 1 / 3])
    assert np.isnan(found.unlike[1]).all()


def test_equal_items_are_compared_once() -> None:
    counted = Counted()
    runs = [(system, "t1", trial, 1 + trial) for system in "abc" for trial in range(2)]

    found = scores(runs, counted)
    sample, items = sample_with(runs)

    assert sorted(counted.pairs) == [(1, 1), (1, 2), (2, 2)]
    assert n_comparisons(items, sample) == 1
    assert found.values[0, 1, 0] == pytest.approx((1 + 1 + 1 / 2 + 1 / 2) / 4)


def test_pairs_are_of_one_task_and_of_no_run_with_itself() -> None:
    sample, _ = sample_with([("a", "t1", 0, 1), ("a", "t1", 1, 2), ("b", "t2", 0, 3),
                             ("b", "t1", 0, 3)])  # fmt: skip
    pairs = run_pairs(sample)

    assert sorted(map(tuple, pairs.same_task.tolist())) == [(0, 1), (0, 2), (1, 2)]
    # b's two tasks, each beside the other
    assert sorted(map(tuple, pairs.other_task.tolist())) == [(2, 3), (3, 2)]


RUNS = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.sampled_from(("t1", "t2")), st.integers(0, 2), st.integers(0, 3)
    ),
    unique_by=lambda each: each[:3],
    max_size=8,
).map(lambda runs: [*runs, ("y", "t1", 0, 1), ("z", "t1", 0, 2)])


def mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else np.nan


@settings(max_examples=40)
@given(RUNS)
def test_scores_are_those_of_a_plain_loop(runs: list[Made]) -> None:
    found = scores(runs)

    for i, one in enumerate(found.systems):
        for j, other in enumerate(found.systems):
            for number, task in enumerate(found.tasks):
                items = [
                    [item for system, where, _, item in runs
                     if (system, f"bench::{where}") == (name, task)]
                    for name in (one, other)
                ]  # fmt: skip
                if i != j:
                    expected = mean(nearness(a, b) for a in items[0] for b in items[1])
                    assert found.values[i, j, number] == pytest.approx(expected, nan_ok=True)


def test_workers_do_not_change_a_score() -> None:
    runs = [(system, "t1", trial, trial + ord(system)) for system in "abc" for trial in range(3)]
    with ThreadPoolExecutor(2) as executor:
        side_by_side = scores(runs, executor=executor)

    np.testing.assert_array_equal(side_by_side.values, scores(runs).values)
