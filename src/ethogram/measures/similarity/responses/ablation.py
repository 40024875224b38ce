"""Does comparing stage by stage steady the judge? Spread of repeated scores with and without.

References
----------
Yang et al. (2026), When Agents Look the Same, appendix C.1 and Table 6.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import polars as pl

from ethogram.errors import UsageError
from ethogram.measures.similarity.responses.scoring import OVERALL, Judged, case_scores
from ethogram.results.estimate import Estimate
from ethogram.results.table import Table, estimates_table
from ethogram.stats.arrays import FloatArray
from ethogram.stats.intervals import Interval
from ethogram.stats.task_intervals import mean_interval, ratio_interval

WITH: Final = "within_sd_stages"
WITHOUT: Final = "within_sd_whole"
REDUCTION: Final = "sd_reduction"
NO_CASE: Final = "no pair of runs was scored twice both ways"
NO_SPREAD: Final = "no spread without stages"
WIDEST: Final = (0.0, np.inf)


def within_case_sd(judged: Judged) -> pl.DataFrame:
    """Standard deviation over samples of the score of each pair of runs.

    Returns
    -------
    polars.DataFrame
        ``pair, task, first, second, first_run, second_run, n_samples, sd``: a sample's score is the
        mean over shared stages of the mean over both orders; the deviation has ``n - 1`` in its
        denominator. Pairs that were not scored twice are missing.
    """
    cases = case_scores(judged, by=["sample"])
    spread = (
        cases.group_by("pair")
        .agg(n_samples=pl.len(), sd=pl.col(OVERALL).std(ddof=1))
        .filter(pl.col("n_samples") > 1)
    )
    named = judged.frame.select("pair", "task", "first", "second", "first_run", "second_run")
    return named.unique("pair").join(spread, on="pair").sort("pair")


def alignment_ablation(stages: Judged, whole: Judged, *, level: float = 0.95) -> Table:
    """Within-case spread with stages, without, and by how much stages reduce it.

    Parameters
    ----------
    stages, whole : Judged
        The same runs scored stage by stage and as wholes, by a judge of two samples or more.
    level : float
        Nominal coverage; intervals are over tasks.

    Returns
    -------
    Table
        ``ablation``: estimates with the keys ``first`` and ``second``, over the pairs of runs that
        were scored twice in both ways: ``within_sd_stages`` and ``within_sd_whole`` in points of
        the scale from 1 to 5, ``sd_reduction`` as a share (0.5: half the spread).

    Raises
    ------
    UsageError
        If the two are not of the same runs.
    """
    if stages.staged.pairs != whole.staged.pairs:
        raise UsageError(
            "the ablation needs the same pairs of runs, scored with and without stages"
        )
    keys = ["pair", "task", "first", "second", "first_run", "second_run"]
    both = within_case_sd(stages).select(*keys, with_stages="sd").join(
        within_case_sd(whole).select("pair", without="sd"), on="pair"
    )  # fmt: skip
    rows = []
    for (first, second), cases in both.sort("first", "second", "pair").group_by(
        ["first", "second"], maintain_order=True
    ):
        key = {"first": str(first), "second": str(second)}
        rows += [(key, estimate) for estimate in _estimates(cases, level)]
    rows = rows or [({"first": "", "second": ""}, each) for each in _none(level)]
    table = estimates_table(
        "ablation", "Does the judge waver less stage by stage?", rows, keys=("first", "second")
    )
    return Table(
        table.name,
        table.title,
        table.frame,
        about="Standard deviation of repeated scores of one pair of runs, mean over tasks.",
        across="name",
    )


def _estimates(cases: pl.DataFrame, level: float) -> Iterator[Estimate]:
    by_task = cases.group_by("task", maintain_order=True).agg(
        pl.col("with_stages", "without").mean()
    )
    one, other = by_task["with_stages"].to_numpy(), by_task["without"].to_numpy()
    n_runs = pl.concat([cases["first_run"], cases["second_run"]]).n_unique()
    sizes: Mapping[str, int] = {"n_tasks": by_task.height, "n_runs": n_runs}
    yield _estimate(WITH, "", mean_interval(one, level=level, bounds=WIDEST), sizes)
    yield _estimate(WITHOUT, "", mean_interval(other, level=level, bounds=WIDEST), sizes)
    yield _estimate(REDUCTION, "share", _reduction(one, other, level), sizes)


def _reduction(one: FloatArray, other: FloatArray, level: float) -> Interval:
    """One minus the ratio of the means, its ends turned round."""
    ratio = ratio_interval(one, other, level=level, bounds=WIDEST)
    return Interval(
        estimate=_less_than_one(ratio.estimate),
        low=_less_than_one(ratio.high),
        high=_less_than_one(ratio.low),
        level=level,
        method=ratio.method,
        reason=ratio.reason,
    )


def _less_than_one(ratio: float | None) -> float | None:
    return None if ratio is None else 1 - ratio


def _estimate(name: str, unit: str, interval: Interval, sizes: Mapping[str, int]) -> Estimate:
    there = interval.estimate is not None
    method = interval.method if interval.reason is None else f"no interval: {interval.reason}"
    return Estimate(
        name=name,
        unit=unit,
        value=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        **sizes,
        method=method if there else "",
        reason=None if there else NO_SPREAD,
    )


def _none(level: float) -> Iterator[Estimate]:
    for name in (WITH, WITHOUT, REDUCTION):
        yield Estimate(
            name=name, unit="", value=None, level=level, n_tasks=0, n_runs=0, reason=NO_CASE
        )
