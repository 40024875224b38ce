"""``ethogram consistency COHORT``."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import (
    AsCsv,
    AsJson,
    By,
    Seed,
    TableName,
    Where,
    cohort_of,
    named_lists,
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import check_asked, check_output, emit

NAME: Final = "consistency"

_TABLES_OF: Final = {
    "--bootstrap runs": ("over_runs",),
    "--by-outcome": ("by_outcome",),
    "--groups": ("groups",),
    "--sensitivity": ("sensitivity", "orderings"),
    "--monitor": ("monitor", "monitor_by_share"),
    "--by": ("ranges", "levels"),
    "--seeds (2 or more)": ("seeds",),
}


@with_reading_options
def command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="COHORT", help="A cohort or trajectories.")],
    where: Where = None,
    features: Annotated[
        str | None,
        typer.Option("--features", help="Names of features, with commas; default: all twelve."),
    ] = None,
    folds: Annotated[
        str,
        typer.Option(
            "--folds", help="tasks: a task's runs stay together; stratified: the paper's."
        ),
    ] = "tasks",
    controls: Annotated[
        str,
        typer.Option(
            "--controls",
            help="none, quick (outcomes shuffled 5 times) or all (99 times, and more).",
        ),
    ] = "quick",
    bootstrap: Annotated[
        str, typer.Option("--bootstrap", help="Intervals over tasks; runs adds the paper's.")
    ] = "tasks",
    by_outcome: Annotated[
        bool, typer.Option("--by-outcome", help="BCM of successful and of failed runs, too.")
    ] = False,
    groups: Annotated[
        Path | None,
        typer.Option(
            "--groups", help='TOML file: [groups], then name = ["system", ...]; compares means.'
        ),
    ] = None,
    archetypes: Annotated[
        int | None,
        typer.Option(
            "--archetypes", min=2, help="Number of ways of working; default: best of 2 to 8."
        ),
    ] = None,
    map_by: Annotated[
        str, typer.Option("--map", help="Map of the ways of working: pca, or umap with that extra.")
    ] = "pca",
    pooling: Annotated[
        str,
        typer.Option("--pooling", help="Whose runs say how hard a task is: others or all."),
    ] = "others",
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity",
            help="Also the order of systems with other predictors and similarities.",
        ),
    ] = False,
    monitor: Annotated[
        bool, typer.Option("--monitor", help="What the first actions of a run tell of its end.")
    ] = False,
    by: By = None,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds", min=1, help="Number of seeds of folds and fits, to show the spread."
        ),
    ] = 1,
    all_runs: Annotated[
        bool, typer.Option("--all", help="Shuffle the outcomes of all runs, not of at most 10,000.")
    ] = False,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Level of the intervals.")
    ] = 0.95,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
) -> None:
    """Measure how alike a system's runs are in what makes them succeed (Banerjee 2026)."""
    import os
    from concurrent.futures import ThreadPoolExecutor

    from ethogram.measures.consistency import TABLES, consistency
    from ethogram.measures.consistency.features import DEFAULT

    check_output(NAME, TABLES, as_json=as_json, as_csv=as_csv, table=table)
    given = (bootstrap == "runs", by_outcome, groups, sensitivity, monitor, by, seeds > 1)
    check_asked(table, _TABLES_OF, dict(zip(_TABLES_OF, given, strict=True)))
    chosen = tuple(features.split(",")) if features else DEFAULT
    cohort = cohort_of(paths, reading, where)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        result = consistency(
            cohort,
            features=chosen,
            folds=folds,
            controls=controls,
            bootstrap=bootstrap,
            by_outcome=by_outcome,
            groups=named_lists(groups, "groups"),
            n_archetypes=archetypes,
            map_by=map_by,
            pooling=pooling,
            sensitivity=sensitivity,
            monitor=monitor,
            by=by,
            n_seeds=seeds,
            all_runs=all_runs,
            level=level,
            seed=seed,
            executor=pool,
            say=lambda sentence: typer.echo(sentence, err=True),
        )
    emit(result, as_json=as_json, as_csv=as_csv, table=table)
