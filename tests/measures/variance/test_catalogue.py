"""The catalogue names every figure, and every figure keeps to it."""

from pathlib import Path

import msgspec
import pytest

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import CATALOGUE, variance
from ethogram.measures.variance.entry import Measure
from ethogram.results.numbers import FORMATS
from ethogram.simulate.build import repeats


@pytest.mark.parametrize("measure", CATALOGUE.values(), ids=lambda m: m.name)
def test_every_field_is_filled_and_the_unit_can_be_shown(measure: Measure) -> None:
    for field in ("name", "label", "unit", "formula", "higher_means", "about"):
        assert getattr(measure, field)
    assert measure.unit in FORMATS
    assert measure.bounds[0] < measure.bounds[1]
    assert measure.formula.count("{") == measure.formula.count("}")
    assert msgspec.json.decode(msgspec.json.encode(measure), type=Measure) == measure


def test_every_estimate_is_in_the_catalogue_and_within_its_range() -> None:
    runs = [
        made
        for task in range(7)
        for made in repeats(
            [["x"] * (task + 1), ["x", "y"], []],
            successes=[True, task > 3, False],
            task=f"t{task}",
            cost_usd=0.5,
            duration_s=2.0,
            input_tokens=5,
            output_tokens=5,
            submission="",
        )
    ]
    result = variance(from_trajectories(runs))

    for name in ("systems", "pass_k", "phases", "failures", "correlations"):
        for row in result.to_frame(name).iter_rows(named=True):
            measure = CATALOGUE[row["name"]]
            assert row["unit"] == measure.unit
            for figure in (row["value"], row["low"], row["high"]):
                assert figure is None or measure.bounds[0] <= figure <= measure.bounds[1]


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_figure_has_a_page_that_explains_it(name: str) -> None:
    pages = (Path(__file__).parents[3] / "docs" / "explanation").glob("*.md")

    assert any(f"`{name}`" in page.read_text(encoding="utf-8") for page in pages)
