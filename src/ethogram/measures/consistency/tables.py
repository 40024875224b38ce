"""The tables of the result: which columns, under which labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from ethogram.measures.consistency.axes import Axes
from ethogram.measures.consistency.catalogue import CATALOGUE
from ethogram.measures.consistency.pairs import ALIKE, AlikePair
from ethogram.measures.consistency.scales import FEW_TASKS
from ethogram.results.estimate import Estimate
from ethogram.results.table import Column, Table, estimates_table

Rows = Iterable[tuple[Mapping[str, str], Estimate]]

TABLES: Final = (
    *("systems", "axes", "comparison", "alike", "null", "predictor", "folds", "calibration"),
    *("importances", "profiles", "controls"),
    *("archetypes", "archetype_shares", "spread", "silhouettes", "map", "difficulty"),
    *("over_runs", "by_outcome", "groups", "orderings", "sensitivity"),
    *("monitor", "monitor_by_share", "ranges", "levels", "seeds"),
)
"""Every table that a result may have: the last two lines only as asked for."""
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
        about="BCM: mean cosine of the attributions of two runs. Read it with success offset minus "
        "its null; raw, it largely says how far success lies from the average.",
    )


def alike_table(alike: Sequence[AlikePair], headline: str) -> Table:
    """Pairs of systems alike in success, those first that are clearly apart in BCM across tasks."""
    figure = f"cross_task{headline}"
    rows = [
        {
            "first": pair.first,
            "second": pair.second,
            "apart": pair.apart(figure),
            "success": pair.success.value,
            "bcm": pair.bcm[figure].value,
            "bcm_low": pair.bcm[figure].low,
            "bcm_high": pair.bcm[figure].high,
            "offset": pair.bcm["cross_task_offset"].value,
            "raw": pair.bcm["cross_task"].value,
        }
        for pair in sorted(alike, key=lambda pair: not pair.apart(figure))
    ]
    floats = ("success", "bcm", "bcm_low", "bcm_high", "offset", "raw")
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("apart", "Clearly apart", "", "The interval of the difference holds no 0."),
        Column("success", "Success", "points", "First minus second."),
        Column("bcm", CATALOGUE[figure].label, "correlation", "First minus second."),
        Column("bcm_low", "from", "correlation"),
        Column("bcm_high", "to", "correlation"),
        *([Column("offset", "Success offset", "correlation")] if headline != "_offset" else []),
        Column("raw", "Raw", "correlation"),
    )
    return Table(
        "alike",
        "Alike in success, apart in consistency?",
        pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64)),
        columns,
        f"First minus second system of each pair whose success differs by {100 * ALIKE:g} points "
        "or less.",
    )


def axes_table(axes: Mapping[str, Axes]) -> Table:
    """Within minus across tasks and the profile of each system, with success offset and raw."""
    shuffled = any("_minus_null" in found.gap for found in axes.values())
    shown = [(end, *texts) for end, *texts in _GAPS if shuffled or not end.endswith("_minus_null")]
    rows = [
        {
            "system": name,
            "profile": found.profile["_offset"],
            "profile_raw": found.profile[""],
            "n_tasks": found.n_tasks,
            "few_tasks": found.n_tasks < FEW_TASKS,
            **{
                key: value
                for end, name, *_ in shown
                for key, value in zip(_ends(name), _bounds(found.gap[end]), strict=True)
            },
        }
        for name, found in axes.items()
    ]
    schema = {key: pl.Float64 for _, name, *_ in shown for key in _ends(name)}
    columns = (
        SYSTEM,
        Column("profile", "Profile, success offset"),
        *(
            Column(key, heading, "correlation", about if heading == label else "")
            for _, name, label, about in shown
            for key, heading in zip(_ends(name), (label, "from", "to"), strict=True)
        ),
        Column("profile_raw", "Profile, raw"),
        Column("n_tasks", "Tasks with three runs", "count", f"Under {FEW_TASKS}: no verdict."),
    )
    return Table(
        "axes",
        "At one task and from task to task",
        pl.DataFrame(rows, schema_overrides=schema),
        columns,
        "Within minus across tasks, over the same tasks, with an interval from the same resamples. "
        "Runs of one task behave alike, so that the null of the difference lies above 0 too.",
    )


_GAPS: Final = (
    (
        "_offset_minus_null",
        "gap_minus_null",
        "Within minus across, success offset minus its null",
        "What is left beyond outcomes shuffled within systems.",
    ),
    ("_offset", "gap", "Within minus across, success offset", ""),
    ("_minus_null", "gap_raw_minus_null", "Within minus across, raw minus its null", ""),
    ("", "gap_raw", "Within minus across, raw", ""),
)
"""Variant, column, label and explanation of the differences between the two axes."""


def _ends(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def _bounds(found: Estimate) -> tuple[float | None, float | None, float | None]:
    return found.value, found.low, found.high


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
            Column("attributions", "Attributions"),
            Column("observed", "Observed", "correlation"),
            Column("null_mean", "Null, mean", "correlation"),
            Column("null_sd", "Null, SD", ""),
            Column("p_value", "p", "p", "One-sided; from 99 permutations on."),
            Column("n_permutations", "Permutations", "count"),
            Column("n_runs", "Runs", "count"),
        ),
    )


def runs_table(frame: pl.DataFrame, beyond: str) -> Table:
    """The paper's bootstrap, and beside it what is left of BCM (a column called ``beyond``)."""
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
            Column("beyond", beyond, "correlation", "Not as published; to be read with it."),
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
