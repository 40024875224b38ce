"""What a cohort holds and what it is good for, as a result: the closing words of a read."""

import re
from dataclasses import dataclass
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.formats import FORMATS
from ethogram.ingest.closing_notes import (
    ignored_notes,
    label_notes,
    model_notes,
    outcome_notes,
    plural,
    unwrapped_notes,
)
from ethogram.ingest.read import Report
from ethogram.results import Column, Provenance, Result, Table

_INFRA: Final = (pl.col("ending").cast(pl.String) == "infra_error").fill_null(value=False)
_COUNTS: Final = ~_INFRA
"""Runs that the infrastructure ended say nothing of behaviour or outcomes."""
_KNOWN: Final = _COUNTS & pl.col("success").is_not_null()


TABLES: Final = ("systems", "usable", "problems")
"""Every table that a summary may have; one without a row is left out."""


@dataclass(frozen=True)
class Need:
    """What a measure needs of a run, and how a user can supply it where it is missing."""

    measure: str
    field: str
    usable: pl.Expr
    flag: str | None = None
    """None for what lies in the trajectories or nowhere."""


_REPEATED: Final = pl.col("task").is_not_null() & (pl.len().over("system_id", "task") > 1)
"""Runs that have a repeat, of those that count; runs of no known task are repeats of nothing."""
NEEDS: Final = (
    Need("variance of actions", "2 runs of a task", _REPEATED, "more runs; --layout '…{trial}…'"),
    Need(
        "accuracy, pass^k, flips",
        "success",
        pl.col("success").is_not_null(),
        "--outcomes report.json (or a CSV, a template)",
    ),
    Need("cost", "cost_usd", pl.col("cost_usd").is_not_null()),
    Need("tokens", "input_tokens", pl.col("input_tokens").is_not_null()),
    Need("duration", "duration_s", pl.col("duration_s").is_not_null()),
    Need("submissions", "submission", pl.col("submission_ref").is_not_null()),
)


def summary(
    cohort: Cohort,
    report: Report | None = None,
    *,
    target: str | None = "COHORT",
    forced: str | None = None,
    mapping: str | None = None,
) -> Result:
    """Say what a cohort holds, what each measure can use of it and what to type next.

    Parameters
    ----------
    cohort : Cohort
        What was read.
    report : Report, optional
        What happened while it was read: ignored files, outcomes without partner.
    target : str
        What the next command's argument is, as a shell takes it: the cohort's folder or the paths
        that were read. None for paths that alone would not be read as they were.
    forced : str, optional
        The format as which the files were to be read, whatever they look like.
    mapping : str, optional
        The mapping with which they were read.
    """
    tables = {
        "systems": _systems(cohort),
        "usable": _usable(cohort),
        "problems": _problems(cohort),
    }
    notes: list[str] = []
    if report is not None:
        notes += ignored_notes(report)
        notes += outcome_notes(report.outcomes)
    notes += [*label_notes(cohort), *unwrapped_notes(cohort), *model_notes(cohort)]
    if not cohort.complete:
        notes.append("The read was interrupted; the same command again goes on where it stopped.")
    return Result(
        kind="read",
        tables={name: table for name, table in tables.items() if table.frame.height},
        notes=tuple(notes),
        summary=tuple(_sentences(cohort, target, forced, mapping)),
        provenance=Provenance(
            measure="read", measure_version=1, cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
        ),
    )  # fmt: skip


def _sentences(
    cohort: Cohort, target: str | None, forced: str | None, mapping: str | None
) -> list[str]:
    runs = cohort.joined
    severe = int(cohort.problems.filter(pl.col("severity") != "note")["count"].sum())
    problems = [f"{severe:,} {plural('problem', severe)}: see the table."] if severe else []
    if not runs.height:
        return [_no_run(cohort, forced, mapping, severe=severe), *problems]
    return [_sizes(runs), _known(runs), *problems, f"Next: {next_command(cohort, target)}"]


def _no_run(cohort: Cohort, forced: str | None, mapping: str | None, *, severe: int) -> str:
    if cohort.filtered:
        return "No run is left: none fits the condition."
    if severe:
        return "No run was read."  # the problems say why
    if forced is not None:
        return (
            f"No run was read: no file is of the format {forced!r} that --format asks for. "
            "Next: leave --format out, or see `ethogram formats`."
        )
    if mapping is not None:
        return (
            f"No run was read: no file is as the mapping {mapping} says. Next: compare a file with "
            "its [files]; where that names no keys, a file must have the first key on the way to "
            'its runs or steps (how-to "Map your own logs").'
        )
    return (
        "No run was read. Next: see `ethogram formats` for what is read; for logs of your own, "
        'write a mapping and name it with --mapping FILE (how-to "Map your own logs").'
    )


def _known(runs: pl.DataFrame) -> str:
    known, infra = (int(runs.select(e.sum()).item()) for e in (_KNOWN, _INFRA))
    without = runs.height - known - infra
    parts = [
        f"{without:,} without one" if without else "",
        f"{infra:,} left out, ended by the infrastructure" if infra else "",
    ]
    said = f"Outcome known for {known:,} of {runs.height:,} {plural('run', runs.height)}"
    return "; ".join([said, *filter(None, parts)]) + "."


def _sizes(runs: pl.DataFrame) -> str:
    named = runs.drop_nulls("task")
    tasks, systems = named["task"].n_unique(), runs["system_id"].n_unique()
    counts = named.group_by("system_id", "task").len()["len"].to_list()
    low, high = min(counts, default=0), max(counts, default=0)
    repeats = f"{low}" if low == high else f"{low} to {high}"
    unnamed = runs.height - named.height
    return (
        f"{runs.height:,} {plural('run', runs.height)}: {systems:,} {plural('system', systems)}, "
        f"{tasks:,} {plural('task', tasks)}, {repeats} {plural('run', high)} a task"
        + (f"; {unnamed:,} {plural('run', unnamed)} without a task." if unnamed else ".")
    )


