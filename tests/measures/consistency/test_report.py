"""What of consistency a report shows."""

import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import report
from ethogram.measures.consistency.report import consistency_for_report
from ethogram.simulate import simulate


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    return from_trajectories(simulate(n_tasks=12, n_runs=2), labeler=default_labeler())


def test_a_report_of_few_runs_holds_sensitivity_and_monitor(cohort: Cohort) -> None:
    found = consistency_for_report(cohort)

    assert {"sensitivity", "orderings", "monitor", "monitor_by_share"} <= set(found.tables)
    assert not any("not in this report" in note for note in found.notes)


def test_a_report_of_many_runs_names_the_command_that_makes_them(
    cohort: Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    """72 runs at two seconds each."""
    monkeypatch.setattr(report, "SECONDS_A_RUN", 2.0)
    found = consistency_for_report(cohort)

    assert not {"sensitivity", "monitor"} & set(found.tables)
    assert "for 72 runs that takes about 2 minutes" in found.notes[-1]
    assert "ethogram consistency COHORT --sensitivity --monitor" in found.notes[-1]
