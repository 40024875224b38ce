"""Trajectories -> rows of the six tables.

A `RowBuilder` gathers rows column by column, because Polars takes whole columns far faster than
rows, and keeps each text once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort.ids import id_of, text_ref
from ethogram.cohort.naming import SystemRow, system_row
from ethogram.cohort.schema import PROBLEMS, RUNS, STEPS, TASKS, TEXTS
from ethogram.ingest.label import EventLabeler, EventLabels
from ethogram.trajectory import Event, Problem, Trajectory

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_SECOND: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH).total_seconds()
_END_SECOND: Final = (datetime.max.replace(tzinfo=UTC, microsecond=0) - _EPOCH).total_seconds() + 1
"""Before this the year 10000 has not begun."""
_TEXT_COLUMNS: Final = (
    ("text_ref", "text"),
    ("thought_ref", "thought"),
    ("observation_ref", "observation"),
)
_LABELLED: Final = tuple(EventLabels.__struct_fields__)
_COPIED: Final = tuple(
    name
    for name in STEPS
    if name in Event.__struct_fields__ and name not in {*_LABELLED, "timestamp"}
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
    model_as_written: str | None
    system_as_written: str | None = None
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


def run_id(trajectory: Trajectory, place: Place) -> str:
    """Identity of a run, made from what it is and never from where it lies.

    Format, model as the file writes it, benchmark, task and the run's own id; without such an id
    the digest of the file's bytes and the record's position. The trial tells repeats apart that are
    equal to the byte, and so does whatever else a layout or a mapping says of such files.
    """
    own = trajectory.native_id or [
        place.digest, place.position, place.system_as_written, place.captured
    ]  # fmt: skip
    task = trajectory.task
    return id_of(
        place.format, place.model_as_written, task.benchmark, task.task_id, own, trajectory.trial
    )


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
        self._events: list[Event] = []
        self._labels: list[EventLabels] = []
        self._run_ids: list[str] = []
        self._indices: list[int] = []
        self._action_indices: list[int | None] = []
        self._refs: dict[str, list[str | None]] = {column: [] for column, _ in _TEXT_COLUMNS}
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
        ref = self._texts.get(text)
        if ref is None:
            ref = self._texts[text] = text_ref(text)
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
        labels = self._label(events, format_name)
        own = [event.event == "action" and event.actor != "user" for event in events]
        judged = [label.is_error for label, mine in zip(labels, own, strict=True) if mine]
        turns = {event.turn for event in events if event.actor != "user"} - {None}
        numbers = accumulate(own)
        self._run_ids += [identity] * len(events)
        self._indices += range(len(events))
        self._action_indices += [
            number - 1 if mine else None for number, mine in zip(numbers, own, strict=True)
        ]
        self._events += events
        self._labels += labels
        for column, name in _TEXT_COLUMNS:
            texts = map(attrgetter(name), events)
            self._refs[column] += [None if text is None else self._ref(text) for text in texts]
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
        """The steps, a column at a time: several times faster than a row at a time."""
        columns: dict[str, list[Any]] = {
            "run_id": self._run_ids,
            "index": self._indices,
            "action_index": self._action_indices,
            **{name: list(map(attrgetter(name), self._events)) for name in _COPIED},
            **{name: list(map(attrgetter(name), self._labels)) for name in _LABELLED},
            **self._refs,
            "observation_chars": [
                None if event.observation is None else len(event.observation)
                for event in self._events
            ],
        }
        stamps = [_microseconds(event.timestamp) for event in self._events]
        timestamp = pl.Series(stamps, dtype=pl.Int64).cast(STEPS["timestamp"])
        frame = pl.DataFrame({**columns, "timestamp": timestamp}, schema=dict(STEPS))
        return frame.sort("run_id", maintain_order=True)

    def build(self) -> Batch:
        """Frames of everything gathered, steps sorted by run."""
        refs = list(self._texts.values())
        texts = pl.DataFrame(
            {"ref": refs, "text": list(self._texts), "state": ["full"] * len(refs)},
            schema=dict(TEXTS),
        )
        return Batch(
            runs=pl.DataFrame(self._runs, schema=dict(RUNS)),
            steps=self._step_frame(),
            texts=texts,
            tasks=pl.DataFrame(list(self._tasks.values()), schema=dict(TASKS)),
            problems=pl.DataFrame(self._problems, schema=dict(PROBLEMS)),
            systems=list(self._systems.values()),
        )


def _microseconds(seconds: float | None) -> int | None:
    """Whole microseconds; None for a nonsense clock, such as nanoseconds taken for seconds."""
    if seconds is None or not _FIRST_SECOND <= seconds < _END_SECOND:
        return None
    return round(seconds * 1e6)


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
