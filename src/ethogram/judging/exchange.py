"""Answers as JSON lines: to publish them, and to take others' in."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from ethogram.errors import InputError, JudgeError
from ethogram.judging.cache import Cache, Entry, Session, address_of
from ethogram.results.printable import printable_name

SCHEMA: Final = "ethogram.judge/1"
LONGEST_LINE: Final = 1_000_000
"""Bytes; an answer is at most 50,000 characters."""


class _Line(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    schema: str = SCHEMA


class Imported(NamedTuple):
    """What became of the lines of a file."""

    added: int
    known: int
    """Answers that the cache had already."""
    differing: int
    """Of those, answers in other words: the cache keeps its own."""
    bad: tuple[str, ...]
    """A sentence for each line that is no answer."""


def lines(cache: Cache) -> Iterator[str]:
    """The answers as JSON lines without line ends, in the order of their addresses."""
    with cache.session(make=False) as session:
        for entry in session.entries():
            fields = {"schema": SCHEMA, **msgspec.structs.asdict(entry)}
            yield msgspec.json.encode(fields, order=None).decode()


def export_answers(cache: Cache, target: Path) -> int:
    """Write the answers to a file, whole or not at all.

    The same answers give the same bytes, in whatever order they came.

    Returns
    -------
    int
        How many there are.
    """
    half = target.with_name(f"{target.name}.{os.getpid()}.part")
    count = 0
    try:
        with half.open("w", encoding="utf-8", newline="\n") as file:
            for count, line in enumerate(lines(cache), start=1):  # noqa: B007  counted here
                file.write(f"{line}\n")
        half.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            half.unlink()
    return count


def import_answers(cache: Cache, source: Path) -> Imported:
    """Take in the answers of a file; lines that are none are named and lose nothing else.

    Raises
    ------
    InputError
        If the file is a pipe or a device.
    OSError
        If it can't be read.
    """
    if source.exists() and not source.is_file():
        raise InputError(f"{source}: not a file of answers")
    with source.open("rb") as file, cache.session() as session:
        return _take_in(session, _numbered(file), source)


def _numbered(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in enumerate(file, start=1) if line.strip())


def _take_in(session: Session, numbered: Iterable[tuple[int, bytes]], source: Path) -> Imported:
    added = known = differing = 0
    bad = []
    for number, line in numbered:
        try:
            entry = _read(line)
        except JudgeError as err:
            bad.append(f"{source}, line {number:,}: {err}")
            continue
        there = session.find([entry.address]).get(entry.address)
        if there is None:
            session.add(entry)
            added += 1
        else:
            known += 1
            differing += there.answer != entry.answer
    return Imported(added, known, differing, tuple(bad))


def _read(line: bytes) -> Entry:
    """An answer, if the line is one and its address is the digest of what it says."""
    if len(line) > LONGEST_LINE:
        raise JudgeError(f"longer than {LONGEST_LINE:,} bytes")
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as err:
        raise JudgeError(f"no answer of a judge: {printable_name(str(err))}") from None
    if read.schema != SCHEMA:
        raise JudgeError(f"schema must be {SCHEMA!r}, got {printable_name(read.schema[:80])!r}")
    fields = {name: getattr(read, name) for name in Entry.__struct_fields__}
    names = ("model", "prompt", "prompt_version", "question", "parameters", "sample")
    if address_of(**{name: fields[name] for name in names}) != read.address:
        raise JudgeError("its address is not the digest of what it says; it was changed")
    return Entry(**fields)
