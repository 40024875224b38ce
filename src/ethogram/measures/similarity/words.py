"""What is said, beside how tools are used: style without a model, RPS by a judge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.similarity.field.matrix import similarity_table
from ethogram.measures.similarity.responses.items import Limits
from ethogram.measures.similarity.responses.measure import rps
from ethogram.measures.similarity.responses.run_pairs import MAX_PAIRS
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.responses.temperatures import stability
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.style.checks import style_checks
from ethogram.measures.similarity.style.compare import style_of
from ethogram.results.judges import Judge
from ethogram.results.table import Table

BY_TEMPERATURE: Final = {
    "temperatures": "temperatures",
    "reliability": "reliability_by_temperature",
}
"""Names of the tables of several temperatures, by those that they have alone."""


@dataclass(frozen=True)
class JudgedWords:
    """Who judges what is said, and how; the fields are those of `rps`."""

    judge: Judge
    second: Judge | None = None
    taxonomy: Taxonomy | str | Path | None = None
    limits: Limits | None = None
    max_pairs: int = MAX_PAIRS
    replies: bool = True
    whole: bool = False
    labels: str | Path | None = None
    by_temperature: Mapping[float, Judge] = field(default_factory=dict)
    """The same judge at two temperatures or more: how far its scores hold."""


@dataclass(frozen=True)
class Words:
    """The tables about what is said, and what must be read with them."""

    tables: tuple[Table, ...]
    summary: tuple[str, ...]
    notes: tuple[str, ...]


def words_of(
    cohort: Cohort,
    sample: Sample,
    judged: JudgedWords | None,
    *,
    references: Sequence[str],
    level: float,
    seed: int,
) -> Words:
    """Compare what agents say: by style always, by a judge where there is one."""
    style = style_of(cohort, sample)
    scored = replace(
        similarity_table(style.scores, level=level),
        name="style",
        title="Alike in style, without a model",
        about="Wording, structure and order of acts, from published stylometric features; 50 % is "
        "no more alike than any two runs. This is not RPS.",
        main=False,
    )
    checked = style_checks(cohort, sample, style, level=level)
    if judged is None:
        return Words((scored, checked), (), (*style.notes, WITHOUT_JUDGE))
    found = rps(
        cohort,
        sample,
        judged.judge,
        second=judged.second,
        taxonomy=judged.taxonomy,
        limits=judged.limits,
        max_pairs=judged.max_pairs,
        seed=seed,
        reference=references,
        replies=judged.replies,
        whole=judged.whole,
        labels=judged.labels,
    )
    tables = found.tables(level=level, seed=seed)
    if judged.by_temperature:
        held = stability(found.judged.staged, judged.by_temperature, level=level, seed=seed)
        tables += [replace(table, name=BY_TEMPERATURE[table.name]) for table in held]
    said = tuple(_ends(tables[0]))
    return Words((*tables, scored, checked), said, (*found.warnings, *style.notes))


WITHOUT_JUDGE = (
    "RPS needs a judge (--judge-model): a language model that sorts what is said into stages and "
    "scores style, structure and alignment of each, from 1 to 5. Style compares the same three "
    "without one; it knows no meaning."
)


def _ends(table: Table) -> Iterator[str]:
    """The pair that a judge finds most alike, and the one that it finds least."""
    frame = table.frame.filter(pl.col("name") == "rps", pl.col("value").is_not_null())
    if frame.height < 2:
        return
    rows = frame.sort("value").rows(named=True)
    most, least = rows[-1], rows[0]
    yield (
        f"By RPS (1 to 5) the most alike are {most['first']} and {most['second']} "
        f"({most['value']:.2f}), the least alike {least['first']} and {least['second']} "
        f"({least['value']:.2f})."
    )
