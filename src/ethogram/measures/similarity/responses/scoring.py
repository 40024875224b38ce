"""Response Pattern Similarity: a judge compares what two runs say, stage by stage.

::

    staged = stage_runs(cohort, sample, judge)     one question a run
    judged = score(staged, judge)                  both orders of each shared stage
    scores_of(judged)                              RPS and its three dimensions, by task

Nothing here knows who judges: a judge is handed in (`ethogram.results.judges.Judge`).

References
----------
Yang et al. (2026), When Agents Look the Same, section 3.2 and appendix A.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.similarity.responses.blocks import Block, Staged, staged
from ethogram.measures.similarity.responses.items import Limits
from ethogram.measures.similarity.responses.run_pairs import MAX_PAIRS, RunPair, drawn_pairs
from ethogram.measures.similarity.responses.stages import Taxonomy, default_taxonomy, load_taxonomy
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.results.judges import Judge, ask_samples
from ethogram.results.questions import replies_question, similarity_question
from ethogram.stats.arrays import FloatArray

SCALE: Final = (1.0, 5.0)
OVERALL: Final = "overall"
DIMENSIONS: Final = (OVERALL, "style", "structure", "alignment")
NAMES: Final = {
    OVERALL: "rps",
    "style": "rps_style",
    "structure": "rps_structure",
    "alignment": "rps_alignment",
}
LABELS: Final = {
    "rps": "RPS",
    "rps_style": "RPS style",
    "rps_structure": "RPS structure",
    "rps_alignment": "RPS alignment",
    "rps_whole": "RPS without stages",
    "rse": "RSE",
}
ABOUT: Final = {
    "rps": "How alike a judge finds what two runs say in each stage both have, overall; 1 to 5.",
    "rps_style": "The same judge on wording, tone and formatting.",
    "rps_structure": "The same judge on the parts of a text and their order.",
    "rps_alignment": "The same judge on which thoughts lead to which calls.",
    "rps_whole": "The judge on whole runs, not stage by stage.",
    "rse": "How alike a judge finds all replies of two runs, in one score of 1 to 5.",
}
ORDERS: Final = ("given", "swapped")
NO_WORDS: Final = "no run has a thought or a reply"
NO_STAGES: Final = "the judge sorted no run into stages"
NO_SHARED_STAGE: Final = "no two runs of a task share a stage"
NO_ANSWER: Final = "the judge answered none of the questions"

JUDGED_SCHEMA: Final = {
    "pair": pl.Int64,
    "task": pl.String,
    "first": pl.String,
    "second": pl.String,
    "first_run": pl.String,
    "second_run": pl.String,
    "stage": pl.String,
    "order": pl.String,
    "sample": pl.Int64,
    "first_characters": pl.Int64,
    "second_characters": pl.Int64,
    "cut": pl.Boolean,
    **dict.fromkeys(DIMENSIONS, pl.Int64),
}


@dataclass(frozen=True)
class Judged:
    """What a judge said of pairs of blocks.

    Attributes
    ----------
    staged : Staged
        The runs.
    frame : polars.DataFrame
        A row a question, scores null where there was no answer; columns as `JUDGED_SCHEMA`. In the
        order ``given`` the block of ``first`` was shown first, in ``swapped`` that of ``second``.
    judge : str
        Who judged.
    name : str
        ``rps``, ``rps_whole`` (without stages) or ``rse``.
    """

    staged: Staged
    frame: pl.DataFrame
    judge: str
    name: str = "rps"

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What was scored; RSE is one score."""
        return DIMENSIONS[:1] if self.name == "rse" else DIMENSIONS


