"""ethogram measures how LLM agents behave, from the trajectories that people already have.

>>> import ethogram as eg
>>> eg.read  # doctest: +ELLIPSIS
<function read at ...>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ethogram.cohort import Cohort, concat
    from ethogram.ingest import from_trajectories
    from ethogram.ingest.api import read
    from ethogram.measures.consistency import consistency
    from ethogram.measures.similarity import action_graphs, similarity
    from ethogram.measures.variance import variance
    from ethogram.registry import package_version
    from ethogram.reporting import report
    from ethogram.results import Estimate, Result, Test, Verdict
    from ethogram.trajectory import Event, Outcome, Problem, System, Task, Trajectory, Usage

_HOMES: Final = {
    "Cohort": "ethogram.cohort",
    "Estimate": "ethogram.results",
    "Event": "ethogram.trajectory",
    "Outcome": "ethogram.trajectory",
    "Problem": "ethogram.trajectory",
    "Result": "ethogram.results",
    "System": "ethogram.trajectory",
    "Task": "ethogram.trajectory",
    "Test": "ethogram.results",
    "Trajectory": "ethogram.trajectory",
    "Usage": "ethogram.trajectory",
    "Verdict": "ethogram.results",
    "action_graphs": "ethogram.measures.similarity",
    "concat": "ethogram.cohort",
    "consistency": "ethogram.measures.consistency",
    "from_trajectories": "ethogram.ingest",
    "package_version": "ethogram.registry",
    "read": "ethogram.ingest.api",
    "report": "ethogram.reporting",
    "similarity": "ethogram.measures.similarity",
    "variance": "ethogram.measures.variance",
}
"""Public name -> module, imported on first use: importing the package alone stays light."""

__all__ = [
    "Cohort",
    "Estimate",
    "Event",
    "Outcome",
    "Problem",
    "Result",
    "System",
    "Task",
    "Test",
    "Trajectory",
    "Usage",
    "Verdict",
    "action_graphs",
    "concat",
    "consistency",
    "from_trajectories",
    "package_version",
    "read",
    "report",
    "similarity",
    "variance",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ethogram' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
