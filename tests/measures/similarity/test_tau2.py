"""Real trajectories: five systems at tau2-bench's airline tasks, and a model beside its tune."""

from pathlib import Path

import polars as pl
import pytest
from measures.similarity import tau2_page
from measures.similarity.tau2_page import FIVE, TUNED, UNTUNED

from ethogram.results import Result

pytestmark = [pytest.mark.shared, pytest.mark.slow]

OPUS, SONNET = "llm_agent/claude-opus-4-6", "llm_agent/claude-sonnet-4-5"


@pytest.fixture(scope="module")
def results(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    cohort = tau2_page.read_tau2(shared, tmp_path_factory.mktemp("tau2") / "cohort")
    return tau2_page.measured(cohort)


def test_the_page_shows_what_is_measured(results: dict[str, Result]) -> None:
    page = tau2_page.PAGE.read_text(encoding="utf-8")

    assert page == tau2_page.with_blocks(page, tau2_page.blocks(results))


def test_few_tasks_have_optional_tools(results: dict[str, Result]) -> None:
    """27 of 50, of which 22 among the 44 that all five systems ran."""
    frame = results["airline"].to_frame("conventions")

    assert frame.height == 10
    assert sorted(set(frame.select("n_tasks", "n_optional").rows())) == [(44, 22), (50, 27)]


def test_conventions_decide_most_of_s_seq_and_the_result_says_so(
    results: dict[str, Result],
) -> None:
    frame = results["airline"].to_frame("conventions")
    decided = frame.select(pl.sum_horizontal("seq_both_zero", "seq_one_zero").sum()).item()

    assert decided / frame["n_tasks"].to_numpy().sum() > 0.6
    assert any("S_seq are decided by a convention" in text for text in results["airline"].summary)


def test_where_both_pass_something_on_s_dep_tells_nobody_apart(results: dict[str, Result]) -> None:
    frame = results["airline"].to_frame("variants").filter(name="s_dep_non_zero")

    assert frame["value"].to_numpy().min() > 0.93


def test_every_graph_edit_distance_is_proven(results: dict[str, Result]) -> None:
    for found in results.values():
        assert found.to_frame("baselines").filter(name="ged")["value"].null_count() == 0
        assert not any("not proven" in note for note in found.notes)


def test_the_two_of_one_maker_are_the_most_alike_of_the_five(results: dict[str, Result]) -> None:
    first = results["airline"].to_frame("similarity").filter(name="ags").row(0, named=True)

    assert {first["first"], first["second"]} == {OPUS, SONNET}
    assert set(FIVE) == {
        *results["airline"].to_frame("similarity")["first"],
        *results["airline"].to_frame("similarity")["second"],
    }


@pytest.mark.parametrize("domain", tau2_page.TUNED_IN)
def test_a_model_and_its_tune_alone_have_no_s_node(results: dict[str, Result], domain: str) -> None:
    first, second = sorted((TUNED, UNTUNED))
    found = results[domain].estimate("s_node", first=first, second=second)

    assert found.value is None
    assert "three systems" in str(found.reason)
    assert results[domain].estimate("s_dep", first=first, second=second).n_tasks == 40
