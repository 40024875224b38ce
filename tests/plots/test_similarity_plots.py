"""What plots of similarity draw follows from its tables."""

from itertools import pairwise

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity import similarity
from ethogram.plots import PLOTS
from ethogram.plots.similarity_matrix import similarity_matrix_data
from ethogram.plots.similarity_pairs import MAX_PAIRS, similarity_pairs_data
from ethogram.plots.words_and_tools import words_and_tools_data
from ethogram.results import Result
from ethogram.simulate import draw_system, simulate_tools

NAMES = ("amber", "basalt", "cobalt", "dolomite", "emery")


def cohort_of(names: tuple[str, ...]) -> Cohort:
    systems = [draw_system(name, seed=2) for name in names]
    runs = simulate_tools(systems, n_tasks=8, seed=2)
    return from_trajectories(runs, labeler=default_labeler())


def result_of(names: tuple[str, ...]) -> Result:
    return similarity(cohort_of(names), reference="amber", ged=False)


@pytest.fixture(scope="module")
def result() -> Result:
    return result_of(NAMES)


def test_each_pair_has_two_cells_of_its_ags(result: Result) -> None:
    cells = {
        (row, column): value for row, column, value, *_ in similarity_matrix_data(result).rows()
    }

    assert len(cells) == 20
    for (row, column), value in cells.items():
        first, second = sorted((row, column))
        assert value == result.estimate("ags", first=first, second=second).value
        assert cells[column, row] == value


def test_darker_is_more_alike(result: Result) -> None:
    frame = similarity_matrix_data(result).sort("value")

    assert frame["level"].is_sorted()
    assert (frame["level"][0], frame["level"][-1]) == (0, 6)


def test_the_tree_has_a_branch_for_each_merge(result: Result) -> None:
    drawn = PLOTS.get("similarity_matrix").draw(result).to_dict()
    tree = drawn["hconcat"][1]["data"]
    points = drawn["datasets"][tree["name"]] if "name" in tree else tree["values"]

    assert len(points) == 4 * (len(NAMES) - 1)


def test_two_systems_are_drawn_without_an_ags() -> None:
    """A pool of two has no S_node: the next measure is drawn."""
    pair = result_of(NAMES[:2])

    assert (
        similarity_matrix_data(pair)["value"].to_list()
        == [pair.estimate("s_dep", first="amber", second="basalt").value] * 2
    )
    assert PLOTS.get("similarity_matrix").caption(pair).startswith("S_dep")
    assert not PLOTS.get("words_and_tools").fits(pair)


def test_pairs_keep_the_order_of_the_table(result: Result) -> None:
    frame = similarity_pairs_data(result)
    ags = frame.filter(measure="AGS")

    assert ags["value"].is_sorted(descending=True)
    assert ags.height <= MAX_PAIRS
    assert frame["measure"].unique(maintain_order=True).to_list() == [
        "AGS",
        "S_node",
        "S_seq",
        "S_dep",
    ]


def test_of_many_pairs_the_ends_are_named() -> None:
    found = similarity(cohort_of((*NAMES, "flint")), ged=False)
    frame = words_and_tools_data(found)
    named = frame.filter(frame["text"] != "")

    assert frame.height == 15
    assert 2 <= named.height < 15
    for column in ("words", "tools"):
        ends = {frame[column].min(), frame[column].max()}
        assert ends <= set(named[column])
    assert named["text"].to_list() == named["pair"].to_list()


def test_names_of_pairs_do_not_lie_on_each_other() -> None:
    alone = similarity(cohort_of(NAMES), ged=False)
    named = words_and_tools_data(alone).filter(pl.col("text") != "")
    heights = sorted(named["tools"])

    assert 2 <= named.height <= 10
    assert min(high - low for low, high in pairwise(heights)) > 0.04 * (heights[-1] - heights[0])


def test_pairs_with_the_reference_are_named_after_the_other(result: Result) -> None:
    near = words_and_tools_data(result).filter("to_reference")

    assert sorted(near["text"]) == ["basalt", "cobalt", "dolomite", "emery"]
    assert words_and_tools_data(result).height == 10
