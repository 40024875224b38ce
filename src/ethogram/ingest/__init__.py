"""Files -> cohort: discover, read in parallel, label, join outcomes, count what went wrong."""

from ethogram.ingest.memory import from_trajectories

__all__ = ["from_trajectories"]
