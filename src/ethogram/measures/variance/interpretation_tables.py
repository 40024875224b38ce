"""Tables of what a judge makes of failed runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from ethogram.measures.variance.failed_runs import EMPTY, NO_SUBMISSION, NO_TASK, NO_TEXT, WHY
from ethogram.measures.variance.goals import Groups, TaskGoals, two_orders_of_goals
from ethogram.measures.variance.interpretation import (
    DISAGREE,
    NO_ANSWER,
    VERDICTS,
    asked_twice,
    two_judges,
    two_orders,
)
from ethogram.measures.variance.interpreted import Interpreted, system_estimates
from ethogram.measures.variance.raters import agreement
from ethogram.measures.variance.tables import estimates
from ethogram.results.estimate import Estimate
from ethogram.results.ratings import Ratings
from ethogram.results.table import Column, Table, estimates_table

TWO_ORDERS: Final = "two orders"
TWO_ORDERS_OF_GOALS: Final = "two orders, goals"
ASKED_TWICE: Final = "asked twice"
TWO_JUDGES: Final = "two judges"

_COUNT_NAMES: Final = {
    NO_SUBMISSION: "no_submission",
    EMPTY: "empty_submission",
    NO_TEXT: "no_text",
    NO_TASK: "no_task_text",
    DISAGREE: "orders_disagree",
    NO_ANSWER: "no_answer",
}
_COUNT_COLUMNS: Final = (
    Column("system", "System"),
    Column("n_failed", "Failed runs", "count"),
    Column("no_submission", "No submission recorded", "count", "Left out."),
    Column("empty_submission", "Submitted nothing", "count", "Left out: nothing aims at nothing."),
    Column("no_text", "Text not kept", "count", "Left out: saved without texts."),
    Column("no_task_text", "No task text", "count", "Left out."),
    Column("interpretation", "Interpretation", "count", "Aim at another goal, in both orders."),
    Column("execution", "Execution", "count", "Miss the right goal, in both orders."),
    Column("unclear", "Unclear", "count", "The judge can't tell, in both orders."),
    Column("orders_disagree", "Orders disagree", "count", "Count by halves in the shares."),
    Column("no_answer", "No answer", "count", "In one order or in both; in no share."),
)
_RUN_SCHEMA: Final = {
    "system": pl.String,
    "task": pl.String,
    "trial": pl.Int64,
    "run_id": pl.String,
    "verdict": pl.String,
    "task_first": pl.String,
    "submission_first": pl.String,
    "goal": pl.String,
    "goal_group": pl.Int64,
    "left_out": pl.String,
    "has_reference": pl.Boolean,
    "n_cut": pl.Int64,
    "reason": pl.String,
}
_RUN_COLUMNS: Final = (
    Column("system", "System"),
    Column("task", "Task"),
    Column("trial", "Trial", "count"),
    Column("run_id", "Run"),
    Column("verdict", "Error", "", "interpretation, execution or unclear where both orders agree."),
    Column("task_first", "Task first", "", "The judge's label, the task shown first."),
    Column("submission_first", "Submission first", "", "The label in the opposite order."),
    Column("goal", "Goal", "", "What the submission sets out to do, as the judge states it."),
    Column("goal_group", "Goal group", "count", "Equal numbers within a task: the same goal."),
    Column("left_out", "Left out", "", "Why the run was not judged."),
)
_GOAL_SCHEMA: Final = {
    "system": pl.String,
    "task": pl.String,
    "n_judged": pl.Int64,
    "n_stated": pl.Int64,
    "n_groups": pl.Int64,
    "n_groups_reversed": pl.Int64,
    "consistent_wrong": pl.Boolean,
    "never_solved": pl.Boolean,
    "consistent_wrong_interpretation": pl.Boolean,
    "n_submissions": pl.Int64,
    "equal_submissions": pl.Boolean,
}
_GOAL_COLUMNS: Final = (
    Column("system", "System"),
    Column("task", "Task"),
    Column("n_judged", "Failed runs", "count", "Those that could be judged."),
    Column("n_stated", "Goals stated", "count"),
    Column("n_groups", "Goals", "count", "Groups of goals that are the same."),
    Column("n_groups_reversed", "Goals, reversed", "count", "The same in the opposite order."),
    Column("consistent_wrong", "Consistent wrong", "", "One goal; none: unknown or in doubt."),
    Column("never_solved", "Never solved", "", "No run of two or more succeeds."),
    Column(
        "consistent_wrong_interpretation",
        "Consistent wrong interpretation",
        "",
        "Never solved, one goal, and every run an interpretation error.",
    ),
    Column("n_submissions", "Submissions", "count", "That change different lines."),
    Column("equal_submissions", "Equal submissions", "", "The same without a judge."),
)


def interpretation_tables(found: Interpreted) -> list[Table]:
    """Shares and counts of each system, agreement, and what was said of each run and task."""
    return [
        replace(
            estimates(
                "interpretation",
                "Why runs fail, by a judge",
                [
                    ({"system": system}, estimate)
                    for system in found.study.systems
                    for estimate in system_estimates(found, system)
                ],
                ["system"],
                "Of the failed runs that could be judged. Intervals are over tasks.",
            ),
            main=True,
        ),
        agreement_table(found),
        counts_table(found),
        goals_table(found),
        runs_table(found),
    ]


def compared(found: Interpreted) -> dict[str, Ratings]:
    """What is rated twice: labels in two orders, groups of goals, and what else was asked for."""
    made = {
        TWO_ORDERS: two_orders(found.readings),
        TWO_ORDERS_OF_GOALS: two_orders_of_goals(found.goals),
    }
    if found.first.judge.samples > 1:
        made[ASKED_TWICE] = asked_twice(found.readings)
    if found.second_readings is not None:
        made[TWO_JUDGES] = two_judges(found.readings, found.second_readings)
    return made


def agreement_table(found: Interpreted) -> Table:
    """Cohen's kappa and exact agreement of what is rated twice.

    Returns
    -------
    Table
        ``judge_agreement``: estimates with the key ``comparison``.
    """
    rows: list[tuple[dict[str, str], Estimate]] = [
        ({"comparison": comparison}, estimate)
        for comparison, ratings in compared(found).items()
        for estimate in agreement(ratings, level=found.study.level, seed=found.study.seed)
    ]
    table = estimates_table(
        "judge_agreement",
        "Does the judge agree with itself?",
        rows,
        keys=["comparison"],
        about="Cohen's kappa of the labels, and the share of equal ones. Of goals: whether two "
        "runs of a task have the same.",
    )
    return replace(table, across="name")


def counts_table(found: Interpreted) -> Table:
    """How many failed runs of each system got which verdict, and how many none."""
    rows = []
    for system in found.study.systems:
        runs = [run for run in found.failed.runs if run.system == system]
        verdicts = [each.verdict for each in found.readings if each.run.system == system]
        left_out = [run.why for run in runs]
        counts = {why: left_out.count(why) for why in WHY}
        counts |= {verdict: verdicts.count(verdict) for verdict in VERDICTS}
        named = {_COUNT_NAMES.get(name, name): count for name, count in counts.items()}
        rows.append({"system": system, "n_failed": len(runs), **named})
    schema = {column.name: pl.Int64 for column in _COUNT_COLUMNS} | {"system": pl.String}
    return Table(
        "interpretation_counts",
        "What became of the failed runs",
        pl.DataFrame(rows, schema=schema),
        _COUNT_COLUMNS,
        "The counts of a row add up to its failed runs.",
    )


def runs_table(found: Interpreted) -> Table:
    """A row a failed run, with the judge's reason in the frame."""
    said = {reading.run.run_id: reading for reading in found.readings}
    goals = dict(_goals_by_run(found.goals))
    rows: list[dict[str, Any]] = []
    for run in found.failed.runs:
        row: dict[str, Any] = {name: getattr(run, name) for name in ("system", "task", "trial")}
        row |= {"run_id": run.run_id, "left_out": run.why}
        if (reading := said.get(run.run_id)) is not None:
            first, second = reading.labels
            row |= {"verdict": reading.verdict, "task_first": first, "submission_first": second}
            row |= {"has_reference": run.reference is not None, "n_cut": run.n_cut}
            row |= {"reason": reading.reason, **goals[run.run_id]}
        rows.append(row)
    return Table(
        "interpretations",
        "Why each run failed",
        pl.DataFrame(rows, schema=_RUN_SCHEMA),
        _RUN_COLUMNS,
        aside=True,
    )


