"""Results of tau2-bench as tests need them: a kiosk that sells ice."""

import json
from pathlib import Path
from typing import Any

from ethogram.formats.base import Probe, Source
from ethogram.formats.tau2_bench import FORMAT, GREETINGS
from ethogram.trajectory import Problem, Trajectory

(GREETING,) = GREETINGS
POLICY = "# Kiosk policy\nBe brief."


def gold(name: str, number: int, task: str = "7", **arguments: Any) -> dict[str, Any]:
    return {
        "action_id": f"{task}_{number}",
        "requestor": "assistant",
        "name": name,
        "arguments": arguments,
        "info": None,
    }


def task(task_id: str, *actions: dict[str, Any], reason: str = "You want ice.") -> dict[str, Any]:
    return {
        "id": task_id,
        "description": {"purpose": "never shown to anybody"},
        "user_scenario": {
            "persona": None,
            "instructions": {"domain": "kiosk", "reason_for_call": reason, "known_info": "Ann."},
        },
        "ticket": "The customer wants ice.",
        "initial_state": None,
        "evaluation_criteria": {"actions": list(actions), "nl_assertions": None},
    }


def messages() -> list[dict[str, Any]]:
    call = {"id": "c1", "name": "get_ice", "arguments": {"n": 2}, "requestor": "assistant"}
    told = {"prompt_tokens": 50, "completion_tokens": 5}
    return [
        {"role": "assistant", "content": GREETING, "tool_calls": None, "usage": None},
        {"role": "user", "content": "Ice, please.", "usage": told},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call],
            "timestamp": "2026-03-09T05:41:00",
            "usage": told,
            "cost": 0.25,
        },
        {"role": "tool", "id": "c1", "content": "{}", "requestor": "assistant", "error": True},
        {"role": "assistant", "content": '{"message": "None left."}', "usage": told},
    ]


def simulation(**changes: Any) -> dict[str, Any]:
    return {
        "id": "s1",
        "task_id": "7",
        "trial": 2,
        "seed": 99,
        "start_time": "2026-03-09T05:40:00",
        "duration": 12.5,
        "termination_reason": "user_stop",
        "agent_cost": 0.5,
        "user_cost": 0.125,
        "reward_info": {
            "reward": 1.0,
            "action_checks": [{"action": gold("get_ice", 0, n=2), "action_match": True}],
            "reward_breakdown": {"DB": 1.0},
        },
        "messages": messages(),
        **changes,
    }


def info(**changes: Any) -> dict[str, Any]:
    return {
        "git_commit": "abc",
        "num_trials": 4,
        "max_steps": 200,
        "max_errors": 10,
        "seed": 300,
        "agent_info": {
            "implementation": "llm_agent",
            "llm": "model-a",
            "llm_args": {"temperature": 0.0, "api_key": "sk-1", "max_tokens": 9},
        },
        "user_info": {
            "implementation": "user_simulator",
            "llm": "model-u",
            "llm_args": {"temperature": 0.5},
            "global_simulation_guidelines": "Play a customer.",
        },
        "environment_info": {"domain_name": "kiosk", "policy": POLICY},
        **changes,
    }


NO_USER = {
    "agent_info": {"implementation": "llm_agent_solo", "llm": "model-a"},
    "user_info": {"implementation": "dummy_user", "llm": "model-u", "llm_args": {"n": 1}},
}


def results(*simulations: Any, **changes: Any) -> dict[str, Any]:
    tasks = [task("7", gold("get_ice", 0, n=2)), task("8", gold("sell", 0, "8"), reason="Sell.")]
    return {"info": info(), "tasks": tasks, "simulations": list(simulations), **changes}


def source(value: Any, name: str = "results.json") -> Source:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Source(name, content=content)


def read(value: Any) -> tuple[list[Trajectory], list[Problem]]:
    file = source(value)
    assert FORMAT.sniff(Probe(file))
    return split(file)


def split(file: Source) -> tuple[list[Trajectory], list[Problem]]:
    found = list(FORMAT.read(file))
    runs = [item for item in found if isinstance(item, Trajectory)]
    return runs, [item for item in found if isinstance(item, Problem)]


def one(**changes: Any) -> Trajectory:
    (run,), problems = read(results(simulation(**changes)))
    assert problems == []
    return run


def folder(path: Path, *simulations: dict[str, Any], **changes: Any) -> Path:
    head = results(**changes)
    del head["simulations"]
    (path / "simulations").mkdir()
    (path / "results.json").write_text(json.dumps(head), "utf-8")
    for simulated in simulations:
        file = path / "simulations" / f"{simulated['id']}.json"
        file.write_text(json.dumps(simulated), "utf-8")
    return path / "results.json"


def on_disk(path: Path) -> Source:
    return Source(str(path), path=path)
