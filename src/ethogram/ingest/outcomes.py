"""Joining outcomes from elsewhere to runs, without guessing.

A row belongs to the runs that agree with every key it has. One that fits several runs is an error
that says how to tell them apart; two rows that contradict each other about one run are an error
too. Rows without a run and runs without a row are counted and named.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.errors import OutcomeError, UsageError
from ethogram.ingest.archives import is_archive, read_archive
from ethogram.ingest.layout import template_pattern
from ethogram.ingest.reports import KEYS, OutcomeRow, read_report

_SHOWN: Final = 5


class OutcomeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Where outcomes lie and to which runs they may belong."""

    path: str
    """A file, a template with ``{captures}``, a glob; ``archive::path`` for a member."""
    part: str | None = None
    """Only runs whose source holds this path."""
    values: Mapping[str, Mapping[str, str]] = {}
    """Capture -> written value -> value in the cohort."""
    columns: Mapping[str, str] = {}
    fields: Mapping[str, str] = {}
    """Capture -> key of a run, where the capture is not called like the key."""
    root: str | None = None
    """Folder that a relative path is below; the working folder without it."""


def parse_spec(text: str, columns: Mapping[str, str] | None = None) -> OutcomeSpec:
    """Read ``[PART=]PATH`` where PATH may hold ``{name}`` or ``{name:written=meant,...}``.

    >>> parse_spec("a.tar.xz::dev/=report.json").part
    'a.tar.xz::dev/'
    >>> spec = parse_spec("{system:gpt5=openai-gpt-5}-run{trial}.json")
    >>> spec.path, spec.values["system"]["gpt5"]
    ('{system}-run{trial}.json', 'openai-gpt-5')
    """
    part, path = _split_part(text)
    values: dict[str, dict[str, str]] = {}
    plain, position = "", 0
    while (start := path.find("{", position)) >= 0:
        end = path.find("}", start)
        if end < 0:
            raise UsageError(f"outcomes {text!r}: a brace is not closed")
        name, colon, maps = path[start + 1 : end].partition(":")
        if colon:
            values[name] = _value_map(maps, text)
        plain += f"{path[position:start]}{{{name}}}"
        position = end + 1
    path = plain + path[position:]
    if not path:
        raise UsageError(f"outcomes {text!r}: names no file")
    return OutcomeSpec(path=path, part=part, values=values, columns=dict(columns or {}))


def _split_part(text: str) -> tuple[str | None, str]:
    """Split at the first ``=`` outside braces, unless the whole is a file's name."""
    if Path(text).exists():
        return None, text
    depth = 0
    for position, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "=" and depth == 0:
            return text[:position], text[position + 1 :]
    return None, text


def _value_map(maps: str, text: str) -> dict[str, str]:
    pairs = [item.partition("=") for item in maps.split(",")]
    if not all(written and equals and meant for written, equals, meant in pairs):
        raise UsageError(f"outcomes {text!r}: a value map is written=meant,...; got {maps!r}")
    return {written.strip(): meant.strip() for written, _, meant in pairs}


def parse_columns(text: str) -> dict[str, str]:
    """Read ``source=member,success=resolved``: our name = the table's header."""
    return _value_map(text, f"columns {text}") if text else {}


def read_rows(spec: OutcomeSpec) -> Iterator[OutcomeRow]:
    """Rows of every report that a spec names.

    Raises
    ------
    OutcomeError
        If no file fits, or a report can't be read.
    """
    found = False
    for name, captures, content in _find_reports(spec):
        found = True
        yield from read_report(name, content, _mapped(captures, spec), spec.columns)
    if not found:
        below = f" below {spec.root}" if spec.root else ""
        raise OutcomeError(f"outcomes: no file fits {spec.path!r}{below}")


def _mapped(captures: Mapping[str, str], spec: OutcomeSpec) -> dict[str, str]:
    keys = {
        spec.fields.get(name, name): spec.values.get(name, {}).get(value, value)
        for name, value in captures.items()
    }
    return {name: value for name, value in keys.items() if name in KEYS}


