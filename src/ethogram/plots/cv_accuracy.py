"""Consistency against accuracy, task by task (figure 3 of Mehta 2026)."""

from typing import Any, Final

import altair as alt
import polars as pl

from ethogram.plots.plot import Plot, counted, rows, system_names, with_short_names
from ethogram.plots.theme import LIGHT, system_colour, system_shape, themed
from ethogram.results import Result
from ethogram.results.numbers import show_interval, show_number


def cv_accuracy_data(result: Result) -> pl.DataFrame:
    """One row a system and task where both are known: ``system, task, cv, accuracy, label``."""
    known = result.to_frame("tasks").filter(
        pl.col("cv_actions").is_not_null() & pl.col("accuracy").is_not_null()
    )
    frame = with_short_names(known, system_names(result)).select(
        "system", "task", "accuracy", "successes", "n_labelled", cv="cv_actions"
    )
    labels = [
        f"{row['system']}, {row['task']}: CV {show_number(row['cv'], 'percent')}, "
        f"{row['successes']} of {row['n_labelled']} succeeded"
        for row in frame.iter_rows(named=True)
    ]
    return frame.select("system", "task", "cv", "accuracy").with_columns(
        label=pl.Series(labels, dtype=pl.String)
    )


def plot_cv_accuracy(result: Result) -> Any:
    """A point a task; large ones are the means of systems over these tasks."""
    frame = cv_accuracy_data(result)
    systems = list(system_names(result).values())
    x = alt.X("cv:Q", title="CV of actions (%)", scale=alt.Scale(zero=True, nice=True))
    y = alt.Y(
        "accuracy:Q",
        title="accuracy",
        scale=alt.Scale(domain=[-0.05, 1.05], nice=False),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    looks = {"color": system_colour(systems), "shape": system_shape(systems)}
    points = (
        alt.Chart(rows(frame))
        .mark_point(filled=True, size=54, opacity=0.5)
        .encode(x, y, **looks, description="label:N", tooltip=["label:N"])
    )
    means = (
        frame.group_by("system", maintain_order=True)
        .agg(pl.col("cv", "accuracy").mean(), n=pl.len())
        .with_columns(label=pl.format("{}: mean over {} tasks", "system", "n"))
    )
    large = (
        alt.Chart(rows(means))
        .mark_point(filled=True, size=260, opacity=1, stroke=LIGHT["paper"], strokeWidth=1.5)
        .encode(x, y, **looks, description="label:N", tooltip=["label:N"])
    )
    return themed(alt.layer(points, large).properties(width=520, height=320))


def cv_accuracy_caption(result: Result) -> str:
    """n, and the correlation within each system where the result holds it."""
    frame = cv_accuracy_data(result)
    sizes = counted(frame.group_by("system").len()["len"].to_list(), "task")
    text = f"Small points are tasks ({sizes} a system), large ones their means."
    if "correlations" not in result.tables:
        return text
    within = result.to_frame("correlations").filter(
        (pl.col("name") == "cv_accuracy_pearson") & pl.col("value").is_not_null()
    )
    names = system_names(result)
    shown = [
        f"{names.get(row['scope'], row['scope'])} "
        + show_interval(row["value"], row["low"], row["high"], row["unit"])
        for row in within.iter_rows(named=True)
    ]
    if not shown:
        return text
    return f"{text} Pearson's r within each system (95 % interval): {', '.join(shown)}."


PLOT: Final = Plot(
    name="cv_accuracy",
    title="Are steadier tasks the more accurate ones?",
    kind="variance",
    tables=("systems", "tasks"),
    data=cv_accuracy_data,
    draw=plot_cv_accuracy,
    caption=cv_accuracy_caption,
)
