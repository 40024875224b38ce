from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import Report, default_labeler, from_trajectories, summary
from ethogram.ingest.closing import TABLES, formats_result
from ethogram.ingest.outcomes import Joined
from ethogram.simulate.build import action, repeats, run
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

    assert result.summary == (
        "No run was read. Next: see `ethogram formats` for what is read; for logs of your own, "
        'write a mapping and name it with --mapping FILE (how-to "Map your own logs").',
    )
    assert result.tables == {}


def test_a_forced_format_or_a_condition_is_the_reason_for_no_run() -> None:
    (forced,) = summary(made(), forced="swe-agent").summary
    (none_fits,) = summary(made(run(["a"])).filter("not success")).summary

    assert "no file is of the format 'swe-agent' that --format asks for" in forced
    assert none_fits == "No run is left: none fits the condition."


def test_a_mapping_that_no_file_is_like_is_the_reason_for_no_run() -> None:
    (said,) = summary(made(), mapping="shop.toml").summary

    assert said.startswith("No run was read: no file is as the mapping shop.toml says. Next: ")
    assert "write a mapping" not in said


def test_where_problems_say_why_no_run_was_read_nothing_else_is_advised() -> None:
    problems = made(run(["a"], problems=(Problem(reason="odd"),))).problems
    broken = replace(made(), problems=problems)

    assert summary(broken, forced="swe-agent", mapping="shop.toml").summary == (
        "No run was read.",
        "1 problem: see the table.",
    )


def test_files_that_need_the_same_options_again_are_read_into_a_cohort_first() -> None:
    assert summary(made(run(["a"])), target=None).summary[-1] == (
        "Next: read with the same options and -o COHORT, then ethogram report COHORT"
    )


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


def test_a_summary_has_no_table_that_is_not_listed() -> None:
    cohort = made(run(["a"], problems=(Problem(reason="odd", severity="note"),)))

    assert tuple(summary(cohort).tables) == TABLES


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


def test_runs_that_the_infrastructure_ended_are_of_no_use_even_with_an_outcome() -> None:
    cohort = made(
        run(["a"]),
        run(["a"], trial=1, ending="infra_error", success=True),
        run(["a"], trial=2, success=None),
    )
    (system,) = table(cohort, "systems")
    usable = {row["measure"]: (row["usable"], row["of"]) for row in table(cohort, "usable")}

    assert (system["with_outcome"], system["successes"]) == (1, 1)
    assert usable["accuracy, pass^k, flips"] == (1, 2)
    assert usable["variance of actions"] == (2, 2)
    assert summary(cohort).summary[1] == (
        "Outcome known for 1 of 3 runs; 1 without one; 1 left out, ended by the infrastructure."
    )


def test_a_run_whose_only_repeat_the_infrastructure_ended_has_no_repeat() -> None:
    cohort = made(run(["a"]), run(["a"], trial=1, ending="infra_error"))

    assert table(cohort, "usable")[0]["usable"] == 0
    assert summary(cohort).summary[-1] == "Next: ethogram report COHORT"


@pytest.mark.parametrize(
    ("format_name", "costs", "said"),
    [
        ("swe-agent", (None, None), "not recorded by swe-agent"),
        ("swe-agent", (None, 1.0), "not recorded in some runs of swe-agent"),
        ("my-logs", (None, 1.0), "a mapping that names the field"),
    ],
)
def test_a_mapping_is_named_only_where_it_could_supply_the_field(
    format_name: str, costs: tuple[float | None, ...], said: str
) -> None:
    runs = [run(["a"], trial=n, cost_usd=cost) for n, cost in enumerate(costs)]
    cohort = from_trajectories(runs, format_name=format_name)

    assert {row["measure"]: row["flag"] for row in table(cohort, "usable")}["cost"] == said


def test_all_systems_are_shown_beside_the_other_tables() -> None:
    text = str(summary(made(*(run(["a"], system=f"lab/{n:02d}x") for n in range(20)))))

    assert all(f"{n:02d}x" in text for n in range(20))


def test_problems_are_wrapped_and_not_split() -> None:
    reason = "word " * 40
    problems = (Problem(reason=reason, source="a/" * 40), Problem(reason="odd", severity="note"))
    text = str(summary(made(run(["a"], problems=problems))))

    assert text.count("severity") == 1
    assert text.count("word") == 40


def test_paths_are_named_by_their_ends() -> None:
    joined = Joined(
        without_run=("source /data/a/b/c/d/1.json",),
        without_row=("t1 in runs.tar::x/y/z/t1.json", "lab/t2 in b.json"),
    )

    assert told(made(run(["a"])), outcomes=joined)[1:] == (
        "1 outcome without a run that was read: source …/c/d/1.json.",
        "2 runs without a row in the outcomes: t1 in …/y/z/t1.json; lab/t2 in b.json.",
    )


def labelled(*actions: Any) -> tuple[str, ...]:
    return summary(from_trajectories([run(actions)], labeler=default_labeler())).notes


def call(tool: str) -> Any:
    return action(None, tool=tool, arguments="{}", arguments_state="object")


def test_guessed_effects_are_said_with_their_tools_and_the_flag() -> None:
    known = [call("get_flight_status")]
    guessed = [call("fetch_passport"), *[call("list_tickets")] * 2]

    assert labelled(*known, *guessed, call("frob_it")) == (
        "3 of 5 actions have a guessed effect (list_tickets, fetch_passport; by their first word) "
        "and 1 none (frob_it): say what they do with --effects FILE.",
    )
    assert labelled(*known, call("frob_it")) == (
        "1 of 2 actions has no effect (frob_it): say what they do with --effects FILE.",
    )


def test_commands_that_no_table_knows_are_said_with_the_flag() -> None:
    assert labelled("ls", "frobnicate x") == (
        "1 of 2 actions has a guessed kind, other: no table knows the command (frobnicate). "
        "Say what it does with --kinds FILE.",
    )


def test_nothing_is_said_of_labels_that_are_known_or_not_wanted() -> None:
    assert labelled("ls", call("get_flight_status")) == ()
    assert told(made(run(["frobnicate x"]))) == ()


def test_unwrapped_messages_are_summed() -> None:
    cohort = made(
        run(["a"], extra={"unwrapped_messages": 3}),
        run(["a"], trial=1, extra={"unwrapped_messages": 4, "x": 1}),
        run(["a"], trial=2, extra={"x": "unwrapped_messages"}),
    )

    assert told(cohort) == (
        '7 texts of 2 runs came as {"message": …}: the message was taken as the text.',
    )


def test_models_that_differ_in_spelling_only_are_pointed_out() -> None:
    models = ("@google/gemini-3-pro", "google/Gemini-3-pro", "google/gemini-3")
    cohort = made(*(run(["a"], system=str(n), model=model) for n, model in enumerate(models)))

    assert told(cohort) == (
        "'@google/gemini-3-pro' and 'google/Gemini-3-pro' may be one model written in several "
        "ways, read as several systems: if so, say it with --aliases FILE.",
    )


def test_every_format_is_listed_with_a_sentence() -> None:
    rows = formats_result().to_frame().to_dicts()

    assert "mini-swe-agent" in [row["name"] for row in rows]
    assert all(row["about"].endswith(".") for row in rows)
