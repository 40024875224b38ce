"""The catalogue of what is said names every measure, and every measure has a page."""

from pathlib import Path

import pytest

from ethogram.measures.similarity.catalogue import CATALOGUE, Figure
from ethogram.measures.similarity.responses import scoring as responses
from ethogram.measures.similarity.said_catalogue import SAID_CATALOGUE
from ethogram.measures.similarity.style import compare as style

PAGES = Path(__file__).parents[3] / "docs" / "explanation"


def test_it_names_every_score_once() -> None:
    assert set(SAID_CATALOGUE) == {*style.LABELS, *responses.LABELS}
    assert not set(SAID_CATALOGUE) & set(CATALOGUE)


@pytest.mark.parametrize("figure", SAID_CATALOGUE.values(), ids=lambda figure: figure.name)
def test_every_field_is_filled_and_a_page_explains_it(figure: Figure) -> None:
    for field in ("name", "label", "formula", "higher_means", "about", "reference"):
        assert getattr(figure, field)
    assert figure.formula.count("{") == figure.formula.count("}")
    page = "style.md" if figure.group == "style" else "rps.md"
    assert f"`{figure.name}`" in (PAGES / page).read_text(encoding="utf-8")
    assert figure.bounds == ((0, 1) if figure.group == "style" else (1, 5))
