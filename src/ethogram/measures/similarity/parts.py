"""The tables of the result, from what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from ethogram.measures.similarity.agreement import tool_agreement
from ethogram.measures.similarity.conventions import conventions
from ethogram.measures.similarity.field.controlled import Roles, controlled_table, moved_table
from ethogram.measures.similarity.field.correlations import (
    correlations_table,
    halves_table,
    mantel_table,
)
from ethogram.measures.similarity.field.extremes import extremes_table
from ethogram.measures.similarity.field.families import families_table
from ethogram.measures.similarity.field.matrix import similarity_table
from ethogram.measures.similarity.field.nearest import nearest_table
from ethogram.measures.similarity.field.ordering import ordering_tables
from ethogram.measures.similarity.field.other_pools import pool_sensitivity
from ethogram.measures.similarity.field.ranges import placed_table, range_table
from ethogram.measures.similarity.field.references import (
    reference_differences_table,
    references_table,
)
from ethogram.measures.similarity.field.settings import settings_table
from ethogram.measures.similarity.profiles import FIGURES, profile_rows
from ethogram.measures.similarity.scores import Graphs, ToolScores
from ethogram.measures.similarity.task_scores import Scores, TaskScores
from ethogram.results.table import Column, Table, estimates_table

TABLES: Final = (
    *("similarity", "baselines", "variants", "conventions", "habits", "tools"),
    *("nearest", "settings", "extremes", "mantel", "halves", "order", "merges", "range", "placed"),
    *("references", "reference_differences", "families", "controlled", "controlled_verdicts"),
    *("style", "style_checks", "rps", "rps_stages", "rps_coverage", "reliability", "ablation"),
    *("temperatures", "reliability_by_temperature", "ranges", "levels"),
)
"""Tables that a result may have, beside those of each reference: the last three lines only as
asked for."""
OF_A_REFERENCE: Final = ("correlations", "pool")

PAIR = (Column("first", "First"), Column("second", "Second"))


@dataclass(frozen=True)
class Measured:
    """What the tables are made of.

    Attributes
    ----------
    made : Graphs
        The runs and their graphs.
    tools : ToolScores
        AGS, its parts and their variants.
    baselines : sequence of TaskScores
        What they are compared with.
    level, seed
        Of intervals and of what is drawn.
    """

    made: Graphs
    tools: ToolScores
    baselines: Sequence[TaskScores]
    level: float
    seed: int

    @property
    def all(self) -> list[Scores]:
        """Every measure: AGS, its parts, variants, baselines."""
        return [*self.tools.main, *self.tools.variants, *self.baselines]

    @property
    def compared(self) -> list[Scores]:
        """What questions are asked of: AGS, its parts and the baselines."""
        return [*self.tools.main, *self.baselines]


def pair_tables(measured: Measured) -> list[Table]:
    """Scores of every pair, what they rest on, and each system's habits."""
    tools, level = measured.tools, measured.level
    main = similarity_table(tools.main, level=level)
    ranks = _ranks(main)
    return [
        _ranked(main, ranks),
        replace(
            _ranked(similarity_table(measured.baselines, level=level), ranks),
            name="baselines",
            title="Baselines",
            about="How alike whole graphs, sequences of tools and words are.",
            main=False,
        ),
        replace(
            _ranked(similarity_table(tools.variants, level=level), ranks),
            name="variants",
            title="The parts otherwise defined",
            about="Without the pair's own say in what is optional, without tasks that a convention "
            "decides, with chains as shares of what is possible.",
            main=False,
            aside=True,
        ),
        _conventions(tools),
        _habits(measured),
        _tools(tools),
    ]


def _ranks(table: Table) -> pl.DataFrame:
    """Pairs by AGS, the most alike first; where there is none by the next measure that there is."""
    value = [
        pl.col("value").filter(pl.col("name") == name).first().alias(name)
        for name in ("ags", "s_dep", "s_seq")
    ]
    wide = table.frame.group_by("first", "second", maintain_order=True).agg(value)
    ranked = wide.sort(
        "ags", "s_dep", "s_seq", descending=True, nulls_last=True, maintain_order=True
    )
    return ranked.select("first", "second", rank=pl.int_range(pl.len()))


def _ranked(table: Table, ranks: pl.DataFrame) -> Table:
    frame = table.frame.join(ranks, on=["first", "second"], how="left", maintain_order="left")
    return replace(table, frame=frame.sort("rank", maintain_order=True).drop("rank"))


