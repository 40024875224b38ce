"""The catalogue names every figure, and every figure has a page."""

from pathlib import Path

import pytest

from ethogram.measures.consistency import CATALOGUE, Figure

PAGES = Path(__file__).parents[3] / "docs" / "explanation"


@pytest.mark.parametrize("figure", CATALOGUE.values(), ids=lambda figure: figure.name)
def test_every_field_is_filled(figure: Figure) -> None:
    for field in ("name", "label", "formula", "higher_means", "about", "reference"):
        assert getattr(figure, field)
    assert figure.bounds[0] < figure.bounds[1]
    assert figure.formula.count("{") == figure.formula.count("}")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_figure_has_a_page_that_explains_it(name: str) -> None:
    pages = PAGES.glob("consistency*.md")

    assert any(f"`{name}`" in page.read_text(encoding="utf-8") for page in pages)
