"""How far figures move over the levels of a field, beside how far systems lie apart."""

from collections.abc import Sequence

import polars as pl

from ethogram.results.table import Column, Table


def range_over_levels(levels: pl.DataFrame, by: str, figures: Sequence[str]) -> Table:
    """Range over levels of each system's figures, against the smallest gap between systems.

    Parameters
    ----------
    levels : polars.DataFrame
        Rows of a table of estimates with the keys ``at_level`` and ``system`` and with labels.
    by : str
        Name of the field, as the user wrote it.
    figures : sequence of str
        Names of the figures to show: few, so that the table can be read.

    Returns
    -------
    Table
        ``ranges``: one row a system and figure with a value at two levels or more. The gap is the
        smallest between two systems at one level; null with one system.
    """
    known = levels.filter(pl.col("value").is_not_null() & pl.col("name").is_in(list(figures)))
    gaps = (
        known.sort("at_level", "name", "value")
        .with_columns(gap=pl.col("value").diff().over("at_level", "name"))
        .group_by("name")
        .agg(smallest_gap=pl.col("gap").min())
    )
    frame = (
        known.group_by("system", "name", "label", "unit", maintain_order=True)
        .agg(
            n_levels=pl.len(),
            lowest=pl.col("value").min(),
            highest=pl.col("value").max(),
            range=pl.col("value").max() - pl.col("value").min(),
        )
        .filter(pl.col("n_levels") > 1)
        .join(gaps, on="name", how="left", maintain_order="left")
    )
    columns = (
        Column("system", "System"),
        Column("label", "Figure"),
        Column("n_levels", f"Levels of {by}", "count"),
        Column("lowest", "Lowest"),
        Column("highest", "Highest"),
        Column("range", "Range"),
        Column("smallest_gap", "Smallest gap", "", "Between two systems at one level."),
    )
    about = "A range above the smallest gap means: the level matters more than the system."
    return Table("ranges", f"Range over {by}", frame, columns, about)
