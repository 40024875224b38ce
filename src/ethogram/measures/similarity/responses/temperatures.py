"""Whether a judge's scores and their order hold at other temperatures of the judge.

References
----------
Yang et al. (2026), When Agents Look the Same, appendix D.4, Tables 12 and 13.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from ethogram.errors import UsageError
from ethogram.measures.similarity.responses.blocks import Staged
from ethogram.measures.similarity.responses.reliability import reliability_table, retest
from ethogram.measures.similarity.responses.scoring import (
    OVERALL,
    SCALE,
    Judged,
    case_scores,
    score,
)
from ethogram.results.judges import Judge
from ethogram.results.table import Column, Table
from ethogram.stats.task_intervals import mean_interval

KEYS: Final = ("first", "second", "temperature")
SCHEMA: Final = {
    "first": pl.String,
    "second": pl.String,
    **dict.fromkeys(("temperature", "score", "low", "high"), pl.Float64),
    "n_tasks": pl.Int64,
}
COLUMNS: Final = (
    Column("first", "first"),
    Column("second", "second"),
    Column("temperature", "temperature"),
    Column("score", "RPS", about="Mean over tasks of the pairs of runs scored at all temperatures"),
    Column("low", "from", about="Interval over tasks"),
    Column("high", "to"),
    Column("rank", "rank", "count", about="1: the pair of systems most alike at this temperature"),
    Column("range", "range", about="Highest minus lowest score of the pair over temperatures"),
    Column("n_tasks", "tasks", "count"),
)


def stability(
    runs: Staged, judges: Mapping[float, Judge], *, level: float = 0.95, seed: int = 0
) -> list[Table]:
    """Ask a judge at several temperatures, of the same blocks.

    Parameters
    ----------
    runs : Staged
        The runs; restrict its pairs to pay for fewer.
    judges : mapping of float to Judge
        The judge at each temperature; with two samples, how far each agrees with itself.
    level, seed
        As in `temperature_table` and `reliability_table`.

    Returns
    -------
    list of Table
        ``temperatures`` and, where some judge gives two samples, ``reliability`` by temperature.
    """
    by_temperature = {at: score(runs, judge) for at, judge in judges.items()}
    tables = [temperature_table(by_temperature, level=level)]
    twice = {
        f"asked twice at {at:g}": [("rps", retest(judged))]
        for at, judged in by_temperature.items()
        if judges[at].samples > 1
    }
    return [*tables, reliability_table(twice, level=level, seed=seed)] if twice else tables


def temperature_table(by_temperature: Mapping[float, Judged], *, level: float = 0.95) -> Table:
    """Scores of every pair of systems at each temperature, over what was scored at all of them.

    Parameters
    ----------
    by_temperature : mapping of float to Judged
        The same runs, judged at each temperature.
    level : float
        Nominal coverage of the intervals, which are over tasks.

    Returns
    -------
    Table
        ``temperatures``: a row a pair and temperature with its score and interval, its rank and the
        pair's range over temperatures. `ranking_holds` says whether the ranks agree.

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
    by_task = everywhere.group_by("first", "second", "temperature", "task").agg(
        pl.col("score").mean()
    )
    frame = (
        pl.DataFrame(
            [_row(key, rows, level) for key, rows in by_task.group_by(*KEYS)], schema=SCHEMA
        )
        .with_columns(
            rank=pl.col("score").rank("min", descending=True).over("temperature").cast(pl.Int64),
            range=(pl.col("score").max() - pl.col("score").min()).over("first", "second"),
        )
        .sort(KEYS)
    )
    return Table(
        "temperatures",
        "Do the scores hold at other temperatures of the judge?",
        frame,
        columns=COLUMNS,
        about="Pairs of runs that were scored at every temperature.",
    )


def _row(key: Sequence[object], by_task: pl.DataFrame, level: float) -> dict[str, object]:
    scores = by_task.sort("task")["score"].to_numpy()
    interval = mean_interval(scores, level=level, bounds=SCALE)
    return {
        **dict(zip(KEYS, key, strict=True)),
        "score": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "n_tasks": len(scores),
    }


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
