"""Results to stdout: as people read them, as JSON or as CSV."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace

import typer

from ethogram.errors import UnknownNameError, UsageError
from ethogram.results import Result


def check_output(
    measure: str, tables: Sequence[str], *, as_json: bool, as_csv: bool, table: str | None
) -> None:
    """Refuse what no result of a measure can be printed as, before it is computed.

    Parameters
    ----------
    measure : str
        Name of the measure.
    tables : sequence of str
        Every table that its result may have; which of them it has depends on the runs.

    Raises
    ------
    UsageError
        If both forms are asked for, or a table that no result has.
    """
    _check_form(as_json=as_json, as_csv=as_csv)
    if table is not None and table not in tables:
        raise UnknownNameError(f"table of {measure}", table, list(tables))


def emit(
    result: Result, *, as_json: bool = False, as_csv: bool = False, table: str | None = None
) -> None:
    """Print a result to stdout, or one of its tables.

    Raises
    ------
    UsageError
        If both forms are asked for, or a table that the result doesn't have.
    """
    _check_form(as_json=as_json, as_csv=as_csv)
    if table is not None:
        result = replace(result, tables={table: result.table(table)}, summary=(), notes=())
    if as_json:
        typer.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2, default=str))
    elif as_csv:
        frame = result.to_frame()
        nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
        typer.echo(frame.drop(nested).write_csv(), nl=False)
    else:
        _show(result)


def _check_form(*, as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other")


def _show(result: Result) -> None:
    from ethogram.results.show import to_text

    width = None
    if sys.stdout.isatty():
        import shutil

        width = shutil.get_terminal_size().columns
    typer.echo(to_text(result, width=width) if width else to_text(result))
