"""``ethogram read PATH... -o COHORT``."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import (
    AsCsv,
    AsJson,
    TableName,
    read_paths,
    target_of,
    told_of,
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import check_output, emit
from ethogram.ingest import summary
from ethogram.ingest.closing import TABLES

NAME: Final = "read"


@with_reading_options
def command(
    *,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Files, folders, globs, archives, or parts of one: 'a.tar.xz::folder/'.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder of the cohort; without it nothing is kept."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Replace what the cohort holds instead of adding to it.")
    ] = False,
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Don't keep the texts of the trajectories.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail (exit 2) if there is any problem.")
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
) -> int:
    """Read trajectories into a cohort and say what is in it; a second read adds what is new."""
    check_output(NAME, TABLES, as_json=as_json, as_csv=as_csv, table=table)
    report = read_paths(paths, reading, out=out, fresh=fresh, texts=not no_text)
    target = shlex.quote(str(out)) if out else target_of(paths, reading)
    emit(
        summary(report.cohort, report, target=target, **told_of(reading)),
        as_json=as_json,
        as_csv=as_csv,
        table=table,
    )
    severe = report.cohort.problems.filter(report.cohort.problems["severity"] != "note")
    return 2 if not report.cohort.runs.height or (strict and severe.height) else 0
