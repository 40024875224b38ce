"""Measures: something computed from a cohort, by name; no measure imports another."""

from typing import Any, Final

from ethogram.registry import Registry

MEASURES: Final[Registry[Any]] = Registry(
    "measure",
    {
        "variance": "ethogram.measures.variance:variance",
        "consistency": "ethogram.measures.consistency:consistency",
    },
    group="ethogram.measures",
)
"""Name of a measure -> its function ``measure(cohort, ...) -> Result``."""
