"""Every figure of Mehta 2026 that the authors' data can give, to its printed digits."""

import json
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.measures.variance.pairs import FISHER, UNPAIRED
from ethogram.results.result import Result

MAPPING: Final = Path(__file__).parents[3] / "examples/mappings/consistency_amplifies.toml"
MODELS: Final = {
    "claude-sonnet-4-5-20250929": "claude",
    "openai-gpt-5": "gpt5",
    "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo": "llama",
}
SYSTEMS: Final = {short: system for system, short in MODELS.items()}

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[str, Any]:
    path = shared / "reference" / "seed_002_consistency_amplifies.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


@pytest.fixture(scope="module")
def cohort(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    folder = tmp_path_factory.mktemp("mehta") / "cohort"
    return read(shared / "data" / "consistency-amplifies", mapping=MAPPING, out=folder)


@pytest.fixture(scope="module")
def result(cohort: Cohort) -> Result:
    return variance(cohort)


@pytest.fixture(scope="module")
def tasks(result: Result) -> pl.DataFrame:
    """Rows a model and task, under the paper's short names."""
    return result.to_frame("tasks").with_columns(
        pl.col("system").replace_strict(MODELS),
        task=pl.col("task").str.extract(r"astropy-(\d+)"),
    )


def by_model_and_task(tasks: pl.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    return {
        model: dict(tasks.filter(system=model).select("task", column).iter_rows())
        for model in SYSTEMS
    }


def by_model(result: Result, name: str, digits: int) -> dict[str, float]:
    return {
        model: round(result.estimate(name, system=system).value or 0.0, digits)
        for model, system in SYSTEMS.items()
    }


def test_exact_figures(
    result: Result, tasks: pl.DataFrame, printed: dict[str, Any], cohort: Cohort
) -> None:
    """Whatever ``how_far_it_can_be_reproduced`` lists as exact and is computed from counts."""
    cvs = tasks.with_columns(pl.col("cv_actions").round(1))
    assert by_model_and_task(cvs, "cv_actions") == printed["per_task_cv_percent"]
    assert by_model(result, "cv_actions_mean", 1) == printed["mean_cv_percent"]
    assert by_model(result, "actions_mean", 1) == printed["mean_steps"]

    assert by_model_and_task(tasks, "successes") == printed["resolved_by_task"]
    resolved = tasks.group_by("system").agg(pl.col("successes").sum())
    assert dict(resolved.iter_rows()) == printed["resolved_runs"]
    submitted = tasks.group_by("system").agg(pl.col("n_submitted").sum())
    assert dict(submitted.iter_rows()) == printed["valid_patches"]

    unique = {
        model: 100 * share for model, share in by_model(result, "unique_sequences", 4).items()
    }
    assert unique == printed["unique_sequences_percent"]
    assert int(cohort.runs["n_actions"].sum()) == 3649

    modes = result.to_frame("failure_modes").with_columns(pl.col("system").replace_strict(MODELS))
    for model, expected in printed["failure_modes"].items():
        found = dict(modes.filter(system=model).select("mode", "n_runs").iter_rows())
        assert found == {
            "error": 0,
            "limit": 0,
            "loop": expected["LOOP_DEATH"],
            "empty_submission": expected["EMPTY_PATCH"],
            "wrong_result": expected["WRONG_FIX"],
        }


def test_first_commands_are_those_printed_once_refused_replies_are_skipped(
    result: Result, printed: dict[str, Any]
) -> None:
    firsts = result.to_frame("first_actions").with_columns(pl.col("system").replace_strict(MODELS))

    for model, expected in printed["first_action_percent"].items():
        found = dict(firsts.filter(system=model).select("head", "share").iter_rows())
        assert {head: round(100 * found.get(head, 0)) for head in expected} == expected
    begun_with_ls = firsts.filter(system="claude", head="ls")["accuracy"].item()
    assert round(100 * begun_with_ls) == 85


def test_accuracy_tests_on_runs_are_those_printed(result: Result, printed: dict[str, Any]) -> None:
    for pair, expected in printed["accuracy_fisher"].items():
        first, second = pair.split("_vs_")
        test, sign = one_test(result, "success_rate", FISHER, first, second)

        assert test.effect is not None
        assert test.effect**sign == pytest.approx(expected["odds_ratio"], rel=1e-3)
        assert test.p_value == pytest.approx(expected["p"], rel=0.03)
        assert test.note == "treats runs as independent, as Mehta 2026 does"


def test_paired_tests_of_cv_are_those_recomputed_from_the_data(
    result: Result, printed: dict[str, Any]
) -> None:
    """The printed t is the unpaired one read with 9 degrees of freedom; the note says so."""
    recomputed = printed["cv_tests_recomputed_from_the_data"]
    for pair, as_printed in printed["cv_tests_as_printed"].items():
        first, second = pair.split("_vs_")
        paired, sign = one_test(result, "cv_actions", "paired t", first, second)
        unpaired, _ = one_test(result, "cv_actions", UNPAIRED, first, second)
        expected = recomputed[pair]

        assert sign * (paired.statistic or 0) == pytest.approx(expected["t_paired"], abs=5e-4)
        assert paired.p_value == pytest.approx(expected["p_paired"], rel=0.02)
        assert paired.df == 9
        assert sign * (paired.effect or 0) == pytest.approx(expected["d_z"], abs=5e-4)
        assert sign * (unpaired.statistic or 0) == pytest.approx(expected["t_unpaired"], abs=5e-4)
        assert unpaired.p_value == pytest.approx(expected["p_unpaired_df18"], rel=0.03)
        assert unpaired.df == 18
        assert round(sign * (unpaired.statistic or 0), 2) == as_printed["t"]
        assert round(sign * (unpaired.effect or 0), 2) == as_printed["d"]
        assert "Mehta 2026 prints this t under the name of the paired test" in (unpaired.note or "")


def test_within_model_correlations_are_those_of_the_data(result: Result) -> None:
    """Claude's r is as printed; the data give +0.25 for GPT-5 (printed: -0.15), +0.23 for Llama."""
    found = {
        model: round(result.estimate("cv_accuracy_pearson", scope=system).value or 0.0, 2)
        for model, system in SYSTEMS.items()
    }

    assert found == {"claude": -0.10, "gpt5": 0.25, "llama": 0.23}


def test_costs_are_those_of_the_data(cohort: Cohort, result: Result) -> None:
    """The paper prints 1.50 dollars a run for Claude and 2.91 at most; the data hold others."""
    assert by_model(result, "cost_mean", 2) == {"claude": 2.78, "gpt5": 0.53, "llama": 0.11}
    assert round(max(cohort.runs["cost_usd"]), 2) == 5.92


def test_amplification_is_that_of_the_papers_third_table(result: Result) -> None:
    table = result.to_frame("amplification").filter(system=SYSTEMS["claude"])

    assert table.select("solved", "n_tasks", "n_runs", "successes").rows() == [
        ("always", 5, 25, 25),
        ("sometimes", 2, 10, 4),
        ("never", 3, 15, 0),
    ]
    assert by_model(result, "failed_runs_on_never_solved", 2)["claude"] == 0.71


def test_tasks_solved_at_least_once_are_those_of_the_reports(result: Result) -> None:
    """The text gives GPT-5 six of ten; the paper's own table by task, like the data, holds five."""
    assert by_model(result, "ceiling", 1) == {"claude": 0.7, "gpt5": 0.5, "llama": 0.2}


def test_speed_accuracy_and_consistency_stand_side_by_side(result: Result) -> None:
    """GPT-5 is 1.8 times less accurate and 2.1 times less steady than Claude, as printed.

    It is 4.6 times as fast: the printed 4.7 is the ratio of the rounded means, 46.1 / 9.9.
    """
    gpt5 = result.to_frame("comparison").row(
        by_predicate=pl.col("system") == SYSTEMS["gpt5"], named=True
    )

    assert round(1 / gpt5["actions_ratio"], 2) == 4.65
    assert round(46.1 / round(gpt5["actions"], 1), 1) == 4.7
    assert round(1 / gpt5["accuracy_ratio"], 1) == 1.8
    assert round(gpt5["cv_ratio"], 1) == 2.1


def test_refused_replies_are_actions(cohort: Cohort) -> None:
    """Without the 40 of them the mean CVs would be 15.3, 34.0 and 46.1."""
    refused = cohort.steps.filter(pl.col("action").str.starts_with("[ERROR]")).collect()

    assert refused.height == 40
    assert refused["action_index"].is_not_null().all()


def one_test(result: Result, name: str, method: str, first: str, second: str) -> tuple[Any, int]:
    """The test between two models and -1 if it has them the other way round."""
    names = (SYSTEMS[first], SYSTEMS[second])
    for test in result.tests(name=name, method=method):
        if (test.first, test.second) == names:
            return test, 1
        if (test.second, test.first) == names:
            return test, -1
    raise AssertionError(f"no {method} between {first} and {second}")
