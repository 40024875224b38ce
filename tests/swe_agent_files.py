"""SWE-agent's files as tests need them: two steps in a shell."""

import json
from typing import Any

from ethogram.formats.base import Probe, Source
from ethogram.formats.swe_agent import FORMAT
from ethogram.trajectory import Event, Trajectory

TASK = "owner__repo-7"
PROMPT = "Solve this.\nISSUE:\nIt breaks.\n\nINSTRUCTIONS:\nBe quick."


def step(action: str, observation: str = "ok", **changes: Any) -> dict[str, Any]:
    return {
        "action": f"{action}\n" if action else "",
        "observation": observation,
        "response": f"Let me.\n```\n{action}\n```",
        "thought": "Let me.",
        "state": '{"open_file": "n/a"}',
        "execution_time": 0.5,
        "query": [{"role": "system", "content": "dropped"}],
        **changes,
    }


def spoken(action: str, **changes: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "Let me.", "action": f"{action}\n", **changes}


def history(*actions: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"role": "system", "content": "SETTING: a shell.", "agent": "main"},
        {"role": "user", "content": "A demonstration.", "is_demo": True},
        {"role": "user", "content": PROMPT},
    ]
    for action in actions:
        entries += [action, {"role": "user", "content": "ok"}]
    return entries


def traj(**changes: Any) -> dict[str, Any]:
    return {
        "environment": "swe_main",
        "trajectory": [step("ls -F"), step("submit", "diff")],
        "history": history(spoken("ls -F"), spoken("submit")),
        "info": {
            "exit_status": "submitted",
            "submission": "diff --git",
            "model_stats": {
                "total_cost": 100.0,
                "instance_cost": 0.5,
                "tokens_sent": 100,
                "tokens_received": 10,
                "api_calls": 2,
            },
        },
        **changes,
    }


def config(**changes: Any) -> dict[str, Any]:
    return {
        "agent": {
            "type": "default",
            "name": TASK,
            "model": {
                "name": "gpt-4o",
                "temperature": 0.0,
                "top_p": 1.0,
                "per_instance_cost_limit": 3.0,
                "api_key": "sk-1",
                "completion_kwargs": {"reasoning_effort": "low", "api_key": "sk-2"},
            },
            "templates": {"system_template": "SETTING", "demonstrations": ["/home/me/demo.traj"]},
            "tools": {"bundles": [{"path": "tools/edit"}], "install_timeout": 300},
            "max_requeries": 3,
            **changes,
        },
        "problem_statement": {"id": TASK, "text": "It breaks.", "type": "text"},
        "env": {"deployment": {"image": "image-of-the-task"}},
    }


def source(value: Any, name: str = f"runs/{TASK}/{TASK}.traj") -> Source:
    return Source(name, content=value if isinstance(value, bytes) else json.dumps(value).encode())


def one(value: Any, **named: str) -> Trajectory:
    file = source(value, **named)
    assert FORMAT.sniff(Probe(file))
    (run,) = FORMAT.read(file)
    assert isinstance(run, Trajectory)
    return run


def actions(value: Any) -> list[Event]:
    return list(one(value).actions)
