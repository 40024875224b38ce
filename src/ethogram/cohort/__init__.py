"""The hub of the package: a set of runs as six Polars tables (the first waist)."""

from ethogram.cohort.cohort import Cohort, concat

__all__ = ["Cohort", "concat"]
