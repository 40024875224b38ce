"""Results made by hand, for tests of what is shown."""

from collections.abc import Sequence

import polars as pl

from ethogram.results import Column, Estimate, Provenance, Result, Table, Test
from ethogram.results import table as tables

SYSTEMS = ("mini-swe-agent/claude", "mini-swe-agent/gpt5", "mini-swe-agent/llama")


def provenance(measure: str = "variance") -> Provenance:
    return Provenance(
        measure=measure,
        measure_version=1,
        cohort_digest="0123456789abcdef",
        seed=0,
        reference="Mehta 2026",
    )


def estimate(
    name: str, value: float | None, unit: str = "percent", spread: float = 2.0
) -> Estimate:
    known = value is not None
    return Estimate(
        name=name,
        unit=unit,
        value=value,
        low=value - spread if value is not None else None,
        high=value + spread if value is not None else None,
        n_tasks=10 if known else 0,
        n_runs=50 if known else 0,
        method="t over tasks" if known else "",
        reason=None if known else "no run records a cost",
    )


def result_of(*all_tables: Table, notes: Sequence[str] = (), summary: Sequence[str] = ()) -> Result:
    return Result(
        "variance", {t.name: t for t in all_tables}, tuple(notes), provenance(), tuple(summary)
    )


def systems_table(names: Sequence[str] = SYSTEMS) -> Table:
    rows = [
        ({"system": system}, made)
        for number, system in enumerate(names, start=1)
        for made in (
            estimate("cv_actions", 15.0 * number),
            estimate("actions", 45.12 / number, "actions"),
            estimate("success_rate", 0.58 / number, "share", 0.05),
            estimate("cost", None if number == 2 else 1234.5 / number, "usd"),
        )
    ]
    return tables.estimates_table("systems", "Systems", rows, about="One column a system.")


def comparisons_table(names: Sequence[str] = SYSTEMS) -> Table:
    made = [
        Test(
            name="success_rate",
            method="paired sign-flip permutation",
            first=names[0],
            second=names[1],
            difference=0.26,
            unit="points",
            p_value=0.0312,
            p_adjusted=0.0624,
            n_tasks=10,
            n_runs=100,
            main=True,
        ),
        Test(
            name="cv_actions",
            method="paired t",
            first=names[0],
            second=names[1],
            difference=-17.0,
            unit="percent",
            statistic=-2.754,
            df=9,
            p_value=0.0223,
            p_adjusted=0.0446,
            effect=-0.871,
            effect_name="d_z",
            n_tasks=10,
            n_runs=100,
        ),
        Test(name="cost", method="paired t", first=names[0], second=names[1], reason="no costs"),
    ]
    return tables.tests_table("tests", "Between systems", made)


def counts_table(n_tasks: int = 3) -> Table:
    frame = pl.DataFrame(
        {
            "task": [f"repo__issue-{i}" for i in range(n_tasks)],
            "counts": [[i + 1, i + 2, i + 3] for i in range(n_tasks)],
            "solved": [None if i == 1 else i == 0 for i in range(n_tasks)],
        },
        schema={"task": pl.String, "counts": pl.List(pl.Int64), "solved": pl.Boolean},
    )
    columns = (
        Column("task", "Task"),
        Column("counts", "Actions of each run", "count"),
        Column("solved", "Solved"),
    )
    return Table("counts", "Counts", frame, columns)
