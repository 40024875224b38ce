"""The demo: simulated systems whose true figures are known, through the whole package.

Simulated runs are written as mini-SWE-agent files that don't say whether they succeeded, with
SWE-bench-style reports that do, and then take the way of anybody's files: reader, join of outcomes,
measures, report. What was found is put beside what is true.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.formats.mini_swe_agent_write import LAYOUT, write
from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.measures.variance.tables import estimates
from ethogram.results import Estimate, Provenance, Result, Table
from ethogram.results.table import ESTIMATE_SCHEMA
from ethogram.simulate import DEFAULT, Policy, Truth, simulate, true_parameters
from ethogram.simulate.draw import BENCHMARK
from ethogram.trajectory import Trajectory

REPORTS: Final = "{system}.run{trial}.json"
_SHARES: Final[Mapping[str, str]] = {
    "first_action_share": "first_actions",
    "failure_share": "failure_modes",
}
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
        ("failure_rate", "failure_share", "nonempty_submissions", "failed_runs_on_never_solved"),
    ),
    "first_actions": ("How they begin", ("first_action_share",)),
    "spending": ("What they take", ("tokens_mean", "cost_mean", "duration_mean")),
}
"""Table -> its title and its figures."""
_RARE: Final = 0.05
"""First actions that all systems take more rarely are not shown."""

Pair: TypeAlias = tuple[str, Truth, Estimate]
"""A system, something true of it, and what was found."""


@dataclass(frozen=True)
class DemoResult:
    """What the demo leaves behind.

    Parameters
    ----------
    folder : Path
        Holds ``trajectories``, ``reports``, ``cohort``, ``policies.json`` and ``report.html``.
    report : Path
        The page.
    cohort : Cohort
        The runs as they were read.
    variance : Result
        What was found.
    comparison : Result
        What was found beside what is true.
    """

    folder: Path
    report: Path
    cohort: Cohort
    variance: Result
    comparison: Result


def demo(
    folder: str | Path,
    *,
    seed: int = 0,
    n_tasks: int = 20,
    n_runs: int = 5,
    progress: Callable[[str], None] = lambda _: None,
) -> DemoResult:
    """Simulate three systems, read their runs as if they were anybody's, and report.

    Parameters
    ----------
    folder : str or Path
        Made if it doesn't exist. A demo that is there already is written over.
    seed : int
        Same seed, same runs and same figures.
    n_tasks, n_runs : int
        Tasks, and runs of each system at each.
    progress : callable
        Called with one sentence before each part.

    Raises
    ------
    UsageError
        If there are fewer than two runs a task, or the folder holds trajectories that this demo
        does not write.
    """
    if n_tasks < 1 or n_runs < 2:
        raise UsageError(
            f"the demo needs a task and two runs of it; got n_tasks={n_tasks}, n_runs={n_runs}"
        )
    root = Path(folder)
    progress(
        f"Simulating {len(DEFAULT)} systems at {n_tasks} tasks, {n_runs} runs each (seed {seed})"
    )
    runs = list(simulate(n_tasks=n_tasks, n_runs=n_runs, seed=seed))
    progress(f"Writing {len(runs)} mini-SWE-agent files and their reports to {root}")
    _write(runs, root)
    progress("Reading them as anybody's files")
    cohort = read(
        root / "trajectories",
        out=root / "cohort",
        fresh=True,
        layout=LAYOUT,
        benchmark=BENCHMARK,
        outcomes=str(root / "reports" / REPORTS),
    )
    progress("Measuring variance")
    found = variance(cohort, seed=seed)
    comparison = beside_truth(found, DEFAULT, n_runs=n_runs)
    progress("Writing the report")
    from ethogram.reporting import report  # noqa: PLC0415  pages need the plots, which load slowly

    page = report(cohort, root / "report.html", seed=seed, also=[comparison])
    return DemoResult(
        folder=root, report=page, cohort=cohort, variance=found, comparison=comparison
    )


def _write(runs: Sequence[Trajectory], root: Path) -> None:
    folder = root / "trajectories"
    # the files of real agents don't know whether they succeeded: the reports say it
    silent = [
        msgspec.structs.replace(
            run, outcome=msgspec.structs.replace(run.outcome, success=None, source=None)
        )
        for run in runs
    ]
    written = set(write(silent, folder))
    foreign = [path for path in folder.rglob("*") if path.is_file() and path not in written]
    if foreign:
        raise UsageError(
            f"{folder} holds {len(foreign)} files that are not of this demo, such as "
            f"{foreign[0].name}: name an empty folder"
        )
    reports = root / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    for name, content in _reports(runs):
        _write_json(reports / name, content)
    _write_json(root / "policies.json", {policy.name: policy for policy in DEFAULT})


def _write_json(path: Path, content: object) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1))


def _reports(runs: Iterable[Trajectory]) -> Iterator[tuple[str, Mapping[str, list[str]]]]:
    """Reports as SWE-bench's harness writes them: one for each system and trial."""
    reports: dict[str, dict[str, list[str]]] = defaultdict(
        lambda: {"resolved_ids": [], "unresolved_ids": [], "empty_patch_ids": []}
    )
    for run in runs:
        name = REPORTS.format(system=run.system.name, trial=run.trial)
        state = "unresolved" if run.submission else "empty_patch"
        key = "resolved_ids" if run.outcome.success else f"{state}_ids"
        reports[name][key].append(run.task.task_id or "")
    yield from reports.items()


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
        "True values are computed from the policies, not from the runs; they and the intervals speak "
        "of all tasks that could have been drawn.",
        "The true CV is the mean sample CV of as many runs as each task has here; that of very "
        "many runs would be larger, because the standard deviation of few runs is biased low.",
    )


def _summary(pairs: Sequence[Pair]) -> tuple[str, ...]:
    ranged = [
        (f"{truth.name} of {system}", estimate.low <= truth.value <= estimate.high)
        for system, truth, estimate in pairs
        if estimate.low is not None and estimate.high is not None
    ]
    if not ranged:
        return ("There are too few tasks for intervals.",)
    outside = [name for name, inside in ranged if not inside]
    hits = len(ranged) - len(outside)
    first = f"{hits} of {len(ranged)} intervals contain the true value."
    return (first, f"Outside: {', '.join(outside)}.") if outside else (first,)
