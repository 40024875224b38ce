"""How alike runs are in what makes them succeed, from task to task (Banerjee and Raichura 2026)."""

from ethogram.measures.consistency.catalogue import CATALOGUE, Figure
from ethogram.measures.consistency.features import FEATURES, Feature
from ethogram.measures.consistency.measure import consistency
from ethogram.measures.consistency.tables import TABLES

__all__ = ["CATALOGUE", "FEATURES", "TABLES", "Feature", "Figure", "consistency"]
