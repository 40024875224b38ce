"""Looking into a cohort: find a run or a task by name, list a run's events."""

from typing import Final, Literal

import polars as pl

from ethogram.cohort.cohort import Cohort
from ethogram.errors import UnknownNameError, UsageError
from ethogram.results import Column, Provenance, Result, Table
from ethogram.results.redact import Redactor

_SHOWN: Final = 8
_CHARS: Final = 200


def find(cohort: Cohort, name: str) -> tuple[Literal["run", "task"], str]:
    """The run or the task that a user means.

    Parameters
    ----------
    name : str
        A run's id or its beginning, a run's own id, a task's key or its id.

    Raises
    ------
    UnknownNameError
        If nothing is called so.
    UsageError
        If several runs or tasks are.
    """
    runs = cohort.joined
    tasks = runs.filter((pl.col("task") == name) | (pl.col("task_id") == name))["task"].unique()
    if len(tasks) == 1:
        return "task", tasks[0]
    found = runs.filter(pl.col("run_id").str.starts_with(name) | (pl.col("native_id") == name))
    if found.height == 1 and not len(tasks):
        return "run", found["run_id"][0]
    candidates = [*tasks.sort(), *found["run_id"]]
    if candidates:
        shown = ", ".join(candidates[:_SHOWN])
        more = f", and {len(candidates) - _SHOWN:,} more" if len(candidates) > _SHOWN else ""
        raise UsageError(f"{name!r} could be any of {len(candidates)}: {shown}{more}")
    known = runs["task"].drop_nulls().unique().to_list()
    raise UnknownNameError("run or task", name, known, most=_SHOWN)


def run_steps(cohort: Cohort, run_id: str) -> Result:
    """The events of a run, one a row, with the beginnings of their texts (redacted)."""
    run = cohort.joined.row(by_predicate=pl.col("run_id") == run_id, named=True)
    redact = Redactor().redact
    steps = cohort.all_steps.filter(pl.col("run_id") == run_id).sort("index").collect()
    refs = pl.concat([steps["text_ref"], steps["observation_ref"]]).drop_nulls().unique()
    texts = cohort.texts.filter(pl.col("ref").is_in(refs.to_list())).collect()
    steps = (
        steps.join(_named(texts, "text_ref", "said"), on="text_ref", how="left")
        .join(_named(texts, "observation_ref", "answer"), on="observation_ref", how="left")
        .sort("index")
        .with_columns(what=pl.coalesce(pl.col("action"), pl.col("said")))
        .with_columns(
            pl.col(name).map_elements(lambda text: _line(redact(text)), return_dtype=pl.String)
            for name in ("what", "answer")
        )
    )
    columns = (
        Column("index", "#", "count"),
        Column("event", "event"),
        Column("kind", "kind"),
        Column("head", "head"),
        Column("what", "action or text"),
        Column("is_error", "error"),
        Column("answer", "what came back"),
    )
    outcome = {True: "success", False: "failure", None: "outcome not recorded"}[run["success"]]
    ending = run["ending"] or run["ending_raw"] or "ending not recorded"
    said = f"{run['system']} at {run['task']}: {run['n_actions']} actions, {outcome}, {ending}."
    shown = steps.select(column.name for column in columns)
    return Result(
        kind="run",
        tables={"steps": Table("steps", f"Run {run_id}", shown, columns)},
        notes=(f"Read from {run['source']}.",),
        summary=(said,),
        provenance=Provenance(
            measure="run",
            measure_version=1,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
        ),
    )


def _named(texts: pl.DataFrame, ref: str, name: str) -> pl.DataFrame:
    return texts.select(pl.col("ref").alias(ref), pl.col("text").str.head(4 * _CHARS).alias(name))


def _line(text: str) -> str:
    """One line of a text, cut."""
    line = " ⏎ ".join(part.strip() for part in text.strip().splitlines() if part.strip())
    return line if len(line) <= _CHARS else f"{line[: _CHARS - 1]}…"
