"""Figures of success: by hand, against scipy, and what a missing outcome does not do."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.simulate.build import run

Outcomes = dict[str, list[bool | None]]


def measured(outcomes: Outcomes, *, k: int | None = None) -> Result:
    return variance(
        from_trajectories(
            run(["x"], task=task, trial=trial, success=success)
            for task, successes in outcomes.items()
            for trial, success in enumerate(successes)
        ),
        k=k,
    )


FOUR: Outcomes = {
    "t1": [True, True],
    "t2": [True, False],
    "t3": [False, False],
    "t4": [False, False],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 3 / 8),
        ("flip_rate", 1 / 4),
        ("tasks_always", 1 / 4),
        ("tasks_sometimes", 1 / 4),
        ("tasks_never", 1 / 2),
        ("ceiling", 1 / 2),
        ("failed_runs_on_never_solved", 4 / 5),
    ],
)
def test_figures_by_hand(name: str, expected: float) -> None:
    assert measured(FOUR).estimate(name, system="a").value == pytest.approx(expected)


def test_icc_by_hand() -> None:
    """Means 1, 1/2, 0, 0: MSB = 11/24, MSW = 1/8, n = 2."""
    expected = (11 / 24 - 1 / 8) / (11 / 24 + 1 / 8)

    assert measured(FOUR).estimate("icc1", system="a").value == pytest.approx(expected)


def test_pass_at_k_and_pass_hat_k_by_hand() -> None:
    result = measured({"t1": [True, True, False], "t2": [False, False, False]})

    def value(name: str, k: int) -> float | None:
        return result.estimate(name, system="a", k=str(k)).value

    assert [value("pass_at_k", k) for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 2, 1 / 2])
    assert [value("pass_hat_k", k) for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 6, 0])


TASKS = st.lists(st.lists(st.booleans(), min_size=2, max_size=5), min_size=1, max_size=5)


@settings(deadline=None, max_examples=25)
@given(TASKS)
def test_flip_rate_is_the_share_of_subsets_that_disagree(tasks: list[list[bool]]) -> None:
    k = min(map(len, tasks))
    shares = [np.mean([len(set(s)) > 1 for s in combinations(runs, k)]) for runs in tasks]

    found = measured({f"t{i}": list(runs) for i, runs in enumerate(tasks)})

    assert found.estimate("flip_rate", system="a").value == pytest.approx(np.mean(shares))


@settings(deadline=None, max_examples=25)
@given(TASKS)
def test_always_sometimes_and_never_add_up(tasks: list[list[bool]]) -> None:
    result = measured({f"t{i}": list(runs) for i, runs in enumerate(tasks)})
    get = {
        name: result.estimate(f"tasks_{name}", system="a").value or 0.0
        for name in ("always", "sometimes", "never")
    }

    assert sum(get.values()) == pytest.approx(1.0)
    assert result.estimate("ceiling", system="a").value == pytest.approx(1 - get["never"])
    assert result.to_frame("amplification")["n_tasks"].sum() == len(tasks)


def test_a_missing_outcome_is_no_failure_and_is_counted() -> None:
    result = measured({"t1": [True, None, True], "t2": [True, None, None]})

    accuracy = result.estimate("accuracy", system="a")
    assert (accuracy.value, accuracy.n_runs, accuracy.n_excluded) == (1.0, 3, 3)
    assert any(note.endswith("can supply them): a 3 of 6 runs.") for note in result.notes)
    solved = result.to_frame("tasks")["solved"].to_list()
    assert solved == ["always", None]


def test_without_any_outcome_figures_say_why_there_are_none() -> None:
    result = measured({"t1": [None, None]})

    for name in ("accuracy", "accuracy_wilson"):
        assert result.estimate(name, system="a").reason == "no run has a known outcome"
    assert (
        result.estimate("flip_rate", system="a").reason
        == "no task has two or more runs with an outcome"
    )
    assert result.estimate("cv_actions_mean", system="a").value == 0.0


def test_single_runs_give_an_accuracy_and_no_flips() -> None:
    result = measured({f"t{i}": [i % 2 == 0] for i in range(8)})

    accuracy = result.estimate("accuracy", system="a")
    assert accuracy.value == 0.5
    assert accuracy.low is not None
    for name in ("flip_rate", "tasks_never", "ceiling", "failed_runs_on_never_solved"):
        reason = result.estimate(name, system="a").reason
        assert reason == "no task has two or more runs with an outcome"
    assert any(n.startswith("No task has two or more runs of one system") for n in result.notes)


def test_wilson_is_the_interval_of_independent_runs() -> None:
    outcomes: Outcomes = {f"t{i}": [i < 5] * 5 for i in range(10)}
    found = measured(outcomes).estimate("accuracy_wilson", system="a")
    expected = binomtest(25, 50).proportion_ci(method="wilson")

    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "Wilson"


def test_repeats_of_hard_and_easy_tasks_are_no_independent_evidence() -> None:
    """Tasks that are all or nothing: the interval over tasks must be the wider one."""
    outcomes: Outcomes = {f"t{i}": [i < 5] * 5 for i in range(10)}
    result = measured(outcomes)
    clustered, independent = (
        result.estimate(name, system="a") for name in ("accuracy", "accuracy_wilson")
    )

    assert (clustered.high or 0) - (clustered.low or 0) > (
        (independent.high or 0) - (independent.low or 0)
    )


def with_infra(n_infra: int) -> Result:
    good = [run(["x"], task=f"t{i}", success=i % 2 == 0) for i in range(40)]
    bad = [
        run([], task=f"t{i}", trial=9, success=False, ending="infra_error") for i in range(n_infra)
    ]
    return variance(from_trajectories([*good, *bad]))


def test_many_infrastructure_errors_put_a_second_accuracy_beside_the_first() -> None:
    result = with_infra(10)

    assert result.estimate("accuracy", system="a").value == 0.5
    second = result.estimate("accuracy_infra_as_failures", system="a")
    assert (second.value, second.n_tasks, second.n_runs) == (20 / 50, 40, 50)
    assert any(
        n.startswith("a: 10 runs (20.0 %) left out of every figure (infrastructure error)")
        and "beside the accuracy" in n
        for n in result.notes
    )


def test_infrastructure_errors_without_any_outcome_are_no_accuracy_of_zero() -> None:
    unknown = [run(["x"], task=f"t{i}", success=None) for i in range(3)]
    result = variance(from_trajectories([*unknown, run([], task="t9", ending="infra_error")]))
    found = result.estimate("accuracy_infra_as_failures", system="a")

    assert (found.value, found.reason) == (None, "no run has a known outcome")


def test_few_infrastructure_errors_are_only_counted() -> None:
    names = with_infra(0).to_frame("systems")["name"].to_list()

    assert "accuracy_infra_as_failures" not in names


def test_nothing_submitted_differs_from_nothing_recorded() -> None:
    runs = [
        run(["x"], trial=0, submission="diff"),
        run(["x"], trial=1, submission=""),
        run(["x"], trial=2),
    ]
    found = variance(from_trajectories(runs)).estimate("nonempty_submissions", system="a")

    assert (found.value, found.n_runs, found.n_excluded) == (0.5, 2, 1)


def test_no_failed_run_leaves_the_share_of_failures_undefined() -> None:
    found = measured({"t1": [True, True]}).estimate("failed_runs_on_never_solved", system="a")

    assert (found.value, found.reason) == (None, "no run failed")


def test_many_runs_show_the_first_ten_numbers_of_runs_and_the_common_one() -> None:
    result = measured({"t1": [True] * 15, "t2": [False] * 15})

    ks = result.to_frame("pass_k")["k"].unique().cast(int).sort().to_list()

    assert ks == [*range(1, 11), 15]
