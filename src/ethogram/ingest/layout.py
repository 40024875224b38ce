"""``--layout '{system}/{task_id}/run{trial}.traj.json'``: metadata that stands in the path only."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec

from ethogram.errors import UsageError
from ethogram.formats.path_template import PathTemplate
from ethogram.trajectory import Trajectory

RUN_FIELDS: Final = ("system", "model", "benchmark", "task_id", "trial", "native_id")
_MAX_TRIAL: Final = 2**31 - 1
_DIGITS: Final = 20
_WORDED: Final = re.compile(r"([A-Za-z][A-Za-z_-]*)[0-9]+([A-Za-z_-]*)", re.ASCII)
"""A number with words around it, which belong outside the braces: ``run3``."""


@dataclass(frozen=True)
class Layout:
    """A path template: captured fields fill in what the file doesn't say.

    Names other than those of a run (``RUN_FIELDS``) become settings of the system, so that
    ``{condition}`` or ``{temperature}`` tells systems apart and ``--by`` can use it.
    """

    template: str

    def __post_init__(self) -> None:
        if not self._paths.captures:
            raise UsageError(f"layout {self.template!r}: names no {{field}}; {_allowed()}")

    @cached_property
    def _paths(self) -> PathTemplate:
        return PathTemplate(self.template)

    def captures(self, relative: str) -> dict[str, str] | None:
        """Fields captured from a path; None if it doesn't match."""
        return self._paths.match(relative)


def _allowed() -> str:
    return f"fields of a run: {', '.join(RUN_FIELDS)}; any other name becomes a setting"


def parse_trial(text: str, *, place: str) -> int:
    """A trial captured from a path, as a number."""
    if not text.isdecimal() or len(text) > _DIGITS or int(text) > _MAX_TRIAL:
        worded = _WORDED.fullmatch(text)
        hint = f"; in a layout write '{worded[1]}{{trial}}{worded[2]}'" if worded else ""
        raise UsageError(
            f"{place}: {{trial}} must be a number up to {_MAX_TRIAL:,}, got {text!r}{hint}"
        )
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
