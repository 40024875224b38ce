"""Results to stdout: as people read them, as JSON or as CSV."""

import json
import sys

import typer

from ethogram.errors import UsageError
from ethogram.results import Result


def emit(
    result: Result, *, as_json: bool = False, as_csv: bool = False, table: str | None = None
) -> None:
    """Print a result to stdout.

    Raises
    ------
    UsageError
        If both forms are asked for.
    """
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other")
    if as_json:
        typer.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2, default=str))
    elif as_csv:
        frame = result.to_frame(table)
        nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
        typer.echo(frame.drop(nested).write_csv(), nl=False)
    else:
        _show(result, table)


def _show(result: Result, table: str | None) -> None:
    from dataclasses import replace

    from ethogram.results.show import to_text

    if table is not None:
        result = replace(result, tables={table: result.table(table)}, summary=(), notes=())
    width = None
    if sys.stdout.isatty():
        import shutil

        width = shutil.get_terminal_size().columns
    typer.echo(to_text(result, width=width) if width else to_text(result))
