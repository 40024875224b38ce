"""The frozen result of a measure: tables, notes and provenance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec
import polars as pl

from ethogram.errors import UnknownNameError
from ethogram.results.estimate import Estimate, Test
from ethogram.results.provenance import Provenance
from ethogram.results.table import ESTIMATE_SCHEMA, TEST_SCHEMA, Column, Table

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class Result:
    """What a measure returns.

    Parameters
    ----------
    kind : str
        Name of the measure ("variance").
    tables : mapping of str to Table
        Its tables; the first is the main one.
    notes : tuple of str
        Sentences that must be read with the figures: what was left out, what can't be known.
    provenance : Provenance
        Enough to compute the result again.
    summary : tuple of str
        The answer in words, most important sentence first.
    """

    kind: str
    tables: Mapping[str, Table]
    notes: tuple[str, ...]
    provenance: Provenance
    summary: tuple[str, ...] = ()

    def table(self, name: str | None = None) -> Table:
        """Return the table called ``name``; the main one without a name."""
        if name is None:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            raise UnknownNameError(f"table of {self.kind}", name, list(self.tables))
        return self.tables[name]

    def to_frame(self, name: str | None = None) -> pl.DataFrame:
        """Rows of a table as a Polars frame, unrounded."""
        return self.table(name).frame

    def to_pandas(self, name: str | None = None) -> "pd.DataFrame":
        """Rows of a table as a pandas frame (needs pandas)."""
        return self.to_frame(name).to_pandas()

    def estimate(self, name: str, **keys: str) -> Estimate:
        """Return the estimate called ``name`` whose key columns have the given values.

        Raises
        ------
        UnknownNameError
            If there is no such estimate, or the keys leave more than one.
        """
        rows = pl.concat(
            [t.frame for t in self.tables.values() if t.is_estimates], how="diagonal_relaxed"
        ).filter(pl.col("name") == name, *(pl.col(key) == value for key, value in keys.items()))
        if rows.height != 1:
            known = [
                t.frame["name"].unique().to_list() for t in self.tables.values() if t.is_estimates
            ]
            raise UnknownNameError(
                f"single estimate with {keys}", name, sorted({x for names in known for x in names})
            )
        return msgspec.convert(rows.select(*ESTIMATE_SCHEMA).row(0, named=True), Estimate)

    def tests(self, **columns: str) -> list[Test]:
        """Return the tests whose columns (name, method, first, second) have the given values."""
        frames = [t.frame for t in self.tables.values() if set(TEST_SCHEMA) <= set(t.frame.columns)]
        if not frames:
            return []
        rows = pl.concat(frames).filter(*(pl.col(k) == v for k, v in columns.items()))
        return [msgspec.convert(row, Test) for row in rows.iter_rows(named=True)]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form; its schema is published as ``ethogram.result/1``."""
        return {
            "schema": f"ethogram.result/{SCHEMA_VERSION}",
            "kind": self.kind,
            "summary": list(self.summary),
            "notes": list(self.notes),
            "provenance": msgspec.to_builtins(self.provenance),
            "tables": {
                name: {
                    "title": table.title,
                    "about": table.about,
                    "columns": [
                        {"name": c.name, "label": c.label, "unit": c.unit, "about": c.about}
                        for c in table.columns
                    ],
                    "rows": table.frame.to_dicts(),
                }
                for name, table in self.tables.items()
            },
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Self:
        """Rebuild a result from `to_dict`."""
        tables = {
            name: Table(
                name,
                body["title"],
                _frame(body["rows"], [column["name"] for column in body["columns"]]),
                tuple(Column(**column) for column in body["columns"]),
                body["about"],
            )
            for name, body in form["tables"].items()
        }
        return cls(
            kind=form["kind"],
            tables=tables,
            notes=tuple(form["notes"]),
            provenance=msgspec.convert(form["provenance"], Provenance),
            summary=tuple(form["summary"]),
        )

    def __str__(self) -> str:
        from ethogram.results.show import to_text  # noqa: PLC0415  rich is needed only to show

        return to_text(self)

    def _repr_html_(self) -> str:
        from ethogram.results.show import to_html  # noqa: PLC0415

        return to_html(self)


def _frame(rows: list[dict[str, Any]], described: list[str]) -> pl.DataFrame:
    """Rows as a frame; one without rows has the columns that its description names."""
    known = {**ESTIMATE_SCHEMA, **TEST_SCHEMA}
    if not rows:
        return pl.DataFrame(schema={name: known.get(name, pl.String) for name in described})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    nulls = [name for name, dtype in frame.schema.items() if dtype == pl.Null and name in known]
    return frame.cast({name: known[name] for name in nulls})
