"""``--layout '{system}/{task_id}/run{trial}.traj.json'``: metadata that stands in the path only."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ethogram.errors import UsageError
from ethogram.formats.base import COMPRESSIONS
from ethogram.trajectory import Trajectory

RUN_FIELDS: Final = ("system", "model", "benchmark", "task_id", "trial", "native_id")
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}|(\*\*/?)|(\*)|(\?)|([{}])")
_MAX_TRIAL: Final = 2**31 - 1
_DIGITS: Final = 20
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def template_pattern(template: str) -> re.Pattern[str]:
    """Regular expression for the end of a path.

    ``{name}`` captures within one component, ``*`` matches within one, ``**`` across several. The
    template matches whole components at the end of a path; a name that comes twice must stand for
    the same text both times.

    Raises
    ------
    UsageError
        If a placeholder is not a name or a brace has no partner.
    """
    pattern, position, names = "", 0, set[str]()
    for match in _PLACEHOLDER.finditer(template):
        if match.group(5):
            raise UsageError(f"template {template!r}: a {match.group(5)!r} without its partner")
        pattern += re.escape(template[position : match.start()])
        position = match.end()
        name = match.group(1)
        if name is None:
            pattern += r"(?:.*/)?" if match.group(2) else r"[^/]*" if match.group(3) else r"[^/]"
            continue
        if not _NAME.match(name):
            raise UsageError(f"template {template!r}: {{{name}}} is not a name")
        pattern += rf"(?P={name})" if name in names else rf"(?P<{name}>[^/]+?)"
        names.add(name)
    return re.compile(rf"(?:\A|.*/){pattern}{re.escape(template[position:])}\Z", re.DOTALL)


class Layout(msgspec.Struct, frozen=True):
    """A path template: captured fields fill in what the file doesn't say.

    Names other than those of a run (``RUN_FIELDS``) become settings of the system, so that
    ``{condition}`` or ``{temperature}`` tells systems apart and ``--by`` can use it.
    """

    template: str

    def __post_init__(self) -> None:
        if not template_pattern(self.template).groupindex:
            raise UsageError(f"layout {self.template!r}: names no {{field}}; {_allowed()}")

    def captures(self, relative: str) -> dict[str, str] | None:
        """Fields captured from a path; None if it doesn't match."""
        path = relative.replace("::", "/")
        pattern = template_pattern(self.template)
        match = pattern.match(path) or pattern.match(_uncompressed(path))
        return match.groupdict() if match else None


def _uncompressed(path: str) -> str:
    for suffix in COMPRESSIONS:
        path = path.removesuffix(suffix)
    return path


def _allowed() -> str:
    return f"fields of a run: {', '.join(RUN_FIELDS)}; any other name becomes a setting"


def parse_trial(text: str, *, place: str) -> int:
    """A trial captured from a path, as a number."""
    if not text.isdecimal() or len(text) > _DIGITS or int(text) > _MAX_TRIAL:
        raise UsageError(f"{place}: {{trial}} must be a number up to {_MAX_TRIAL:,}, got {text!r}")
    return int(text)


def apply_captures(trajectory: Trajectory, fields: Mapping[str, str], place: str) -> Trajectory:
    """Put captured fields into a trajectory; they win over what the file says."""
    task: dict[str, Any] = {n: fields[n] for n in ("task_id", "benchmark") if n in fields}
    system: dict[str, Any] = {"model": fields["model"]} if "model" in fields else {}
    settings = {name: value for name, value in fields.items() if name not in RUN_FIELDS}
    if settings:
        system["settings"] = {**trajectory.system.settings, **settings}
    changes: dict[str, Any] = {}
    if "trial" in fields:
        changes["trial"] = parse_trial(fields["trial"], place=place)
    if "native_id" in fields:
        changes["native_id"] = fields["native_id"]
    return msgspec.structs.replace(
        trajectory,
        task=msgspec.structs.replace(trajectory.task, **task),
        system=msgspec.structs.replace(trajectory.system, **system),
        **changes,
    )
