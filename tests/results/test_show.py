"""Results as text and HTML: whole numbers, everything escaped, nothing wider than the page."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import msgspec
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toy_results import (
    SYSTEMS,
    comparisons_table,
    counts_table,
    estimate,
    result_of,
    systems_table,
)

from ethogram.results import Column, Estimate, Table
from ethogram.results import table as tables
from ethogram.results.cells import Cell, shown
from ethogram.results.grid import grid_of
from ethogram.results.show import to_html, to_text

LONG = [f"mini-swe-agent/a-very-long-model-name-2025{i:04d} (temperature={i})" for i in range(7)]


def test_estimates_become_measures_by_systems() -> None:
    grid = grid_of(systems_table(), {SYSTEMS[0]: "claude"})

    assert [heading.text for heading in grid.headings] == ["Measure", "claude", *SYSTEMS[1:]]
    assert [row[0].text for row in grid.rows] == ["CV actions", "Actions", "Success rate", "Cost"]
    assert grid.rows[0][1] == Cell("15.0 % [13.0, 17.0]", 15.0, "10 tasks, 50 runs; t over tasks")


def test_a_missing_value_points_to_the_reason() -> None:
    grid = grid_of(systems_table())

    assert grid.rows[3][2].text == "–"
    assert (grid.rows[3][2].mark, "no run records a cost") in grid.footnotes


def test_further_keys_name_the_row() -> None:
    rows = [({"system": s, "kind": k}, estimate("share", 10.0)) for s in "ab" for k in ("x", "y")]
    grid = grid_of(tables.estimates_table("t", "T", rows, keys=("system", "kind")))

    assert [heading.text for heading in grid.headings] == ["Measure", "Kind", "a", "b"]
    assert [(row[0].text, row[1].text) for row in grid.rows] == [("Share", "x"), ("Share", "y")]


def test_estimates_without_a_system_stand_in_one_column() -> None:
    grid = grid_of(tables.estimates_table("t", "T", [({}, estimate("r", 0.5))], keys=()))

    assert [heading.text for heading in grid.headings] == ["Measure", "Value"]


def test_a_table_can_put_figures_side_by_side_and_keys_below_each_other() -> None:
    rows = [
        ({"first": "a", "second": b}, estimate(name, value, "share", 0.0))
        for b, name, value in (("b", "one", 0.5), ("b", "two", 0.25), ("c", "two", 0.75))
    ]
    made = tables.estimates_table("pairs", "Pairs", rows, keys=("first", "second"))
    grid = grid_of(replace(made, across="name"), {"a": "A"})

    assert [heading.text for heading in grid.headings] == ["First", "Second", "One, %", "Two, %"]
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["A", "b", "50 [50, 50]", "25 [25, 25]"],
        ["A", "c", "–", "75 [75, 75]"],
    ]
    assert grid.n_labels == 2


def test_a_system_without_a_measure_has_a_dash() -> None:
    rows = [({"system": "a"}, estimate("x", 1.0)), ({"system": "b"}, estimate("y", 2.0))]
    grid = grid_of(tables.estimates_table("t", "T", rows))

    assert [[cell.text for cell in row[1:]] for row in grid.rows] == [
        ["1.0 % [-1.0, 3.0]", "–"],
        ["–", "2.0 % [0.0, 4.0]"],
    ]


def test_the_main_test_is_marked_and_empty_columns_are_left_out() -> None:
    grid = grid_of(comparisons_table())
    without = grid_of(
        Table("tests", "Tests", comparisons_table().frame.filter(pl.col("name") == "success_rate"))
    )

    assert grid.rows[0][2].text == "paired sign-flip permutation ●"
    assert "Effect" in [heading.text for heading in grid.headings]
    assert "Effect" not in [heading.text for heading in without.headings]


def test_columns_of_other_tables_are_shown_in_their_units() -> None:
    frame = pl.DataFrame({"x": [0.5, None, math.nan], "n": [1000, 2, 3], "hidden": [1, 2, 3]})
    grid = grid_of(Table("t", "T", frame, (Column("x", "Share", "share"), Column("n", "N"))))

    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["50.0 %", "1,000"],
        ["–", "2"],
        ["–", "3"],
    ]
    assert [row[0].order for row in grid.rows] == [0.5, None, None]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "yes"), (False, "no"), ([1, 2], "1, 2"), ([], ""), ("<b>", "<b>"), (None, "–")],
)
def test_any_value_can_be_shown(value: object, text: str) -> None:
    assert shown(value).text == text


@pytest.mark.parametrize("names", [SYSTEMS, LONG, LONG[:1]], ids=["three", "seven-long", "one"])
def test_text_keeps_to_the_page_and_cuts_no_number(names: list[str]) -> None:
    result = result_of(systems_table(names), comparisons_table([*names, "other"]), counts_table())
    text = to_text(result)

    assert max(len(line) for line in text.splitlines()) <= 100
    for row in grid_of(result.tables["systems"]).rows:
        for cell in row[1:]:
            assert cell.text in text
    for number in ("0.062", "0.045", "d_z -0.871", "+26.0 pp", "-17.0 %"):
        assert number in text


@pytest.mark.parametrize("names", [SYSTEMS, LONG], ids=["three", "long"])
def test_tests_alone_are_shown_in_full(names: list[str]) -> None:
    text = to_text(result_of(comparisons_table(names)))

    assert max(len(line) for line in text.splitlines()) <= 100
    for number in ("0.031", "0.062", "-2.75 (df 9)", "d_z -0.871", "+26.0 pp"):
        assert number in text


def test_compact_tests_are_one_row_a_comparison() -> None:
    table = comparisons_table()
    second = table.frame.filter(pl.col("name") == "success_rate").with_columns(
        method=pl.lit("paired t"), main=pl.lit(value=False), p_adjusted=pl.lit(0.5)
    )
    both = Table("tests", "Tests", pl.concat([second, table.frame]))
    rows = grid_of(both, compact=True).rows

    assert [row[0].text for row in rows] == ["Success rate", "CV actions", "Cost"]
    assert [cell.text for cell in rows[0][2:]] == ["+26.0 pp", "0.062", "–", "paired t 0.500"]
    assert rows[2][3].mark == "a"


def test_systems_with_many_figures_stand_side_by_side() -> None:
    frame = pl.DataFrame({"system": ["lab/x", "lab/y"], "p": [1, 2], "q": [3, 4], "r": [5, 6]})
    grid = grid_of(Table("t", "T", frame), {"lab/x": "x", "lab/y": "y"})
    few = grid_of(Table("t", "T", frame.select("system", "p")))

    assert [heading.text for heading in grid.headings] == ["", "x", "y"]
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["p", "1", "2"],
        ["q", "3", "4"],
        ["r", "5", "6"],
    ]
    assert [heading.text for heading in few.headings] == ["System", "p"]


def test_columns_without_a_unit_take_the_rows() -> None:
    frame = pl.DataFrame({"figure": ["a", "b"], "unit": ["share", "usd"], "low": [0.5, 2.0]})
    columns = (Column("figure", "Figure"), Column("low", "Lowest"))

    assert [row[1].text for row in grid_of(Table("t", "T", frame, columns)).rows] == [
        "50.0 %",
        "$2.00",
    ]


def test_labels_and_further_figures_stand_beside_estimates() -> None:
    made = tables.estimates_table("t", "T", [({"scope": "a"}, estimate("r", 0.5))], keys=["scope"])
    frame = made.frame.with_columns(label=pl.lit("Pearson's r"), p_value=pl.lit(0.0004))
    grid = grid_of(Table("t", "T", frame))

    assert [heading.text for heading in grid.headings] == ["Measure", "Scope", "Value", "p value"]
    assert [cell.text for cell in grid.rows[0]] == [
        "Pearson's r",
        "a",
        "0.5 % [-1.5, 2.5]",
        "<0.001",
    ]


def test_long_tables_among_others_are_named() -> None:
    text = to_text(result_of(systems_table(), counts_table(100)))

    assert "Further tables: counts (100 rows)." in text
    assert "repo__issue-0" not in text


def test_the_main_table_is_shown_beside_others_however_long() -> None:
    main = replace(counts_table(100), main=True)
    text = to_text(result_of(main, systems_table()))

    assert "repo__issue-39" in text
    assert "… and 60 more rows" in text


def test_a_table_alone_is_shown_whole() -> None:
    text = to_text(result_of(counts_table(100)))

    assert "repo__issue-99" in text
    assert "more rows" not in text


def test_heads_are_wrapped_before_a_table_is_split() -> None:
    frame = pl.DataFrame({"name": ["x" * 30]} | {f"a b c {n}": [1] for n in range(12)})
    lines = to_text(result_of(Table("t", "T", frame))).splitlines()

    assert max(len(line) for line in lines) <= 100
    assert sum("x" in line for line in lines) == 1
    assert len([line for line in lines if "─" in line]) == 1


def test_texts_are_wrapped_before_a_table_is_split() -> None:
    frame = pl.DataFrame(
        {
            "severity": ["error"] * 2,
            "n": [1, 2],
            "what": ["word " * 50, "x"],
            "where": ["y/" * 40] * 2,
        }
    )
    text = to_text(result_of(Table("t", "T", frame)))
    lines = text.splitlines()

    assert max(len(line) for line in lines) <= 100
    assert sum("Severity" in line for line in lines) == 1
    assert "more rows" not in text
    assert "without a value" not in text
    assert text.count("word") == 50


@given(
    st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=9),
    st.sampled_from(["usd", "tokens", "share", ""]),
    st.integers(40, 140),
)
def test_text_shows_every_value_whatever_its_size(
    values: list[float], unit: str, width: int
) -> None:
    rows = [({"system": f"s{i}"}, estimate("x", v, unit)) for i, v in enumerate(values)]
    result = result_of(tables.estimates_table("t", "T", rows))
    text = to_text(result, width=width)

    for cell in grid_of(result.table()).rows[0][1:]:
        assert len(cell.text) > width - 14 or cell.text in text


def test_long_tables_say_what_they_leave_out() -> None:
    text = to_text(result_of(counts_table(100)), max_rows=40)

    assert "… and 60 more rows" in text
    assert "repo__issue-39" in text
    assert "repo__issue-40" not in text


def test_rows_without_any_value_are_counted_instead_of_shown() -> None:
    rows = [
        ({"system": system}, estimate(name, value))
        for system in "ab"
        for name, value in (("x", 1.0), ("y", None), ("z", None))
    ]
    text = to_text(result_of(tables.estimates_table("t", "T", rows)))
    lines = [line.split()[0] for line in text.splitlines() if line.strip()]

    assert "2 rows without a value here (a)." in text
    assert "a  no run records a cost" in text
    assert "x" in lines
    assert not {"y", "z"} & set(lines)


def test_a_table_without_any_value_is_shown_whole() -> None:
    text = to_text(
        result_of(tables.estimates_table("t", "T", [({"system": "a"}, estimate("x", None))]))
    )

    assert "x  " in text
    assert "– (a)" in text


def test_an_empty_table_read_back_from_json_says_so_too() -> None:
    """Without a row nothing tells its columns."""
    made = result_of(systems_table(), Table("tests", "Tests", comparisons_table().frame.clear()))

    assert "(no rows)" in to_text(type(made).from_dict(made.to_dict()))


def test_an_empty_table_says_so() -> None:
    assert "(no rows)" in to_text(result_of(systems_table([])))


def test_words_come_first_and_notes_last() -> None:
    lines = to_text(
        result_of(systems_table(), summary=["a is steady."], notes=["two left out"])
    ).splitlines()

    assert lines[0] == "• a is steady."
    assert lines[-2:] == ["Notes", "• two left out"]


def test_str_is_the_text_and_square_brackets_are_no_markup() -> None:
    result = result_of(counts_table(), summary=["[bold]not markup[/bold]"])

    assert str(result) == to_text(result)
    assert "[bold]not markup[/bold]" in str(result)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(st.text(min_size=1))
@example("</table><script>alert(1)</script>")
@example('" onmouseover="alert(1)')
def test_html_escapes_whatever_stands_in_a_result(text: str) -> None:
    frame = pl.DataFrame({"x": [text], "system": [text]})
    column = Column("x", text, "", text)
    result = result_of(Table("t", text, frame, (column, Column("system", "S")), text), notes=[text])
    plain = result_of(Table("t", "x", frame.with_columns(x=pl.lit("y"), system=pl.lit("y"))))
    parser = _Tags()
    parser.feed(to_html(result))

    assert set(parser.tags) <= {
        *("div", "table", "caption", "b", "span", "thead", "tbody"),
        *("tr", "th", "td", "ul", "li", "p", "sup"),
    }
    assert parser.attributes <= {"class", "scope", "title", "data-order"}
    assert "<table>" in to_html(plain)


def test_html_tables_carry_sort_values_and_notes() -> None:
    page = to_html(result_of(systems_table()))

    assert 'data-order="15.0"' in page
    assert 'title="10 tasks, 50 runs; t over tasks"' in page
    assert len(re.findall(r'<th scope="row"', page)) == 4


@pytest.mark.parametrize(
    ("n_tasks", "n_runs", "said"),
    [
        (1, 2, "1 task, 2 runs"),
        (0, 1200, "1,200 runs"),
        (12, 1, "12 tasks, 1 run"),
    ],
)
def test_what_stands_behind_figures_is_counted_unless_there_is_none(
    n_tasks: int, n_runs: int, said: str
) -> None:
    known = Estimate(name="x", unit="share", value=0.5, n_tasks=n_tasks, n_runs=n_runs)
    grid = grid_of(tables.estimates_table("t", "T", [({}, known)], keys=()))

    assert grid.footnotes[-1][1] == f"Behind each figure: {said}."


def test_methods_that_differ_by_the_number_of_tasks_are_told_once() -> None:
    rows = [
        ({"system": system}, replaced(estimate("one", 0.5, "share"), f"over {n} tasks: t"))
        for system, n in (("a", 8), ("b", 9))
    ]
    several = grid_of(tables.estimates_table("t", "T", rows))
    single = grid_of(tables.estimates_table("t", "T", rows[:1]))

    assert several.footnotes[-1][1] == "In brackets: 95 % intervals (over tasks: t)."
    assert single.footnotes[-1][1] == "In brackets: 95 % intervals (over 8 tasks: t)."


def test_a_table_that_stands_aside_is_named_only_among_others() -> None:
    aside = replace(systems_table(), name="more", title="More", aside=True)

    assert "Further tables: more (" in to_text(result_of(systems_table(), aside))
    assert "More" in to_text(result_of(aside))


def replaced(found: Estimate, method: str) -> Estimate:
    return msgspec.structs.replace(found, method=method)
