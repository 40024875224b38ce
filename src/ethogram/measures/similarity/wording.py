"""The result in sentences: what a reader needs first, and what must be read with it."""

from collections.abc import Iterator, Mapping
from math import isclose
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ethogram.measures.similarity.baselines import GraphEdits, graph_seconds
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval, show_number
from ethogram.results.result import Result

if TYPE_CHECKING:
    from ethogram.measures.similarity.parts import Measured

NAME_WIDTH: Final = 60
MANY: Final = 0.5
"""Share of tasks from which on a convention decides most."""
CAUTION: Final = (
    "A high similarity is consistent with common training, prompts or scaffolds; it does not show "
    "that one system was made from another."
)
FALLBACKS: Final = ("ags", "s_seq", "s_dep", "edit_similarity")
"""What the first sentence is about: the first of these that has a value."""


def summary(result: Result, measured: "Measured") -> tuple[str, ...]:
    """Sentences, the most important first."""
    names = short_names(measured.made.sample.systems, NAME_WIDTH)
    return (
        *_no_calls(measured),
        *_missing(result, measured),
        *_ends(result, names),
        *_references(result, names),
        *_nearest(result, names),
        *_families(result),
        *_moved(result, names),
        *_conventions(result),
        *_no_optional(measured),
    )


def _pairs(result: Result, name: str) -> pl.DataFrame:
    tables = [result.to_frame(table) for table in ("similarity", "baselines")]
    frame = pl.concat(tables, how="diagonal_relaxed")
    return frame.filter(pl.col("name") == name, pl.col("value").is_not_null())


def _no_calls(measured: "Measured") -> Iterator[str]:
    """That there is nothing to compare: by convention two runs without a call are alike."""
    if not any(graph.names for graph in measured.made.graphs):
        yield (
            "No run calls a tool, so that nothing can be said of tool use: two runs without a "
            "call count as alike."
        )


def _missing(result: Result, measured: "Measured") -> Iterator[str]:
    """Why there is no AGS for any pair."""
    frame = result.to_frame("similarity")
    reasons = frame.filter(name="ags")
    if reasons.is_empty() or reasons["value"].is_not_null().any():
        return
    tools = measured.tools
    if tools.ags.parts[0].reason is None and not tools.found.optional.any():
        yield (
            "There is no AGS: no tool is optional at any task, since all successful systems used "
            "the same tools there or none succeeded."
        )
        return
    if measured.made.sample.runs["success"].is_null().all():
        yield (
            "There is no AGS: no outcome is recorded, so that it is not known which tools "
            "successful systems used (--outcomes supplies them)."
        )
        return
    reason = reasons["reason"][0]
    for name, label in frame.select("name", "label").unique().iter_rows():
        reason = reason.replace(f"{name}: ", f"{label}: ", 1)
    yield f"There is no AGS: {reason}."


def _ends(result: Result, names: Mapping[str, str]) -> Iterator[str]:
    """The pair that is most alike and the one that is least, where tasks are enough to say so."""
    found = next((n for n in FALLBACKS if _pairs(result, n).height), None)
    if found is None:
        return
    frame, few = _with_intervals(_pairs(result, found).sort("value", descending=True))
    label, most = frame["label"][0], _pair(frame.row(0, named=True), names)
    if frame.height == 1:
        yield f"By {label}: {most}."
        return
    top, bottom = frame["value"][0], frame["value"][-1]
    if isclose(top, bottom):
        yield f"By {label} all {frame.height:,} pairs are equally alike ({most}){few}."
        return
    n_level = sum(isclose(value, top) for value in frame["value"]) - 1
    level = f", level with {n_level:,} more" if n_level else ""
    least = _pair(frame.row(-1, named=True), names)
    yield (
        f"By {label} the most alike of {frame.height:,} pairs are {most}{level}, "
        f"the least alike {least}{few}."
    )


