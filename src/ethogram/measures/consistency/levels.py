"""Consistency at each level of a field, and how far it moves from level to level (``--by``)."""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.levels import with_levels
from ethogram.errors import NotEnoughDataError
from ethogram.measures.consistency import tables
from ethogram.measures.consistency.evidence import gather
from ethogram.measures.consistency.sample import Sample, check_learnable
from ethogram.measures.consistency.scales import Drawing
from ethogram.measures.consistency.systems import Rows, system_rows
from ethogram.results.levels import range_over_levels
from ethogram.results.names import short_names
from ethogram.results.numbers import show_number
from ethogram.results.table import Table

RANGED: Final = (
    "success_rate",
    "cross_task_offset_minus_null",
    "cross_task_offset",
    "cross_task",
    "within_task_offset_minus_null",
    "within_task_offset",
)
"""Figures whose range over levels is put beside the gaps between systems."""


def levels_of(cohort: Cohort, sample: Sample, by: str) -> Iterator[tuple[str, Sample]]:
    """The runs of each level, in order; systems that differ in the field alone are one system.

    Raises
    ------
    UsageError
        If neither a column nor a setting is called so.
    """
    levels = with_levels(cohort.joined, by).select("run_id", "level", "system")
    runs = sample.runs.drop("system").join(levels, on="run_id", how="left", maintain_order="left")
    for level in runs["level"].unique().sort().to_list():
        rows = runs.with_row_index("row").filter(level=level).sort("system", "task", "run_id")
        yield (
            level,
            replace(
                sample,
                runs=rows.select(sample.runs.columns),
                features=sample.features[rows["row"].to_numpy()],
            ),
        )


def level_parts(  # noqa: PLR0913  what is measured, and how
    cohort: Cohort,
    sample: Sample,
    by: str,
    *,
    folds: str,
    n_permutations: int,
    max_runs: int | None,
    drawing: Drawing,
    executor: Executor | None,
) -> tuple[list[Table], list[str], list[str]]:
    """Figures at each level with predictors of its own, their range, what is said, what lacks.

    Returns
    -------
    made : list of Table
        ``ranges`` and ``levels``.
    said : list of str
        Ranges of the main figures in sentences.
    lacking : list of str
        Why a level has no figures.
    """
    rows: Rows = []
    lacking = []
    for level, part in levels_of(cohort, sample, by):
        try:
            check_learnable(part.runs)
        except NotEnoughDataError as err:
            lacking.append(f"No figures for {by} = {level}: {err}.")
            continue
        evidence = gather(
            part,
            folds=folds,
            seed=drawing.seed,
            n_permutations=n_permutations,
            max_runs=max_runs,
            executor=executor,
        )
        rows += [
            ({"at_level": level, **keys}, found)
            for keys, found in system_rows(evidence, drawing=drawing)
        ]
    figures = tables.labelled(
        "levels",
        f"By {by}",
        rows,
        keys=("at_level", "system"),
        about="Each level is measured by itself, with predictors that saw its runs only.",
    )
    ranges = range_over_levels(figures.frame, by, RANGED)
    return [ranges, figures], list(_in_words(ranges.frame, by)), lacking


def _in_words(ranges: pl.DataFrame, by: str) -> Iterator[str]:
    names = short_names(ranges["system"].unique(maintain_order=True).to_list(), 60)
    for name in ("cross_task_offset_minus_null", "cross_task_offset"):
        rows = ranges.filter(name=name)
        if rows.is_empty():
            continue
        moved = "; ".join(
            f"{names[row['system']]} {_distance(row['range'])} "
            f"({show_number(row['lowest'], 'correlation')} to "
            f"{show_number(row['highest'], 'correlation')})"
            for row in rows.iter_rows(named=True)
        )
        gap = rows["smallest_gap"][0]
        beside = "" if gap is None else f". Smallest gap between systems: {_distance(gap)}"
        less = " minus its null" if name.endswith("_null") else ""
        yield (
            f"Range of BCM across tasks with success offset{less} over the levels of {by}: "
            f"{moved}{beside}."
        )
        return


def _distance(value: float) -> str:
    return show_number(value, "correlation").lstrip("+")
