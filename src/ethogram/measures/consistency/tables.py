"""The tables of the result: which columns, under which labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from ethogram.measures.consistency.catalogue import CATALOGUE
from ethogram.measures.consistency.scales import FEW_TASKS
from ethogram.measures.consistency.systems import Axes
from ethogram.results.estimate import Estimate
from ethogram.results.table import Column, Table, estimates_table

Rows = Iterable[tuple[Mapping[str, str], Estimate]]

SYSTEM: Final = Column("system", "System")


def labelled(
    name: str, title: str, rows: Rows, *, keys: Sequence[str] = ("system",), about: str = ""
) -> Table:
    """Table of estimates with the catalogue's label of each."""
    table = estimates_table(name, title, rows, keys=keys, about=about)
    labels = {figure.name: figure.label for figure in CATALOGUE.values()}
    known = pl.col("name").str.replace("_(successes|failures)$", "")  # the outcome is a key
    frame = table.frame.with_columns(
        label=known.replace_strict(labels, default=None, return_dtype=pl.String)
    )
    return Table(name, title, frame, about=about)


def systems_table(rows: Rows) -> Table:
    """The first table: success and BCM under each condition."""
    return labelled(
        "systems",
        "Consistency of each system",
        rows,
        about="BCM: mean cosine of the attributions of two runs. Read it with success offset and "
        "beyond its null; raw, it largely says how far success lies from the average.",
    )


def axes_table(axes: Mapping[str, Axes]) -> Table:
    """Within minus across tasks and the profile of each system, raw and with success offset."""
    rows = [
        {
            "system": name,
            "profile": found.profile["_offset"],
            "gap": found.gap["_offset"].value,
            "gap_low": found.gap["_offset"].low,
            "gap_high": found.gap["_offset"].high,
            "profile_raw": found.profile[""],
            "gap_raw": found.gap[""].value,
            "gap_raw_low": found.gap[""].low,
            "gap_raw_high": found.gap[""].high,
            "n_tasks": found.n_tasks,
            "few_tasks": found.n_tasks < FEW_TASKS,
        }
        for name, found in axes.items()
    ]
    floats = ("gap", "gap_low", "gap_high", "gap_raw", "gap_raw_low", "gap_raw_high")
    schema = dict.fromkeys(floats, pl.Float64)
    columns = (
        SYSTEM,
        Column("profile", "Profile, success offset"),
        Column("gap", "Within minus across", "correlation", "With success offset."),
        Column("gap_low", "from", "correlation"),
        Column("gap_high", "to", "correlation"),
        Column("profile_raw", "Profile, raw"),
        Column("gap_raw", "Within minus across, raw", "correlation"),
        Column("gap_raw_low", "from", "correlation"),
        Column("gap_raw_high", "to", "correlation"),
        Column("n_tasks", "Tasks with three runs", "count", f"Under {FEW_TASKS}: no verdict."),
    )
    return Table(
        "axes",
        "At one task and from task to task",
        pl.DataFrame(rows, schema_overrides=schema),
        columns,
        "Within minus across tasks, over the same tasks, with an interval from the same resamples.",
    )


def predictor_tables(
    rows: Iterable[Estimate], folds: pl.DataFrame, bins: pl.DataFrame, features: pl.DataFrame
) -> list[Table]:
    """How good the predictor is and what it looks at."""
    return [
        labelled("predictor", "The predictor of success", [({}, each) for each in rows], keys=()),
        Table(
            "folds",
            "Folds",
            folds,
            (
                Column("fold", "Fold", "count"),
                Column("n_runs", "Runs", "count"),
                Column("n_tasks", "Tasks", "count"),
                Column("success_rate", "Success", "share"),
                Column("auc", "AUC", "", "None: one class only."),
            ),
        ),
        Table(
            "calibration",
            "Predicted and observed success",
            bins,
            (
                Column("predicted", "Predicted", "share"),
                Column("observed", "Observed", "share"),
                Column("n", "Runs", "count"),
            ),
        ),
        Table(
            "importances",
            "What the predictor looks at",
            features,
            (
                Column("feature", "Feature"),
                Column("importance", "Mean |attribution|", "", "In log-odds."),
                Column("share", "Share of all", "share"),
                Column("importance_offset", "With success offset", "", "In log-odds."),
            ),
        ),
    ]


def null_table(frame: pl.DataFrame) -> Table:
    """Observed BCM against outcomes shuffled within systems."""
    return Table(
        "null",
        "Against outcomes shuffled within systems",
        frame,
        (
            SYSTEM,
            Column("scale", "Pairs"),
            Column("observed", "Observed", "correlation"),
            Column("null_mean", "Null, mean", "correlation"),
            Column("null_sd", "Null, SD", ""),
            Column("p_value", "p", "p", "One-sided; from 99 permutations on."),
            Column("n_permutations", "Permutations", "count"),
            Column("n_runs", "Runs", "count"),
        ),
    )


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
            "BCM across tasks, raw but for the row with success offset.",
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
            "Raw but for the row with success offset; agreement of signs: a share, 0.5 at chance.",
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


def runs_table(frame: pl.DataFrame) -> Table:
    """The paper's bootstrap."""
    return Table(
        "over_runs",
        "BCM of all pairs with resampled runs, as published",
        frame,
        (
            SYSTEM,
            Column("bcm", "BCM of all pairs, raw", "correlation"),
            Column("printed_low", "as published, from", "correlation"),
            Column("printed_high", "to", "correlation"),
            Column("low", "corrected, from", "correlation"),
            Column("high", "to", "correlation"),
            Column("excess", "as published, too high by", "", "(1 - BCM) / k"),
            Column("n_runs", "Runs", "count"),
        ),
        "A run drawn twice counts as a perfectly similar pair; corrected: without such pairs. Runs "
        "of one task are not independent: the intervals over tasks are the ones to read.",
    )


def profiles_table(frame: pl.DataFrame) -> Table:
    """Mean attribution of each feature in each system."""
    return Table(
        "profiles",
        "What each system's predictions rest on",
        frame,
        (
            SYSTEM,
            Column("feature", "Feature"),
            Column("mean", "Mean attribution", "correlation", "In log-odds."),
            Column("mean_offset", "With success offset", "correlation", "In log-odds."),
        ),
    )


def seeds_table(seeds: Sequence[int], values: pl.DataFrame) -> Table:
    """Spread of the figures over seeds of folds and fits."""
    frame = values.group_by("system", "name", maintain_order=True).agg(
        mean=pl.col("value").mean(),
        sd=pl.col("value").std(),
        low=pl.col("value").min(),
        high=pl.col("value").max(),
    )
    return Table(
        "seeds",
        f"Over {len(seeds)} seeds",
        frame,
        (
            SYSTEM,
            Column("name", "Figure"),
            Column("mean", "Mean", "correlation"),
            Column("sd", "SD", ""),
            Column("low", "least", "correlation"),
            Column("high", "most", "correlation"),
        ),
        f"Seeds {', '.join(map(str, seeds))} of folds and fits.",
    )