def _with_intervals(frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Pairs that have an interval, if two do, and what is said of the others."""
    sure = frame.filter(pl.col("low").is_not_null())
    n_few = frame.height - sure.height
    if sure.height < 2 or not n_few:
        return frame, ""
    return sure, f"; pairs with too few tasks for an interval, which play no part here: {n_few:,}"


def _pair(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return f"{names[row['first']]} and {names[row['second']]} {_shown(row)}"


def _shown(row: Mapping[str, Any]) -> str:
    shown = show_interval(row["value"], row["low"], row["high"], row["unit"])
    tasks = "1 task" if row["n_tasks"] == 1 else f"{row['n_tasks']:,} tasks"
    return f"({shown}, {tasks})"


def _references(result: Result, names: Mapping[str, str]) -> Iterator[str]:
    """Who is most and least like each system that was named as a reference."""
    for reference in result.provenance.parameters["reference"] or ():
        to_it = (pl.col("first") == reference) | (pl.col("second") == reference)
        found = (_pairs(result, name).filter(to_it) for name in FALLBACKS)
        pairs = next((frame for frame in found if frame.height), None)
        if pairs is None:
            continue
        frame, few = _with_intervals(pairs.sort("value", descending=True))
        if frame.height > 1:
            said = []
            for row in (frame.row(0, named=True), frame.row(-1, named=True)):
                other = row["second"] if row["first"] == reference else row["first"]
                said.append(f"{names[other]} {_shown(row)}")
            yield (
                f"By {frame['label'][0]} most like {names[reference]}: {said[0]}; least like it: "
                f"{said[1]}{few}."
            )


def _nearest(result: Result, names: Mapping[str, str]) -> Iterator[str]:
    frame = result.to_frame("nearest").filter(name="ags")
    if frame.is_empty() or frame["n_candidates"].fill_null(0).to_numpy().max() < 2:
        return
    sure = frame.filter(decision="yes")
    if sure.is_empty():
        yield "By AGS no system can be said to be nearer to one other than to all the rest."
        return
    said = "; ".join(
        f"{names[row['system']]} to {names[row['nearest']]}" for row in sure.iter_rows(named=True)
    )
    yield (
        f"By AGS nearer to one system than to every other: {said}. That is consistent with a "
        "common origin and proves none."
    )


def _families(result: Result) -> Iterator[str]:
    if "families" not in result.tables:
        return
    row = result.to_frame("families").filter(name="ags").row(0, named=True)
    if row["difference"] is None:
        yield f"Families can't be compared by AGS: {row['reason']}."
        return
    gap = show_interval(row["difference"], row["low"], row["high"], "points")
    p = f", p {show_number(row['p_value'], 'p')}" if row["p_value"] is not None else ""
    yield f"Systems of one family are more alike by {gap} of AGS than across families{p}."


def _moved(result: Result, names: Mapping[str, str]) -> Iterator[str]:
    if "controlled_verdicts" not in result.tables:
        return
    row = result.to_frame("controlled_verdicts").row(0, named=True)
    _, student, teacher, control = (
        names[system] for system in result.provenance.parameters["controlled"]
    )
    asked = f"Did {student} move toward {teacher} and not toward {control}? By {row['measure']}: "
    yield f"{asked}{row['decision']} ({row['because']})."


def _conventions(result: Result) -> Iterator[str]:
    """How many scores a convention decides, where that is most of them."""
    for label, decided in _decided(result).items():
        if decided > MANY:
            yield (
                f"Most scores of {label} are decided by a convention "
                f"({show_number(decided, 'share')} of pairs and tasks: one or both runs have "
                f"nothing to compare); read {label} with both non-zero beside it."
            )


def _decided(result: Result) -> dict[str, float]:
    """Share of pairs and tasks whose score is 0 or 1 by convention, by measure."""
    frame = result.to_frame("conventions")
    n_tasks = max(1, int(frame["n_tasks"].to_numpy().sum()))
    columns = {
        "S_seq": ("seq_both_zero", "seq_one_zero"),
        "S_dep": ("dep_both_zero", "dep_one_zero"),
    }
    return {
        label: float(frame.select(names).to_numpy().sum()) / n_tasks
        for label, names in columns.items()
    }


def _no_optional(measured: "Measured") -> Iterator[str]:
    """How few tasks S_node rests on."""
    if measured.tools.ags.parts[0].reason is not None:
        return
    has = int(measured.tools.found.optional.any(axis=1).sum())
    n_tasks = len(measured.made.sample.tasks)
    if 0 < has < n_tasks / 2:
        yield (
            f"S_node rests on {has} of {n_tasks} tasks: in the others every successful system used "
            "the same tools, or none succeeded."
        )


def notes(result: Result, measured: "Measured", edits: GraphEdits | None) -> tuple[str, ...]:
    """Sentences that must be read with the figures."""
    return (
        CAUTION,
        *_pool(measured),
        *_left_out(measured),
        *_other_tasks(result, measured),
        *_guessed(measured),
        *_unlabelled(result, measured),
        *_rests_on(result),
        *_graphs(measured, edits),
        *_no_results(measured),
        *_no_retries(result),
    )


def _pool(measured: "Measured") -> Iterator[str]:
    systems, members = measured.made.sample.systems, measured.tools.pool
    if not members.all():
        short = short_names(systems, NAME_WIDTH).values()
        inside = [name for name, member in zip(short, members, strict=True) if member]
        yield f"Which tools are optional was decided by {', '.join(inside)} (--pool)."


def _left_out(measured: "Measured") -> Iterator[str]:
    found = measured.made.sample.left_out.group_by("why").agg(pl.col("n").sum()).sort("why")
    if found.height:
        said = ", ".join(f"{n:,} ({why})" for why, n in found.iter_rows())
        yield f"Runs left out: {said}."


def _other_tasks(result: Result, measured: "Measured") -> Iterator[str]:
    """That means of pairs are not over the same tasks, where they are not."""
    sample = measured.made.sample
    present = sample.n_runs > 0
    if (present == present[0]).all():
        return
    span = _span(result.to_frame("conventions")["n_tasks"].to_list())
    yield (
        f"Not all systems ran the same tasks: pairs share {span}. Tasks differ in what they "
        "leave to choose, so that a pair may look more alike for its tasks; nearest, differences "
        "between references and the controlled comparison are paired by task."
    )


def _guessed(measured: "Measured") -> Iterator[str]:
    n_calls = sum(len(graph.names) for graph in measured.made.graphs)
    n_guessed = sum(measured.made.n_guessed)
    if n_guessed:
        share = show_number(n_guessed / n_calls, "share")
        yield (
            f"Whether a tool reads or writes is guessed from its name for {share} of {n_calls:,} "
            "calls, on which S_seq rests: --effects can say."
        )


def _unlabelled(result: Result, measured: "Measured") -> Iterator[str]:
    effects = [effect for graph in measured.made.graphs for effect in graph.effects]
    n_unknown = effects.count(None)
    labelled = result.provenance.labels_digest is not None
    who = "--effects can say" if labelled else "from_trajectories was given no labeler"
    if n_unknown:
        share = show_number(n_unknown / len(effects), "share")
        yield (
            f"{share} of {len(effects):,} calls carry no label of whether they read or write; "
            f"S_seq takes them for neither: {who}."
        )


def _rests_on(result: Result) -> Iterator[str]:
    """How many tasks a convention decides, and how many S_node leaves out."""
    frame = result.to_frame("conventions")
    if frame.is_empty():
        return
    shares = ", ".join(f"{k} {show_number(v, 'share')}" for k, v in _decided(result).items())
    optional, shared = (_span(frame[name].to_list()) for name in ("n_optional", "n_tasks"))
    yield (
        f"Decided by a convention, of all pairs and tasks: {shares}. With optional tools: "
        f"{optional} of {shared} shared tasks a pair; S_node leaves out the others (table "
        "conventions)."
    )


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _graphs(measured: "Measured", edits: GraphEdits | None) -> Iterator[str]:
    if edits is None:
        n_pairs, seconds = graph_seconds(measured.made.graphs, measured.made.sample)
        long = f"{n_pairs:,} pairs, about {seconds / 60:,.0f} minutes; " if seconds > 60 else ""
        yield f"Graph edit distances were not computed ({long}--ged asks for them)."
    elif edits.stopped:
        worst = max(found.similarity_bound - found.similarity for found in edits.stopped)
        yield (
            f"{len(edits.stopped)} graph edit distances are not proven: the solver was stopped "
            f"after {edits.time_limit:g} s, and their similarities may be too low by up to "
            f"{show_number(worst, 'share')}."
        )


def _no_results(measured: "Measured") -> Iterator[str]:
    made = measured.made
    if made.n_results and not any(graph.dependency for graph in made.graphs):
        yield "No call was given what an earlier one had returned: S_dep says nothing here."


def _no_retries(result: Result) -> Iterator[str]:
    frame = result.to_frame("habits").filter(name="error_retry")
    if frame.height and frame["value"].is_null().all():
        yield "No call failed, so that retries play no part in S_seq."
