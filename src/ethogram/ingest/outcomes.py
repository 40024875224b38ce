"""Joining outcomes from elsewhere to runs, without guessing.

A row belongs to the runs that agree with every key it has. One that fits several runs is an error
that says how to tell them apart; two rows that contradict each other about one run are an error
too. Rows without a run and runs without a row are counted and named.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from ethogram.errors import OutcomeError
from ethogram.ingest.outcome_files import OutcomeSpec, read_rows
from ethogram.ingest.reports import KEYS, OutcomeRow
from ethogram.trajectory import Problem

_SHOWN: Final = 5
_WHOLE: Final = re.compile(r"0*([0-9]+)(?:\.0+)?")
"""A whole number as tables write it: 3, 003 or 3.0."""


@dataclass(frozen=True)
class Joined:
    """Outcomes found for runs, and what found no partner."""

    rows: Mapping[str, OutcomeRow] = field(default_factory=dict)
    """run_id -> its row."""
    without_run: tuple[str, ...] = ()
    without_row: tuple[str, ...] = ()
    reports: frozenset[str] = frozenset()
    """Files that the outcomes came from."""
    problems: tuple[Problem, ...] = ()
    """What was wrong with the archives that reports lie in."""


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
    problems: list[Problem] = []
    for spec in specs:
        candidates = [r for r in records if spec.part is None or holds_path(r["source"], spec.part)]
        if spec.part is not None and not candidates:
            raise OutcomeError(f"outcomes: no run's source holds {spec.part!r}")
        index = _Index(candidates)
        for row in read_rows(spec, problems.append):
            reports.add(row.report)
            matches = index.matches(row)
            answered.update(record["run_id"] for record in matches)
            if not matches:
                without_run += [_named(row)] if row.expects_run else []
            elif row.success is not None or row.score is not None:
                _take(found, row, matches)
    without_row = [_run_name(r) for r in records if r["run_id"] not in answered]
    return Joined(
        found, tuple(without_run), tuple(without_row), frozenset(reports), tuple(problems)
    )


def _take(found: dict[str, OutcomeRow], row: OutcomeRow, matches: list[dict[str, Any]]) -> None:
    if len(matches) > 1:
        more = ", ..." if len(matches) > _SHOWN else ""
        named = ", ".join(sorted(map(_run_name, matches))[:_SHOWN]) + more
        raise OutcomeError(
            f"outcomes: {row.report}: {_named(row)} fits {len(matches)} runs "
            f"({named}). Tell them apart: tie the report to a part of the files "
            "('folder/=report.json'), use a template with {trial} or {system}, or a "
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
    """One spelling a value: trials as plain numbers, paths with one kind of separator."""
    if name == "trial" and (number := _WHOLE.fullmatch(value)):
        return number[1]
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
    decided = pl.col("s").is_not_null()
    return (
        runs.join(table, on="run_id", how="left", maintain_order="left")
        .with_columns(
            success=pl.when(decided).then("s").otherwise("success"),
            score=pl.when(found & pl.col("v").is_not_null()).then("v").otherwise("score"),
            outcome_source=pl.when(found).then("o").otherwise("outcome_source"),
            outcome_rule=pl.when(found).then("r").otherwise("outcome_rule"),
        )
        .select(runs.columns)
    )
