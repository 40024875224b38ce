"""The pages on style and RPS show what is measured."""

from pathlib import Path

import pytest
from measures.similarity import said_pages

from ethogram.judging.opening import open_judges, rehearsals
from ethogram.judging.settings import JudgeSettings
from ethogram.measures.similarity.responses.measure import rps
from ethogram.measures.similarity.sample import sample_of

AGAIN = "make it anew: ETHOGRAM_SHARED=... python tests/measures/similarity/said_pages.py"


@pytest.mark.shared
@pytest.mark.slow
def test_the_page_on_style_shows_what_is_measured(shared: Path, tmp_path: Path) -> None:
    page = said_pages.STYLE.read_text(encoding="utf-8")

    assert page == said_pages.with_blocks(page, said_pages.style_blocks(shared, tmp_path)), AGAIN


@pytest.mark.shared
@pytest.mark.slow
def test_the_page_on_rps_shows_what_is_counted(shared: Path, tmp_path: Path) -> None:
    page = said_pages.RPS.read_text(encoding="utf-8")

    assert page == said_pages.with_blocks(page, said_pages.rps_blocks(shared, tmp_path)), AGAIN


def test_the_example_shares_three_stages_of_five() -> None:
    first, second = said_pages.example().blocks()

    assert first.keys() & second.keys() == {"elicitation", "verification", "notification"}
    assert first.keys() ^ second.keys() == {"execution"}


def test_a_dry_run_counts_what_a_study_asks(tmp_path: Path) -> None:
    """Items are spread over stages in turn: four items and five share four stages."""
    cohort = said_pages.example_cohort()
    (judge,) = rehearsals(open_judges(JudgeSettings(model="any", cache=tmp_path / "none.sqlite")))
    rps(cohort, sample_of(cohort), judge, whole=True)

    n_runs, n_orders = 2, 2
    assert judge.plan.calls == n_runs + n_orders * (4 + len(("whole", "replies")))
