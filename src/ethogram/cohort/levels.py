"""Levels of a field, for measures that are computed level by level (``--by FIELD``).

The field may be a column of runs, tasks or systems, or a key of the systems' settings.
"""

import polars as pl

from ethogram.errors import UsageError


def with_levels(runs: pl.DataFrame, by: str) -> pl.DataFrame:
    """Add the column ``level``: the value of a column, or of a key of the system's settings.

    A field of the system splits systems by itself: runs that differ in it are of different systems.
    Their names then go back to scaffold and model, so that one system has several levels.

    Raises
    ------
    UsageError
        If neither a column nor a setting is called so.
    """
    if isinstance(runs.schema.get(by), pl.List | pl.Struct):
        raise UsageError(f"by: {by!r} holds several values a run; allowed: one value a run")
    if by in runs.columns:
        value = pl.col(by).cast(pl.String)
    else:
        value = pl.col("settings").str.json_path_match(f"$.{by}")
    levels = runs.with_columns(level=value)
    if levels["level"].is_null().all():
        raise UsageError(
            f"by: no run has a value of {by!r}; allowed: a column of runs, tasks or systems, or a "
            "key of the systems' settings"
        )
    within = levels.group_by("system").agg(pl.col("level").n_unique())["level"].max()
    if within == 1 and levels["level"].n_unique() > 1:
        base = pl.concat_str("scaffold", "model", separator="/", ignore_nulls=True)
        levels = levels.with_columns(system=pl.when(base == "").then("system").otherwise(base))
    return levels.with_columns(pl.col("level").fill_null("(not recorded)"))
