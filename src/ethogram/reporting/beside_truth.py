"""What was found in simulated runs beside what is true of the systems that made them."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
import polars as pl

from ethogram.measures.variance import CATALOGUE
from ethogram.measures.variance.tables import estimates
from ethogram.results import Estimate, Provenance, Result, Table
from ethogram.results.names import label_of
from ethogram.results.table import ESTIMATE_SCHEMA
from ethogram.simulate import Policy, Truth, true_parameters

_SHARES: Final[Mapping[str, str]] = {"first_action_share": "first_actions"}
"""Figures that stand in a table of their own, without intervals."""

TABLES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "steadiness": (
        "How steady they are",
        ("actions_mean", "cv_actions_mean", "divergence_mean", "diverged_by_1", "diverged_by_5"),
    ),
    "success": (
        "How often they succeed",
        ("accuracy", "pass_at_k", "pass_hat_k", "flip_rate", "tasks_never", "icc1"),
    ),
    "phases": ("What their actions do", ("phase_share",)),
    "failures": (
        "How they fail",
        ("failure_rate", "nonempty_submissions", "failed_runs_on_never_solved"),
    ),
    "first_actions": ("How they begin", ("first_action_share",)),
    "spending": ("What they take", ("tokens_mean", "cost_mean", "duration_mean")),
}
"""Table -> its title and its figures."""
_RARE: Final = 0.05
"""First actions that all systems take more rarely are not shown."""

Pair: TypeAlias = tuple[str, Truth, Estimate]
"""A system, something true of it, and what was found."""


def beside_truth(found: Result, systems: Sequence[Policy], *, n_runs: int) -> Result:
    """Figures that were found beside the true ones.

    Parameters
    ----------
    found : Result
        Of `ethogram.measures.variance`.
    systems : sequence of Policy
        The simulated systems.
    n_runs : int
        Runs of each at each task.

    Returns
    -------
    Result
        Kind ``demo`` with the tables of `TABLES`: two estimates a figure, ``true`` and ``found``.
        The true ones are of the population from which tasks are drawn, and so are the intervals.
    """
    shown = {name for _, names in TABLES.values() for name in names}
    pairs = [
        (policy.name, truth, estimate)
        for policy in systems
        for truth in true_parameters(policy, k=n_runs, n_runs=n_runs)
        if truth.name in shown
        and not (truth.name == "first_action_share" and truth.value < _RARE)
        and (estimate := _found(found, policy.name, truth)) is not None
    ]
    return Result(
        kind="demo",
        tables={name: _table(name, pairs) for name in TABLES},
        notes=_notes(systems),
        summary=_summary(pairs),
        provenance=Provenance(
            measure="demo",
            measure_version=1,
            cohort_digest=found.provenance.cohort_digest,
            seed=found.provenance.seed,
        ),
    )


def _found(found: Result, system: str, truth: Truth) -> Estimate | None:
    """Look up what was found: an estimate, or a share in a table that has no intervals."""
    if truth.name in _SHARES:
        return _share(found, system, truth)
    keys = {"system": system, **truth.keys}
    for table in found.tables.values():
        if table.is_estimates and set(keys) <= set(table.frame.columns):
            wanted = [pl.col(key) == value for key, value in keys.items()]
            rows = table.frame.filter(pl.col("name") == truth.name, *wanted)
            if rows.height == 1:
                return msgspec.convert(rows.select(*ESTIMATE_SCHEMA).row(0, named=True), Estimate)
    return None


def _share(found: Result, system: str, truth: Truth) -> Estimate:
    rows = found.to_frame(_SHARES[truth.name]).filter(pl.col("system") == system)
    own = rows.filter(*(pl.col(key) == value for key, value in truth.keys.items()))
    return Estimate(
        name=truth.name,
        unit=truth.unit,
        value=float(own["share"].sum()),
        n_tasks=0,
        n_runs=int(rows["n_runs"].sum()),
        method="share of runs, without an interval",
    )


def _as_estimate(truth: Truth, beside: Estimate) -> Estimate:
    return Estimate(
        name=truth.name,
        unit=beside.unit,
        value=truth.value,
        n_tasks=beside.n_tasks,
        n_runs=beside.n_runs,
        method=truth.method,
    )


def _table(name: str, pairs: Sequence[Pair]) -> Table:
    """Two estimates a figure, those of one figure beside each other."""
    title, names = TABLES[name]
    rows = [
        (
            {"of": ", ".join(truth.keys.values()), "system": system, "value_is": which},
            estimate if which == "found" else _as_estimate(truth, estimate),
        )
        for system, truth, estimate in pairs
        for which in ("true", "found")
        if truth.name in names
    ]
    parts = list(dict.fromkeys(key["of"] for key, _ in rows))
    rows.sort(
        key=lambda row: (
            names.index(row[1].name),
            parts.index(row[0]["of"]),
            row[0]["value_is"] == "found",
        )
    )
    return estimates(
        name,
        title,
        rows,
        ["of", "system", "value_is"],
    )


def _notes(systems: Sequence[Policy]) -> tuple[str, ...]:
    return (
        *(f"{policy.name}: {policy.about}" for policy in systems),
        "True values are computed from the policies, not from the runs; they and the intervals "
        "speak of all tasks that could have been drawn.",
        "The true CV is the mean sample CV of as many runs as each task has here; that of very "
        "many runs would be larger, because the standard deviation of few runs is biased low.",
    )


def _summary(pairs: Sequence[Pair]) -> tuple[str, ...]:
    ranged = [
        (f"{_label(truth)} of {system}", estimate.low <= truth.value <= estimate.high)
        for system, truth, estimate in pairs
        if estimate.low is not None and estimate.high is not None
    ]
    if not ranged:
        return ("There are too few tasks for intervals.",)
    outside = [name for name, inside in ranged if not inside]
    hits = len(ranged) - len(outside)
    first = f"{hits} of {len(ranged)} intervals contain the true value."
    return (first, f"Outside: {'; '.join(outside)}.") if outside else (first,)


def _label(truth: Truth) -> str:
    known = CATALOGUE.get(truth.name)
    label = known.label if known else label_of(truth.name)
    return " ".join((label, *truth.keys.values()))
