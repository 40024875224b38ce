"""The six tables of a cohort, column by column.

Null means not recorded: never 0, never "unknown". Every column has one meaning over all formats;
what a format has beyond these goes into ``extra``.
"""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from ethogram.trajectory import ARGUMENTS_STATES, ENDINGS, EVENT_TYPES, ORIGINS, SEVERITIES

SCHEMA_VERSION: Final = 2

KINDS: Final = ("explore", "understand", "edit", "verify", "other")
EFFECTS: Final = ("read", "write", "none")
COST_ORIGINS: Final = ("recorded", "price_table")
TEXT_STATES: Final = ("full", "cut", "redacted")

_ORIGIN: Final = pl.Enum(ORIGINS)

RUNS: Final[Mapping[str, Any]] = {
    "run_id": pl.String,
    "native_id": pl.String,
    "system_id": pl.String,
    "benchmark": pl.String,
    "task_id": pl.String,
    "task_digest": pl.String,
    "trial": pl.Int32,
    "parent_run_id": pl.String,
    "success": pl.Boolean,
    "score": pl.Float64,
    "scores": pl.List(pl.Struct({"name": pl.String, "value": pl.Float64, "label": pl.String})),
    "outcome_source": pl.String,
    "outcome_rule": pl.String,
    "ending": pl.Enum(ENDINGS),
    "ending_raw": pl.String,
    "limit_kind": pl.String,
    "n_actions": pl.Int32,
    "n_turns": pl.Int32,
    "n_errors": pl.Int32,
    "started_at": pl.Datetime("us", "UTC"),
    "duration_s": pl.Float64,
    "input_tokens": pl.Int64,
    "cache_read_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "reasoning_tokens": pl.Int64,
    "other_tokens": pl.Int64,
    "cost_usd": pl.Float64,
    "cost_origin": pl.Enum(COST_ORIGINS),
    "submission_ref": pl.String,
    "format": pl.String,
    "format_version": pl.String,
    "source": pl.String,
    "extra": pl.String,
}
STEPS: Final[Mapping[str, Any]] = {
    "run_id": pl.String,
    "index": pl.Int32,
    "action_index": pl.Int32,
    "turn": pl.Int32,
    "call_id": pl.String,
    "event": pl.Enum(EVENT_TYPES),
    "actor": pl.String,
    "scripted": pl.Boolean,
    "tool": pl.String,
    "action": pl.String,
    "arguments": pl.String,
    "arguments_state": pl.Enum(ARGUMENTS_STATES),
    "head": pl.String,
    "kind": pl.Enum(KINDS),
    "kind_origin": _ORIGIN,
    "effect": pl.Enum(EFFECTS),
    "effect_origin": _ORIGIN,
    "is_error": pl.Boolean,
    "error_origin": _ORIGIN,
    "exit_code": pl.Int32,
    "text_ref": pl.String,
    "thought_ref": pl.String,
    "observation_ref": pl.String,
    "observation_chars": pl.Int32,
    "timestamp": pl.Datetime("us", "UTC"),
    "duration_s": pl.Float64,
    "input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "cost_usd": pl.Float64,
}
TEXTS: Final[Mapping[str, Any]] = {
    "ref": pl.String,
    "text": pl.String,
    "state": pl.Enum(TEXT_STATES),
}
TASKS: Final[Mapping[str, Any]] = {
    "benchmark": pl.String,
    "task_id": pl.String,
    "digest": pl.String,
    "prompt_ref": pl.String,
    "reference_ref": pl.String,
    "cluster": pl.String,
}
SYSTEMS: Final[Mapping[str, Any]] = {
    "system_id": pl.String,
    "system": pl.String,
    "scaffold": pl.String,
    "scaffold_version": pl.String,
    "model": pl.String,
    "model_snapshot": pl.String,
    "family": pl.String,
    "user_model": pl.String,
    "mode": pl.String,
    "temperature": pl.Float64,
    "step_limit": pl.Int32,
    "cost_limit": pl.Float64,
    "prompt_digest": pl.String,
    "tools_digest": pl.String,
    "settings": pl.String,
    "settings_digest": pl.String,
}
PROBLEMS: Final[Mapping[str, Any]] = {
    "source": pl.String,
    "record": pl.String,
    "field": pl.String,
    "reason": pl.String,
    "severity": pl.Enum(SEVERITIES),
    "count": pl.Int64,
}
TABLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "runs": RUNS,
    "steps": STEPS,
    "texts": TEXTS,
    "tasks": TASKS,
    "systems": SYSTEMS,
    "problems": PROBLEMS,
}


def empty(table: str) -> pl.DataFrame:
    """An empty frame with the schema of a table."""
    return pl.DataFrame(schema=TABLES[table])
