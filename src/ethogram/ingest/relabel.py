"""Labels are not facts: they can be made anew from a saved cohort, with other tables."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.schema import STEPS
from ethogram.cohort.storage import (
    generation,
    read_index,
    remove_leftovers,
    write_frame,
    write_index,
)
from ethogram.ingest.closing_notes import label_notes
from ethogram.ingest.label import EventLabeler
from ethogram.results import Column, Provenance, Result, Table
from ethogram.trajectory import Event

_LABELS: Final = ("head", "kind", "kind_origin", "effect", "effect_origin")
_NEEDED: Final = ("event", "actor", "tool", "action", "arguments", "arguments_state")


def relabel(folder: str | Path, labeler: EventLabeler) -> Result:
    """Label every action of a saved cohort anew and say how many labels changed.

    Errors keep what was decided when the run was read: the rules for them need the texts.

    Parameters
    ----------
    folder : path
        A saved cohort; it is replaced in one step.
    labeler : EventLabeler
        The tables to use.

    Returns
    -------
    Result
        How many actions went from which kind to which.
    """
    folder = Path(folder)
    cohort, index = Cohort.open(folder), read_index(folder)
    # Other names than those of any state before: a write that is killed leaves that whole.
    prefix = f"{generation(folder):04d}-{secrets.token_hex(4)}"
    changes: list[pl.DataFrame] = []
    parts = []
    for number, name in enumerate(index.tables.get("steps", ())):
        old = pl.read_parquet(folder / name)
        new = _relabelled(old, labeler)
        changes.append(_changes(old, new))
        parts.append(write_frame(folder, f"steps/{prefix}-relabel-{number:06d}.parquet", new))
    new_index = msgspec.structs.replace(
        index,
        labels_digest=labeler.digest,
        tables={**index.tables, "steps": tuple(parts)},
    )
    write_index(folder, new_index)
    remove_leftovers(folder, new_index)
    return _result(cohort, changes, labeler.digest, label_notes(Cohort.open(folder)))


def relabelled(cohort: Cohort, labeler: EventLabeler) -> Cohort:
    """The cohort with labels by other tables; what lies on disk stays as it is.

    Parameters
    ----------
    cohort : Cohort
        Any; its events, without their texts, are held in memory.
    labeler : EventLabeler
        The tables to use. Errors keep what was decided when the runs were read.
    """
    steps = _relabelled(cohort.all_steps.collect(), labeler)
    return replace(cohort, all_steps=steps.lazy(), labels_digest=labeler.digest)


def _relabelled(steps: pl.DataFrame, labeler: EventLabeler) -> pl.DataFrame:
    """Steps with new labels; each distinct action is labelled once."""
    acts = steps.with_columns(
        pl.col("event").cast(pl.String), pl.col("arguments_state").cast(pl.String)
    )
    refused = (pl.col("kind_origin").cast(pl.String) == "recorded").fill_null(value=False)
    distinct = (
        acts.filter(pl.col("event") == "action")
        .select(*_NEEDED, refused=refused)
        .unique(maintain_order=True)
    )
    rows = []
    for row in distinct.iter_rows(named=True):
        event = Event(**row)
        labels = labeler.label(event, "")
        rows.append({**row, **{name: getattr(labels, name) for name in _LABELS}})
    schema = (
        dict.fromkeys(_NEEDED, pl.String)
        | {"refused": pl.Boolean}
        | dict.fromkeys(_LABELS, pl.String)
    )
    table = pl.DataFrame(rows, schema=schema)
    return (
        acts.with_columns(refused=refused)
        .drop(*_LABELS)
        .join(table, on=[*_NEEDED, "refused"], how="left", nulls_equal=True, maintain_order="left")
        .select([pl.col(name).cast(dtype) for name, dtype in STEPS.items()])
    )


def _changes(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    pairs = pl.DataFrame(
        {"before": old["kind"].cast(pl.String), "after": new["kind"].cast(pl.String)}
    )
    return pairs.drop_nulls("after").group_by("before", "after").len("actions")


def _result(cohort: Cohort, changes: list[pl.DataFrame], digest: str, notes: list[str]) -> Result:
    schema = {"before": pl.String, "after": pl.String, "actions": pl.UInt32}
    counts = (
        pl.concat([pl.DataFrame(schema=schema), *changes])
        .group_by("before", "after")
        .agg(pl.col("actions").sum().cast(pl.Int64))
        .sort("before", "after")
    )
    differ = counts.filter(pl.col("before").ne_missing(pl.col("after")))
    n, total = int(differ["actions"].sum()), int(counts["actions"].sum())
    columns = (
        Column("before", "kind before"),
        Column("after", "kind now"),
        Column("actions", "actions", "count"),
    )
    return Result(
        kind="relabel",
        tables={"changes": Table("changes", "Labels that changed", differ, columns)},
        notes=tuple(notes),
        summary=(f"{n:,} of {total:,} actions have another kind than before.",),
        provenance=Provenance(
            measure="relabel",
            measure_version=1,
            cohort_digest=cohort.digest,
            labels_digest=digest,
        ),
    )
