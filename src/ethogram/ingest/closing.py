"""What a cohort holds and what it is good for, as a result: the closing words of a read."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.formats import FORMATS
from ethogram.ingest.outcomes import Joined
from ethogram.ingest.read import Report
from ethogram.results import Column, Provenance, Result, Table

_SHOWN: Final = 5
_PATTERN: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}|(?=[a-f]*\d)[0-9a-f]{8,}|\b[\w.-]+?__[\w.-]+-\d+|\d+"
)
"""What differs from file to file: UUIDs, digests, SWE-bench's ids, numbers."""


@dataclass(frozen=True)
class Need:
    """What a measure needs of a run, and how a user can supply it where it is missing."""

    measure: str
    field: str
    usable: pl.Expr
    flag: str


_REPEATED: Final = pl.col("task").is_not_null() & (pl.len().over("system_id", "task") > 1)
"""Runs that have a repeat; runs of which no task is known are repeats of nothing."""
NEEDS: Final = (
    Need("variance of actions", "2 runs of a task", _REPEATED, "more runs; --layout '…{trial}…'"),
    Need(
        "accuracy, pass^k, flips",
        "success",
        pl.col("success").is_not_null(),
        "--outcomes report.json (or a CSV, a template)",
    ),
    Need("cost", "cost_usd", pl.col("cost_usd").is_not_null(), "a mapping that names the field"),
    Need("tokens", "input_tokens", pl.col("input_tokens").is_not_null(), "a mapping"),
    Need("duration", "duration_s", pl.col("duration_s").is_not_null(), "a mapping"),
    Need(
        "submissions",
        "submission",
        pl.col("submission_ref").is_not_null(),
        "a mapping that names the field",
    ),
)


def summary(cohort: Cohort, report: Report | None = None, *, target: str = "COHORT") -> Result:
    """Say what a cohort holds, what each measure can use of it and what to type next.

    Parameters
    ----------
    cohort : Cohort
        What was read.
    report : Report, optional
        What happened while it was read: ignored files, outcomes without partner.
    target : str
        What the next command's argument is, as a shell takes it: the cohort's folder or the paths
        that were read.
    """
    tables = {
        "systems": _systems(cohort),
        "usable": _usable(cohort),
        "problems": _problems(cohort),
    }
    notes: list[str] = []
    if report is not None:
        notes += _ignored_notes(report)
        notes += _outcome_notes(report.outcomes)
    if not cohort.complete:
        notes.append("The read was interrupted; the same command again goes on where it stopped.")
    return Result(
        kind="read",
        tables={name: table for name, table in tables.items() if table.frame.height},
        notes=tuple(notes),
        summary=tuple(_sentences(cohort, target)),
        provenance=Provenance(
            measure="read", measure_version=1, cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
        ),
    )  # fmt: skip


def _sentences(cohort: Cohort, target: str) -> list[str]:
    runs = cohort.joined
    severe = int(cohort.problems.filter(pl.col("severity") != "note")["count"].sum())
    problems = [f"{severe:,} {_plural('problem', severe)}: see the table."] if severe else []
    if not runs.height:
        return ["No run was read.", *problems]
    known = int(runs["success"].is_not_null().sum())
    whole = known == runs.height
    return [
        _sizes(runs),
        f"Outcome known for {known:,} of {runs.height:,} {_plural('run', runs.height)}"
        + ("." if whole else f"; {runs.height - known:,} without one."),
        *problems,
        f"Next: {next_command(cohort, target)}",
    ]


def _sizes(runs: pl.DataFrame) -> str:
    named = runs.drop_nulls("task")
    tasks, systems = named["task"].n_unique(), runs["system_id"].n_unique()
    counts = named.group_by("system_id", "task").len()["len"].to_list()
    low, high = min(counts, default=0), max(counts, default=0)
    repeats = f"{low}" if low == high else f"{low} to {high}"
    unnamed = runs.height - named.height
    return (
        f"{runs.height:,} {_plural('run', runs.height)}: {systems:,} {_plural('system', systems)}, "
        f"{tasks:,} {_plural('task', tasks)}, {repeats} {_plural('run', high)} a task"
        + (f"; {unnamed:,} {_plural('run', unnamed)} without a task." if unnamed else ".")
    )


def next_command(cohort: Cohort, target: str) -> str:
    """The command to type next."""
    return f"ethogram {'variance' if _repeated(cohort) else 'report'} {target}"


def _repeated(cohort: Cohort) -> bool:
    return bool(cohort.joined.select(_REPEATED.any()).item()) if cohort.runs.height else False


def _plural(word: str, n: int) -> str:
    return word if n == 1 else f"{word}s"


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
            with_outcome=pl.col("success").is_not_null().sum(),
            successes=pl.col("success").sum(),
            infra_errors=(pl.col("ending").cast(pl.String) == "infra_error").sum(),
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
    return Table("systems", "Systems × tasks × repeats", frame, columns)


def _usable(cohort: Cohort) -> Table:
    runs = cohort.joined
    rows = [
        {
            "measure": need.measure,
            "usable": int(runs.select(need.usable.sum()).item() or 0),
            "of": runs.height,
            "missing": need.field,
            "flag": need.flag,
        }
        for need in NEEDS
        if runs.height
    ]
    frame = pl.DataFrame(
        rows,
        schema={
            "measure": pl.String,
            "usable": pl.Int64,
            "of": pl.Int64,
            "missing": pl.String,
            "flag": pl.String,
        },
    )
    whole = pl.col("usable") == pl.col("of")
    frame = frame.with_columns(
        missing=pl.when(whole).then(None).otherwise("missing"),
        flag=pl.when(whole).then(None).otherwise("flag"),
    )
    columns = (
        Column("measure", "measure"),
        Column("usable", "usable runs", "count"),
        Column("of", "of", "count"),
        Column("missing", "missing"),
        Column("flag", "supplied by"),
    )
    return Table("usable", "What each measure can use", frame, columns)


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


def _ignored_notes(report: Report) -> list[str]:
    if not report.ignored:
        return []
    patterns = Counter(_name_pattern(name) for name in report.ignored)
    shown = ", ".join(f"{name} ({n:,})" for name, n in patterns.most_common(_SHOWN))
    more = f" and {len(patterns) - _SHOWN} more patterns" if len(patterns) > _SHOWN else ""
    n = len(report.ignored)
    them = "them" if n > 1 else "it"
    note = f"{n:,} {_plural('file', n)} ignored, no format claims {them}: {shown}{more}."
    looks = [name for name in report.ignored if name.rsplit("/", 1)[-1] == "report.json"]
    if looks and report.outcomes is None:
        note += (
            f" {len(looks):,} of them are called report.json: if they are SWE-bench reports, "
            "join them with --outcomes '.../{task_id}/report.json'."
        )
    return [note]


def _name_pattern(name: str) -> str:
    return _PATTERN.sub("*", name.replace("::", "/").rsplit("/", 1)[-1])


def _outcome_notes(joined: Joined | None) -> list[str]:
    if joined is None:
        return []
    n = len(joined.rows)
    notes = [f"Outcomes from elsewhere were joined to {n:,} {_plural('run', n)}."]
    for names, word, what in (
        (joined.without_run, "outcome", "without a run that was read"),
        (joined.without_row, "run", "without a row in the outcomes"),
    ):
        if names:
            more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            shown = "; ".join(names[:_SHOWN])
            notes.append(f"{len(names):,} {_plural(word, len(names))} {what}: {shown}{more}.")
    return notes


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
