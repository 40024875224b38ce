"""Charts become SVG that is safe in a page, and PNG pictures that open."""

import xml.etree.ElementTree as ET

import altair as alt
import polars as pl
import pytest
from toy_cohorts import EVIL, evil, small

from ethogram.cohort.views import traces
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import consistency
from ethogram.measures.similarity import action_graphs, similarity
from ethogram.measures.variance import variance
from ethogram.plots import PLOTS
from ethogram.plots.plot import rows
from ethogram.plots.svg import chart_png, chart_svg
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.simulate import draw_system, simulate, simulate_tools

PNG = b"\x89PNG\r\n\x1a\n"
ELEMENTS = {"svg", "g", "path", "rect", "line", "text", "tspan", "circle", "defs", "clipPath"}


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  our own output


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    cohort = small()
    simulated = from_trajectories(simulate(n_tasks=40, n_runs=3), labeler=default_labeler())
    systems = [draw_system(name, seed=2) for name in ("amber", "basalt", "cobalt")]
    shop = from_trajectories(simulate_tools(systems, n_tasks=8), labeler=default_labeler())
    return {
        "variance": variance(cohort),
        "traces": traces(cohort),
        "consistency": consistency(simulated, sensitivity=True, monitor=True),
        "similarity": similarity(shop, ged=False),
        "action_graphs": action_graphs(shop, task="mend-001"),
    }


@pytest.mark.parametrize("name", PLOTS.names())
def test_each_plot_is_drawn(name: str, results: dict[str, Result]) -> None:
    plot = PLOTS.get(name)
    if not plot.fits(results[plot.kind]):
        pytest.skip("nothing to show")
    chart = plot.draw(results[plot.kind])
    element = parsed(chart_svg(chart, prefix="x-"))

    assert chart_png(chart, scale=1).startswith(PNG)
    assert len(element.findall(".//path")) > 3
    assert {part.tag for part in element.iter()} <= ELEMENTS
    assert any(part.get("aria-label") for part in element.iter())


def test_dark_and_light_pictures_differ(results: dict[str, Result]) -> None:
    chart = PLOTS.get("cv_dots").draw(results["variance"])

    assert chart_png(chart, scale=1) != chart_png(chart, dark=True, scale=1)


def test_marks_tell_what_they_stand_for_and_axes_stay_silent(results: dict[str, Result]) -> None:
    plot = PLOTS.get("task_accuracy")
    element = parsed(chart_svg(plot.draw(results["variance"]), prefix="x-"))
    labels = [part.get("aria-label") for part in element.iter() if part.get("aria-label")]

    assert sorted(map(str, labels)) == sorted(plot.data(results["variance"])["label"])


def test_svg_takes_its_colours_from_the_page(results: dict[str, Result]) -> None:
    svg = chart_svg(PLOTS.get("cv_dots").draw(results["variance"]), prefix="x-")

    assert "var(--c-system1)" in svg
    assert not [colour for colour in LIGHT.values() if colour in svg.lower()]


def test_svg_holds_no_address_style_script_or_handler() -> None:
    svg = chart_svg(PLOTS.get("cv_dots").draw(variance(evil())), prefix="x-")
    element = parsed(svg)

    assert "http" not in svg
    assert EVIL not in svg
    assert not {key for part in element.iter() for key in part.attrib} & {"style", "href", "class"}
    assert not [k for part in element.iter() for k in part.attrib if k.startswith("on")]
    assert any(EVIL[:20] in (part.get("aria-label") or "") for part in element.iter())


def test_ids_of_two_pictures_do_not_meet() -> None:
    frame = pl.DataFrame({"x": [1, 2], "y": [1, 2]})
    chart = themed(alt.Chart(rows(frame)).mark_line(clip=True).encode(x="x:Q", y="y:Q"))
    one, other = (parsed(chart_svg(chart, prefix=p)) for p in ("a-", "b-"))
    ids = [{e.get("id") for e in part.iter() if e.get("id")} for part in (one, other)]

    assert ids[0]
    assert not ids[0] & ids[1]
    assert all((e.get("clip-path") or "url(#a-").startswith("url(#a-") for e in one.iter())
