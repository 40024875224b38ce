"""Names of systems: scaffold/model, plus the settings that differ within the cohort.

Two runs are of one system if scaffold, model and every setting that matters agree
(`settings_digest`), or if the user gave both the same name. So the name of a system depends on what
else is in the cohort: while all settings of ``mini-swe-agent/x`` agree it is called just that, and
as soon as a second one differs in ``temperature`` the two are called ``mini-swe-agent/x
(temperature=0)`` and ``… (temperature=1)``.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort.ids import digest_of, id_of
from ethogram.cohort.schema import SYSTEMS
from ethogram.trajectory import System

_LONG: Final = 24  # longer values are named by their digest
_FIELDS: Final = (
    "scaffold_version",
    "model_snapshot",
    "user_model",
    "mode",
    "temperature",
    "step_limit",
    "cost_limit",
    "prompt_digest",
    "tools_digest",
)


class SystemRow(msgspec.Struct, frozen=True, kw_only=True):
    """A system as it stands in the ``systems`` table, before it has its final name."""

    system_id: str
    base: str
    """Name without the settings; the final name if the user gave it."""
    values: Mapping[str, Any]
    """Columns of the ``systems`` table except ``system_id`` and ``system``."""


def system_row(system: System, *, given_name: str | None = None) -> SystemRow:
    """Identity of a system.

    Parameters
    ----------
    system : System
        What the file says.
    given_name : str, optional
        A name that the user gives; it alone decides sameness then, and ``settings_digest`` is null.
    """
    fields = {name: getattr(system, name) for name in _FIELDS}
    values = {
        "scaffold": system.scaffold,
        "model": system.model,
        "family": system.family,
        **fields,
        "settings": msgspec.json.encode(dict(system.settings), order="deterministic").decode(),
    }
    if given_name is not None:
        return SystemRow(
            system_id=id_of("named", given_name),
            base=given_name,
            values={**values, "settings_digest": None},
        )
    base = system.name or "/".join(part for part in (system.scaffold, system.model) if part)
    digest = settings_digest(system)
    return SystemRow(
        system_id=id_of(system.name, system.scaffold, system.model, digest),
        base=base or "unnamed",
        values={**values, "settings_digest": digest},
    )


def settings_digest(system: System) -> str:
    """Stands for every setting that tells a system from others of its scaffold and model."""
    fields = {name: getattr(system, name) for name in _FIELDS}
    return digest_of([fields, dict(system.settings)])


def system_names(rows: Sequence[SystemRow]) -> dict[str, str]:
    """Final name of each system, by id, unique within the cohort.

    >>> a = system_row(System(model="m", temperature=0.0))
    >>> b = system_row(System(model="m", temperature=1.0))
    >>> sorted(system_names([a, b]).values())
    ['m (temperature=0)', 'm (temperature=1)']
    >>> sorted(system_names([a]).values())
    ['m']
    """
    by_base: dict[str, list[SystemRow]] = defaultdict(list)
    for row in rows:
        by_base[row.base].append(row)
    names: dict[str, str] = {}
    for base, group in by_base.items():
        names.update(_names_of_group(base, group))
    taken = Counter(names.values())
    return {i: n if taken[n] == 1 else f"{n} [{i}]" for i, n in names.items()}


def systems_frame(rows: Iterable[SystemRow]) -> pl.DataFrame:
    """The ``systems`` table with the names that the rows have beside each other."""
    unique = {row.system_id: row for row in rows}
    names = system_names(list(unique.values()))
    records = [
        {"system_id": row.system_id, "system": names[row.system_id], **row.values}
        for row in unique.values()
    ]
    return pl.DataFrame(records, schema=dict(SYSTEMS)).sort("system", "system_id")


def rows_of(systems: pl.DataFrame, bases: Mapping[str, str]) -> list[SystemRow]:
    """Rows of a ``systems`` table, to be named anew; ``bases`` are their names without settings."""
    return [
        SystemRow(
            system_id=record["system_id"],
            base=bases.get(record["system_id"], record["system"]),
            values={k: v for k, v in record.items() if k not in {"system_id", "system"}},
        )
        for record in systems.iter_rows(named=True)
    ]


def _names_of_group(base: str, group: Sequence[SystemRow]) -> dict[str, str]:
    if len(group) == 1:
        return {group[0].system_id: base}
    flat = {row.system_id: _flat(row) for row in group}
    keys = sorted({key for values in flat.values() for key in values})
    differing = [key for key in keys if len({_shown(v.get(key)) for v in flat.values()}) > 1]
    short = _short_keys(differing)
    names = {}
    for row in group:
        shown = ", ".join(
            f"{short[key]}={_shown(flat[row.system_id].get(key))}" for key in differing
        )
        names[row.system_id] = f"{base} ({shown})" if shown else base
    return names


def _flat(row: SystemRow) -> dict[str, Any]:
    values = {name: row.values.get(name) for name in (*_FIELDS, "scaffold", "model")}
    if row.values.get("settings_digest") is None:
        values["named"] = "by user"
    settings = msgspec.json.decode(row.values["settings"])
    return {**values, **_leaves(settings)}


def _leaves(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {prefix: value}
    leaves = {}
    for key, inner in value.items():
        leaves.update(_leaves(inner, f"{prefix}.{key}" if prefix else str(key)))
    return leaves


def _short_keys(keys: Sequence[str]) -> dict[str, str]:
    last = [key.rpartition(".")[2] for key in keys]
    return {
        key: short if last.count(short) == 1 else key for key, short in zip(keys, last, strict=True)
    }


def _shown(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _LONG else f"#{digest_of(text)[:6]}"
