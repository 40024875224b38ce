"""``mapping``: a TOML file that says where fields lie in somebody's own JSON or JSONL.

`load_mapping` reads such a file; `Mapping.format` makes a `Format` of it that is used like any
other. The language is described in ``docs/how-to/map-your-own-logs.md``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from ethogram.errors import UsageError
from ethogram.formats.base import Format, Probe, Source
from ethogram.formats.json_text import decode, decode_lines
from ethogram.formats.mapping_fields import Complaints, Scope, Where, as_text, read
from ethogram.formats.mapping_layout import Layout, OutcomeTemplate
from ethogram.formats.mapping_parse import parse
from ethogram.formats.mapping_run import run
from ethogram.trajectory import Problem, Trajectory
from ethogram.user_files import read_regular, reason_of

__all__ = ["Mapping", "OutcomeTemplate", "load_mapping"]

_ANY: Final = msgspec.json.Decoder(Any)
_EVERY: Final = "*"
_LIST_IF_ANY: Final = ""  # no key can be written so: what lies at the end may be a list of runs
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Mapping:
    """A mapping file, read and checked.

    Parameters
    ----------
    layout : Layout
        What the file says.
    """

    layout: Layout

    @property
    def name(self) -> str:
        """Name of the format that the mapping makes."""
        return self.layout.name

    @property
    def outcomes(self) -> tuple[OutcomeTemplate, ...]:
        """Where reports on the runs lie; whoever reads the runs joins them."""
        return self.layout.outcomes

    def format(self) -> Format:
        """Make a format of the mapping.

        The user named it, so it outranks whatever else would take its files.
        """
        return Format(
            name=self.name,
            sniff=self.sniff,
            declares=self.sniff,
            read=self.read,
            about=self.layout.about or "Files that a mapping describes.",
            left_out="whatever the mapping doesn't list under run.settings",
        )

    def sniff(self, probe: Probe) -> bool:
        """Whether the file's path and top-level keys are those that the mapping speaks of."""
        files = self.layout.files
        if probe.first_byte not in {b"{", b"["}:
            return False
        if files.path is not None and files.path.match(probe.source.name) is None:
            return False
        return probe.keys.issuperset(files.keys or self._expected_keys())

    def _expected_keys(self) -> tuple[str, ...]:
        """Top-level keys without which no run could be found."""
        files, steps = self.layout.files, self.layout.steps
        if files.runs:
            return tuple(key for key in files.runs[:1] if key != _EVERY)
        if files.lines == "steps":
            places = [steps.fields.get("action"), steps.fields.get("tool")]
        elif files.only is not None:  # the first record may be another one than a run
            places = [files.only]
        else:
            places = [Where(paths=(steps.where,))]
        paths = [path for place in places if place for path in place.paths if not path.up]
        return paths[0].down[:1] if paths else ()

    def read(self, source: Source) -> Iterator[Trajectory | Problem]:
        """Yield the runs of a file in its order.

        Raises
        ------
        MalformedTrajectoryError
            If the file is one JSON text and broken; a broken line of a JSONL file is a `Problem`.
        """
        layout = self.layout
        captures = (layout.files.path and layout.files.path.match(source.name)) or {}
        for value, place, problems in self._records(source):
            if isinstance(value, Problem):
                yield value
                continue
            outer = Scope(value, captures=captures)
            for scope, record in _entries(outer, self._way(), (place,) if place else ()):
                if isinstance(scope, Problem):
                    yield scope
                elif self._is_run(scope):
                    yield run(layout, scope, source=source.name, record=record, problems=problems)

    def _way(self) -> tuple[str, ...]:
        runs = self.layout.files.runs
        return runs if runs[-1:] == (_EVERY,) else (*runs, _LIST_IF_ANY)

    def _records(self, source: Source) -> Iterator[tuple[Any, str, list[Problem]]]:
        """Yield the values of a file with their places and what was odd about them."""
        lines = self.layout.files.lines
        if lines is None and source.basename.endswith(_LINE_SUFFIXES):
            lines = "runs"
        if lines == "runs":
            for number, value, problems in decode_lines(source, _ANY):
                yield value, f"line {number}", problems
        elif lines == "steps":
            yield _lines_of_a_run(source)
        else:
            value, problems = decode(source.read(), _ANY, place=source.name)
            yield value, "", problems

    def _is_run(self, scope: Scope) -> bool:
        only = self.layout.files.only
        return only is None or bool(read(only, "truth", scope, "files.only", Complaints()))


def load_mapping(path: str | Path) -> Mapping:
    """Read a mapping file.

    Parameters
    ----------
    path : str or Path
        A TOML file; ``docs/how-to/map-your-own-logs.md`` describes what may stand in it.

    Raises
    ------
    UsageError
        If the file can't be read or says something that a mapping can't; the sentence names the
        file, the key, what is allowed and what was found.
    """
    try:
        text = read_regular(path).decode()
    except (OSError, UnicodeDecodeError) as err:
        raise UsageError(f"mapping {path}: can't be read: {reason_of(err)}") from err
    return Mapping(parse(text, source=str(path)))


def _lines_of_a_run(source: Source) -> tuple[Any, str, list[Problem]]:
    """Return a file of which every line is a step; with a broken line it is no whole run."""
    values, problems = [], []
    for _, value, odd in decode_lines(source, _ANY):
        if isinstance(value, Problem):
            return value, "", []
        values.append(value)
        problems += odd
    return {"lines": values}, "", problems


def _entries(
    scope: Scope, path: Sequence[str], place: tuple[str, ...]
) -> Iterator[tuple[Scope | Problem, str | None]]:
    """Walk down to the runs: by key, over every entry at ``*``."""
    record = ".".join(place) or None
    if not path or (path[0] == _LIST_IF_ANY and not isinstance(scope.value, list)):
        yield scope, record
        return
    inner = list(_inner(scope, path[0]))
    if not inner:
        yield _nothing(scope.value, path[0], record), record
    for name, each in inner:
        yield from _entries(each, path[1:], (*place, name))


def _inner(scope: Scope, step: str) -> Iterator[tuple[str, Scope]]:
    """Yield what one step of a path leads to, with its name."""
    value = scope.value
    if step not in {_EVERY, _LIST_IF_ANY}:
        if isinstance(value, dict) and value.get(step) is not None:
            yield step, scope.inner(value[step])
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield str(number), scope.entry(entry, number)
    elif isinstance(value, dict):
        for number, (key, entry) in enumerate(value.items()):
            yield key, scope.entry(entry, number, key)


def _nothing(value: Any, step: str, record: str | None) -> Problem:
    """Problem of a step that leads nowhere; an empty list of runs is worth a note only."""
    if step in {_EVERY, _LIST_IF_ANY} and isinstance(value, list | dict):
        return Problem(reason="the list of runs is empty", record=record, severity="note")
    reason = f"nothing at {step!r} of {as_text(value)[:40]!r}"
    return Problem(reason=reason, record=record, field="files.runs")
