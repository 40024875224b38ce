"""mini-SWE-agent: every version's messages, refusals, endings, settings and broken files."""

from typing import Any

import pytest
from mini_swe_agent_files import (
    OPENING,
    PROMPT,
    TASK,
    answer,
    calls,
    exit_message,
    fenced,
    file,
    one,
    output_item,
    refusal,
    reply,
    response,
    result,
    source,
)

from ethogram.cohort.naming import system_row
from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Probe, Source
from ethogram.formats.digest import digest
from ethogram.formats.mini_swe_agent import FORMAT, declares, read, sniff
from ethogram.formats.mini_swe_agent_shapes import ENDINGS, LEFT_OUT
from ethogram.trajectory import Event, Trajectory

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
VERSION_1: list[dict[str, Any]] = [
    fenced("ls -F"),
    answer("<returncode>2</returncode>\n<output>\nno\n</output>"),
    fenced(SUBMIT),
    answer("diff"),
]
VERSION_1_1: list[dict[str, Any]] = [
    calls("ls -F", content="I look."),
    result("c1", "no", returncode=2),
    calls(SUBMIT, first=2),
    exit_message(),
]


def agent_actions(run: Trajectory) -> list[Event]:
    return [event for event in run.actions if event.actor == "agent"]


def test_version_1_is_read() -> None:
    run = one(file(VERSION_1, version="1"))

    assert run.events == (
        Event(event="system", text="You can use a shell."),
        Event(event="user", actor="user", text=str(OPENING[1]["content"])),
        Event(
            event="action",
            turn=0,
            action="ls -F",
            text="THOUGHT: look.",
            observation="<returncode>2</returncode>\n<output>\nno\n</output>",
            exit_code=2,
        ),
        Event(event="action", turn=1, action=SUBMIT, text="THOUGHT: look."),
    )
    assert (run.format_version, run.recorded_actions, run.problems) == ("1", 2, ())
    assert (run.outcome.ending, run.submission) == ("completed", "diff")


def test_version_1_1_is_read() -> None:
    run = one(file(VERSION_1_1))

    assert run.events[2:] == (
        Event(
            event="action",
            turn=0,
            call_id="c1",
            tool="bash",
            action="ls -F",
            arguments='{"command":"ls -F"}',
            arguments_state="object",
            text="I look.",
            observation="no",
            exit_code=2,
        ),
        Event(
            event="action",
            turn=1,
            call_id="c2",
            tool="bash",
            action=SUBMIT,
            arguments=f'{{"command":"{SUBMIT}"}}',
            arguments_state="object",
        ),
    )
    assert (run.format_version, run.recorded_actions, run.problems) == ("1.1", 2, ())
    assert (run.outcome.ending, run.submission) == ("completed", "diff")


def test_a_file_from_before_versions_is_read_like_version_1() -> None:
    assert one(file(VERSION_1, version=None)).events == one(file(VERSION_1, version="1")).events


def test_a_bare_list_of_messages_is_read_and_nothing_is_made_up() -> None:
    prompt = {"role": "user", "content": f"Finish with `{SUBMIT}`.\n```mswea_bash_command\nx\n```"}
    command = reply("Look.\n```mswea_bash_command\nls\n```")

    run = one([OPENING[0], prompt, command, answer()], name="local.traj.json")

    assert [event.action for event in run.actions] == ["ls"]
    assert (run.task.task_id, run.system.model, run.outcome.ending) == ("local", None, None)


