"""Options that several commands share, defined once."""

import functools
import inspect
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ethogram.cli.progress import reading_progress
from ethogram.cohort import Cohort
from ethogram.cohort.storage import is_cohort
from ethogram.errors import InputError, UsageError
from ethogram.ingest import Reading, Report, default_labeler, run_reading, summary
from ethogram.ingest.outcome_files import parse_columns
from ethogram.ingest.pool import worker_pool
from ethogram.user_files import read_regular, reason_of

_SHOWN: Final = 3
PARALLEL_BYTES: Final = 40 * 2**20
"""Below this a second process costs more than it saves."""

Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="Keep runs that satisfy this: 'system == \"x\" and success'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the result's main table as CSV.")]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Also at each value of a column of runs, tasks or systems, or of a setting.",
    ),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", help="Print only this table; in JSON its rows are .tables.NAME.rows."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything that is drawn.")]


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
    system: Annotated[
        str | None, typer.Option("--system", help="Name of the system, for all that is read.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Name of the model, for all that is read.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Name of the benchmark, for all that is read.")
    ] = None,
    success_rule: Annotated[
        str | None,
        typer.Option(
            "--success-rule",
            help="What is a success where files record a reward: reward>=1 (the default), "
            "reward==1, reward>0, r_actions.",
        ),
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
        int | None,
        typer.Option("--workers", min=1, max=64, help="Processes that read; default: cores."),
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
        "success_rule": success_rule,
        "aliases": aliases,
        "outcomes": tuple(outcomes or ()),
        "outcome_columns": parse_columns(outcome_columns),
        "labeler": default_labeler(kinds=kinds or (), effects=effects or ()),
        "own_tables": bool(kinds or effects),
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


def named_lists(path: Path | None, table: str) -> dict[str, list[str]] | None:
    """A table of a TOML file whose entries are lists of names; None without a file.

    Raises
    ------
    InputError
        If the file can't be read, or has no such table.
    """
    if path is None:
        return None
    import tomllib

    try:
        found = tomllib.loads(read_regular(path).decode()).get(table)
    except (OSError, ValueError) as err:
        raise InputError(f"{path}: {reason_of(err)}") from err
    lists = isinstance(found, dict) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in found.values()
    )
    if not isinstance(found, dict) or not lists:
        raise InputError(f'{path}: needs a table [{table}] with lists: name = ["system", ...]')
    return found


def read_paths(paths: list[str], reading: dict[str, Any], **options: Any) -> Report:
    """Read trajectories with a progress bar and as many workers as pay."""
    reading = {name: value for name, value in reading.items() if name != "own_tables"}
    workers = reading.pop("workers") or _workers(paths)
    with worker_pool(workers) as pool, reading_progress() as progress:
        return run_reading(
            Reading(
                paths=paths, executor=pool, workers=workers, progress=progress, **reading, **options
            )
        )


def _workers(paths: list[str]) -> int:
    from ethogram.ingest.discover import total_bytes

    return (os.cpu_count() or 1) if total_bytes(paths) > PARALLEL_BYTES else 1


def load(
    paths: list[str], reading: dict[str, Any], where: list[str] | None
) -> tuple[Cohort, Report | None]:
    """The cohort that a command works on: one that is saved, or trajectories read on the spot.

    Returns
    -------
    cohort : Cohort
        What the command is about.
    report : Report or None
        What happened while trajectories were read.

    Raises
    ------
    UsageError
        If cohorts and trajectories are mixed, or no run satisfies the filter.
    """
    from ethogram.cohort import concat

    saved = [path for path in paths if is_cohort(Path(path))]
    if saved and len(saved) < len(paths):
        raise UsageError(
            "cohorts and trajectories can't be mixed; read the trajectories into a cohort first "
            f"(`ethogram read PATH -o COHORT`). Cohorts here: {', '.join(saved)}"
        )
    report = None if saved else read_paths(paths, reading)
    if report is not None:
        cohort = report.cohort
    else:
        opened = [Cohort.open(path) for path in saved]
        if reading["own_tables"]:
            from ethogram.ingest.relabel import relabelled

            opened = [relabelled(each, reading["labeler"]) for each in opened]
        cohort = opened[0] if len(opened) == 1 else concat(opened)
    kept = cohort.filter(*where) if where else cohort
    if where and cohort.runs.height and not kept.runs.height:
        raise UsageError(f"where: none of the {cohort.runs.height:,} runs satisfies it")
    return kept, report


def cohort_of(paths: list[str], reading: dict[str, Any], where: list[str] | None) -> Cohort:
    """The cohort that a command measures; what was read on the spot is summed up on stderr.

    Raises
    ------
    InputError
        If there is no run to measure.
    """
    cohort, report = load(paths, reading, where)
    if report is not None:
        _tell(report, paths, reading)
    if not cohort.runs.height:
        raise InputError(f"{shlex.join(paths)}: no run to measure")
    return cohort


def target_of(paths: list[str], reading: Mapping[str, Any]) -> str | None:
    """Paths as the next command takes them; None if it needs the options of this one, too."""
    given = any(value for name, value in reading.items() if name not in {"labeler", "workers"})
    return None if given else shlex.join(paths)


def told_of(reading: Mapping[str, Any]) -> dict[str, str | None]:
    """What a summary is told of the options under which trajectories were read."""
    mapping = reading["mapping"]
    return {"forced": reading["format"], "mapping": None if mapping is None else str(mapping)}


def _tell(report: Report, paths: list[str], reading: Mapping[str, Any]) -> None:
    """Sum up a read on stderr: stdout is for the result."""
    told = summary(report.cohort, report, **told_of(reading))
    severe = report.cohort.problems.filter(report.cohort.problems["severity"] != "note")["reason"]
    said = [s for s in told.summary if not s.startswith("Next: ") and "see the table" not in s]
    said += [f"problem: {reason}" for reason in severe.head(_SHOWN)]
    if severe.len() > _SHOWN:
        said.append(f"{severe.len():,} problems in all: `ethogram read {shlex.join(paths)}`")
    for sentence in (*said, *told.notes):
        typer.echo(sentence, err=True)
