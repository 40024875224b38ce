"""tau-bench: runs, rules for success, endings, failed starts."""

import json
import pickle
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from ethogram.errors import MalformedTrajectoryError, UnknownNameError
from ethogram.formats.base import Probe, Source
from ethogram.formats.tau_bench import FORMAT, LAST_WORDS, RULES, with_rule
from ethogram.trajectory import Problem, Trajectory

STOP, TRANSFER = LAST_WORDS


def called(name: str, arguments: str = "{}", call_id: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answered(name: str, content: str = "ok", call_id: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": content}


def chat(tool: str = "get_order_details") -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "# Retail agent policy\nBe kind."},
        {"role": "user", "content": "Where is my lamp?"},
        called(tool, '{"order_id": "#W1"}'),
        answered(tool, "Error: order not found"),
        {"role": "assistant", "content": "It is lost."},
        {"role": "user", "content": f"Thanks. {STOP}"},
    ]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "task_id": 0,
        "reward": 1.0,
        "info": {
            "task": {
                "user_id": "ann_1",
                "instruction": "You want your lamp.",
                "actions": [{"name": "get_order_details", "kwargs": {"order_id": "#W1"}}],
                "outputs": [],
            },
            "source": "user",
            "user_cost": 0.25,
            "reward_info": {"reward": 1.0, "info": {"r_actions": 1.0}, "actions": []},
        },
        "traj": chat(),
        "trial": 3,
        **changes,
    }


def failed(error: str, last: str = "", **changes: Any) -> dict[str, Any]:
    info = {"error": error, "traceback": f"Traceback (most recent call last):\n{last}"}
    return row(reward=0.0, traj=[], info=info, **changes)


def source(value: Any, name: str = "gpt-4o-retail.json") -> Source:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Source(f"runs/{name}", content=content)


def read(*rows: Any, name: str = "gpt-4o-retail.json") -> tuple[list[Trajectory], list[Problem]]:
    file = source(list(rows), name)
    found = list(FORMAT.read(file))
    runs = [item for item in found if isinstance(item, Trajectory)]
    return runs, [item for item in found if isinstance(item, Problem)]


def one(name: str = "gpt-4o-retail.json", **changes: Any) -> Trajectory:
    (run,), problems = read(row(**changes), name=name)
    assert problems == []
    return run


def test_a_run_is_read_with_all_it_says() -> None:
    run = one()

    assert FORMAT.sniff(Probe(source([row()])))
    assert [(e.event, e.turn, e.text) for e in run.events] == [
        ("system", None, "# Retail agent policy\nBe kind."),
        ("user", None, "Where is my lamp?"),
        ("action", 0, None),
        ("reply", 1, "It is lost."),
        ("user", None, f"Thanks. {STOP}"),
    ]
    action = run.events[2]
    assert action.action == 'get_order_details({"order_id":"#W1"})'
    assert (action.arguments_state, action.observation) == ("object", "Error: order not found")
    assert (run.trial, run.native_id, run.record, run.recorded_actions) == (3, None, "0", 1)
    assert (run.task.benchmark, run.task.task_id) == ("tau-bench/retail", "0")
    assert run.task.prompt == "You want your lamp."
    assert run.outcome.scores == (("r_actions", 1.0, None),)
    assert run.extra == {"user_cost_usd": 0.25}


def test_the_reader_does_not_judge_whether_an_answer_is_an_error() -> None:
    assert one().events[2].is_error is None


def test_arguments_that_are_no_json_are_kept_as_recorded() -> None:
    (event,) = one(traj=[called("calculate", "{'a': 1}")]).events

    assert (event.arguments, event.arguments_state) == ("{'a': 1}", "invalid")


