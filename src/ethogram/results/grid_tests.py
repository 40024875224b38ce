"""Significance tests as grids: one row a test, or one row a comparison."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ethogram.results.cells import Cell, Footnotes, Grid, Heading, text_cell
from ethogram.results.names import label_of
from ethogram.results.numbers import MISSING, show_number
from ethogram.results.table import Table

MAIN_MARK: Final = "●"
_TEST_HEADINGS: Final = (
    Heading("Measure"),
    Heading("Systems"),
    Heading("Test"),
    Heading("Difference", numeric=True, about="first minus second"),
    Heading("Statistic", numeric=True),
    Heading("p", numeric=True),
    Heading("p (Holm)", numeric=True, about="adjusted over comparisons of the same name and test"),
    Heading("Effect", numeric=True),
)
_TEST_LABELS: Final = 3


def tests_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """One row a test; columns that no test fills are left out."""
    footnotes = Footnotes()
    rows = tuple(_test_row(row, short, footnotes) for row in table.frame.iter_rows(named=True))
    legend = f"{MAIN_MARK} the test to read first." if table.frame["main"].any() else ""
    filled = [
        place
        for place in range(len(_TEST_HEADINGS))
        if place < _TEST_LABELS
        or any(row[place].text != MISSING or row[place].mark for row in rows)
    ]
    return Grid(
        table.title,
        table.about,
        tuple(_TEST_HEADINGS[place] for place in filled),
        tuple(tuple(row[place] for place in filled) for row in rows),
        footnotes.all(legend),
        n_labels=_TEST_LABELS,
    )


def _test_row(
    row: Mapping[str, Any], short: Mapping[str, str], footnotes: Footnotes
) -> tuple[Cell, ...]:
    pair = (row["first"], row["second"])
    size = f"{row['n_tasks']} tasks, {row['n_runs']} runs"
    statistic = show_number(row["statistic"])
    if row["df"] is not None:
        statistic += f" (df {row['df']:g})"
    effect = show_number(row["effect"])
    if row["effect"] is not None and row["effect_name"]:
        effect = f"{row['effect_name']} {effect}"
    method = f"{row['method']} {MAIN_MARK}" if row["main"] else row["method"]
    return (
        text_cell(label_of(row["name"])),
        Cell(" vs ".join(short.get(name, name) for name in pair), pair[0], " vs ".join(pair)),
        Cell(
            method,
            row["method"],
            row["note"] or "",
            footnotes.mark(row["note"]) if row["note"] else "",
        ),
        Cell(show_number(row["difference"], row["unit"]), row["difference"], size),
        Cell(statistic, row["statistic"], size),
        Cell(
            show_number(row["p_value"], "p"),
            row["p_value"],
            size,
            footnotes.mark(row["reason"]) if row["reason"] else "",
        ),
        Cell(show_number(row["p_adjusted"], "p"), row["p_adjusted"]),
        Cell(effect, row["effect"]),
    )


_COMPACT_HEADINGS: Final = (
    Heading("Measure"),
    Heading("Systems"),
    Heading("Difference", numeric=True, about="first minus second"),
    Heading("p (Holm)", numeric=True),
    Heading("Effect", numeric=True),
    Heading("Other tests: p (Holm)"),
)


def compact_tests_grid(table: Table, short: Mapping[str, str]) -> Grid:
    """One row a comparison: figures of the main test, adjusted p values of the others."""
    footnotes = Footnotes()
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in table.frame.iter_rows(named=True):
        groups.setdefault((row["name"], row["first"], row["second"]), []).append(row)
    rows = tuple(_compact_row(tests, short, footnotes) for tests in groups.values())
    used = dict.fromkeys(_main_of(tests)["method"] for tests in groups.values())
    legend = f"Difference and p: {', '.join(used)}." if used else ""
    return Grid(
        table.title, table.about, _COMPACT_HEADINGS, rows, footnotes.all(legend), n_labels=2
    )


def _main_of(tests: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return next((test for test in tests if test["main"]), tests[0])


def _compact_row(
    tests: Sequence[Mapping[str, Any]], short: Mapping[str, str], footnotes: Footnotes
) -> tuple[Cell, ...]:
    main = _main_of(tests)
    full = _test_row(main, short, footnotes)
    effects = [
        _test_row(test, short, Footnotes())[7] for test in tests if test["effect"] is not None
    ]
    others = [
        f"{test['method']} {show_number(_adjusted(test), 'p')}"
        for test in tests
        if test is not main
    ]
    p_value = Cell(show_number(_adjusted(main), "p"), _adjusted(main), full[5].note, full[5].mark)
    return (
        full[0],
        full[1],
        full[3],
        p_value,
        effects[0] if effects else Cell(MISSING),
        text_cell("; ".join(others)),
    )


def _adjusted(test: Mapping[str, Any]) -> float | None:
    value: float | None = test["p_value"] if test["p_adjusted"] is None else test["p_adjusted"]
    return value
