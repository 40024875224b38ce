"""``ethogram relabel COHORT``."""

from pathlib import Path
from typing import Annotated, Final

import typer

from ethogram.cli.options import AsCsv, AsJson
from ethogram.cli.output import emit

NAME: Final = "relabel"


def command(
    *,
    folder: Annotated[Path, typer.Argument(metavar="COHORT", help="A saved cohort.")],
    kinds: Annotated[
        list[Path] | None, typer.Option("--kinds", help="TOML file with your own kinds. Repeats.")
    ] = None,
    effects: Annotated[
        list[Path] | None,
        typer.Option("--effects", help="TOML file with your own tools' effects. Repeats."),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Label the actions of a cohort anew, with the package's tables or yours."""
    from ethogram.ingest import default_labeler
    from ethogram.ingest.relabel import relabel

    labeler = default_labeler(kinds=kinds or (), effects=effects or ())
    emit(relabel(folder, labeler), as_json=as_json, as_csv=as_csv)