REWARDS = (1.0, 1 - 1e-7, 0.99, 0.6, 0.0, None)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("reward>=1", [True, True, False, False, False, None]),
        ("reward==1", [True, True, False, False, False, None]),
        ("reward>0", [True, True, True, True, False, None]),
        ("r_actions", [True, True, True, True, False, None]),
    ],
)
def test_the_rule_decides_what_is_a_success(rule: str, expected: list[bool | None]) -> None:
    file = source([row(reward=reward) for reward in REWARDS])
    runs = [run for run in with_rule(rule).read(file) if isinstance(run, Trajectory)]

    assert [run.outcome.success for run in runs] == expected
    assert [run.outcome.score for run in runs] == list(REWARDS)
    assert {run.outcome.rule for run in runs if run.outcome.success is not None} == {rule}


def test_a_reward_above_one_is_a_success_but_is_not_one() -> None:
    big = [row(reward=1.5)]
    success = {rule: next(with_rule(rule).read(source(big))) for rule in RULES}

    assert {
        r: run.outcome.success for r, run in success.items() if isinstance(run, Trajectory)
    } == {
        "reward>=1": True,
        "reward==1": False,
        "reward>0": True,
        "r_actions": True,
    }


@pytest.mark.parametrize(
    ("checks", "success"),
    [
        pytest.param({"r_actions": 1.0}, True, id="the actions are right"),
        pytest.param({"r_outputs": 1, "outputs": {}}, True, id="the outputs are right"),
        pytest.param({"r_actions": 1.0, "r_outputs": 0.0}, False, id="one of two is wrong"),
        pytest.param({"r_actions": False}, False, id="as a truth value"),
        pytest.param({}, None, id="nothing checked"),
    ],
)
def test_the_rule_by_checks_wants_all_of_them(checks: Any, *, success: bool | None) -> None:
    info = {**row()["info"], "reward_info": {"info": checks}}
    (run,) = with_rule("r_actions").read(source([row(info=info, reward=0.7)]))

    assert isinstance(run, Trajectory)
    assert run.outcome.success is success


def test_a_rule_may_be_written_with_spaces_and_must_be_known() -> None:
    (run,) = with_rule("reward > 0").read(source([row()]))

    assert isinstance(run, Trajectory)
    assert run.outcome.rule == "reward>0"
    with pytest.raises(UnknownNameError, match="reward>=1"):
        with_rule("reward>2")


def test_a_format_with_a_rule_goes_to_a_worker() -> None:
    back = pickle.loads(pickle.dumps(with_rule("reward>0")))  # noqa: S301, TID251

    assert [run.outcome.rule for run in back.read(source([row()]))] == ["reward>0"]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        pytest.param([{"role": "user", "content": f"Bye {STOP}"}], ("completed", STOP), id="stop"),
        pytest.param([answered(TRANSFER)], ("completed", TRANSFER), id="transfer"),
        pytest.param([answered("get_order_details")], (None, None), id="cut off"),
        pytest.param([{"role": "assistant", "content": STOP}], (None, None), id="not the user"),
        pytest.param([{"role": "user", "content": None}], (None, None), id="no text"),
        pytest.param([], (None, None), id="nothing"),
    ],
)
def test_the_last_message_shows_how_a_run_ended(last: Any, expected: Any) -> None:
    traj = [called(TRANSFER), *last] if last and last[0]["role"] == "tool" else last
    outcome = one(traj=traj).outcome

    assert (outcome.ending, outcome.ending_raw) == expected


