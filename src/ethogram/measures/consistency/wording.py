"""The result in sentences: what a reader needs first, and what must be read with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import polars as pl

from ethogram.measures.consistency.axes import STEADY, Axes
from ethogram.measures.consistency.controls import on_shared_tasks, sources
from ethogram.measures.consistency.evidence import Evidence
from ethogram.measures.consistency.pairs import AlikePair, headline
from ethogram.measures.consistency.scales import FEW_TASKS
from ethogram.measures.consistency.systems import Rows
from ethogram.results.estimate import Estimate
from ethogram.results.names import short_names
from ethogram.results.numbers import show_interval, show_number

CHANCE: Final = 0.5


@dataclass(frozen=True)
class Findings:
    """What is put into words."""

    evidence: Evidence
    systems: Rows
    predictor: Mapping[str, Estimate]
    axes: Mapping[str, Axes]
    alike: Sequence[AlikePair]
    folds: str
    seed: int

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Names as they are written, by full name."""
        return short_names(self.evidence.sample.systems, 60)

    @cached_property
    def by_name(self) -> Mapping[tuple[str, str], Estimate]:
        """Estimates by system and figure."""
        return {(keys["system"], found.name): found for keys, found in self.systems}

    def value(self, system: str, name: str) -> float | None:
        """Value of a figure."""
        return self.by_name[system, name].value


def readable(auc: Estimate) -> bool:
    """Whether the predictor is better than chance: its AUC's interval lies above 0.5."""
    return auc.low is not None and auc.low > CHANCE


def summary(findings: Findings) -> tuple[str, ...]:
    """Sentences, the most important first."""
    parts = (_predictor, _ranking, _nulls, _profiles, _apart, _sources)
    return tuple(sentence for part in parts for sentence in part(findings))


def _shown(found: Estimate) -> str:
    return show_interval(found.value, found.low, found.high, found.unit)


def _predictor(findings: Findings) -> Iterator[str]:
    auc = findings.predictor["auc"]
    if readable(auc):
        return
    why = (
        f"its AUC, {_shown(auc)}, can't be told from chance (0.5)"
        if auc.low is not None
        else f"its AUC ({_shown(auc)}) has no interval: {auc.reason or auc.method}"
    )
    yield f"BCM can't be read here: it explains a predictor of success, and {why}."


def _ranking(findings: Findings) -> Iterator[str]:
    first = f"cross_task{headline(findings.evidence)}"
    rows = [
        (system, findings.by_name[system, first]) for system in findings.evidence.sample.systems
    ]
    parts = []
    for system, found in sorted(rows, key=lambda row: -(row[1].value or 0.0)):
        if found.value is None:
            continue
        beside = [
            f"{label} {show_number(findings.value(system, name), 'correlation')}"
            for label, name in _BESIDE.items()
            if name != first and findings.value(system, name) is not None
        ]
        parts.append(f"{findings.names[system]} {_shown(found)} ({', '.join(beside)})")
    if parts:
        less = " minus its null" if findings.evidence.shuffled else ""
        yield (
            "Runs of different tasks succeed or fail for similar reasons (BCM across tasks, with "
            f"success offset{less}; 1: the same, 0: unrelated): {'; '.join(parts)}."
        )


_BESIDE: Final = {
    "with success offset": "cross_task_offset",
    "raw": "cross_task",
    "raw minus its null": "cross_task_minus_null",
}
"""What stands in brackets beside the first figure."""


def _nulls(findings: Findings) -> Iterator[str]:
    if not findings.evidence.shuffled:
        yield (
            "Outcomes were not shuffled, so that nothing tells how much of these figures outcomes "
            "without meaning would give, and no system is called steady or not (--controls quick)."
        )
    empty = [
        findings.names[system]
        for system in findings.evidence.sample.systems
        if (found := findings.by_name[system, "cross_task_offset_minus_null"]).low is not None
        and found.low <= 0
    ]
    if empty:
        yield (
            "BCM across tasks with success offset is not clearly more than with outcomes shuffled "
            f"within systems for {', '.join(empty)}: nothing shows that these systems' runs of "
            "different tasks succeed or fail for similar reasons."
        )


