"""Where sequences part and how alike they stay, against the definitions written as loops."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.repeats import k_subsets
from ethogram.stats.sequences import (
    coherence_after_divergence,
    divergence_step,
    edit_similarity,
    encode,
    ends_in_loop,
    mean_pairwise_similarity,
    pairwise_divergence,
)

Run = list[str]
RUN = st.lists(st.sampled_from(["explore", "edit", "verify"]), max_size=6)
RUNS = st.lists(RUN, min_size=2, max_size=5)


def step_by_definition(runs: list[Run]) -> int | None:
    for position in range(max(map(len, runs)) + 1):
        if len({run[position] if position < len(run) else None for run in runs}) > 1:
            return position + 1
    return None


def distance_by_definition(first: Run, second: Run) -> int:
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(second, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (one != other))
    return row[-1]


def similarity_by_definition(first: Run, second: Run) -> float:
    return 1 - distance_by_definition(first, second) / max(1, len(first), len(second))


def coherence_by_definition(runs: list[Run]) -> float | None:
    step = step_by_definition(runs)
    if step is None:
        return None
    rests = [run[step - 1 :] for run in runs]
    return float(np.mean([similarity_by_definition(*pair) for pair in combinations(rests, 2)]))


@given(RUNS)
def test_divergence_is_the_first_position_that_not_all_share(runs: list[Run]) -> None:
    assert divergence_step(runs) == step_by_definition(runs)


@given(RUNS)
def test_divergence_of_pairs_gives_that_of_every_subset(runs: list[Run]) -> None:
    table = pairwise_divergence(runs)

    assert np.array_equal(table, table.T)
    for size in range(2, len(runs) + 1):
        for subset in combinations(range(len(runs)), size):
            expected = step_by_definition([runs[index] for index in subset])
            found = table[subset[0], list(subset[1:])].min()
            assert found == (np.inf if expected is None else expected)


@given(RUNS, st.permutations(["read", "write", "test"]))
def test_names_and_order_of_runs_do_not_matter(runs: list[Run], names: list[str]) -> None:
    renamed = dict(zip(["explore", "edit", "verify"], names, strict=True))
    changed = [[renamed[symbol] for symbol in run] for run in reversed(runs)]

    assert divergence_step(changed) == divergence_step(runs)
    assert mean_pairwise_similarity(changed) == pytest.approx(mean_pairwise_similarity(runs))
    assert coherence_after_divergence(changed) == (
        None
        if divergence_step(runs) is None
        else pytest.approx(coherence_after_divergence(runs), abs=1e-12)
    )


def test_long_common_starts_are_found() -> None:
    start = ["a", "b", "c"] * 700

    assert divergence_step([[*start, "x", "y"], [*start, "x", "z"], [*start, "x", "y"]]) == 2102
    assert divergence_step([start, [*start, "x"]]) == 2101


@given(RUN, RUN)
def test_edit_similarity_equals_its_definition_and_is_symmetric(first: Run, second: Run) -> None:
    found = edit_similarity(first, second)

    assert found == pytest.approx(similarity_by_definition(first, second))
    assert found == edit_similarity(second, first)
    assert 0 <= found <= 1
    assert (found == 1) == (first == second)


@given(RUNS)
def test_mean_similarity_is_that_of_all_pairs(runs: list[Run]) -> None:
    assert mean_pairwise_similarity(runs) == pytest.approx(
        np.mean([similarity_by_definition(*pair) for pair in combinations(runs, 2)])
    )


@given(RUNS)
def test_coherence_equals_its_definition(runs: list[Run]) -> None:
    expected = coherence_by_definition(runs)
    found = coherence_after_divergence(runs)

    assert found == (None if expected is None else pytest.approx(expected))


@given(RUNS, st.integers(2, 3))
def test_coherence_over_subsets_is_the_mean_over_those_that_part(runs: list[Run], k: int) -> None:
    k = min(k, len(runs))
    subsets = k_subsets(len(runs), k, rng=0)
    parts = [coherence_by_definition([runs[index] for index in subset]) for subset in subsets]
    expected = [part for part in parts if part is not None]
    found = coherence_after_divergence(runs, subsets=subsets)

    assert found == (pytest.approx(np.mean(expected)) if expected else None)


def test_by_hand_on_four_runs() -> None:
    """They part at 2. From there bb, bb, b and nothing: 1, 1/2, 1/2 and three times 0 = 2 / 6."""
    assert divergence_step(["abb", "abb", "ab", "a"]) == 2
    assert coherence_after_divergence(["abb", "abb", "ab", "a"]) == pytest.approx(1 / 3)


def test_one_run_can_not_be_compared() -> None:
    for function in (
        divergence_step,
        mean_pairwise_similarity,
        coherence_after_divergence,
    ):
        with pytest.raises(NotEnoughDataError, match="two or more runs; got 1"):
            function(["abc"])


def test_many_distinct_symbols_keep_apart() -> None:
    """More than fit below the surrogates, and symbols of any hashable type."""
    first, second = list(range(70_000)), [*range(69_999), ("other",)]

    assert divergence_step([first, second]) == 70_000
    assert edit_similarity(first, second) == pytest.approx(1 - 1 / 70_000)


def test_too_many_distinct_symbols_are_refused() -> None:
    with pytest.raises(UsageError, match="distinct symbols"):
        encode([range(0x110000 + 1)])


@pytest.mark.parametrize(
    ("run", "loops"),
    [
        pytest.param("x" * 12, True, id="one-action"),
        pytest.param("start" + "ab" * 6, True, id="two-in-turn"),
        pytest.param("abc" * 4, True, id="three-in-turn"),
        pytest.param("q" + "bc" + "abc" * 4, True, id="cycle-cut-at-the-front"),
        pytest.param("abcd" * 3, False, id="four-in-turn"),
        pytest.param("x" * 11, False, id="too-short"),
        pytest.param("y" + "x" * 11, False, id="began-too-late"),
        pytest.param("x" * 20 + "y", False, id="got-out"),
        pytest.param("", False, id="empty"),
    ],
)
def test_a_run_ends_in_a_loop_if_its_last_twelve_actions_repeat(run: str, loops: bool) -> None:
    assert ends_in_loop(run) is loops
    assert ends_in_loop(list(run)) is loops


def test_window_and_period_can_be_chosen() -> None:
    assert ends_in_loop("abcdabcd", window=8, max_period=4)
    with pytest.raises(UsageError):
        ends_in_loop("aaaa", window=3, max_period=3)
    with pytest.raises(UsageError):
        ends_in_loop("aaaa", max_period=0)
