"""Divergence by class sizes against the definition, applied to every subset."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.stats.prefixes import Sequences, divergence, refine, subset_share, unique_share


def sequences(*groups: list[list[int]]) -> Sequences:
    runs = [run for group in groups for run in group]
    return Sequences(
        codes=np.array([code for run in runs for code in run], dtype=np.int64),
        lengths=np.array([len(run) for run in runs], dtype=np.int64),
        groups=np.repeat(np.arange(len(groups)), [len(group) for group in groups]),
        n_groups=len(groups),
    )


def step_by_definition(runs: tuple[list[int], ...]) -> float:
    """First position, from 1, at which not all runs show the same symbol; an end is a symbol."""
    for position in range(max(map(len, runs)) + 1):
        shown = {run[position] if position < len(run) else None for run in runs}
        if len(shown) > 1:
            return position + 1
    return np.inf


GROUP = st.lists(st.lists(st.integers(0, 1), max_size=4), min_size=2, max_size=6)


@given(st.lists(GROUP, min_size=1, max_size=3), st.integers(2, 4))
def test_divergence_equals_its_definition_over_all_subsets(
    groups: list[list[list[int]]], k: int
) -> None:
    found = divergence(sequences(*groups), k)

    for index, group in enumerate(groups):
        if len(group) < k:
            assert np.isnan(found.never[index])
            assert np.isnan(found.by_step[index]).all()
            continue
        steps = np.array([step_by_definition(subset) for subset in combinations(group, k)])
        finite = steps[np.isfinite(steps)]
        assert found.never[index] == pytest.approx(np.mean(np.isinf(steps)), abs=1e-9)
        for by in range(1, 6):
            assert found.by_step[index, by - 1] == pytest.approx(np.mean(steps <= by), abs=1e-9)
        if len(finite):
            assert found.mean[index] == pytest.approx(finite.mean(), abs=1e-9)
        else:
            assert np.isnan(found.mean[index])


@given(GROUP, st.integers(1, 4))
def test_unique_share_equals_its_definition_over_all_subsets(
    group: list[list[int]], k: int
) -> None:
    found = unique_share(sequences(group), k)[0]

    if len(group) < k:
        assert np.isnan(found)
        return
    shares = [
        np.mean([subset.count(run) == 1 for run in subset]) for subset in combinations(group, k)
    ]
    assert found == pytest.approx(np.mean(shares), abs=1e-9)


def test_a_run_that_ended_differs_from_one_that_goes_on() -> None:
    found = divergence(sequences([[1, 2], [1, 2, 3]]), 2)

    assert found.mean.tolist() == [3.0]
    assert found.never.tolist() == [0.0]


def test_runs_without_any_symbol_are_equal_to_each_other() -> None:
    found = divergence(sequences([[], []], [[], [1]]), 2)

    assert found.never.tolist() == [1.0, 0.0]
    assert np.isnan(found.mean[0])
    assert found.mean[1] == 1.0
    assert unique_share(sequences([[], []], [[], [1]]), 2).tolist() == [0.0, 1.0]


def test_a_group_of_one_has_no_divergence() -> None:
    found = divergence(sequences([[1, 2]]), 2)

    assert np.isnan(found.never[0])
    assert np.isnan(found.mean[0])


def test_the_order_of_runs_does_not_matter() -> None:
    group = [[0, 1], [0, 1, 1], [1], [0, 1]]

    there = divergence(sequences(group), 3)
    back = divergence(sequences(group[::-1]), 3)

    assert there.mean.tolist() == back.mean.tolist()
    assert there.by_step.tolist() == back.by_step.tolist()


def test_levels_end_when_nothing_can_split() -> None:
    levels = list(refine(sequences([[0, 1, 1, 1], [0, 2, 1, 1]])))

    assert [level.depth for level in levels] == [0, 1]


def test_subset_share_is_a_ratio_of_binomials() -> None:
    found = subset_share(np.array([4, 5, 1]), np.array([5, 5, 1]), 2)

    assert found[:2] == pytest.approx([0.6, 1.0])
    assert np.isnan(found[2])


def test_lengths_must_add_up() -> None:
    with pytest.raises(ValueError, match="add up to 3"):
        Sequences(np.array([1]), np.array([3]), np.array([0]), 1)


def test_k_below_two_is_refused() -> None:
    with pytest.raises(ValueError, match="k must be 2 or more, got 1"):
        divergence(sequences([[1], [2]]), 1)