def _profiles(findings: Findings) -> Iterator[str]:
    by_profile: dict[str, list[str]] = {}
    for system, found in findings.axes.items():
        by_profile.setdefault(found.profile["_offset"], []).append(findings.names[system])
    said = "; ".join(f"{profile}: {', '.join(names)}" for profile, names in by_profile.items())
    if said and set(by_profile) != {"not enough data"}:
        yield f"At one task and from task to task (success offset, threshold {STEADY:g}): {said}."


def _apart(findings: Findings) -> Iterator[str]:
    figure = f"cross_task{headline(findings.evidence)}"
    apart = [
        f"{findings.names[pair.first]} and {findings.names[pair.second]}"
        for pair in findings.alike
        if pair.apart(figure)
    ]
    if apart:
        less = " minus its null" if findings.evidence.shuffled else ""
        yield (
            "Alike in success (within 5 points) and clearly apart in BCM across tasks with success "
            f"offset{less}: {'; '.join(apart)}."
        )


def _sources(findings: Findings) -> Iterator[str]:
    n = int(on_shared_tasks(findings.evidence.sample).sum())
    shared = (
        f"BCM on the tasks that all systems ran ({n:,} runs) is among the controls."
        if n
        else "No task was run by all systems, so that nothing can tell the two apart."
    )
    for kind, values in sources(findings.evidence.sample).items():
        yield (
            f"Systems come from different {kind}s ({', '.join(values)}): {kind} and behaviour are "
            f"confounded. {shared}"
        )


def notes(findings: Findings) -> tuple[str, ...]:
    """What was left out, and how the figures were made."""
    parts = (_left_out, _method, _few_tasks, _filtered, _subsample, _missing)
    return tuple(sentence for part in parts for sentence in part(findings))


def _left_out(findings: Findings) -> Iterator[str]:
    for system, why, n in findings.evidence.sample.left_out.iter_rows():
        yield f"{system}: {n:,} run{'' if n == 1 else 's'} left out of every figure ({why})."


def _method(findings: Findings) -> Iterator[str]:
    sample = findings.evidence.sample
    n_folds = len(set(findings.evidence.observed.folds.tolist()))
    how = {
        "tasks": "a task's runs stay in one fold",
        "stratified": "runs of a task may be on both sides of a fold, as published",
    }[findings.folds]
    yield (
        f"LightGBM, 100 trees, learnt from {len(sample.success):,} runs in {n_folds} folds "
        f"({how}), seed {findings.seed}; attributions are of runs that the trees had not seen. "
        "Intervals draw tasks and take the fitted trees as given."
    )
    folds = findings.predictor["auc_folds"]
    yield (
        f"AUC {_shown(findings.predictor['auc'])} pooled, {_shown(folds)} in the mean over folds "
        f"({folds.method}); within systems, with success offset, "
        f"{_shown(findings.predictor['auc_within_systems'])}."
    )


def _few_tasks(findings: Findings) -> Iterator[str]:
    few = [
        f"{findings.names[system]} ({found.n_tasks})"
        for system, found in findings.axes.items()
        if found.n_tasks < FEW_TASKS
    ]
    if few:
        yield (
            f"Fewer than {FEW_TASKS} tasks with three runs, so that BCM within a task is shown and "
            f"not judged: {', '.join(few)}."
        )


def _filtered(findings: Findings) -> Iterator[str]:
    raw = sum(found.n_excluded for keys, found in findings.systems if found.name == "global")
    total = len(findings.evidence.sample.success)
    yield (
        f"Near-zero filter: {raw:,} of {total:,} runs have attributions of length 1e-9 or less and "
        "no direction."
    )


def _subsample(findings: Findings) -> Iterator[str]:
    evidence = findings.evidence
    used, total = len(evidence.null_sample.success), len(evidence.sample.success)
    if evidence.shuffled and used < total:
        yield (
            f"Permutations work on {used:,} of {total:,} runs, balanced over systems, with whole "
            "tasks; the observed figure that they are compared with does too (--all lifts that)."
        )


def _missing(findings: Findings) -> Iterator[str]:
    sample = findings.evidence.sample
    frame = pl.DataFrame(sample.features, schema=list(sample.names)).fill_nan(None)
    absent = [name for name in sample.names if frame[name].null_count() == frame.height]
    if absent:
        yield f"No run gives {', '.join(absent)} (ethogram relabel labels actions)."
