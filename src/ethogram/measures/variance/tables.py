"""The tables of the result: which columns, under which labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from ethogram.measures.variance.analysis import Analysis
from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.measures.variance.counts import recorded_amounts
from ethogram.measures.variance.failures import failure_modes
from ethogram.measures.variance.outcomes import amplification
from ethogram.measures.variance.phases import first_actions, heads
from ethogram.results.estimate import Estimate, Test
from ethogram.results.levels import range_over_levels
from ethogram.results.table import Column, Table, estimates_table, tests_table

Rows = Iterable[tuple[Mapping[str, str], Estimate]]

TABLES: Final = (
    *("systems", "tasks", "pass_k", "amplification", "divergence", "phases", "heads"),
    *("first_actions", "failure_modes", "failures", "step_counts"),
    *("comparison", "correlations", "tests"),
    *("ranges", "levels"),
    *("interpretation", "judge_agreement", "interpretation_counts", "goals", "interpretations"),
)
"""Every table that a result may have: the last two lines only as asked for."""

_UNITS: Final = {"actions": "actions", "tokens": "tokens", "cost": "usd", "duration": "seconds"}

_TASK_COLUMNS: Final = (
    Column("unique_share", "Unique", "share", "Runs whose actions no other one repeats, at k."),
    Column("n_labelled", "With outcome", "count", "Runs whose outcome is known."),
    Column("successes", "Succeeded", "count"),
    Column("accuracy", "Accuracy", "share"),
    Column("solved", "Solved", "", "always, sometimes or never; needs two known outcomes."),
    Column("n_submitted", "Submitted", "count", "Runs with a submission that is not empty."),
)
_AMPLIFICATION_COLUMNS: Final = (
    Column("system", "System"),
    Column("solved", "Tasks solved"),
    Column("n_tasks", "Tasks", "count"),
    Column("task_share", "Share of tasks", "share"),
    Column("n_runs", "Runs", "count"),
    Column("successes", "Succeeded", "count"),
    Column("accuracy", "Accuracy", "share"),
)
_DIVERGENCE_COLUMNS: Final = (
    Column("system", "System"),
    Column("task", "Task"),
    Column("n_runs", "Runs", "count"),
    Column("divergence", "Divergence", "actions", "Mean over subsets of k runs; none: never."),
    Column("divergence_texts", "By text", "actions", "The same for the actions to the letter."),
    Column("coherence", "Coherence after", "share", "Similarity of the runs from there on."),
    Column("there", "What they did there", "", "Symbols at the step where all runs part."),
)
_HEAD_COLUMNS: Final = (
    Column("system", "System"),
    Column("head", "Command"),
    Column("n_actions", "Actions", "count"),
    Column("share", "Share of actions", "share"),
    Column("run_share", "Share of runs", "share", "Runs that use it at least once."),
)
_FIRST_COLUMNS: Final = (
    Column("system", "System"),
    Column("head", "First command"),
    Column("n_runs", "Runs", "count"),
    Column("share", "Share of runs", "share"),
    Column("n_labelled", "With outcome", "count"),
    Column("successes", "Succeeded", "count"),
    Column("accuracy", "Accuracy", "share"),
)
_FAILURE_COLUMNS: Final = (
    Column("system", "System"),
    Column("label", "Failure"),
    Column("n_runs", "Runs", "count"),
    Column("share", "Share of failed runs", "share"),
)
RANGED: Final = ("actions_mean", "cv_actions_mean", "accuracy", "flip_rate")
"""Figures whose range over levels is put beside the gaps: few, so that the table can be read."""
_STEP_COLUMNS: Final = (
    Column("system", "System"),
    Column("task", "Task"),
    Column("run_id", "Run"),
    Column("trial", "Trial", "count"),
    Column("n_actions", "Actions", "count"),
    Column("success", "Success"),
)


def estimates(name: str, title: str, rows: Rows, keys: Sequence[str], about: str = "") -> Table:
    """Table of estimates with the catalogue's label of each."""
    table = estimates_table(name, title, rows, keys=keys, about=about)
    labels = {measure.name: measure.label for measure in CATALOGUE.values()}
    labelled = table.frame.with_columns(
        label=pl.col("name").replace_strict(labels, default=None, return_dtype=pl.String)
    )
    return Table(name, title, labelled, about=about)


