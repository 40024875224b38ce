"""What agents say to whoever they work for: their visible texts, without scripted ones."""

from collections.abc import Sequence

import polars as pl

from ethogram.cohort import Cohort


def visible_texts(cohort: Cohort, run_ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Texts of the agent's replies and those beside its calls, in order.

    Hidden reasoning, scripted replies and what users say are no part of them.

    Parameters
    ----------
    cohort : Cohort
        With its texts; without them nothing was said.
    run_ids : sequence of str
        Which runs.

    Returns
    -------
    list of tuple of str
        The texts of each run, in the order of ``run_ids``.
    """
    runs = pl.LazyFrame({"run_id": run_ids}, schema={"run_id": pl.String})
    said = (
        cohort.steps.join(runs, on="run_id", how="semi")
        .filter(
            pl.col("event").cast(pl.String).is_in(["reply", "action"]),
            pl.col("actor") == "agent",
            ~pl.col("scripted").fill_null(value=False),
            pl.col("text_ref").is_not_null(),
        )
        .select("run_id", "index", "text_ref")
    )
    texts = cohort.texts.select(text_ref="ref", text="text")
    spoken = (
        said.join(texts, on="text_ref")
        .sort("run_id", "index")
        .group_by("run_id", maintain_order=True)
        .agg("text")
        .collect()
    )
    by_run = dict(spoken.iter_rows())
    return [tuple(by_run.get(run_id, ())) for run_id in run_ids]
