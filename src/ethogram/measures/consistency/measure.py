"""`consistency`: how alike a system's runs are in what makes them succeed."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Final

from ethogram.cohort import Cohort
from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.consistency import pairs, parts, quality, tables
from ethogram.measures.consistency.archetypes import MAPS
from ethogram.measures.consistency.axes import axes_of
from ethogram.measures.consistency.catalogue import BANERJEE
from ethogram.measures.consistency.controls import CONTROLS, control_rows
from ethogram.measures.consistency.difficulty import POOLINGS
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
from ethogram.measures.consistency.levels import level_parts
from ethogram.measures.consistency.sample import sample_of
from ethogram.measures.consistency.scales import Drawing
from ethogram.measures.consistency.systems import (
    null_frame,
    system_rows,
)
from ethogram.measures.consistency.wording import Findings, notes, readable, summary
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import Table, by_name

MEASURE_VERSION: Final = 1
BOOTSTRAPS: Final = ("tasks", "runs")
N_REFITS: Final = 13
"""About as many fits as sensitivity takes, and as the monitor: many small ones."""


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
    sensitivity: bool = False,
    monitor: bool = False,
    by: str | None = None,
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
        predictor and one that never saw it; ``none``: the success offset alone, without its null.
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
    sensitivity : bool
        Also the order of systems under other predictors, attributions, similarities and features.
    monitor : bool
        Also whether the first actions of runs tell how they end.
    by : str, optional
        Also at each level of a column of runs, tasks or systems, or of a key of the systems'
        settings, with predictors of its own; systems that differ in nothing else are one there.
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
        offset side by side), ``axes``, ``comparison`` (estimates of pairs of systems), ``alike``
        (pairs alike in success), ``null``, ``controls``, ``predictor``, ``folds``, ``calibration``,
        ``importances``, ``profiles`` (mean attribution of each feature), ``archetypes``,
        ``archetype_shares``, ``spread``, ``silhouettes``, ``map``, ``difficulty`` and, as asked
        for, ``over_runs``, ``by_outcome``, ``groups``, ``sensitivity``, ``orderings``, ``monitor``,
        ``monitor_by_share``, ``ranges``, ``levels``, ``seeds``.

    Raises
    ------
    NotEnoughDataError
        Without outcomes, with one outcome only, or with one task only.
    MissingDependencyError
        Without LightGBM or the OpenMP runtime.
    UsageError
        If an option has a value that it can't have, or ``by`` names nothing.

    Notes
    -----
    Raw BCM largely says how far a system's success lies from the average. The figure to read first
    is BCM with success offset minus its null (``cross_task_offset_minus_null``): where nothing that
    a run does matters for its success, that alone is 0 on average.

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
        n_later=2 * (controls == "all")
        + N_REFITS * (sensitivity + monitor)
        + 2 * (n_seeds - 1)
        + 2 * (1 + N_PERMUTATIONS[controls]) * (by is not None),
        executor=executor,
        say=say,
    )
    findings, made = _main(evidence, folds=folds, controls=controls, drawing=drawing)
    rows = control_rows(
        evidence, controls=controls, folds=folds, drawing=drawing, executor=executor, say=say
    )
    if rows:
        made.append(tables.labelled("controls", "Further controls", rows))
    made += parts.on_request(
        evidence, bootstrap=bootstrap, by_outcome=by_outcome, groups=groups, drawing=drawing
    )
    shapes, said = parts.archetype_parts(
        evidence, findings, k=n_archetypes, map_by=map_by, max_runs=None if all_runs else MAX_RUNS
    )
    bins, ties = parts.difficulty_parts(evidence, findings, pooling=pooling, drawing=drawing)
    made += [*shapes, *bins]
    answers = list(summary(findings))
    if sensitivity:
        made += parts.sensitivity_tables(evidence, seed=seed, executor=executor, say=say)
    if monitor:
        curves, verdict = parts.monitor_parts(
            cohort, evidence, features, folds=folds, drawing=drawing, executor=executor
        )
        made += curves
        answers.append(verdict)
    lacking: list[str] = []
    if by is not None:
        levels, ranges, lacking = level_parts(
            cohort,
            sample,
            by,
            folds=folds,
            n_permutations=N_PERMUTATIONS[controls],
            max_runs=None if all_runs else MAX_RUNS,
            drawing=drawing,
            executor=executor,
        )
        made += levels
        answers += ranges
    if n_seeds > 1:
        made.append(parts.over_seeds(evidence, n_seeds, folds=folds, seed=seed, executor=executor))
    return Result(
        kind="consistency",
        tables=by_name(made, tables.TABLES),
        notes=(*notes(findings), *said, *ties, *lacking),
        summary=tuple(answers),
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
                "sensitivity": sensitivity,
                "monitor": monitor,
                "by": by,
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
    compared = pairs.pair_rows(evidence, drawing=drawing)
    predictor = list(quality.predictor_rows(evidence, drawing=drawing))
    judged = readable(predictor[0]) and bool(evidence.shuffled)
    axes = {
        name: axes_of(evidence, name, drawing=drawing, judged=judged)
        for name in evidence.sample.systems
    }
    shown = list(predictor)
    if controls != "none":
        shown += quality.identity_rows(evidence, drawing=drawing, seed=drawing.seed)
    findings = Findings(
        evidence,
        rows,
        {each.name: each for each in predictor},
        axes,
        pairs.alike_pairs(compared),
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
    if findings.alike:
        made.append(tables.alike_table(findings.alike, pairs.headline(evidence)))
    if (against := null_frame(evidence)).height:
        made.append(tables.null_table(against))
    made += tables.predictor_tables(
        shown,
        quality.folds_frame(evidence),
        quality.calibration_frame(evidence),
        quality.importances_frame(evidence),
    )
    made.append(tables.profiles_table(quality.importance_rows(evidence)))
    return findings, made
