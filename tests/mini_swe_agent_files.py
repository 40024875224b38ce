"""mini-SWE-agent files of every version, by hand, for the tests of whoever reads or joins them."""

from typing import Any

import msgspec

from ethogram.formats.base import Probe, Source
from ethogram.formats.mini_swe_agent import FORMAT
from ethogram.trajectory import Trajectory

TASK = "owner__repo-7"
PROMPT = "The sum of nothing is not zero."
TEMPLATE = "<pr>\n{{task}}\n</pr>\nYou have {{n}} steps.\n"
OPENING = [
    {"role": "system", "content": "You can use a shell."},
    {"role": "user", "content": f"<pr>\n{PROMPT}\n</pr>\nYou have 9 steps."},
]
CONFIG = {
    "agent": {
        "system_template": "You can use a shell.",
        "instance_template": TEMPLATE,
        "step_limit": 9,
        "cost_limit": 3.0,
    },
    "model": {"model_name": "maker/model", "model_kwargs": {"temperature": 0.5}},
    "environment": {"image": "swe:7", "cwd": "/testbed", "timeout": 60, "pull_timeout": 120},
    "agent_type": "minisweagent.agents.default.DefaultAgent",
    "model_type": "minisweagent.models.litellm_model.LitellmModel",
}


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Change some leaves of nested objects."""
    return {
        **base,
        **{
            key: merged(base[key], value)
            if isinstance(value, dict) and isinstance(base.get(key), dict)
            else value
            for key, value in changes.items()
        },
    }


def file(
    messages: list[dict[str, Any]], *, version: str | None = "1.1", **info: Any
) -> dict[str, Any]:
    """Give a file with these messages after the opening; ``info`` changes the rest."""
    said = {
        "model_stats": {"instance_cost": 0.25, "api_calls": len(messages) // 2},
        "config": CONFIG,
        "mini_version": "2.2.7",
        "exit_status": "Submitted",
        "submission": "diff",
    }
    whole = {"info": merged(said, info), "messages": [*OPENING, *messages], "instance_id": TASK}
    if version is not None:
        whole["trajectory_format"] = f"mini-swe-agent-{version}"
    return whole


def source(value: Any, name: str = f"runs/{TASK}.traj.json") -> Source:
    content = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Source(name, content=content)


def one(value: Any, name: str = f"runs/{TASK}.traj.json") -> Trajectory:
    """Read a file that must hold one run and be recognised."""
    read_from = source(value, name)
    assert FORMAT.sniff(Probe(read_from))
    (run,) = FORMAT.read(read_from)
    assert isinstance(run, Trajectory)
    return run


def reply(text: str, **more: Any) -> dict[str, Any]:
    """Version 1: a reply with its command in a fence, or whatever the text says."""
    return {"role": "assistant", "content": text, **more}


def fenced(command: str, thought: str = "THOUGHT: look.") -> dict[str, Any]:
    return reply(f"{thought}\n\n```bash\n{command}\n```")


def answer(text: str = "<returncode>0</returncode>\n<output>\nok\n</output>") -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(*commands: str, first: int = 1, **more: Any) -> dict[str, Any]:
    """Version 1.1: a reply with tool calls, as the chat interface has them."""
    ids = [f"c{first + number}" for number in range(len(commands))]
    extra = {
        "actions": [
            {"command": command, "tool_call_id": call_id}
            for command, call_id in zip(commands, ids, strict=True)
        ],
        **more.pop("extra", {}),
    }
    written = [
        {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": arguments}}
        for call_id, arguments in zip(ids, map(_arguments, commands), strict=True)
    ]
    return {"role": "assistant", "content": "", "tool_calls": written, "extra": extra, **more}


def _arguments(command: str) -> str:
    return msgspec.json.encode({"command": command}).decode()


def result(call_id: str, text: str = "ok", **extra: Any) -> dict[str, Any]:
    more = {"raw_output": text, "returncode": 0, **extra}
    return {"role": "tool", "tool_call_id": call_id, "content": text, "extra": more}


def refusal(text: str = "Tool call error", **extra: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "extra": {"interrupt_type": "FormatError", **extra}}


def exit_message(status: str = "Submitted", submission: str = "diff") -> dict[str, Any]:
    extra = {"exit_status": status, "submission": submission}
    return {"role": "exit", "content": submission, "extra": extra}


def response(**more: Any) -> dict[str, Any]:
    """Version 1.1: a whole object of the Responses interface, with two calls."""
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hidden."}]},
        {"type": "message", "role": "assistant", "content": [{"text": "Two at once."}]},
        *(
            {"type": "function_call", "call_id": call_id, "name": "bash", "arguments": arguments}
            for call_id, arguments in (("a", _arguments("ls")), ("b", _arguments("id")))
        ),
    ]
    usage = {
        "input_tokens": 50,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 40},
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    actions = [{"command": "ls", "tool_call_id": "a"}, {"command": "id", "tool_call_id": "b"}]
    extra = {"actions": actions, "timestamp": 101.5, "cost": 0.125}
    whole = {"object": "response", "created_at": 100.0, "usage": usage, "output": output}
    return {**whole, "extra": extra, **more}


def output_item(call_id: str, text: str, code: int) -> dict[str, Any]:
    """What came back for a call, for the Responses interface."""
    answered = {"type": "function_call_output", "call_id": call_id, "output": text}
    return {**answered, "extra": {"returncode": code}}


def samples() -> dict[str, Any]:
    """One file of each version and shape of messages."""
    chat = [calls("ls"), result("c1"), refusal(), calls("id", first=2), exit_message()]
    whole = [response(), output_item("a", "A", 0), output_item("b", "B", 1), exit_message()]
    plain = [fenced("ls"), answer(), reply("Nothing."), answer("Again."), fenced("id")]
    return {
        "chat.traj.json": file(chat),
        "responses.traj.json": file(whole),
        "first.traj.json": file([*plain, answer("diff")], version="1"),
        "older.traj.json": file(plain, version=None, exit_status=None),
    }
