"""What a mapping file says, in frozen form, and which fields it may speak of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ethogram.formats.mapping_fields import Kind, Path, Where
from ethogram.formats.path_template import PathTemplate

Shape = Literal["steps", "chat"]
Lines = Literal["runs", "steps"]

RUN_FIELDS: Final[Mapping[str, Kind]] = {
    "system": "text",
    "scaffold": "text",
    "scaffold_version": "text",
    "model": "text",
    "model_snapshot": "text",
    "family": "text",
    "user_model": "text",
    "mode": "text",
    "temperature": "number",
    "step_limit": "whole",
    "cost_limit": "number",
    "task_id": "text",
    "benchmark": "text",
    "prompt": "text",
    "reference": "text",
    "cluster": "text",
    "native_id": "text",
    "trial": "whole",
    "success": "truth",
    "score": "number",
    "ending": "ending",
    "limit_kind": "text",
    "submission": "text",
    "started_at": "time",
    "ended_at": "time",
    "duration_s": "number",
    "input_tokens": "whole",
    "cache_read_tokens": "whole",
    "output_tokens": "whole",
    "reasoning_tokens": "whole",
    "other_tokens": "whole",
    "cost_usd": "number",
    "recorded_actions": "whole",
}
STEP_FIELDS: Final[Mapping[str, Kind]] = {
    "event": "event",
    "actor": "text",
    "turn": "any",
    "call_id": "text",
    "tool": "text",
    "action": "text",
    "arguments": "any",
    "text": "text",
    "thought": "text",
    "observation": "text",
    "exit_code": "whole",
    "is_error": "truth",
    "timestamp": "time",
    "duration_s": "number",
    "input_tokens": "whole",
    "output_tokens": "whole",
    "cost_usd": "number",
}
CHAT_FIELDS: Final = (
    "is_error",
    "timestamp",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)
"""What a mapping may add to the built-in shape of chat messages."""

OUTCOME_FIELDS: Final = ("system", "model", "benchmark", "task_id", "trial", "native_id")
"""What a capture of an outcome template may stand for."""


@dataclass(frozen=True)
class Files:
    """Which files, and where the runs lie in them."""

    path: PathTemplate | None = None
    keys: tuple[str, ...] = ()
    lines: Lines | None = None
    runs: tuple[str, ...] = ()
    only: Where | None = None


@dataclass(frozen=True)
class Steps:
    """Where the steps of a run lie, and what is in one of them."""

    where: Path
    shape: Shape
    fields: Mapping[str, Where]
    refused: Where | None
    commands: Mapping[str, str]


@dataclass(frozen=True)
class OutcomeTemplate:
    """Where reports on the runs lie, and which runs each of them is about.

    Parameters
    ----------
    path : str
        Template for the end of a report's path, e.g. ``{short}-run{trial}.json``.
    values : mapping of str to mapping of str to str
        Capture -> text as it stands in the path -> value in the cohort. What isn't listed stands
        for itself.
    fields : mapping of str to str
        Capture -> field of a run (one of `OUTCOME_FIELDS`); every capture has one.
    """

    path: str
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    def match(self, name: str) -> dict[str, str] | None:
        """Fields of the runs that the report with this path is about; None if it isn't one.

        >>> template = OutcomeTemplate("{short}-run{trial}.json", {"short": {"a": "A 1"}},
        ...                            {"short": "system", "trial": "trial"})
        >>> template.match("reports/a-run3.json")
        {'system': 'A 1', 'trial': '3'}
        """
        found = PathTemplate(self.path).match(name)
        if found is None:
            return None
        return {
            self.fields[capture]: self.values.get(capture, {}).get(text, text)
            for capture, text in found.items()
        }


@dataclass(frozen=True)
class Layout:
    """Everything that a mapping file says."""

    name: str
    about: str
    files: Files
    run: Mapping[str, Where]
    settings: Mapping[str, Where]
    extra: Mapping[str, Where]
    steps: Steps
    outcomes: tuple[OutcomeTemplate, ...]
