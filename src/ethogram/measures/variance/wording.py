"""The answer in words: what a reader needs first, every number from the result itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from math import ceil, comb
from typing import Final

import polars as pl
from scipy.special import ndtri

from ethogram.measures.variance.lists import listed
from ethogram.measures.variance.pairs import MAIN
from ethogram.results.estimate import Estimate, Test
from ethogram.results.names import short_names
from ethogram.results.numbers import show_count, show_interval, show_number

ALPHA: Final = 0.05
POWER: Final = 0.8
MAX_TASKS: Final = 10_000
"""More tasks than anybody runs: a difference that small is not worth a number."""
MAX_ALL_PAIRS: Final = 4
"""Up to so many systems every pair is put into words; of more, each against the best."""
NAME_WIDTH: Final = 60
_RANGED: Final = {"cv_actions_mean": "the CV of actions", "accuracy": "accuracy"}
_DISTANCES: Final = {"percent": "percent_points", "share": "points"}
WOULD_TELL: Final = (
    "“Would tell” is meant with a power of 80 %, if the difference is as large as it seems."
)


@dataclass(frozen=True)
class Findings:
    """What is put into words.

    Attributes
    ----------
    systems : sequence of str
        Their names, in order.
    estimates : mapping
        Estimates by system and name.
    tests : sequence of Test
        Between systems.
    k_outcome : int or None
        Number of runs at which outcomes are compared.
    k_runs : int or None
        Number of runs at which the other figures about repeats are computed.
    most_runs : int
        Runs of the task that has most.
    ranges : polars.DataFrame
        Range over levels of the main figures, empty without levels.
    """

    systems: Sequence[str]
    estimates: Mapping[tuple[str, str], Estimate]
    tests: Sequence[Test]
    k_outcome: int | None
    k_runs: int | None = None
    most_runs: int = 0
    ranges: pl.DataFrame = field(default_factory=pl.DataFrame)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Names as they are written, by full name."""
        return short_names(self.systems, NAME_WIDTH)

    def known(self, name: str) -> list[tuple[str, Estimate]]:
        """Systems with an estimate of a figure that has a value, in order."""
        rows = [(system, self.estimates[system, name]) for system in self.systems]
        return [(system, estimate) for system, estimate in rows if estimate.value is not None]

    def ranked(self, name: str, *, best_first: bool) -> list[tuple[str, Estimate]]:
        """The same from high to low, or from low to high."""
        return sorted(self.known(name), key=lambda row: row[1].value or 0.0, reverse=best_first)

    def main_test(self, question: str, pair: tuple[str, str]) -> Test | None:
        """The main test of a question between two systems, whichever is first."""
        for test in self.tests:
            if test.name == question and test.main and {test.first, test.second} == set(pair):
                return test
        return None

    def effect(self, test: Test) -> float | None:
        """Size of the paired difference in units of its spread (d_z)."""
        for other in self.tests:
            same = (other.name, other.first, other.second) == (test.name, test.first, test.second)
            if same and other.effect_name == "Cohen's d_z":
                return other.effect
        return None


def summary(findings: Findings, *, by: str | None = None) -> tuple[str, ...]:
    """Sentences, the most important first; with ``by`` also how far levels move the figures."""
    over_levels = partial(_over_levels, by=by or "levels")
    parts = (
        _too_large_k,
        _steadiness,
        _course,
        _accuracy,
        over_levels,
        _amplification,
        _flips,
    )
    sentences = (sentence for part in parts for sentence in part(findings))
    return tuple(dict.fromkeys(sentences))


def _too_large_k(findings: Findings) -> Iterator[str]:
    k = findings.k_runs
    if k is not None and findings.most_runs < k:
        yield (
            f"No task has {k} runs (the most are {findings.most_runs:,}), so there are no unique "
            f"sequences, divergence, coherence and flips at k = {k}; a smaller --k gives them."
        )


