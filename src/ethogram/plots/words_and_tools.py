"""What agents say against how they use tools, pair by pair (figure 1b of Yang et al. 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, rows
from ethogram.plots.theme import LIGHT, themed
from ethogram.results import Result
from ethogram.results.names import short_names
from ethogram.results.numbers import show_number

WORDS: Final = ("style_similarity", "bertscore", "bigram_overlap")
"""What stands for what is said: the first of these that has a value for some pair."""
_ROOM: Final = 0.04
"""Of the heights' range, what a name needs above and below."""
_LABELLED: Final = 12
"""Names of more pairs than this would lie on each other."""


def _words(result: Result) -> str:
    """The first measure of words with a value for some pair; the last where there is none."""
    known = set(_estimates(result).filter(pl.col("value").is_not_null())["name"])
    return next((name for name in WORDS if name in known), WORDS[-1])


def _estimates(result: Result) -> pl.DataFrame:
    tables = [
        result.to_frame(name)
        for name in ("similarity", "baselines", "style")
        if name in result.tables
    ]
    return pl.concat(tables, how="diagonal_relaxed")


def words_and_tools_data(result: Result) -> pl.DataFrame:
    """One row a pair: ``pair, words, tools, to_reference, text, label``.

    ``text``: what stands beside the point; with references the other system, else the pair, of more
    than twelve only of those that are most and least alike. Names that would lie on another one
    are left out.
    """
    words = _words(result)
    frame = _estimates(result)
    names = short_names(sorted({*frame["first"], *frame["second"]}), 22)
    both = (
        frame.filter(pl.col("name").is_in([words, "ags"]), pl.col("value").is_not_null())
        .group_by("first", "second", maintain_order=True)
        .agg(
            words=pl.col("value").filter(pl.col("name") == words).first(),
            tools=pl.col("value").filter(pl.col("name") == "ags").first(),
        )
        .drop_nulls()
    )
    references = result.provenance.parameters.get("reference") or []
    pair = pl.format("{} – {}", pl.col("first").replace(names), pl.col("second").replace(names))
    other = pl.when(pl.col("first").is_in(references)).then("second").otherwise("first")
    near = pl.col("first").is_in(references) | pl.col("second").is_in(references)
    shown = [
        f"words {show_number(row[0], 'share')}, tools {show_number(row[1], 'share')}"
        for row in both.select("words", "tools").iter_rows()
    ]
    ends = pl.any_horizontal(
        (pl.col(name) == pl.col(name).min()) | (pl.col(name) == pl.col(name).max())
        for name in ("words", "tools")
    )
    free = pl.lit(pl.Series(_free(both["tools"].to_list()), dtype=pl.Boolean))
    named = pl.lit(not references) & (free if both.height <= _LABELLED else ends)
    return both.select(
        "words",
        "tools",
        pair=pair,
        to_reference=near,
        text=pl.when(near).then(other.replace(names)).when(named).then(pair).otherwise(pl.lit("")),
        label=pl.format("{}: {}", pair, pl.Series(shown, dtype=pl.String)),
    )


def _free(heights: list[float]) -> list[bool]:
    """Whether there is room for a name at each height; the first of those that are close has it."""
    room = _ROOM * (max(heights, default=0.0) - min(heights, default=0.0))
    taken: list[float] = []
    free = []
    for height in heights:
        free.append(all(abs(height - other) > room for other in taken))
        taken += [height] if free[-1] else []
    return free


def plot_words_and_tools(result: Result) -> Any:
    """A point a pair; pairs with a reference stand out."""
    frame = words_and_tools_data(result)
    label = _estimates(result).filter(name=_words(result))["label"][0]
    axis = alt.Axis(format=".0%", tickCount=5)
    zero = alt.Scale(zero=False, padding=20)
    base = alt.Chart(rows(frame)).encode(
        alt.X("words:Q", title=f"{label} (what is said)", scale=zero, axis=axis),
        alt.Y("tools:Q", title="AGS (how tools are used)", scale=zero, axis=axis),
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        color=alt.condition(
            "datum.to_reference", alt.value(LIGHT["system2"]), alt.value(LIGHT["system1"])
        ),
        description="label:N",
        tooltip=["label:N"],
    )
    texts = base.mark_text(
        align="left", dx=8, fontSize=10, color=LIGHT["muted"], aria=False
    ).encode(text="text:N")
    return themed(alt.layer(points, texts).properties(width=460, height=320))


def words_and_tools_caption(result: Result) -> str:
    """What is compared."""
    references = result.provenance.parameters.get("reference") or []
    beside = f" In another colour: pairs with {', '.join(references)}." if references else ""
    return (
        "Each point is a pair of systems. Far right and far up: alike in words and in tools."
        f"{beside}"
    )


PLOT: Final = Plot(
    name="words_and_tools",
    title="Alike in words, alike in tools?",
    kind="similarity",
    tables=("similarity", "baselines"),
    data=words_and_tools_data,
    draw=plot_words_and_tools,
    caption=words_and_tools_caption,
)
