"""Ribbons as HTML: letters in coloured cells, to be read, copied and printed like text.

The same data as `ethogram.plots.ribbons`; some thousand cells would be ten times larger as SVG. The
texts of the actions stand once, in the result's JSON, where the tips find them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from ethogram.plots.ribbons import REST, Symbol, ribbon_symbols, ribbons_data
from ethogram.results import Result
from ethogram.results.names import short_names

CELL_WIDTHS: Final = (15, 12, 9, 6, 4)
_ROOM: Final = 800  # pixels for the cells of the longest run
_SIGNS: Final = {True: ("✓", "yes", "succeeded"), False: ("✗", "no", "failed")}
_UNKNOWN: Final = ("–", "unknown", "outcome not recorded")


@dataclass(frozen=True)
class RibbonRun:
    """One row."""

    run_id: str
    number: int
    cells: Sequence[tuple[str, str]]
    """CSS classes and letter of each action."""
    sign: str
    sign_class: str
    outcome: str
    ending: str


@dataclass(frozen=True)
class RibbonGroup:
    """The runs of a system at a task."""

    system: str
    full_name: str
    told: str
    divergence: int | None
    runs: Sequence[RibbonRun]


@dataclass(frozen=True)
class RibbonTask:
    """A task with its groups; ``width`` is that of a cell in pixels."""

    name: str
    width: int
    ticks: Sequence[int]
    groups: Sequence[RibbonGroup]
    legend: Sequence[Symbol]


def ribbon_tasks(result: Result) -> list[RibbonTask]:
    """The tasks of a result of kind ``traces``, as the template shows them."""
    cells: dict[str, list[tuple[str, str]]] = {}
    actions = ribbons_data(result)
    for run_id, colour, letter, is_error in actions.select(
        "run_id", "colour", "letter", "is_error"
    ).iter_rows():
        classes = f"{colour} err" if is_error else colour
        cells.setdefault(run_id, []).append((classes, letter))
    groups = result.to_frame("groups")
    runs = result.to_frame("runs")
    systems = short_names(groups["system"].to_list(), 60)
    names = short_names(groups["task"].to_list(), 60)
    used = set(actions["shown_symbol"])
    legend = [look for look in (*ribbon_symbols(result), REST) if look.symbol in used]
    tasks = []
    for (task,), own in groups.group_by(["task"], maintain_order=True):
        longest = max(runs.filter(pl.col("task") == task)["n_actions"].to_list(), default=0)
        tasks.append(
            RibbonTask(
                name=names[str(task)],
                width=next((w for w in CELL_WIDTHS if w * longest <= _ROOM), CELL_WIDTHS[-1]),
                ticks=range(10, longest + 1, 10),
                groups=[_group(row, runs, cells, systems) for row in own.iter_rows(named=True)],
                legend=legend,
            )
        )
    return tasks


def _group(
    group: dict[str, Any],
    runs: pl.DataFrame,
    cells: dict[str, list[tuple[str, str]]],
    systems: dict[str, str],
) -> RibbonGroup:
    own = runs.filter(pl.col("task") == group["task"], pl.col("system") == group["system"])
    known, solved = group["n_labelled"], group["n_success"]
    told = f"{solved} of {known} succeeded" if known else "outcomes not recorded"
    if group["divergence"] is not None:
        told += f"; not all alike from action {group['divergence']} on"
    return RibbonGroup(
        system=systems[group["system"]],
        full_name=group["system"],
        told=told,
        divergence=group["divergence"],
        runs=[_run(row, cells.get(row["run_id"], [])) for row in own.iter_rows(named=True)],
    )


def _run(run: dict[str, Any], cells: Sequence[tuple[str, str]]) -> RibbonRun:
    sign, sign_class, outcome = _SIGNS.get(run["success"], _UNKNOWN)
    ending = run["ending"] or ""
    return RibbonRun(
        run_id=run["run_id"],
        number=run["row"] + 1,
        cells=cells,
        sign=sign,
        sign_class=sign_class,
        outcome=outcome,
        ending="" if ending == "completed" else ending.replace("_", " "),
    )
