"""Views of a cohort: the agent's actions, their sequences as arrays, and traces to be drawn."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort.alphabet import choose_alphabet, symbol
from ethogram.cohort.cohort import Cohort
from ethogram.errors import UnknownNameError
from ethogram.results.provenance import Provenance
from ethogram.results.redact import Redactor
from ethogram.results.result import Result
from ethogram.results.traces import traces_result
from ethogram.stats.arrays import IntArray
from ethogram.stats.prefixes import Sequences, refine

CUT: Final = "…"


def own_actions(cohort: Cohort) -> pl.LazyFrame:
    """Rows of ``steps`` that are the agent's own actions (a user simulator's calls are not)."""
    return cohort.steps.filter(pl.col("action_index").is_not_null())


def sequences(actions: pl.DataFrame, runs: pl.DataFrame) -> Sequences:
    """Sequences of symbols of runs, as arrays.

    Parameters
    ----------
    actions : polars.DataFrame
        Columns ``run_id``, ``action_index`` and ``symbol`` (of any type that can be compared).
    runs : polars.DataFrame
        Columns ``run_id`` and ``group`` (numbered from 0); the order of the rows is kept, and a run
        without an action is an empty sequence.
    """
    numbered = runs.select("run_id", place=pl.int_range(pl.len(), dtype=pl.Int64))
    placed = actions.join(numbered, on="run_id").sort("place", "action_index")
    _, codes = np.unique(
        placed["symbol"].cast(pl.Categorical).to_physical().to_numpy()
        if placed["symbol"].dtype == pl.String
        else placed["symbol"].to_physical().to_numpy(),
        return_inverse=True,
    )
    groups = runs["group"].to_numpy().astype(np.int64)
    return Sequences(
        codes=codes.astype(np.int64),
        lengths=np.bincount(placed["place"].to_numpy(), minlength=runs.height).astype(np.int64),
        groups=groups,
        n_groups=int(groups.max(initial=-1)) + 1,
    )


def first_splits(found: Sequences) -> IntArray:
    """Step, from 1, at which not all sequences of each group agree; 0 if they never differ."""
    steps = np.zeros(found.n_groups, dtype=np.int64)
    agreeing = found.group_sizes > 1
    for level in refine(found):
        groups = found.groups[level.members]
        firsts = np.unique(groups, return_index=True)[1]
        first_child = np.zeros(found.n_groups, dtype=np.int64)
        first_child[groups[firsts]] = level.children[firsts]
        split = np.unique(groups[level.children != first_child[groups]])
        split = split[agreeing[split]]
        steps[split] = level.depth + 1
        agreeing[split] = False
    return steps


def traces(
    cohort: Cohort,
    *,
    task: str | Sequence[str] | None = None,
    alphabet: str | None = None,
    max_tasks: int = 50,
    text_chars: int = 160,
    redactor: Redactor | None = None,
) -> Result:
    """What the runs of some tasks did, step by step (see `ethogram.results.traces`).

    Parameters
    ----------
    cohort : Cohort
        Filter it first to show some systems or runs only.
    task : str or sequence of str, optional
        Tasks to show, by ``task_id`` or by the ``task`` key of ``cohort.joined``. By default those
        with repeats, and all of them where no task has any.
    alphabet : str, optional
        What an action counts as: kind, head, tool or action. Default: `choose_alphabet`.
    max_tasks : int
        At most so many tasks, in order of their names; a note counts the rest.
    text_chars : int
        Longest text of an action; the text is redacted before it is cut.
    redactor : Redactor, optional
        Default: the listed patterns.

    Raises
    ------
    UnknownNameError
        If a task or the alphabet is not known.
    """
    alphabet = alphabet or choose_alphabet(own_actions(cohort))
    runs, notes = _chosen_runs(cohort, task, max_tasks)
    actions = _chosen_actions(cohort, runs, alphabet)
    steps = first_splits(sequences(actions, runs))
    groups = _groups(runs).with_columns(divergence=pl.Series(steps).replace(0, None))
    runs = runs.join(groups.select("group", "divergence"), on="group", maintain_order="left")
    parameters = {"alphabet": alphabet, "task": task, "max_tasks": max_tasks}
    return traces_result(
        groups=groups.drop("group"),
        runs=runs.drop("group"),
        actions=_short_texts(actions, text_chars, redactor or Redactor()).drop("action_index"),
        notes=notes,
        provenance=Provenance(
            measure="traces",
            measure_version=1,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
            parameters=parameters,
        ),
    )


def _chosen_runs(
    cohort: Cohort, task: str | Sequence[str] | None, max_tasks: int
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    known = cohort.joined.with_columns(task=pl.col("task").fill_null("(no task id)"))
    if task is None:
        repeated = known.filter(pl.len().over("task", "system") > 1)
        tasks = (known if repeated.is_empty() else repeated)["task"].unique().sort().to_list()
    else:
        tasks = _named_tasks(known, [task] if isinstance(task, str) else list(task))
    left_out = len(tasks) - max_tasks
    notes = (f"{left_out} more tasks are not shown.",) if left_out > 0 else ()
    runs = (
        known.filter(pl.col("task").is_in(tasks[:max_tasks]))
        .sort("task", "system", "trial", "run_id", nulls_last=True)
        .select(
            "task",
            "system",
            "run_id",
            (pl.col("run_id").cum_count().over("task", "system") - 1).alias("row"),
            "trial",
            "success",
            pl.col("ending").cast(pl.String),
            "n_actions",
            pl.when(pl.col("submission_ref") == "")
            .then(pl.lit("empty"))
            .when(pl.col("submission_ref").is_not_null())
            .then(pl.lit("given"))
            .alias("submission"),
            (pl.struct("task", "system").rle_id()).cast(pl.Int64).alias("group"),
        )
    )
    return runs, notes


def _named_tasks(runs: pl.DataFrame, names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        matching = runs.filter((pl.col("task") == name) | (pl.col("task_id") == name))
        if matching.is_empty():
            raise UnknownNameError(
                "task", name, runs["task"].drop_nulls().unique().to_list(), most=20
            )
        found += matching["task"].unique().sort().to_list()
    return list(dict.fromkeys(found))


def _chosen_actions(cohort: Cohort, runs: pl.DataFrame, alphabet: str) -> pl.DataFrame:
    return (
        own_actions(cohort)
        .join(runs.lazy().select("run_id"), on="run_id", how="semi")
        .select(
            "run_id",
            "action_index",
            (pl.col("action_index") + 1).alias("position"),
            symbol(alphabet).alias("symbol"),
            pl.col("kind").cast(pl.String),
            "head",
            "tool",
            "is_error",
            pl.col("action").alias("text"),
        )
        .sort("run_id", "action_index")
        .collect()
    )


def _groups(runs: pl.DataFrame) -> pl.DataFrame:
    return (
        runs.group_by("group", "task", "system")
        .agg(
            n_runs=pl.len(),
            n_labelled=pl.col("success").is_not_null().sum(),
            n_success=pl.col("success").sum(),
        )
        .sort("group")
    )


def _short_texts(actions: pl.DataFrame, chars: int, redactor: Redactor) -> pl.DataFrame:
    """Redact first: a secret cut in half would no longer be found."""
    texts = actions["text"].drop_nulls().unique()
    shown = [_one_line(redactor.redact(text), chars) for text in texts]
    return actions.with_columns(
        pl.col("text").replace_strict(texts, shown, default=None, return_dtype=pl.String)
    )


def _one_line(text: str, chars: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= chars else line[: chars - 1] + CUT
