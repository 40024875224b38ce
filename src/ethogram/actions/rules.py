"""The rules that make one kind of a whole action: sequences, pipelines, wrappers, written scripts.

Ranks: edit > verify > explore or understand (whichever comes first) > other. A file that is written and
executed in the same action makes it verify, unless the script is there to rewrite files: then edit.
"""

import re
from typing import Final

import msgspec

from ethogram.actions.code import Purpose
from ethogram.actions.commands import base_name, code_argument, kind_by_rule, lookup, unwrapped
from ethogram.actions.kinds import CommandRule, InterpreterRule, Kind, KindTables
from ethogram.actions.shell import Command, Pipeline, Script, ShellParser

MAX_NESTING: Final = 5
"""Shell texts inside each other (``bash -c``, written scripts) deeper than this are not read."""

_NAME: Final = re.compile(r"[\w.+:@\[-]{1,40}")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_ENVIRONMENT_BIN: Final = re.compile(r"^[/~$]|[^/.][^/]*/\.?s?bin/[^/]+$")
"""A path under which the system's or an environment's programs lie, as against the project's scripts."""
_RANK: Final[dict[Kind, int]] = {"edit": 3, "verify": 2, "explore": 1, "understand": 1, "other": 0}


class Written(msgspec.Struct, gc=False):
    """A file that an action writes by redirection, with what goes into it where that is known."""

    path: str
    content: str | None


class Scan(msgspec.Struct):
    """What is known of an action after its commands were looked at."""

    head: str | None = None
    """First command that is not set-up."""
    setup_head: str | None = None
    commands: int = 0
    known: bool = False
    """Whether a table knows any of the commands."""
    ruled: bool = False
    """Whether more than one entry of a table took part."""
    edits: bool = False
    """Whether something is changed otherwise than by redirection."""
    submits: bool = False
    hands_in: bool = False
    """Whether a diff is written to a file."""
    written: list[Written] = []
    executed: list[list[str]] = []
    nesting: int = 0


def highest(kinds: list[Kind]) -> Kind:
    """Return the first kind of the highest rank; other for none."""
    return max(kinds, key=_RANK.__getitem__, default="other")


