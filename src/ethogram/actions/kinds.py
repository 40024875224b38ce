"""The five kinds of action and the tables that decide them.

The tables are a file of the package (``kinds.toml``, whose head documents every field). A user's
file of the same shape adds entries or replaces them by name: ``load_kinds("mine.toml")``.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from ethogram.errors import UsageError
from ethogram.user_files import read_regular, reason_of

Kind = Literal["explore", "understand", "edit", "verify", "other"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
RANK: Final[Mapping[Kind, int]] = {
    "edit": 3,
    "verify": 2,
    "explore": 1,
    "understand": 1,
    "other": 0,
}
"""Of several things that one action does the highest counts, the first of equal ones."""


class _Entry(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
    """An entry of a table. Unknown fields are refused: a slip of the pen must not go unnoticed."""


class CommandRule(_Entry, frozen=True):
    """What a program does."""

    kind: Kind
    bare: Kind | None = None
    flags: dict[str, Kind] = {}
    takes: str = ""
    subcommands: "dict[str, Kind | CommandRule]" = {}
    valued: frozenset[str] = frozenset()
    runs_after: frozenset[str] = frozenset()
    writes: bool = False
    moves: bool = False
    rest: bool = False


class WrapperRule(_Entry, frozen=True):
    """How to find the command that a program runs."""

    valued: frozenset[str] = frozenset()
    operands: int = 0
    after: str | None = None
    stops: frozenset[str] = frozenset()
    piped: bool = False
    text: bool = False


class InterpreterRule(_Entry, frozen=True):
    """How to find the code, the module or the script that a program runs."""

    code: frozenset[str] = frozenset()
    module: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    after: str | None = None
    language: str | None = None


class LanguageRule(_Entry, frozen=True):
    """How to tell what a piece of code is for."""

    suffixes: tuple[str, ...] = ()
    in_place: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    tries: tuple[str, ...] = ()
    imports: str | None = None

    @property
    def patterns(self) -> tuple[str, ...]:
        """All regular expressions of the rule."""
        lists = (self.in_place, self.writes, self.reads, self.shows, self.checks, self.tries)
        return (*chain.from_iterable(lists), *filter(None, [self.imports]))


class ToolRule(_Entry, frozen=True):
    """What a tool does that is called by name."""

    kind: Kind = "other"
    shell: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    language: str | None = None
    by: str | None = None
    kinds: dict[str, Kind] = {}


class SetupRule(_Entry, frozen=True):
    """Commands that prepare the shell for the next one."""

    commands: frozenset[str]


class SubmitRule(_Entry, frozen=True):
    """What hands in the work."""

    echoes: tuple[str, ...] = ()
    diffs: tuple[str, ...] = ()


class KindTables(msgspec.Struct, frozen=True, kw_only=True):
    """All tables, merged; what a `Labeler` is made of."""

    commands: dict[str, CommandRule]
    wrappers: dict[str, WrapperRule]
    shells: dict[str, InterpreterRule]
    interpreters: dict[str, InterpreterRule]
    languages: dict[str, LanguageRule]
    tools: dict[str, ToolRule]
    setup: SetupRule
    submits: SubmitRule

    @property
    def digest(self) -> str:
        """Hash of the contents: equal for equal tables, whatever files they came from."""
        encoded = msgspec.json.encode(self, order="deterministic")
        return hashlib.blake2b(encoded, digest_size=8).hexdigest()


_ENTRIES: Final[Mapping[str, type[_Entry]]] = {
    "commands": CommandRule,
    "wrappers": WrapperRule,
    "shells": InterpreterRule,
    "interpreters": InterpreterRule,
    "languages": LanguageRule,
    "tools": ToolRule,
}
_WHOLE: Final[Mapping[str, type[_Entry]]] = {"setup": SetupRule, "submits": SubmitRule}
_PROGRAMS: Final = ("commands", "wrappers", "shells", "interpreters")
"""Tables of programs: what a file says of one replaces all that earlier ones say of it."""
_SHORT: Final = frozenset({"commands", "tools"})
"""Tables whose entries may be a bare kind."""


def load_kinds(*paths: str | Path) -> KindTables:
    """Read the tables of the package, then those of each file over them.

    Parameters
    ----------
    *paths : str or Path
        TOML files of the shape of ``kinds.toml``. An entry of a later file replaces the entry of
        the same name as a whole; so do the tables ``setup`` and ``submits``.

    Returns
    -------
    KindTables
        The merged tables.

    Raises
    ------
    UsageError
        If a file can't be read, or an entry is not what the table allows; the message names the
        file, the key, what is allowed and what was found.

    Examples
    --------
    >>> load_kinds().commands["grep"].kind
    'explore'
    """
    return _loaded(paths) if paths else _of_the_package()


@cache
def _of_the_package() -> KindTables:
    return _loaded(())


def _loaded(paths: Iterable[str | Path]) -> KindTables:
    shipped = files("ethogram.actions").joinpath("kinds.toml").read_text("utf-8")
    merged: dict[str, Any] = {table: {} for table in _ENTRIES}
    for name, text in [("kinds.toml", shipped), *((str(path), _read(path)) for path in paths)]:
        _merge(name, text, merged)
    return KindTables(**merged)


def _read(path: str | Path) -> str:
    try:
        return read_regular(path).decode()
    except OSError as err:
        raise UsageError(f"{path}: {reason_of(err)}") from err
    except UnicodeDecodeError as err:
        raise UsageError(
            f"{path}: a table of kinds must be a TOML file in UTF-8; {reason_of(err)}"
        ) from err


def _merge(name: str, text: str, merged: dict[str, Any]) -> None:
    """Lay the entries of one file over those of the earlier ones."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise UsageError(f"{name}: a table of kinds must be TOML; {err}") from err
    for table, entries in content.items():
        if table in _WHOLE:
            merged[table] = _converted(name, table, entries, _WHOLE[table])
        elif table in _ENTRIES and isinstance(entries, dict):
            if table in _PROGRAMS:
                _forget(merged, entries, content)
            merged[table] |= {key: _entry(name, table, key, entries[key]) for key in entries}
        else:
            known = ", ".join([*_ENTRIES, *_WHOLE])
            raise UsageError(f"{name}: a table is one of {known}; found {table!r}")


def _forget(merged: dict[str, Any], entries: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    """Forget what earlier files say of these programs in the tables that this file leaves alone.

    Otherwise a user's command ``python`` would stay an interpreter all the same.
    """
    for other in _PROGRAMS:
        own = content.get(other)
        for program in set(entries).difference(own if isinstance(own, dict) else ()):
            merged[other].pop(program, None)


def _entry(name: str, table: str, key: str, entry: Any) -> _Entry:
    value = {"kind": entry} if table in _SHORT and isinstance(entry, str) else entry
    rule = _converted(name, f"{table}.{key}", value, _ENTRIES[table])
    for pattern in rule.patterns if isinstance(rule, LanguageRule) else ():
        try:
            re.compile(pattern)
        except re.error as err:
            raise UsageError(
                f"{name}: {table}.{key}: a pattern must be a regular expression; "
                f"found {pattern!r} ({err})"
            ) from err
    return rule


def _converted(name: str, key: str, value: Any, shape: type[_Entry]) -> _Entry:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as err:
        raise UsageError(
            f"{name}: {key}: allowed are the fields {', '.join(shape.__struct_fields__)} and the "
            f"kinds {', '.join(KINDS)}; found {value!r} ({err})"
        ) from err
