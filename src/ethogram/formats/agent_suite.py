"""AgentSuite's dumps of tau-bench and tau2-bench: JSONL, one run a line, one file a model.

A line has ``model_path, user_model_path, benchmark_name, task_name`` (the domain),
``sampling_params, messages, eval_result`` and ``meta``. Tool results have lost the ids of their
calls, so calls and results are paired by order. An empty run is kept.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from ethogram.formats.base import Format, Probe, Source
from ethogram.formats.chat import Conversation, read_messages
from ethogram.formats.digest import digest
from ethogram.formats.json_text import decode_lines
from ethogram.formats.messages import Message
from ethogram.formats.settings import public, recorded
from ethogram.formats.tau2_bench import ENDINGS, GREETINGS, RULE, TOLERANCE
from ethogram.trajectory import Outcome, Problem, System, Task, Trajectory


class Evaluation(msgspec.Struct, gc=False):
    """What the evaluator found."""

    score: float | bool | None = None
    db_match: bool | None = None


class Meta(msgspec.Struct, gc=False):
    """What else is known of a run."""

    id: str | int | None = None
    task_id: str | int | None = None
    is_correct: bool | None = None
    finish_reason: str | None = None
    task_instructions: Any = None


class Row(msgspec.Struct, gc=False):
    """One run."""

    messages: list[Message] | None
    model_path: str | None = None
    user_model_path: str | None = None
    benchmark_name: str | None = None
    task_name: str | None = None
    sampling_params: dict[str, Any] | None = None
    user_sampling_params: dict[str, Any] | None = None
    eval_result: Evaluation | None = None
    meta: Meta | None = None


_DECODER: Final = msgspec.json.Decoder(Row)


def sniff(probe: Probe) -> bool:
    """Whether the file is one of AgentSuite's dumps."""
    return {"model_path", "user_model_path", "benchmark_name"} <= probe.keys


def read(source: Source) -> Iterator[Trajectory | Problem]:
    """Yield the run of each line."""
    for number, row, problems in decode_lines(source, _DECODER):
        yield row if isinstance(row, Problem) else _trajectory(row, number, problems)


def _trajectory(row: Row, number: int, problems: list[Problem]) -> Trajectory:
    meta = row.meta or Meta()
    chat = read_messages(row.messages or [], greetings=GREETINGS)
    outcome, unknown = _outcome(row.eval_result or Evaluation(), meta)
    return Trajectory(
        system=_system(row),
        task=_task(row, meta),
        outcome=outcome,
        events=chat.events,
        recorded_actions=chat.agent_calls,
        record=f"line {number}",
        problems=(*problems, *chat.problems, *unknown),
        extra=_extra(row, chat),
    )


def _system(row: Row) -> System:
    arguments = public(row.sampling_params or {})
    temperature = arguments.pop("temperature", None)
    return System(
        model=row.model_path,
        user_model=row.user_model_path,
        temperature=temperature if isinstance(temperature, int | float) else None,
        settings=recorded(
            {"agent_args": arguments, "user_args": public(row.user_sampling_params or {})}
        ),
    )


def _task(row: Row, meta: Meta) -> Task:
    task_id = meta.task_id if meta.task_id is not None else meta.id
    benchmark = f"{row.benchmark_name}/{row.task_name}" if row.task_name else row.benchmark_name
    said = meta.task_instructions
    texts = said.values() if isinstance(said, dict) else [said]
    return Task(
        task_id=None if task_id is None else str(task_id),
        benchmark=benchmark if row.benchmark_name else None,
        digest=digest(said) if said else None,
        prompt="\n\n".join(text for text in texts if isinstance(text, str)) or None,
    )


def _outcome(found: Evaluation, meta: Meta) -> tuple[Outcome, list[Problem]]:
    """Score of 1 is a success; the database's match alone is not, and is kept beside it."""
    score = None if found.score is None else float(found.score)
    raw = meta.finish_reason
    ending, limit = ENDINGS.get(raw or "", (None, None))
    matched = () if found.db_match is None else (("db_match", float(found.db_match), None),)
    outcome = Outcome(
        success=meta.is_correct if score is None else abs(score - 1) < TOLERANCE,
        score=score,
        scores=matched,
        source=None if score is None and meta.is_correct is None else "own file",
        rule=RULE.replace("reward", "score") if score is not None else None,
        ending=ending,
        ending_raw=raw,
        limit_kind=limit,
    )
    if raw is None or ending is not None:
        return outcome, []
    return outcome, [
        Problem(
            reason=f"unknown finish_reason {raw!r}; known: {', '.join(ENDINGS)}",
            field="meta.finish_reason",
            severity="warning",
        )
    ]


def _extra(row: Row, chat: Conversation) -> dict[str, Any]:
    row_id = row.meta.id if row.meta else None
    return recorded({"id": row_id, "unwrapped_messages": chat.unwrapped or None})


FORMAT: Final = Format(
    name="agent-suite",
    sniff=sniff,
    read=read,
    about="AgentSuite's dumps of tau-bench and tau2-bench runs: JSONL, one run a line.",
    docs_url="https://huggingface.co/datasets/AgentSuite/tau2-bench-trajectories",
    left_out="addresses and keys in the sampling parameters",
)
