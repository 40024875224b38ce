"""A chart as SVG that may stand in a page: known elements only, colours tied to the page.

vl-convert draws the picture once, without a browser. What stands in the page is then not a program:
it needs no script, prints sharply, and follows light and dark through CSS variables.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any, Final

from ethogram.plots.theme import TOKENS, in_dark

_SPACE: Final = "{http://www.w3.org/2000/svg}"
_ELEMENTS: Final = frozenset(
    {"svg", "g", "path", "rect", "line", "text", "tspan", "circle", "defs", "clipPath"}
)
_KEPT: Final = (
    "aria-label clip-path cx cy d dx dy fill fill-opacity font-family font-size font-style "
    "font-weight height id opacity points r rx ry stroke stroke-dasharray stroke-linecap "
    "stroke-linejoin stroke-opacity stroke-width text-anchor transform viewBox width x x1 x2 y y1 "
    "y2"
)
_ATTRIBUTES: Final = frozenset(_KEPT.split())
_FURNITURE: Final = frozenset({"axis", "legend", "title"})
_NUMBER: Final = re.compile(r"-?\d+\.\d{3,}")
_NUMERIC: Final = frozenset({"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"})


def variable(token: str) -> str:
    """Name of the CSS variable that holds a token's colour."""
    return f"--c-{token.replace('_', '-')}"


def chart_svg(chart: Any, *, prefix: str) -> str:
    """A chart as an SVG element.

    Parameters
    ----------
    chart : altair chart
        Drawn in the light colours of `ethogram.plots.theme`.
    prefix : str
        Goes before every id, so that several pictures can stand in one page.

    Returns
    -------
    str
        The element without namespaces, styles, scripts or links. Marks that carry a description
        keep it as ``aria-label``.
    """
    import vl_convert  # noqa: PLC0415  takes half a second and 100 MB

    drawn = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    root = ET.fromstring(drawn)  # noqa: S314  made by vl-convert, not by a stranger
    colours = {light: f"var({variable(token)})" for token, (light, _) in TOKENS.items()}
    _clean(root, prefix, {**colours, "white": colours[TOKENS["paper"][0]]})
    return ET.tostring(root, encoding="unicode")


def chart_png(chart: Any, *, dark: bool = False, scale: float = 2) -> bytes:
    """A chart as a PNG picture, light or dark."""
    import vl_convert  # noqa: PLC0415

    spec = chart.to_dict()
    picture: bytes = vl_convert.vegalite_to_png(in_dark(spec) if dark else spec, scale=scale)
    return picture


def _clean(element: ET.Element, prefix: str, colours: Mapping[str, str]) -> None:
    element.tag = element.tag.removeprefix(_SPACE)
    described = (
        element.get("role") == "graphics-symbol"
        and element.get("aria-roledescription") not in _FURNITURE
    )
    kept = {k: v for k, v in element.attrib.items() if k in _ATTRIBUTES}
    if not described:
        kept.pop("aria-label", None)
    element.attrib.clear()
    element.attrib.update({k: _value(k, v, prefix, colours) for k, v in kept.items()})
    for child in list(element):
        if child.tag.removeprefix(_SPACE) not in _ELEMENTS or _is_nothing(child):
            element.remove(child)
        else:
            _clean(child, prefix, colours)


def _value(name: str, value: str, prefix: str, colours: Mapping[str, str]) -> str:
    if name in {"fill", "stroke"}:
        return colours.get(value.lower(), value)
    if name == "id":
        return prefix + value
    if name == "clip-path":
        return value.replace("url(#", f"url(#{prefix}")
    if name in _NUMERIC:
        return _NUMBER.sub(lambda match: f"{float(match.group()):.2f}", value)
    return value


def _is_nothing(element: ET.Element) -> bool:
    """Whether the element draws nothing (Vega writes many such)."""
    return element.get("display") == "none" or (
        element.tag == f"{_SPACE}path" and element.get("d") in {"", "M0,0h0v0h0Z"}
    )
