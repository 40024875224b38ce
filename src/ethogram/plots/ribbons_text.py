"""Ribbons for the terminal: the same rows, cells and marks as `ethogram.plots.ribbons`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl
from rich.console import Console, Group
from rich.text import Text

from ethogram.plots.ribbons import REST, Symbol, ribbon_symbols, ribbons_data
from ethogram.plots.theme import TOKENS
from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.numbers import show_count
from ethogram.results.printable import printable_result

SIGNS: Final[Mapping[bool | None, tuple[str, str]]] = {
    True: ("✓", "success"),
    False: ("✗", "failure"),
    None: ("–", "muted"),
}
FLAG: Final = "▼"
_NUMBER_WIDTH: Final = 4
_SIGN_WIDTH: Final = 16
_NAME_WIDTH: Final = 70


def ribbons_text(result: Result, *, width: int = 100) -> Group:
    """Ribbons for a `rich.console.Console`.

    A ribbon that is longer than the page goes on below, with all runs of its group still aligned.

    Parameters
    ----------
    result : Result
        Of kind ``traces``.
    width : int
        Columns of the page, at least 40.
    """
    result = printable_result(result)
    looks = {look.symbol: look for look in ribbon_symbols(result)}
    actions = ribbons_data(result)
    systems = short_names(result.to_frame("groups")["system"].to_list(), _NAME_WIDTH)
    cells: dict[str, list[dict[str, Any]]] = {}
    for row in actions.iter_rows(named=True):
        cells.setdefault(row["run_id"], []).append(row)
    parts: list[Text] = [_legend(looks.values(), set(actions["symbol"]))]
    task = None
    for group in result.to_frame("groups").iter_rows(named=True):
        if group["task"] != task:
            task = group["task"]
            parts += [Text(), Text(task, style="bold")]
        runs = result.to_frame("runs").filter(
            pl.col("task").eq_missing(task), pl.col("system").eq_missing(group["system"])
        )
        parts += [Text(), _heading(group, systems)]
        parts += _group(runs.to_dicts(), cells, group["divergence"], width)
    return Group(*parts, *(Text(f"Note: {note}") for note in result.notes))


def print_ribbons(result: Result) -> None:
    """Print ribbons to the terminal, in colour where it can show colours."""
    console = Console(highlight=False)
    console.print(ribbons_text(result, width=max(40, console.width)))


def _colour(token: str) -> str:
    return TOKENS[token][0]


def _legend(looks: Sequence[Symbol] | Any, used: set[str]) -> Text:
    text = Text()
    known = [look for look in looks if look.symbol in used]
    rest = [REST] if used - {look.symbol for look in known} else []
    for look in (*known, *rest):
        text.append(f" {look.letter} ", f"{_colour(look.on_colour)} on {_colour(look.colour)}")
        text.append(f" {look.symbol}   ")
    return text


def _heading(group: Mapping[str, Any], systems: Mapping[str, str]) -> Text:
    text = Text(systems.get(group["system"], str(group["system"])), style="bold")
    known, solved = group["n_labelled"], group["n_success"]
    told = [
        show_count(group["n_runs"], "run"),
        f"{solved} of {known} succeeded" if known else "no outcomes",
    ]
    if group["divergence"] is not None:
        told.append(f"differ from action {group['divergence']} on ({FLAG})")
    elif group["n_runs"] > 1:
        told.append("never differ")
    return text.append("  " + ", ".join(told), "dim")


def _group(
    runs: Sequence[Mapping[str, Any]],
    cells: Mapping[str, Sequence[Mapping[str, Any]]],
    divergence: int | None,
    width: int,
) -> Iterator[Text]:
    """The rows of a group, in as many parts as the page needs."""
    room = max(10, width - _NUMBER_WIDTH - _SIGN_WIDTH)
    longest = max((len(cells.get(run["run_id"], ())) for run in runs), default=0)
    for start in range(0, max(1, longest), room):
        if divergence is not None and start < divergence <= start + room:
            yield Text(" " * (_NUMBER_WIDTH + divergence - 1 - start) + FLAG)
        for place, run in enumerate(runs):
            own = cells.get(run["run_id"], ())
            if start == 0 or start < len(own):
                number = run["trial"] if run["trial"] is not None else place + 1
                yield _row(run, own, start, room, f"{number:>{_NUMBER_WIDTH - 1}} ")


def _row(
    run: Mapping[str, Any],
    cells: Sequence[Mapping[str, Any]],
    start: int,
    room: int,
    number: str,
) -> Text:
    text = Text(number, style="")
    for cell in cells[start : start + room]:
        wrong = " underline" if cell["is_error"] else ""
        style = f"{_colour(cell['on_colour'])} on {_colour(cell['colour'])}{wrong}"
        text.append(cell["letter"], style)
    if len(cells) > start + room:
        return text.append(" …", "dim")
    sign, token = SIGNS[run["success"]]
    text.append(f" {sign}", f"bold {_colour(token)}")
    if run["ending"] not in {None, "completed"}:
        text.append(f" {run['ending']}", "dim")
    return text
