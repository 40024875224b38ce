"""SWE-agent: what a file says of its system and its task, and several attempts at one task."""

import json
from pathlib import Path
from typing import Any

import pytest
from swe_agent_files import TASK, config, history, one, spoken, step, traj

from ethogram.formats.base import Source
from ethogram.formats.swe_agent import FORMAT


@pytest.mark.parametrize("form", [json.dumps, dict], ids=["1.0: JSON text", "object"])
def test_the_configuration_names_the_system_and_the_task(form: Any) -> None:
    run = one(traj(replay_config=form(config())), name="runs/a/copy.traj")
    system = run.system

    assert (system.scaffold, system.model, system.temperature) == ("swe-agent", "gpt-4o", 0.0)
    assert system.cost_limit == 3.0
    assert system.settings == {
        "top_p": 1.0,
        "completion_kwargs": {"reasoning_effort": "low"},
        "max_requeries": 3,
    }
    assert (run.task.task_id, run.task.prompt) == (TASK, "It breaks.")
    assert "sk-" not in repr(run)


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        pytest.param({"name": "other"}, True, id="name of the agent"),
        pytest.param({"templates": {"system_template": "SETTING"}}, True, id="demonstrations"),
        pytest.param({"tools": {"bundles": [{"path": "tools/edit"}]}}, True, id="time limits"),
        pytest.param({"templates": {"system_template": "OTHER"}}, False, id="prompt"),
        pytest.param({"tools": {"bundles": []}}, False, id="tools"),
        pytest.param({"max_requeries": 1}, False, id="requeries"),
        pytest.param({"model": {"name": "gpt-4o"}}, False, id="temperature"),
    ],
)
def test_the_settings_decide_sameness(changed: dict[str, Any], *, same: bool) -> None:
    first = one(traj(replay_config=config()))
    second = one(traj(replay_config=config(**changed)))

    assert (first.system == second.system) is same


@pytest.mark.parametrize("written", ["no JSON", "[]", '{"agent": 5}', "", None])
def test_an_unreadable_configuration_counts_as_none_and_is_warned_of(written: str | None) -> None:
    run = one(traj(replay_config=written))

    assert (run.system.model, run.task.task_id) == (None, TASK)
    assert [(p.field, p.severity) for p in run.problems] == [("replay_config", "warning")] * bool(
        written
    )


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        pytest.param("model", {"name": "gpt-4o", "temperature": "0"}, id="a number as text"),
        pytest.param("model", {"name": "gpt-4o", "per_instance_call_limit": 1.5}, id="no whole"),
        pytest.param("model", "gpt-4o", id="the model is just its name"),
        pytest.param("templates", "none", id="templates"),
    ],
)
def test_a_part_of_another_type_loses_neither_the_model_nor_the_difference(
    part: str, changed: Any
) -> None:
    said = config()
    said["agent"][part] = changed
    run = one(traj(replay_config=json.dumps(said)))
    said["agent"]["name"] = "another task"
    again = one(traj(replay_config=json.dumps(said)))
    said["agent"]["max_requeries"] = 9
    other = one(traj(replay_config=json.dumps(said)))

    assert (run.system.model, run.task.prompt) == ("gpt-4o", "It breaks.")
    assert run.system == again.system != other.system
    (problem,) = run.problems
    assert "replay_config: Expected" in problem.reason
    assert "sk-" not in repr(run)


def test_a_limit_that_is_not_finite_is_no_limit() -> None:
    said = config()
    said["agent"]["model"]["per_instance_cost_limit"] = float("inf")
    run = one(traj(replay_config=json.dumps(said)))

    assert (run.system.model, run.system.cost_limit) == ("gpt-4o", None)


def test_a_statement_of_another_type_loses_no_setting() -> None:
    run = one(traj(replay_config=json.dumps({**config(), "problem_statement": "It breaks."})))

    assert run.system == one(traj(replay_config=json.dumps(config()))).system
    assert [p.field for p in run.problems] == ["replay_config"]


