"""On the runs of Mehta 2026 the plots show the paper's figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from ethogram.cohort import Cohort
from ethogram.cohort.views import traces
from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.plots.cv_dots import cv_dots_data
from ethogram.plots.failure_modes import failure_modes_data
from ethogram.plots.plot import means_of
from ethogram.plots.ribbons import ribbons_data
from ethogram.plots.ribbons_text import ribbons_text
from ethogram.plots.task_accuracy import task_accuracy_data
from ethogram.reporting.build import build
from ethogram.reporting.render import render
from ethogram.results import Result

pytestmark = pytest.mark.shared

ROOT = Path(__file__).parents[2]
NAMES = {"claude": "claude", "openai": "gpt5", "meta-l": "llama"}


@pytest.fixture(scope="module")
def cohort(shared: Path) -> Cohort:
    mapping = ROOT / "examples" / "mappings" / "consistency_amplifies.toml"
    return read(shared / "data" / "consistency-amplifies", mapping=mapping)


@pytest.fixture(scope="module")
def result(cohort: Cohort) -> Result:
    return variance(cohort)


@pytest.fixture(scope="module")
def paper(shared: Path) -> dict[str, Any]:
    file = shared / "reference" / "seed_002_consistency_amplifies.json"
    return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_dots_are_the_printed_cvs(result: Result, paper: dict[str, Any]) -> None:
    rows = cv_dots_data(result).iter_rows(named=True)
    found = {(NAMES[row["system"][:6]], row["task"][-5:]): round(row["cv"], 1) for row in rows}

    assert found == {
        (system, task): value
        for system, tasks in paper["per_task_cv_percent"].items()
        for task, value in tasks.items()
    }


def test_diamonds_are_the_printed_means(result: Result, paper: dict[str, Any]) -> None:
    rows = means_of(result, "cv_actions_mean").iter_rows(named=True)

    assert {NAMES[row["system"][:6]]: round(row["value"], 1) for row in rows} == paper[
        "mean_cv_percent"
    ]


def test_cells_of_accuracy_are_the_printed_counts(result: Result, paper: dict[str, Any]) -> None:
    rows = task_accuracy_data(result).iter_rows(named=True)
    found = {(NAMES[row["system"][:6]], row["task"][-5:]): row["shown"] for row in rows}

    assert found == {
        (system, task): f"{solved}/5"
        for system, tasks in paper["resolved_by_task"].items()
        for task, solved in tasks.items()
    }


def test_parts_of_failures_are_the_printed_counts(result: Result, paper: dict[str, Any]) -> None:
    rows = failure_modes_data(result).iter_rows(named=True)
    printed = {"wrong_result": "WRONG_FIX", "empty_submission": "EMPTY_PATCH"}

    for row in rows:
        modes = paper["failure_modes"][NAMES[row["system"][:6]]]
        assert row["n_runs"] == modes[printed[row["mode"]]]


def test_ribbons_show_every_action(cohort: Cohort) -> None:
    shown = traces(cohort)

    assert ribbons_data(shown).height == 3649
    assert ribbons_text(shown, width=100).renderables


@pytest.mark.slow
def test_the_report_shows_all_ten_tasks(cohort: Cohort) -> None:
    html = render(build(cohort))

    assert html.count('class="task w') == 10
    # 12 of variance and ribbons, 7 of consistency, 2 of similarity, 1 of graphs
    assert html.count("<figure") == 22
    assert "150 runs · 10 tasks · 3 systems" in html
    assert len(html) < 3_000_000
