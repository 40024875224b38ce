"""From the text of a mapping file to its frozen form; every mistake is one sentence.

What may stand in a mapping file is in the tables of `ethogram.formats.mapping_layout`, in those
here and in ``docs/how-to/map-your-own-logs.md``.
"""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PureWindowsPath
from typing import Any, Final, get_args

from ethogram.errors import UsageError
from ethogram.formats.mapping_fields import OTHERS, Check, Path, Where
from ethogram.formats.mapping_layout import (
    CHAT_FIELDS,
    OUTCOME_FIELDS,
    RUN_FIELDS,
    STEP_FIELDS,
    Files,
    Layout,
    Lines,
    OutcomeTemplate,
    Shape,
    Steps,
)
from ethogram.formats.path_template import PathTemplate

SOURCES: Final = ("field", "const", "capture", "counted_from", "entry_key")
"""Where a value comes from: exactly one of these."""
CHECKS: Final = ("equals", "starts_with", "contains", "at_least")
"""What makes true or false of it."""
WHERE_KEYS: Final = (*SOURCES, *CHECKS, "values", "containing", "others", "scale")
TRUTHS: Final = frozenset({"success", "is_error", "refused", "only"})
LINES_PATH: Final = ("lines",)
"""Where the steps lie if each line of a file is one."""

_SEPARATOR: Final = re.compile(r"(?<!\\)\.")
_NUMBER: Final = (int, float)
_ANY: Final = object
_NAMES: Final = {str: "a text", dict: "a table", list: "a list", bool: "true or false"}


class Table:
    """A table of the file; whatever nobody took when it is finished is a mistake."""

    def __init__(self, place: str, values: Mapping[str, Any]) -> None:
        self.place = place
        self._values = dict(values)
        self._known: list[str] = []

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """Remove and return a value of this kind; the default if there is none."""
        self._known.append(key)
        if key not in self._values:
            return default
        value = self._values.pop(key)
        if isinstance(value, kind) and (kind is not _NUMBER or not isinstance(value, bool)):
            return value
        raise self.error(key, f"must be {_kind_name(kind)}, found {value!r}")

    def one_of(self, key: str, words: tuple[str, ...], default: str | None) -> Any:
        """Remove and return a text that must be one of these."""
        value = self.take(key, str, default)
        if value is not None and value not in words:
            raise self.error(key, f"must be one of {', '.join(words)}; found {value!r}")
        return value

    def texts(self, key: str) -> dict[str, str]:
        """Remove and return a table of texts."""
        values = self.take(key, dict, {})
        for inner, value in values.items():
            if not isinstance(value, str):
                raise self.error(f"{key}.{inner}", f"must be a text, found {value!r}")
        return dict(values)

    def table(self, key: str) -> "Table":
        """Remove and return a table, empty if there is none."""
        return Table(f"{self.place}{key}.", self.take(key, dict, {}))

    def where(self, key: str) -> Where | None:
        """Remove and return the place of a field."""
        value = self.take(key, _ANY)
        return None if value is None else _where(self, key, value)

    def wheres(self, keys: Iterable[str] | None = None) -> dict[str, Where]:
        """Remove and return the places of these fields, or of all that are left."""
        names = list(self._values) if keys is None else keys
        found = {name: self.where(name) for name in names}
        return {name: where for name, where in found.items() if where is not None}

    def error(self, key: str, reason: str) -> UsageError:
        """Mistake at a key of this table."""
        return UsageError(f"{self.place}{key}: {reason}")

    def finish(self) -> None:
        """Refuse the first key that nobody took, with the one that was probably meant."""
        for key in self._values:
            close = difflib.get_close_matches(key, self._known, n=1)
            meant = f"did you mean {close[0]!r}? " if close else ""
            raise self.error(key, f"no such key; {meant}allowed: {', '.join(sorted(self._known))}")


