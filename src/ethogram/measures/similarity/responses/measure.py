"""RPS with everything that belongs beside it, in one call."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.similarity.responses.ablation import alignment_ablation
from ethogram.measures.similarity.responses.human_labels import read_labels, with_people
from ethogram.measures.similarity.responses.items import Limits
from ethogram.measures.similarity.responses.reliability import (
    PEOPLE,
    RETEST,
    TWO_JUDGES,
    TWO_ORDERS,
    reliability_table,
    retest,
    two_judges,
    two_orders,
)
from ethogram.measures.similarity.responses.run_pairs import MAX_PAIRS
from ethogram.measures.similarity.responses.scoring import (
    DIMENSIONS,
    NAMES,
    Judged,
    score,
    score_replies,
    scores_of,
    stage_runs,
)
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.responses.tables import coverage_table, judged_table, stages_table
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.results.judges import Judge
from ethogram.results.ratings import Ratings
from ethogram.results.table import Table
from ethogram.results.vendors import kin_warning


@dataclass(frozen=True)
class Rps:
    """What judges said of the runs of a cohort.

    Attributes
    ----------
    judged : Judged
        Stage by stage.
    replies : Judged or None
        RSE.
    whole : Judged or None
        Without stages.
    second : Judged or None
        The same questions as ``judged``, answered by a second judge.
    second_replies : Judged or None
        RSE by the second judge.
    labels : polars.DataFrame or None
        People's labels (`ethogram.measures.similarity.responses.human_labels.read_labels`).
    warnings : tuple of str
        What must not go unsaid.
    """

    judged: Judged
    replies: Judged | None = None
    whole: Judged | None = None
    second: Judged | None = None
    second_replies: Judged | None = None
    labels: pl.DataFrame | None = None
    warnings: tuple[str, ...] = ()

    @property
    def scores(self) -> list[TaskScores]:
        """``rps`` with its dimensions, then ``rps_whole`` and ``rse`` where they were asked for."""
        asked = (self.judged, self.whole, self.replies)
        return [scores for judged in asked if judged is not None for scores in scores_of(judged)]

    def tables(self, *, level: float = 0.95, seed: int = 0) -> list[Table]:
        """Scores, stages, coverage, reliability and, where whole runs were judged, the ablation.

        Parameters
        ----------
        level : float
            Nominal coverage of the intervals.
        seed : int
            Of the resamples of kappa and r.
        """
        made = [
            judged_table(self.scores, level=level),
            stages_table(self.judged),
            coverage_table(self.judged),
            reliability_table(self._compared(), level=level, seed=seed),
        ]
        if self.whole is not None:
            made.append(alignment_ablation(self.judged, self.whole, level=level))
        return made

    def _compared(self) -> Mapping[str, Iterable[tuple[str, Ratings]]]:
        """Two ratings of every judged figure, by what is compared."""
        found: dict[str, list[tuple[str, Ratings]]] = {}
        for judged, second in (
            (self.judged, self.second),
            (self.whole, None),
            (self.replies, self.second_replies),
        ):
            for comparison, name, ratings in _ratings(judged, second):
                found.setdefault(comparison, []).append((name, ratings))
        if self.labels is not None:
            found[PEOPLE] = [
                (NAMES[each], with_people(self.judged, self.labels, each))
                for each in DIMENSIONS
                if each in self.labels.columns
            ]
        return found


def _ratings(judged: Judged | None, second: Judged | None) -> Iterator[tuple[str, str, Ratings]]:
    """What is compared, the name of the score, and its two ratings."""
    if judged is None:
        return
    wanted = DIMENSIONS if judged.name == "rps" else DIMENSIONS[:1]
    for each in wanted:
        name = NAMES[each] if judged.name == "rps" else judged.name
        yield TWO_ORDERS, name, two_orders(judged, each)
        if judged.frame["sample"].n_unique() > 1:
            yield RETEST, name, retest(judged, each)
        if second is not None:
            yield TWO_JUDGES, name, two_judges(judged, second, each)


def rps(  # noqa: PLR0913  what users may say
    cohort: Cohort,
    sample: Sample,
    judge: Judge,
    *,
    second: Judge | None = None,
    taxonomy: Taxonomy | str | Path | None = None,
    limits: Limits | None = None,
    max_pairs: int = MAX_PAIRS,
    seed: int = 0,
    reference: str | Sequence[str] | None = None,
    own_repeats: bool = False,
    replies: bool = True,
    whole: bool = False,
    labels: str | Path | None = None,
) -> Rps:
    """Response Pattern Similarity of a cohort's systems, by a judge.

    One question a run sorts its items into stages; two a shared stage of each pair of runs score it
    in both orders, as many times as the judge gives samples. A `Rehearsal` of a judge in its place
    counts what this takes.

    Parameters
    ----------
    cohort : Cohort
        With its texts.
    sample : Sample
        The runs.
    judge : Judge
        Who sorts and scores.
    second : Judge, optional
        Scores the same blocks, for their agreement.
    taxonomy, limits, max_pairs, seed, reference, own_repeats
        As in `stage_runs`.
    replies : bool
        RSE, too: two questions a pair of runs.
    whole : bool
        Whole runs, too, for the ablation: two questions a pair of runs and sample.
    labels : str or Path, optional
        CSV of people's labels.

    Raises
    ------
    UnknownNameError
        If the reference or the taxonomy is not known.
    InputError
        If the taxonomy's or the labels' file is none.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, section 3.2.
    """
    people = None if labels is None else read_labels(labels)
    runs = stage_runs(
        cohort,
        sample,
        judge,
        taxonomy=taxonomy,
        limits=limits,
        max_pairs=max_pairs,
        seed=seed,
        reference=reference,
        own_repeats=own_repeats,
    )
    judged = cohort.systems.filter(pl.col("system").is_in(sample.systems))
    judges = [each for each in (judge, second) if each is not None]
    warned = (kin_warning(each.name, judged) for each in judges)
    return Rps(
        judged=score(runs, judge),
        replies=score_replies(runs, judge) if replies else None,
        whole=score(runs, judge, stages=False) if whole else None,
        second=None if second is None else score(runs, second),
        second_replies=None if second is None or not replies else score_replies(runs, second),
        labels=people,
        warnings=tuple(sentence for sentence in warned if sentence is not None),
    )
