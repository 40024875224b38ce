"""The ``systems`` table: from identities to names, with the user's aliases."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort.ids import id_of
from ethogram.cohort.naming import SystemRow, system_names
from ethogram.cohort.schema import SYSTEMS
from ethogram.errors import UsageError

_SECTIONS: Final = ("systems", "models", "benchmarks")


class Aliases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own names: written name -> name to use."""

    systems: dict[str, str] = {}
    models: dict[str, str] = {}
    benchmarks: dict[str, str] = {}


def load_aliases(path: str | Path) -> Aliases:
    """Read ``aliases.toml``: tables ``[systems]``, ``[models]``, ``[benchmarks]``.

    Raises
    ------
    UsageError
        If the file can't be read or holds something else.
    """
    try:
        return msgspec.toml.decode(Path(path).read_bytes(), type=Aliases)
    except OSError as err:
        raise UsageError(f"aliases: {path}: {err.strerror or err}") from err
    except (msgspec.DecodeError, UnicodeDecodeError) as err:
        raise UsageError(
            f'aliases: {path}: {err}; allowed: tables {", ".join(_SECTIONS)} of name = "name"'
        ) from err


def systems_frame(rows: Iterable[SystemRow]) -> pl.DataFrame:
    """The ``systems`` table with the names that the rows have beside each other."""
    unique = {row.system_id: row for row in rows}
    names = system_names(list(unique.values()))
    records = [
        {"system_id": row.system_id, "system": names[row.system_id], **row.values}
        for row in unique.values()
    ]
    return pl.DataFrame(records, schema=dict(SYSTEMS)).sort("system", "system_id")


def rows_of(systems: pl.DataFrame, bases: dict[str, str]) -> list[SystemRow]:
    """Rows of a saved table, to be named anew; ``bases`` are their names without settings."""
    return [
        SystemRow(
            system_id=record["system_id"],
            base=bases.get(record["system_id"], record["system"]),
            values={k: v for k, v in record.items() if k not in {"system_id", "system"}},
        )
        for record in systems.iter_rows(named=True)
    ]


def apply_system_aliases(
    rows: Sequence[SystemRow], aliases: Aliases
) -> tuple[list[SystemRow], dict[str, str]]:
    """Give systems the names the user wants; equal names become one system.

    Returns
    -------
    rows : list of SystemRow
        The systems that remain.
    moved : dict
        Old ``system_id`` to new one, for those that changed.
    """
    names = system_names(rows)
    kept: dict[str, SystemRow] = {}
    moved: dict[str, str] = {}
    for row in rows:
        alias = aliases.systems.get(names[row.system_id]) or aliases.systems.get(row.base)
        if alias is not None:
            values: dict[str, Any] = {**row.values, "settings_digest": None}
            new = SystemRow(system_id=id_of("named", alias), base=alias, values=values)
            moved[row.system_id] = new.system_id
            row = new  # noqa: PLW2901
        kept.setdefault(row.system_id, row)
    return list(kept.values()), moved
