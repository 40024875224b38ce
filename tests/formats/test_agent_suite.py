"""AgentSuite's dumps: a run a line, calls and results paired by order."""

import json
from typing import Any

import pytest

from ethogram.formats.agent_suite import FORMAT
from ethogram.formats.base import Probe, Source
from ethogram.trajectory import Problem, Trajectory


def messages() -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "# Kiosk policy"},
        {"role": "assistant", "content": "Hi! How can I help you today?", "tool_calls": ""},
        {"role": "user", "content": "Ice, please."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "name": "get_ice", "arguments": {"n": 2}},
                {"id": "c2", "name": "get_price", "arguments": {}},
            ],
        },
        {"role": "tool", "content": "two"},
        {"role": "tool", "content": "5"},
    ]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "model_path": "maker/model-a",
        "user_model_path": "maker/model-u",
        "benchmark_name": "tau2-bench",
        "task_name": "kiosk",
        "sampling_params": {"temperature": 0.0, "max_tokens": 9, "api_key": "sk-1"},
        "messages": messages(),
        "eval_result": {"score": 1.0, "db_match": False},
        "meta": {
            "id": "kiosk_7",
            "task_id": "7",
            "finish_reason": "user_stop",
            "task_instructions": {"reason_for_call": "You want ice."},
        },
        **changes,
    }


def source(*rows: Any) -> Source:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
    return Source("model-a.jsonl", content=b"\n".join(lines))


def read(*rows: Any) -> tuple[list[Trajectory], list[Problem]]:
    found = list(FORMAT.read(source(*rows)))
    runs = [item for item in found if isinstance(item, Trajectory)]
    return runs, [item for item in found if isinstance(item, Problem)]


def one(**changes: Any) -> Trajectory:
    (run,), problems = read(row(**changes))
    assert problems == []
    return run


def test_a_line_is_read_with_all_it_says() -> None:
    run = one()

    assert FORMAT.sniff(Probe(source(row())))
    assert [(e.event, e.tool, e.scripted, e.observation) for e in run.events] == [
        ("system", None, False, None),
        ("reply", None, True, None),
        ("user", None, False, None),
        ("action", "get_ice", False, "two"),
        ("action", "get_price", False, "5"),
    ]
    assert (run.task.benchmark, run.task.task_id) == ("tau2-bench/kiosk", "7")
    assert (run.task.prompt, run.record) == ("You want ice.", "line 1")
    assert (run.system.model, run.system.user_model) == ("maker/model-a", "maker/model-u")
    assert (run.system.temperature, run.system.settings) == (0.0, {"agent_args": {"max_tokens": 9}})
    assert (run.outcome.success, run.outcome.ending) == (True, "completed")


@pytest.mark.parametrize(
    ("found", "meta", "expected"),
    [
        pytest.param({"score": 1.0, "db_match": False}, {}, (True, 1.0), id="score, not database"),
        pytest.param({"score": 0.0, "db_match": True}, {}, (False, 0.0), id="database alone"),
        pytest.param({"score": 0.5}, {}, (False, 0.5), id="half"),
        pytest.param({}, {"is_correct": True}, (True, None), id="no score"),
        pytest.param({"score": True}, {"is_correct": False}, (True, 1.0), id="score first"),
        pytest.param(None, {}, (None, None), id="nothing"),
    ],
)
def test_success_is_a_score_of_one(found: Any, meta: Any, expected: Any) -> None:
    outcome = one(eval_result=found, meta=meta).outcome

    assert (outcome.success, outcome.score) == expected


def test_an_empty_run_is_a_run_and_an_unknown_ending_is_named() -> None:
    run = one(messages=[], meta={"id": "kiosk_7", "finish_reason": "meteor"})

    assert (run.events, run.task.task_id, run.outcome.ending) == ((), "kiosk_7", None)
    assert "'meteor'" in run.problems[0].reason


def test_a_first_line_longer_than_the_head_is_recognised() -> None:
    long = row(messages=[{"role": "user", "content": "x" * 100_000}])

    assert FORMAT.sniff(Probe(source(long, row())))


def test_one_broken_line_loses_no_other() -> None:
    runs, problems = read(row(), b'{"messages": 5}', b"{", row())

    assert [run.record for run in runs] == ["line 1", "line 4"]
    assert [problem.record for problem in problems] == ["line 2", "line 3"]


@pytest.mark.parametrize("value", [{}, {"messages": []}, {"model_path": "x", "messages": []}])
def test_other_files_are_not_claimed(value: Any) -> None:
    assert not FORMAT.sniff(Probe(source(value)))


def test_a_program_that_holds_such_a_record_is_not_claimed() -> None:
    program = b'"""Rows."""\n\nROW = ' + json.dumps(row()).encode()

    assert not FORMAT.sniff(Probe(source(program)))