def stage_runs(  # noqa: PLR0913  what users may say
    cohort: Cohort,
    sample: Sample,
    judge: Judge,
    *,
    taxonomy: Taxonomy | str | Path | None = None,
    limits: Limits | None = None,
    max_pairs: int = MAX_PAIRS,
    seed: int = 0,
    reference: str | Sequence[str] | None = None,
    own_repeats: bool = False,
) -> Staged:
    """Draw the pairs of runs to compare, and let the judge sort their items into stages.

    Parameters
    ----------
    cohort : Cohort
        With its texts.
    sample : Sample
        The runs.
    judge : Judge
        Who sorts.
    taxonomy : Taxonomy, str or Path, optional
        The stages, or their name or file; default: customer service where agents reply to somebody,
        else coding.
    limits : Limits, optional
        How much the judge is shown.
    max_pairs, seed, reference, own_repeats
        As in `drawn_pairs`.

    Raises
    ------
    UnknownNameError
        If the reference or the taxonomy is not known.
    InputError
        If the taxonomy's file is none.
    """
    if taxonomy is None:
        taxonomy = default_taxonomy(cohort)
    elif not isinstance(taxonomy, Taxonomy):
        taxonomy = load_taxonomy(taxonomy)
    pairs = drawn_pairs(
        sample, max_pairs=max_pairs, seed=seed, reference=reference, own_repeats=own_repeats
    )
    return staged(cohort, sample, judge, pairs, taxonomy=taxonomy, limits=limits)


@dataclass(frozen=True)
class _Asked:
    """A pair of blocks in both orders."""

    pair: int
    stage: str
    first: Block
    second: Block


def score(runs: Staged, judge: Judge, *, stages: bool = True) -> Judged:
    """Ask a judge how alike blocks are: each stage that both runs have, in both orders.

    Parameters
    ----------
    runs : Staged
        The runs; another judge may have sorted them.
    judge : Judge
        Who judges, as many times as it gives samples.
    stages : bool
        False: whole runs in place of stages (the ablation of Table 6).
    """
    asked = list(_shared(runs, stages=stages))
    about = runs.taxonomy.stages
    questions = [
        similarity_question(*texts, stage=f"{each.stage}: {about[each.stage]}" if stages else None)
        for each in asked
        for texts in _orders(each)
    ]
    answers = ask_samples(judge, questions)
    rows = [
        {**row, **{name: getattr(value, name) for name in DIMENSIONS}} if value else row
        for row, value in _rows(runs, asked, answers)
    ]
    return _judged(runs, rows, judge, "rps" if stages else "rps_whole")


def score_replies(runs: Staged, judge: Judge) -> Judged:
    """RSE: one score of all replies of two runs, thoughts, calls and stages apart, in both orders.

    References
    ----------
    Lee et al. (2025), Quantification of large language model distillation.
    """
    replies = runs.replies()
    asked = [
        _Asked(number, "", first, second)
        for number, pair in enumerate(runs.pairs)
        if (first := replies[pair.first]) and (second := replies[pair.second])
    ]
    questions = [replies_question(*texts) for each in asked for texts in _orders(each)]
    answers = ask_samples(judge, questions)
    rows = [
        {**row, OVERALL: value.score} if value else row
        for row, value in _rows(runs, asked, answers)
    ]
    return _judged(runs, rows, judge, "rse")


def _shared(runs: Staged, *, stages: bool) -> Iterator[_Asked]:
    blocks = runs.blocks(stages=stages)
    for number, pair in enumerate(runs.pairs):
        first, second = blocks[pair.first], blocks[pair.second]
        for stage in first:
            if stage in second:
                yield _Asked(number, stage, first[stage], second[stage])


def _orders(asked: _Asked) -> tuple[tuple[str, str], tuple[str, str]]:
    first, second = asked.first.text, asked.second.text
    return (first, second), (second, first)