@pytest.mark.parametrize(
    ("error", "last", "expected"),
    [
        pytest.param(
            "429",
            "litellm.exceptions.RateLimitError: litellm.RateLimitError: slow down",
            ("infra_error", "RateLimitError", None),
            id="rate limit",
        ),
        pytest.param(
            "took too long", "litellm.exceptions.Timeout: 600 s", ("infra_error", "Timeout", None),
            id="time out",
        ),
        pytest.param("who knows", "", ("infra_error", None, None), id="nothing known"),
        pytest.param(
            "OpenAIException InternalServerError", "", ("infra_error", "OpenAIException", None),
            id="in the message only",
        ),
        pytest.param(
            "x", "json.decoder.JSONDecodeError: Expecting value",
            ("agent_error", "JSONDecodeError", None), id="no JSON from the model",
        ),
        pytest.param(
            "x", "litellm.exceptions.ContextWindowExceededError: 128000",
            ("limit", "ContextWindowExceededError", "context"), id="context",
        ),
    ],
)  # fmt: skip
def test_a_run_that_failed_is_kept_with_the_class_of_its_error(
    error: str, last: str, expected: Any
) -> None:
    (run,), problems = read(failed(error, last))

    assert (run.outcome.ending, run.outcome.ending_raw, run.outcome.limit_kind) == expected
    assert (run.events, run.actions, problems) == ((), (), [])
    assert (run.outcome.score, run.extra["error"]) == (0.0, error)


def test_a_failed_run_borrows_its_task_from_its_repeats() -> None:
    (run, whole), _ = read(failed("x", task_id=4, trial=0), row(task_id=4, trial=1))

    assert run.task == whole.task
    assert run.task.digest is not None
    assert read(failed("x"))[0][0].task.digest is None


def test_a_run_is_of_the_task_that_its_own_record_describes() -> None:
    other = {"user_id": "bob_2", "instruction": "You want a chair."}
    first, second = read(row(), row(info={"task": other}))[0]

    assert (first.task.task_id, second.task.task_id) == ("0", "0")
    assert (first.task.prompt, second.task.prompt) == ("You want your lamp.", "You want a chair.")
    assert first.task.digest != second.task.digest


def test_a_run_without_a_task_id_borrows_nobodys() -> None:
    (_, nameless), _ = read(row(task_id=""), row(task_id=None, info={}))

    assert (nameless.task.task_id, nameless.task.prompt) == (None, None)


def test_the_digest_follows_the_task_and_not_the_chat() -> None:
    info = row()["info"]
    other = {**info, "task": {**info["task"], "actions": []}}

    assert one(traj=[]).task.digest == one().task.digest
    assert one(info=other).task.digest != one().task.digest


@pytest.mark.parametrize(
    ("name", "traj", "domain"),
    [
        pytest.param("x-airline.json", [], "airline", id="name"),
        pytest.param("x-airline.json", chat(), "retail", id="the policy says otherwise"),
        pytest.param("x.json", chat()[2:], "retail", id="tools"),
        pytest.param(
            "x.json", [called("f"), answered("get_user_details")], None, id="tools of both"
        ),
        pytest.param("airline-and-retail.json", [], None, id="two names"),
        pytest.param("airlines.json", [], None, id="another word"),
    ],
)
def test_the_domain_is_shown_by_the_runs_or_the_name(
    name: str, traj: Any, domain: str | None
) -> None:
    assert one(name, traj=traj).task.benchmark == (domain and f"tau-bench/{domain}")


def test_the_name_becomes_the_system() -> None:
    name = "tool-calling-grok-3-0.0_range_0--1_user-grok-2-llm_0921131646.json"
    system = one(name).system

    assert (system.scaffold, system.model, system.temperature) == ("tool-calling", "grok-3", 0.0)
    assert (system.user_model, system.settings) == ("grok-2", {"user_strategy": "llm"})


def test_actions_in_the_text_are_calls_too() -> None:
    acts = [
        {"role": "system", "content": "# Airline Agent Policy"},
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": 'Thought:\nI must look.\nAction:\n{"name": "get_user_details", '
            '"arguments": {"user_id": "ann_1"}}',
        },
        {"role": "user", "content": "API output: {}"},
        {
            "role": "assistant",
            "content": 'Action:\n{"name": "respond", "arguments": {"content": "Hello Ann"}}',
        },
        {"role": "user", "content": "API output is what?"},
        {"role": "assistant", "content": "Action:\nI can't write JSON"},
    ]
    run = one(traj=acts)

    assert [(e.event, e.tool, e.text, e.thought, e.observation) for e in run.events[2:]] == [
        ("action", "get_user_details", None, "I must look.", "{}"),
        ("reply", None, "Hello Ann", None, None),
        ("user", None, "API output is what?", None, None),
        ("reply", None, "Action:\nI can't write JSON", None, None),
    ]
    assert run.events[2].arguments == '{"user_id":"ann_1"}'


