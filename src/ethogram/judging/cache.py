"""Answers that were given, found again by what was asked.

One SQLite file, safe for several processes. An answer's address is the digest of all that decides
it: model, prompt with its version, the words of the question, parameters, number of the sample.
The words themselves are not kept, only their digest; neither are keys or the server's address, so
that the file can be handed on and its answers are found again from any machine.
"""

import hashlib
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from ethogram.errors import InputError

APPLICATION_ID: Final = 0x6574686A
"""Marks the file as ours ("ethj")."""
SCHEMA_VERSION: Final = 1
BUSY_SECONDS: Final = 30.0
_TRIES: Final = 100
_PAUSE_SECONDS: Final = 0.05
_AT_ONCE: Final = 500
"""Addresses that one query looks up; SQLite takes 999 at least."""

Parameter = str | int | float | bool | None


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer with all that decided it."""

    address: str
    model: str
    prompt: str
    prompt_version: int
    question: str
    """Digest of the words of the question."""
    parameters: dict[str, Parameter]
    sample: int
    answer: str
    """As the model wrote it."""
    answered_by: str | None = None
    """The model as the server names it: often with its date."""
    input_tokens: int | None = None
    output_tokens: int | None = None


def address_of(
    *,
    model: str,
    prompt: str,
    prompt_version: int,
    question: str,
    parameters: Mapping[str, Parameter],
    sample: int,
) -> str:
    """Digest of all that decides an answer, in 64 hex digits.

    Parameters
    ----------
    model, prompt : str
        Names of the model and of the prompt.
    prompt_version, sample : int
        Version of the prompt, and which of several answers.
    question : str
        Digest of the words of the question (`digest_of`).
    parameters : mapping
        What else the model was told, in any order.
    """
    decided = (model, prompt, prompt_version, question, sorted(parameters.items()), sample)
    return hashlib.sha256(msgspec.json.encode(("ethogram.judge/1", *decided))).hexdigest()


def digest_of(text: str) -> str:
    """Digest of a text, in 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


_COLUMNS: Final = Entry.__struct_fields__
_CREATE: Final = """
CREATE TABLE IF NOT EXISTS answers (
    address TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL,
    prompt_version INTEGER NOT NULL, question TEXT NOT NULL, parameters TEXT NOT NULL,
    sample INTEGER NOT NULL, answer TEXT NOT NULL, answered_by TEXT,
    input_tokens INTEGER, output_tokens INTEGER
) WITHOUT ROWID
"""
_SELECT: Final = f"SELECT {', '.join(_COLUMNS)} FROM answers"  # noqa: S608  names of our own
_INSERT: Final = (
    f"INSERT INTO answers ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "  # noqa: S608
    "ON CONFLICT (address) DO NOTHING"
)


class Session:
    """An open cache; `Cache.session` makes it. Threads may share it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def find(self, addresses: Iterable[str]) -> dict[str, Entry]:
        """Those of the addresses that have an answer, with it."""
        wanted = list(dict.fromkeys(addresses))
        found = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            with self._lock:
                rows = self._connection.execute(f"{_SELECT} WHERE address IN ({marks})", some)
                found.update({entry.address: entry for entry in map(_entry, rows)})
        return found

    def add(self, entry: Entry) -> Entry:
        """Keep an answer at once; return the one that is kept, which is the first that came."""
        row = [getattr(entry, name) for name in _COLUMNS]
        row[_COLUMNS.index("parameters")] = msgspec.json.encode(
            dict(sorted(entry.parameters.items()))
        ).decode()
        with self._lock:
            self._connection.execute(_INSERT, row)
        return self.find([entry.address])[entry.address]

    def entries(self) -> Iterator[Entry]:
        """All answers in the order of their addresses."""
        return map(_entry, self._connection.execute(f"{_SELECT} ORDER BY address"))


def _entry(row: tuple[object, ...]) -> Entry:
    fields = dict(zip(_COLUMNS, row, strict=True))
    try:
        fields["parameters"] = msgspec.json.decode(str(fields["parameters"]))
        return msgspec.convert(fields, Entry)
    except msgspec.MsgspecError as err:
        raise InputError(f"cache of answers: a row that was changed by hand: {err}") from err


class Cache:
    """A file of answers.

    Parameters
    ----------
    path : Path
        The file. It is made when the first answer is kept.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def session(self, *, make: bool = True) -> Iterator[Session]:
        """Open the file; several processes may have it open, and each answer is written at once.

        Parameters
        ----------
        make : bool
            Whether to make a file that is not there; otherwise the cache is then empty.

        Raises
        ------
        InputError
            If the file is not a cache of answers, of another version, or can't be written.
        """
        try:
            with closing(self._connect(make=make)) as connection:
                yield Session(connection)
        except sqlite3.Error as err:
            raise InputError(f"{self.path}: can't be used as a cache of answers: {err}") from err

    def _connect(self, *, make: bool) -> sqlite3.Connection:
        place = str(self.path)
        if not self.path.exists():
            if make:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            else:
                place = ":memory:"
        elif not self.path.is_file():
            raise InputError(f"{self.path}: a folder or a device, not a cache of answers")
        # Autocommit: what was answered stays answered, whatever ends the process afterwards.
        connection = sqlite3.connect(
            place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (ours,) = connection.execute("PRAGMA application_id").fetchone()
        if ours != APPLICATION_ID:
            self._make(connection)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{self.path}: a cache of version {version}; this ethogram knows {SCHEMA_VERSION}"
            )
        # A crash of the machine may lose the last answers, a crash of the process loses none.
        connection.execute("PRAGMA synchronous = NORMAL")

    def _make(self, connection: sqlite3.Connection) -> None:
        # Tables first: another process that is making the file writes both in one go.
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        (ours,) = connection.execute("PRAGMA application_id").fetchone()
        if tables and ours != APPLICATION_ID:
            raise InputError(f"{self.path}: a database, but not a cache of answers")
        _write_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_CREATE)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work side by side.

    SQLite doesn't wait its busy time for this one switch where several processes make the file.
    """
    for _ in range(_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            time.sleep(_PAUSE_SECONDS)
        else:
            return
    connection.execute("PRAGMA journal_mode = WAL")
