"""Whom a system behaves like in how it uses tools (Yang et al. 2026)."""

from ethogram.measures.similarity.catalogue import CATALOGUE, Figure
from ethogram.measures.similarity.drawn import action_graphs, task_to_draw, write_graphml
from ethogram.measures.similarity.measure import similarity
from ethogram.measures.similarity.parts import table_names
from ethogram.measures.similarity.words import JudgedWords

__all__ = [
    "CATALOGUE",
    "Figure",
    "JudgedWords",
    "action_graphs",
    "similarity",
    "table_names",
    "task_to_draw",
    "write_graphml",
]