def test_a_reward_that_is_no_number_is_missing() -> None:
    text = json.dumps([row(reward=float("nan")), row()]).encode()
    found = list(FORMAT.read(source(text)))
    runs = [item for item in found if isinstance(item, Trajectory)]

    assert [(run.outcome.success, run.outcome.score) for run in runs] == [(None, None), (True, 1.0)]
    assert [item.severity for item in found if isinstance(item, Problem)] == ["warning"]


def test_one_broken_row_loses_no_other() -> None:
    runs, problems = read(row(), 7, row(traj="none"), row(trial=4))

    assert [run.record for run in runs] == ["0", "3"]
    assert [problem.record for problem in problems] == ["run 1", "run 2"]


@pytest.mark.parametrize("missing", ["reward", "info", "traj", "trial"])
def test_the_first_run_may_lack_a_field(missing: str) -> None:
    first = {name: value for name, value in row().items() if name != missing}
    found, problems = read(first, row(trial=4))

    assert FORMAT.sniff(Probe(source([first, row()])))
    assert [run.task.task_id for run in found] == ["0", "0"]
    assert problems == []


def test_a_list_without_runs_is_empty() -> None:
    assert read() == ([], [])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps([row()]).encode()[:-30], id="truncated"),
        pytest.param(b'{"task_id": 1}', id="no list"),
        pytest.param(b"\xff\xfe", id="binary"),
    ],
)
def test_a_broken_file_is_refused_with_its_name(content: bytes) -> None:
    with pytest.raises(MalformedTrajectoryError, match=r"gpt-4o-retail\.json"):
        list(FORMAT.read(source(content)))


@pytest.mark.parametrize("value", [[], {}, [1], [{"task_id": 1}], {"task_id": 1, "reward": 0}])
def test_other_files_are_not_claimed(value: Any) -> None:
    assert not FORMAT.sniff(Probe(source(value)))


@pytest.fixture(scope="module")
def real(shared: Path) -> list[Trajectory]:
    (path,) = (shared / "data" / "tau-bench").glob("*.json")
    found = list(FORMAT.read(Source(str(path), path=path)))
    return [item for item in found if isinstance(item, Trajectory)]


@pytest.mark.shared
def test_the_real_runs_have_the_known_counts(real: list[Trajectory]) -> None:
    observations = [e.observation or "" for run in real for e in run.actions]

    assert len(real) == 200
    assert sum(run.outcome.success is True for run in real) == 84
    assert (len(observations), sum(run.recorded_actions or 0 for run in real)) == (1164, 1164)
    assert sum(text.startswith("Error") for text in observations) == 73
    assert {e.is_error for run in real for e in run.events} == {None}
    assert Counter(run.trial for run in real) == {0: 50, 1: 50, 2: 50, 3: 50}
    assert {(run.system.model, run.task.benchmark) for run in real} == {
        ("gpt-4o", "tau-bench/airline")
    }


@pytest.mark.shared
def test_the_real_runs_give_the_known_pass_hat_k(real: list[Trajectory]) -> None:
    tasks: dict[str | None, list[bool]] = {}
    for run in real:
        tasks.setdefault(run.task.task_id, []).append(run.outcome.success is True)
    hats = [
        mean(mean(map(all, combinations(successes, k))) for successes in tasks.values())
        for k in range(1, 5)
    ]

    assert hats == pytest.approx([0.420, 0.273, 0.220, 0.200], abs=5e-4)
