from pathlib import Path
from typing import Any

import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import Report, from_trajectories, summary
from ethogram.ingest.closing import formats_result
from ethogram.ingest.outcomes import Joined
from ethogram.simulate.build import repeats, run
from ethogram.trajectory import Problem, Trajectory


def made(*trajectories: Trajectory) -> Cohort:
    return from_trajectories(trajectories)


def told(cohort: Cohort, **report: Any) -> tuple[str, ...]:
    values = {"cohort": cohort, "n_new": 0, "ignored": (), "outcomes": None, "roots": ()}
    return summary(cohort, Report(**{**values, **report})).notes


def table(cohort: Cohort, name: str) -> list[dict[str, Any]]:
    return summary(cohort).to_frame(name).to_dicts()


def test_the_first_sentence_counts_systems_tasks_and_repeats() -> None:
    cohort = made(*repeats([["a"]] * 3), run(["a"], task="t2", system="b"))

    assert summary(cohort).summary == (
        "4 runs: 2 systems, 2 tasks, 1 to 3 runs a task.",
        "Outcome known for 4 of 4 runs.",
        "Next: ethogram variance COHORT",
    )


def test_one_of_each_is_not_plural() -> None:
    assert summary(made(run(["a"], success=None)), target="'my runs'").summary == (
        "1 run: 1 system, 1 task, 1 run a task.",
        "Outcome known for 0 of 1 run; 1 without one.",
        "Next: ethogram report 'my runs'",
    )


def test_runs_of_no_known_task_are_repeats_of_nothing() -> None:
    cohort = made(*(run(["a"], task_id=None, trial=k) for k in range(3)), run(["a"]))
    (system,) = table(cohort, "systems")

    assert summary(cohort).summary[0] == (
        "4 runs: 1 system, 1 task, 1 run a task; 3 runs without a task."
    )
    assert summary(cohort).summary[-1] == "Next: ethogram report COHORT"
    assert (system["tasks"], system["repeats"], system["runs"]) == (1, "1", 4)
    assert table(cohort, "usable")[0]["usable"] == 0


def test_all_runs_may_be_of_no_known_task() -> None:
    cohort = made(run(["a"], task_id=None))

    assert (
        summary(cohort).summary[0]
        == "1 run: 1 system, 0 tasks, 0 runs a task; 1 run without a task."
    )
    assert table(cohort, "systems")[0]["tasks"] == 0


def test_no_run_is_a_sentence_too() -> None:
    result = summary(made())

    assert result.summary == ("No run was read.",)
    assert result.tables == {}


def test_what_is_missing_is_said_with_what_supplies_it() -> None:
    usable = {
        row["measure"]: row for row in table(made(run(["a"], success=None, cost_usd=1.0)), "usable")
    }

    assert usable["cost"] == {
        "measure": "cost", "usable": 1, "of": 1, "missing": None, "flag": None,
    }  # fmt: skip
    assert usable["accuracy, pass^k, flips"]["missing"] == "success"
    assert "--outcomes" in usable["accuracy, pass^k, flips"]["flag"]


def test_problems_of_one_kind_are_one_row() -> None:
    problems = (
        Problem(reason="runs/a.json: truncated after 17 bytes", source="a"),
        Problem(reason="runs/b.json: truncated after 4,711 bytes", source="b", count=2),
        Problem(reason="odd", severity="note"),
    )
    cohort = made(run(["a"], problems=problems))
    rows = table(cohort, "problems")

    assert [(row["severity"], row["count"], row["source"]) for row in rows] == [
        ("error", 3, "a"),
        ("note", 1, "python#0"),
    ]
    assert "3 problems: see the table." in summary(cohort).summary


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a/x1.log", "b/x22.log"], "2 files ignored, no format claims them: x*.log (2)."),
        (["a.txt"], "1 file ignored, no format claims it: a.txt (1)."),
        (
            [
                "0f8fad5b-d9cb-469f-a165-70867728950e.jsonl",
                "7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl",
            ],
            "*.jsonl (2)",
        ),
        (["astropy__astropy-12907.json", "x/scikit-learn__scikit-learn-1.json"], "*.json (2)"),
        (["a0b1c2d3e4.json", "ffffffff00.json", "facade.json"], "*.json (2), facade.json (1)"),
        (["x.tar::a/b/notes.md"], "notes.md (1)"),
        ([f"{chr(97 + n)}.md" for n in range(7)], " and 2 more patterns."),
    ],
)
def test_ignored_files_are_grouped_by_their_names(names: list[str], said: str) -> None:
    (note,) = told(made(run(["a"])), ignored=tuple(names))

    assert said in note


def test_files_that_may_be_reports_are_pointed_out_unless_there_are_outcomes() -> None:
    ignored = ("x/t-1/report.json", "x/t-2/report.json")
    (note,) = told(made(run(["a"])), ignored=ignored)

    assert "2 of them are called report.json: if they are SWE-bench reports" in note
    assert "report.json: if" not in told(made(run(["a"])), ignored=ignored, outcomes=Joined())[0]


def test_outcomes_without_partners_are_counted_and_the_first_named() -> None:
    joined = Joined(without_run=tuple(f"task_id {n}" for n in range(7)), without_row=("t1 in x",))

    assert told(made(run(["a"])), outcomes=joined) == (
        "Outcomes from elsewhere were joined to 0 runs.",
        "7 outcomes without a run that was read: task_id 0; task_id 1; task_id 2; task_id 3; "
        "task_id 4, and 2 more.",
        "1 run without a row in the outcomes: t1 in x.",
    )


def test_an_interrupted_read_is_said(tmp_path: Path) -> None:
    cohort = Cohort(**{**vars(made(run(["a"]))), "complete": False})

    assert summary(cohort).notes == (
        "The read was interrupted; the same command again goes on where it stopped.",
    )


def test_infrastructure_errors_are_counted_by_system() -> None:
    cohort = made(run(["a"]), run(["a"], trial=1, ending="infra_error", success=None))
    (system,) = table(cohort, "systems")

    assert (system["runs"], system["infra_errors"], system["with_outcome"]) == (2, 1, 1)


def test_every_format_is_listed_with_a_sentence() -> None:
    rows = formats_result().to_frame().to_dicts()

    assert "mini-swe-agent" in [row["name"] for row in rows]
    assert all(row["about"].endswith(".") for row in rows)
