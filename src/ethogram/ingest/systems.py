"""The user's own names for systems, models and benchmarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ethogram.cohort.ids import id_of
from ethogram.cohort.naming import SystemRow, system_names
from ethogram.errors import UsageError
from ethogram.user_files import read_regular, reason_of

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
        return msgspec.toml.decode(read_regular(path), type=Aliases)
    except OSError as err:
        raise UsageError(f"aliases: {path}: {reason_of(err)}") from err
    except (msgspec.DecodeError, UnicodeDecodeError) as err:
        raise UsageError(
            f'aliases: {path}: {err}; allowed: tables {", ".join(_SECTIONS)} of name = "name"'
        ) from err


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