def test_responses_objects_are_read() -> None:
    answers = [output_item("b", "B", 1), output_item("a", "A", 0)]

    run = one(file([response(), *answers, exit_message()]))

    first, second = run.actions
    assert (first.turn, second.turn) == (0, 0)
    assert (first.action, first.observation, first.exit_code) == ("ls", "A", 0)
    assert (second.action, second.observation, second.exit_code) == ("id", "B", 1)
    assert (first.text, first.thought) == ("Two at once.", "Hidden.")
    assert (second.text, second.thought, second.input_tokens, second.cost_usd) == (None,) * 4
    assert (first.input_tokens, first.output_tokens, first.cost_usd) == (50, 7, 0.125)
    assert (first.timestamp, second.timestamp) == (101.5, 101.5)
    usage = run.usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (50, 40, 5)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        pytest.param("I am done.", True, id="no command"),
        pytest.param("```bash\nls\n```\nor\n```bash\nid\n```", True, id="two commands"),
        pytest.param("```bash\nls\n```", False, id="one command"),
        pytest.param("```python\nls\n```", True, id="another fence"),
    ],
)
def test_version_1_refuses_all_but_one_command(text: str, refused: bool) -> None:
    run = one(file([reply(text), answer("Give EXACTLY ONE action."), *VERSION_1], version="1"))

    (action, *others) = run.actions
    assert (action.refused, action.is_error) == (refused, True if refused else None)
    assert action.action == (text if refused else "ls")
    assert action.text is None
    assert action.observation == "Give EXACTLY ONE action."
    assert len(others) == 2


def test_a_refusal_without_the_refused_reply_is_an_action_without_text() -> None:
    run = one(file([calls("ls"), result("c1"), refusal(), *VERSION_1_1]))

    refused = run.actions[1]
    assert (refused.refused, refused.action, refused.turn) == (True, None, 1)
    assert (refused.is_error, refused.observation) == (True, "Tool call error")
    assert [event.turn for event in run.actions] == [0, 1, 2, 3]
    assert run.recorded_actions == 4


def test_a_refusal_that_repeats_the_reply_keeps_its_text() -> None:
    run = one(file([refusal(model_response="I am done."), *VERSION_1_1]))

    assert [event.action for event in run.actions if event.refused] == ["I am done."]


def test_a_refused_reply_that_was_kept_is_one_action() -> None:
    spoken = reply("I am done.", extra={"actions": []}, reasoning_content="Am I?")

    run = one(file([spoken, refusal(), *VERSION_1_1]))

    assert [event.refused for event in run.actions] == [True, False, False]
    assert (run.actions[0].action, run.actions[0].thought) == ("I am done.", "Am I?")


def test_tokens_of_a_run_are_unknown_if_a_reply_was_not_kept() -> None:
    usage = {"response": {"usage": {"prompt_tokens": 10, "completion_tokens": 1}}}
    known = calls("ls", extra=usage)

    assert one(file([known, result("c1"), exit_message()])).usage.input_tokens == 10
    assert one(file([known, result("c1"), refusal(), exit_message()])).usage.input_tokens is None


def test_a_reply_that_only_speaks_is_no_action() -> None:
    run = one(file([reply("Hello.", extra={"actions": []}), answer("Go on."), *VERSION_1_1]))

    assert [(event.event, event.text) for event in run.events[2:4]] == [
        ("reply", "Hello."),
        ("user", "Go on."),
    ]
    assert [event.turn for event in run.actions] == [1, 2]


def test_a_command_that_the_user_typed_is_not_the_agents() -> None:
    typed = {"role": "user", "content": "User command", "extra": {"actions": [{"command": "id"}]}}
    seen = {"role": "user", "content": "me", "extra": {"returncode": 0}}

    run = one(file([typed, seen, *VERSION_1_1]))

    assert [(e.actor, e.action, e.observation, e.turn) for e in run.actions[:1]] == [
        ("user", "id", "me", None)
    ]
    assert [event.action for event in agent_actions(run)] == ["ls -F", SUBMIT]


