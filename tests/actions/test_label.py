"""Labels of commands, tool calls and arbitrary text."""

import copy
import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.actions.kinds import KINDS, Kind, load_kinds
from ethogram.actions.label import MAX_REMEMBERED, Label, Labeler
from ethogram.trajectory import Event

LABELER = Labeler()

SIMPLE = st.lists(
    st.sampled_from(
        [
            *("ls", "grep", "cat", "pytest", "python", "sed", "-i", "-n", "rm", "./x.sh", "git"),
            *("diff", "a.py", "'two words'", '"$HOME"', "frobnicate", "edit", "cd", "echo"),
        ]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


def call(tool: str, **arguments: Any) -> Event:
    return Event(
        event="action",
        tool=tool,
        action=f"{tool}()",
        arguments=json.dumps(arguments),
        arguments_state="object",
    )


@pytest.mark.shared
def test_at_least_97_percent_of_the_hand_labels_are_right(shared: Path) -> None:
    with (shared / "labels" / "actions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    right = sum(LABELER.label_command(row["text"]).kind == row["kind"] for row in rows)

    assert len(rows) == 220
    assert right / len(rows) >= 0.97


@pytest.mark.parametrize(
    ("command", "head"),
    [
        ("cd /x && git grep y", "git"),
        ("timeout 60 /usr/bin/python3 -m pytest", "python3"),
        ("FOO=1 sudo -u me env BAR=2 pytest", "pytest"),
        ("source a && export B=c; make", "make"),
        ("export A=$(pwd); make", "make"),
        ("bash -lc 'cd x && rg y'", "rg"),
        ("(cd x; rg y) | head", "rg"),
        ("cat <<E | python -\nx\nE", "cat"),
        ("find . -exec grep x {} +", "find"),
        ("./run.sh", "run.sh"),
        ("cd x", "cd"),
        ("A=b", None),
        ("", None),
        ("'", None),
        ("¿?", None),
    ],
)
def test_the_head_is_the_first_command_that_is_not_set_up(command: str, head: str | None) -> None:
    assert LABELER.label_command(command).head == head


@pytest.mark.parametrize(
    ("command", "origin"),
    [
        ("cd /x && grep y z", "table"),
        ("pytest", "table"),
        ("grep y z | head", "rule"),
        ("ls; ls", "rule"),
        ("echo x > f", "rule"),
        ("python -c 'print(1)'", "rule"),
        ("./run.sh", "rule"),
        ("frobnicate", "guessed"),
        ("", "guessed"),
        ("# only a comment", "guessed"),
    ],
)
def test_the_origin_says_how_the_kind_is_known(command: str, origin: str) -> None:
    assert LABELER.label_command(command).kind_origin == origin


@pytest.mark.parametrize(
    ("event", "kind", "head"),
    [
        pytest.param(call("bash", command="rg x"), "explore", "rg", id="bash"),
        pytest.param(
            call("shell", command=["bash", "-lc", "cat a"]), "understand", "cat", id="argv"
        ),
        pytest.param(call("shell", command=["rg", "a | b > c"]), "explore", "rg", id="argv-quoted"),
        pytest.param(call("exec_command", cmd="pytest"), "verify", "pytest", id="codex"),
        pytest.param(
            call("local_shell", action={"command": ["ls"]}), "explore", "ls", id="in-a-table"
        ),
        pytest.param(call("apply_patch", input="*** Begin"), "edit", "apply_patch", id="patch"),
        pytest.param(call("update_plan", plan=[]), "other", "update_plan", id="plan"),
        pytest.param(
            call("str_replace_editor", command="view", path="/a"),
            "understand",
            "str_replace_editor",
            id="view",
        ),
        pytest.param(
            call("str_replace_editor", command="insert", path="/a"),
            "edit",
            "str_replace_editor",
            id="insert",
        ),
        pytest.param(
            call("str_replace_editor", path="/a"), "other", "str_replace_editor", id="no-command"
        ),
        pytest.param(call("Read", file_path="/a"), "understand", "Read", id="claude-read"),
        pytest.param(call("MultiEdit", edits=[]), "edit", "MultiEdit", id="claude-edit"),
        pytest.param(call("Grep", pattern="x"), "explore", "Grep", id="claude-grep"),
        pytest.param(call("execute_bash", command="pytest"), "verify", "pytest", id="openhands"),
        pytest.param(
            call("execute_ipython_cell", code="print(open('a').read())"),
            "understand",
            "execute_ipython_cell",
            id="cell",
        ),
        pytest.param(call("run_shell_command", command="ls"), "explore", "ls", id="gemini"),
        pytest.param(call("replace", old="a"), "edit", "replace", id="gemini-edit"),
        pytest.param(call("bash", commands="ls"), "other", "bash", id="no-such-argument"),
        pytest.param(
            Event(event="action", tool="bash", action="rg x"), "explore", "rg", id="action-only"
        ),
        pytest.param(
            Event(event="action", tool="bash", arguments="{", arguments_state="invalid"),
            "other",
            "bash",
            id="broken-arguments",
        ),
        pytest.param(Event(event="action", action="rg x"), "explore", "rg", id="bare-command"),
        pytest.param(Event(event="action"), "other", None, id="nothing-recorded"),
    ],
)
def test_a_call_has_the_kind_of_its_tool_or_command(event: Event, kind: Kind, head: str) -> None:
    label = LABELER.label(event)

    assert label is not None
    assert (label.kind, label.head) == (kind, head)


def test_what_was_refused_did_nothing() -> None:
    refused = Event(event="action", action="rm a; rm b", refused=True)

    assert LABELER.label(refused) == Label("other", "recorded", None)


def test_an_unknown_tool_is_left_to_whoever_knows_its_effect() -> None:
    assert LABELER.label(call("get_user_details", user_id="1")) == Label(
        "other", "guessed", "get_user_details"
    )


def test_only_actions_have_labels() -> None:
    assert LABELER.label(Event(event="reply", text="ls")) is None


def test_every_tool_of_the_table_labels_without_arguments() -> None:
    for tool in load_kinds().tools:
        label = LABELER.label(Event(event="action", tool=tool))

        assert label is not None
        assert label.kind in KINDS


def test_a_labeler_travels_to_another_process_with_its_tables() -> None:
    twin = copy.copy(LABELER)  # by the protocol that a process pool uses

    assert twin is not LABELER
    assert twin.tables == LABELER.tables
    assert twin.label_command("cd x && pytest") == LABELER.label_command("pytest")


@given(st.text())
def test_any_text_has_a_label_that_wrappers_do_not_change(text: str) -> None:
    label = LABELER.label_command(text)

    assert label.kind in KINDS
    assert LABELER.label_command(f"cd x && {text}") == label
    assert LABELER.label_command(f"# why\n{text}") == label
    assert LABELER.label_command(f"\n \n{text}\n \t\n") == label


@given(SIMPLE, st.sampled_from(["timeout 60 ", "timeout -k 5 60s ", "cd 'a b' && timeout 9 "]))
def test_a_timeout_does_not_change_the_label_of_a_simple_command(text: str, prefix: str) -> None:
    assert LABELER.label_command(prefix + text) == LABELER.label_command(text)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_any_array_of_arguments_has_a_label(words: list[str]) -> None:
    assert LABELER.label_command(words).kind in KINDS


@pytest.mark.parametrize(
    "piece",
    [
        *("x", " ", "\n", "'", '"', "\\", "#", "<<E\n", "cat <<A <<B ", "<<A\nA\n", "ls;", "a|"),
        *("$(", "((", "{", "a=(", "`", "cd x &&", "timeout 1 ", "bash -c '", "sudo ", "x > y\n"),
        *('python -c \'"""\'\n', "open(a,'w')\n", "cat > a.py\npython a.py\n", "é", "\0"),
    ],
)
def test_a_megabyte_of_anything_is_labelled(piece: str) -> None:
    assert LABELER.label_command(piece * (1_000_000 // len(piece))).kind in KINDS


def test_only_short_commands_are_remembered_as_they_stand() -> None:
    labeler = Labeler()
    for _ in range(2):
        labeler.label_command("ls a")
        labeler.label_command("ls " + "a" * MAX_REMEMBERED)

    remembered = labeler._remembered.cache_info()
    assert (remembered.hits, remembered.misses) == (1, 1)
