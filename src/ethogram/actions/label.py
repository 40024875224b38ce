"""The label of an action: kind, where the kind comes from, and head."""

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from ethogram.actions.kinds import Kind, KindTables, ToolRule, load_kinds
from ethogram.actions.rules import Judge, Scan
from ethogram.actions.shape import Shape, shape_of
from ethogram.actions.written import draft
from ethogram.trajectory import Event, Origin

CACHE_SIZE: Final = 32_768
"""Distinct commands whose labels a labeler remembers."""
MAX_REMEMBERED: Final = 200
"""Longer commands hardly occur twice, and remembering them takes more than finding what they are
like."""

# What never matters is cut off before the cache is asked, so that `cd /x && ls` is `ls` to all that
# follows. Anything less plain than this is left to the rules, which know the same wrappers.
_PREFIX: Final = re.compile(
    r"""(?:\s++
      | \#[^\n]*+(?:\n|\Z)
      | cd[ \t]++(?:'[^'\n]*+'|"[^"$`\n\\]*+"|[^\s'"`$&|;<>()\\]++)[ \t]*+(?:&&|;(?!;))
      | timeout[ \t]++(?:-[sk][ \t]++\S++[ \t]++|-\S++[ \t]++)*+\d[\w.]*+[ \t]++(?=[\w./~])
    )*+""",
    re.VERBOSE,
)


class Label(msgspec.Struct, frozen=True, gc=False):
    """What an action does, as far as tables and rules can tell."""

    kind: Kind
    kind_origin: Origin
    """``table``: a table decides a single command or tool; ``rule``: the rules combine several
    commands, redirections or code; ``guessed``: nothing in it is known, so the kind is other;
    ``recorded``: the file says that the attempt was refused."""
    head: str | None
    """Base name of the first command that is not set-up: ``git`` of ``cd x && git grep y``,
    ``python`` of ``timeout 60 /usr/bin/python -m pytest``. The name of the tool where it is not a
    shell. None if there is neither."""


class Labeler:
    """Labels actions; make one in each worker, it is not to be shared between threads.

    Labels are remembered: of short commands as they stand, of all others by what decides them (the
    shape of a command, what a script that it writes and runs is for). So most commands cost a look
    into a table, and the rest are read.

    Parameters
    ----------
    tables : KindTables, optional
        Default: the tables of the package.

    Examples
    --------
    >>> Labeler().label_command("cd /repo && grep -rn needle src | head")
    Label(kind='explore', kind_origin='rule', head='grep')
    """

    def __init__(self, tables: KindTables | None = None) -> None:
        self.tables: Final = load_kinds() if tables is None else tables
        self._judge = Judge(self.tables)
        # Tools that are a shell and no more -> how a call of one is written that is no command.
        self._shells = {
            tool: f"{tool}("
            for tool, rule in self.tables.tools.items()
            if rule.shell and rule.by is None
        }
        self._by_shape: dict[Shape, Label | None] = {}  # None: more than the shape decides
        self._by_draft: dict[tuple[bool, str, bool], Label] = {}
        self._remembered = lru_cache(CACHE_SIZE)(self._label_text)

    def __reduce__(self) -> tuple[type["Labeler"], tuple[KindTables]]:
        return Labeler, (self.tables,)

    def label(self, event: Event) -> Label | None:
        """Label an event; None if it is not an action.

        What the scaffold refused does nothing: other. A tool that no table knows is other and
        ``guessed``; who knows its effect can do better.
        """
        if event.event != "action":
            return None
        if event.refused:
            return Label("other", "recorded", event.tool)
        return self.label_action(event)

    def label_action(self, event: Event) -> Label:
        """Label an action that was not refused."""
        tool, action = event.tool, event.action
        if tool is None:
            return self.label_command(action or "")
        call = self._shells.get(tool)
        if call is not None and action and not action.startswith(call):
            return self.label_command(action)  # the reader took it out of the arguments
        rule = self.tables.tools.get(tool)
        return Label("other", "guessed", tool) if rule is None else self._by_tool(event, tool, rule)

    def label_command(self, command: str | Sequence[str]) -> Label:
        """Label a shell command, as text or as an array of arguments."""
        text = command if isinstance(command, str) else shlex.join(command)
        may_start = text[:1] in "#ct" or text[:1].isspace()
        match = _PREFIX.match(text) if may_start else None
        text = text[match.end() if match else 0 :].strip()
        return self._remembered(text) if len(text) <= MAX_REMEMBERED else self._label_text(text)

    def _label_text(self, text: str) -> Label:
        """Label a text by its shape where the shape decides, which spares reading it."""
        shape = shape_of(text) if self._judge.may_decide(text) else None
        if shape is None:
            return self._label_draft(text)
        known = self._by_shape.get(shape)
        if known is not None:
            return known
        label = _label(*self._judge.judge(text))
        if shape not in self._by_shape and len(self._by_shape) < CACHE_SIZE:
            self._by_shape[shape] = label if self._judge.decides_by_shape(shape) else None
        return label

    def _label_draft(self, text: str) -> Label:
        """Label a text that writes a script and runs it like another one that does."""
        found = draft(text)
        what = self._judge.what_decides(found) if found is not None else None
        known = self._by_draft.get(what) if what is not None else None
        if known is not None:
            return known
        kind, scan = self._judge.judge(text)
        label = _label(kind, scan)
        # The name of another file that is written may be a part of this one's.
        if what is not None and len(scan.written) == 1 and len(self._by_draft) < CACHE_SIZE:
            self._by_draft[what] = label
        return label

    def _by_tool(self, event: Event, tool: str, rule: ToolRule) -> Label:
        if not (rule.shell or rule.code or rule.by):
            return Label(rule.kind, "table", tool)
        arguments = _arguments(event)
        if rule.by is not None:
            return Label(rule.kinds.get(str(arguments.get(rule.by)), rule.kind), "table", tool)
        return self._by_text(event, arguments, tool, rule)

    def _by_text(self, event: Event, arguments: dict[str, Any], tool: str, rule: ToolRule) -> Label:
        """Label the command or the code that a tool is given."""
        for name in rule.shell:
            if (command := _command(arguments.get(name))) is not None:
                return self.label_command(command)
        for name in rule.code:
            if isinstance(code := arguments.get(name), str):
                return Label(self._judge.purpose(code, rule.language), "rule", tool)
        if rule.shell and event.arguments is None and event.action:
            return self.label_command(event.action)
        return Label("other", "guessed", tool)


def _label(kind: Kind, scan: Scan) -> Label:
    return Label(kind, _origin(scan), scan.head or scan.setup_head)


def _origin(scan: Scan) -> Origin:
    if not scan.known:
        return "guessed"
    return "rule" if scan.ruled or scan.commands > 1 else "table"


def _arguments(event: Event) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(event.arguments or "{}")
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _command(value: Any) -> str | list[str] | None:
    """Return a command that an argument holds: text, an array, or a table with one of them."""
    if isinstance(value, dict):
        value = value.get("command")
    if isinstance(value, str):
        return value
    return [str(word) for word in value] if isinstance(value, list) else None
