"""What agents say and do, in order, as stylometry reads it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.similarity.style.acts import CALL, acts_of
from ethogram.measures.similarity.style.stylometry import Speech, sentences

RUNS_AT_ONCE: Final = 256
"""Runs whose texts are held in memory together."""


def speeches(cohort: Cohort, run_ids: Sequence[str]) -> Iterator[Speech]:
    """Yield what the agent says and does in runs, in the order of ``run_ids``.

    Hidden reasoning, scripted replies and what users say or do are no part of it; the user's events
    only part one stretch of acts from the next.

    Parameters
    ----------
    cohort : Cohort
        With its texts; without them nothing was said, and acts are calls alone.
    run_ids : sequence of str
        Which runs.
    """
    for start in range(0, len(run_ids), RUNS_AT_ONCE):
        chosen = run_ids[start : start + RUNS_AT_ONCE]
        events: dict[str, list[tuple[Any, ...]]] = {run_id: [] for run_id in chosen}
        for run_id, *event in _events(cohort, chosen).iter_rows():
            events[run_id].append(tuple(event))
        for run_id in chosen:
            yield _speech(events[run_id])


def _events(cohort: Cohort, run_ids: Sequence[str]) -> pl.DataFrame:
    chosen = pl.LazyFrame({"run_id": run_ids}, schema={"run_id": pl.String})
    by_user = (pl.col("event").cast(pl.String) == "user") | (pl.col("actor") == "user")
    by_agent = pl.col("event").cast(pl.String).is_in(["reply", "action"]) & (
        pl.col("actor") == "agent"
    )
    events = (
        cohort.steps.join(chosen, on="run_id", how="semi")
        .filter((by_user | by_agent) & ~pl.col("scripted").fill_null(value=False))
        .select(
            "run_id",
            "index",
            by_user.alias("by_user"),
            pl.when(pl.col("action_index").is_not_null())
            .then(pl.col("kind").cast(pl.String).fill_null("other"))
            .alias("call"),
            "text_ref",
        )
        .collect()
    )
    refs = events.filter(~pl.col("by_user")).select("text_ref").drop_nulls().unique().lazy()
    texts = (
        cohort.texts.join(refs, left_on="ref", right_on="text_ref", how="semi")
        .select(text_ref="ref", text="text")
        .collect()
    )
    return events.join(texts, on="text_ref", how="left").sort("run_id", "index").drop(
        "index", "text_ref"
    )  # fmt: skip


def _speech(events: Sequence[tuple[Any, ...]]) -> Speech:
    texts: list[str] = []
    stretches: list[tuple[str, ...]] = []
    acts: list[str] = []
    for by_user, call, text in events:
        if by_user:
            stretches.append(tuple(acts))
            acts = []
            continue
        if text:
            texts.append(text)
            acts += acts_of(sentences(text))
        if call is not None:
            acts.append(f"{CALL} {call}")
    return Speech(tuple(texts), tuple(each for each in (*stretches, tuple(acts)) if each))
