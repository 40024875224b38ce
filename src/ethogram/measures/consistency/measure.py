"""`consistency`: how alike a system's runs are in what makes them succeed."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.consistency import pairs, quality, tables
from ethogram.measures.consistency.archetypes import (
    MAPS,
    archetype_frame,
    archetypes,
    entropy_against_bcm,
    map_frame,
    spread_frame,
)
from ethogram.measures.consistency.catalogue import BANERJEE
from ethogram.measures.consistency.controls import CONTROLS, control_rows
from ethogram.measures.consistency.difficulty import POOLINGS, difficulty_rows
from ethogram.measures.consistency.evidence import (
    MAX_RUNS,
    N_PERMUTATIONS,
    Evidence,
    Say,
    gather,
    nothing,
)
from ethogram.measures.consistency.features import DEFAULT, Feature
from ethogram.measures.consistency.folds import FOLDS
from ethogram.measures.consistency.sample import Sample, sample_of
from ethogram.measures.consistency.scales import STATISTICS, Drawing
from ethogram.measures.consistency.systems import (
    axes_of,
    by_outcome_rows,
    clouds,
    null_frame,
    over_runs,
    system_rows,
)
from ethogram.measures.consistency.wording import Findings, notes, summary
from ethogram.results.numbers import show_number
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import Table
from ethogram.stats.resampling import evaluate_once

MEASURE_VERSION: Final = 1
BOOTSTRAPS: Final = ("tasks", "runs")


def consistency(  # noqa: PLR0913  the options of one command
    cohort: Cohort,
    *,
    features: Sequence[str | Feature] = DEFAULT,
    folds: str = "tasks",
    controls: str = "quick",
    bootstrap: str = "tasks",
    by_outcome: bool = False,
    groups: Mapping[str, Sequence[str]] | None = None,
    n_archetypes: int | None = None,
    map_by: str = "pca",
    pooling: str = "others",
    n_seeds: int = 1,
    all_runs: bool = False,
    level: float = 0.95,
    seed: int = 0,
    executor: Executor | None = None,
    say: Say = nothing,
) -> Result:
    """How alike the runs of each system are in what makes them succeed or fail.

    Trees learn success from features of runs; each run's attributions say what each feature adds to
    its predicted log-odds. BCM is the mean cosine of the attributions of two runs of a system:
    across tasks, within a task, and over all pairs.

    Parameters
    ----------
    cohort : Cohort
        Runs with outcomes and actions; others are left out and counted.
    features : sequence of str or Feature
        Which features of runs; by default the twelve of Banerjee and Raichura 2026.
    folds : str
        ``tasks``: a task's runs stay in one fold; ``stratified``: the paper's folds over runs.
    controls : str
        ``quick``: 5 permutations and system identity; ``all``: 99 permutations, each system's own
        predictor and one that never saw it; ``none``: the success offset alone.
    bootstrap : str
        Intervals draw tasks; ``runs`` adds the paper's intervals, as published and corrected.
    by_outcome : bool
        Also of successful and of failed runs apart.
    groups : mapping of str to sequence of str, optional
        Groups of systems whose means are compared.
    n_archetypes : int, optional
        Clusters of attributions; by default as many, 2 to 8, as have the largest silhouette.
    map_by : str
        ``pca`` or ``umap`` (with the extra).
    pooling : str
        Runs that say how hard a task is for a system: those of the ``others``, or ``all`` (the
        paper's).
    n_seeds : int
        Seeds of folds and fits; above 1 a table shows the spread.
    all_runs : bool
        Permute all runs, however many; by default a balanced subsample of at most 10,000.
    level : float
        Nominal coverage of the intervals.
    seed : int
        Of folds, fits, permutations and resamples; equal seeds give equal results.
    executor : concurrent.futures.Executor, optional
        Threads in which folds are fitted side by side; the numbers don't depend on it.
    say : callable, optional
        Is told how long it will take, where that is over two minutes.

    Returns
    -------
    Result
        Kind ``consistency``. Tables: ``systems`` (estimates; observed, null, difference and success
        offset side by side), ``axes``, ``comparison`` (estimates of pairs of systems), ``null``,
        ``controls``, ``predictor``, ``folds``, ``calibration``, ``importances``, ``profiles`` (mean
        attribution of each feature), ``archetypes``, ``spread``, ``silhouettes``, ``map``,
        ``difficulty`` and, as asked for, ``over_runs``, ``by_outcome``, ``groups``,
        ``seeds``.

    Raises
    ------
    NotEnoughDataError
        Without outcomes, with one outcome only, or with one task only.
    MissingDependencyError
        Without LightGBM or the OpenMP runtime.
    UsageError
        If an option has a value that it can't have.

    Notes
    -----
    Raw BCM largely says how far a system's success lies from the average: read it with success
    offset and beyond its null.

    References
    ----------
    Banerjee and Raichura (2026), Measuring Cross-Task Behavioral Consistency in Language Model
    Agents.
    """
    _check_names(
        ("way to make folds", folds, tuple(FOLDS)),
        ("set of controls", controls, CONTROLS),
        ("bootstrap", bootstrap, BOOTSTRAPS),
        ("map", map_by, MAPS),
        ("pooling", pooling, POOLINGS),
    )
    _check_numbers(level=level, n_seeds=n_seeds)
    sample = sample_of(cohort, features)
    drawing = Drawing(level, seed)
    evidence = gather(
        sample,
        folds=folds,
        seed=seed,
        n_permutations=N_PERMUTATIONS[controls],
        max_runs=None if all_runs else MAX_RUNS,
        executor=executor,
        say=say,
    )
    findings, made = _main(evidence, folds=folds, controls=controls, drawing=drawing)
    rows = control_rows(
        evidence, controls=controls, folds=folds, drawing=drawing, executor=executor, say=say
    )
    if rows:
        made.append(tables.labelled("controls", "Further controls", rows))
    made += _on_request(
        evidence, bootstrap=bootstrap, by_outcome=by_outcome, groups=groups, drawing=drawing
    )
    shapes, said = _archetypes(
        evidence, findings, k=n_archetypes, map_by=map_by, max_runs=None if all_runs else MAX_RUNS
    )
    bins, ties = _difficulty(evidence, findings, pooling=pooling, drawing=drawing)
    made += [*shapes, *bins]
    if n_seeds > 1:
        made.append(_over_seeds(evidence, n_seeds, folds=folds, seed=seed, executor=executor))
    return Result(
        kind="consistency",
        tables={table.name: table for table in made},
        notes=(*notes(findings), *said, *ties),
        summary=summary(findings),
        provenance=Provenance(
            measure="consistency",
            measure_version=MEASURE_VERSION,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
            seed=seed,
            parameters={
                "features": list(sample.names),
                "folds": folds,
                "controls": controls,
                "bootstrap": bootstrap,
                "by_outcome": by_outcome,
                "groups": groups,
                "n_archetypes": n_archetypes,
                "map_by": map_by,
                "pooling": pooling,
                "n_seeds": n_seeds,
                "all_runs": all_runs,
                "level": level,
            },
            reference=BANERJEE,
        ),
    )


def _check_names(*options: tuple[str, str, Sequence[str]]) -> None:
    for kind, given, known in options:
        if given not in known:
            raise UnknownNameError(kind, given, list(known))


def _check_numbers(*, level: float, n_seeds: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1; got {level}")
    if n_seeds < 1:
        raise UsageError(f"n_seeds must be 1 or more; got {n_seeds}")


def _main(
    evidence: Evidence, *, folds: str, controls: str, drawing: Drawing
) -> tuple[Findings, list[Table]]:
    """The tables that every result has, and what is said about them."""
    rows = system_rows(evidence, drawing=drawing)
    axes = {name: axes_of(evidence, name, drawing=drawing) for name in evidence.sample.systems}
    compared = pairs.pair_rows(evidence, drawing=drawing)
    predictor = list(quality.predictor_rows(evidence, drawing=drawing))
    shown = list(predictor)
    if controls != "none":
        shown += quality.identity_rows(evidence, drawing=drawing, seed=drawing.seed)
    findings = Findings(
        evidence,
        rows,
        {each.name: each for each in predictor},
        axes,
        pairs.alike_but_apart(compared, "cross_task_offset"),
        folds,
        drawing.seed,
    )
    made = [tables.systems_table(rows), tables.axes_table(axes)]
    if compared:
        made.append(
            tables.labelled(
                "comparison", "First minus second system", compared, keys=("first", "second")
            )
        )
    if evidence.nulls:
        made.append(tables.null_table(null_frame(evidence)))
    made += tables.predictor_tables(
        shown,
        quality.folds_frame(evidence),
        quality.calibration_frame(evidence),
        quality.importances_frame(evidence),
    )
    made.append(tables.profiles_table(quality.importance_rows(evidence)))
    return findings, made


def _on_request(
    evidence: Evidence,
    *,
    bootstrap: str,
    by_outcome: bool,
    groups: Mapping[str, Sequence[str]] | None,
    drawing: Drawing,
) -> list[Table]:
    made = []
    if bootstrap == "runs":
        made.append(tables.runs_table(over_runs(evidence, drawing=drawing)))
    if by_outcome:
        rows = by_outcome_rows(evidence, drawing=drawing)
        keys = ("system", "outcome")
        made.append(tables.labelled("by_outcome", "By outcome", rows, keys=keys))
    if groups:
        rows = pairs.group_rows(evidence, groups, drawing=drawing)
        made.append(tables.labelled("groups", "Groups of systems", rows, keys=("group",)))
    return made


def _archetypes(
    evidence: Evidence, findings: Findings, *, k: int | None, map_by: str, max_runs: int | None
) -> tuple[list[Table], list[str]]:
    found = archetypes(evidence, k=k, seed=findings.seed, max_runs=max_runs)
    if found is None:
        return [], ["There are no archetypes: attributions are the same for nearly all runs."]
    spread = spread_frame(evidence.sample, found)
    made = tables.archetype_tables(
        archetype_frame(evidence, found),
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


def _difficulty(
    evidence: Evidence, findings: Findings, *, pooling: str, drawing: Drawing
) -> tuple[list[Table], list[str]]:
    rows, tied = difficulty_rows(evidence, pooling=pooling, drawing=drawing)
    if not rows:
        return [], ["There is no difficulty of tasks: no two systems ran the same task."]
    said = [
        "By difficulty: ties leave a tercile empty, so that tasks are sorted by always, sometimes "
        f"and never solved, for {', '.join(findings.names[name] for name in tied)}."
    ]
    return [tables.difficulty_table(rows, pooling)], said if tied else []


def _over_seeds(
    evidence: Evidence, n_seeds: int, *, folds: str, seed: int, executor: Executor | None
) -> Table:
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
