"""Tables of the parts that stand beside the main ones: archetypes, difficulty, order, monitor."""

from typing import Final

import polars as pl

from ethogram.measures.consistency.catalogue import CATALOGUE
from ethogram.measures.consistency.tables import SYSTEM, Rows
from ethogram.results.table import Column, Table, estimates_table


def archetype_tables(
    frame: pl.DataFrame,
    shares: pl.DataFrame,
    spread: pl.DataFrame,
    silhouettes: pl.DataFrame,
    places: pl.DataFrame,
) -> list[Table]:
    """Clusters of attributions, how systems spread over them, and a map."""
    own = [name for name in frame.columns if name not in _ARCHETYPE]
    return [
        Table(
            "archetypes",
            "Ways of working",
            frame,
            (
                Column("archetype", "Archetype", "count"),
                Column("description", "Description", "", "Features far from the average run."),
                Column("n_runs", "Runs", "count"),
                Column("success_rate", "Success", "share"),
                *(Column(name, name) for name in own),
            ),
            "k-means of the attributions; exploratory: clusters overlap where the silhouette is "
            "low. Features are means over the archetype's runs.",
        ),
        Table(
            "archetype_shares",
            "Whose runs they are",
            shares,
            (
                Column("archetype", "Archetype", "count"),
                SYSTEM,
                Column("n_runs", "Runs", "count"),
                Column("share", "Share of the archetype", "share"),
                Column("share_of_system", "Share of the system", "share"),
            ),
        ),
        Table(
            "spread",
            "How systems spread over ways of working",
            spread,
            (
                SYSTEM,
                Column("entropy", "Entropy", "", "0: one archetype, 1: all equally often."),
                Column("dominant", "Most frequent", "count"),
                Column("dominant_share", "Share of runs", "share"),
                Column("other_dominant", "Tasks with another one", "share"),
                Column("n_tasks", "Tasks with repeats", "count"),
            ),
        ),
        Table(
            "silhouettes",
            "How many ways of working",
            silhouettes,
            (
                Column("k", "Archetypes", "count"),
                Column("silhouette", "Silhouette"),
                Column("chosen", "Taken"),
            ),
        ),
        Table("map", "Map of runs", places, about="Two coordinates of each run's attributions."),
    ]


_ARCHETYPE: Final = ("archetype", "description", "n_runs", "success_rate")


def difficulty_table(rows: Rows, pooling: str) -> Table:
    """BCM and success by how hard tasks are."""
    of = "the other systems' runs" if pooling == "others" else "all runs"
    table = estimates_table(
        "difficulty",
        "By difficulty of tasks",
        rows,
        keys=("system", "difficulty"),
        about=f"Terciles of the share of {of} that succeed; descriptive: what no run solved need "
        "not be hard for a reason of its own.",
    )
    labels = {figure.name: figure.label for figure in CATALOGUE.values()}
    bins = "_(easy|medium|hard|always_solved|sometimes_solved|never_solved)$"
    label = pl.col("name").str.replace(bins, "").replace_strict(labels, return_dtype=pl.String)
    return Table(table.name, table.title, table.frame.with_columns(label=label), about=table.about)


def sensitivity_tables(values: pl.DataFrame, taus: pl.DataFrame) -> list[Table]:
    """The order of systems when one thing is changed at a time."""
    return [
        Table(
            "orderings",
            "Does the order of systems hold?",
            taus,
            (
                Column("aspect", "What is changed"),
                Column("setting", "To"),
                Column(
                    "tau", "Kendall's tau", "correlation", "Against the default; 1: same order."
                ),
                Column("n_systems", "Systems", "count"),
            ),
            "BCM across tasks, raw but for the rows with success offset.",
        ),
        Table(
            "sensitivity",
            "BCM across tasks when one thing is changed",
            values,
            (
                Column("aspect", "What is changed"),
                Column("setting", "To"),
                SYSTEM,
                Column("value", "BCM across tasks", "correlation"),
            ),
            "Raw but for the rows with success offset; agreement of signs: a share, 0.5 at chance.",
        ),
    ]


def monitor_tables(frame: pl.DataFrame, by_share: pl.DataFrame) -> list[Table]:
    """Prediction of success from the beginning of runs."""
    columns = (
        Column("predictor", "Predicted from"),
        Column("auc", "AUC"),
        Column("low", "from"),
        Column("high", "to"),
        Column("margin", "Features lead by", "correlation"),
        Column("margin_low", "from", "correlation"),
        Column("margin_high", "to", "correlation"),
        Column("n_runs", "Runs", "count"),
    )
    return [
        Table(
            "monitor",
            "What the first actions tell",
            frame,
            (Column("m", "Actions so far", "count"), *columns),
            "Of the runs that are still going; pairs of one fold. Length is the same for all of "
            "them, so that its AUC is 0.5; progress: edited, verified, errors so far.",
        ),
        Table(
            "monitor_by_share",
            "What the first part of a run tells",
            by_share,
            (Column("share", "Share of its actions", "share"), *columns),
            "Descriptive only: what share of a run is over is known once it has ended, and so is "
            "its length. No verdict rests on it.",
        ),
    ]
