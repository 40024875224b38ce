"""Whether a judge's scores and their order hold at other temperatures of the judge.

References
----------
Yang et al. (2026), When Agents Look the Same, appendix D.4, Tables 12 and 13.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from ethogram.errors import UsageError
from ethogram.measures.similarity.responses import OVERALL, Judged, case_scores
from ethogram.results.table import Column, Table

COLUMNS: Final = (
    Column("first", "first"),
    Column("second", "second"),
    Column("temperature", "temperature"),
    Column("score", "RPS", about="Mean over tasks of the pairs of runs scored at all temperatures"),
    Column("rank", "rank", "count", about="1: the pair of systems most alike at this temperature"),
    Column("range", "range", about="Highest minus lowest score of the pair over temperatures"),
    Column("n_tasks", "tasks", "count"),
)


def temperature_table(by_temperature: Mapping[float, Judged]) -> Table:
    """Scores of every pair of systems at each temperature, over what was scored at all of them.

    Parameters
    ----------
    by_temperature : mapping of float to Judged
        The same runs, judged at each temperature.

    Returns
    -------
    Table
        ``temperatures``: a row a pair and temperature with its score, its rank and the pair's range
        over temperatures. `ranking_holds` says whether the ranks agree.

    Raises
    ------
    UsageError
        If there are fewer than two temperatures, or they are of different runs.
    """
    judged = list(by_temperature.values())
    if len(judged) < 2:
        raise UsageError("stability needs scores at two temperatures or more; got one or none")
    if any(each.staged.pairs != judged[0].staged.pairs for each in judged):
        raise UsageError("stability needs the same pairs of runs at every temperature")
    cases = pl.concat(
        _cases(each).with_columns(temperature=pl.lit(float(at), dtype=pl.Float64))
        for at, each in by_temperature.items()
    )
    everywhere = cases.filter(pl.len().over("pair") == len(judged))
    frame = (
        everywhere.group_by("first", "second", "temperature", "task")
        .agg(pl.col("score").mean())
        .group_by("first", "second", "temperature")
        .agg(pl.col("score").mean(), n_tasks=pl.len().cast(pl.Int64))
        .with_columns(
            rank=pl.col("score").rank("min", descending=True).over("temperature").cast(pl.Int64),
            range=(pl.col("score").max() - pl.col("score").min()).over("first", "second"),
        )
        .sort("first", "second", "temperature")
    )
    return Table(
        "temperatures",
        "Do the scores hold at other temperatures of the judge?",
        frame,
        columns=COLUMNS,
        about="Pairs of runs that were scored at every temperature.",
    )


def _cases(judged: Judged) -> pl.DataFrame:
    """``pair, task, first, second, score`` of the pairs of runs that have a score."""
    named = judged.frame.select("pair", "task", "first", "second").unique("pair")
    return case_scores(judged).select("pair", score=OVERALL).join(named, on="pair").sort("pair")


def ranking_holds(table: Table) -> bool | None:
    """Whether all temperatures rank the pairs of systems alike; None with fewer than two pairs."""
    ranks: dict[Any, Sequence[int]] = {
        key: rows.sort("first", "second")["rank"].to_list()
        for key, rows in table.frame.group_by("temperature")
    }
    if not ranks or len(next(iter(ranks.values()))) < 2:
        return None
    return len({tuple(each) for each in ranks.values()}) == 1
