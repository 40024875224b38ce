"""The label of an action: kind, where the kind comes from, and head."""

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from ethogram.actions.kinds import Kind, KindTables, ToolRule, load_kinds
from ethogram.actions.rules import Judge, Scan
from ethogram.trajectory import Event, Origin

CACHE_SIZE: Final = 32_768
"""Distinct commands whose labels a labeler remembers."""

_PREFIX: Final = re.compile(
    r"""(?:\s++
      | \#[^\n]*(?:\n|\Z)
      | cd[ \t]++(?:'[^'\n]*+'|"[^"$`\n\\]*+"|[^\s'"`$&|;<>()\\]++)[ \t]*+(?:&&|;(?!;))
      | timeout[ \t]++(?:-[sk][ \t]+\S+[ \t]++|-\S+[ \t]++)*+\d[\w.]*+[ \t]++(?=[\w./~]))++""",
    re.VERBOSE,
)


class Label(msgspec.Struct, frozen=True, gc=False):
    """What an action does, as far as tables and rules can tell."""

    kind: Kind
    kind_origin: Origin
    """``table``: one command or tool that a table decides; ``rule``: several commands, redirections or
    code that the rules combine; ``guessed``: nothing in it is known, so the kind is other."""
    head: str | None
    """Base name of the first command that is not set-up (``git`` of ``cd x && git grep y``, ``python`` of
    ``timeout 60 python -m pytest``), or the name of the tool; None if there is no such word."""


NOTHING: Final = Label("other", "guessed", None)


class Labeler:
    """Labels actions; make one in each worker.

    Parameters
    ----------
    tables : KindTables, optional
        Default: the tables of the package.
    """

    def __init__(self, tables: KindTables | None = None) -> None:
        self.tables: Final = load_kinds() if tables is None else tables
        self._judge = Judge(self.tables)
        self._cached = lru_cache(CACHE_SIZE)(self._label_text)

    def __reduce__(self) -> tuple[type["Labeler"], tuple[KindTables]]:
        return Labeler, (self.tables,)

    def label(self, event: Event) -> Label | None:
        """Label an event; None if it is not an action.

        A call whose arguments could not be read was refused by the scaffold: other, guessed.
        """
        if event.event != "action":
            return None
        if event.tool is None:
            return self.label_command(event.action or "")
        if event.arguments_state == "invalid":
            return Label("other", "guessed", event.tool)
        rule = self.tables.tools.get(event.tool)
        if rule is None:
            return self._unknown_tool(event)
        return self._by_tool(event, rule)

    def label_command(self, command: str | Sequence[str]) -> Label:
        """Label a shell command or an array of arguments."""
        return self._cached(command if isinstance(command, str) else shlex.join(command))

    def _label_text(self, text: str) -> Label:
        if (match := _PREFIX.match(text)) is not None:
            rest = text[match.end() :].strip()
            text = rest or text
        kind, scan = self._judge.judge(text)
        return Label(kind, _origin(scan), scan.head or scan.setup_head)

    def _unknown_tool(self, event: Event) -> Label:
        """A tool that no table knows; its effect, once there is a table of effects, decides here."""
        return Label("other", "guessed", event.tool)

    def _by_tool(self, event: Event, rule: ToolRule) -> Label:
        if not (rule.shell or rule.code or rule.by):
            return Label(rule.kind, "table", event.tool)
        arguments = _arguments(event)
        if rule.by is not None:
            kind = rule.kinds.get(str(arguments.get(rule.by)), rule.kind)
            return Label(kind, "table", event.tool)
        for name in rule.shell:
            command = _command(arguments.get(name))
            if command is not None:
                return self.label_command(command)
        for name in rule.code:
            if isinstance(code := arguments.get(name), str):
                return Label(self._judge.purpose(code, rule.language), "rule", event.tool)
        return Label("other", "guessed", event.tool)


def _origin(scan: Scan) -> Origin:
    if not scan.known:
        return "guessed"
    return "rule" if scan.ruled or scan.commands > 1 else "table"


def _arguments(event: Event) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(event.arguments or "{}")
    except msgspec.DecodeError:
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _command(value: Any) -> str | list[str] | None:
    """Return a command that an argument holds: text, an array, or a table with one of them."""
    if isinstance(value, dict):
        value = value.get("command")
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [str(word) for word in value]
    return None
