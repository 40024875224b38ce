"""Options that several commands share, defined once."""

import functools
import inspect
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.progress import reading_progress
from ethogram.cohort import Cohort
from ethogram.cohort.storage import is_cohort
from ethogram.errors import UsageError
from ethogram.ingest import Reading, Report, default_labeler, run_reading
from ethogram.ingest.outcome_files import parse_columns

PARALLEL_BYTES: Final = 40 * 2**20
"""Below this a second process costs more than it saves."""

Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="Keep runs that satisfy this: 'system == \"x\" and success'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the result's main table as CSV.")]
TableName = Annotated[
    str | None, typer.Option("--table", help="Which table --csv prints, or the only one to show.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn.")]


def reading_options(  # noqa: PLR0917  called by name, from typer
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="Format of the files; found by content otherwise."),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", help="TOML file that says where fields lie in your own logs."),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option("--layout", help="Path template: '{system}/{task_id}/run{trial}.traj.json'."),
    ] = None,
    system: Annotated[str | None, typer.Option("--system", help="Name of the system.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Name of the model.")] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Name of the benchmark.")
    ] = None,
    aliases: Annotated[
        Path | None,
        typer.Option("--aliases", help="TOML file with [systems], [models], [benchmarks]."),
    ] = None,
    outcomes: Annotated[
        list[str] | None,
        typer.Option(
            "--outcomes",
            help="[PART=]REPORT: SWE-bench report, CSV or template such as 'run{trial}.json'. "
            "Repeats.",
        ),
    ] = None,
    outcome_columns: Annotated[
        str,
        typer.Option("--outcome-columns", help="Headers of a CSV: source=member,success=resolved."),
    ] = "",
    kinds: Annotated[
        list[Path] | None, typer.Option("--kinds", help="TOML file with your own kinds. Repeats.")
    ] = None,
    effects: Annotated[
        list[Path] | None,
        typer.Option("--effects", help="TOML file with your own tools' effects. Repeats."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes that read; default: cores.")
    ] = None,
) -> dict[str, Any]:
    """The options under which trajectories are read, as arguments of `Reading`."""
    return {
        "format": format_name,
        "mapping": mapping,
        "layout": layout,
        "system": system,
        "model": model,
        "benchmark": benchmark,
        "aliases": aliases,
        "outcomes": tuple(outcomes or ()),
        "outcome_columns": parse_columns(outcome_columns),
        "labeler": default_labeler(kinds=kinds or (), effects=effects or ()),
        "workers": workers or 0,
    }


def with_reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the reading options to a command; it gets them as one argument ``reading``."""
    shared = list(inspect.signature(reading_options).parameters.values())
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "reading"]

    @functools.wraps(function)
    def command(**arguments: Any) -> Any:
        given = {p.name: arguments.pop(p.name) for p in shared}
        return function(reading=reading_options(**given), **arguments)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*own, *shared]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


@contextmanager
def _executor(workers: int) -> Any:
    """Worker processes for a read; started afresh, because Polars does not survive a fork."""
    if workers <= 1:
        yield None
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield pool


def read_paths(paths: list[str], reading: dict[str, Any], **options: Any) -> Report:
    """Read trajectories with a progress bar and as many workers as pay."""
    workers = _workers(paths, reading.pop("workers"))
    pool: Executor | None
    with _executor(workers) as pool, reading_progress() as progress:
        return run_reading(
            Reading(
                paths=paths, executor=pool, workers=workers, progress=progress, **reading, **options
            )
        )


def _workers(paths: list[str], asked: int) -> int:
    import os

    from ethogram.ingest.discover import total_bytes

    if asked:
        return asked
    large = total_bytes(paths) > PARALLEL_BYTES
    return (os.cpu_count() or 1) if large else 1


def cohort_of(paths: list[str], reading: dict[str, Any], where: list[str] | None) -> Cohort:
    """The cohort that a command works on: one that is saved, or trajectories read on the spot.

    Raises
    ------
    UsageError
        If cohorts and trajectories are mixed.
    """
    from ethogram.cohort import concat

    saved = [path for path in paths if is_cohort(Path(path))]
    if saved and len(saved) < len(paths):
        raise UsageError(f"cohorts and trajectories can't be mixed: {', '.join(saved)} are cohorts")
    if saved:
        opened = [Cohort.open(path) for path in saved]
        cohort = opened[0] if len(opened) == 1 else concat(opened)
    else:
        cohort = read_paths(paths, reading).cohort
    return cohort.filter(*where) if where else cohort
