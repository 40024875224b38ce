"""Files -> cohort: discover, read in parallel, label, join outcomes, count what went wrong."""

from ethogram.ingest.closing import summary
from ethogram.ingest.label import default_labeler
from ethogram.ingest.memory import from_trajectories
from ethogram.ingest.read import Progress, Reading, Report, run_reading

__all__ = [
    "Progress",
    "Reading",
    "Report",
    "default_labeler",
    "from_trajectories",
    "run_reading",
    "summary",
]
