"""``ethogram variance COHORT``."""

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
    with_reading_options,
)  # fmt: skip
from ethogram.cli.output import check_asked, check_output, emit
from ethogram.errors import UsageError

if TYPE_CHECKING:
    from ethogram.judging import JudgeSettings

NAME: Final = "variance"

_TABLES_OF: Final = {
    "--by": ("ranges", "levels"),
    "--interpret": (
        *("interpretation", "judge_agreement", "interpretation_counts", "goals"),
        "interpretations",
    ),
}


@with_judge_options
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
    by: By = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Level of the intervals.")
    ] = 0.95,
    same_id: Annotated[
        bool,
        typer.Option(
            "--same-id-is-same-task", help="Pair runs of one task id even if its text differs."
        ),
    ] = False,
    interpret: Annotated[
        bool,
        typer.Option(
            "--interpret",
            help="Let a judge say of each failed run whether it misread its task or carried out a "
            "right reading badly, and what it aimed at. Needs --judge-model.",
        ),
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    table: TableName = None,
    reading: dict[str, Any],
    judging: "JudgeSettings | None" = None,
) -> int:
    """Measure how steady systems are over repeated runs of a task (Mehta 2026)."""
    from ethogram.measures.variance import TABLES, variance

    check_output(NAME, TABLES, as_json=as_json, as_csv=as_csv, table=table)
    check_asked(table, _TABLES_OF, {"--by": by, "--interpret": interpret})
    _check(judging, interpret=interpret)
    cohort = cohort_of(paths, reading, where)
    options: dict[str, Any] = {
        "k": k,
        "level": level,
        "seed": seed,
        "alphabet": alphabet,
        "by": by,
        "same_id_is_same_task": same_id,
    }
    if judging is None:
        emit(variance(cohort, **options), as_json=as_json, as_csv=as_csv, table=table)
        return 0
    with sitting(judging) as bench:
        result = variance(cohort, judge=bench.first, second_judge=bench.second, **options)
    if not bench.dry_run:
        emit(result, as_json=as_json, as_csv=as_csv, table=table)
    return bench.tell()


def _check(judging: "JudgeSettings | None", *, interpret: bool) -> None:
    if interpret and judging is None:
        raise UsageError("--interpret: name the judge with --judge-model")
    if judging is not None and not interpret:
        raise UsageError("--judge-model: a judge is asked nothing here without --interpret")
    if judging is not None and judging.temperatures:
        raise UsageError("--judge-temperatures: --interpret asks at one, --judge-temperature")
