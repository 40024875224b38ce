"""The shape of SWE-agent's ``.traj`` files, and what they say of the system and the task.

The repeated prompt (``query``, before 1.1 ``messages``) and the shell's ``state`` of every step are
never decoded.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.digest import digest, repository
from ethogram.formats.messages import Int32, ToolCall, text_of
from ethogram.formats.records import decode_or_loose
from ethogram.formats.settings import public, recorded
from ethogram.trajectory import Problem, System, Task

SCAFFOLD: Final = "swe-agent"


class Step(msgspec.Struct, gc=False):
    """One response of the model and what came of it."""

    action: Any = None
    observation: Any = None
    response: Any = None
    thought: Any = None
    reasoning_content: Any = None
    execution_time: float | None = None


class Entry(msgspec.Struct, gc=False):
    """One message of the history."""

    role: str | None = None
    content: Any = None
    action: Any = None
    thought: Any = None
    is_demo: bool | None = None
    tool_calls: list[ToolCall] | None = None
    thinking_blocks: Any = None


class Stats(msgspec.Struct, gc=False):
    """What the model was asked; ``total_cost`` adds up over the whole batch and is not read."""

    instance_cost: float | None = None
    tokens_sent: int | float | None = None
    tokens_received: int | float | None = None
    api_calls: int | None = None


class Info(msgspec.Struct, gc=False):
    """How the run ended."""

    exit_status: str | int | None = None
    submission: Any = None
    model_stats: Stats | None = None
    swe_agent_version: str | None = None
    best_attempt_idx: Int32 | None = None


class Attempt(msgspec.Struct, gc=False):
    """One attempt; a file without attempts is one."""

    trajectory: list[Step] | None = None
    history: list[Entry] | None = None
    info: Info | None = None
    replay_config: str | dict[str, Any] | None = None
    environment: str | None = None


class File(Attempt, gc=False):
    """A whole file."""

    attempts: list[Attempt] | None = None


class Model(msgspec.Struct, gc=False):
    """The model's part of a configuration."""

    name: str | None = None
    temperature: float | None = None
    per_instance_cost_limit: float | None = None
    per_instance_call_limit: Int32 | None = None
    top_p: float | None = None
    completion_kwargs: Any = None


class Agent(msgspec.Struct, gc=False):
    """The agent's part of a configuration."""

    type: str | None = None
    model: Model | None = None
    templates: dict[str, Any] | None = None
    tools: dict[str, Any] | None = None
    history_processors: Any = None
    history_processor: Any = None
    max_requeries: int | None = None
    agent_configs: "list[Agent] | None" = None
    retry_loop: Any = None
    misfit: str | None = None
    """Stands for a configuration of which only the model's name could be read."""


class Statement(msgspec.Struct, gc=False):
    """The problem statement."""

    id: str | int | None = None
    text: str | None = None


class Config(msgspec.Struct, gc=False):
    """The configuration that ``replay_config`` repeats."""

    agent: Agent | None = None
    problem_statement: Statement | None = None


_CONFIG: Final = msgspec.json.Decoder(Config)
_CONFIG_PLACE: Final = "replay_config"
S = TypeVar("S")

LEFT_OUT: Final = (
    "the environment (image, repository, commands), names of agents, addresses and keys of the "
    "model's server, time limits of tools, paths of demonstrations, output folders, limits of the "
    "batch"
)
_TOOL_TIMES: Final = frozenset(
    {"execution_timeout", "install_timeout", "total_execution_timeout", "command_docs"}
)
_NO_MODELS: Final = frozenset({"replay", "instant_empty_submit"})
"""Stand-ins of SWE-agent that replay or submit without any model."""
_FILLED: Final = re.compile(r"(?<=The flag format for this CTF is ).*")
"""The one part of SWE-agent's system prompts that is filled in per task."""
_FOLDER: Final = re.compile(
    r"(?P<model>(?:(?!__).)+)__(?P<data>.+)__(?P<config>(?:(?!__).)+)"
    r"__t-(?P<temperature>\d+\.\d+)__p-(?P<top_p>\d+\.\d+)__c-(?P<cost>\d+\.\d+)__install-\d.*"
)
"""The name that SWE-agent before 1.0 gives to the folder of a batch."""


def config_of(attempt: Attempt) -> tuple[Config, list[Problem]]:
    """Read the configuration, which is JSON text in some versions and an object in others.

    An unreadable one counts as none; one of which some part has another type is read in parts. Both
    are warned of: systems can't be told apart by what was not read.
    """
    written = attempt.replay_config
    if not written:
        return Config(), []
    text = written.encode("utf-8", "surrogatepass") if isinstance(written, str) else b""
    try:
        config, problems = decode_or_loose(
            text or msgspec.json.encode(written), _CONFIG, place=_CONFIG_PLACE
        )
        return (config, problems) if isinstance(config, Config) else _in_parts(config)
    except MalformedTrajectoryError as err:
        return Config(), [_unread(str(err))]


