"""Do the failed runs of a task aim at one thing? Grouped by a judge whose answers are known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.variance.failure_judge import FailureJudge, cohort_of, failing, marked

from ethogram.measures.variance import variance
from ethogram.measures.variance.failed_runs import FailedRun
from ethogram.measures.variance.goals import TaskGoals, ask_goals
from ethogram.measures.variance.questioning import Questioning
from ethogram.results.answers import Goal, GoalGroups, GroupOfItem
from ethogram.results.result import Result

STEADY = [marked("II", "warn", "a"), marked("II", "warn", "b"), marked("II", "warn", "c")]
TASKS: dict[str, list[str | None]] = {
    "steady": list(STEADY),
    "clumsy": [marked("EE", "mend"), marked("EE", "mend")],
    "mixed": [marked("II", "warn"), marked("II", "hide")],
    "lucky": [marked("II", "warn"), marked("II", "warn"), "ok"],
    "once": [marked("II", "warn"), "ok"],
    "hushed": [marked("II", "warn"), marked("II", "x"), marked("II", "warn")],
}


def measured(tasks: dict[str, list[str | None]], judge: FailureJudge | None = None) -> Result:
    return variance(cohort_of(failing(tasks)), judge=judge or FailureJudge())


def column(found: Result, name: str) -> dict[str, Any]:
    frame = found.to_frame("goals")
    tasks = [task.removeprefix("bench::") for task in frame["task"]]
    return dict(zip(tasks, frame[name], strict=True))


@pytest.fixture(scope="module")
def result() -> Result:
    return measured(TASKS)


def test_one_goal_in_all_failed_runs_is_consistent_wrong(result: Result) -> None:
    """Unknown where a run's goal is missing and the others are one; a single failure is no row."""
    assert column(result, "consistent_wrong") == {
        "clumsy": True,
        "hushed": None,
        "lucky": True,
        "mixed": False,
        "steady": True,
    }
    assert column(result, "n_groups") == {
        "clumsy": 1,
        "hushed": 1,
        "lucky": 1,
        "mixed": 2,
        "steady": 1,
    }


def test_the_same_misreading_again_and_again_needs_all_three(result: Result) -> None:
    """Never solved, one goal, and all of them interpretation errors."""
    assert column(result, "consistent_wrong_interpretation") == {
        "clumsy": False,
        "hushed": None,
        "lucky": False,
        "mixed": False,
        "steady": True,
    }


def test_shares_over_tasks_and_runs_by_hand(result: Result) -> None:
    """Tasks 3 of 4; runs 3 of 3 + 2 + 2 + 2 + 1, hushed unknown."""
    tasks = result.estimate("consistent_wrong_tasks", system="ours")
    runs = result.estimate("consistent_wrong_interpretation", system="ours")

    assert (tasks.value, tasks.n_tasks, tasks.n_runs) == (0.75, 4, 9)
    assert runs.value == pytest.approx(0.3)
    assert (runs.n_tasks, runs.n_runs) == (5, 10)


def test_beside_the_judge_stands_what_equal_lines_say(result: Result) -> None:
    assert column(result, "equal_submissions") == {
        "clumsy": True,
        "hushed": False,
        "lucky": True,
        "mixed": False,
        "steady": False,
    }
    assert column(result, "n_submissions")["steady"] == 3
    assert result.estimate("equal_submissions_tasks", system="ours").value == pytest.approx(2 / 5)


def test_lines_are_equal_whatever_stands_around_them() -> None:
    one = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x <II warn>\n+y"
    other = "--- f\n+++ f\n@@ -7,2 +7,2 @@\n a\n-x <II warn>\n+y  \n"
    found = measured({"t": [one, other]})

    assert column(found, "equal_submissions") == {"t": True}


def test_goals_are_grouped_in_both_orders() -> None:
    judge = FailureJudge()
    measured({"t": [marked("II", "a"), marked("II", "b"), marked("II", "x")], "u": ["ok"]}, judge)

    assert [question.parts for question in judge.of("same_goals")] == [
        {"task": "Mend the clock.", "items": ("a", "b")},
        {"task": "Mend the clock.", "items": ("b", "a")},
    ]


