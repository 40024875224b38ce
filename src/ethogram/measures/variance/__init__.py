"""How steady a system is over repeated runs of one task (Mehta 2026)."""

from ethogram.measures.variance.catalogue import CATALOGUE, Measure
from ethogram.measures.variance.measure import variance

__all__ = ["CATALOGUE", "Measure", "variance"]
