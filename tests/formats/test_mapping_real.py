"""The mapping for the runs of Mehta (2026) gives the numbers that the paper prints."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean, stdev

import pytest
from mapping_files import EXAMPLES

from ethogram.formats.base import Probe, Source
from ethogram.formats.mapping import load_mapping
from ethogram.trajectory import Trajectory

pytestmark = pytest.mark.shared

MAPPING = load_mapping(EXAMPLES / "consistency_amplifies.toml")
NAMES = {
    "claude": "claude-sonnet-4-5-20250929",
    "gpt5": "openai-gpt-5",
    "llama": "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo",
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data/consistency-amplifies"


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[Trajectory]:
    found = []
    for path in sorted(folder.rglob("*.json")):
        source = Source(str(path), path)
        if MAPPING.sniff(Probe(source)):
            found += list(MAPPING.read(source))
    assert all(isinstance(run, Trajectory) for run in found)
    return [run for run in found if isinstance(run, Trajectory)]


def test_150_runs_with_3649_steps_of_which_40_were_refused(runs: list[Trajectory]) -> None:
    assert len(runs) == 150
    assert sum(len(run.actions) for run in runs) == 3649
    assert sum(event.refused for run in runs for event in run.actions) == 40
    assert all(run.recorded_actions == len(run.actions) for run in runs)
    assert [problem for run in runs for problem in run.problems] == []


def test_each_system_has_ten_tasks_with_the_trials_one_to_five(runs: list[Trajectory]) -> None:
    trials: dict[tuple[str | None, str | None], list[int | None]] = defaultdict(list)
    for run in runs:
        trials[run.system.name, run.task.task_id].append(run.trial)

    assert Counter(system for system, _ in trials) == dict.fromkeys(NAMES.values(), 10)
    assert set(map(tuple, trials.values())) == {(1, 2, 3, 4, 5)}
    assert {run.system.model == run.system.name for run in runs} == {True}


def test_the_cv_of_every_task_is_the_printed_one(runs: list[Trajectory], shared: Path) -> None:
    reference = json.loads((shared / "reference/seed_002_consistency_amplifies.json").read_text())
    counts: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
    for run in runs:
        counts[run.system.name, run.task.task_id].append(len(run.actions))

    found = {
        short: {
            task: round(
                100
                * stdev(counts[name, f"astropy__astropy-{task}"])
                / mean(counts[name, f"astropy__astropy-{task}"]),
                1,
            )
            for task in reference["per_task_cv_percent"][short]
        }
        for short, name in NAMES.items()
    }

    assert found == reference["per_task_cv_percent"]


def test_submissions_and_endings(runs: list[Trajectory], shared: Path) -> None:
    reference = json.loads((shared / "reference/seed_002_consistency_amplifies.json").read_text())
    handed_in = Counter(run.system.name for run in runs if run.submission)

    assert {short: handed_in[name] for short, name in NAMES.items()} == reference["valid_patches"]
    assert {(run.outcome.ending, run.outcome.success) for run in runs} == {("completed", None)}


def test_a_task_is_the_same_task_for_every_system(runs: list[Trajectory]) -> None:
    digests = defaultdict(set)
    for run in runs:
        digests[run.task.task_id].add(run.task.digest)

    assert {len(found) for found in digests.values()} == {1}
    assert {run.task.cluster for run in runs} == {"astropy/astropy"}


def test_costs_and_durations_are_recorded(runs: list[Trajectory]) -> None:
    claude = [run.usage.cost_usd or 0 for run in runs if run.system.name == NAMES["claude"]]

    assert (round(mean(claude), 2), round(max(claude), 2)) == (2.78, 5.92)
    assert all((run.usage.duration_s or 0) > 0 for run in runs)


def test_every_report_is_about_five_runs_of_a_system(folder: Path) -> None:
    (template,) = MAPPING.outcomes
    found = [template.match(str(path)) for path in sorted(folder.glob("*.json"))]

    assert [fields for fields in found if fields is None] == []
    assert Counter(fields["system"] for fields in found if fields) == dict.fromkeys(
        NAMES.values(), 5
    )
