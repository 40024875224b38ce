"""Whether an action failed, and how that is known."""

from typing import Any

import pytest

from ethogram.actions.failures import error_of
from ethogram.trajectory import Event, Origin

TRACEBACK = "Traceback (most recent call last):\n  File 'a', line 1\nValueError: no\n"


def action(**fields: Any) -> Event:
    return Event(event="action", **fields)


@pytest.mark.parametrize(
    ("fields", "format_name", "expected"),
    [
        pytest.param({"exit_code": 0}, None, (False, "recorded"), id="exit-0"),
        pytest.param({"exit_code": 2}, None, (True, "recorded"), id="exit-2"),
        pytest.param({"exit_code": -1}, None, (True, "recorded"), id="killed"),
        pytest.param({"exit_code": 1, "action": "pytest"}, None, (True, "recorded"), id="exit-1"),
        pytest.param(
            {"exit_code": 1, "action": "cd /x && grep -rn 'a | b' . | grep -v c"},
            None,
            (False, "recorded"),
            id="nothing-matched",
        ),
        pytest.param({"exit_code": 1, "action": "git grep x"}, None, (False, "recorded"), id="git"),
        pytest.param(
            {"exit_code": 2, "action": "grep x f"}, None, (True, "recorded"), id="trouble"
        ),
        pytest.param(
            {"exit_code": 1, "action": "grep x f && cat f"}, None, (True, "recorded"), id="mixed"
        ),
        pytest.param({"exit_code": 1, "action": ""}, None, (True, "recorded"), id="no-command"),
        pytest.param(
            {"exit_code": 0, "is_error": True}, None, (False, "recorded"), id="exit-code-first"
        ),
        pytest.param({"is_error": True}, "tau-bench", (True, "recorded"), id="flag"),
        pytest.param(
            {"is_error": False, "error_origin": "guessed", "observation": TRACEBACK},
            None,
            (False, "guessed"),
            id="flag-keeps-its-origin",
        ),
        pytest.param(
            {"observation": "<returncode>1</returncode>\n<output>x</output>", "action": "ls x"},
            "mini-swe-agent",
            (True, "rule"),
            id="exit-code-in-text",
        ),
        pytest.param(
            {"observation": "<returncode>1</returncode>", "action": "rg x"},
            "mini-swe-agent",
            (False, "rule"),
            id="no-match-in-text",
        ),
        pytest.param(
            {"observation": "Please always provide EXACTLY ONE action, found 0"},
            "mini-swe-agent",
            (True, "rule"),
            id="refused",
        ),
        pytest.param({"observation": "ok"}, "mini-swe-agent", (None, None), id="mini-says-nothing"),
        pytest.param({"observation": "Error: no such id"}, "tau-bench", (True, "rule"), id="tau"),
        pytest.param({"observation": "{}"}, "tau-bench", (False, "rule"), id="tau-fine"),
        pytest.param({"observation": TRACEBACK}, "swe-agent", (True, "rule"), id="swe-traceback"),
        pytest.param({"observation": "a.py\nb.py"}, "swe-agent", (False, "rule"), id="swe-fine"),
        pytest.param(
            {"observation": "Usage: goto <line>"}, "swe-agent", (True, "rule"), id="swe-usage"
        ),
        pytest.param(
            {"observation": "a.py\nError: as the file says"},
            "swe-agent",
            (False, "rule"),
            id="shown",
        ),
        pytest.param({"observation": TRACEBACK}, "unheard-of", (True, "rule"), id="traceback"),
        pytest.param(
            {"observation": f"{TRACEBACK}\nall 3 lines of the log"}, None, (None, None), id="quoted"
        ),
        pytest.param(
            {"observation": "bash: frob: command not found\n"}, None, (True, "rule"), id="shell"
        ),
        pytest.param({"observation": "fine"}, None, (None, None), id="nothing-tells"),
        pytest.param({}, "swe-agent", (None, None), id="no-observation"),
    ],
)
def test_the_first_that_says_something_decides(
    fields: dict[str, Any], format_name: str | None, expected: tuple[bool | None, Origin | None]
) -> None:
    assert error_of(action(**fields), format_name) == expected


def test_only_actions_fail() -> None:
    assert error_of(Event(event="user", observation=TRACEBACK, exit_code=1), None) == (None, None)