def test_a_typed_command_is_no_answer_to_an_unanswered_one() -> None:
    bare = reply("", extra={"actions": [{"command": "ls"}]})
    typed = {"role": "user", "content": "User command", "extra": {"actions": [{"command": "id"}]}}

    actions = one(file([bare, typed, exit_message()])).actions

    assert [(e.actor, e.action, e.observation) for e in actions] == [
        ("agent", "ls", None),
        ("user", "id", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "action", "state"),
    [
        pytest.param('{"command": "ls"}', "ls", "object", id="text"),
        pytest.param({"command": "ls"}, "ls", "object", id="object"),
        pytest.param('{"cmd": "ls"}', 'bash({"cmd":"ls"})', "object", id="other argument"),
        pytest.param('{"command": ', 'bash({"command": )', "invalid", id="cut"),
        pytest.param("[1]", "bash([1])", "text", id="list"),
        pytest.param(None, "bash()", "absent", id="none"),
    ],
)
def test_a_call_whose_command_the_scaffold_did_not_note_is_read_from_its_arguments(
    arguments: Any, action: str, state: str
) -> None:
    call = {"id": "c1", "function": {"name": "bash", "arguments": arguments}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}

    event = one(file([message, result("c1"), exit_message()])).actions[0]

    assert (event.action, event.arguments_state, event.observation) == (action, state, "ok")


def test_calls_without_ids_keep_their_own_commands_and_answers() -> None:
    message = calls("ls", "id")
    for written in (*message["tool_calls"], *message["extra"]["actions"]):
        written.pop("id", None)
        written.pop("tool_call_id", None)
    answers = [{"role": "tool", "content": text} for text in ("L", "I")]

    actions = one(file([message, *answers, exit_message()])).actions

    assert [(e.action, e.observation) for e in actions] == [("ls", "L"), ("id", "I")]


def test_a_command_is_cut_out_of_the_text_and_other_texts_stay_as_they_are() -> None:
    noted = {"extra": {"actions": [{"command": "ls"}]}}
    messages = [{**fenced("ls"), **noted}, {**reply("I look. \n"), **noted}]

    actions = one(file([*messages, exit_message()])).actions

    assert [event.text for event in actions] == ["THOUGHT: look.", "I look. \n"]


def test_a_failed_execution_is_an_error_as_recorded() -> None:
    failed = result("c1", "late", returncode=-1, exception_info="timed out after 60 seconds")

    event = one(file([calls("sleep 99"), failed, exit_message()])).actions[0]

    assert (event.is_error, event.error_origin, event.exit_code) == (True, "recorded", -1)
    assert event.refused is False


def test_a_timeout_of_version_1_is_an_error() -> None:
    late = answer("The last command <command>sleep 99</command> timed out and has been killed.")

    event = one(file([fenced("sleep 99"), late, *VERSION_1], version="1")).actions[0]

    assert (event.is_error, event.exit_code) == (True, None)


def test_a_non_zero_exit_code_alone_is_no_recorded_error() -> None:
    assert one(file(VERSION_1_1)).actions[0].is_error is None


def test_hidden_reasoning_is_kept_apart_from_the_text() -> None:
    choice = {"message": {"role": "assistant", "reasoning": "Hidden."}}
    message = {**fenced("ls", "THOUGHT: seen."), "extra": {"response": {"choices": [choice]}}}

    event = one(file([message, answer(), *VERSION_1], version="1")).actions[0]

    assert (event.text, event.thought) == ("THOUGHT: seen.", "Hidden.")


def test_the_duration_is_the_span_of_the_time_stamps() -> None:
    timed = [
        calls("ls", extra={"timestamp": 100.0}),
        result("c1", timestamp=101.0),
        calls("id", first=2, extra={"timestamp": 105.0}),
        result("c2", timestamp=107.5),
    ]

    usage = one(file([*timed, exit_message()])).usage

    assert (usage.started_at, usage.duration_s) == (100.0, 7.5)


def test_the_time_stamps_of_a_scripted_model_are_not_those_of_the_steps() -> None:
    scripted = {"model": {"outputs": ["ls"], "model_name": "deterministic"}}
    timed = [calls("ls", extra={"timestamp": 100.0}), result("c1", timestamp=101.0)]

    run = one(file([*timed, exit_message()], config=scripted))

    assert (run.usage.started_at, run.actions[0].timestamp) == (None, None)
    assert "outputs" not in run.system.settings["model"]