def _find_reports(spec: OutcomeSpec) -> Iterator[tuple[str, dict[str, str], bytes]]:
    outer, _, inner = spec.path.partition("::")
    base = Path(spec.root) if spec.root else Path()
    direct = base / outer
    if inner and direct.is_file() and is_archive(direct):
        pattern = template_pattern(inner)
        for member in read_archive(direct, str(direct)):
            match = pattern.match(member.source.name.partition("::")[2])
            if match:
                yield member.source.name, match.groupdict(), member.source.read()
        return
    if direct.is_file():
        yield str(direct), {}, direct.read_bytes()
        return
    pattern = template_pattern(outer)
    for path in _candidates(base, outer):
        match = pattern.match(path.as_posix())
        if match:
            yield str(path), match.groupdict(), path.read_bytes()


def _candidates(base: Path, template: str) -> list[Path]:
    """Files that a template may name: its captures as wild cards."""
    parts = Path(template).parts
    fixed = []
    for part in parts[:-1]:
        if any(char in part for char in "{*?["):
            break
        fixed.append(part)
    folder = base.joinpath(*fixed)
    rest = "/".join(parts[len(fixed) :])
    wild = "".join(_wild(rest))
    return sorted(path for path in folder.glob(wild) if path.is_file()) if folder.is_dir() else []


def _wild(text: str) -> Iterator[str]:
    depth = 0
    for char in text:
        if char == "{":
            depth += 1
            yield "*"
        elif char == "}":
            depth -= 1
        elif depth == 0:
            yield char


@dataclass(frozen=True)
class Joined:
    """Outcomes found for runs, and what found no partner."""

    rows: Mapping[str, OutcomeRow] = field(default_factory=dict)
    """run_id -> its row."""
    without_run: tuple[str, ...] = ()
    without_row: tuple[str, ...] = ()
    reports: frozenset[str] = frozenset()
    """Files that the outcomes came from."""


def join(runs: pl.DataFrame, specs: Sequence[OutcomeSpec]) -> Joined:
    """Find the row of every run.

    Parameters
    ----------
    runs : polars.DataFrame
        Runs with the columns ``run_id, native_id, source, system, model, benchmark, task_id,
        trial``.
    specs : sequence of OutcomeSpec
        Where outcomes lie.

    Raises
    ------
    OutcomeError
        If a row fits several runs or two rows contradict each other.
    """
    columns = ["run_id", *KEYS]
    records = list(runs.select(columns).iter_rows(named=True))
    found: dict[str, OutcomeRow] = {}
    without_run: list[str] = []
    answered: set[str] = set()
    reports: set[str] = set()
    for spec in specs:
        candidates = [r for r in records if spec.part is None or holds_path(r["source"], spec.part)]
        if spec.part is not None and not candidates:
            raise OutcomeError(f"outcomes: no run's source holds {spec.part!r}")
        index = _Index(candidates)
        for row in read_rows(spec):
            reports.add(row.report)
            matches = index.matches(row)
            answered.update(record["run_id"] for record in matches)
            if not matches:
                without_run += [_named(row)] if row.expects_run else []
            elif row.success is not None or row.score is not None:
                _take(found, row, matches)
    without_row = [_run_name(r) for r in records if r["run_id"] not in answered]
    return Joined(found, tuple(without_run), tuple(without_row), frozenset(reports))


def _take(found: dict[str, OutcomeRow], row: OutcomeRow, matches: list[dict[str, Any]]) -> None:
    if len(matches) > 1:
        more = ", ..." if len(matches) > _SHOWN else ""
        named = ", ".join(_run_name(r) for r in matches[:_SHOWN]) + more
        raise OutcomeError(
            f"outcomes: {row.report}: {_named(row)} fits {len(matches)} runs "
            f"({named}). Tell them apart: tie the report to a part of the files "
            " ('folder/=report.json'), use a template with {trial} or {system}, or a "
            "table with a column 'source' or 'native_id'"
        )
    run_id = matches[0]["run_id"]
    before = found.setdefault(run_id, row)
    if (before.success, before.score) != (row.success, row.score):
        raise OutcomeError(
            f"outcomes: {_run_name(matches[0])} is success={before.success} in {before.report} and "
            f"success={row.success} in {row.report}: give one of the two"
        )


