"""Tests between systems, against scipy and on the tasks that both ran."""

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from ethogram.measures.variance.pairs import FISHER, MAIN, QUESTIONS, UNPAIRED, paired_tests
from ethogram.results.estimate import Test
from ethogram.results.numbers import show_number

FIRST = {"t1": (20.0, 4), "t2": (14.0, 3), "t3": (27.0, 1), "t4": (9.0, 5), "t5": (14.5, 0)}
SECOND = {"t1": (31.0, 2), "t2": (67.0, 0), "t3": (35.0, 1), "t4": (20.0, 3), "t6": (39.0, 5)}
SHARED = ("t1", "t2", "t3", "t4")


def tasks(**systems: dict[str, tuple[float, int]]) -> pl.DataFrame:
    """A row a system and task from its CV and its successes in five runs."""
    return pl.DataFrame(
        [
            {
                "system": system,
                "task": task,
                "cv_actions": cv,
                "actions_mean": cv / 2,
                "divergence": 1 + cv / 10,
                "accuracy": wins / 5,
                "successes": wins,
                "n_labelled": 5,
                "n_runs": 5,
            }
            for system, rows in systems.items()
            for task, (cv, wins) in rows.items()
        ]
    )


def one(name: str, method: str, tests: list[Test]) -> Test:
    (found,) = [test for test in tests if (test.name, test.method) == (name, method)]
    return found


@pytest.fixture
def tests() -> list[Test]:
    return paired_tests(tasks(a=FIRST, b=SECOND), ["a", "b"], seed=0)


def values(side: dict[str, tuple[float, int]], place: int) -> list[float]:
    return [side[task][place] for task in SHARED]


def test_only_shared_tasks_are_compared(tests: list[Test]) -> None:
    test = one("cv_actions", "paired t", tests)

    assert (test.n_tasks, test.n_runs) == (4, 40)
    assert test.difference == pytest.approx(np.mean(values(FIRST, 0)) - np.mean(values(SECOND, 0)))


def test_paired_t_is_scipys(tests: list[Test]) -> None:
    expected = scipy_stats.ttest_rel(values(FIRST, 0), values(SECOND, 0))
    test = one("cv_actions", "paired t", tests)

    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.effect_name == "Cohen's d_z"