@pytest.mark.parametrize(("tracking", "cost"), [("default", 0.0), ("ignore_errors", None)])
def test_a_cost_of_zero_that_stands_for_an_unknown_one_is_missing(
    tracking: str, cost: float | None
) -> None:
    free = [calls("ls", extra={"cost": 0.0}), result("c1"), exit_message()]
    config = {"model": {"cost_tracking": tracking}}

    run = one(file(free, config=config, model_stats={"instance_cost": 0.0}))

    assert (run.usage.cost_usd, run.actions[0].cost_usd) == (cost, cost)


@pytest.mark.parametrize(
    ("status", "ending", "kind"),
    [
        ("Submitted", "completed", None),
        ("LimitsExceeded", "limit", "steps"),
        ("TimeExceeded", "limit", "time"),
        ("ContextWindowExceeded", "limit", "context"),
        ("RepeatedFormatError", "agent_error", None),
        ("Timeout", "infra_error", None),
        ("InternalServerError", "infra_error", None),
        ("RateLimitError", "infra_error", None),
        ("KeyboardInterrupt", "cancelled", None),
    ],
)
def test_endings_come_from_the_table(status: str, ending: str, kind: str | None) -> None:
    ended = file(VERSION_1_1[:-1], exit_status=status, model_stats={"api_calls": 9})

    outcome = one(ended).outcome

    assert (outcome.ending, outcome.ending_raw, outcome.limit_kind) == (ending, status, kind)


def test_a_limit_that_was_not_the_steps_is_the_cost() -> None:
    stats = {"api_calls": 3, "instance_cost": 3.01}

    outcome = one(file([], exit_status="LimitsExceeded", model_stats=stats)).outcome

    assert outcome.limit_kind == "cost"


def test_an_unknown_ending_is_kept_and_said() -> None:
    run = one(file(VERSION_1_1, exit_status="ZeroDivisionError"))

    assert (run.outcome.ending, run.outcome.ending_raw) == (None, "ZeroDivisionError")
    (problem,) = run.problems
    assert problem.severity == "warning"
    assert "ZeroDivisionError" in problem.reason
    assert "Submitted" in problem.reason


def test_a_run_that_was_cut_off_says_so() -> None:
    run = one(file(VERSION_1_1[:2], exit_status=None, submission=None))

    assert (run.outcome.ending, run.outcome.ending_raw, run.submission) == (None, None, None)
    assert [problem.severity for problem in run.problems] == ["note"]
    assert run.actions[0].observation == "no"


def test_a_failed_call_of_the_model_is_no_recorded_action() -> None:
    run = one(
        file([exit_message("Timeout", "")], exit_status="Timeout", model_stats={"api_calls": 1})
    )

    assert (run.actions, run.recorded_actions) == ((), 0)
    assert run.outcome.ending == "infra_error"


def test_replies_in_an_unknown_shape_leave_the_claim_of_the_file() -> None:
    strange = {"role": "robot", "content": "beep"}

    run = one(file([strange, strange, exit_message()], model_stats={"api_calls": 2}))

    assert (run.actions, run.recorded_actions) == ((), 2)
    assert [(problem.count, problem.severity) for problem in run.problems] == [(2, "warning")]


def test_an_empty_submission_is_not_a_missing_one() -> None:
    assert one(file(VERSION_1_1, submission="")).submission == ""
    assert one(file(VERSION_1_1, submission=None)).submission is None


def test_the_text_of_an_exception_is_no_submission() -> None:
    crashed = [*VERSION_1[:2], answer("RateLimitError: slow down")]
    told = {"exit_status": "RateLimitError", "submission": "RateLimitError: slow down"}

    run = one(file(crashed, version="1", **told))

    assert run.submission is None
    assert run.events[-1].action == "ls -F"


