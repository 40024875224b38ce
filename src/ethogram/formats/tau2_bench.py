"""tau2-bench: results files with many runs, in one file or in a folder.

The folder layout has ``results.json`` with the configuration and ``simulations/<id>.json`` with a
run each. Its runs are read with ``results.json``; a file of ``simulations/`` is then known and
yields nothing by itself, unless it is compressed: then it is read by itself, with what
``results.json`` says. Where no ``results.json`` that can be read lies beside the folder (an
archive, a copied file, a broken one), such a file is read alone, without the system and the domain
that only ``results.json`` names.

The domain's policy is the system event; the fixed greeting is ``scripted``; the simulated user's
calls are actions of the actor ``user``. Attempts that tau2-bench refused and asked for again are
actions with ``is_error``. Full-duplex voice runs (``ticks``) have no messages to read and are
refused, once a file.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import COMPRESSIONS, UNPACKING_ERRORS, Format, Probe, Source
from ethogram.formats.chat import read_messages
from ethogram.formats.json_text import decode
from ethogram.formats.records import decode_or_loose, each_record
from ethogram.formats.settings import recorded
from ethogram.formats.tau2_checks import GoldActions
from ethogram.formats.tau2_shapes import (
    LEFT_OUT,
    Results,
    Simulation,
    TaskEntry,
    benchmark_of,
    environment_of,
    system_of,
    tasks_of,
)
from ethogram.formats.times import to_seconds
from ethogram.trajectory import Ending, Event, Outcome, Problem, Task, Trajectory, Usage
from ethogram.user_files import reason_of

GREETINGS: Final = frozenset({"Hi! How can I help you today?"})
"""What tau2-bench itself says first in the agent's name."""

ENDINGS: Final[dict[str, tuple[Ending, str | None]]] = {
    "user_stop": ("completed", None),
    "agent_stop": ("completed", None),
    "max_steps": ("limit", "steps"),
    "timeout": ("limit", "time"),
    "too_many_errors": ("limit", "errors"),
    "context_window_exceeded": ("limit", "context"),
    "agent_error": ("agent_error", None),
    "user_error": ("infra_error", None),  # the simulated user broke the protocol, not the agent
    "infrastructure_error": ("infra_error", None),
    "unexpected_error": ("infra_error", None),
}
"""Termination reason -> ending and kind of limit."""

WRONG_TASK: Final = Problem(
    reason="the actions checked in this run are not those of the task that task_id names",
    field="task_id",
    severity="warning",
)
UNLISTED_TASK: Final = Problem(
    reason="task_id is none of those in the file's list of tasks",
    field="task_id",
    severity="warning",
)
TOLERANCE: Final = 1e-6
RULE: Final = f"abs(reward - 1) < {TOLERANCE:g}"

_RESULTS: Final = msgspec.json.Decoder(Results)
_SIMULATION: Final = msgspec.json.Decoder(Simulation)
_HEAD: Final = "results.json"
_FOLDER: Final = "simulations"
_RUN: Final = ".json"
_OF_A_RUN: Final = frozenset({"task_id", "messages", "ticks"})
_RELATIVES: Final = frozenset({"info", "tasks", "domain", "agent", "model", "timestamp"})


def sniff(probe: Probe) -> bool:
    """Whether the file holds results of tau2-bench, or one run of its folder layout."""
    keys = probe.keys
    if _is_run(keys):
        return True
    if _FOLDER in keys:
        return bool(keys & _RELATIVES)
    return {"info", "tasks"} <= keys and b'"agent_info"' in probe.head


def _is_run(keys: frozenset[str]) -> bool:
    return {"task_id", "termination_reason"} <= keys and bool({"messages", "ticks"} & keys)


def read(source: Source) -> Iterator[Trajectory | Problem]:
    """Yield the runs of a results file (and of the folder beside it), or of a single run's file."""
    head = _head_beside(source)
    if head is not None and source.name.endswith(_RUN):
        return
    text = source.read()
    loose, problems = decode_or_loose(text, _RESULTS, place=source.name)
    yield from problems
    results, records, broken = _split(loose, source)
    yield from broken
    shared = _Shared(head or results)
    if results.termination_reason is not None:
        alone, _ = decode(text, _SIMULATION, place=source.name)
        yield from shared.read(alone, place=None)
    for position, record in each_record(records, Simulation, name="simulation"):
        yield from shared.read(record, place=str(position))
    yield from _read_folder(source, results, shared)
    yield from shared.refused()


