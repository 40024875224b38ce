"""``ethogram report COHORT -o report.html``, and ``ethogram PATH...``."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.options import Seed, Where, cohort_of, with_reading_options

NAME: Final = "report"


@with_reading_options
def command(
    *,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="A cohort or trajectories.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    where: Where = None,
    seed: Seed = 0,
    reading: dict[str, Any],
) -> None:
    """Read trajectories and write a self-contained report."""
    from ethogram.reporting import report

    cohort = cohort_of(paths, reading, where)
    typer.echo(f"The report lies in {report(cohort, out, seed=seed)}")
