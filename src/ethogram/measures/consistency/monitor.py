"""Whether a run's first actions tell how it will end (Banerjee and Raichura 2026, section 6).

After m actions, of the runs that are still going: can features of those m actions predict success
better than how long the run has taken and what progress it has made?
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.consistency.attribution import attribute
from ethogram.measures.consistency.features import Feature, feature_table
from ethogram.measures.consistency.folds import FOLDS
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import Drawing, minus
from ethogram.results.estimate import Verdict
from ethogram.stats.auc import auc_within_of
from ethogram.stats.intervals import Interval
from ethogram.stats.task_intervals import statistic_interval

STEPS: Final = (3, 5, 10, 15, 20, 30, 40, 60, 80)
SHARES: Final = (0.25, 0.5, 0.75)
LEAST: Final = 20
"""Runs of each outcome that must still be going."""

_KIND: Final = pl.col("kind").cast(pl.String)
LENGTH: Final = (Feature("actions_so_far", pl.len().cast(pl.Float64), "number of actions so far"),)
PROGRESS: Final = (
    Feature("edited", _KIND.eq("edit").any(), "whether something was edited"),
    Feature("verified", _KIND.eq("verify").any(), "whether something was run or checked"),
    Feature("errors_so_far", pl.col("is_error").sum(), "errors so far"),
)
BASELINES: Final[Mapping[str, Sequence[Feature]]] = {"length": LENGTH, "progress": PROGRESS}


@dataclass(frozen=True)
class Reading:
    """Predictions from the beginning of runs.

    Attributes
    ----------
    frame : polars.DataFrame
        One row a number of actions and predictor.
    by_share : polars.DataFrame
        The same by share of a run's actions, which only somebody knows who knows its end.
    verdict : Verdict
    """

    frame: pl.DataFrame
    by_share: pl.DataFrame
    verdict: Verdict


def prefix(sample: Sample, table: pl.DataFrame, longer: pl.Series) -> Sample:
    """The runs of a sample that are in a list, with the features of a table."""
    kept = sample.runs["run_id"].is_in(longer.implode()).to_numpy()
    part = sample.restrict(kept)
    names = tuple(table.columns[1:])
    wide = part.runs.select("run_id").join(table, on="run_id", how="left", maintain_order="left")
    features = wide.select(names).to_numpy().astype(np.float64, order="C")
    return replace(part, features=features, names=names)


def read_beginnings(
    cohort: Cohort,
    sample: Sample,
    features: Sequence[str | Feature],
    *,
    folds: str,
    drawing: Drawing,
    executor: Executor | None = None,
) -> Reading:
    """AUC of features and of both baselines after m actions, and whether features beat them."""
    predictors = {"features": features, **BASELINES}
    lengths = feature_table(cohort, ["total_steps"])
    rows: list[dict[str, object]] = []
    ahead: list[tuple[int, bool]] = []
    for m in STEPS:
        longer = lengths.filter(pl.col("total_steps") > m)["run_id"]
        found = _at(
            cohort,
            sample,
            predictors,
            longer,
            first=m,
            folds=folds,
            drawing=drawing,
            executor=executor,
        )
        if found is None:
            break
        rows += [{"m": m, **row} for row in found]
        ahead.append((m, all(_leads(row["margin_low"]) for row in found[1:])))
    every = lengths["run_id"]
    by_share: list[dict[str, object]] = []
    for share in SHARES:
        found = _at(
            cohort,
            sample,
            predictors,
            every,
            share=share,
            folds=folds,
            drawing=drawing,
            executor=executor,
        )
        by_share += [{"share": share, **row} for row in found or []]
    return Reading(
        pl.DataFrame(rows, schema={"m": pl.Int64, **_SCHEMA}),
        pl.DataFrame(by_share, schema={"share": pl.Float64, **_SCHEMA}),
        verdict(ahead),
    )


_SCHEMA: Final = {
    "predictor": pl.String,
    "auc": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "margin": pl.Float64,
    "margin_low": pl.Float64,
    "margin_high": pl.Float64,
    "n_runs": pl.Int64,
    "n_tasks": pl.Int64,
}


def _leads(low: object) -> bool:
    return isinstance(low, float) and low > 0


def _at(  # noqa: PLR0913  what is known of the runs, and how it is judged
    cohort: Cohort,
    sample: Sample,
    predictors: Mapping[str, Sequence[str | Feature]],
    longer: pl.Series,
    *,
    folds: str,
    drawing: Drawing,
    executor: Executor | None,
    first: int | None = None,
    share: float | None = None,
) -> list[dict[str, object]] | None:
    """AUC of each predictor and by how much the features lead; None with too few runs."""
    parts = {
        name: prefix(sample, feature_table(cohort, each, first=first, share=share), longer)
        for name, each in predictors.items()
    }
    part = parts["features"]
    won = int(part.success.sum())
    if min(won, len(part.success) - won) < LEAST:
        return None
    numbers = FOLDS[folds](part, seed=drawing.seed)
    scores = {
        name: attribute(each, numbers, seed=drawing.seed, executor=executor).raw
        for name, each in parts.items()
    }
    statistics = {
        name: auc_within_of(raw, part.success, part.task, numbers) for name, raw in scores.items()
    }
    rows: list[dict[str, object]] = []
    for name, statistic in statistics.items():
        own_auc, lead = (
            statistic_interval(each, part.n_tasks, rng=drawing.seed, level=drawing.level)
            for each in (statistic, minus(statistics["features"], statistic))
        )
        rows.append(_row(name, own_auc, None if name == "features" else lead, part))
    return rows


def _row(name: str, own: Interval, lead: Interval | None, part: Sample) -> dict[str, object]:
    return {
        "predictor": name,
        "auc": own.estimate,
        "low": own.low,
        "high": own.high,
        "margin": lead.estimate if lead else None,
        "margin_low": lead.low if lead else None,
        "margin_high": lead.high if lead else None,
        "n_runs": len(part.success),
        "n_tasks": part.n_tasks,
    }


def verdict(ahead: Sequence[tuple[int, bool]]) -> Verdict:
    """From which action on features beat both baselines at every later one too.

    >>> verdict([(3, False), (5, True), (10, True)]).because
    'features of the first actions beat the baselines from action 5 on'
    """
    question = "Do the first actions of a run tell more than its length and its progress?"
    if not ahead:
        return Verdict(
            question=question,
            decision="not enough data",
            because=f"fewer than {LEAST} runs of each outcome go on after {STEPS[0]} actions",
        )
    since = None
    for m, leads in reversed(ahead):
        if not leads:
            break
        since = m
    if since is None:
        because = "features of the first actions do not beat the baselines"
        return Verdict(question=question, decision="no", because=because)
    because = f"features of the first actions beat the baselines from action {since} on"
    return Verdict(question=question, decision="yes", because=because)