def test_unpaired_t_is_scipys_and_says_what_is_wrong_with_it(tests: list[Test]) -> None:
    expected = scipy_stats.ttest_ind(values(FIRST, 0), values(SECOND, 0))
    test = one("cv_actions", UNPAIRED, tests)

    assert (test.statistic, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert "for different tasks" in (test.note or "")


def test_wilcoxon_is_scipys(tests: list[Test]) -> None:
    expected = scipy_stats.wilcoxon(values(FIRST, 0), values(SECOND, 0))

    assert one("cv_actions", "Wilcoxon signed-rank", tests).p_value == pytest.approx(
        expected.pvalue
    )


def test_the_main_test_is_the_permutation_of_success_rates_by_task(tests: list[Test]) -> None:
    expected = scipy_stats.permutation_test(
        (values(FIRST, 1), values(SECOND, 1)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=10_000,
    )
    test = one("success_rate", MAIN, tests)

    assert test.main
    assert test.p_value == pytest.approx(expected.pvalue)
    assert [t.method for t in tests if t.name == "success_rate" and t.main] == [MAIN]


def test_mcnemar_counts_tasks_that_most_runs_solve(tests: list[Test]) -> None:
    """Majorities: a solves t1, t2, t4; b solves t4: two disagree, both for a."""
    test = one("success_rate", "McNemar on majorities", tests)

    assert (test.statistic, test.p_value) == (2.0, 0.5)


def test_fisher_counts_runs_of_shared_tasks(tests: list[Test]) -> None:
    expected = scipy_stats.fisher_exact(np.array([[13, 7], [6, 14]]))
    test = one("success_rate", FISHER, tests)

    assert (test.effect, test.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_swapping_the_systems_turns_the_difference_round() -> None:
    there = paired_tests(tasks(a=FIRST, b=SECOND), ["a", "b"], seed=0)
    back = paired_tests(tasks(a=FIRST, b=SECOND), ["b", "a"], seed=0)

    for one_way, other_way in zip(there, back, strict=True):
        assert (one_way.name, one_way.method) == (other_way.name, other_way.method)
        assert one_way.difference == pytest.approx(-(other_way.difference or 0))
        assert one_way.p_value == pytest.approx(other_way.p_value)


def test_p_values_are_adjusted_over_the_pairs_of_a_question_and_method() -> None:
    third = {task: (cv + 30, wins) for task, (cv, wins) in FIRST.items()}
    tests = paired_tests(tasks(a=FIRST, b=SECOND, c=third), ["a", "b", "c"], seed=0)
    family = [t for t in tests if (t.name, t.method) == ("cv_actions", MAIN)]

    raw = sorted(t.p_value or 0 for t in family)
    adjusted = sorted(t.p_adjusted or 0 for t in family)

    assert len(family) == 3
    assert adjusted[0] == pytest.approx(3 * raw[0])
    assert adjusted[1] == pytest.approx(max(adjusted[0], 2 * raw[1]))


def test_systems_without_a_task_in_common_get_reasons() -> None:
    tests = paired_tests(tasks(a={"t1": (1.0, 1)}, b={"t2": (1.0, 1)}), ["a", "b"], seed=0)

    assert {test.reason for test in tests} == {"no task in common"}
    assert {test.n_tasks for test in tests} == {0}


def test_too_large_a_k_is_not_called_a_lack_of_shared_tasks() -> None:
    frame = tasks(a=FIRST, b=SECOND).with_columns(divergence=pl.lit(None, dtype=pl.Float64))
    too_many, enough = (paired_tests(frame, ["a", "b"], seed=0, k=k) for k in (9, 5))

    assert one("divergence", MAIN, too_many).reason == "no task has 9 runs"
    assert one("divergence", MAIN, enough).reason == (
        "no task where both have 5 or more runs that part"
    )
    assert one("cv_actions", MAIN, too_many).n_tasks == 4


def test_shared_tasks_without_an_outcome_are_said_to_lack_it() -> None:
    frame = tasks(a=FIRST, b=SECOND).with_columns(accuracy=pl.lit(None, dtype=pl.Float64))
    tests = paired_tests(frame, ["a", "b"], seed=0)

    assert {test.reason for test in tests if test.name == "success_rate"} == {
        "no task where both have a run with a known outcome"
    }


def test_what_a_test_wrongly_supposes_stands_in_its_name(tests: list[Test]) -> None:
    methods = {test.method for test in tests}

    assert "Fisher's exact on runs (as if independent)" in methods
    assert "unpaired t (as Mehta 2026 printed it)" in methods


def test_a_difference_of_cvs_is_shown_in_percentage_points(tests: list[Test]) -> None:
    test = one("cv_actions", MAIN, tests)

    assert show_number(test.difference, test.unit) == "-20.8 pp"


def test_a_value_that_one_side_lacks_drops_the_task_for_that_question_only() -> None:
    frame = tasks(a=FIRST, b=SECOND).with_columns(
        cv_actions=pl.when((pl.col("system") == "a") & (pl.col("task") == "t1"))
        .then(None)
        .otherwise("cv_actions")
    )
    tests = paired_tests(frame, ["a", "b"], seed=0)

    assert one("cv_actions", MAIN, tests).n_tasks == 3
    assert one("success_rate", MAIN, tests).n_tasks == 4


def test_equal_systems_are_no_error() -> None:
    tests = paired_tests(tasks(a=FIRST, b=FIRST), ["a", "b"], seed=0)

    assert one("cv_actions", MAIN, tests).p_value == 1.0
    assert one("cv_actions", "paired t", tests).reason == "all differences are equal"


def test_one_system_has_nobody_to_be_tested_against() -> None:
    assert paired_tests(tasks(a=FIRST), ["a"], seed=0) == []


def test_every_question_has_one_main_test() -> None:
    for question in QUESTIONS:
        assert [p.method for p in question.procedures].count(MAIN) == 1
