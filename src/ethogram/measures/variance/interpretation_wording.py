"""What a judge's reading of failed runs says in words, and what must be read with it."""

from collections.abc import Iterator, Mapping
from typing import Final

from ethogram.cohort import Cohort
from ethogram.measures.variance.failed_runs import counted
from ethogram.measures.variance.interpretation import DISAGREE
from ethogram.measures.variance.interpreted import Interpreted
from ethogram.measures.variance.lists import listed
from ethogram.measures.variance.questioning import Questioning
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval
from ethogram.results.table import Table
from ethogram.results.vendors import kin_warning

_ABOUT: Final[Mapping[str, str]] = {
    "failure": "why a run failed",
    "failure_reversed": "the same in the opposite order",
    "goal": "the goal of a submission",
    "same_goals": "which goals are the same",
}


def interpretation_summary(found: Interpreted, tables: Mapping[str, Table]) -> Iterator[str]:
    """What the judge found of each system, and how far it agrees with itself."""
    shares, agreed = tables["interpretation"].frame, tables["judge_agreement"].frame
    names = short_names(found.study.systems, 60)
    for system in found.study.systems:
        own = {row["name"]: row for row in shares.filter(system=system).iter_rows(named=True)}
        error, steady = own["interpretation_errors"], own["consistent_wrong_interpretation"]
        if error["value"] is None:
            continue
        again = ""
        if steady["value"] is not None:
            again = f"; {_shown(steady)} are the same misreading in all runs of their task"
        yield (
            f"{names[system]}: by the judge {found.first.judge.name} {_shown(error)} of "
            f"{_number(error['n_runs'], 'failed run')} misread the task{again}."
        )
    rows = {row["name"]: row for row in agreed.filter(comparison="two orders").to_dicts()}
    if rows["exact"]["value"] is not None:
        kappa = rows["kappa"]
        shown = _shown(kappa) if kappa["value"] is not None else kappa["reason"]
        yield (
            f"Asked with the texts in the opposite order the judge says the same of "
            f"{_shown(rows['exact'])} of the failures (Cohen's kappa {shown})."
        )


def _shown(row: Mapping[str, float]) -> str:
    return show_interval(row["value"], row["low"], row["high"], str(row["unit"]))


def interpretation_notes(found: Interpreted, cohort: Cohort) -> Iterator[str]:
    """What was left out, what is missing, and why the judge may be wrong."""
    judges = [each for each in (found.first, found.second) if each is not None]
    yield from _left_out(found)
    for questioning in judges:
        yield from _unanswered(questioning)
    yield from _read_with_care(found)
    for questioning in judges:
        if warning := kin_warning(questioning.judge.name, cohort.systems):
            yield warning


def _left_out(found: Interpreted) -> Iterator[str]:
    if not found.failed.runs:
        yield "No run is recorded as failed, so there was nothing to ask a judge."
        return
    reasons = [f"{why} {n:,}" for why, n in counted(found.failed.runs).items() if n]
    if reasons:
        yield (
            f"Failed runs that no judge was asked about: {', '.join(reasons)}, of "
            f"{len(found.failed.runs):,}."
        )


def _unanswered(questioning: Questioning) -> Iterator[str]:
    missing = [
        f"{_ABOUT[prompt]} {questioning.missing[prompt]:,} of {asked:,}"
        for prompt, asked in questioning.asked.items()
        if questioning.missing[prompt]
    ]
    if missing:
        yield (
            f"Questions that {questioning.judge.name} left without an answer: "
            f"{', '.join(missing)}. Their runs and tasks are in no figure that needs them."
        )


def _read_with_care(found: Interpreted) -> Iterator[str]:
    runs = found.failed.judged
    if not runs:
        return
    without = sum(run.reference is None for run in runs)
    if without:
        share = "none" if without == len(runs) else f"{len(runs) - without:,} of {len(runs):,}"
        yield (
            f"A right solution is recorded for {share} of the judged runs; without one the judge "
            "compares with the task's text alone."
        )
    apart = sum(reading.verdict == DISAGREE for reading in found.readings)
    if apart:
        yield f"On {_number(apart, 'run')} the two orders disagree: they count by halves."
    cut = sum(run.n_cut > 0 for run in runs)
    if cut:
        yield f"Texts of {_number(cut, 'judged run')} were cut in the middle for their length."
    masked = sum(run.n_masked > 0 for run in runs)
    if masked:
        yield f"Names of systems or models are masked in texts of {_number(masked, 'judged run')}."
    if found.failed.mask.too_short:
        names = listed(found.failed.mask.too_short)
        yield f"Too short to be masked in the texts: the names {names}."


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
