"""A result as plain text (terminal, logs) and as an HTML fragment (notebooks, pages)."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group
from rich.table import Table as RichTable
from rich.text import Text

from ethogram.results.cells import Cell, Grid, Heading
from ethogram.results.grid import grid_of, systems_in
from ethogram.results.names import common_prefix, short_names
from ethogram.results.numbers import MISSING
from ethogram.results.printable import printable_result
from ethogram.results.result import Result
from ethogram.results.table import TEST_SCHEMA, Table

WIDTH: Final = 100
MAX_ROWS: Final = 40
_MAX_ROWS_AMONG_OTHERS: Final = 12
_NAME_WIDTH: Final = 60  # longer names of systems lose their middle
_HEAD_WIDTH: Final = 22  # a head is wrapped to this, or to its column where that is wider
_LABEL_WIDTH: Final = 30
_LEAST_TEXT_WIDTH: Final = 20
_GAP: Final = 2


def to_text(result: Result, *, width: int = WIDTH, max_rows: int | None = None) -> str:
    """A result as plain text: the answer in words, the tables, the notes.

    Numbers are never cut: texts are wrapped before a table is split, and a table that is still
    wider than the page continues below with its first columns repeated. A table longer than
    ``max_rows`` says how many rows it leaves out. Among several tables, tests are shown one row a
    comparison, and tables of more than twelve rows that hold no estimates and are not the main one
    are only named, as are those that stand aside: they are there to be looked up.

    Parameters
    ----------
    result : Result
        What to show.
    width : int
        Columns of the page.
    max_rows : int, optional
        Rows of a table that are shown; by default all of a table that stands alone, 40 of each of
        several.
    """
    page = io.StringIO()
    console = Console(file=page, width=width, no_color=True, highlight=False, legacy_windows=False)
    console.print(to_renderable(result, width=width, max_rows=max_rows))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).strip("\n") + "\n"


def to_renderable(result: Result, *, width: int = WIDTH, max_rows: int | None = None) -> Group:
    """A result for a `rich.console.Console`, with the parameters of `to_text`."""
    result = printable_result(result)
    names = systems_in(result.tables.values())
    short = short_names(names, _NAME_WIDTH)
    parts: list[RichTable | Text] = [_listed(result.summary, "•")] if result.summary else []
    several = len(result.tables) > 1
    limit = MAX_ROWS if max_rows is None and several else max_rows
    named: list[str] = []
    for table in result.tables.values():
        grid = grid_of(table, short, compact=several)
        if several and _is_to_be_looked_up(table, grid):
            named.append(f"{table.name} ({table.frame.height:,} rows)")
            continue
        parts += [Text(), Text(grid.title, style="bold")]
        parts += [Text(grid.about, style="italic")] if grid.about else []
        parts += _grid_parts(grid, width=width, max_rows=limit)
    if named:
        parts += [Text(), Text(f"Further tables: {', '.join(named)}.", style="dim")]
    if shared := common_prefix(names):
        parts += [Text(), Text(f"Names of systems without their common {shared!r}.", style="dim")]
    if result.notes:
        parts += [Text(), Text("Notes", style="bold"), _listed(result.notes, "•")]
    return Group(*parts)


def _listed(sentences: Sequence[str], mark: str) -> RichTable:
    """Sentences under each other, wrapped lines indented."""
    lines = RichTable.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        lines.add_row(Text(mark), Text(sentence))
    return lines


def _is_to_be_looked_up(table: Table, grid: Grid) -> bool:
    is_tests = set(TEST_SCHEMA) <= set(table.frame.columns)
    return table.aside or (
        not (table.main or table.is_estimates or is_tests)
        and len(grid.rows) > _MAX_ROWS_AMONG_OTHERS
    )


def _grid_parts(grid: Grid, *, width: int, max_rows: int | None) -> list[RichTable | Text]:
    if not grid.rows:
        return [Text("(no rows)", style="dim")]
    rows = grid.rows[:max_rows]
    columns = [
        _column(heading, [row[place] for row in rows], is_label=place < grid.n_labels)
        for place, heading in enumerate(grid.headings)
    ]
    parts: list[RichTable | Text] = []
    for page in _pages(columns, grid.n_labels, width=width):
        parts += [Text(), *_page_parts(page, grid.n_labels)]
    if left_out := len(grid.rows) - len(rows):
        parts.append(Text(f"… and {left_out:,} more rows", style="dim"))
    for mark, sentence in grid.footnotes:
        parts.append(Text(f"{mark}  {sentence}" if mark else sentence, style="dim"))
    return parts


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    texts: tuple[str, ...]
    width: int
    numeric: bool


def _page_parts(page: Sequence[_Column], n_labels: int) -> Iterator[RichTable | Text]:
    """A part of a table without the rows that have no value in it; these are counted."""
    places = range(len(page[0].texts))
    empty = [
        place
        for place in places
        if all(column.texts[place].startswith(MISSING) for column in page[n_labels:])
    ]
    if len(page) == n_labels or not empty or len(empty) == len(places):
        yield _rich_table(page)
        return
    kept = [place for place in places if place not in set(empty)]
    yield _rich_table(
        [replace(column, texts=tuple(column.texts[place] for place in kept)) for column in page]
    )
    marks = {
        text[len(MISSING) :].strip(" ()")
        for column in page[n_labels:]
        for text in (column.texts[place] for place in empty)
    }
    why = f" ({', '.join(sorted(marks - {''}))})" if marks - {""} else ""
    noun = "row" if len(empty) == 1 else "rows"
    yield Text(f"{len(empty)} {noun} without a value here{why}.", style="dim")


def _column(heading: Heading, cells: Sequence[Cell], *, is_label: bool) -> _Column:
    texts = tuple(f"{cell.text} ({cell.mark})" if cell.mark else cell.text for cell in cells)
    longest = max(cell_len(text) for text in texts)
    if not heading.numeric:
        limit = _LABEL_WIDTH if is_label else WIDTH
        width = min(max(longest, cell_len(heading.text)), limit)
        return _Column(heading.text, texts, width, numeric=False)
    column = _Column(heading.text, texts, longest, numeric=True)
    return _head_wrapped(column, heading.text, min(_HEAD_WIDTH, cell_len(heading.text)))


def _head_wrapped(column: _Column, head: str, width: int) -> _Column:
    """A column of numbers under a head of lines that are as wide as told, or as its numbers."""
    numbers = max(cell_len(text) for text in column.texts)
    lines = wrap(head, max(numbers, width)) or [""]
    width = max(numbers, *(cell_len(line) for line in lines))
    return replace(column, head="\n".join(lines), width=width)


def _tight(column: _Column) -> _Column:
    """The column with one word of its head a line."""
    if not column.numeric:
        return column
    longest = max((cell_len(word) for word in column.head.split()), default=1)
    return _head_wrapped(column, column.head, longest)


def _pages(columns: Sequence[_Column], n_labels: int, *, width: int) -> list[list[_Column]]:
    """The columns in as many parts as the page needs, the first ones repeated in each."""
    columns = _narrowed(columns, n_labels, width=width)
    labels = list(columns[:n_labels])
    start = sum(column.width + _GAP for column in labels)
    pages: list[list[_Column]] = []
    page, used = list(labels), start
    for column in columns[n_labels:]:
        if used + column.width > width and len(page) > n_labels:
            pages.append(page)
            page, used = list(labels), start
        page.append(column)
        used += column.width + _GAP
    return [*pages, page]


def _narrowed(columns: Sequence[_Column], n_labels: int, *, width: int) -> list[_Column]:
    """The columns with texts wrapped, then heads, if that makes them fit beside each other."""
    for tried in (columns, [_tight(column) for column in columns]):
        widths = _fitting(tried, n_labels, width=width)
        if widths is not None:
            return [replace(c, width=w) for c, w in zip(tried, widths, strict=True)]
    return list(columns)


def _fitting(columns: Sequence[_Column], n_labels: int, *, width: int) -> list[int] | None:
    """Widths with which the columns fit, texts narrowed, widest first; None if there are none."""
    widths = [column.width for column in columns]
    texts = [
        place for place, column in enumerate(columns) if place < n_labels or not column.numeric
    ]
    while sum(widths) + _GAP * (len(widths) - 1) > width:
        widest = max(texts, key=widths.__getitem__)
        if widths[widest] <= _LEAST_TEXT_WIDTH:
            return None
        widths[widest] -= 1
    return widths


def _rich_table(columns: Sequence[_Column]) -> RichTable:
    table = RichTable(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP - 1, 0, 0),
        header_style="bold",
    )
    for column in columns:
        table.add_column(
            Text(column.head),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            overflow="fold",
            min_width=column.width if column.numeric else None,
            max_width=column.width,
        )
    for row in zip(*(column.texts for column in columns), strict=True):
        table.add_row(*(Text(text) for text in row))
    return table


def to_html(result: Result) -> str:
    """A result as an HTML fragment without scripts or styles from elsewhere; everything escaped."""
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in result.summary)
    tables = "".join(grid_html(grid_of(table)) for table in result.tables.values())
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    listed = f"<ul>{notes}</ul>" if notes else ""
    return f'<div class="ethogram-result">{words}{tables}{listed}</div>'


def grid_html(grid: Grid) -> str:
    """A grid as an HTML table, everything escaped.

    Every cell carries its unrounded value as ``data-order``, for sorting, and its note as
    ``title``.
    """
    heads = "".join(
        f'<th scope="col"{_attributes(heading.numeric, title=heading.about)}>'
        f"{escape(heading.text)}</th>"
        for heading in grid.headings
    )
    rows = "".join(
        "<tr>"
        + "".join(
            _cell_html(cell, heading, "th" if place < grid.n_labels else "td")
            for place, (cell, heading) in enumerate(zip(row, grid.headings, strict=True))
        )
        + "</tr>"
        for row in grid.rows
    )
    about = f" <span>{escape(grid.about)}</span>" if grid.about else ""
    feet = "".join(
        f"<p>{f'<sup>{escape(mark)}</sup> ' if mark else ''}{escape(sentence)}</p>"
        for mark, sentence in grid.footnotes
    )
    foot = f'<div class="footnotes">{feet}</div>' if feet else ""
    return (
        f"<table><caption><b>{escape(grid.title)}</b>{about}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{foot}"
    )


def _cell_html(cell: Cell, heading: Heading, tag: str) -> str:
    order = "" if cell.order is None else str(cell.order)
    scope = ' scope="row"' if tag == "th" else ""
    attributes = _attributes(heading.numeric, **{"title": cell.note, "data-order": order})
    mark = f"<sup>{escape(cell.mark)}</sup>" if cell.mark else ""
    value, bracket, interval = cell.text.partition(" [") if heading.numeric else (cell.text, "", "")
    shown = escape(value) + (f' <span class="ci">[{escape(interval)}</span>' if bracket else "")
    return f"<{tag}{scope}{attributes}>{shown}{mark}</{tag}>"


def _attributes(numeric: bool, **values: str) -> str:
    filled = "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value)
    return f'{filled} class="num"' if numeric else filled
