"""Outcomes that lie elsewhere: SWE-bench reports and tables, as rows with keys.

A row says what is known of it (task, trial, system, ...) and what became of it. Shapes that are
read:

- a SWE-bench summary: lists of ids (``resolved_ids``, ``unresolved_ids``, ``empty_patch_ids``,
  ``error_ids``, ``incomplete_ids``, ``submitted_ids``; older ones without ``_ids``);
- SWE-bench's ``report.json`` of one instance, keyed by its id or flat (then the template names the
  task or, failing that, the folder it lies in, as SWE-bench's harness lays it);
- ``{"task": true, ...}``;
- a table: CSV, TSV, JSONL or a JSON list of objects, with columns for keys and outcome.

Resolved is true; unresolved or an empty patch is false; an error of the harness, an incomplete or
not submitted instance is null.
"""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

import msgspec

from ethogram.errors import OutcomeError
from ethogram.formats.base import Source

KEYS: Final = ("native_id", "source", "system", "model", "benchmark", "task_id", "trial")
_COLUMNS: Final = (*KEYS, "success", "score")
_TRUE: Final = frozenset(
    {"1", "1.0", "true", "t", "yes", "y", "resolved", "pass", "passed", "success"}
)
_FALSE: Final = frozenset(
    {"0", "0.0", "false", "f", "no", "n", "unresolved", "fail", "failed", "failure"}
)
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}
_LINES: Final = (".jsonl", ".ndjson")
_MISSING: Final = frozenset({"", "null", "none", "nan", "na", "n/a"})
_STATES: Final[tuple[tuple[str, bool | None], ...]] = (
    ("resolved", True),
    ("unresolved", False),
    ("empty_patch", False),
    ("no_generation", False),
    ("error", None),
    ("incomplete", None),
)
"""Lists of a SWE-bench summary, the first that names an id decides."""
_LIST_KEYS: Final = frozenset(
    {f"{name}{suffix}" for name, _ in _STATES for suffix in ("_ids", "")}
    | {"submitted_ids", "submitted", "generated", "completed_ids"}
)


class OutcomeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One outcome: to whom it belongs and what it is."""

    keys: Mapping[str, str]
    success: bool | None
    score: float | None = None
    report: str
    rule: str
    expects_run: bool = True
    """False for instances that were never run: without a run they are not unmatched."""


def read_report(
    name: str, content: bytes, captures: Mapping[str, str], columns: Mapping[str, str]
) -> list[OutcomeRow]:
    """Rows of one report.

    Parameters
    ----------
    name : str
        Path of the report, for messages and for a flat report's folder.
    content : bytes
        Its bytes.
    captures : mapping
        Keys that the report's path gives; they are added to every row.
    columns : mapping
        Of a table: our name -> its header, for example ``{"success": "resolved"}``.

    Raises
    ------
    OutcomeError
        If it is none of the shapes.
    """
    suffix = PurePath(Source(name).basename).suffix.lower()
    if suffix in _DELIMITERS:
        return _table(_csv_records(name, content, _DELIMITERS[suffix]), name, captures, columns)
    if suffix in _LINES:
        records = (
            _decode(f"{name}:{i}", line)
            for i, line in enumerate(content.splitlines(), 1)
            if line.strip()
        )
        return _table(records, name, captures, columns)
    report = _decode(name, content)
    if isinstance(report, list):
        return _table(iter(report), name, captures, columns)
    if isinstance(report, dict):
        for shape in (_summary_rows, _flat_rows, _keyed_rows, _boolean_rows):
            rows = shape(name, report, captures)
            if rows is not None:
                return rows
    raise OutcomeError(
        f"{name}: not a report that can be read; allowed: a SWE-bench summary (resolved_ids, ...), "
        "its report.json of one instance, {task: true}, or a table"
    )


def _decode(name: str, content: bytes) -> Any:
    try:
        return msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as err:
        raise OutcomeError(f"{name}: {err}") from err


def _summary_rows(
    name: str, report: dict[str, Any], captures: Mapping[str, str]
) -> list[OutcomeRow] | None:
    lists = {k: v for k, v in report.items() if k in _LIST_KEYS and isinstance(v, list)}
    if not any(key.startswith("resolved") for key in lists):
        return None
    _check_lists(name, lists)
    outcomes: dict[str, tuple[bool | None, str]] = {}
    for state, success in _STATES:
        for task in (*lists.get(f"{state}_ids", ()), *lists.get(state, ())):
            outcomes.setdefault(str(task), (success, state))
    for task in (
        t
        for key in ("completed_ids", "submitted_ids", "submitted", "generated")
        for t in lists.get(key, ())
    ):
        outcomes.setdefault(
            str(task), (False, "unresolved")
        )  # older reports list the resolved only
    submitted = set(map(str, lists.get("submitted_ids", outcomes)))
    return [
        OutcomeRow(
            keys={**captures, "task_id": task},
            success=success if task in submitted or state != "unresolved" else None,
            report=name,
            rule=f"SWE-bench report: {state}",
            expects_run=state != "incomplete" and task in submitted,
        )
        for task, (success, state) in outcomes.items()
    ]


def _check_lists(name: str, lists: Mapping[str, list[Any]]) -> None:
    """Refuse a report that calls an instance resolved and unresolved."""
    resolved, unresolved = (
        {str(task) for key in (state, f"{state}_ids") for task in lists.get(key, ())}
        for state in ("resolved", "unresolved")
    )
    if both := sorted(resolved & unresolved):
        raise OutcomeError(
            f"{name}: contradicts itself: {both[0]} is resolved and unresolved"
            + (f", and so are {len(both) - 1} more" if len(both) > 1 else "")
        )


def _instance(report: Any) -> bool | None:
    """Success in the body of a per-instance report; TypeError if it is none."""
    if not isinstance(report, dict) or not isinstance(report.get("resolved"), bool):
        raise TypeError
    return bool(report["resolved"])


def _flat_rows(
    name: str, report: dict[str, Any], captures: Mapping[str, str]
) -> list[OutcomeRow] | None:
    try:
        success = _instance(report)
    except TypeError:
        return None
    keys = dict(captures)
    if "task_id" not in keys:
        folders = name.replace("::", "/").split("/")[:-1]
        if not folders:
            raise OutcomeError(
                f"{name}: names no task; use a template such as 'logs/{{task_id}}/report.json'"
            )
        keys["task_id"] = folders[-1]
    return [OutcomeRow(keys=keys, success=success, report=name, rule="SWE-bench report.json")]


def _keyed_rows(
    name: str, report: dict[str, Any], captures: Mapping[str, str]
) -> list[OutcomeRow] | None:
    try:
        outcomes = {task: _instance(body) for task, body in report.items()}
    except TypeError:
        return None
    if not outcomes:
        return None
    return [
        OutcomeRow(
            keys={**captures, "task_id": task},
            success=success,
            report=name,
            rule="SWE-bench report.json",
        )
        for task, success in outcomes.items()
    ]


def _boolean_rows(
    name: str, report: dict[str, Any], captures: Mapping[str, str]
) -> list[OutcomeRow] | None:
    if not report or not all(value is None or isinstance(value, bool) for value in report.values()):
        return None
    return [
        OutcomeRow(
            keys={**captures, "task_id": task}, success=success, report=name, rule="task: success"
        )
        for task, success in report.items()
    ]


def _csv_records(name: str, content: bytes, delimiter: str) -> Iterator[dict[str, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise OutcomeError(f"{name}: not UTF-8 text: byte {err.start}") from err
    lines = io.StringIO(text, newline="")
    try:
        yield from csv.DictReader(lines, delimiter=delimiter, strict=True)
    except csv.Error as err:
        raise OutcomeError(f"{name}: {err}") from err


def _table(
    records: Iterator[Any], name: str, captures: Mapping[str, str], columns: Mapping[str, str]
) -> list[OutcomeRow]:
    rows: list[OutcomeRow] = []
    used: dict[str, str] = {}
    for number, record in enumerate(records, 1):
        place = f"{name}: row {number}"
        if not isinstance(record, dict):
            raise OutcomeError(f"{place} is not an object with named columns")
        used = used or _used_columns(name, [*record], captures, columns)
        rows.append(_row(record, used, captures, place, name))
    if not rows:
        raise OutcomeError(f"{name}: the table holds no row")
    return rows


def _row(
    record: Mapping[str, Any],
    used: Mapping[str, str],
    captures: Mapping[str, str],
    place: str,
    name: str,
) -> OutcomeRow:
    values = {ours: record.get(theirs) for ours, theirs in used.items()}
    keys = {key: _text(values.get(key)) for key in KEYS}
    keys = {key: text for key, text in keys.items() if text}
    if not keys and not captures:
        raise OutcomeError(
            f"{place}: every key is empty ({', '.join(k for k in KEYS if k in used)})"
        )
    return OutcomeRow(
        keys={**captures, **keys},
        success=_success(values.get("success"), place),
        score=_score(values.get("score"), place),
        report=name,
        rule=f"column {used.get('success', used.get('score'))}",
    )


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _used_columns(
    name: str, found: Iterable[object], captures: Mapping[str, str], columns: Mapping[str, str]
) -> dict[str, str]:
    """Our names -> headers; the most specific key is used alone."""
    headers = [str(header) for header in found if header is not None]
    for ours, theirs in columns.items():
        if ours not in _COLUMNS:
            raise OutcomeError(f"--outcome-columns: {ours!r} is not one of {', '.join(_COLUMNS)}")
        if theirs not in headers:
            raise OutcomeError(f"{name}: has no column {theirs!r}; it has {', '.join(headers)}")
    used = {ours: columns.get(ours, ours) for ours in _COLUMNS}
    used = {ours: theirs for ours, theirs in used.items() if theirs in headers}
    if "success" not in used and "score" not in used:
        raise OutcomeError(
            f"{name}: no column 'success' or 'score'; it has {', '.join(headers)}: "
            f"say which with --outcome-columns success=COLUMN"
        )
    for alone in ("native_id", "source"):
        if alone in used:
            return {key: used[key] for key in (alone, "success", "score") if key in used}
    if not any(key in used for key in KEYS) and not captures:
        raise OutcomeError(
            f"{name}: no key column; allowed: {', '.join(KEYS)}; it has {', '.join(headers)}: "
            f"say which with --outcome-columns task_id=COLUMN"
        )
    return used


def _success(value: Any, place: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _MISSING:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise OutcomeError(
        f"{place}: success must be true, false or empty (or 1, 0, yes, no), got {value!r}"
    )


def _score(value: Any, place: str) -> float | None:
    if value is None or str(value).strip().lower() in _MISSING:
        return None
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError) as err:
        raise OutcomeError(f"{place}: score must be a number, got {value!r}") from err
    return score if math.isfinite(score) else None
