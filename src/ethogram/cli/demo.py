"""``ethogram demo``."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ethogram.cli.options import Seed
from ethogram.cli.output import emit

NAME: Final = "demo"


def command(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the demo.")] = Path("demo"),
    *,
    seed: Seed = 0,
) -> None:
    """Simulate three systems with known truth, measure them and write a report."""
    from ethogram.reporting.demo import demo

    result = demo(out, seed=seed, progress=lambda text: typer.echo(text, err=True))
    emit(result.comparison)
    typer.echo(f"The report lies in {result.report}")
