"""Results to stdout: as people read them, as JSON or as CSV."""

import json
import sys
from collections.abc import Mapping, Sequence
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


def check_asked(
    table: str | None, tables_of: Mapping[str, Sequence[str]], given: Mapping[str, object]
) -> None:
    """Refuse a table that is made only with an option which was not given.

    Parameters
    ----------
    table : str or None
        The one table that is asked for.
    tables_of : mapping of str to sequence of str
        Option, as it is typed -> the tables that it alone gives.
    given : mapping of str to object
        The same options -> what was given, nothing if it is false.

    Raises
    ------
    UsageError
        If the table's option was not given.
    """
    for option, tables in tables_of.items():
        if table in tables and not given[option]:
            raise UsageError(f"--table {table}: is made only with {option}")


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
        if table not in result.tables:
            known = ", ".join(sorted(result.tables)) or "none"
            raise UsageError(
                f"--table {table}: {result.kind} gives none for these runs and options; "
                f"it gives: {known}"
            )
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
