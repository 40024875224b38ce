"""Labels by people, from a CSV, beside a judge's scores of the same blocks."""

from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from ethogram.errors import InputError
from ethogram.measures.similarity.responses.blocks import Staged
from ethogram.measures.similarity.responses.reliability import ratings_of
from ethogram.measures.similarity.responses.scoring import DIMENSIONS, OVERALL, Judged
from ethogram.results.ratings import Ratings
from ethogram.user_files import read_regular, reason_of

RUNS: Final = ("first_run", "second_run")
NEEDED: Final = (*RUNS, OVERALL)
SHEET: Final = (*RUNS, "stage", "first_block", "second_block", OVERALL)
LOWEST, HIGHEST = 1, 5


def label_sheet(runs: Staged, *, n: int = 50, seed: int = 0) -> pl.DataFrame:
    """Blocks for people to label: a table to be written as CSV, filled in and read back.

    Parameters
    ----------
    runs : Staged
        The runs, sorted into stages.
    n : int
        At most so many pairs of blocks, drawn at random.
    seed : int
        Of the draw, and of which of two blocks comes first.

    Returns
    -------
    polars.DataFrame
        ``first_run, second_run, stage, first_block, second_block`` and an empty column ``overall``.
        Systems are not named.
    """
    blocks = runs.blocks()
    ids = runs.sample.runs["run_id"]
    shared = [
        (pair.first, pair.second, stage)
        for pair in runs.pairs
        for stage in blocks[pair.first]
        if stage in blocks[pair.second]
    ]
    rng = np.random.default_rng(seed)
    rows = []
    for place in rng.permutation(len(shared))[:n]:
        one, other, stage = shared[place]
        first, second = (other, one) if rng.random() < 1 / 2 else (one, other)
        shown = (blocks[first][stage].text, blocks[second][stage].text)
        rows.append((ids[first], ids[second], stage, *shown, None))
    return pl.DataFrame(rows, schema=dict.fromkeys(SHEET, pl.String), orient="row")


def read_labels(path: str | Path) -> pl.DataFrame:
    """Labels of a CSV file.

    Parameters
    ----------
    path : str or Path
        Columns ``first_run``, ``second_run`` (run ids, in either order), ``stage`` (empty or
        missing: whole runs), ``overall`` from 1 to 5 and, if wanted, ``style``, ``structure``,
        ``alignment`` and ``rater``. Several people may label the same blocks, a row each; other
        columns are let in. A row without a label is one that nobody has filled in.

    Raises
    ------
    InputError
        If the file can't be read, lacks a column, or has a label that is none.
    """
    try:
        frame = pl.read_csv(read_regular(path), infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as err:
        raise InputError(f"{path}: can't be read as a CSV of labels: {reason_of(err)}") from None
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise InputError(
            f"{path}: labels need the columns {', '.join(NEEDED)}; {', '.join(missing)} missing"
        )
    if "stage" not in frame.columns:
        frame = frame.with_columns(stage=pl.lit(None, dtype=pl.String))
    frame = frame.with_columns(pl.col("stage").replace("", None))
    given = [name for name in DIMENSIONS if name in frame.columns]
    for name in given:
        _check(frame, name, path)
    return frame.with_columns(pl.col(given).cast(pl.Int64, strict=False))


def _check(frame: pl.DataFrame, name: str, path: str | Path) -> None:
    numbers = frame[name].cast(pl.Int64, strict=False)
    odd = frame[name].is_not_null() & ~numbers.is_between(LOWEST, HIGHEST).fill_null(value=False)
    if odd.any():
        line = int(odd.arg_max() or 0)
        raise InputError(
            f"{path}: row {line + 1}, {name}: a whole number from 1 to 5, got {frame[name][line]!r}"
        )


def with_people(judged: Judged, labels: pl.DataFrame, dimension: str = OVERALL) -> Ratings:
    """A judge's scores and people's of the same blocks, an item a label.

    The judge's is the mean over orders and samples, rounded (halves up), as people's are whole.
    Labels of blocks that were not judged play no part.
    """
    if dimension not in labels.columns:
        labels = labels.with_columns(pl.lit(None, dtype=pl.Int64).alias(dimension))
    keys = [*RUNS, "stage"]
    scored = judged.frame.group_by("task", *keys).agg(mean=pl.col(dimension).mean())
    rounded = scored.with_columns(first_rating=(pl.col("mean") + 0.5).floor())
    turned = rounded.rename({"first_run": "second_run", "second_run": "first_run"})
    both = pl.concat([rounded, turned.select(rounded.columns)]).unique(keys)
    rows = labels.select(*keys, second_rating=dimension).join(both, on=keys, nulls_equal=True)
    return ratings_of(rows)
