"""``ethogram report COHORT -o report.html``, and ``ethogram PATH...``."""

import json
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import Seed, Where, cohort_of, named_lists, with_reading_options
from ethogram.cli.similarity import Controlled, Families, Pool, References, names_of

NAME: Final = "report"


@with_reading_options
def command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="A cohort or trajectories.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    where: Where = None,
    references: References = None,
    pool: Pool = None,
    families: Families = None,
    controlled: Controlled = None,
    seed: Seed = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print where the report lies as JSON.")
    ] = False,
    reading: dict[str, Any],
) -> None:
    """Read trajectories and write a self-contained report."""
    from ethogram.reporting import report

    cohort = cohort_of(paths, reading, where)
    similarity = {
        "reference": references,
        "pool": pool,
        "families": named_lists(families, "families"),
        "controlled": names_of(controlled),
    }
    path = report(cohort, out, seed=seed, options={"similarity": similarity})
    typer.echo(
        json.dumps({"report": str(path)}, ensure_ascii=False)
        if as_json
        else f"The report lies in {path}"
    )
