"""Ribbons: one cell an action, in order, with one look a symbol, in pictures and in text."""

import io
import re
from dataclasses import replace

import polars as pl
import pytest
from rich.console import Console
from toy_cohorts import SECRET, empty, evil, one_run, small

from ethogram.cohort.views import traces
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.plots.ribbons import REST, plot_ribbons, ribbon_symbols, ribbons_data
from ethogram.plots.ribbons_text import print_ribbons, ribbons_text
from ethogram.plots.theme import KINDS, TOKENS
from ethogram.results import Result
from ethogram.simulate.build import repeats


def shown(result: Result, width: int = 100) -> str:
    page = io.StringIO()
    Console(file=page, width=width, no_color=True, highlight=False).print(
        ribbons_text(result, width=width)
    )
    return page.getvalue()


@pytest.fixture(scope="module")
def result() -> Result:
    return traces(small())


def test_every_action_is_one_cell_in_order(result: Result) -> None:
    cells = ribbons_data(result)
    runs = result.to_frame("runs")

    assert cells.height == runs["n_actions"].sum()
    for (run_id,), own in cells.group_by(["run_id"], maintain_order=True):
        assert own["position"].to_list() == list(range(1, own.height + 1)), run_id
    assert cells["run_id"].rle().struct.field("value").to_list() == runs["run_id"].to_list()


def test_kinds_have_their_fixed_letters_and_colours(result: Result) -> None:
    cells = ribbons_data(result)
    letters = {look.kind: look.letter for look in KINDS}

    assert cells["letter"].to_list() == [letters[kind] for kind in cells["symbol"]]
    assert cells["colour"].to_list() == cells["symbol"].to_list()


@pytest.mark.parametrize(("n", "said"), [(1, "1 run, 1 of 1 succeeded"), (2, "2 runs, 2 of 2")])
def test_a_run_alone_is_not_plural(n: int, said: str) -> None:
    assert said in shown(traces(from_trajectories(repeats([["ls"]] * n))))


def test_letters_of_a_run_by_hand() -> None:
    cohort = from_trajectories(
        repeats([["ls", "cat x", "sed -i s/a/b/ x", "pytest"]]), labeler=default_labeler()
    )

    assert "".join(ribbons_data(traces(cohort))["letter"]) == "EUWV"


def test_other_alphabets_give_the_most_frequent_symbols_a_look() -> None:
    steps = [name for i, name in enumerate("abcdefghi") for _ in range(10 - i)]
    cohort = from_trajectories(repeats([steps, steps]), labeler=default_labeler())
    result = traces(cohort, alphabet="action")
    looks = ribbon_symbols(result)
    cells = ribbons_data(result)

    assert [look.symbol for look in looks] == list("abcdefg")
    assert [look.letter for look in looks] == list("ABCDEFG")
    assert set(cells.filter(pl.col("symbol").is_in(["h", "i"]))["letter"]) == {REST.letter}
    assert {look.colour for look in looks} <= set(TOKENS)


def test_equal_first_letters_are_told_apart() -> None:
    cohort = from_trajectories(repeats([["get x", "get y", "go"]]), labeler=default_labeler())
    looks = ribbon_symbols(traces(cohort, alphabet="action"))

    assert len({look.letter for look in looks}) == 3


def test_text_shows_the_letters_the_mark_and_the_outcome() -> None:
    sequences = [["ls", "cat x", "pytest"], ["ls", "pytest"]]
    cohort = from_trajectories(
        repeats(sequences, successes=[True, False]), labeler=default_labeler()
    )
    lines = shown(traces(cohort)).splitlines()
    first = next(line for line in lines if line.rstrip().endswith("EUV ✓"))
    second = next(line for line in lines if line.rstrip().endswith("EV ✗"))
    mark = next(line for line in lines if line.strip() == "▼")

    assert mark.index("▼") == first.index("EUV") + 1 == second.index("EV") + 1


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_long_ribbon_goes_on_below(width: int) -> None:
    sequences = [["ls", "pytest"] * 100, ["ls", "pytest"] * 60]
    cohort = from_trajectories(repeats(sequences), labeler=default_labeler())
    text = shown(traces(cohort), width)
    letters = re.findall(r"^ *\d+ ([EV]+)", text, flags=re.MULTILINE)

    assert sum(len(part) for part in letters) == 320
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert text.count("✓") == 2


def test_an_unknown_outcome_is_not_a_failure() -> None:
    cohort = from_trajectories(repeats([["ls"]], successes=[None]), labeler=default_labeler())
    text = shown(traces(cohort))

    assert "✗" not in text
    assert "E –" in text


def test_printing_writes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    print_ribbons(traces(one_run()))

    assert "E ✓" in capsys.readouterr().out


def test_nothing_to_show_is_no_error() -> None:
    assert ribbons_data(traces(empty())).is_empty()
    assert plot_ribbons(traces(empty())).to_dict()
    assert shown(traces(empty()))


def test_secrets_in_actions_do_not_reach_a_picture() -> None:
    assert f"KEY={SECRET}" not in str(plot_ribbons(traces(evil())).to_dict())


def test_one_task_can_be_drawn_alone(result: Result) -> None:
    task = result.to_frame("groups")["task"][0]
    spec = str(plot_ribbons(result, task=task).to_dict())

    assert task in spec
    assert result.to_frame("groups")["task"][-1] not in spec


def test_runs_without_actions_still_have_a_row() -> None:
    cohort = from_trajectories(repeats([["ls"], []]), labeler=default_labeler())
    text = shown(traces(cohort))

    assert text.count("✓") == 2


def test_letters_are_left_out_where_cells_are_narrow(result: Result) -> None:
    runs = result.to_frame("runs").with_columns(n_actions=pl.lit(400))
    tables = {**result.tables, "runs": replace(result.tables["runs"], frame=runs)}
    wide = plot_ribbons(replace(result, tables=tables)).to_dict()

    assert len(wide["layer"]) == len(plot_ribbons(result).to_dict()["layer"]) - 1
    assert wide["width"] <= 402 * 4


def test_left_of_the_mark_all_runs_agree_and_at_it_they_do_not(result: Result) -> None:
    cells = ribbons_data(result)
    for group in result.to_frame("groups").iter_rows(named=True):
        own = cells.filter(pl.col("task") == group["task"], pl.col("system") == group["system"])
        letters = ["".join(run["letter"]) for _, run in own.group_by("run_id")]
        step = group["divergence"] or 1_000

        assert len({word[: step - 1] for word in letters}) == 1
        assert len({word[:step] for word in letters}) > 1 or group["divergence"] is None