class Judge:
    """Decides kinds from tables; holds a parser, so one for each thread."""

    def __init__(self, tables: KindTables) -> None:
        self._tables = tables
        self._parser = ShellParser()
        self._purposes = {name: Purpose(rule) for name, rule in tables.languages.items()}

    def judge(self, text: str) -> tuple[Kind, Scan]:
        """Return the kind of a shell text and what was seen on the way."""
        scan = Scan()
        return self._judge(text, scan), scan

    def purpose(self, code: str, language: str | None) -> Kind:
        """Return what a piece of code is for; code of an unknown language is run."""
        purpose = self._purposes.get(language or "")
        return purpose.kind_of(code) if purpose else "verify"

    def _judge(self, text: str, scan: Scan) -> Kind:
        kind = self._script(self._parser.parse(text), scan)
        if scan.submits:
            return "other"
        if scan.edits:
            return "edit"
        if scan.written:
            ran = [file for file in scan.written if self._ran(file, scan)]
            rewrites = any(self._rewrites(file, scan.nesting) for file in ran)
            return "verify" if ran and not rewrites else "edit"
        if scan.hands_in and _RANK[kind] < _RANK["verify"]:
            return "other"
        return kind

    def _script(self, script: Script, scan: Scan) -> Kind:
        return highest([self._pipeline(pipeline, scan) for pipeline in script])

    def _pipeline(self, pipeline: Pipeline, scan: Scan) -> Kind:
        if len(pipeline) == 1:
            return self._command(pipeline[0], scan, None)
        scan.ruled = True
        kind: Kind = "other"
        fed: str | None = None
        for position, command in enumerate(pipeline):
            stage = self._command(command, scan, fed)
            if position == 0 or _RANK[stage] > 1 or (command.words and command.words[0] == "xargs"):
                kind = (
                    stage
                    if position == 0 or _RANK[stage] >= _RANK[kind] or _RANK[kind] < 2
                    else kind
                )
            fed = _said(command)
        return kind

    def _command(self, command: Command, scan: Scan, fed: str | None) -> Kind:
        inner = [self._script(script, scan) for script in command.inner]
        if command.body is not None:
            scan.ruled = True
            kind, known = self._script(command.body, scan), True
        elif command.words:
            kind, known = self._words(command.words, scan, command.stdin or fed)
        else:
            kind, known = "other", True
        if inner:
            scan.ruled = True
            kind = kind if kind != "other" else highest(inner)
        if command.writes and known:
            self._redirected(command, kind, scan, fed)
        return kind

    def _redirected(self, command: Command, kind: Kind, scan: Scan, fed: str | None) -> None:
        """Note the files that a known command's output goes to."""
        scan.ruled = True
        scan.known = True
        if " ".join(command.words[:2]) in self._tables.submits.diffs:
            scan.hands_in = True
        elif kind != "verify":
            # What a test or a script prints is kept for reading, not a change of the work tree.
            content = command.stdin or _said(command) or fed
            scan.written = [*scan.written, *(Written(path, content) for path in command.writes)]

    def _words(self, words: list[str], scan: Scan, fed: str | None) -> tuple[Kind, bool]:
        """Return the kind of a command and whether a table knows it."""
        while words and _ASSIGNMENT.match(words[0]):
            words = words[1:]
        if not words:
            return "other", True
        name = base_name(words[0])
        tables = self._tables
        wrapper = tables.wrappers.get(name)
        if wrapper is not None and (rest := unwrapped(words, wrapper)) is not None:
            return self._words(rest, scan, fed) if rest else (wrapper.kind, True)
        if name in tables.shells or name == "eval":
            return self._shell(words, scan, fed), True
        if (interpreter := lookup(tables.interpreters, name)) is not None:
            self._count(name, scan)
            return self._interpreter(words, interpreter, scan, fed), True
        rule = lookup(tables.commands, name)
        if rule is None or words[1:2] == ["="] or _is_script(words[0]):
            return self._unknown(words, name, scan)
        return self._known(words, name, rule, scan, fed), True

    def _count(self, name: str, scan: Scan, *, known: bool = True) -> None:
        if name in self._tables.setup:
            scan.setup_head = scan.setup_head or name
        else:
            scan.commands += 1
            if scan.head is None and _NAME.fullmatch(name):
                scan.head = name
        scan.known = scan.known or known

    def _known(
        self, words: list[str], name: str, rule: CommandRule, scan: Scan, fed: str | None
    ) -> Kind:
        self._count(name, scan)
        if rule.runs_after and (run := _after(words, rule.runs_after)):
            scan.ruled = True
            return self._nested_words(run, scan)
        if rule.writes:
            scan.written = [
                *scan.written,
                *(
                    Written(word, fed)
                    for word in words[1:]
                    if word[:1] not in "-" and word[:5] != "/dev/"
                ),
            ]
        kind = kind_by_rule(words, rule)
        if kind == "edit":
            scan.edits = True
        elif kind == "verify":
            scan.executed = [*scan.executed, words]
        elif kind == "other" and name in {"echo", "printf"}:
            scan.submits = scan.submits or " ".join(words[1:]).startswith(
                self._tables.submits.echoes
            )
        return kind

    def _nested_words(self, words: list[str], scan: Scan) -> Kind:
        scan.commands -= 1
        return self._words(words, scan, None)[0]

    def _unknown(self, words: list[str], name: str, scan: Scan) -> tuple[Kind, bool]:
        """Take a path for a script that is run; anything else does nothing that is known."""
        if "/" in words[0] and _NAME.fullmatch(name):
            self._count(name, scan)
            scan.ruled = True
            scan.executed = [*scan.executed, words]
            return "verify", True
        self._count(name, scan, known=False)
        return "other", False

    def _interpreter(
        self, words: list[str], rule: InterpreterRule, scan: Scan, fed: str | None
    ) -> Kind:
        code, module, position = code_argument(words, rule)
        if module:
            name = module[0]
            command = lookup(self._tables.commands, name)
            if command is not None:
                kind = kind_by_rule(module, command)
                scan.edits = scan.edits or kind == "edit"
                if kind == "verify":
                    scan.executed = [*scan.executed, module]
                return kind
        elif code is None and (position >= len(words) or words[position] == "-"):
            if words[1:] in (["--version"], ["-V"]):
                return "other"
            if words[1:] in (["--help"], ["-h"]):
                return "understand"
            code = fed
        if code is not None:
            scan.ruled = True
            kind = self.purpose(code, rule.language)
            scan.edits = scan.edits or kind == "edit"
            if kind == "verify":
                scan.executed = [*scan.executed, [code]]
            return kind
        scan.executed = [*scan.executed, words[1:]]
        return "verify"

    def _shell(self, words: list[str], scan: Scan, fed: str | None) -> Kind:
        scan.ruled = True
        name = base_name(words[0])
        text: str | None = fed
        if name == "eval":
            text = " ".join(words[1:])
        else:
            for position, word in enumerate(words[1:], 1):
                if word[:1] == "-" and word[:2] != "--" and word.endswith("c"):
                    text = " ".join(words[position + 1 : position + 2])
                    break
                if word[:1] != "-":
                    self._count(name, scan)
                    scan.executed = [*scan.executed, words[1:]]
                    return "verify"
        if text is None:
            self._count(name, scan)
            return "verify" if len(words) == 1 else "other"
        if scan.nesting >= MAX_NESTING:
            return "other"
        scan.nesting += 1
        kind = self._script(self._parser.parse(text), scan)
        scan.nesting -= 1
        return kind

    def _ran(self, file: Written, scan: Scan) -> bool:
        return any(_mentions(words, file.path) for words in scan.executed)

    def _rewrites(self, file: Written, nesting: int) -> bool:
        """Tell whether a script that was written is there to rewrite files."""
        if file.content is None or nesting >= MAX_NESTING:
            return False
        first_line = file.content[:80].partition("\n")[0]
        if file.path.endswith(".sh") or (
            first_line.startswith("#!") and first_line.rstrip().endswith("sh")
        ):
            inner = Scan(nesting=nesting + 1)
            self._script(self._parser.parse(file.content), inner)
            return inner.edits
        for name, rule in self._tables.languages.items():
            if file.path.endswith(rule.suffixes):
                return self.purpose(file.content, name) == "edit"
        return False


