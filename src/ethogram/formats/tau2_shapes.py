"""The shape of tau2-bench's results, and what they say of the system and the task."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from ethogram.formats.digest import digest
from ethogram.formats.json_text import canonical
from ethogram.formats.messages import Int32, Message
from ethogram.formats.settings import public, recorded, without_nulls
from ethogram.trajectory import System, Task

BENCHMARK: Final = "tau2-bench"


class Skipped(msgspec.Struct, gc=False):
    """An object of which only the presence matters."""


class Action(msgspec.Struct, gc=False):
    """A gold action."""

    action_id: str | int | None = None
    requestor: str | None = None
    name: str | None = None
    arguments: Any = None


class ActionCheck(msgspec.Struct, gc=False):
    """Whether the run did a gold action."""

    action: Action = msgspec.field(default_factory=Action)


class RewardInfo(msgspec.Struct, gc=False):
    """What the evaluator found."""

    reward: float | None = None
    action_checks: list[ActionCheck] | None = None
    reward_breakdown: dict[str, float | None] | None = None


class SimulationInfo(msgspec.Struct, gc=False):
    """Diagnostics of a run."""

    error: Any = None


class Simulation(msgspec.Struct, gc=False):
    """One run; a file of its own in the folder layout."""

    id: str | int | None = None
    task_id: str | int | None = None
    trial: Int32 | None = None
    seed: int | None = None
    start_time: str | float | None = None
    duration: float | None = None
    termination_reason: str | None = None
    agent_cost: float | None = None
    user_cost: float | None = None
    reward_info: RewardInfo | None = None
    messages: list[Message] | None = None
    ticks: list[Skipped] | None = None
    mode: str | None = None
    policy: str | None = None
    info: SimulationInfo | str | list[Any] | None = None


class Party(msgspec.Struct, gc=False):
    """An agent or a user: how it is made."""

    implementation: str | None = None
    llm: str | None = None
    llm_args: dict[str, Any] | None = None
    global_simulation_guidelines: str | None = None


class Environment(msgspec.Struct, gc=False):
    """The domain."""

    domain_name: str | None = None
    policy: str | None = None


class Info(msgspec.Struct, gc=False):
    """The configuration that all runs of a file share."""

    git_commit: str | None = None
    max_steps: Int32 | None = None
    max_errors: int | None = None
    agent_info: Party | None = None
    user_info: Party | None = None
    environment_info: Environment | None = None
    retrieval_config: Any = None
    retrieval_config_kwargs: Any = None


class TaskEntry(msgspec.Struct, gc=False):
    """One task as the file describes it."""

    id: str | int | None = None
    user_scenario: Any = None
    ticket: str | None = None
    initial_state: Any = None
    evaluation_criteria: Any = None


class IndexEntry(msgspec.Struct, gc=False):
    """One run in the index of the folder layout."""

    id: str | int | None = None


class Results(msgspec.Struct, gc=False):
    """A results file: monolithic, the head of the folder layout, or a relative's short form."""

    info: Info | None = None
    tasks: list[TaskEntry] | None = None
    simulations: list[Simulation] | None = None
    simulation_index: list[IndexEntry] | None = None
    format_version: str | int | float | None = None
    termination_reason: str | None = None
    """Only a file of one run has it at the top."""
    domain: str | None = None
    agent: Any = None
    model: Any = None


MODES: Final[Mapping[str, str]] = {"dummy_user": "no-user"}
"""User implementation -> mode; every other one talks to the agent."""
WITH_USER: Final = "user"

LEFT_OUT: Final = (
    "git_commit, seed, num_trials, the domain and its policy (the domain is the benchmark, the "
    "policy is in the task's digest), addresses of servers, keys and tokens of any kind; without a "
    "user: the idle user's model and arguments"
)


def system_of(results: Results) -> System:
    """Return the system that made the runs of a file."""
    if results.info is None:
        return System(scaffold=_name(results.agent), model=_name(results.model))
    info = results.info
    agent, user = info.agent_info or Party(), info.user_info or Party()
    mode = MODES.get(user.implementation or "", WITH_USER) if info.user_info else None
    agent_args = public(agent.llm_args or {})
    temperature = _popped_number(agent_args, "temperature")
    settings: dict[str, Any] = {
        "max_errors": info.max_errors,
        "agent_args": agent_args,
        "user": user.implementation,
        "retrieval": info.retrieval_config,
        "retrieval_args": public(info.retrieval_config_kwargs),
    }
    if mode == WITH_USER:
        settings["user_args"] = public(user.llm_args or {})
        settings["user_guidelines"] = _digest(user.global_simulation_guidelines)
    return System(
        scaffold=agent.implementation,
        model=agent.llm,
        user_model=user.llm if mode == WITH_USER else None,
        mode=mode,
        temperature=temperature,
        step_limit=info.max_steps,
        settings=recorded(settings),
    )


def _popped_number(arguments: dict[str, Any], name: str) -> float | None:
    """Take a number out of the arguments; anything else stays there and tells systems apart."""
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(arguments.pop(name))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _digest(text: str | None) -> str | None:
    return None if text is None else digest(text)


def environment_of(results: Results) -> Environment:
    """Domain and policy; the short form names the domain at the top."""
    if results.info is None:
        return Environment(domain_name=results.domain)
    return results.info.environment_info or Environment()


def benchmark_of(results: Results) -> str | None:
    """``tau2-bench/<domain>``; None if the file doesn't say the domain."""
    domain = environment_of(results).domain_name
    return f"{BENCHMARK}/{domain}" if domain else None


def tasks_of(results: Results, *, mode: str | None) -> dict[str, Task]:
    """Tasks by id, as the file describes them."""
    benchmark, policy = benchmark_of(results), environment_of(results).policy
    return {
        str(entry.id): _task(entry, benchmark, policy, mode)
        for entry in results.tasks or []
        if entry.id is not None
    }


def _task(entry: TaskEntry, benchmark: str | None, policy: str | None, mode: str | None) -> Task:
    said = {
        "scenario": entry.user_scenario,
        "ticket": entry.ticket,
        "initial_state": entry.initial_state,
        "evaluation_criteria": entry.evaluation_criteria,
        "policy": policy,
    }
    actions = [
        {"requestor": action.requestor, "name": action.name, "arguments": action.arguments}
        for action in gold_actions(entry)
    ]
    prompt = entry.ticket if mode == MODES["dummy_user"] and entry.ticket else None
    return Task(
        task_id=str(entry.id),
        benchmark=benchmark,
        digest=digest(without_nulls(said)),
        prompt=prompt or "\n\n".join(_texts(entry.user_scenario)) or None,
        reference=canonical(actions) if actions else None,
    )


def gold_actions(entry: TaskEntry) -> list[Action]:
    """What the task wants done; empty if the file says nothing that can be read."""
    criteria = entry.evaluation_criteria
    actions = criteria.get("actions") if isinstance(criteria, dict) else None
    try:
        return msgspec.convert(actions or [], list[Action])
    except msgspec.ValidationError:
        return []


def _texts(scenario: Any) -> Iterator[str]:
    """Every text of a scenario in the order of the file."""
    if isinstance(scenario, str):
        yield scenario
    elif isinstance(scenario, dict):
        for key, inner in scenario.items():
            if key != "domain":
                yield from _texts(inner)
