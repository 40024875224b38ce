"""Is an action an error? Exit codes and recorded flags first, then what the observation says.

In this order, the first that says something:

1. The exit code that the file records: non-zero is an error, origin ``recorded``. Exit code 1 of
   an action made of nothing but searches and comparisons (`ANSWERS_BY_EXIT_CODE`) means that
   nothing matched or that something differs; these programs keep 2 for trouble, so it is no error.
2. The flag that the file records, with its origin.
3. The text rule of the format (`TEXT_RULES`), origin ``rule``; an exit code that stands in the
   observation counts as in 1.
4. For the other formats, a traceback or a shell's complaint at the end of the observation, origin
   ``rule``. Its absence says nothing: then the answer is None, not False.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from ethogram.trajectory import Event, Origin

ANSWERS_BY_EXIT_CODE: Final = frozenset(
    {
        *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep", "git-grep"),
        *("diff", "cmp", "git-diff", "test", "[", "[[", "which"),
    }
)
"""Programs whose exit code 1 is an answer; git's as ``git-grep``."""

_SETUP: Final = frozenset({"cd", "export", "source", ".", "set"})
_FIRST_NAMES: Final = ANSWERS_BY_EXIT_CODE | _SETUP | {"git"}
_FIRST_WORD: Final = re.compile(r"\s*(?:[^\s'\"\\|&;]*/)?([^\s'\"\\|&;/]+)(?=[ \t])")
_QUOTED: Final = re.compile(r"""'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\.""", re.DOTALL)
_SEPARATOR: Final = re.compile(r"\|\||&&|[|;\n]")

_TRACEBACK: Final = (
    r"^Traceback \(most recent call last\):"
    r"[\s\S]*^\w[\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b[^\n]*\s*\Z"
)
_SHELL: Final = (
    r"^(?:/bin/)?(?:ba|da|z)?sh: [^\n]*"
    r"(?:command not found|No such file or directory|not found|syntax error[^\n]*)\s*\Z"
)
_MINI_REFUSAL: Final = r"\A\s*(?:Please always provide EXACTLY ONE action|Format error)"
_SWE_AGENT: Final = (
    r"\A\s*(?:Error: |Usage: \w+ )"
    r"|^(?:Your proposed edit has introduced new syntax error|No edit was made|No file open|"
    r"File [^\n]* not found\s*\Z|EXECUTION TIMED OUT|(?:Execution|Command) timed out)"
)


class TextRule(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How a format's observations tell an error."""

    exit_code: str | None = None
    """A pattern whose first group is the exit code."""
    error: str | None = None
    """A pattern that the observation of a failed action has."""
    decides: bool = True
    """Whether an observation without the pattern is a success; otherwise it says nothing."""


GENERIC: Final = TextRule(error=f"{_TRACEBACK}|{_SHELL}", decides=False)
TEXT_RULES: Final[Mapping[str, TextRule]] = {
    "mini-swe-agent": TextRule(
        exit_code=r"<returncode>(-?\d+)</returncode>", error=_MINI_REFUSAL, decides=False
    ),
    "swe-agent": TextRule(error=f"{_TRACEBACK}|{_SHELL}|{_SWE_AGENT}"),
    "tau-bench": TextRule(error=r"\A\s*Error\b"),
}
"""Format name -> rule. tau-bench's tools answer ``Error: ...`` and nothing else marks a failure."""


def error_of(event: Event, format_name: str | None) -> tuple[bool | None, Origin | None]:
    """Tell whether an action failed, and how that is known.

    Parameters
    ----------
    event : Event
        Any event; only actions can fail.
    format_name : str or None
        The format it was read from; its text rule is used where nothing is recorded.

    Returns
    -------
    tuple of bool or None and Origin or None
        ``(None, None)`` where nothing tells.

    Examples
    --------
    >>> error_of(Event(event="action", action="grep x f", exit_code=1), None)
    (False, 'recorded')
    """
    if event.event != "action":
        return None, None
    if event.exit_code is not None:
        return _failed(event.exit_code, event.action), "recorded"
    if event.is_error is not None:
        return event.is_error, event.error_origin or "recorded"
    if event.observation is None:
        return None, None
    return _by_text(event.observation, event.action, TEXT_RULES.get(format_name or "", GENERIC))


def _by_text(
    observation: str, action: str | None, rule: TextRule
) -> tuple[bool | None, Origin | None]:
    if rule.exit_code is not None and (match := re.search(rule.exit_code, observation)):
        return _failed(int(match[1]), action), "rule"
    if rule.error is not None and re.search(rule.error, observation, re.MULTILINE):
        return True, "rule"
    return (False, "rule") if rule.decides else (None, None)


def _failed(exit_code: int, action: str | None) -> bool:
    return exit_code != 0 and not (exit_code == 1 and _only_asks(action or ""))


def _only_asks(action: str) -> bool:
    """Tell whether every command of an action is a search or a comparison."""
    first = _FIRST_WORD.match(action)
    if first is not None and first[1] not in _FIRST_NAMES:
        return False  # most often, and far sooner told than by all commands
    heads = set()
    for part in _SEPARATOR.split(_QUOTED.sub("_", action)):
        words = part.split()
        if words:
            name = words[0].rpartition("/")[2]
            heads.add(f"git-{words[1]}" if name == "git" and len(words) > 1 else name)
    heads -= _SETUP
    return bool(heads) and heads <= ANSWERS_BY_EXIT_CODE
