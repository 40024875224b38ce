"""tau2-bench: what a run says, every ending, the user's part, tasks that are not what they say."""

from typing import Any

import pytest
from tau2_files import GREETING, NO_USER, POLICY, gold, info, one, read, results, simulation, task

from ethogram.formats.tau2_bench import ENDINGS, UNLISTED_TASK


def test_a_run_is_read_with_all_it_says() -> None:
    run = one()

    assert [(e.event, e.actor, e.scripted, e.text) for e in run.events] == [
        ("system", "agent", False, POLICY),
        ("reply", "agent", True, GREETING),
        ("user", "user", False, "Ice, please."),
        ("action", "agent", False, None),
        ("reply", "agent", False, "None left."),
    ]
    action = run.events[3]
    assert (action.action, action.call_id, action.turn) == ('get_ice({"n":2})', "c1", 0)
    assert (action.observation, action.is_error, action.error_origin) == ("{}", True, "recorded")
    assert (action.timestamp, action.cost_usd) == (1773034860.0, 0.25)
    assert (run.native_id, run.trial, run.record, run.recorded_actions) == ("s1", 2, "s1", 1)
    assert (run.usage.started_at, run.usage.duration_s) == (1773034800.0, 12.5)
    assert (run.usage.input_tokens, run.usage.output_tokens) == (100, 10)
    assert (run.usage.other_tokens, run.usage.cost_usd) == (55, 0.5)
    assert run.extra == {
        "seed": 99,
        "user_cost_usd": 0.125,
        "git_commit": "abc",
        "unwrapped_messages": 1,
    }


def test_the_system_holds_what_decides_sameness_and_no_secret() -> None:
    system = one().system

    assert (system.scaffold, system.model, system.user_model) == ("llm_agent", "model-a", "model-u")
    assert (system.mode, system.temperature, system.step_limit) == ("user", 0.0, 200)
    assert {key: value for key, value in system.settings.items() if key != "user_guidelines"} == {
        "max_errors": 10,
        "agent_args": {"max_tokens": 9},
        "user": "user_simulator",
        "user_args": {"temperature": 0.5},
    }
    assert "sk-1" not in repr(one())


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(NO_USER, id="without a user"),
        pytest.param({"max_steps": 100}, id="other limit of steps"),
        pytest.param({"max_errors": 3}, id="other limit of errors"),
        pytest.param(
            {"user_info": {"implementation": "user_simulator", "llm": "model-v"}}, id="other user"
        ),
        pytest.param({"retrieval_config": "bm25"}, id="other retrieval"),
    ],
)
def test_other_settings_are_another_system(changed: dict[str, Any]) -> None:
    (run,), _ = read(results(simulation(), info=info(**changed)))

    assert run.system != one().system


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"seed": 1}, id="seed"),
        pytest.param({"git_commit": "def"}, id="commit"),
        pytest.param({"num_trials": 1}, id="number of trials"),
        pytest.param({"environment_info": {"domain_name": "bar", "policy": "p"}}, id="domain"),
    ],
)
def test_what_is_left_out_does_not_split_a_system(changed: dict[str, Any]) -> None:
    (run,), _ = read(results(simulation(), info=info(**changed)))

    assert run.system == one().system


def test_a_temperature_that_is_no_number_still_tells_systems_apart() -> None:
    infos = [info(agent_info={"llm": "m", "llm_args": {"temperature": t}}) for t in ("0", "1")]
    cold, hot = (read(results(simulation(), info=said))[0][0].system for said in infos)

    assert (cold.temperature, cold.settings["agent_args"]) == (None, {"temperature": "0"})
    assert cold != hot


def test_without_a_user_nobodys_model_is_the_users() -> None:
    (run,), _ = read(results(simulation(), info=info(**NO_USER)))

    assert (run.system.mode, run.system.user_model) == ("no-user", None)
    assert run.system.settings == {"max_errors": 10, "user": "dummy_user"}
    assert run.task.prompt == "The customer wants ice."


def test_the_task_is_what_the_file_says_of_it() -> None:
    read_task = one().task

    assert (read_task.benchmark, read_task.task_id) == ("tau2-bench/kiosk", "7")
    assert read_task.prompt == "You want ice.\n\nAnn."
    assert read_task.reference == (
        '[{"arguments":{"n":2},"name":"get_ice","requestor":"assistant"}]'
    )


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        pytest.param({"description": {"purpose": "x"}}, True, id="notes for people"),
        pytest.param({"initial_state": {}}, True, id="null or empty"),
        pytest.param({"user_tools": None}, True, id="a field of a later version"),
        pytest.param({"evaluation_criteria": {"actions": []}}, False, id="other gold actions"),
        pytest.param({"user_scenario": "You want tea."}, False, id="other scenario"),
        pytest.param({"ticket": "Tea."}, False, id="other ticket"),
    ],
)
def test_the_digest_of_a_task_follows_its_content(changed: dict[str, Any], *, same: bool) -> None:
    tasks = [{**task("7", gold("get_ice", 0, n=2)), **changed}]
    (run,), _ = read(results(simulation(reward_info=None), tasks=tasks))

    assert (run.task.digest == one().task.digest) is same


