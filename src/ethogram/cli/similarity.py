"""``ethogram similarity COHORT``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ethogram.cli.judge_options import sitting, with_judge_options
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
from ethogram.cli.progress import counting
from ethogram.errors import UsageError

if TYPE_CHECKING:
    from ethogram.judging import JudgeSettings

NAME: Final = "similarity"

_TABLES_OF: Final = {
    "--reference": ("references", "correlations", "pool"),
    "--reference (two or more)": ("reference_differences",),
    "--families": ("families",),
    "--controlled": ("controlled", "controlled_verdicts"),
    "--rps": ("style", "style_checks"),
    "--rps and --judge-model": ("rps", "rps_stages", "rps_coverage", "reliability"),
    "--ablation": ("ablation",),
    "--judge-temperatures": ("temperatures", "reliability_by_temperature"),
    "--by": ("ranges", "levels"),
}

References = Annotated[
    list[str] | None,
    typer.Option("--reference", help="System that all others are compared with. Repeats."),
]
Pool = Annotated[
    list[str] | None,
    typer.Option("--pool", help="System that decides which tools are optional. Repeats."),
]
Families = Annotated[
    Path | None,
    typer.Option("--families", help='TOML file: [families], then name = ["system", ...].'),
]
Controlled = Annotated[
    str | None,
    typer.Option("--controlled", help="Four systems, with commas: base,student,teacher,control."),
]


@with_judge_options
@with_reading_options
def command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="COHORT", help="A cohort or trajectories.")],
    where: Where = None,
    references: References = None,
    pool: Pool = None,
    families: Families = None,
    controlled: Controlled = None,
    source: Annotated[
        str,
        typer.Option(
            "--source", help="Which of several earlier calls gave a value: first, latest or all."
        ),
    ] = "first",
    ged: Annotated[
        bool | None,
        typer.Option("--ged/--no-ged", help="Graph edit distances; default: if they are quick."),
    ] = None,
    graphml: Annotated[
        Path | None,
        typer.Option("--graphml", help="Write the action graph of each run into this folder."),
    ] = None,
    rps: Annotated[
        bool,
        typer.Option(
            "--rps", help="Compare what is said, too: by --judge-model, else by style alone."
        ),
    ] = False,
    stages: Annotated[
        str | None,
        typer.Option(
            "--stages", help="Stages for --rps: customer-service, coding, or a TOML file."
        ),
    ] = None,
    max_pairs: Annotated[
        int, typer.Option("--max-pairs", min=1, help="Pairs of runs a task that --rps judges.")
    ] = 5,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="With --rps: whole runs, too, without stages.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="CSV of people's scores, to compare the judge with."),
    ] = None,
    judge_dependencies: Annotated[
        bool,
        typer.Option(
            "--judge-dependencies", help="The judge decides on dependencies, not the rule."
        ),
    ] = False,
    by: By = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Level of the intervals.")
    ] = 0.95,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
    judging: "JudgeSettings | None" = None,
) -> int:
    """Measure how alike systems use tools, pair by pair (Yang 2026)."""
    import os
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import nullcontext

    from ethogram.judging.dependencies import JudgedDependencies
    from ethogram.measures.similarity import JudgedWords, similarity, table_names, write_graphml

    names = table_names(len(references or ()))
    judged, n_references = rps and judging is not None, len(references or ())
    given = (
        *(n_references > 0, n_references > 1, families, controlled, rps, judged, ablation),
        *(judging is not None and judging.temperatures, by),
    )
    check_asked(table, _TABLES_OF, dict(zip(_TABLES_OF, given, strict=True)))
    check_output(NAME, names, as_json=as_json, as_csv=as_csv, table=table)
    if judging is not None and not (rps or judge_dependencies):
        raise UsageError("--judge-model: say what to judge, with --rps or --judge-dependencies")
    if not rps or judging is None:
        _only_judged({"--stages": stages, "--ablation": ablation, "--labels": labels})
    if judge_dependencies and judging is None:
        raise UsageError("--judge-dependencies: name the judge with --judge-model")
    cohort = cohort_of(paths, reading, where)
    if graphml is not None:
        n_graphs = write_graphml(cohort, graphml, source=source)
        typer.echo(f"{graphml}: {n_graphs:,} graphs and index.csv", err=True)
    opened = nullcontext() if judging is None else sitting(judging)
    # a terminal shows one bar at a time; a judge takes longer than graphs
    bar = counting("comparing graphs") if judging is None else nullcontext()
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads, bar as progress, opened as bench:
        words = None
        if rps and bench is not None:
            words = JudgedWords(
                bench.first,
                bench.second,
                taxonomy=stages,
                max_pairs=max_pairs,
                whole=ablation,
                labels=labels,
                by_temperature=bench.by_temperature,
            )
        result = similarity(
            cohort,
            reference=references,
            pool=pool,
            families=named_lists(families, "families"),
            controlled=names_of(controlled),
            source=source,
            judge=JudgedDependencies(bench.first) if bench and judge_dependencies else None,
            ged=ged,
            style=rps,
            words=words,
            by=by,
            level=level,
            seed=seed,
            executor=threads,
            say=lambda sentence: typer.echo(sentence, err=True),
            progress=progress,
        )
    if bench is None or not bench.dry_run:
        emit(result, as_json=as_json, as_csv=as_csv, table=table)
    return 0 if bench is None else bench.tell()


def _only_judged(options: Mapping[str, object]) -> None:
    """Refuse options that would say nothing: they are about what a judge scores."""
    for option, given in options.items():
        if given:
            raise UsageError(f"{option}: only with --rps and --judge-model, which it is about")


def names_of(names: str | None) -> list[str] | None:
    """Names between commas, without the blanks around them."""
    return None if names is None else [name.strip() for name in names.split(",")]