def _kind_name(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(dict.fromkeys(_NAMES.get(each, "a number") for each in kinds))


def parse(text: str, *, source: str) -> Layout:
    """Read a mapping file.

    Parameters
    ----------
    text : str
        TOML.
    source : str
        Path of the file, for messages; its stem is the default name.

    Raises
    ------
    UsageError
        Naming the file, the key, what is allowed and what was found.
    """
    try:
        top = Table(f"{source}: ", tomllib.loads(text))
    except tomllib.TOMLDecodeError as err:
        raise UsageError(f"{source}: not TOML: {err}") from err
    files, captures = _files(top.table("files"))
    run = top.table("run")
    settings, extra = run.table("settings"), run.table("extra")
    layout = Layout(
        name=top.take("name", str, _stem(source)),
        about=top.take("about", str, ""),
        files=files,
        settings=settings.wheres(),
        extra=extra.wheres(),
        run=run.wheres(RUN_FIELDS),
        steps=_steps(top.table("steps"), files),
        outcomes=_outcomes(top),
    )
    run.finish()
    top.finish()
    _check_captures(layout, captures, top)
    return layout


def _stem(source: str) -> str:
    return source.replace("\\", "/").rpartition("/")[2].removesuffix(".toml")


def _files(table: Table) -> tuple[Files, tuple[str, ...]]:
    path = table.take("path", str)
    template = _template(table, "path", path) if path is not None else None
    files = Files(
        path=template,
        keys=tuple(_key_names(table)),
        lines=table.one_of("lines", get_args(Lines), None),
        runs=_path(table, "runs", table.take("runs", str, ".")).down,
        only=table.where("only"),
    )
    table.finish()
    if files.lines == "steps" and files.runs:
        raise table.error("runs", 'a file whose lines are steps (lines = "steps") is one run')
    return files, template.captures if template else ()


def _template(table: Table, key: str, text: str) -> PathTemplate:
    try:
        return PathTemplate(text)
    except UsageError as err:
        raise table.error(key, str(err)) from err


def _key_names(table: Table) -> list[str]:
    keys: list[Any] = table.take("keys", list, [])
    if not all(isinstance(key, str) for key in keys):
        raise table.error("keys", f"must be a list of texts, found {keys!r}")
    return keys


def _steps(table: Table, files: Files) -> Steps:
    of_lines = "lines" if files.lines == "steps" else None
    where = table.take("list", str, of_lines)
    if where is None:
        raise table.error("list", "is missing: the path of the list of steps within a run")
    shape: Shape = table.one_of("shape", get_args(Shape), "steps")
    steps = Steps(
        where=_path(table, "list", where),
        shape=shape,
        fields=table.wheres(CHAT_FIELDS if shape == "chat" else STEP_FIELDS),
        refused=table.where("refused"),
        commands=table.texts("commands"),
    )
    table.finish()
    if shape == "steps" and not {"action", "tool"} & steps.fields.keys():
        raise table.error("action", "is missing: say where the action or the tool's name lies")
    return steps


def _outcomes(top: Table) -> tuple[OutcomeTemplate, ...]:
    value = top.take("outcomes", (dict, list), [])
    tables = [value] if isinstance(value, dict) else value
    if not all(isinstance(each, dict) for each in tables):
        raise top.error("outcomes", f"must be a table or a list of tables, found {value!r}")
    return tuple(_outcome(Table(f"{top.place}outcomes.", each)) for each in tables)


def _outcome(table: Table) -> OutcomeTemplate:
    path = table.take("path", str)
    if path is None:
        raise table.error("path", "is missing: the template of the reports' paths")
    captures = _template(table, "path", path).captures
    if not _stays_below(path):
        raise table.error(
            "path",
            "must lie below the folder that is read, so neither absolute nor with '..'; found "
            f"{path!r} (--outcomes names reports that lie elsewhere)",
        )
    fields = table.texts("fields")
    values = table.table("values")
    mapped = {capture: values.texts(capture) for capture in captures}
    values.finish()
    table.finish()
    for capture, name in fields.items():
        if capture not in captures:
            allowed = ", ".join(captures) or "none"
            raise table.error(f"fields.{capture}", f"no such capture in path; there are: {allowed}")
        if name not in OUTCOME_FIELDS:
            allowed = ", ".join(OUTCOME_FIELDS)
            raise table.error(f"fields.{capture}", f"must be one of {allowed}; found {name!r}")
    tied = {capture: fields.get(capture, capture) for capture in captures}
    for capture, name in tied.items():
        if name not in OUTCOME_FIELDS:
            allowed = ", ".join(OUTCOME_FIELDS)
            raise table.error(f"fields.{capture}", f"is missing: which of {allowed} it stands for")
    return OutcomeTemplate(path, {c: v for c, v in mapped.items() if v}, tied)


def _stays_below(path: str) -> bool:
    """Whether a path climbs out of no folder, by the rules of any system."""
    parts = PureWindowsPath(path)  # takes both slashes, and knows drives
    return not parts.anchor and ".." not in parts.parts


def _where(table: Table, key: str, value: Any) -> Where:
    if isinstance(value, str):
        return Where(paths=(_path(table, key, value),))
    if not isinstance(value, dict):
        raise table.error(
            key, f"must be a path or a table such as {{ const = … }}, found {value!r}"
        )
    inner = Table(f"{table.place}{key}.", value)
    where = Where(
        paths=_paths(inner),
        const=inner.take("const", _ANY),
        capture=inner.take("capture", str),
        counted_from=inner.take("counted_from", int),
        entry_key=inner.take("entry_key", bool, False),
        values=inner.take("values", dict),
        containing=inner.take("containing", dict),
        others=inner.one_of("others", OTHERS, "warn"),
        scale=inner.take("scale", _NUMBER),
        check=_check(inner, key),
    )
    inner.finish()
    given = [name for name in SOURCES if name in value]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise table.error(key, f"needs exactly one of {', '.join(SOURCES)}; found {found}")
    return where


def _paths(table: Table) -> tuple[Path, ...]:
    value = table.take("field", (str, list))
    if value is None:
        return ()
    texts = [value] if isinstance(value, str) else value
    if not texts or not all(isinstance(text, str) for text in texts):
        raise table.error("field", f"must be a path or a list of paths, found {value!r}")
    return tuple(_path(table, "field", text) for text in texts)


def _path(table: Table, key: str, text: str) -> Path:
    """Read a dotted path: ``a.b``, ``^.a`` (one level up), ``.`` (the record itself)."""
    down = text.lstrip("^")
    up = len(text) - len(down)
    if up and down and not down.startswith("."):
        raise table.error(key, f"a path up is written ^.name, found {text!r}")
    down = down.removeprefix(".") if up or down == "." else down
    steps = _SEPARATOR.split(down) if down else []
    if not text or "" in steps:
        raise table.error(key, f"a path is names with single dots between, found {text!r}")
    return Path(up, tuple(step.replace("\\.", ".") for step in steps), text)


def _check(table: Table, key: str) -> Check | None:
    given = [(name, value) for name in CHECKS if (value := table.take(name, _ANY)) is not None]
    if not given:
        return None
    if len(given) > 1 or key not in TRUTHS:
        reason = f"only one of {', '.join(CHECKS)}, and only for {', '.join(sorted(TRUTHS))}"
        raise table.error(given[0][0], reason)
    name, value = given[0]
    kind: Any = {"equals": _ANY, "at_least": _NUMBER}.get(name, str)
    if not isinstance(value, kind):
        raise table.error(name, f"must be {_kind_name(kind)}, found {value!r}")
    return Check(name, value)  # type: ignore[arg-type]


def _check_captures(layout: Layout, captures: tuple[str, ...], top: Table) -> None:
    sections = {
        "run": layout.run,
        "run.settings": layout.settings,
        "run.extra": layout.extra,
        "steps": layout.steps.fields,
    }
    for section, wheres in sections.items():
        for name, where in wheres.items():
            if where.capture is not None and where.capture not in captures:
                known = ", ".join(captures) or "none"
                reason = f"files.path has no {{{where.capture}}}; its captures: {known}"
                raise top.error(f"{section}.{name}.capture", reason)
