"""How far a judge's scores can be trusted: agreement of judges, orders, repeats and people.

Each figure compares two ratings of the same items, an item being one question: two blocks in one
order. Items of one task are not independent, so that intervals are over tasks.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from ethogram.measures.similarity.responses.scoring import OVERALL, Judged
from ethogram.results.estimate import Estimate
from ethogram.results.ratings import (
    Ratings,
    agreement_estimate,
    kappa_interval,
    share_within,
)
from ethogram.results.table import Table, estimates_table
from ethogram.stats.intervals import Interval
from ethogram.stats.task_agreement import pearson_of
from ethogram.stats.task_intervals import ratio_interval, statistic_interval

QUESTION: Final = ("pair", "stage")
COMPARED: Final = (*QUESTION, "order", "sample")
TWO_JUDGES: Final = "two judges"
TWO_ORDERS: Final = "two orders"
RETEST: Final = "asked twice"
PEOPLE: Final = "judge and people"


def two_judges(first: Judged, second: Judged, dimension: str = OVERALL) -> Ratings:
    """Both judges' scores of the same questions and samples (Table 11)."""
    return _both(first.frame, second.frame, dimension, COMPARED)


def two_orders(judged: Judged, dimension: str = OVERALL) -> Ratings:
    """Scores of the same blocks shown in one order and in the other: position bias."""
    given, swapped = (judged.frame.filter(order=order) for order in ("given", "swapped"))
    return _both(given, swapped, dimension, (*QUESTION, "sample"))


def retest(judged: Judged, dimension: str = OVERALL) -> Ratings:
    """The first two answers to the same question (Table 13)."""
    one, other = (judged.frame.filter(sample=sample) for sample in (0, 1))
    return _both(one, other, dimension, (*QUESTION, "order"))


def _both(one: pl.DataFrame, other: pl.DataFrame, dimension: str, keys: Sequence[str]) -> Ratings:
    right = other.select(*keys, second_rating=dimension)
    rows = one.join(right, on=list(keys), how="inner", nulls_equal=True)
    return ratings_of(rows.rename({dimension: "first_rating"}))


def ratings_of(rows: pl.DataFrame) -> Ratings:
    """Ratings of a frame with ``task``, the runs, ``first_rating`` and ``second_rating``."""
    known = rows.drop_nulls(["first_rating", "second_rating"])
    task = known["task"].rank("dense").cast(pl.Int64).to_numpy() - 1
    runs = pl.concat([known["first_run"], known["second_run"]]).n_unique()
    return Ratings(
        known["first_rating"].cast(pl.Float64).to_numpy(),
        known["second_rating"].cast(pl.Float64).to_numpy(),
        task.astype(np.int64),
        runs if known.height else 0,
    )


def agreement(ratings: Ratings, *, level: float = 0.95, seed: int = 0) -> list[Estimate]:
    """Quadratic-weighted kappa, exact and within-one agreement, mean gap and Pearson's r.

    Parameters
    ----------
    ratings : Ratings
        Two ratings of the same items.
    level : float
        Nominal coverage.
    seed : int
        Of the resamples of kappa and r.

    Returns
    -------
    list of Estimate
        ``kappa``, ``exact``, ``within_one``, ``gap`` (mean distance of the two ratings, in points)
        and ``pearson``; kappa and r without a value where all ratings of one side are the same.
    """
    made = (
        (
            "kappa",
            "correlation",
            kappa_interval(ratings, weights="quadratic", level=level, seed=seed),
        ),
        ("exact", "share", share_within(ratings, level=level)),
        ("within_one", "share", share_within(ratings, 1, level=level)),
        ("gap", "", _gap(ratings, level)),
        ("pearson", "correlation", _pearson(ratings, level, seed)),
    )
    return [agreement_estimate(name, unit, ratings, interval) for name, unit, interval in made]


def _pearson(ratings: Ratings, level: float, seed: int) -> Interval:
    statistic = pearson_of(ratings.first, ratings.second, ratings.task, ratings.n_tasks)
    return statistic_interval(statistic, ratings.n_tasks, rng=seed, level=level, bounds=(-1.0, 1.0))


def _gap(ratings: Ratings, level: float) -> Interval:
    gaps = np.abs(ratings.first - ratings.second)
    sums = np.bincount(ratings.task, weights=gaps, minlength=ratings.n_tasks)
    items = np.bincount(ratings.task, minlength=ratings.n_tasks)
    return ratio_interval(sums, items, level=level, bounds=(0.0, 4.0))


def reliability_table(
    compared: Mapping[str, Iterable[tuple[str, Ratings]]], *, level: float = 0.95, seed: int = 0
) -> Table:
    """Agreement side by side.

    Parameters
    ----------
    compared : mapping of str to iterable of (str, Ratings)
        What is compared (``two judges``, ...) to the ratings by score.
    level, seed
        As in `agreement`.

    Returns
    -------
    Table
        ``reliability``: estimates with the keys ``comparison`` and ``score``, a column a figure.
    """
    rows = [
        ({"comparison": comparison, "score": score}, estimate)
        for comparison, by_score in compared.items()
        for score, ratings in by_score
        for estimate in agreement(ratings, level=level, seed=seed)
    ]
    table = estimates_table(
        "reliability",
        "How reliable is the judge?",
        rows,
        keys=("comparison", "score"),
    )
    return Table(
        table.name,
        table.title,
        table.frame,
        about="Two ratings of the same questions: quadratic-weighted kappa, share of equal ratings "
        "and of ratings at most one apart, mean distance in points, Pearson's r.",
        across="name",
    )