class _Index:
    """Runs by whatever set of keys a row has, built once a set."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self._records = records
        self._by: dict[tuple[str, ...], dict[tuple[str, ...], list[dict[str, Any]]]] = {}

    def matches(self, row: OutcomeRow) -> list[dict[str, Any]]:
        """Runs that agree with every key of the row."""
        keys = {name: _plain(name, value) for name, value in row.keys.items()}
        if "source" in keys:
            end = keys["source"]
            named = self._lookup("source").get((end.rpartition("/")[2],), [])
            return [record for record in named if _ends_with_path(record["source"], end)]
        names = tuple(sorted(keys))
        return self._lookup(*names).get(tuple(keys[name] for name in names), [])

    def _lookup(self, *names: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
        if names not in self._by:
            table: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
            for record in self._records:
                for key in _keys_of(record, names):
                    table[key].append(record)
            self._by[names] = table
        return self._by[names]


def _keys_of(record: Mapping[str, Any], names: Iterable[str]) -> list[tuple[str, ...]]:
    """Keys under which a run is found; a system also goes by its model's name."""
    keys: list[tuple[str, ...]] = [()]
    for name in names:
        values = [record[name]]
        if name == "system":
            values.append(record["model"])
        elif name == "source":
            values = [str(record["source"]).replace("::", "/").rpartition("/")[2]]
        plain = dict.fromkeys(_plain(name, str(value)) for value in values if value is not None)
        keys = [(*key, value) for key in keys for value in plain]
    return keys


def _plain(name: str, value: str) -> str:
    """One spelling a value: trials without leading zeros, paths with one kind of separator."""
    if name == "trial" and value.isdecimal():
        return str(int(value))
    return value.replace("::", "/").removeprefix("./") if name == "source" else value


def holds_path(source: str, part: str) -> bool:
    """Whether a path lies at or below ``part``, compared by whole components."""
    components = source.replace("::", "/").split("/")
    wanted = [c for c in part.replace("::", "/").split("/") if c not in {"", "."}]
    n = len(wanted)
    return any(components[i : i + n] == wanted for i in range(len(components) - n + 1))


def _ends_with_path(source: str, end: str) -> bool:
    components = source.replace("::", "/").split("/")
    wanted = [c for c in end.split("/") if c not in {"", "."}]
    return components[-len(wanted) :] == wanted


def _named(row: OutcomeRow) -> str:
    return ", ".join(f"{name} {value}" for name, value in row.keys.items())


def _run_name(record: Mapping[str, Any]) -> str:
    trial = "" if record["trial"] is None else f" trial {record['trial']}"
    return f"{record['task_id']}{trial} in {record['source']}"


def apply_outcomes(runs: pl.DataFrame, joined: Joined) -> pl.DataFrame:
    """Put the outcomes into the ``runs`` table; runs without a row keep what they had."""
    if not joined.rows:
        return runs
    table = pl.DataFrame(
        [
            {"run_id": i, "s": row.success, "v": row.score, "o": row.report, "r": row.rule}
            for i, row in joined.rows.items()
        ],
        schema={
            "run_id": pl.String,
            "s": pl.Boolean,
            "v": pl.Float64,
            "o": pl.String,
            "r": pl.String,
        },
    )
    found = pl.col("o").is_not_null()
    return (
        runs.join(table, on="run_id", how="left", maintain_order="left")
        .with_columns(
            success=pl.when(found).then("s").otherwise("success"),
            score=pl.when(found & pl.col("v").is_not_null()).then("v").otherwise("score"),
            outcome_source=pl.when(found).then("o").otherwise("outcome_source"),
            outcome_rule=pl.when(found).then("r").otherwise("outcome_rule"),
        )
        .select(runs.columns)
    )