def test_the_folder_of_an_old_batch_names_the_model() -> None:
    folder = "gpt4__SWE-bench_Lite__default__t-0.20__p-0.95__c-3.00__install-1"
    system = one(traj(), name=f"{folder}/{TASK}.traj").system
    replayed = one(traj(), name=f"{folder.replace('gpt4', 'replay')}/{TASK}.traj").system

    assert (system.model, system.temperature, system.cost_limit) == ("gpt4", 0.2, 3.0)
    assert system.settings == {"top_p": 0.95, "config": "default"}
    assert (replayed.model, replayed.temperature) == (None, 0.2)
    assert one(traj(), name=f"gpt4/{TASK}.traj").system.model is None


@pytest.mark.parametrize(
    ("changed", "name", "task_id"),
    [
        pytest.param({}, "runs/a__b-1.traj", "a__b-1", id="file"),
        pytest.param({"environment": "c__d-2"}, "runs/a__b-1.traj", "c__d-2", id="environment"),
        pytest.param({"environment": "main"}, "x.zip::runs/a.traj", "a", id="archive"),
        pytest.param({"environment": None}, "runs/a.traj.gz", "a", id="compressed"),
    ],
)
def test_the_task_id_is_found(changed: dict[str, Any], name: str, task_id: str) -> None:
    assert one(traj(**changed), name=name).task.task_id == task_id


@pytest.mark.parametrize("number", [17, 0])
def test_the_id_of_a_task_may_be_a_number(number: int) -> None:
    numbered = {**config(), "problem_statement": {"id": number, "text": "It breaks."}}

    assert one(traj(replay_config=numbered)).task.task_id == str(number)


def test_an_empty_task_id_is_none() -> None:
    said = {**config(), "problem_statement": {"id": "", "text": "It breaks."}}

    assert one(traj(replay_config=json.dumps(said))).task.task_id == TASK


def test_the_same_problem_has_one_digest_over_versions() -> None:
    wrapped = "Do it.\n<pr_description>\nIt breaks.\n</pr_description>\nNow."
    entries = [{"role": "user", "content": wrapped}]
    old, new = one(traj()), one(traj(replay_config=config()))

    assert old.task.digest == new.task.digest == one(traj(history=entries)).task.digest
    assert old.task.digest is not None
    assert one(traj(history=[])).task.digest is None


def attempt(action: str, status: str) -> dict[str, Any]:
    said = history(spoken(action))
    return traj(trajectory=[step(action)], history=said, info={"exit_status": status})


def retried(**changes: Any) -> dict[str, Any]:
    attempts = [attempt("ls", "exit_cost"), attempt("cat a", "submitted")]
    agents = {"type": "retry", "agent_configs": [config()["agent"]], "retry_loop": {"n": 2}}
    chosen = {**traj()["info"], "best_attempt_idx": 1}
    configured = {**config(), "agent": agents}
    return {
        **attempts[1],
        "info": chosen,
        "replay_config": configured,
        "attempts": attempts,
    } | changes


def test_several_attempts_are_one_run_with_the_chosen_one_marked() -> None:
    run = one(retried())

    assert [(e.action, e.turn) for e in run.actions] == [("ls", 0), ("cat a", 1)]
    assert [e.event for e in run.events].count("system") == 2
    assert run.extra["chosen_attempt"] == 1
    assert run.extra["attempts"] == [
        {"exit_status": "exit_cost", "steps": 1},
        {"exit_status": "submitted", "steps": 1},
    ]
    assert (run.outcome.ending, run.usage.cost_usd) == ("completed", 0.5)
    assert (run.system.mode, run.system.model) == ("retry", "gpt-4o")


def test_a_retry_that_has_not_finished_has_no_ending() -> None:
    run = one({"attempts": [attempt("ls", "submitted")]})

    assert (run.outcome.ending, run.submission) == (None, None)
    assert [event.action for event in run.actions] == ["ls"]


def test_the_file_of_one_attempt_is_read_with_its_run_only(tmp_path: Path) -> None:
    whole, part = tmp_path / f"{TASK}.traj", tmp_path / "attempt_0" / f"{TASK}.traj"
    part.parent.mkdir()
    part.write_text(json.dumps(attempt("ls", "submitted")), "utf-8")
    alone = list(FORMAT.read(Source(str(part), path=part)))
    whole.write_text(json.dumps(retried()), "utf-8")

    assert len(alone) == 1
    assert list(FORMAT.read(Source(str(part), path=part))) == []
    assert len(list(FORMAT.read(Source(str(whole), path=whole)))) == 1
