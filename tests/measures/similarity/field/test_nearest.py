"""Nearest candidates: who is named, when, and how rarely without reason."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_scores_known import drawn_composite, reordered, scores_of

from ethogram.errors import UnknownNameError
from ethogram.measures.similarity.field.nearest import nearest_of, nearest_table
from ethogram.measures.similarity.task_scores import Composite, TaskScores
from ethogram.stats.arrays import FloatArray
from ethogram.stats.max_t import max_t
from ethogram.stats.significance import sign_flip_permutation

NAN = float("nan")


def toward(*candidates: Sequence[float] | FloatArray, name: str = "s_node") -> TaskScores:
    """Scores of system a to b, c, ... by task; other pairs are never read."""
    systems = "abcdefgh"[: len(candidates) + 1]
    n_pairs = len(systems) * (len(systems) - 1) // 2
    pairs = np.full((n_pairs, len(candidates[0])), NAN)
    pairs[: len(candidates)] = candidates
    return scores_of(pairs, systems, name)


def test_a_candidate_that_is_nearer_at_every_task_is_named() -> None:
    found = nearest_of(toward([0.9, 0.8, 0.7] * 3, [0.5, 0.3, 0.4] * 3, [0.1] * 9), "a")

    assert (found.nearest, found.runner_up, found.decision) == ("b", "c", "yes")
    assert found.difference == pytest.approx(0.4)
    assert found.similarity == pytest.approx(0.8)
    assert found.p_value == found.p_alone == 2 / 2**9
    assert found.because == (
        "nearer to b than to every other of 3 candidates, c included (+40.0 pp, adjusted "
        "p = 0.004): consistent with a common origin, no proof of one"
    )
    assert found.tasks_needed is None


def test_two_candidates_alone_are_a_two_sided_test() -> None:
    rng = np.random.default_rng(1)
    b, c = rng.random((2, 9))
    found = nearest_of(toward(b, c), "a")

    # the t statistic orders flips as their sums do
    assert found.p_value == pytest.approx(sign_flip_permutation(b - c).p_value)


def test_a_candidate_that_is_as_near_makes_it_a_no() -> None:
    rng = np.random.default_rng(2)
    b = rng.uniform(0.1, 0.9, 200)
    found = nearest_of(toward(b, b - rng.uniform(-0.01, 0.012, 200), b / 2), "a")
    same = nearest_of(toward(b, b, b / 2), "a")

    assert (found.decision, found.nearest) == ("no", "b")
    assert found.because.startswith("as near to c as to b, to within two points")
    assert (same.decision, same.p_value, same.difference) == ("no", 1, 0)
    few = nearest_of(toward(b[:19], b[:19] - 1e-6 * np.resize([1, -1], 19)), "a")
    assert (few.decision, few.n_tasks) == ("not enough data", 19)


def test_equal_scores_at_few_tasks_do_not_show_that_candidates_are_as_near() -> None:
    found = nearest_of(toward([0.5] * 20, [0.5] * 20), "a")

    assert (found.decision, found.tasks_needed) == ("not enough data", None)


def test_a_difference_that_more_tasks_would_settle() -> None:
    rng = np.random.default_rng(3)
    b = rng.random(30)
    scores = toward(b, np.clip(b - rng.normal(0.08, 0.4, 30), 0, 1))
    found = nearest_of(scores, "a")

    assert found.decision == "not enough data"
    # (critical + 0.84)^2 se^2 / d^2 times the tasks; the critical t of a single difference
    differences = scores.values[0, 1] - scores.values[0, 2]
    error = differences.std(ddof=1) / np.sqrt(30)
    factor = (max_t(differences[None, :]).critical + 0.8416) * error / found.difference
    assert found.tasks_needed == pytest.approx(30 * factor**2, abs=1)
    assert found.because.startswith("b looks nearest, but c can't be told from it")


def test_no_number_of_tasks_is_named_for_a_difference_of_nothing() -> None:
    b = np.resize([0.1, 0.7, 0.4], 30)
    found = nearest_of(toward(b, np.roll(b, 1)), "a")

    assert (found.decision, found.tasks_needed) == ("not enough data", None)


def test_the_answer_hangs_on_the_candidate_that_is_hardest_to_tell_apart() -> None:
    rng = np.random.default_rng(4)
    b = np.full(40, 0.8)
    steady, noisy = b - rng.uniform(0.05, 0.15, 40), rng.choice([0, 1], 40, p=[0.35, 0.65])
    found = nearest_of(toward(b, steady, noisy), "a")

    assert found.runner_up == "d"
    assert found.p_value is not None
    assert found.p_alone is not None
    assert found.p_value >= found.p_alone


def test_candidates_need_six_shared_tasks() -> None:
    few = [0.5] * 5 + [NAN] * 5
    found = nearest_of(toward(few, few), "a")
    one = nearest_of(toward(few, [0.5] * 10), "a")
    apart = nearest_of(toward([0.9] * 6 + [NAN] * 6, [NAN] * 6 + [0.2] * 6), "a")

    assert (
        found.because == one.because == "fewer than two candidates have scores with it at 6 tasks"
    )
    assert (found.n_candidates, one.n_candidates) == (0, 1)
    assert apart.because == "fewer than 6 tasks have scores with both b and c"
    assert {found.decision, one.decision, apart.decision} == {"not enough data"}


def test_sentences_name_systems_without_what_all_names_share() -> None:
    scores = replace(toward([0.9] * 8, [0.1] * 8), systems=("x/a", "x/b", "x/c"))
    found = nearest_of(scores, "x/a")

    assert found.nearest == "x/b"
    assert found.because.startswith("nearer to b than to every other of 2 candidates, c included")


def test_a_measure_without_values_gives_its_own_reason() -> None:
    nothing = scores_of(np.full((3, 8), NAN), reason="no success")

    assert nearest_of(nothing, "a").because == "no success"


def test_an_unknown_system_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        nearest_of(toward([1.0], [1.0]), "z")


@settings(max_examples=15)
@given(st.integers(0, 99), st.permutations(range(4)), st.permutations(range(11)))
def test_the_order_of_systems_and_tasks_changes_nothing(
    seed: int, systems: list[int], tasks: list[int]
) -> None:
    ags = drawn_composite(np.random.default_rng(seed), 4, 11)
    moved = Composite("ags", tuple(reordered(part, systems, tasks) for part in ags.parts))
    one, other = (
        nearest_table([each]).frame.sort("system").drop("measure") for each in (ags, moved)
    )

    for column in one.columns:
        first, second = one[column].to_list(), other[column].to_list()
        if one.schema[column] == pl.Float64:
            first, second = (
                [NAN if value is None else value for value in values] for values in (first, second)
            )
            assert first == pytest.approx(second, nan_ok=True), column
        else:
            assert first == second, column


def test_a_composite_is_tested_by_its_own_means() -> None:
    rng = np.random.default_rng(5)
    parts = []
    for name in ("s_node", "s_seq", "s_dep"):
        b = rng.uniform(0.5, 1, 40)
        c = b - rng.uniform(0.1, 0.3, 40)
        c[: {"s_node": 20}.get(name, 2)] = NAN
        parts.append(toward(b, c, name=name))
    found = nearest_of(Composite("ags", tuple(parts)), "a")
    expected = np.mean([np.nanmean(part.values[0, 1] - part.values[0, 2]) for part in parts])

    assert found.decision == "yes"
    assert found.difference == pytest.approx(expected)
    assert found.n_tasks == 38


@pytest.mark.slow
@pytest.mark.parametrize("n_tasks", [8, 24])
def test_of_three_exchangeable_candidates_none_is_named_too_often(n_tasks: int) -> None:
    """By a single measure and by a composite with a part at half of the tasks."""
    rng, studies = np.random.default_rng(6), 400
    named = {"s_node": 0, "ags": 0}
    for _ in range(studies):
        parts = []
        for name in ("s_node", "s_seq", "s_dep"):
            scores = np.round(rng.random(n_tasks) * rng.random((3, n_tasks)), 1)
            if name == "s_node" and n_tasks > 12:
                scores[:, n_tasks // 2 :] = NAN
            parts.append(toward(*scores, name=name))
        for measure in (parts[0], Composite("ags", tuple(parts))):
            named[measure.name] += nearest_of(measure, "a", rng=rng).decision == "yes"

    assert max(named.values()) / studies <= 0.05
