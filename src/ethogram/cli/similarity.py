"""``ethogram similarity COHORT``."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import (
    AsCsv,
    AsJson,
    Seed,
    TableName,
    Where,
    cohort_of,
    named_lists,
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import emit

NAME: Final = "similarity"


@with_reading_options
def command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="COHORT", help="A cohort or trajectories.")],
    where: Where = None,
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", help="System that all others are compared with. Repeats."),
    ] = None,
    pool: Annotated[
        list[str] | None,
        typer.Option("--pool", help="System that decides which tools are optional. Repeats."),
    ] = None,
    families: Annotated[
        Path | None,
        typer.Option("--families", help='TOML file: [families], then name = ["system", ...].'),
    ] = None,
    controlled: Annotated[
        str | None,
        typer.Option(
            "--controlled", help="Four systems, with commas: base,student,teacher,control."
        ),
    ] = None,
    source: Annotated[
        str,
        typer.Option("--source", help="Call that a value comes from: first, latest or all."),
    ] = "first",
    ged: Annotated[
        bool | None,
        typer.Option("--ged/--no-ged", help="Graph edit distances; default: if they are quick."),
    ] = None,
    graphml: Annotated[
        Path | None,
        typer.Option("--graphml", help="Write the action graph of each run into this folder."),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Level of the intervals.")
    ] = 0.95,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
) -> None:
    """Measure how alike systems use tools, pair by pair (Yang 2026)."""
    import os
    from concurrent.futures import ThreadPoolExecutor

    from ethogram.measures.similarity import similarity, write_graphml

    cohort = cohort_of(paths, reading, where)
    if graphml is not None:
        n_graphs = write_graphml(cohort, graphml, source=source)
        typer.echo(f"{graphml}: {n_graphs:,} graphs and index.csv", err=True)
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        result = similarity(
            cohort,
            reference=references,
            pool=pool,
            families=named_lists(families, "families"),
            controlled=None if controlled is None else controlled.split(","),
            source=source,
            ged=ged,
            level=level,
            seed=seed,
            executor=threads,
            say=lambda sentence: typer.echo(sentence, err=True),
        )
    emit(result, as_json=as_json, as_csv=as_csv, table=table)