def test_the_prompt_is_what_stood_in_the_slot_of_the_template() -> None:
    run = one(file(VERSION_1_1))

    assert run.task.prompt == PROMPT
    assert run.task.digest == digest(PROMPT)
    assert (run.task.task_id, run.task.cluster) == (TASK, "owner/repo")


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("{% if a %}{{task}}{% endif %}", id="behind another tag"),
        pytest.param("Fix it.", id="no slot"),
        pytest.param("Other words: {{task}}", id="other words"),
        pytest.param("<pr>\n{{task}}{{n}}", id="no end"),
        pytest.param(None, id="none"),
    ],
)
def test_a_slot_that_cannot_be_found_leaves_the_whole_prompt(template: str | None) -> None:
    config = {"agent": {"instance_template": template}}

    assert one(file(VERSION_1_1, config=config)).task.prompt == OPENING[1]["content"]


@pytest.mark.parametrize(
    ("name", "task_id"),
    [
        ("runs/a__b-1.traj.json", "a__b-1"),
        ("runs.tar::a__b-1.traj.json", "a__b-1"),
        ("runs/a__b-1.traj.json.gz", "a__b-1"),
        ("runs/last_mini_run.traj.json", None),
        ("runs/trajectory.json", None),
    ],
)
def test_the_task_of_a_file_without_an_id_is_its_name(name: str, task_id: str | None) -> None:
    nameless = {key: value for key, value in file(VERSION_1_1).items() if key != "instance_id"}

    assert one(nameless, name=name).task.task_id == task_id


@pytest.mark.parametrize(("written", "task_id"), [(17, "17"), (0, "0"), ("", "a"), (None, "a")])
def test_the_id_of_a_task_may_be_a_number(written: str | int | None, task_id: str) -> None:
    numbered = {**file(VERSION_1_1), "instance_id": written}

    assert one(numbered, name="runs/a.traj.json").task.task_id == task_id


def test_the_system_holds_what_decides_sameness() -> None:
    system = one(file(VERSION_1_1)).system

    assert (system.scaffold, system.scaffold_version) == ("mini-swe-agent", "2.2.7")
    assert (system.model, system.temperature) == ("maker/model", 0.5)
    assert (system.step_limit, system.cost_limit) == (9, 3.0)
    assert system.settings == {
        "agent": {"class": "DefaultAgent"},
        "model": {"class": "LitellmModel"},
        "environment": {"timeout": 60},
    }


@pytest.mark.parametrize(
    ("change", "same"),
    [
        pytest.param({"environment": {"pull_timeout": 7200}}, True, id="pull timeout"),
        pytest.param({"environment": {"image": "swe:8", "cwd": "/app"}}, True, id="image"),
        pytest.param({"agent": {"output_path": "/home/a/b.json"}}, True, id="output path"),
        pytest.param({"model": {"litellm_model_registry": "/r.json"}}, True, id="registry"),
        pytest.param({"model": {"model_kwargs": {"api_key": "k"}}}, True, id="key"),
        pytest.param({"model_type": "other.module.LitellmModel"}, True, id="moved class"),
        pytest.param({"environment": {"timeout": 30}}, False, id="command timeout"),
        pytest.param({"model": {"model_kwargs": {"temperature": 1.0}}}, False, id="temperature"),
        pytest.param(
            {"model": {"model_kwargs": {"parallel_tool_calls": False}}}, False, id="parallel calls"
        ),
        pytest.param({"model": {"model_name": "maker/other"}}, False, id="model"),
        pytest.param({"agent": {"step_limit": 5}}, False, id="step limit"),
        pytest.param({"agent": {"system_template": "Be brief."}}, False, id="system template"),
        pytest.param({"model": {"observation_template": "{{o}}"}}, False, id="other template"),
    ],
)
def test_sameness_of_systems(change: dict[str, Any], same: bool) -> None:
    plain, changed = one(file(VERSION_1_1)), one(file(VERSION_1_1, config=change))

    ids = {system_row(run.system).system_id for run in (plain, changed)}
    assert (len(ids) == 1) is same