def _over_levels(findings: Findings, *, by: str) -> Iterator[str]:
    """Range over levels beside the smallest gap between systems, for the main figures."""
    for name, figure in _RANGED.items():
        rows = [row for row in findings.ranges.iter_rows(named=True) if row["name"] == name]
        if not rows:
            continue
        unit = rows[0]["unit"]
        moved = listed(
            f"{findings.names[row['system']]} {_points(row['range'], unit)} "
            f"({show_number(row['lowest'], unit)} to {show_number(row['highest'], unit)})"
            for row in rows
        )
        gap = rows[0]["smallest_gap"]
        beside = "" if gap is None else f"; smallest gap between systems {_points(gap, unit)}"
        yield f"Range of {figure} over the levels of {by}: {moved}{beside}."


def _points(value: float, unit: str) -> str:
    """A distance between percentages or shares, without a sign."""
    return show_number(value, _DISTANCES[unit]).lstrip("+")


def _listed(findings: Findings, rows: Sequence[tuple[str, Estimate]], *, joint: str) -> str:
    shown = ((findings.names[system], _shown(estimate)) for system, estimate in rows)
    if len(findings.systems) == 1:
        return joint.join(figure for _, figure in shown)
    return listed((f"{name} {figure}" for name, figure in shown), joint)


def _shown(estimate: Estimate) -> str:
    return show_interval(estimate.value, estimate.low, estimate.high, estimate.unit)


def _size(estimate: Estimate) -> str:
    return f"{show_count(estimate.n_tasks, 'task')}, {show_count(estimate.n_runs, 'run')}"


def _steadiness(findings: Findings) -> Iterator[str]:
    ranked = findings.ranked("cv_actions_mean", best_first=False)
    if len(ranked) == 1:
        system, estimate = ranked[0]
        yield (
            f"{findings.names[system]}: the numbers of actions of repeats of a task spread by "
            f"{_shown(estimate)} of their mean ({_size(estimate)})."
        )
    elif ranked:
        shown = _listed(findings, ranked, joint=", then ")
        own = _own_tasks(findings, "cv_actions", ranked)
        yield f"Steadiest in the number of actions (CV over repeats of a task{own}): {shown}."
        yield from _holds(findings, "cv_actions", ranked)


def _course(findings: Findings) -> Iterator[str]:
    """When runs part and whether they take the same course afterwards."""
    alike = dict(findings.known("coherence"))
    rows = [
        (findings.names[system], _shown(estimate), _shown(alike[system]))
        for system, estimate in findings.known("divergence_mean")
        if system in alike
    ]
    if len(rows) == 1:
        name, step, share = rows[0]
        whose = f"{name}: the" if len(findings.systems) > 1 else "The"
        yield (
            f"{whose} runs of a task part at action {step} (mean over tasks), and from there on "
            f"are alike to {share}."
        )
    elif rows:
        each = listed(f"{name} {step} and {share}" for name, step, share in rows)
        yield (
            "The action at which the runs of a task part (mean over tasks), and how alike they "
            f"are from there on: {each}."
        )


def _accuracy(findings: Findings) -> Iterator[str]:
    ranked = findings.ranked("accuracy", best_first=True)
    if len(ranked) == 1:
        system, estimate = ranked[0]
        shown = _shown(estimate)
        yield f"{findings.names[system]} succeeds in {shown} of its runs ({_size(estimate)})."
    elif ranked:
        own = _own_tasks(findings, "success_rate", ranked)
        yield f"Most accurate{own}: {_listed(findings, ranked, joint=', then ')}."
        yield from _holds(findings, "success_rate", ranked)


def _own_tasks(findings: Findings, question: str, ranked: Sequence[tuple[str, Estimate]]) -> str:
    """A warning where the systems of a ranking did not run the same tasks."""
    n_tasks = {system: estimate.n_tasks for system, estimate in ranked}
    tests = (findings.main_test(question, pair) for pair in combinations(n_tasks, 2))
    same = all(t.n_tasks == n_tasks[t.first] == n_tasks[t.second] for t in tests if t is not None)
    return "" if same else ", each on its own tasks"


_ABOUT: Final = {"cv_actions": "in steadiness", "success_rate": "in accuracy"}


