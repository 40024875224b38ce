"""Map of runs by their attributions (figure 3 of Banerjee and Raichura 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, N_SYSTEM_COLOURS, themed
from ethogram.results import Result

MAX_POINTS: Final = 1_500
"""More points than a page can bear or an eye tell apart."""


def archetype_map_data(result: Result) -> pl.DataFrame:
    """One row a run: ``system, task, archetype, x, y, label``; every n-th run of large cohorts."""
    frame = result.to_frame("map")
    step = -(-frame.height // MAX_POINTS) or 1
    described = result.to_frame("archetypes").select("archetype", "description")
    outcome = pl.when("success").then(pl.lit("success")).otherwise(pl.lit("failure"))
    return (
        with_short_names(frame.gather_every(step), system_names(result))
        .join(described, on="archetype", maintain_order="left")
        .select(
            "system",
            "task",
            "x",
            "y",
            archetype=pl.format("{}: {}", "archetype", "description"),
            label=pl.format("{}, {}: {}, archetype {}", "system", "task", outcome, "archetype"),
        )
    )


def plot_archetype_map(result: Result) -> Any:
    """Points coloured by archetype, a panel a system."""
    frame = archetype_map_data(result)
    names = frame["archetype"].unique().sort().to_list()
    colours = [LIGHT[f"system{place % N_SYSTEM_COLOURS + 1}"] for place in range(len(names))]
    systems = [name for name in system_names(result).values() if name in set(frame["system"])]
    points = (
        alt.Chart(rows(frame))
        .mark_point(filled=True, size=18, opacity=0.55)
        .encode(
            alt.X("x:Q", title=None, axis=None),
            alt.Y("y:Q", title=None, axis=None),
            color=alt.Color(
                "archetype:N",
                title=None,
                scale=alt.Scale(domain=names, range=colours),
                legend=alt.Legend(columns=1, labelLimit=560),
            ),
            description="label:N",
            tooltip=["label:N"],
        )
        .properties(width=200, height=170)
    )
    panels = points.facet(facet=alt.Facet("system:N", title=None, sort=systems), columns=3)
    return themed(panels)


def archetype_map_caption(result: Result) -> str:
    """What near means, and how clear the clusters are."""
    chosen = result.to_frame("silhouettes").filter("chosen").row(0, named=True)
    n = result.to_frame("map").height
    shown = archetype_map_data(result).height
    part = f" Shown are {shown:,} of {n:,} runs." if shown < n else ""
    return (
        "Runs that lie near each other are predicted to succeed or fail for similar reasons. "
        f"{chosen['k']} archetypes by k-means, silhouette {chosen['silhouette']:.2f}: exploratory, "
        f"clusters overlap.{part}"
    )


PLOT: Final = Plot(
    name="archetype_map",
    title="Ways of working",
    kind="consistency",
    tables=("systems", "map", "archetypes", "silhouettes"),
    data=archetype_map_data,
    draw=plot_archetype_map,
    caption=archetype_map_caption,
)
