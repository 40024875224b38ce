"""``ethogram show COHORT [ID]``."""

from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import (
    AsCsv,
    AsJson,
    TableName,
    Where,
    load,
    target_of,
    told_of,
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import check_output, emit

NAME: Final = "show"

_TABLES_OF_ID: Final = ("steps", "groups", "runs", "actions")
"""Tables of a run, and of the runs of a task: which of them it is only the cohort knows."""


@with_reading_options
def command(
    *,
    source: Annotated[str, typer.Argument(metavar="COHORT", help="A cohort or trajectories.")],
    name: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A run's id (or its beginning) or a task.")
    ] = None,
    where: Where = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
) -> None:
    """Show what is in a cohort; a run step by step, or the runs of a task as ribbons."""
    from ethogram.cohort.inspect import find, run_steps
    from ethogram.cohort.views import traces
    from ethogram.ingest import summary
    from ethogram.ingest.closing import TABLES

    tables = TABLES if name is None else _TABLES_OF_ID
    check_output(NAME, tables, as_json=as_json, as_csv=as_csv, table=table)
    cohort, report = load([source], reading, where)
    if name is None:
        target = target_of([source], reading if report else {})
        told = summary(cohort, report, target=target, **told_of(reading))
        emit(told, as_json=as_json, as_csv=as_csv, table=table)
        return
    kind, key = find(cohort, name)
    if kind == "run":
        emit(run_steps(cohort, key), as_json=as_json, as_csv=as_csv, table=table)
    elif as_json or as_csv or table:
        emit(traces(cohort, task=key), as_json=as_json, as_csv=as_csv, table=table)
    else:
        from ethogram.plots.ribbons_text import print_ribbons

        print_ribbons(traces(cohort, task=key))
