"""The page that compares the paper with its data shows what is measured."""

from pathlib import Path

import pytest
from measures.variance import mehta_page

from ethogram.cohort import Cohort

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def cohort(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    return mehta_page.read_runs(shared, tmp_path_factory.mktemp("mehta") / "cohort")


def test_the_page_shows_what_is_measured(cohort: Cohort, shared: Path) -> None:
    made = mehta_page.page(cohort, mehta_page.printed_figures(shared))

    assert mehta_page.PAGE.read_text(encoding="utf-8") == made, (
        "make it anew: ETHOGRAM_SHARED=... python tests/measures/variance/mehta_page.py"
    )


def test_a_first_word_rule_gives_the_printed_divergence(cohort: Cohort, shared: Path) -> None:
    """All printed figures but one: the paper has none of Claude's tasks part at step 1."""
    printed = mehta_page.printed_figures(shared)["divergence_step"]
    found = {
        model: {key: round(value, 1) for key, value in figures.items()}
        for model, figures in mehta_page.first_word_divergence(cohort).items()
    }

    assert found == {**printed, "claude": {**printed["claude"], "at_step_1": 0.2}}