def _task_columns(tasks: pl.DataFrame) -> list[Column]:
    """Columns of the table of tasks: of the amounts only those that somebody recorded."""
    return [
        Column("system", "System"),
        Column("task", "Task"),
        Column("n_runs", "Runs", "count"),
        *(
            column
            for name in recorded_amounts(tasks)
            for column in (
                Column(f"{name}_mean", f"{name.capitalize()}, mean", _UNITS[name]),
                Column(f"cv_{name}", f"CV of {name}", "percent", "Sample SD over mean, of runs."),
            )
        ),
        *_TASK_COLUMNS,
    ]


def main_tables(analysis: Analysis) -> list[Table]:
    """What is known of each system, of each system and task, and of each run."""
    runs = analysis.study.runs
    return [
        estimates(
            "systems",
            "Systems",
            [
                ({"system": system}, estimate)
                for system, each in analysis.estimates.items()
                for estimate in each
            ],
            ["system"],
            "Intervals are over tasks.",
        ),
        Table("tasks", "Tasks", analysis.tasks.drop("group"), _task_columns(analysis.tasks)),
        estimates(
            "pass_k",
            "Success within k runs, and in all of k runs",
            analysis.pass_rows,
            ["system", "k"],
            "Mean over tasks; tasks with fewer than k known outcomes are left out.",
        ),
        Table(
            "amplification",
            "Tasks always, sometimes and never solved",
            amplification(analysis.tasks),
            _AMPLIFICATION_COLUMNS,
            "Steadiness makes a system's strength reliable and its blind spots too.",
        ),
        Table(
            "divergence",
            "Where the runs of a task part",
            _divergence(analysis.tasks),
            _DIVERGENCE_COLUMNS,
            "Steps count from 1; a run that has ended differs from one that goes on.",
        ),
        estimates(
            "phases",
            "What actions do",
            analysis.phase_rows,
            ["system", "kind"],
            "The pooled share counts actions, so that long runs weigh more; the other counts runs.",
        ),
        Table("heads", "Commands", heads(analysis.actions, runs), _HEAD_COLUMNS),
        Table(
            "first_actions",
            "First actions",
            first_actions(analysis.actions, runs),
            _FIRST_COLUMNS,
            "How runs begin, and how the runs that begin so end.",
        ),
        Table(
            "failure_modes",
            "How failed runs fail",
            failure_modes(analysis.modes),
            _FAILURE_COLUMNS,
            "One mode a failed run: the first that fits.",
        ),
        estimates(
            "failures",
            "How often runs fail in which way",
            analysis.failure_rows,
            ["system", "mode"],
        ),
        Table(
            "step_counts",
            "Actions of each run",
            runs.select(column.name for column in _STEP_COLUMNS),
            _STEP_COLUMNS,
        ),
    ]


def _divergence(tasks: pl.DataFrame) -> pl.DataFrame:
    """One row a system and task with repeats; the frame holds more columns than are shown."""
    return tasks.filter(pl.col("n_runs") > 1).select(
        *(column.name for column in _DIVERGENCE_COLUMNS),
        "first_split",
        "diverged_by_1",
        "diverged_by_5",
        "never",
    )


def all_tests(tests: Iterable[Test]) -> Table:
    """Tests between systems."""
    about = (
        "On shared tasks; the paired sign-flip permutation is the test to read first. p values are "
        "adjusted after Holm over the pairs of systems."
    )
    return tests_table("tests", "Tests", tests, about=about)


def level_tables(levels: Sequence[tuple[str, Analysis]], by: str) -> list[Table]:
    """The range over levels beside the gap between systems, and every figure at each level."""
    title = f"By {by}"
    table = estimates(
        "levels",
        title,
        [
            ({"at_level": level, "system": system}, estimate)
            for level, analysis in levels
            for system, each in analysis.estimates.items()
            for estimate in each
        ],
        ["at_level", "system"],
    )
    return [range_over_levels(table.frame, by, RANGED), table]