def _head_beside(source: Source) -> Results | None:
    """What is said in the ``results.json`` to whose folder a run's file belongs.

    None if there is none that can be read: then the run is read without it, not lost with it.
    """
    if source.path is None or source.path.parent.name != _FOLDER:
        return None
    if not _is_run(Probe(source).keys):
        return None
    folder = source.path.parent.parent
    heads = (folder / f"{_HEAD}{suffix}" for suffix in ("", *COMPRESSIONS))
    path = next((path for path in heads if path.is_file()), None)
    return None if path is None else _read_head(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read_head(path: Path, modified_ns: int) -> Results | None:  # noqa: ARG001  tells versions apart
    """Read a ``results.json`` for the runs of its folder, once for all of them."""
    try:
        source = Source(str(path), path, Source(str(path), path).read())
        loose, _ = decode_or_loose(source.read(), _RESULTS, place=source.name)
        return _split(loose, source)[0] if sniff(Probe(source)) else None
    except (MalformedTrajectoryError, OSError, *UNPACKING_ERRORS):
        return None


def _split(loose: Any, source: Source) -> tuple[Results, list[Any], list[Problem]]:
    """Separate what all runs share from the runs, of which some may not fit their shape.

    The last part are the problems with tasks: without its task a run is a run all the same.
    """
    if isinstance(loose, Results):
        return loose, list(loose.simulations or []), []
    if isinstance(loose, list):
        return Results(), loose, []
    records = loose.get(_FOLDER) if isinstance(loose, dict) else None
    if not isinstance(loose, dict) or not isinstance(records, list | None):
        raise MalformedTrajectoryError(f"{source.name}: no list of simulations")
    entries = list(_task_entries(loose.get("tasks")))
    tasks = [entry for entry in entries if isinstance(entry, TaskEntry)]
    try:
        results = msgspec.convert({**loose, "tasks": tasks, _FOLDER: []}, Results)
    except msgspec.ValidationError as err:
        raise MalformedTrajectoryError(f"{source.name}: {err}") from err
    return results, records or [], [entry for entry in entries if isinstance(entry, Problem)]


def _task_entries(tasks: Any) -> Iterator[TaskEntry | Problem]:
    if isinstance(tasks, list | None):
        yield from (entry for _, entry in each_record(tasks or [], TaskEntry, name="task"))
    else:
        yield Problem(reason=f"tasks must be a list, found {type(tasks).__name__}", field="tasks")


def _read_folder(
    source: Source, results: Results, shared: "_Shared"
) -> Iterator[Trajectory | Problem]:
    """Read the runs in ``simulations/`` beside a results file that is on disk."""
    # LIMIT: a cohort takes a file as read while its bytes are the same, so a run that is added to
    # the folder later is found by a fresh read only, unless results.json changes with it
    folder = None if source.path is None else source.path.parent / _FOLDER
    if folder is None or source.basename != _HEAD or not folder.is_dir():
        return
    names = sorted(path.name for path in folder.iterdir())
    for name in names:
        file = source.sibling(f"{_FOLDER}/{name}") if name.endswith(_RUN) else None
        if file is not None:
            yield from _read_member(file, f"{_FOLDER}/{name}", shared)
    there = {Source(name).basename for name in names}
    missing = {f"{entry.id}{_RUN}" for entry in results.simulation_index or []} - there
    if missing:
        yield Problem(
            reason="runs that simulation_index lists have no file in simulations/",
            field="simulation_index",
            count=len(missing),
        )


def _read_member(file: Source, place: str, shared: "_Shared") -> Iterator[Trajectory | Problem]:
    """Read one file of ``simulations/``; nothing of a file that is something else altogether."""
    try:
        content = file.read()
        simulation, problems = decode(content, _SIMULATION, place=place)
    except MalformedTrajectoryError as err:
        yield Problem(reason=str(err), record=place)
        return
    except OSError as err:
        yield Problem(reason=f"{place}: can't be read: {reason_of(err)}", record=place)
        return
    if Probe(Source(place, content=content)).keys.isdisjoint(_OF_A_RUN):
        return
    yield from problems
    yield from shared.read(simulation, place=place)


class _Shared:
    """What the runs of one file have in common, worked out once."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._system = system_of(results)
        self._benchmark = benchmark_of(results)
        self._tasks = tasks_of(results, mode=self._system.mode)
        self._gold = GoldActions(results)
        self._policy = environment_of(results).policy
        self._voice = 0

    def read(
        self, record: Simulation | Problem, *, place: str | None
    ) -> Iterator[Trajectory | Problem]:
        """Yield one run, or the problem that it is."""
        if isinstance(record, Problem):
            yield record
        elif _is_voice(record):
            self._voice += 1
        else:
            yield self._trajectory(record, place)

    def refused(self) -> Iterator[Problem]:
        """Say how many voice runs there were."""
        if self._voice:
            yield Problem(
                reason="full-duplex voice runs record audio ticks instead of messages and can't "
                "be read",
                field="ticks",
                count=self._voice,
            )

    def _trajectory(self, simulation: Simulation, place: str | None) -> Trajectory:
        policy = simulation.policy or self._policy
        first = [] if policy is None else [Event(event="system", text=policy)]
        chat = read_messages(simulation.messages or [], greetings=GREETINGS, first=first)
        wrong = self._gold.contradict(simulation)
        doubts = [WRONG_TASK] if wrong else self._unlisted(simulation.task_id)
        outcome, unknown = outcome_of(simulation)
        return Trajectory(
            system=self._system,
            task=self._task(simulation.task_id),
            outcome=outcome,
            events=chat.events,
            usage=Usage(
                started_at=to_seconds(simulation.start_time),
                duration_s=simulation.duration,
                input_tokens=chat.input_tokens,
                output_tokens=chat.output_tokens,
                other_tokens=chat.user_tokens,
                cost_usd=_known_cost(simulation.agent_cost, chat.output_tokens),
            ),
            native_id=None if simulation.id is None else str(simulation.id),
            trial=simulation.trial,
            recorded_actions=chat.agent_calls,
            format_version=_text(self._results.format_version),
            record=_text(simulation.id) or place,
            problems=(*chat.problems, *doubts, *unknown),
            extra={
                **self._extra(simulation, chat.unwrapped),
                **({"task_id_by_checks": self._gold.task_of(simulation)} if wrong else {}),
            },
        )

    def _unlisted(self, task_id: str | int | None) -> list[Problem]:
        if task_id is None or not self._tasks or str(task_id) in self._tasks:
            return []
        return [UNLISTED_TASK]

    def _task(self, task_id: str | int | None) -> Task:
        known = self._tasks.get(str(task_id))
        return known or Task(task_id=_text(task_id), benchmark=self._benchmark)

    def _extra(self, simulation: Simulation, unwrapped: int) -> dict[str, Any]:
        error = getattr(simulation.info, "error", None)
        extra = {
            "seed": simulation.seed,
            "user_cost_usd": simulation.user_cost,
            "git_commit": self._results.info.git_commit if self._results.info else None,
            "unwrapped_messages": unwrapped or None,
            "error": error,
        }
        return recorded(extra)


def _is_voice(simulation: Simulation) -> bool:
    """Whether the run was spoken: it has ticks where others have messages."""
    if simulation.messages is None:
        return simulation.ticks is not None
    return not simulation.messages and bool(simulation.ticks)


def outcome_of(simulation: Simulation) -> tuple[Outcome, list[Problem]]:
    """Outcome by tau2-bench's own rule, and a warning for an ending that no table knows."""
    info, raw = simulation.reward_info, simulation.termination_reason
    reward = info.reward if info else None
    ending, limit = ENDINGS.get(raw or "", (None, None))
    outcome = Outcome(
        success=None if reward is None else abs(reward - 1) < TOLERANCE,
        score=reward,
        scores=tuple((n, v, None) for n, v in ((info and info.reward_breakdown) or {}).items()),
        source=None if reward is None else "own file",
        rule=None if reward is None else RULE,
        ending=ending,
        ending_raw=raw,
        limit_kind=limit,
    )
    if raw is None or ending is not None:
        return outcome, []
    return outcome, [
        Problem(
            reason=f"unknown termination_reason {raw!r}; known: {', '.join(ENDINGS)}",
            field="termination_reason",
            severity="warning",
        )
    ]


def _text(value: str | int | float | None) -> str | None:
    return None if value is None else str(value)


def _known_cost(cost: float | None, output_tokens: int | None) -> float | None:
    """Cost of a run; tau2-bench writes 0 where it knows no price for the model: not recorded."""
    return None if cost == 0 and output_tokens else cost


FORMAT: Final = Format(
    name="tau2-bench",
    sniff=sniff,
    read=read,
    about="Results of tau2-bench (text modes): one file, or results.json with simulations/.",
    docs_url="https://github.com/sierra-research/tau2-bench",
    left_out=LEFT_OUT,
)