def on_request(
    measured: Measured,
    *,
    references: Sequence[str],
    families: Mapping[str, Sequence[str]] | None,
    roles: Roles | None,
) -> list[Table]:
    """References, families of systems, a controlled comparison: whichever is asked for."""
    level, tables = measured.level, []
    if references:
        tables.append(references_table(measured.compared, references, level=level))
    if len(references) > 1:
        tables.append(reference_differences_table(measured.compared, references, level=level))
    if families is not None:
        tables.append(families_table(measured.compared, families, level=level, rng=measured.seed))
    if roles is not None:
        tables.append(controlled_table(measured.compared, roles, level=level))
        tables.append(moved_table(measured.compared, roles, level=level))
    return tables


def field_tables(measured: Measured, *, references: Sequence[str]) -> list[Table]:
    """What the whole matrix says."""
    sample, level, seed = measured.made.sample, measured.level, measured.seed
    asked, main = measured.compared, measured.tools.main
    made = [
        nearest_table([*main, *_named(asked, "ged")], level=level, rng=seed),
        _aside(settings_table(asked, sample.wins, level=level)),
        _aside(extremes_table(main)),
        _aside(mantel_table(asked, rng=seed)),
        _aside(halves_table(asked, rng=seed)),
        *map(_aside, ordering_tables(main)),
    ]
    ends = range_table(asked, level=level)
    made.append(ends if (sample.n_runs > 1).any() else _aside(ends))
    made.append(_aside(placed_table(asked, level=level)))
    for place, reference in enumerate(references):
        tables = (
            correlations_table(asked, reference, level=level),
            pool_sensitivity(measured.tools.use, measured.tools.pool, reference, seed=seed),
        )
        made += [_aside(replace(table, name=_numbered(table.name, place))) for table in tables]
    return made


def _named(measures: Sequence[Scores], name: str) -> list[Scores]:
    return [scores for scores in measures if scores.name == name]


def _aside(table: Table) -> Table:
    return replace(table, aside=True)


def table_names(n_references: int) -> list[str]:
    """Every table that a result with so many references may have."""
    return [
        *TABLES,
        *(_numbered(name, place) for place in range(n_references) for name in OF_A_REFERENCE),
    ]


def _numbered(name: str, place: int) -> str:
    """What the table of a reference is called: further references have names of their own."""
    return f"{name}_{place + 1}" if place else name


def _conventions(tools: ToolScores) -> Table:
    return Table(
        "conventions",
        "What the scores rest on",
        conventions(tools.use, tools.found, tools.pool, tools.seq, tools.dep),
        (
            *PAIR,
            Column("n_tasks", "Shared tasks", "count"),
            Column("n_optional", "With optional tools", "count", "What S_node is a mean over."),
            Column(
                "n_by_algebra",
                "Solved by these two alone",
                "count",
                "There the two disagree on every optional tool by definition.",
            ),
            Column("seq_both_zero", "S_seq 1 by convention", "count", "Neither has any."),
            Column("seq_one_zero", "S_seq 0 by convention", "count", "One of them has none."),
            Column("dep_both_zero", "S_dep 1 by convention", "count", "Neither has any."),
            Column("dep_one_zero", "S_dep 0 by convention", "count", "One of them has none."),
        ),
        "Tasks; with repeats, sums over tasks of the share of pairs of runs.",
        aside=True,
    )


def _habits(measured: Measured) -> Table:
    rows = profile_rows(measured.made.graphs, measured.made.sample, level=measured.level)
    made = estimates_table(
        "habits",
        "Habits of each system",
        rows,
        about="Over the runs that they are defined for: a run that writes nothing says nothing of "
        "what follows a write.",
    )
    labels = {name: label for name, (label, _, _) in FIGURES.items()}
    label = pl.col("name").replace_strict(labels, return_dtype=pl.String)
    return replace(made, frame=made.frame.with_columns(label=label))


def _tools(tools: ToolScores) -> Table:
    frame = tool_agreement(tools.use, tools.found)
    return Table(
        "tools",
        "Optional tools on which pairs agree and differ",
        frame,
        (
            *PAIR,
            Column("tool", "Tool"),
            Column("agreement", "Agreement", "share", "Tasks where both or neither used it."),
            Column("first_share", "First used it", "share"),
            Column("second_share", "Second used it", "share"),
            Column("n_tasks", "Tasks", "count", "Where it is optional."),
        ),
        "What takes most from a pair's agreement comes first.",
        aside=frame.is_empty(),
    )