def _holds(
    findings: Findings, question: str, ranked: Sequence[tuple[str, Estimate]]
) -> Iterator[str]:
    """Which differences in a ranking are more than chance, and what would settle the rest."""
    order = [system for system, _ in ranked]
    about = _ABOUT[question]
    n_pairs = max(1, comb(len(findings.systems), 2))
    sure: list[tuple[str, str]] = []
    unsure: list[tuple[str, str]] = []
    for pair in _pairs(order):
        test = findings.main_test(question, pair)
        if test is None or test.p_adjusted is None:
            continue
        one, other = (findings.names[system] for system in pair)
        said = f"{other} ({_p(test.p_adjusted)} on {test.n_tasks:,} shared tasks"
        if test.p_adjusted < ALPHA:
            sure.append((one, f"{said})"))
            continue
        needed = tasks_needed(findings.effect(test), alpha=ALPHA / n_pairs)
        tells = needed is not None and test.n_tasks < needed <= MAX_TASKS
        unsure.append((one, f"{said}; about {needed:,} would tell)" if tells else f"{said})"))
    if sure:
        yield f"More than chance ({MAIN}): the difference {about} between {_differing(sure)}."
    if unsure:
        said = _differing(unsure)
        yield f"Could be chance ({MAIN}): the difference {about} between {said}."
        if "would tell" in said:
            yield WOULD_TELL


def _differing(pairs: Sequence[tuple[str, str]]) -> str:
    """``a and each of b (...), c (...); b and c (...)``: the first of a pair is named once."""
    groups: dict[str, list[str]] = {}
    for first, second in pairs:
        groups.setdefault(first, []).append(second)
    return "; ".join(
        f"{first} and {'each of ' if len(seconds) > 1 else ''}{listed(seconds)}"
        for first, seconds in groups.items()
    )


def _pairs(order: Sequence[str]) -> list[tuple[str, str]]:
    if len(order) <= MAX_ALL_PAIRS:
        return list(combinations(order, 2))
    return [(order[0], other) for other in order[1:]]


def _p(value: float) -> str:
    shown = show_number(value, "p")
    return f"adjusted p {shown}" if shown.startswith("<") else f"adjusted p = {shown}"


def _amplification(findings: Findings) -> Iterator[str]:
    """Steadiness amplifies: what is always solved, and the failures that only repeat."""
    solved = []
    for system, never in findings.known("tasks_never"):
        counts = [
            round((findings.estimates[system, f"tasks_{name}"].value or 0.0) * never.n_tasks)
            for name in ("always", "sometimes", "never")
        ]
        solved.append(
            f"{findings.names[system]} {counts[0]} of {show_count(never.n_tasks, 'task')} "
            f"in every run, {counts[1]} in some, {counts[2]} in none"
        )
    if solved:
        yield f"Solved: {listed(solved, '; ')}."
    failed = findings.known("failed_runs_on_never_solved")
    if failed:
        shown = _listed(findings, failed, joint=", ")
        some = any(estimate.value for _, estimate in failed)
        repeated = " More steadiness would only repeat these failures." if some else ""
        yield f"Share of failed runs on tasks that the system never solves: {shown}.{repeated}"


def _flips(findings: Findings) -> Iterator[str]:
    flips = findings.known("flip_rate")
    if flips:
        yield (
            f"Tasks on which {findings.k_outcome} runs don't agree about success, so that one run "
            f"misleads: {_listed(findings, flips, joint=', ')}."
        )


def tasks_needed(effect: float | None, *, alpha: float = ALPHA) -> int | None:
    """Tasks that a two-sided paired test needs to find an effect d_z with a power of 80 %.

    ``n = ((z_{1 - alpha/2} + z_0.8) / d_z)^2 + z_{1 - alpha/2}^2 / 2``: the normal approximation
    with its correction for the t distribution (Guenther 1981). None without an effect.

    >>> tasks_needed(0.5)
    34
    """
    if not effect:
        return None
    z_alpha, z_power = (float(ndtri(p)) for p in (1 - alpha / 2, POWER))
    return ceil(((z_alpha + z_power) / effect) ** 2 + z_alpha**2 / 2)
