"""What must be read with the figures: what was left out, what could not be computed, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from ethogram.cohort.alphabet import ALPHABETS
from ethogram.measures.variance.analysis import Analysis
from ethogram.measures.variance.counts import AMOUNTS, recorded_amounts
from ethogram.measures.variance.lists import listed
from ethogram.measures.variance.remarks_tests import partial_figures, unpaired_beside_paired
from ethogram.measures.variance.repeats import INFRA, INFRA_SHARE, Study
from ethogram.results.estimate import Test
from ethogram.results.numbers import show_number

_SAME: Final[Mapping[str, str]] = {
    "kind": "of one kind (explore, understand, edit, verify, other)",
    "head": "with the same command",
    "tool": "with the same tool",
    "action": "equal to the letter",
}


def remarks(analysis: Analysis, alphabet: str, tests: Sequence[Test] = ()) -> tuple[str, ...]:
    """Sentences about what was compared, and about runs and tasks that are not in all figures."""
    study, tasks = analysis.study, analysis.tasks
    return tuple(
        sentence
        for part in (
            _left_out(study),
            _without_task(study),
            _repeats(tasks, analysis.k_runs),
            _alphabet(analysis, alphabet),
            _outcomes(tasks, analysis.k_outcome),
            _amounts(tasks),
            partial_figures(analysis.estimates),
            unpaired_beside_paired(tests),
            _other_tasks(study),
            _odd_tasks(tasks),
        )
        for sentence in part
    )


def _count(n: int, noun: str, verbs: tuple[str, str] | None = None) -> str:
    """``1 run has``, ``3 runs have``."""
    text = f"{n:,} {noun}{'' if n == 1 else 's'}"
    return f"{text} {verbs[n != 1]}" if verbs else text


def _left_out(study: Study) -> Iterator[str]:
    totals = study.groups.group_by("system").agg(pl.col("n_runs").sum())
    by_reason = study.left_out.group_by("system", "why").len("n").sort("system", "why")
    for system, why, n in by_reason.iter_rows():
        counted = totals.filter(pl.col("system") == system)["n_runs"].sum()
        share = n / (n + counted)
        text = (
            f"{system}: {_count(n, 'run')} ({show_number(share, 'share')}) left out of every "
            f"figure ({why})."
        )
        if why == INFRA and share > INFRA_SHARE:
            text += " The accuracy with them as failures stands beside the accuracy."
        yield text


def _without_task(study: Study) -> Iterator[str]:
    unknown = study.runs.filter(~pl.col("task_known"))
    for system, n in unknown.group_by("system").len().sort("system").iter_rows():
        yield (
            f"{system}: {_count(n, 'run', ('does', 'do'))} not record their task: they are no "
            "repeats of each other and are compared with nothing (a --layout or a mapping can "
            "supply task_id)."
        )


def _repeats(tasks: pl.DataFrame, k: int | None) -> Iterator[str]:
    if tasks.is_empty():
        yield "There are no runs to measure."
        return
    if k is None:
        yield (
            "No task has two or more runs of one system, so nothing can be said about steadiness: "
            "CV, unique sequences, flips, divergence. Two runs of each task would do, five are "
            "better."
        )
        return
    if (tasks["n_runs"] < k).all():
        return
    yield (
        f"Unique sequences and divergence are computed at k = {k} runs, averaged over all subsets "
        "of k where a task has more."
    )
    few = (
        tasks.filter(pl.col("n_runs") < k)
        .group_by("system")
        .agg(pl.len(), pl.col("n_runs").sum())
        .sort("system")
    )
    if few.height:
        shown = listed(
            f"{system} {_count(n, 'task')} ({_count(runs, 'run')})"
            for system, n, runs in few.iter_rows()
        )
        yield f"Fewer than {k} runs, hence in no figure about repeats at k = {k}: {shown}."


def _alphabet(analysis: Analysis, alphabet: str) -> Iterator[str]:
    if analysis.k_runs is not None:
        others = ", ".join(name for name in ALPHABETS if name != alphabet)
        yield (
            f"For divergence and coherence two actions are the same if they are {_SAME[alphabet]}; "
            f"--alphabet compares by {others}."
        )
    if analysis.actions.height and analysis.actions["kind"].is_null().all():
        yield "No action is labelled with a kind, so there are no phases (ethogram relabel)."


def _outcomes(tasks: pl.DataFrame, k: int | None) -> Iterator[str]:
    by_system = (
        tasks.group_by("system")
        .agg(pl.col("n_runs").sum(), pl.col("n_labelled").sum())
        .sort("system")
    )
    unknown = listed(
        f"{system} {n_runs - n_labelled:,} of {_count(n_runs, 'run')}"
        for system, n_runs, n_labelled in by_system.iter_rows()
        if n_labelled < n_runs
    )
    if unknown:
        yield (
            f"No known outcome, hence in no outcome figure (--outcomes can supply them): {unknown}."
        )
    if k is None or (tasks["n_labelled"] < k).all():
        return
    yield f"Flips, pass@k and pass^k go up to k = {k} runs with a known outcome."
    few = tasks.filter(pl.col("n_labelled").is_between(1, k - 1))
    if few.height:
        yield (
            f"{_count(few.height, 'task', ('has', 'have'))} fewer than {k} runs with an "
            f"outcome and are left out of the figures at k = {k}."
        )


def _amounts(tasks: pl.DataFrame) -> Iterator[str]:
    recorded = recorded_amounts(tasks)
    absent = [name for name in AMOUNTS if name not in recorded]
    if absent and not tasks.is_empty():
        yield f"No run records its {' or its '.join(absent)}."


def _other_tasks(study: Study) -> Iterator[str]:
    """Equal ids under which systems were given different tasks."""
    known = study.runs.filter(pl.col("task_known"))
    keys = known.group_by("benchmark", "task_id").agg(
        n_keys=pl.col("task").n_unique(), n_systems=pl.col("system").n_unique()
    )
    n = keys.filter((pl.col("n_keys") > 1) & (pl.col("n_systems") > 1)).height
    if n:
        yield (
            f"{_count(n, 'task id', ('stands', 'stand'))} for different tasks (other prompt or "
            "checks): those are not compared with each other (--same-id-is-same-task compares "
            "them)."
        )


def _odd_tasks(tasks: pl.DataFrame) -> Iterator[str]:
    repeated = tasks.filter(pl.col("n_runs") > 1)
    silent = repeated.filter(pl.col("actions_mean") == 0).height
    if silent:
        yield (
            f"{_count(silent, 'task', ('has', 'have'))} runs without any action: there is no CV "
            "for them."
        )
    alike = repeated.filter((pl.col("unique_share") == 0) & (pl.col("actions_mean") > 0)).height
    if alike:
        yield (
            f"On {_count(alike, 'task')} no run is unique: each does exactly what another one does."
        )
