"""Trajectories -> rows of the six tables.

A `RowBuilder` gathers rows column by column, because Polars takes whole columns far faster than
rows, and keeps each text once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain, compress
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
import polars as pl

from ethogram.cohort.ids import id_of, text_ref
from ethogram.cohort.naming import SystemRow, settings_digest, system_row
from ethogram.cohort.schema import PROBLEMS, RUNS, STEPS, TASKS, TEXTS
from ethogram.ingest.label import EventLabeler, EventLabels
from ethogram.trajectory import Event, Problem, System, Trajectory

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH).total_seconds()
_END_SECOND: Final = (datetime.max.replace(tzinfo=UTC, microsecond=0) - _EPOCH).total_seconds() + 1
"""Before this the year 10000 has not begun."""
_TEXT_COLUMNS: Final = (
    ("text_ref", "text"),
    ("thought_ref", "thought"),
    ("observation_ref", "observation"),
)


@dataclass(frozen=True)
class Place:
    """Where a run was read: what its identity and its ``source`` column are made from."""

    format: str
    source: str
    digest: str
    """Digest of the file's bytes."""
    position: int
    """Number of the record within the file."""
    system: System
    """As the file writes it, before the user or the path say otherwise."""
    given_name: str | None = None
    captured: tuple[tuple[str, str], ...] = ()
    """What a layout captured from the path."""


@dataclass
class Batch:
    """Rows of some trajectories as frames, ready to be written or put together."""

    runs: pl.DataFrame
    steps: pl.DataFrame
    texts: pl.DataFrame
    tasks: pl.DataFrame
    problems: pl.DataFrame
    systems: list[SystemRow] = field(default_factory=list)


_Columns = dict[str, Sequence[Any]]
"""Column of the steps -> its values, in order."""


def run_id(trajectory: Trajectory, place: Place) -> str:
    """Identity of a run, made from what it is and never from where it lies.

    Format, model as the file writes it, benchmark, task and the run's own id, with scaffold and
    settings, because some files just number their runs; without such an id the digest of the file's
    bytes and the record's position. The trial tells repeats apart that are equal to the byte, and
    so does whatever else a layout or a mapping says of such files.
    """
    task, system = trajectory.task, place.system
    own: tuple[Any, ...] = (place.digest, place.position, system.name, place.captured)
    if trajectory.native_id:
        own = (trajectory.native_id, system.scaffold, settings_digest(system))
    return id_of(place.format, system.model, task.benchmark, task.task_id, own, trajectory.trial)


