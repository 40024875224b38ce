"""Colours, letters and type of every plot, for light and dark pages.

Plots are drawn in the light colours. Each colour has a name (a token), and no two tokens share a
light colour, so a drawn plot can be turned dark (`in_dark`) or tied to a page's colours
(`ethogram.plots.svg`) by replacing values. Kinds of actions have fixed colours and letters; systems
take colours and shapes in order. All colours of kinds, and all of systems, stay apart under
simulated protanopia, deuteranopia and tritanopia (a test holds the distances).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import altair as alt

FONT: Final = "Helvetica Neue, Helvetica, Arial, sans-serif"

TOKENS: Final[Mapping[str, tuple[str, str]]] = {
    "paper": ("#ffffff", "#16181c"),
    "ink": ("#1f2328", "#e8e6e1"),
    "muted": ("#636a72", "#a3a6ab"),
    "axis": ("#b4b8bd", "#5d6168"),
    "grid": ("#e7e8ea", "#2b2e34"),
    "explore": ("#a8d1ec", "#a3d0ee"),
    "understand": ("#27628f", "#2f6ea6"),
    "edit": ("#e0702e", "#e8823f"),
    "verify": ("#5bb795", "#4fae8a"),
    "other": ("#dedbd4", "#55565a"),
    "on_explore": ("#123a57", "#0c2a40"),
    "on_understand": ("#fdfefe", "#f4f8fb"),
    "on_edit": ("#331301", "#2b1000"),
    "on_verify": ("#06301f", "#03251a"),
    "on_other": ("#4d4a44", "#dcdad5"),
    "system1": ("#3b2f91", "#8a7ff0"),
    "system2": ("#d9481c", "#ee5f2e"),
    "system3": ("#2a8a94", "#35cfb0"),
    "system4": ("#c7a83c", "#ffe07a"),
    "system5": ("#d9418d", "#f5a8dc"),
    "system6": ("#5c2a1c", "#a8654f"),
    "system7": ("#8593e0", "#5590b5"),
    "heat0": ("#f5f3fb", "#23222e"),
    "heat1": ("#dedaf1", "#322f4b"),
    "heat2": ("#c2bce5", "#443f6c"),
    "heat3": ("#a39bd6", "#5a5390"),
    "heat4": ("#8178c4", "#756db6"),
    "heat5": ("#5f54ae", "#978fda"),
    "heat6": ("#40348f", "#c3bdfb"),
    "on_heat_low": ("#26224a", "#e6e4f5"),
    "on_heat_high": ("#fbfaff", "#14121f"),
    "success": ("#1d7a5f", "#63c9a8"),
    "failure": ("#b3423a", "#ef8379"),
}
LIGHT: Final[Mapping[str, str]] = {name: pair[0] for name, pair in TOKENS.items()}
HEAT_LEVELS: Final = 7


class KindLook(NamedTuple):
    """How one kind of action looks everywhere."""

    kind: str
    letter: str
    about: str


# W for edit: E is taken by explore, and an edit writes.
KINDS: Final[tuple[KindLook, ...]] = (
    KindLook("explore", "E", "looks for where things are"),
    KindLook("understand", "U", "reads what something holds"),
    KindLook("edit", "W", "changes files (writes)"),
    KindLook("verify", "V", "runs or checks code"),
    KindLook("other", "O", "none of these"),
)
N_SYSTEM_COLOURS: Final = 7
_LEGEND_WIDTH: Final = 640
_LETTER_WIDTH: Final = 6.2
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")


def system_tokens(systems: Sequence[str]) -> list[str]:
    """Token of each system's colour, in the order of the systems; after seven they come again."""
    return [f"system{place % N_SYSTEM_COLOURS + 1}" for place in range(len(systems))]


def system_colour(systems: Sequence[str], **options: Any) -> alt.Color:
    """Colour encoding of the column ``system`` (its short names, in order)."""
    colours = [LIGHT[token] for token in system_tokens(systems)]
    return alt.Color(
        "system:N",
        title=None,
        scale=alt.Scale(domain=list(systems), range=colours),
        **{"legend": _legend(systems), **options},
    )


def system_shape(systems: Sequence[str], **options: Any) -> alt.Shape:
    """Shape encoding of the column ``system``: colours are never the only difference."""
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(systems))]
    return alt.Shape(
        "system:N",
        title=None,
        scale=alt.Scale(domain=list(systems), range=shapes),
        **{"legend": _legend(systems), **options},
    )


def _legend(systems: Sequence[str]) -> alt.Legend:
    """As many columns as names of this length leave room for."""
    widest = max([8, *(len(name) for name in systems)])
    return alt.Legend(columns=max(1, int(_LEGEND_WIDTH // (_LETTER_WIDTH * widest + 30))))


def themed(chart: alt.TopLevelMixin) -> Any:
    """The chart with the type, lines and spaces of this package."""
    ink, muted, axis, grid = (LIGHT[name] for name in ("ink", "muted", "axis", "grid"))
    return chart.configure(
        font=FONT,
        background=LIGHT["paper"],
        padding=6,
        axis=alt.AxisConfig(
            labelColor=muted,
            titleColor=ink,
            titleFontWeight="normal",
            labelFontSize=11,
            titleFontSize=12,
            titlePadding=8,
            domainColor=axis,
            tickColor=axis,
            gridColor=grid,
            tickSize=4,
            labelLimit=260,
            labelPadding=6,
        ),
        legend=alt.LegendConfig(
            orient="top",
            labelColor=ink,
            titleColor=ink,
            titleFontWeight="normal",
            labelFontSize=12,
            symbolSize=90,
            symbolOpacity=1,
            labelLimit=320,
            columns=0,
        ),
        header=alt.HeaderConfig(labelColor=ink, titleColor=ink, labelFontSize=12),
        title=alt.TitleConfig(color=ink, fontSize=13, fontWeight="normal", anchor="start"),
        view=alt.ViewConfig(stroke=None),
    )


def in_dark(spec: Any) -> Any:
    """A chart's specification with every light colour replaced by its dark one."""
    dark = dict(TOKENS.values())
    match spec:
        case dict():
            return {key: in_dark(value) for key, value in spec.items()}
        case list():
            return [in_dark(value) for value in spec]
        case str():
            return dark.get(spec, spec)
        case _:
            return spec
