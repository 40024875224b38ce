"""Tables of judged similarity: scores of pairs of systems, single stages, and what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from ethogram.measures.similarity.field.means import (
    Asked,
    estimates,
    joint_runs,
    label_of_scores,
    pair_places,
    pair_values,
    side_by_side,
)
from ethogram.measures.similarity.responses.scoring import OVERALL, Judged
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.results.table import Column, Table

PAIR: Final = ("first", "second")
COVERAGE_COLUMNS: Final = (
    Column("first", "first"),
    Column("second", "second"),
    Column("n_tasks", "tasks both ran", "count"),
    Column("n_pairs", "pairs of runs", "count", "Drawn for judging"),
    Column("n_no_words", "without words", "count", "A run has neither thought nor reply"),
    Column("n_not_sorted", "not sorted", "count", "The judge sorted a run into no stages"),
    Column("n_no_stage", "no shared stage", "count"),
    Column("n_no_answer", "no answer", "count", "No question about the pair was answered"),
    Column("n_scored", "scored", "count"),
    Column("n_stages", "shared stages", "", "Mean over scored pairs of runs"),
    Column("cut", "blocks cut", "share", "Questions in which a block was too long to show whole"),
)
STAGE_COLUMNS: Final = (
    Column("first", "first"),
    Column("second", "second"),
    Column("stage", "stage"),
    Column("score", "overall", "", "Mean over tasks"),
    Column("n_tasks", "tasks", "count"),
)


def judged_table(scores: Sequence[TaskScores], *, level: float = 0.95) -> Table:
    """Mean judged similarity over tasks of every pair of systems that was judged.

    Returns
    -------
    Table
        ``rps``: estimates with the keys ``first`` and ``second``, on the scale from 1 to 5, named
        as the scores. Pairs of systems for which no pair of runs was drawn are missing.
    """
    rows = []
    for each in scores:
        first, second = pair_places(len(each.systems))
        asked = Asked(each.name, unit="", bounds=each.bounds, level=level)
        runs = joint_runs(each, first, second)
        found = estimates(asked, each, pair_values(each, first, second), runs)
        rows += [
            ({"first": each.systems[one], "second": each.systems[other]}, estimate)
            for one, other, estimate in zip(first, second, found, strict=True)
        ]
    table = side_by_side(
        "rps",
        "How alike a judge finds what systems say",
        rows,
        {each.name: label_of_scores(each) for each in scores},
        keys=PAIR,
        about="1: nothing alike, 5: alike throughout. Mean over shared stages, then over tasks.",
    )
    return replace(table, main=True)


def coverage_table(judged: Judged) -> Table:
    """What became of the pairs of runs that were drawn.

    Returns
    -------
    Table
        ``rps_coverage``: a row a pair of systems; the counts of a row add up to ``n_pairs``.
    """
    frame = pl.DataFrame(list(_fates(judged)), schema={**dict.fromkeys(PAIR, pl.String), **_FATE})
    questions = judged.frame.group_by("pair").agg(
        answered=pl.col(OVERALL).is_not_null().any(),
        stages=pl.col("stage").filter(pl.col(OVERALL).is_not_null()).n_unique(),
        cut=pl.col("cut").mean(),
    )
    known = frame.join(questions, on="pair", how="left", maintain_order="left")
    asked, answered = pl.col("answered").is_not_null(), pl.col("answered").fill_null(value=False)
    usable = pl.col("words") & pl.col("sorted")
    counted = known.group_by(PAIR, maintain_order=True).agg(
        n_tasks=pl.col("task").n_unique().cast(pl.Int64),
        n_pairs=pl.len().cast(pl.Int64),
        n_no_words=(~pl.col("words")).sum().cast(pl.Int64),
        n_not_sorted=(pl.col("words") & ~pl.col("sorted")).sum().cast(pl.Int64),
        n_no_stage=(usable & ~asked).sum().cast(pl.Int64),
        n_no_answer=(asked & ~answered).sum().cast(pl.Int64),
        n_scored=answered.sum().cast(pl.Int64),
        n_stages=pl.col("stages").filter(answered).mean(),
        cut=pl.col("cut").mean(),
    )
    return Table(
        "rps_coverage",
        "What the judged scores rest on",
        counted.sort(PAIR),
        columns=COVERAGE_COLUMNS,
        about="Pairs of runs: all that were drawn, why some have no score, and what was shown.",
    )


_FATE: Final = {"pair": pl.Int64, "task": pl.Int64, "words": pl.Boolean, "sorted": pl.Boolean}


def _fates(judged: Judged) -> Iterator[dict[str, Any]]:
    runs = judged.staged
    sample = runs.sample
    needs_stages = judged.name == "rps"
    has = runs.replies() if judged.name == "rse" else runs.items
    for number, pair in enumerate(runs.pairs):
        both = (pair.first, pair.second)
        yield {
            "first": sample.systems[sample.system[pair.first]],
            "second": sample.systems[sample.system[pair.second]],
            "pair": number,
            "task": pair.task,
            "words": all(has[place] for place in both),
            "sorted": not needs_stages or all(runs.labels[place] is not None for place in both),
        }


def stages_table(judged: Judged) -> Table:
    """Mean overall score of every pair of systems in each stage, in the order of the taxonomy."""
    order = {stage: place for place, stage in enumerate(judged.staged.taxonomy.stages)}
    by_task = judged.frame.group_by(*PAIR, "stage", "task", "pair").agg(pl.col(OVERALL).mean())
    frame = (
        by_task.drop_nulls(OVERALL)
        .group_by(*PAIR, "stage", "task")
        .agg(pl.col(OVERALL).mean())
        .group_by(*PAIR, "stage")
        .agg(score=pl.col(OVERALL).mean(), n_tasks=pl.len().cast(pl.Int64))
        .sort(*PAIR, pl.col("stage").replace_strict(order, default=len(order)))
    )
    return Table(
        "rps_stages",
        "In which stages are they alike?",
        frame,
        columns=STAGE_COLUMNS,
        about="Over the tasks where both have the stage.",
    )
