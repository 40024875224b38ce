"""The demo: simulated systems whose true figures are known, through the whole package.

Simulated runs are written as mini-SWE-agent files that don't say whether they succeeded, with
SWE-bench-style reports that do, and then take the way of anybody's files: reader, join of outcomes,
measures, report. What was found is put beside what is true.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.formats.mini_swe_agent_write import LAYOUT, write
from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.reporting.beside_truth import beside_truth
from ethogram.results import Result
from ethogram.simulate import DEFAULT, simulate
from ethogram.simulate.draw import BENCHMARK
from ethogram.trajectory import Trajectory

_POLICIES: Final = "policies.json"
REPORTS: Final = "{system}.run{trial}.json"


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
    if root.is_dir() and any(root.iterdir()) and not (root / _POLICIES).is_file():
        raise UsageError(f"{root} is not empty and holds no earlier demo: name an empty folder")
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
    _write_json(root / _POLICIES, {policy.name: policy for policy in DEFAULT})


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
