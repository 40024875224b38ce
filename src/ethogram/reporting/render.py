"""From the content of a report to one HTML page; sees results and plots only.

The page loads nothing: style, script and pictures stand in it, and a Content-Security-Policy allows
exactly this style and this script by their digests. Pictures are drawn here (see
`ethogram.plots.svg`), so the page can be read, printed and searched without a script; the script
adds sorting, tips, the choice of a task and downloads. Everything that comes from results is
escaped by the template engine, and JSON has its ``<`` escaped.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ethogram.plots import PLOTS
from ethogram.plots.ribbons import ribbons_caption
from ethogram.plots.svg import chart_svg, variable
from ethogram.plots.theme import TOKENS
from ethogram.registry import package_version
from ethogram.reporting.content import ReportContent, Section
from ethogram.reporting.ribbons import CELL_WIDTHS, RibbonTask, ribbon_tasks
from ethogram.results import Result
from ethogram.results.grid import grid_of, systems_in
from ethogram.results.names import short_names
from ethogram.results.show import grid_html
from ethogram.results.traces import KIND as TRACES

MAX_ROWS: Final = 500
MAX_SENTENCES: Final = 8
_OPEN_ROWS: Final = 12
_NAME_WIDTH: Final = 44


@dataclass(frozen=True)
class Figure:
    """A picture with its words."""

    name: str
    title: str
    caption: str
    svg: Markup


@dataclass(frozen=True)
class ShownTable:
    """A table as HTML, and whether it stands open."""

    name: str
    title: str
    html: Markup
    n_rows: int
    is_open: bool
    left_out: int


@dataclass(frozen=True)
class ShownSection:
    """A section with everything that the template needs."""

    section: Section
    figures: Sequence[Figure]
    tables: Sequence[ShownTable]
    ribbons: Sequence[RibbonTask]
    caption: str
    json: Markup
    parameters: str


def render(content: ReportContent) -> str:
    """The page of a report.

    Parameters
    ----------
    content : ReportContent
        From `ethogram.reporting.build.build`.

    Returns
    -------
    str
        HTML; the same content gives the same page.
    """
    environment = Environment(
        loader=PackageLoader("ethogram.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    style = _colours() + _template("page.css") + "".join(_ribbon_rules(content))
    script = _template("page.js")
    return environment.get_template("page.html.j2").render(
        content=content,
        version=package_version(),
        max_sentences=MAX_SENTENCES,
        sections=[_shown(section) for section in content.sections],
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704  our own file
        policy=(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def _template(name: str) -> str:
    return (files("ethogram.reporting") / "templates" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _colours() -> str:
    """The theme's colours as CSS variables, light and dark."""
    light, dark = (
        "".join(f"{variable(name)}:{pair[place]};" for name, pair in TOKENS.items())
        for place in (0, 1)
    )
    return (
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root:root{{{light}}}}}\n"
    )


def _shown(section: Section) -> ShownSection:
    if section.result is None:
        return ShownSection(section, (), (), (), "", Markup(), "")
    result = section.result
    is_traces = result.kind == TRACES
    return ShownSection(
        section,
        figures=() if is_traces else list(_figures(section.name, result)),
        tables=() if is_traces else list(_tables(result)),
        ribbons=ribbon_tasks(result) if is_traces else (),
        caption=ribbons_caption(result) if is_traces else "",
        json=_json(result.to_dict()),
        parameters=_parameters(result),
    )


def _parameters(result: Result) -> str:
    """The parameters that were set; lists by their length."""
    return ", ".join(
        f"{key} = {f'{len(value)} names' if isinstance(value, list | tuple) else value}"
        for key, value in result.provenance.parameters.items()
        if value is not None
    )


def _figures(section: str, result: Result) -> Iterator[Figure]:
    for plot in PLOTS:
        if plot.fits(result):
            svg = chart_svg(plot.draw(result), prefix=f"{section}-{plot.name}-")
            # chart_svg lets known elements and attributes through, and escapes every text
            yield Figure(plot.name, plot.title, plot.caption(result), Markup(svg))  # noqa: S704


def _tables(result: Result) -> Iterator[ShownTable]:
    short = short_names(systems_in(result.tables.values()), _NAME_WIDTH)
    for place, table in enumerate(result.tables.values()):
        cut = replace(table, frame=table.frame.head(MAX_ROWS))
        grid = grid_of(cut, short)
        yield ShownTable(
            name=table.name,
            title=table.title,
            html=Markup(grid_html(grid)),  # noqa: S704  grid_html escapes every text
            n_rows=len(grid.rows),
            is_open=place == 0 or len(grid.rows) <= _OPEN_ROWS,
            left_out=max(0, table.frame.height - MAX_ROWS),
        )


def _json(value: Any) -> Markup:
    """JSON that can stand in a script element: no ``<``, so neither an end tag nor a comment."""
    text = msgspec.json.encode(value, enc_hook=str).decode()
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704


def _ribbon_rules(content: ReportContent) -> Iterator[str]:
    """Widths of cells and places of marks: the policy allows no style at an element."""
    yield from (f".w{width}{{--cell:{width}px}}" for width in CELL_WIDTHS)
    traces = [
        s.result for s in content.sections if s.result is not None and s.result.kind == TRACES
    ]
    steps = {step for r in traces for step in r.to_frame("groups")["divergence"].drop_nulls()}
    yield from (f".at{step}{{--at:{step - 1}}}" for step in sorted(steps))
