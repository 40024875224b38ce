"""What actions do to the world: read, write or none.

A tool's effect comes from a table (``effects.toml``), else from its kind if a table of kinds knows
it, else from the first word of its name, which is a guess and marked as one. A shell command's
effect follows its kind. The kind of a tool that no table of kinds knows follows its effect.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from ethogram.actions.kinds import Kind
from ethogram.errors import UsageError
from ethogram.trajectory import Origin
from ethogram.user_files import read_regular, reason_of

Effect = Literal["read", "write", "none"]
EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)

EFFECT_BY_KIND: Final[Mapping[Kind, Effect]] = {
    "explore": "read",
    "understand": "read",
    "edit": "write",
    "verify": "none",
    "other": "none",
}
"""Effect of a shell command of each kind."""
KIND_BY_EFFECT: Final[Mapping[Effect, Kind]] = {
    "read": "understand",
    "write": "edit",
    "none": "other",
}
"""Kind of a tool call of each effect, for tools that no table of kinds knows."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAMESPACES: Final = re.compile(r"__|[./:]")


class EffectTables(msgspec.Struct, frozen=True, kw_only=True):
    """Effects of tools by name, and of tools with unknown names by their first word."""

    tools: Mapping[str, Effect]
    verbs: Mapping[str, Effect]

    @property
    def digest(self) -> str:
        """Hash of the contents: equal tables have equal digests, whatever files they came from."""
        encoded = msgspec.json.encode(self, order="deterministic")
        return hashlib.blake2b(encoded, digest_size=8).hexdigest()

    def effect_of_tool(self, tool: str) -> tuple[Effect | None, Origin | None]:
        """Effect of a tool and where it comes from.

        Parameters
        ----------
        tool : str
            Name as recorded. A name in a namespace (``mcp__files__read_file``, ``files.read``) is
            looked up whole, then without its namespace.

        Returns
        -------
        effect : str or None
            None if no table knows the tool and its first word is no known verb.
        origin : str or None
            ``table``, ``guessed`` (by the first word), or None with no effect.

        Examples
        --------
        >>> tables = load_effects()
        >>> tables.effect_of_tool("get_flight_status")
        ('read', 'table')
        >>> tables.effect_of_tool("createTicket")
        ('write', 'guessed')
        >>> tables.effect_of_tool("frobnicate")
        (None, None)
        """
        name = _NAMESPACES.split(tool)[-1]
        effect = self.tools.get(tool) or self.tools.get(name)
        if effect is not None:
            return effect, "table"
        first = _WORD.match(name)
        effect = self.verbs.get(first[0].lower()) if first else None
        return (effect, "guessed") if effect is not None else (None, None)

    def effect_of_action(
        self, tool: str | None, kind: Kind, kind_origin: Origin
    ) -> tuple[Effect | None, Origin | None]:
        """Effect of any action, from its tool and its kind.

        The table of tools decides; then the kind, if it is more than a guess; then the tool's first
        word. The guessed kind of a command or tool of which nothing is known gives no effect.

        Examples
        --------
        >>> tables = load_effects()
        >>> tables.effect_of_action(None, "edit", "rule")
        ('write', 'rule')
        >>> tables.effect_of_action("book_reservation", "other", "guessed")
        ('write', 'table')
        >>> tables.effect_of_action("list_tickets", "other", "guessed")
        ('read', 'guessed')
        """
        effect, origin = self.effect_of_tool(tool) if tool else (None, None)
        if origin == "table" or kind_origin == "guessed":
            return effect, origin
        return effect_of_kind(kind), kind_origin


def effect_of_kind(kind: Kind) -> Effect:
    """Effect of a kind: exploring and understanding read, editing writes, the rest neither.

    Examples
    --------
    >>> effect_of_kind("edit"), effect_of_kind("verify")
    ('write', 'none')
    """
    return EFFECT_BY_KIND[kind]


def kind_of_effect(effect: Effect | None) -> Kind:
    """Kind of a tool call: what reads understands, what writes edits, everything else is other.

    Examples
    --------
    >>> kind_of_effect("read"), kind_of_effect(None)
    ('understand', 'other')
    """
    return "other" if effect is None else KIND_BY_EFFECT[effect]


def load_effects(*paths: str | Path) -> EffectTables:
    """Read the table of the package, then that of each file over it.

    Parameters
    ----------
    *paths : str or Path
        TOML files of the shape of ``effects.toml``; a later file wins.

    Raises
    ------
    UsageError
        If a file can't be read, or an entry is not what the table allows; the message names the
        file, the entry, what is allowed and what was found.

    Examples
    --------
    >>> load_effects().tools["think"]
    'none'
    """
    return _loaded(paths) if paths else _of_the_package()


@cache
def _of_the_package() -> EffectTables:
    return _loaded(())


def _loaded(paths: Iterable[str | Path]) -> EffectTables:
    shipped = files("ethogram.actions").joinpath("effects.toml").read_text("utf-8")
    tables: dict[str, dict[str, Effect]] = {"tools": {}, "verbs": {}}
    for name, text in [("effects.toml", shipped), *((str(path), _read(path)) for path in paths)]:
        for table, entries in _parse(name, text).items():
            tables[table].update(_checked(name, table, entries))
    return EffectTables(tools=tables["tools"], verbs=tables["verbs"])


def _read(path: str | Path) -> str:
    try:
        return read_regular(path).decode()
    except OSError as err:
        raise UsageError(f"{path}: {reason_of(err)}") from err
    except UnicodeDecodeError as err:
        raise UsageError(
            f"{path}: a table of effects must be a TOML file in UTF-8; {reason_of(err)}"
        ) from err


def _parse(name: str, text: str) -> dict[str, Any]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise UsageError(f"{name}: not TOML: {err}") from err
    for table, entries in content.items():
        if table not in {"tools", "verbs"} or not isinstance(entries, dict):
            raise UsageError(f"{name}: {table!r} must be one of the tables tools, verbs")
    return content


def _checked(name: str, table: str, entries: Mapping[str, Any]) -> dict[str, Effect]:
    for key, effect in entries.items():
        if effect not in EFFECTS:
            allowed = ", ".join(EFFECTS)
            raise UsageError(f"{name}: {table}.{key} must be one of {allowed}, got {effect!r}")
    return dict(entries)
