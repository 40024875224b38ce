"""How steady a system is over repeated runs of one task (Mehta 2026)."""

from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.measures.variance.entry import Measure
from ethogram.measures.variance.measure import variance
from ethogram.measures.variance.tables import TABLES

__all__ = ["CATALOGUE", "TABLES", "Measure", "variance"]