def first_alone(question: Any) -> GoalGroups:
    """A judge with a bias: what stands first is a goal of its own."""
    n = len(question.parts["items"])
    return GoalGroups(tuple(GroupOfItem(item, 1 + (item > 1)) for item in range(1, n + 1)))


def test_a_judge_that_minds_the_order_is_found_out() -> None:
    """Of runs 1, 2, 3 it says 1 | 23 and 12 | 3: of three pairs one is the same in both."""
    found = measured({"steady": list(STEADY)}, FailureJudge(grouping=first_alone))

    assert column(found, "consistent_wrong") == {"steady": False}
    assert found.estimate("exact", comparison="two orders, goals").value == pytest.approx(1 / 3)
    assert found.estimate("kappa", comparison="two orders, goals").value == pytest.approx(-0.5)
    assert found.to_frame("interpretations")["goal_group"].to_list() == [1, 2, 2]


def in_order_alone(other: GoalGroups | None) -> FailureJudge:
    """A judge that puts all goals into one group, and says something else of the opposite order."""
    one = GoalGroups((GroupOfItem(1, 1), GroupOfItem(2, 1)))
    return FailureJudge(grouping=lambda q: one if q.parts["items"] == ("warn", "hide") else other)


TWO: dict[str, list[str | None]] = {"t": [marked("II", "warn"), marked("II", "hide")]}


def test_where_the_orders_disagree_the_task_counts_by_halves() -> None:
    found = measured(TWO, in_order_alone(GoalGroups((GroupOfItem(1, 1), GroupOfItem(2, 2)))))

    assert column(found, "consistent_wrong") == {"t": None}
    assert column(found, "n_groups") == {"t": 1}
    assert column(found, "n_groups_reversed") == {"t": 2}
    assert found.estimate("consistent_wrong_tasks", system="ours").value == 0.5
    assert found.estimate("consistent_wrong_interpretation", system="ours").reason == (
        "submissions or answers are missing, or orders disagree, on every task that could show it"
    )


def test_without_an_answer_in_one_order_nothing_is_said() -> None:
    found = measured(TWO, in_order_alone(None))

    assert column(found, "consistent_wrong") == {"t": None}
    assert found.estimate("consistent_wrong_tasks", system="ours").reason == (
        "the judge grouped the goals of no task"
    )
    assert "which goals are the same 1 of 2" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param("", False, id="handed in nothing"),
        pytest.param(None, None, id="not recorded"),
        pytest.param(marked("IE", "warn"), False, id="orders disagree"),
        pytest.param(marked("Ix", "warn"), None, id="no answer"),
        pytest.param(marked("EE", "warn"), False, id="an execution error"),
    ],
)
def test_one_other_run_undoes_a_consistent_misreading(
    other: str | None, expected: bool | None
) -> None:
    found = measured({"t": [*STEADY, other]})

    assert column(found, "consistent_wrong_interpretation") == {"t": expected}


def test_systems_are_grouped_apart() -> None:
    judge = FailureJudge()
    goals = {"ours": "warn", "theirs": "hide"}
    runs = [failing({"t": [marked("II", goal)] * 2}, name) for name, goal in goals.items()]
    found = variance(cohort_of(*runs), judge=judge)

    assert found.to_frame("goals")["consistent_wrong"].to_list() == [True, True]
    assert len(judge.of("same_goals")) == 4


def runs_of(submissions: list[str]) -> list[FailedRun]:
    return [
        FailedRun(group=0, system="s", task="t", run_id=f"r{n}", trial=n, submission=submission)
        for n, submission in enumerate(submissions)
    ]


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=7))
def test_a_judge_that_minds_no_order_groups_alike_in_both(goals: list[str]) -> None:
    judge = FailureJudge(reading=lambda question: Goal(str(question.parts["submission"])))
    (task,) = ask_goals(runs_of(goals), Questioning(judge))

    assert task.goals == tuple(goals)
    assert task.given == task.reversed
    assert task.one_group == float(len(set(goals)) == 1)


def test_one_run_alone_is_not_consistent() -> None:
    task = TaskGoals(tuple(runs_of(["x"])), ("a",))

    assert (task.one_group, task.consistent_wrong, task.equal_submissions) == (None, None, None)
