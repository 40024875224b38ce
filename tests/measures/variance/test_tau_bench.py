"""Known figures of gpt-4o on tau-bench airline: 50 tasks, four runs each."""

from pathlib import Path

import pytest

from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.results.result import Result

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def result(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("tau") / "cohort"
    return variance(read(shared / "data" / "tau-bench", out=folder))


def test_pass_hat_k_is_the_published_one(result: Result) -> None:
    found = [result.estimate("pass_hat_k", k=str(k)).value or 0.0 for k in (1, 2, 3, 4)]

    assert [round(value, 3) for value in found] == [0.420, 0.273, 0.220, 0.200]


def test_flips_and_icc_are_those_known(result: Result) -> None:
    assert round(result.estimate("flip_rate").value or 0.0, 2) == 0.52
    assert round(result.estimate("icc1").value or 0.0, 4) == 0.4046


def test_tools_are_compared_where_there_is_no_shell(result: Result) -> None:
    assert result.provenance.parameters["alphabet"] == "tool"


def test_the_interval_over_tasks_is_wider_than_that_over_runs(result: Result) -> None:
    clustered, independent = (
        (estimate.high or 0) - (estimate.low or 0)
        for estimate in (result.estimate("accuracy"), result.estimate("accuracy_wilson"))
    )

    assert clustered > 1.3 * independent