def _in_parts(loose: Any) -> tuple[Config, list[Problem]]:
    try:
        return msgspec.convert(loose, Config), []
    except msgspec.ValidationError as err:
        problem = _unread(f"{_CONFIG_PLACE}: {err}")
    parts = loose if isinstance(loose, dict) else {}
    agent = parts.get("agent")
    config = Config(
        agent=_fitting(agent, Agent) or _named_only(agent),
        problem_statement=_fitting(parts.get("problem_statement"), Statement),
    )
    return config, [problem]


def _fitting(value: Any, shape: type[S]) -> S | None:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError:
        return None


def _named_only(agent: Any) -> Agent | None:
    """Take the model's name; the rest only tells the system from others."""
    if not isinstance(agent, dict):
        return None
    model = agent.get("model")
    name = model.get("name") if isinstance(model, dict) else model
    rest = {key: value for key, value in agent.items() if key != "name"}  # it may be the task's
    return Agent(
        model=Model(name=name if isinstance(name, str) else None), misfit=digest(public(rest))
    )


def _unread(reason: str) -> Problem:
    return Problem(
        reason=f"{reason}; the settings were not read, or in part only",
        field=_CONFIG_PLACE,
        severity="warning",
    )


def system_of(attempt: Attempt, config: Config, folders: list[str]) -> System:
    """Return the system: from the configuration, else from the name of the batch's folder."""
    info = attempt.info or Info()
    if config.agent is None:
        return _system_of_folder(attempt, info, folders)
    agent = config.agent
    inner = agent.agent_configs or [agent]
    models = [one.model or Model() for one in inner]
    first, parts = models[0], [_parts(one) for one in inner]
    names = sorted({model.name for model in models if model.name})
    settings: dict[str, Any] = {
        **(parts[0] if len(parts) == 1 else {"agents": parts}),
        "models": names if len(names) > 1 else None,
        "retry_loop": public(agent.retry_loop),
    }
    return System(
        scaffold=SCAFFOLD,
        scaffold_version=info.swe_agent_version,
        model=_model(names[0]) if len(names) == 1 else None,
        mode=agent.type if agent.type not in {None, "default"} else None,
        temperature=first.temperature,
        step_limit=first.per_instance_call_limit or None,
        cost_limit=first.per_instance_cost_limit or None,
        prompt_digest=digest([_templates(one) for one in inner]),
        tools_digest=digest([_tools(one) for one in inner]),
        settings=recorded(settings),
    )


def _parts(agent: Agent) -> dict[str, Any]:
    model = agent.model or Model()
    return recorded(
        {
            "top_p": model.top_p,
            "completion_kwargs": public(model.completion_kwargs),
            "history": agent.history_processors or _listed(agent.history_processor),
            "max_requeries": agent.max_requeries,
            "misfit": agent.misfit,
        }
    )


def _listed(processor: Any) -> list[Any]:
    """Return the one processor of early versions as the list of later ones."""
    return [processor] if processor else []


def _templates(agent: Agent) -> dict[str, Any]:
    return {k: v for k, v in (agent.templates or {}).items() if k != "demonstrations"}


def _tools(agent: Agent) -> dict[str, Any]:
    return {k: v for k, v in (agent.tools or {}).items() if k not in _TOOL_TIMES}


def _system_of_folder(attempt: Attempt, info: Info, folders: list[str]) -> System:
    match = next((m for m in map(_FOLDER.fullmatch, reversed(folders)) if m), None)
    said: Mapping[str, str] = match.groupdict() if match else {}
    system = next((e.content for e in attempt.history or [] if e.role == "system"), None)
    prompt = text_of(system)
    return System(
        scaffold=SCAFFOLD,
        scaffold_version=info.swe_agent_version,
        model=_model(said.get("model")),
        temperature=_number(said.get("temperature")),
        cost_limit=_number(said.get("cost")) or None,
        prompt_digest=digest(_FILLED.sub("", prompt)) if prompt else None,
        settings={"top_p": float(said["top_p"]), "config": said["config"]} if said else {},
    )


def _model(name: str | None) -> str | None:
    return None if name in _NO_MODELS else name


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


_ISSUE: Final = (
    re.compile(r"\bISSUE:\n(.*?)\n\s*INSTRUCTIONS:", re.DOTALL),
    re.compile(r"<pr_description>\s*(.*?)\s*</pr_description>", re.DOTALL),
)
"""Where the problem stands in the prompts that SWE-agent ships."""
_INSTANCE: Final = re.compile(r"[\w.-]+__[\w.-]+-\d+")


def task_of(attempt: Attempt, config: Config, stem: str, prompt: str | None) -> Task:
    """Return the task: its id from the configuration, else the environment, else the file's name.

    ``environment`` counts only if it looks like an instance id: it is usually just ``main``. The
    digest is that of the problem alone, without the scaffold's words around it.
    """
    statement = config.problem_statement or Statement()
    environment = attempt.environment or ""
    task_id = None if statement.id is None else str(statement.id)
    if not task_id:
        task_id = environment if _INSTANCE.fullmatch(environment) else stem
    problem = (statement.text or _issue(prompt or "") or "").strip()
    return Task(
        task_id=task_id or None,
        digest=digest(problem) if problem else None,
        prompt=problem or prompt,
        cluster=repository(task_id),
    )


def _issue(prompt: str) -> str | None:
    for pattern in _ISSUE:
        if match := pattern.search(prompt):
            return match[1]
    return None