def _said(command: Command) -> str | None:
    """Return what a command prints where that stands in the action: echo's words, cat's here-document."""
    if command.words[:1] in (["echo"], ["printf"]):
        return " ".join(
            word for word in command.words[1:] if word not in {"-e", "-n", "-ne", "-en"}
        )
    return command.stdin if command.words[:1] == ["cat"] else None


def _is_script(word: str) -> bool:
    """Tell a script of the project (``bin/test``) from an installed program (``.venv/bin/pip``)."""
    return "/" in word and _ENVIRONMENT_BIN.search(word) is None


def _after(words: list[str], options: frozenset[str]) -> list[str]:
    """Return the command that stands after one of the options."""
    for position, word in enumerate(words):
        if word in options:
            run = words[position + 1 :]
            return run[: run.index(";")] if ";" in run else run
    return []


def _mentions(words: list[str], path: str) -> bool:
    """Tell whether a command line names a file, its folder or its module."""
    plain = path.removeprefix("./")
    name = base_name(plain)
    stem = name.rpartition(".")[0] or name
    module = plain.rpartition(".")[0].replace("/", ".")
    for word in words:
        if name in word or (
            stem in word and re.search(rf"(?<![\w/-]){re.escape(stem)}(?![\w/-])", word)
        ):
            return True
        folder = word.removeprefix("./").rstrip("/")
        if folder and (plain.startswith(folder + "/") or module.endswith("." + folder)):
            return True
    return False
