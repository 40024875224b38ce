"""How steady a system is over repeated runs of one task (Mehta 2026)."""

from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.measures.variance.entry import Measure
from ethogram.measures.variance.measure import variance

__all__ = ["CATALOGUE", "Measure", "variance"]