def _rows(
    runs: Staged, asked: Sequence[_Asked], answers: Sequence[Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """A row for each question and sample without its scores, and the answer."""
    places = ((each, order) for each in asked for order in ORDERS)
    for (each, order), samples in zip(places, answers, strict=True):
        pair = runs.pairs[each.pair]
        row = {
            **_named(runs.sample, each.pair, pair),
            "stage": each.stage or None,
            "order": order,
            "first_characters": each.first.n_characters,
            "second_characters": each.second.n_characters,
            "cut": each.first.cut or each.second.cut,
        }
        for number, value in enumerate(samples):
            yield {**row, "sample": number}, value


def _named(sample: Sample, number: int, pair: RunPair) -> dict[str, Any]:
    run_ids = sample.runs["run_id"]
    return {
        "pair": number,
        "task": sample.tasks[pair.task],
        "first": sample.systems[sample.system[pair.first]],
        "second": sample.systems[sample.system[pair.second]],
        "first_run": run_ids[pair.first],
        "second_run": run_ids[pair.second],
    }


def _judged(runs: Staged, rows: list[dict[str, Any]], judge: Judge, name: str) -> Judged:
    return Judged(runs, pl.DataFrame(rows, schema=JUDGED_SCHEMA), judge.name, name)


def case_scores(judged: Judged, *, by: Sequence[str] = ()) -> pl.DataFrame:
    """Scores of each pair of runs: the mean over shared stages of the mean over answers.

    Parameters
    ----------
    judged : Judged
        What the judge said.
    by : sequence of str
        Further columns that tell cases apart (``sample``).

    Returns
    -------
    polars.DataFrame
        ``pair``, the columns of ``by``, the judged dimensions and ``n_stages``; pairs without an
        answer are missing. An order or sample without an answer leaves the mean to the others.
    """
    known = judged.frame.filter(pl.col(OVERALL).is_not_null())
    a_stage = known.group_by("pair", *by, "stage").agg(pl.col(judged.dimensions).mean())
    return (
        a_stage.group_by("pair", *by)
        .agg(pl.col(judged.dimensions).mean(), n_stages=pl.len())
        .sort("pair", *by)
    )


def scores_of(judged: Judged) -> list[TaskScores]:
    """Scores of all pairs of systems at all tasks: means over the pairs of runs that were judged.

    Returns
    -------
    list of TaskScores
        ``rps`` and its three dimensions from 1 to 5; ``rps_whole`` alone without stages, ``rse``
        alone for replies. NaN where no pair of runs has a score; ``repeats`` where pairs of one
        system's runs were judged.
    """
    cases = case_scores(judged)
    pairs = [judged.staged.pairs[number] for number in cases["pair"]]
    sample = judged.staged.sample
    reason = None if pairs else _why_none(judged)
    wanted = DIMENSIONS if judged.name == "rps" else (OVERALL,)
    return [
        _task_scores(
            NAMES[dimension] if judged.name == "rps" else judged.name,
            cases[dimension].to_numpy(),
            pairs,
            sample,
            reason,
        )
        for dimension in wanted
    ]


def _task_scores(
    name: str,
    values: FloatArray,
    pairs: Sequence[RunPair],
    sample: Sample,
    reason: str | None,
) -> TaskScores:
    n_systems, n_tasks = len(sample.systems), len(sample.tasks)
    sums, counts = np.zeros((2, n_systems, n_systems, n_tasks))
    for value, pair in zip(values, pairs, strict=True):
        one, other = sample.system[pair.first], sample.system[pair.second]
        for place in {(one, other, pair.task), (other, one, pair.task)}:
            sums[place] += value
            counts[place] += 1
    with np.errstate(invalid="ignore"):
        means = sums / counts
    diagonal = np.arange(n_systems)
    return TaskScores(
        name=name,
        systems=sample.systems,
        tasks=sample.tasks,
        values=means,
        repeats=means[diagonal, diagonal],
        runs=sample.n_runs,
        label=LABELS[name],
        about=ABOUT[name],
        bounds=SCALE,
        reason=reason,
    )


def _why_none(judged: Judged) -> str:
    """Why no pair has a score, from the first step that failed."""
    runs = judged.staged
    if not any(runs.items):
        return NO_WORDS
    if judged.name == "rps" and not any(runs.labels):
        return NO_STAGES
    return NO_ANSWER if judged.frame.height else NO_SHARED_STAGE
