"""The parts of the result that stand beside the main tables, or are asked for."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.consistency import pairs, tables, tables_further
from ethogram.measures.consistency.archetypes import (
    archetype_frame,
    archetypes,
    entropy_against_bcm,
    map_frame,
    shares_frame,
    spread_frame,
)
from ethogram.measures.consistency.catalogue import CATALOGUE
from ethogram.measures.consistency.difficulty import difficulty_rows
from ethogram.measures.consistency.evidence import Evidence, Say, gather
from ethogram.measures.consistency.features import Feature
from ethogram.measures.consistency.monitor import read_beginnings
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import STATISTICS, Drawing
from ethogram.measures.consistency.sensitivity import sensitivity_frames
from ethogram.measures.consistency.systems import by_outcome_rows, clouds, over_runs
from ethogram.measures.consistency.wording import Findings
from ethogram.results.numbers import show_number
from ethogram.results.table import Table
from ethogram.stats.resampling import evaluate_once


def on_request(
    evidence: Evidence,
    *,
    bootstrap: str,
    by_outcome: bool,
    groups: Mapping[str, Sequence[str]] | None,
    drawing: Drawing,
) -> list[Table]:
    """Intervals over runs, outcomes apart, groups of systems: whichever is asked for."""
    made = []
    if bootstrap == "runs":
        made.append(_runs_table(evidence, drawing))
    if by_outcome:
        rows = by_outcome_rows(evidence, drawing=drawing)
        keys = ("system", "outcome")
        made.append(tables.labelled("by_outcome", "By outcome", rows, keys=keys))
    if groups:
        rows = pairs.group_rows(evidence, groups, drawing=drawing)
        made.append(tables.labelled("groups", "Groups of systems", rows, keys=("group",)))
    return made


def _runs_table(evidence: Evidence, drawing: Drawing) -> Table:
    label = CATALOGUE[f"global{pairs.headline(evidence)}"].label
    return tables.runs_table(over_runs(evidence, drawing=drawing), label)


def archetype_parts(
    evidence: Evidence, findings: Findings, *, k: int | None, map_by: str, max_runs: int | None
) -> tuple[list[Table], list[str]]:
    """Clusters of attributions, and what is said of them."""
    found = archetypes(evidence, k=k, seed=findings.seed, max_runs=max_runs)
    if found is None:
        return [], ["There are no archetypes: attributions are the same for nearly all runs."]
    spread = spread_frame(evidence.sample, found)
    made = tables_further.archetype_tables(
        archetype_frame(evidence, found),
        shares_frame(evidence.sample, found),
        spread,
        found.silhouettes,
        map_frame(evidence, found, kind=map_by, seed=findings.seed),
    )
    bcm = {s: findings.value(s, "cross_task_offset") for s in evidence.sample.systems}
    rank = entropy_against_bcm(spread, bcm)
    said = [
        f"Silhouettes are of {found.n_judged:,} of {len(found.number):,} runs; {found.k} "
        f"archetypes were {'chosen by them' if k is None else 'asked for'}."
    ]
    if rank is not None:
        shown = show_number(rank, "correlation")
        said.append(
            "Rank correlation over systems of entropy over archetypes and BCM across tasks with "
            f"success offset: {shown} ({len(bcm)} systems)."
        )
    return made, said


def difficulty_parts(
    evidence: Evidence, findings: Findings, *, pooling: str, drawing: Drawing
) -> tuple[list[Table], list[str]]:
    """BCM by difficulty, and what is said of it."""
    rows, tied = difficulty_rows(evidence, pooling=pooling, drawing=drawing)
    if not rows:
        return [], ["There is no difficulty of tasks: no two systems ran the same task."]
    said = [
        "By difficulty: ties leave a tercile empty, so that tasks are sorted by always, sometimes "
        f"and never solved, for {', '.join(findings.names[name] for name in tied)}."
    ]
    return [tables_further.difficulty_table(rows, pooling)], said if tied else []


def over_seeds(
    evidence: Evidence, n_seeds: int, *, folds: str, seed: int, executor: Executor | None
) -> Table:
    """Spread of the figures over seeds."""
    sample: Sample = evidence.sample
    found = [(seed, evidence)]
    for other in range(seed + 1, seed + n_seeds):
        made = gather(sample, folds=folds, seed=other, n_permutations=0, executor=executor)
        found.append((other, made))
    values = [
        {
            "system": name,
            "name": scale + variant,
            "value": evaluate_once(make(cloud), len(cloud.sizes)),
        }
        for name in sample.systems
        for _, each in found
        for variant, cloud in clouds(each, [name]).variants().items()
        if variant != "_features"
        for scale, make in STATISTICS.items()
    ]
    return tables.seeds_table(
        [number for number, _ in found],
        pl.DataFrame(values, schema_overrides={"value": pl.Float64}),
    )


def sensitivity_tables(
    evidence: Evidence, *, seed: int, executor: Executor | None, say: Say
) -> list[Table]:
    """The order of systems under other predictors, attributions, similarities and features."""
    values, taus = sensitivity_frames(evidence, seed=seed, executor=executor, say=say)
    return tables_further.sensitivity_tables(values, taus)


def monitor_parts(
    cohort: Cohort,
    evidence: Evidence,
    features: Sequence[str | Feature],
    *,
    folds: str,
    drawing: Drawing,
    executor: Executor | None,
) -> tuple[list[Table], str]:
    """Prediction from the beginning of runs, and the verdict in a sentence."""
    found = read_beginnings(
        cohort, evidence.sample, features, folds=folds, drawing=drawing, executor=executor
    )
    made = tables_further.monitor_tables(found.frame, found.by_share)
    return made, f"{found.verdict.question} {found.verdict.decision}: {found.verdict.because}."
