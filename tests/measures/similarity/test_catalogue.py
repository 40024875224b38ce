"""The catalogue names every measure, and every measure has a page."""

from pathlib import Path

import pytest

from ethogram.measures.similarity import CATALOGUE, Figure

PAGES = Path(__file__).parents[3] / "docs" / "explanation"


@pytest.mark.parametrize("figure", CATALOGUE.values(), ids=lambda figure: figure.name)
def test_every_field_is_filled(figure: Figure) -> None:
    for field in ("name", "label", "formula", "higher_means", "about", "reference"):
        assert getattr(figure, field)
    assert figure.bounds == (0.0, 1.0)
    assert figure.formula.count("{") == figure.formula.count("}")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_measure_has_a_page_that_explains_it(name: str) -> None:
    pages = PAGES.glob("similarity*.md")

    assert any(f"`{name}`" in page.read_text(encoding="utf-8") for page in pages)
