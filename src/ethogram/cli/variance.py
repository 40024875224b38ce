"""``ethogram variance COHORT``."""

from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import (
    AsCsv,
    AsJson,
    Seed,
    TableName,
    Where,
    cohort_of,
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import emit

NAME: Final = "variance"


@with_reading_options
def command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="COHORT", help="A cohort or trajectories.")],
    where: Where = None,
    k: Annotated[
        int | None,
        typer.Option("--k", min=2, help="Runs a task that are compared; default: the fewest."),
    ] = None,
    alphabet: Annotated[
        str | None,
        typer.Option("--alphabet", help="What counts as the same step: kind, head, tool, action."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Compute per level of a column or a setting."),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Level of the intervals.")
    ] = 0.95,
    same_id: Annotated[
        bool,
        typer.Option(
            "--same-id-is-same-task", help="Pair runs of one task id even if its text differs."
        ),
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
) -> None:
    """Measure how steady systems are over repeated runs of a task (Mehta 2026)."""
    from ethogram.measures.variance import variance

    result = variance(
        cohort_of(paths, reading, where),
        k=k,
        level=level,
        seed=seed,
        alphabet=alphabet,
        by=by,
        same_id_is_same_task=same_id,
    )
    emit(result, as_json=as_json, as_csv=as_csv, table=table)
