"""Side by side, and correlations within and between systems."""

import polars as pl
import pytest
from scipy import stats as scipy_stats

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.relation import BETWEEN
from ethogram.results.result import Result
from ethogram.simulate.build import repeats
from ethogram.trajectory import Trajectory


def system(
    name: str, lengths: dict[str, list[int]], wins: dict[str, int], **fields: float
) -> list[Trajectory]:
    return [
        made
        for task, counts in lengths.items()
        for made in repeats(
            [["x"] * n for n in counts],
            successes=[i < wins[task] for i in range(len(counts))],
            task=task,
            system=name,
            **fields,
        )
    ]


LENGTHS = {"t1": [8, 10, 12], "t2": [10, 10, 10], "t3": [5, 10, 15], "t4": [9, 10, 11]}
WINS = {"t1": 1, "t2": 3, "t3": 2, "t4": 0}


def measured() -> Result:
    doubled = {task: [2 * n for n in counts] for task, counts in LENGTHS.items() if task != "t4"}
    return variance(
        from_trajectories(
            [
                *system("a", LENGTHS, WINS, cost_usd=1.0),
                *system("b", doubled, {"t1": 0, "t2": 1, "t3": 1}, cost_usd=4.0),
                *system("c", {"t9": [3, 4]}, {"t9": 1}),
            ]
        )
    )


def row(result: Result, name: str) -> dict[str, float | None]:
    return result.to_frame("comparison").row(by_predicate=pl.col("system") == name, named=True)


def test_ratios_are_taken_on_the_tasks_shared_with_the_first_system() -> None:
    found = row(measured(), "b")

    assert found["n_tasks"] == 3
    assert found["actions"] == pytest.approx(20.0)
    assert found["actions_ratio"] == pytest.approx(2.0)
    assert found["accuracy_ratio"] == pytest.approx((2 / 9) / (6 / 9))
    assert found["cv_ratio"] == pytest.approx(1.0)
    assert found["cost_ratio"] == pytest.approx(4.0)
    assert found["duration"] is None


def test_a_system_that_shares_no_task_has_no_figures_side_by_side() -> None:
    found = row(measured(), "c")

    assert found["n_tasks"] == 0
    assert {found[name] for name in ("actions", "accuracy", "cv", "actions_ratio")} == {None}


def test_the_first_system_stands_on_all_its_tasks_with_ratios_of_one() -> None:
    found = row(measured(), "a")

    assert (found["n_tasks"], found["actions_ratio"], found["accuracy_ratio"]) == (4, 1.0, 1.0)


def test_correlation_within_a_system_is_scipys() -> None:
    result = measured()
    tasks = result.to_frame("tasks").filter(system="a")
    expected = scipy_stats.pearsonr(tasks["cv_actions"], tasks["accuracy"])

    found = result.to_frame("correlations").filter(scope="a").row(0, named=True)

    assert (found["value"], found["p_value"]) == pytest.approx(
        (expected.statistic, expected.pvalue)
    )
    assert found["n_tasks"] == 4


def test_two_systems_are_too_few_for_a_correlation_between_systems() -> None:
    found = measured().estimate("cv_accuracy_spearman", scope=BETWEEN)

    assert found.reason == "fewer than three pairs"


def test_three_systems_in_perfect_order_are_no_evidence() -> None:
    one = from_trajectories(
        [
            *system("a", {"t1": [10, 11]}, {"t1": 2}),
            *system("b", {"t1": [10, 14]}, {"t1": 1}),
            *system("c", {"t1": [10, 19]}, {"t1": 0}),
        ]
    )

    found = variance(one).to_frame("correlations").filter(scope=BETWEEN).row(0, named=True)

    assert found["value"] == pytest.approx(-1.0)
    assert found["p_value"] == pytest.approx(1 / 3)