def _goals_by_run(tasks: Iterable[TaskGoals]) -> Iterator[tuple[str, dict[str, Any]]]:
    for task in tasks:
        groups = dict(zip(task.stated, task.groups or (), strict=False))
        for place, (run, goal) in enumerate(zip(task.runs, task.goals, strict=True)):
            group = groups.get(place)
            yield (
                run.run_id,
                {"goal": goal, "goal_group": None if group is None else group + 1},
            )


def goals_table(found: Interpreted) -> Table:
    """A row a system and task with two or more failed runs that could be judged."""
    rows = [
        {
            "system": task.runs[0].system,
            "task": task.runs[0].task,
            "n_judged": len(task.runs),
            "n_stated": len(task.stated),
            "n_groups": _count(task.given),
            "n_groups_reversed": _count(task.reversed),
            "consistent_wrong": task.consistent_wrong,
            "never_solved": found.never_solved(task),
            "consistent_wrong_interpretation": found.steady_misreading(task),
            "n_submissions": len({run.changes for run in task.runs}),
            "equal_submissions": task.equal_submissions,
        }
        for task in found.goals
        if len(task.runs) > 1
    ]
    return Table(
        "goals",
        "Do failed runs aim at the same thing?",
        pl.DataFrame(rows, schema=_GOAL_SCHEMA),
        _GOAL_COLUMNS,
        "A row a system and task with two or more failed runs that could be judged.",
    )


def _count(order: Sequence[Groups | None]) -> int | None:
    """Groups in the first answer that there is."""
    return next((len(set(groups)) for groups in order if groups is not None), None)