class RowBuilder:
    """Gathers trajectories into rows.

    Parameters
    ----------
    labeler : EventLabeler, optional
        Adds kind, head, effect and error to every event; without it they are null.
    texts : bool
        Keep the texts.
    seen : dict, optional
        Runs that were added elsewhere, by id, and where from; added runs are put into it.
    """

    def __init__(
        self,
        labeler: EventLabeler | None = None,
        *,
        texts: bool = True,
        seen: dict[str, str] | None = None,
    ) -> None:
        self._labeler = labeler
        self._keep_texts = texts
        self._runs: list[dict[str, Any]] = []
        self._steps: dict[str, _Columns] = {}
        self._texts: dict[str, str] = {}
        self._tasks: dict[tuple[str | None, ...], dict[str, Any]] = {}
        self._systems: dict[str, SystemRow] = {}
        self._problems: list[dict[str, Any]] = []
        self._seen = {} if seen is None else seen
        self.text_chars = 0

    @property
    def n_runs(self) -> int:
        """Runs gathered so far."""
        return len(self._runs)

    def add_problem(self, problem: Problem, *, source: str | None = None) -> None:
        """Keep a problem; ``source`` fills in where the reader left it open."""
        row = msgspec.structs.asdict(problem)
        self._problems.append({**row, "source": problem.source or source})

    def add(self, trajectory: Trajectory, place: Place) -> None:
        """Add one run, unless the same run was added before."""
        identity = run_id(trajectory, place)
        if identity in self._seen:
            self.add_problem(duplicate(place.source, self._seen[identity]))
            return
        self._seen[identity] = place.source
        system = system_row(trajectory.system, given_name=place.given_name)
        self._systems[system.system_id] = system
        self._add_task(trajectory)
        counts = self._add_steps(identity, trajectory.events, place.format)
        self._runs.append(self._run_row(identity, trajectory, place, system.system_id, counts))
        for problem in trajectory.problems:
            self.add_problem(problem, source=place.source)

    def _ref(self, text: str | None) -> str | None:
        if text is None or not self._keep_texts:
            return None
        ref = text_ref(text)
        if ref not in self._texts:
            self._texts[ref] = text
            self.text_chars += len(text)
        return ref

    def _add_task(self, trajectory: Trajectory) -> None:
        task = trajectory.task
        key = (task.benchmark, task.task_id, task.digest)
        if key not in self._tasks:
            self._tasks[key] = {
                "benchmark": task.benchmark,
                "task_id": task.task_id,
                "digest": task.digest,
                "prompt_ref": self._ref(task.prompt),
                "reference_ref": self._ref(task.reference),
                "cluster": task.cluster,
            }

    def _add_steps(
        self, identity: str, events: Sequence[Event], format_name: str
    ) -> dict[str, int | None]:
        if not events:
            return {"n_actions": 0, "n_turns": None, "n_errors": None}
        labels = self._label(events, format_name)
        columns = _columns(events, Event) | _columns(labels, EventLabels)
        actors = columns["actor"]
        own = [
            event == "action" and actor != "user"
            for event, actor in zip(columns["event"], actors, strict=True)
        ]
        columns["run_id"] = (identity,) * len(events)
        columns["index"] = range(len(events))
        columns["action_index"] = [
            number - 1 if mine else None for number, mine in zip(accumulate(own), own, strict=True)
        ]
        columns["observation_chars"] = [
            None if text is None else len(text) for text in columns["observation"]
        ]
        for column, name in _TEXT_COLUMNS:
            columns[column] = [None if text is None else self._ref(text) for text in columns[name]]
        self._steps[identity] = {name: columns[name] for name in STEPS}
        judged = list(compress(columns["is_error"], own))
        turns = set(compress(columns["turn"], (actor != "user" for actor in actors))) - {None}
        return {
            "n_actions": len(judged),
            "n_turns": len(turns) or None,
            "n_errors": None if all(j is None for j in judged) else judged.count(True),
        }

    def _label(self, events: Sequence[Event], format_name: str) -> Sequence[EventLabels]:
        if self._labeler is not None:
            label = self._labeler.label
            return [label(event, format_name) for event in events]
        return [
            EventLabels(is_error=event.is_error, error_origin=event.error_origin)
            for event in events
        ]

    def _run_row(
        self,
        identity: str,
        trajectory: Trajectory,
        place: Place,
        system_id: str,
        counts: Mapping[str, int | None],
    ) -> dict[str, Any]:
        outcome, usage, task = trajectory.outcome, trajectory.usage, trajectory.task
        scores = [{"name": n, "value": v, "label": text} for n, v, text in outcome.scores]
        return {
            "run_id": identity,
            "native_id": trajectory.native_id,
            "system_id": system_id,
            "benchmark": task.benchmark,
            "task_id": task.task_id,
            "task_digest": task.digest,
            "trial": trajectory.trial,
            "parent_run_id": None,
            "success": outcome.success,
            "score": outcome.score,
            "scores": scores or None,
            "outcome_source": outcome.source,
            "outcome_rule": outcome.rule,
            "ending": outcome.ending,
            "ending_raw": outcome.ending_raw,
            "limit_kind": outcome.limit_kind,
            **counts,
            "started_at": _datetime(usage.started_at),
            "duration_s": usage.duration_s,
            "input_tokens": usage.input_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "other_tokens": usage.other_tokens,
            "cost_usd": usage.cost_usd,
            "cost_origin": None if usage.cost_usd is None else "recorded",
            "submission_ref": self._submission_ref(trajectory.submission),
            "format": place.format,
            "format_version": trajectory.format_version,
            "source": place.source,
            "extra": msgspec.json.encode(dict(trajectory.extra)).decode()
            if trajectory.extra
            else None,
        }

    def _submission_ref(self, submission: str | None) -> str | None:
        """Null: none recorded; empty: recorded as empty; otherwise the text's address."""
        return submission if not submission else self._ref(submission) or text_ref(submission)

    def _step_frame(self) -> pl.DataFrame:
        """The steps, sorted by run, a column at a time: several times faster than row by row."""
        runs = [self._steps[run_id] for run_id in sorted(self._steps)]
        return pl.DataFrame(
            [
                _series(name, list(chain.from_iterable(run[name] for run in runs)), dtype)
                for name, dtype in STEPS.items()
            ]
        )

    def build(self) -> Batch:
        """Frames of everything gathered, steps sorted by run."""
        refs, full = list(self._texts), ["full"] * len(self._texts)
        texts = {"ref": refs, "text": list(self._texts.values()), "state": full}
        return Batch(
            runs=pl.DataFrame(self._runs, schema=dict(RUNS)),
            steps=self._step_frame(),
            texts=pl.DataFrame(texts, schema=dict(TEXTS)),
            tasks=pl.DataFrame(list(self._tasks.values()), schema=dict(TASKS)),
            problems=pl.DataFrame(self._problems, schema=dict(PROBLEMS)),
            systems=list(self._systems.values()),
        )


def _columns(structs: Sequence[msgspec.Struct], shape: type[msgspec.Struct]) -> _Columns:
    """Values of structs, of one at least, by a type's fields; theirs may be subtypes with more."""
    names = shape.__struct_fields__
    exact = set(map(type, structs)) == {shape}
    values = msgspec.structs.astuple if exact else attrgetter(*names)  # the first is faster
    columns = zip(*map(values, structs), strict=True)
    return dict(zip(names, columns, strict=True))


def _series(name: str, values: list[Any], dtype: Any) -> pl.Series:
    if name == "timestamp":
        return _microseconds(values).cast(dtype).alias(name)
    return pl.Series(name, values, dtype=dtype)


def _microseconds(seconds: list[float | None]) -> pl.Series:
    """Whole microseconds; null for a nonsense clock, such as nanoseconds taken for seconds."""
    numbers = np.array(seconds, dtype=float)
    numbers[~((numbers >= _FIRST_SECOND) & (numbers < _END_SECOND))] = np.nan
    return pl.Series(np.rint(numbers * 1e6), nan_to_null=True).cast(pl.Int64)


def duplicate(source: str, first: str) -> Problem:
    """Note that a run was given twice."""
    again = "the same run again" if source == first else f"the same run as in {first}"
    return Problem(reason=f"{again}: kept once", source=source, severity="note")


def _datetime(seconds: float | None) -> datetime | None:
    if seconds is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None  # a nonsense clock, such as nanoseconds taken for seconds, is no time