def test_another_policy_is_another_task() -> None:
    other = info(environment_info={"domain_name": "kiosk", "policy": "Be long."})
    (run,), _ = read(results(simulation(), info=other))

    assert run.task.digest != one().task.digest


@pytest.mark.parametrize("raw", list(ENDINGS))
def test_every_known_termination_has_its_ending(raw: str) -> None:
    outcome = one(termination_reason=raw).outcome

    assert (outcome.ending, outcome.limit_kind) == ENDINGS[raw]
    assert outcome.ending_raw == raw


def test_an_unknown_termination_is_named_and_not_guessed() -> None:
    run = one(termination_reason="meteor")

    assert (run.outcome.ending, run.outcome.ending_raw) == (None, "meteor")
    assert "'meteor'" in run.problems[0].reason


@pytest.mark.parametrize(
    ("reward", "success"),
    [(1.0, True), (1 - 1e-7, True), (1, True), (0.0, False), (0.5, False), (None, None)],
)
def test_success_is_a_reward_of_one(reward: float | None, success: bool | None) -> None:
    outcome = one(reward_info={"reward": reward}).outcome

    assert (outcome.success, outcome.score) == (success, reward)


def test_without_a_reward_there_is_no_outcome() -> None:
    run = one(reward_info=None, termination_reason="infrastructure_error", messages=[])

    assert (run.outcome.success, run.outcome.score, run.outcome.rule) == (None, None, None)
    assert run.outcome.ending == "infra_error"
    assert [event.event for event in run.events] == ["system"]


def test_a_wrong_task_id_is_said_with_the_task_that_was_checked() -> None:
    run = one(task_id="8")

    assert [problem.field for problem in run.problems] == ["task_id"]
    assert run.extra["task_id_by_checks"] == "7"
    assert run.task.task_id == "8"


def test_a_wrong_task_id_shows_without_tasks_too() -> None:
    (run,), _ = read(results(simulation(task_id="8"), tasks=[]))
    (right,), _ = read(results(simulation(task_id="7"), tasks=[]))

    assert ([p.field for p in run.problems], run.extra["task_id_by_checks"]) == (["task_id"], "7")
    assert right.problems == ()


@pytest.mark.parametrize(
    ("checked", "wrong"),
    [
        pytest.param([gold("get_ice", 0, n=2)], False, id="the task's own"),
        pytest.param([], False, id="none"),
        pytest.param([gold("get_ice", 0, n=3)], True, id="other arguments"),
        pytest.param([gold("get_ice", 0, n=2), gold("sell", 1)], True, id="one more"),
        pytest.param([{**gold("get_ice", 0, n=2), "requestor": None}], False, id="an older form"),
    ],
)
def test_checked_actions_must_be_gold_actions_of_the_task(checked: Any, *, wrong: bool) -> None:
    run = one(reward_info={"reward": 1.0, "action_checks": [{"action": a} for a in checked]})

    assert ([p.field for p in run.problems] == ["task_id"]) is wrong


def test_ids_of_actions_that_name_no_task_say_nothing() -> None:
    action = {**gold("get_ice", 0, n=2), "action_id": "get_ice_0"}
    checks = {"reward": 1.0, "action_checks": [{"action": action}]}
    (run,), _ = read(results(simulation(task_id="8", reward_info=checks), tasks=[]))

    assert run.problems == ()


def test_a_task_that_the_file_does_not_list_is_warned_of() -> None:
    unchecked = {"reward": 1.0, "action_checks": None}
    (run,), _ = read(results(simulation(task_id="nope", reward_info=unchecked)))
    (listless,), _ = read(results(simulation(task_id="nope", reward_info=unchecked), tasks=None))

    assert run.problems == (UNLISTED_TASK,)
    assert (run.task.task_id, run.task.digest) == ("nope", None)
    assert listless.problems == ()


def test_equal_trials_stay_apart() -> None:
    runs, _ = read(results(*(simulation(id=f"s{n}", trial=n) for n in range(4))))

    assert [(run.native_id, run.trial) for run in runs] == [(f"s{n}", n) for n in range(4)]
    assert len({run.events for run in runs}) == 1


def test_a_short_form_without_info_is_read_as_far_as_it_goes() -> None:
    short = {"domain": "kiosk", "agent": "adaptive", "model": "model-b", "total_tasks": 1}
    (run,), problems = read({**short, "passed": 1, "simulations": [simulation()]})

    assert (run.system.scaffold, run.system.model, problems) == ("adaptive", "model-b", [])
    assert run.task.benchmark == "tau2-bench/kiosk"
    assert run.outcome.success is True


def test_a_cost_of_nothing_for_tokens_that_cost_is_no_recorded_cost() -> None:
    """tau2-bench writes 0 where it has no price for the model."""
    priceless = one(agent_cost=0.0)
    priced = one(agent_cost=0.25)

    assert (priceless.usage.cost_usd, priced.usage.cost_usd) == (None, 0.25)
