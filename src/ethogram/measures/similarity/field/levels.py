"""Similarity at each level of a field, and how far it moves from level to level (``--by``)."""

from collections.abc import Iterator

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.levels import with_levels
from ethogram.measures.similarity.catalogue import CATALOGUE
from ethogram.measures.similarity.field.matrix import similarity_table
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.scores import Graphs, tool_scores
from ethogram.results.levels import range_over_levels
from ethogram.results.table import Table

RANGED = tuple(figure.name for figure in CATALOGUE.values() if figure.group == "main")


def levels_of(cohort: Cohort, made: Graphs, by: str) -> Iterator[tuple[str, Graphs]]:
    """The graphs of each level, in order; systems that differ in the field alone are one system.

    Raises
    ------
    UsageError
        If neither a column nor a setting is called so.
    """
    levels = with_levels(cohort.joined, by).select("run_id", "level", "system")
    runs = made.sample.runs.drop("system").with_row_index("row")
    runs = runs.join(levels, on="run_id", how="left", maintain_order="left")
    for level in runs["level"].unique().sort().to_list():
        rows = runs.filter(level=level).sort("system", "task", "row")
        places = rows["row"].to_list()
        yield (
            level,
            Graphs(
                Sample(rows.select(made.sample.runs.columns), made.sample.left_out),
                [made.graphs[place] for place in places],
                [made.n_guessed[place] for place in places],
                made.n_results,
            ),
        )


def level_tables(cohort: Cohort, made: Graphs, by: str, *, level: float) -> list[Table]:
    """AGS and its parts of every pair at each level, and their range over levels.

    Which tools are optional is decided anew at each level, by all systems that have runs there.

    Returns
    -------
    list of Table
        ``ranges`` and ``levels``.
    """
    frames = [pl.DataFrame()]
    for name, part in levels_of(cohort, made, by):
        if len(part.sample.systems) > 1:
            found = similarity_table(tool_scores(part).main, level=level).frame
            frames.append(found.select(pl.lit(name).alias("at_level"), pl.all()))
    figures = pl.concat(frames, how="diagonal") if len(frames) > 1 else _empty(made, level)
    pairs = figures.with_columns(system=pl.format("{} – {}", "first", "second"))
    return [
        range_over_levels(pairs, by, RANGED),
        Table(
            "levels",
            f"By {by}",
            figures,
            about="Each level is measured by itself; its systems decide which tools are optional.",
            across="name",
        ),
    ]


def _empty(made: Graphs, level: float) -> pl.DataFrame:
    frame = similarity_table(tool_scores(made).main, level=level).frame.clear()
    return frame.select(pl.lit("").alias("at_level"), pl.all())
