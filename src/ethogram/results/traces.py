"""`Traces`: what runs did, step by step, ready to be drawn: the result behind ribbons.

A `Result` of kind ``traces`` with three tables, made by `ethogram.cohort.views.traces`. Texts in it
are already cut to one line and redacted.

``groups``   one row a task and system
    ``task, system, n_runs, n_labelled, n_success, divergence``: the step, from 1, at which not all
    runs of the group show the same symbol; null if they never differ or there is only one.
``runs``     one row a run, in drawing order
    ``task, system, run_id, row`` (0-based place within its group, by trial, then id), ``trial,
    success, ending, n_actions, submission`` (``given``, ``empty`` or null: none recorded),
    ``divergence`` (of its group).
``actions``  one row an action of the agent, in order
    ``run_id, position`` (1-based), ``symbol`` (in the alphabet of the result), ``kind, head, tool,
    is_error, text`` (cut, redacted).

The alphabet stands in ``result.provenance.parameters["alphabet"]``.
"""

from typing import Final

import polars as pl

from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import Column, Table

KIND: Final = "traces"

_GROUP: Final = (
    Column("task", "Task"),
    Column("system", "System"),
)
GROUP_COLUMNS: Final = (
    *_GROUP,
    Column("n_runs", "Runs", "count"),
    Column("n_labelled", "With outcome", "count", "Runs whose success is known."),
    Column("n_success", "Succeeded", "count"),
    Column("divergence", "Divergence", "count", "First action at which not all runs agree."),
)
RUN_COLUMNS: Final = (
    *_GROUP,
    Column("run_id", "Run"),
    Column("row", "Row", "count", "Place of the run among those of its task and system."),
    Column("trial", "Trial", "count"),
    Column("success", "Success"),
    Column("ending", "Ending"),
    Column("n_actions", "Actions", "count"),
    Column("submission", "Submission", "", "given, empty, or not recorded."),
    Column("divergence", "Divergence", "count", "First action at which not all runs agree."),
)
ACTION_COLUMNS: Final = (
    Column("run_id", "Run"),
    Column("position", "Action", "count", "Number of the action within its run, from 1."),
    Column("symbol", "Symbol", "", "What the action counts as when runs are compared."),
    Column("kind", "Kind"),
    Column("head", "Command"),
    Column("tool", "Tool"),
    Column("is_error", "Error"),
    Column("text", "Text", "", "The action, cut to one line and redacted."),
)


def traces_result(
    *,
    groups: pl.DataFrame,
    runs: pl.DataFrame,
    actions: pl.DataFrame,
    provenance: Provenance,
    notes: tuple[str, ...] = (),
) -> Result:
    """Put the three tables together as a result of kind ``traces``."""
    tables = (
        Table("groups", "Tasks and systems", groups, GROUP_COLUMNS),
        Table("runs", "Runs", runs, RUN_COLUMNS),
        Table("actions", "Actions", actions, ACTION_COLUMNS),
    )
    return Result(
        kind=KIND,
        tables={table.name: table for table in tables},
        notes=notes,
        provenance=provenance,
    )
