"""Where outcomes lie: what ``--outcomes`` says, and the reports that fit it."""

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ethogram.errors import OutcomeError, UsageError
from ethogram.formats.path_template import PathTemplate
from ethogram.ingest.archives import is_archive, read_archive
from ethogram.ingest.reports import KEYS, OutcomeRow, read_report
from ethogram.ingest.streams import BROKEN, unpack
from ethogram.trajectory import Problem
from ethogram.user_files import reason_of

_SEPARATOR: Final = "::"


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
    required: bool = True
    """Whether it is an error if no file fits."""


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
    """Split at an ``=`` outside braces, unless the whole is a file's name.

    Of several the first after which a file's name follows, else the first.
    """
    if Path(text).exists():
        return None, text
    depth, splits = 0, []
    for position, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "=" and depth == 0:
            splits.append((text[:position], text[position + 1 :]))
    named = [split for split in splits if Path(split[1].partition(_SEPARATOR)[0]).is_file()]
    return next(iter([*named, *splits]), (None, text))


def _value_map(maps: str, text: str) -> dict[str, str]:
    pairs = _pairs(maps)
    if pairs is None:
        raise UsageError(f"outcomes {text!r}: a value map is written=meant,...; got {maps!r}")
    return pairs


def _pairs(text: str) -> dict[str, str] | None:
    """Read ``one=other,...``; None if it is anything else."""
    pairs = [item.partition("=") for item in text.split(",")]
    if not all(one and equals and other for one, equals, other in pairs):
        return None
    return {one.strip(): other.strip() for one, _, other in pairs}


def parse_columns(text: str) -> dict[str, str]:
    """Read ``source=member,success=resolved``: our name = the table's header."""
    pairs = _pairs(text) if text else {}
    if pairs is None:
        raise UsageError(
            "--outcome-columns: needs name=header,..., as in "
            f"source=file,success=passed; got {text!r}"
        )
    return pairs


def check_found(specs: Sequence[OutcomeSpec]) -> None:
    """Check before a long read that there is a file for every spec; archives are not opened.

    Raises
    ------
    OutcomeError
        If there is none.
    """
    for spec in specs:
        if spec.required and not _files(spec):
            raise OutcomeError(_not_found(spec))


def read_rows(spec: OutcomeSpec, note: Callable[[Problem], None]) -> Iterator[OutcomeRow]:
    """Rows of every report that a spec names.

    Parameters
    ----------
    spec : OutcomeSpec
        Where outcomes lie.
    note : callable
        Told what is wrong with an archive that reports lie in.

    Raises
    ------
    OutcomeError
        If no file fits although one must, or a report can't be read.
    """
    found = False
    for name, captures, content in _find_reports(spec, note):
        found = True
        yield from read_report(name, content, _mapped(captures, spec), spec.columns)
    if not found and spec.required:
        raise OutcomeError(_not_found(spec))
    if not found:
        note(Problem(reason=_not_found(spec), severity="note"))


def _not_found(spec: OutcomeSpec) -> str:
    said = f"outcomes: no file fits {spec.path!r}" + (f" below {spec.root}" if spec.root else "")
    if spec.root is None and Path(spec.path).is_dir():
        said += f": that is a folder; name the files in it, '{spec.path.rstrip('/')}/*.json'"
    return said


def _mapped(captures: Mapping[str, str], spec: OutcomeSpec) -> dict[str, str]:
    keys = {
        spec.fields.get(name, name): spec.values.get(name, {}).get(value, value)
        for name, value in captures.items()
    }
    return {name: value for name, value in keys.items() if name in KEYS}


def _find_reports(
    spec: OutcomeSpec, note: Callable[[Problem], None]
) -> Iterator[tuple[str, dict[str, str], bytes]]:
    inner = spec.path.partition(_SEPARATOR)[2]
    for path, captures in _files(spec):
        if inner and is_archive(path):
            yield from _members(path, captures, PathTemplate(inner), note)
        else:
            yield str(path), captures, _content(path)


def _members(
    path: Path, captures: dict[str, str], template: PathTemplate, note: Callable[[Problem], None]
) -> Iterator[tuple[str, dict[str, str], bytes]]:
    for member in read_archive(path, str(path)):
        if isinstance(member, Problem):
            note(member)
            continue
        name = member.source.name
        fields = template.match(name.removeprefix(f"{path}{_SEPARATOR}"))
        if fields is not None:
            yield name, {**captures, **fields}, unpack(member.source.read(), name)


def _content(path: Path) -> bytes:
    try:
        return unpack(path.read_bytes(), str(path))
    except BROKEN as err:
        raise OutcomeError(f"{path}: can't be read: {reason_of(err)}") from err


def _files(spec: OutcomeSpec) -> list[tuple[Path, dict[str, str]]]:
    """Files that a spec names, archives as a whole, with what its template captures."""
    base = Path(spec.root) if spec.root else Path()
    for whole in (spec.path, spec.path.partition(_SEPARATOR)[0]):
        if (base / whole).is_file():
            return [(base / whole, {})]
    outer = spec.path.partition(_SEPARATOR)[0]
    template = PathTemplate(outer)
    matches = [(path, template.match(path.as_posix())) for path in _candidates(base, outer)]
    return [(path, fields) for path, fields in matches if fields is not None]


def _candidates(base: Path, template: str) -> list[Path]:
    """Files that a template may name: its captures as wild cards."""
    parts = Path(template).parts
    fixed = []
    for part in parts[:-1]:
        if any(char in part for char in "{*?"):
            break
        fixed.append(part)
    folder = base.joinpath(*fixed)
    rest = "/".join(parts[len(fixed) :])
    wild = "".join(_wild(rest))
    return sorted(path for path in folder.glob(wild) if path.is_file()) if folder.is_dir() else []


def _wild(text: str) -> Iterator[str]:
    """A template as a pattern for file names."""
    depth = 0
    for char in text:
        if char == "{":
            depth += 1
            yield "*"
        elif char == "}":
            depth -= 1
        elif depth == 0:
            yield char if char in "*?" else glob.escape(char)