def next_command(cohort: Cohort, target: str | None) -> str:
    """The command to type next, after another read if nothing was kept that it could take."""
    command = f"ethogram {'variance' if _repeated(cohort) else 'report'}"
    if target is None:
        return f"read with the same options and -o COHORT, then {command} COHORT"
    return f"{command} {target}"


def _repeated(cohort: Cohort) -> bool:
    return bool(cohort.joined.filter(_COUNTS).select(_REPEATED.any()).item())


def _systems(cohort: Cohort) -> Table:
    a_task = cohort.joined.drop_nulls("task").group_by("system", "task").agg(n=pl.len())
    repeats = a_task.group_by("system").agg(
        tasks=pl.len(), low=pl.col("n").min(), high=pl.col("n").max()
    )
    frame = (
        cohort.joined.group_by("system")
        .agg(
            runs=pl.len(),
            actions=pl.col("n_actions").sum(),
            with_outcome=_KNOWN.sum(),
            successes=pl.col("success").filter(_COUNTS).sum(),
            infra_errors=_INFRA.sum(),
            format=pl.col("format").unique().sort().str.join(", "),
        )
        .join(repeats, on="system", how="left")
        .with_columns(
            repeats=pl.when(pl.col("low") == pl.col("high"))
            .then(pl.col("low").cast(pl.String))
            .otherwise(pl.format("{}–{}", "low", "high")),
            tasks=pl.col("tasks").fill_null(0),
        )
        .sort("system")
    )
    columns = (
        Column("system", "system"),
        Column("tasks", "tasks", "count"),
        Column("repeats", "runs a task"),
        Column("runs", "runs", "count"),
        Column("actions", "actions", "count"),
        Column("with_outcome", "with outcome", "count"),
        Column("successes", "successes", "count"),
        Column("infra_errors", "infra errors", "count", "Left out of behaviour and outcomes."),
        Column("format", "format"),
    )
    return Table("systems", "Systems × tasks × repeats", frame, columns, main=True)


def _usable(cohort: Cohort) -> Table:
    runs = cohort.joined.filter(_COUNTS)
    rows = [_need_row(need, runs) for need in NEEDS if runs.height]
    schema = {
        "measure": pl.String,
        "usable": pl.Int64,
        "of": pl.Int64,
        "missing": pl.String,
        "flag": pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema)
    columns = (
        Column("measure", "measure"),
        Column("usable", "usable runs", "count"),
        Column("of", "of", "count", "Runs that the infrastructure ended are left out."),
        Column("missing", "missing"),
        Column("flag", "supplied by"),
    )
    return Table("usable", "What each measure can use", frame, columns)


def _need_row(need: Need, runs: pl.DataFrame) -> dict[str, str | int | None]:
    usable = int(runs.select(need.usable.sum()).item())
    lacking = usable < runs.height
    return {
        "measure": need.measure,
        "usable": usable,
        "of": runs.height,
        "missing": need.field if lacking else None,
        "flag": (need.flag or _not_recorded(need, runs)) if lacking else None,
    }


def _not_recorded(need: Need, runs: pl.DataFrame) -> str:
    """Who could record a field: whoever wrote the mapping, or the format."""
    formats = runs.group_by("format").agg(usable=need.usable.sum(), of=pl.len()).sort("format")
    lacking = formats.filter(pl.col("usable") < pl.col("of"))
    native = pl.col("format").is_in(FORMATS.names())
    parts = []
    for words, recorded in (("not recorded by", False), ("not recorded in some runs of", True)):
        names = lacking.filter(native & ((pl.col("usable") > 0) == recorded))["format"]
        parts += [f"{words} {', '.join(names)}"] if len(names) else []
    if lacking.filter(~native).height:
        parts.append("a mapping that names the field")
    return "; ".join(parts)


def _problems(cohort: Cohort) -> Table:
    general = pl.col("reason").map_elements(_general, return_dtype=pl.String)
    frame = (
        cohort.problems.with_columns(kind=general)
        .group_by("severity", "kind", maintain_order=True)
        .agg(
            pl.col("count").sum(), example=pl.col("reason").first(), source=pl.col("source").first()
        )
        .sort("severity", pl.col("count"), descending=[False, True], maintain_order=True)
    )
    columns = (
        Column("severity", "severity"),
        Column("count", "count", "count"),
        Column("example", "problem"),
        Column("source", "first seen in"),
    )
    return Table("problems", "Problems", frame, columns)


def _general(reason: str) -> str:
    """Reasons that differ only in paths and numbers are one."""
    return re.sub(r"\S*/\S+|\d[\d,]*|'[^']*'", "…", reason)


def formats_result() -> Result:
    """The formats that are read, as a result."""
    rows = [
        {"name": f.name, "about": f.about, "left_out": f.left_out, "docs_url": f.docs_url}
        for f in FORMATS
    ]
    schema = dict.fromkeys(("name", "about", "left_out", "docs_url"), pl.String)
    columns = (
        Column("name", "format"),
        Column("about", "what it is"),
        Column("left_out", "left out of the settings that tell systems apart"),
        Column("docs_url", "described in"),
    )
    about = "Your own logs: write a mapping (--mapping FILE)."
    table = Table("formats", "Formats", pl.DataFrame(rows, schema=schema), columns, about)
    return Result(
        kind="formats",
        tables={"formats": table},
        notes=(),
        provenance=Provenance(measure="formats", measure_version=1, cohort_digest=""),
    )