def test_a_long_template_stands_in_the_settings_by_its_digest() -> None:
    run = one(file(VERSION_1_1, config={"model": {"observation_template": "{{o}}"}}))

    assert run.system.settings["model"]["observation_template"] == digest("{{o}}")


def test_what_is_left_out_is_published() -> None:
    assert all(key in FORMAT.left_out for keys in LEFT_OUT.values() for key in keys)


def test_every_ending_is_reached_by_the_table_alone() -> None:
    for status, ending in ENDINGS.items():
        assert one(file([], exit_status=status)).outcome.ending == ending


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x89PNG\r\n\x00\xff", id="binary"),
        pytest.param(b'{"info": {"mini_version": "2"}, "messages": [', id="truncated"),
        pytest.param(b'{"info": {}, "messages": 5}', id="other type"),
        pytest.param(b'{"info": {"mini_version": "2"}}', id="no messages"),
        pytest.param(b'{"info": {}, "messages": []} {"info": {}}', id="two values"),
        pytest.param(b'{"info": {}, "messages": ' + b"[" * 10_000, id="deep"),
        pytest.param(b'{"info": {}, "messages": [{"content": 5}]}', id="content"),
    ],
)
def test_a_broken_file_is_one_error_with_its_name(content: bytes) -> None:
    with pytest.raises(MalformedTrajectoryError, match=TASK):
        list(read(source(content)))


def test_a_truncated_file_is_still_recognised() -> None:
    whole = source(file(VERSION_1_1)).read()

    for end in (60, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        assert sniff(Probe(source(whole[:end])))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"trajectory": [], "info": {}, "history": []}, id="swe-agent"),
        pytest.param({"info": {"agent_info": {}}, "simulations": [], "tasks": []}, id="tau2"),
        pytest.param({"messages": []}, id="chat"),
        pytest.param([{"role": "user", "content": "hi"}], id="list of messages"),
        pytest.param([], id="empty list"),
        pytest.param(7, id="number"),
    ],
)
def test_other_files_are_not_taken(value: Any) -> None:
    probe = Probe(source(value))

    assert not sniff(probe)
    assert not declares(probe)


def test_a_file_names_its_format_unless_it_is_older() -> None:
    assert declares(Probe(source(file(VERSION_1_1))))
    assert not declares(Probe(source(file(VERSION_1, version=None))))


def test_a_program_that_holds_a_file_is_none() -> None:
    program = b"FILE = " + source(file(VERSION_1_1)).read()

    assert not declares(Probe(Source("a.py", content=program)))


def test_missing_sections_are_missing_values() -> None:
    run = one({"info": {"config": None, "model_stats": None, "mini_version": "2"}, "messages": []})

    assert (run.events, run.usage.cost_usd, run.system.model, run.recorded_actions) == (
        (),
        None,
        None,
        None,
    )


def test_the_files_own_expression_names_its_fence() -> None:
    written = r"<mswea_bash_command>(.*?)</mswea_bash_command>"
    text = "```bash\nid\n```\n<mswea_bash_command>ls</mswea_bash_command>"

    run = one(
        file([reply(text), answer()], version="1", config={"agent": {"action_regex": written}})
    )

    assert [event.action for event in run.actions] == ["ls"]


def test_commands_that_the_scaffold_found_are_taken_out_of_the_text() -> None:
    text = "First\n```bash\nls\n```\nthen\n```bash\nid\n```\nand done."
    found = {"actions": [{"command": "ls"}, {"command": "id"}]}

    run = one(file([reply(text, extra=found)]))

    assert [event.action for event in run.actions] == ["ls", "id"]
    assert run.actions[0].text == "First\n\nthen\n\nand done."


def test_a_template_that_is_no_text_has_a_digest_too() -> None:
    run = one(file([calls("ls")], config={"agent": {"odd_template": ["a"]}}))

    assert run.system.settings["agent"]["odd_template"] == digest(["a"])
