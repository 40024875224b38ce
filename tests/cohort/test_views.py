"""Traces: what the runs of a task did, aligned, cut, redacted and with the step where they part."""

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.cohort.alphabet import ALPHABETS, choose_alphabet, symbol
from ethogram.cohort.views import own_actions, traces
from ethogram.errors import UnknownNameError
from ethogram.ingest import from_trajectories
from ethogram.results.result import Result
from ethogram.simulate.build import action, repeats, run


def two_systems() -> Cohort:
    return from_trajectories(
        [
            *repeats([["ls", "cat a"], ["ls", "cat b"], ["ls"]], task="t1", system="a"),
            *repeats([["ls"], ["ls"]], task="t1", system="b", successes=[False, None]),
            run(["pytest"], task="t2", system="a"),
        ]
    )


def test_traces_mark_the_step_at_which_the_runs_of_a_group_part() -> None:
    groups = traces(two_systems(), alphabet="action").to_frame("groups")

    assert groups.select(
        "task", "system", "n_runs", "n_labelled", "n_success", "divergence"
    ).rows() == [("bench::t1", "a", 3, 3, 3, 2), ("bench::t1", "b", 2, 1, 0, None)]


def test_rows_of_a_group_are_numbered_in_the_order_of_trials() -> None:
    runs = traces(two_systems(), task="t1", alphabet="action").to_frame("runs")

    assert runs.filter(system="a").select("row", "trial", "n_actions").rows() == [
        (0, 0, 2),
        (1, 1, 2),
        (2, 2, 1),
    ]


def test_actions_come_in_order_and_are_counted_from_one() -> None:
    result = traces(two_systems(), task="bench::t1", alphabet="action")
    first = result.to_frame("runs")["run_id"][0]

    actions = result.to_frame("actions").filter(run_id=first)

    assert actions.select("position", "symbol", "text").rows() == [
        (1, "ls", "ls"),
        (2, "cat a", "cat a"),
    ]


def test_tasks_without_repeats_are_shown_when_asked_for() -> None:
    shown = traces(two_systems(), task="t2", alphabet="action").to_frame("groups")

    assert shown.select("task", "n_runs", "divergence").rows() == [("bench::t2", 1, None)]


def test_tasks_beyond_the_limit_are_counted() -> None:
    result = traces(two_systems(), task=["t1", "t2"], alphabet="action", max_tasks=1)

    assert result.notes == ("1 more tasks are not shown.",)
    assert result.to_frame("groups")["task"].unique().to_list() == ["bench::t1"]


def test_a_text_is_redacted_before_it_is_cut_to_one_line() -> None:
    text = "export A=1\n" + "x" * 20 + " ghp_" + "a1" * 20
    cohort = from_trajectories(repeats([[text], [text]]))

    shown = traces(cohort, alphabet="action", text_chars=48).to_frame("actions")["text"]

    assert shown[0] == "export A=1 xxxxxxxxxxxxxxxxxxxx [redacted: gith…"


def test_a_run_without_actions_is_a_row_without_cells() -> None:
    result = traces(from_trajectories(repeats([[], ["ls"]])), alphabet="action")

    assert result.to_frame("runs")["n_actions"].to_list() == [0, 1]
    assert result.to_frame("groups")["divergence"].to_list() == [1]
    assert result.to_frame("actions").height == 1


def test_a_user_simulators_call_is_no_action_of_the_agent() -> None:
    cohort = from_trajectories([run(["ls", action("toggle", actor="user")])])

    assert own_actions(cohort).collect()["action"].to_list() == ["ls"]


def test_traces_survive_json() -> None:
    result = traces(two_systems(), alphabet="action")

    again = Result.from_dict(result.to_dict())

    assert again.to_frame("groups").rows() == result.to_frame("groups").rows()


def test_an_unknown_task_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no task is called 't9'; known: bench::t1"):
        traces(two_systems(), task="t9")


def test_an_unknown_alphabet_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="action, head, kind, tool"):
        symbol("colour")


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_a_missing_label_is_a_symbol_of_its_own(alphabet: str) -> None:
    rows = pl.DataFrame(
        {"kind": [None, "edit"], "head": [None, "sed"], "tool": [None, "x"], "action": [None, "y"]},
        schema=dict.fromkeys(["kind", "head", "tool", "action"], pl.String),
    )

    assert rows.select(symbol(alphabet)).to_series()[0] == "(none)"
    assert rows.select(symbol(alphabet)).to_series()[1] != "(none)"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([("bash", "ls", "explore", "table")], "kind", id="shell-tool"),
        pytest.param([(None, "ls", "explore", "table")], "kind", id="bare-command"),
        pytest.param([("Grep", "Grep", "explore", "table")], "kind", id="searching-tool"),
        pytest.param(
            [("Read", "Read", "understand", "table")] * 3 + [("Bash", "ls", "explore", "table")],
            "kind",
            id="editor-with-a-shell",
        ),
        pytest.param([("get_user", "get_user", "understand", "table")], "tool", id="domain-tool"),
        pytest.param([("get_user", None, None, None)], "tool", id="unlabelled-tool"),
        pytest.param([(None, None, None, None)], "action", id="unlabelled-command"),
    ],
)
def test_the_alphabet_fits_what_dominates(
    rows: list[tuple[str | None, ...]], expected: str
) -> None:
    columns = ["tool", "head", "kind", "kind_origin"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")

    assert choose_alphabet(frame.lazy()) == expected
