"""A result of `variance` with what a judge makes of the failures."""

from dataclasses import replace
from typing import Any

import msgspec

from ethogram.cohort import Cohort
from ethogram.measures.variance.interpretation_tables import interpretation_tables
from ethogram.measures.variance.interpretation_wording import (
    interpretation_notes,
    interpretation_summary,
)
from ethogram.measures.variance.interpreted import Interpreted
from ethogram.measures.variance.questioning import Questioning
from ethogram.measures.variance.tables import TABLES
from ethogram.results.result import Result
from ethogram.results.table import by_name


def with_interpretation(result: Result, found: Interpreted, cohort: Cohort) -> Result:
    """Add tables, sentences and provenance of a judge's readings to a result.

    Parameters
    ----------
    result : Result
        Of `variance`.
    found : Interpreted
        What the judge made of the same study.
    cohort : Cohort
        Whose runs they are.
    """
    tables = by_name(interpretation_tables(found), TABLES)
    judges = [_described(each) for each in (found.first, found.second) if each is not None]
    parameters = {**result.provenance.parameters, "judges": judges}
    return replace(
        result,
        tables={**result.tables, **tables},
        notes=(*result.notes, *interpretation_notes(found, cohort)),
        summary=(*result.summary, *interpretation_summary(found, tables)),
        provenance=msgspec.structs.replace(result.provenance, parameters=parameters),
    )


def _described(questioning: Questioning) -> dict[str, Any]:
    return {
        "name": questioning.judge.name,
        "samples": questioning.judge.samples,
        "prompts": dict(sorted(questioning.versions.items())),
    }
