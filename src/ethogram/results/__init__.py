"""What a measure returns: frozen values with their uncertainty (the second waist)."""

from ethogram.results.estimate import Estimate, Test, Verdict
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import Column, Table, estimates_table, tests_table

__all__ = [
    "Column",
    "Estimate",
    "Provenance",
    "Result",
    "Table",
    "Test",
    "Verdict",
    "estimates_table",
    "tests_table",
]
