"""The rules that make one kind of a whole action: sequences, pipelines, wrappers, written scripts.

Ranks: edit > verify > explore or understand (whichever comes first) > other. A file that is written
and executed in the same action makes it verify, unless the script is there to rewrite files: then
edit.
"""

import re
from functools import lru_cache
from typing import Final

import msgspec

from ethogram.actions.code import Purpose
from ethogram.actions.commands import (
    Invocation,
    Program,
    Programs,
    base_name,
    command_after,
    invocation,
    kind_by_rule,
    kind_of_question,
    unwrapped,
)
from ethogram.actions.kinds import RANK, CommandRule, InterpreterRule, Kind, KindTables
from ethogram.actions.script import Command, Pipeline, Script, unquote
from ethogram.actions.shape import Shape, names_in
from ethogram.actions.shell import ShellParser
from ethogram.actions.written import Draft, Written, mentions

MAX_NESTING: Final = 5
"""Shell texts inside each other (``bash -c``) deeper than this are not read."""

MAX_PIPELINES: Final = 500
"""What follows so many pipelines in a script, or commands in a pipeline, is not looked at."""
MAX_WRAPPERS: Final = 20
"""More wrappers around a command than this are not taken off."""

_NAME: Final = re.compile(r"[\w.+:@\[-]{1,40}")
_START: Final = re.compile(r"(\S{1,64})(?!\S)(?:[ \t]([\w./-]++)(?!\S))?")
"""A program, no longer than one that tables know, and what follows it if that is a plain word."""
_NAMES: Final = 1_024
"""Programs of which a judge remembers whether their options are all that matters."""
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_PATH: Final = re.compile(r"[\w.~$+@{}-]*/[\w./~$+@{}-]*[\w}]")
_ENVIRONMENT_BIN: Final = re.compile(r"^[/~$]|[^/.][^/]*/\.?s?bin/[^/]+$")
"""Where the system's or an environment's programs lie, as against the project's scripts."""
_PRINTERS: Final = frozenset({"echo", "printf"})
_PRINT_FLAGS: Final = frozenset({"-e", "-n", "-ne", "-en"})
_DOCSTRING: Final = '"""'


class Scan(msgspec.Struct):
    """What is known of an action after its commands were looked at."""

    text: str
    nesting: int = 0
    head: str | None = None
    """First command that is not set-up."""
    setup_head: str | None = None
    commands: int = 0
    """How many there are, set-up left out."""
    known: int = 0
    """How many the tables know, set-up included."""
    strange: bool = False
    """Whether the first command is unknown."""
    ruled: bool = False
    """Whether more than one entry of a table took part."""
    edits: bool = False
    """Whether something is changed otherwise than by redirection."""
    submits: bool = False
    hands_in: bool = False
    """Whether a diff is written to a file."""
    written: list[Written] = []
    captured: list[str] = []
    """Files that take up what a test or a script prints."""
    moved: list[str] = []
    """Operands of commands that put files in other files' place."""
    executed: list[list[str]] = []


class Judge:
    """Decides kinds from tables; holds a parser, so make one for each thread."""

    def __init__(self, tables: KindTables) -> None:
        self._setup = tables.setup.commands
        self._submits = tables.submits
        self._languages = tables.languages
        self._programs = Programs(tables)
        self._parser = ShellParser()
        self._suffixes = tuple(
            suffix for rule in tables.languages.values() for suffix in rule.suffixes
        )
        self._purposes = {name: Purpose(rule) for name, rule in tables.languages.items()}
        self._by_suffix = [
            (rule.suffixes, self._purposes[name]) for name, rule in tables.languages.items()
        ]
        self._by_words = {*_PRINTERS, *(phrase.partition(" ")[0] for phrase in self._submits.diffs)}
        self._texts = {name for name, rule in tables.commands.items() if rule.rest}
        self._decided_by_options = lru_cache(_NAMES)(self.decides_by_options)

    def judge(self, text: str) -> tuple[Kind, Scan]:
        """Return the kind of a shell text and what was seen on the way."""
        scan = Scan(text)
        end = text.find("\n")
        if 0 <= end < len(text) - 1 and text[:end].partition(" ")[0] in self._texts:
            text = text[:end]  # what stands below an editor's command is its text, not shell
        kind = self._script(self._parser.parse(text), scan)
        if scan.strange and scan.commands > 2 * scan.known:
            # Prose or pasted code, a word of which happens to be a command's name.
            scan.known = 0
            return "other", scan
        return self._conclude(kind, scan), scan

    def decides_by_shape(self, shape: Shape) -> bool:
        """Whether all texts of a shape of which `may_decide` is true are judged alike.

        They are where they are nothing but commands of which the tables decide each by its name and
        options; the first may be a script that is run.
        """
        names = names_in(shape)
        if not names or not (self.decides_by_options(names[0]) or self._runs_scripts(names[0])):
            return False
        if not all(map(self.decides_by_options, names[1:])):
            return False
        programs = (self._programs[base_name(name)] for name in names)
        options = frozenset().union(*(p.command.runs_after for p in programs if p and p.command))
        return not options or options.isdisjoint(map(unquote, shape))

    def may_decide(self, text: str) -> bool:
        """Whether the first command of a text may be judged by its name and options alone.

        So is a script that is run, unless the tables know its name.
        """
        match = _START.match(text)
        if match is None:
            return False
        word, operand = match.groups()
        if self._decided_by_options(word):
            return True
        script = operand is not None and operand[0] != "-" and self._runs_scripts(word)
        return script and self._programs[base_name(operand)] is None

    def _runs_scripts(self, word: str) -> bool:
        """Whether what follows a word, if it is no option, is a script that is run."""
        name = base_name(word)
        program = self._programs[name] if name not in self._by_words else None
        if program is None or program.command is not None or program.wrapper is not None:
            return False
        rule = program.shell or program.interpreter
        return rule is not None and rule.after is None

    def decides_by_options(self, word: str) -> bool:
        """Whether a command of this name is judged by its options as long as it runs no other."""
        name = base_name(word)
        program = self._programs[name] if name not in self._by_words else None
        return program is not None and program.by_options

    def what_decides(self, draft: Draft) -> tuple[bool, str, bool] | None:
        """What of a draft its label depends on; None if on more, such as a name that tables know.

        The file's name is nothing but a name, and of what is in it matters only what it is for.
        """
        path = draft.file.path
        known = self._programs[path] is not None or path.startswith(self._submits.echoes)
        if known or "cat" in self._setup or not self.decides_by_options("cat"):
            return None
        return path.endswith(self._suffixes), draft.rest, self._rewrites(draft.file)

    def purpose(self, code: str, language: str | None) -> Kind:
        """Return what a piece of code is for; code of an unknown language is run."""
        purpose = self._purposes.get(language or "")
        return purpose.kind_of(code) if purpose else "verify"

    def _conclude(self, kind: Kind, scan: Scan) -> Kind:
        if scan.submits:
            return "other"
        if scan.edits or (scan.captured and not set(scan.captured).isdisjoint(scan.moved)):
            return "edit"
        if scan.written:
            ran = [
                file
                for file in scan.written
                if any(mentions(words, file.path) for words in scan.executed)
            ]
            return "verify" if ran and not any(map(self._rewrites, ran)) else "edit"
        if scan.hands_in and RANK[kind] < RANK["verify"]:
            return "other"
        return kind

    def _script(self, script: Script, scan: Scan) -> Kind:
        kind: Kind = "other"
        for pipeline in script[:MAX_PIPELINES]:
            stage = (
                self._command(pipeline[0], scan, None)
                if len(pipeline) == 1
                else self._pipeline(pipeline, scan)
            )
            if RANK[stage] > RANK[kind]:
                kind = stage
        return kind

    def _pipeline(self, pipeline: Pipeline, scan: Scan) -> Kind:
        """Take the first command's kind, unless a later one edits, executes or takes its lines."""
        scan.ruled = True
        kind: Kind = self._command(pipeline[0], scan, None)
        fed = _said(pipeline[0])
        for command in pipeline[1:MAX_PIPELINES]:
            written = len(scan.written)
            stage = self._command(command, scan, fed)
            if kind == "verify":
                # What a test or a script prints is kept to be read: no change of the work tree.
                scan.captured += [file.path for file in scan.written[written:]]
                del scan.written[written:]
            if RANK[stage] > max(1, RANK[kind]) or (RANK[kind] < 2 and self._takes_lines(command)):
                kind = stage
            fed = _said(command)
        return kind

    def _takes_lines(self, command: Command) -> bool:
        """Tell ``xargs`` and its like."""
        program = self._programs[base_name(command.words[0])] if command.words else None
        return program is not None and program.wrapper is not None and program.wrapper.piped

    def _command(self, command: Command, scan: Scan, fed: str | None) -> Kind:
        known_before = scan.known
        if command.body is not None:
            scan.ruled = True
            kind = self._script(command.body, scan)
        else:
            kind = self._words(command.words, scan, command.stdin or fed)
        # What an unknown word prints or substitutes is prose more often than shell.
        if (command.inner or command.writes) and (scan.known > known_before or not command.words):
            scan.ruled = True
            if command.inner:
                kind = self._substituted(command, kind, scan)
            if command.writes:
                self._redirected(command, kind, scan, fed)
        return kind

    def _substituted(self, command: Command, kind: Kind, scan: Scan) -> Kind:
        head = scan.head
        kinds = [self._script(script, scan) for script in command.inner]
        if command.words and base_name(command.words[0]) in self._setup:
            scan.head = head
        return max(kinds, key=RANK.__getitem__) if kind == "other" else kind

    def _redirected(self, command: Command, kind: Kind, scan: Scan, fed: str | None) -> None:
        """Note the files that a command's output goes to."""
        if " ".join(command.words[:2]) in self._submits.diffs:
            scan.hands_in = True
        elif kind == "verify":
            scan.captured += command.writes
        else:
            content = command.stdin or _said(command) or fed
            scan.written += [Written(path, content) for path in command.writes]

    def _words(self, words: list[str], scan: Scan, fed: str | None) -> Kind:
        """Return the kind of a command, its wrappers taken off."""
        for _ in range(MAX_WRAPPERS):
            while words and "=" in words[0] and _ASSIGNMENT.match(words[0]):
                words = words[1:]
            if not words:
                scan.known += 1
                return "other"
            name = base_name(words[0])
            program = self._programs[name]
            assigns = len(words) > 1 and words[1] == "="
            if program is None or assigns or ("/" in words[0] and _is_script(words[0])):
                return self._unknown(words, name, scan)
            wrapper = program.wrapper
            if wrapper is None or (rest := unwrapped(words, wrapper)) is None:
                return self._program(words, name, program, scan, fed)
            if wrapper.text:
                return self._text(" ".join(rest), scan)
            words = rest
        return "other"

    def _program(
        self, words: list[str], name: str, program: Program, scan: Scan, fed: str | None
    ) -> Kind:
        shell, interpreter, command = program.shell, program.interpreter, program.command
        if shell is not None and (call := invocation(words, shell)) is not None:
            return self._shell(name, call, scan, fed)
        if interpreter is not None and (call := invocation(words, interpreter)) is not None:
            self._count(name, scan)
            return kind_of_question(words) or self._interpreter(call, interpreter, scan, fed)
        return self._known(words, name, command, scan, fed) if command else "other"

    def _count(self, name: str, scan: Scan, *, known: bool = True) -> None:
        if name in self._setup:
            scan.setup_head = scan.setup_head or name
        else:
            scan.strange = scan.strange or not (known or scan.commands)
            scan.commands += 1
            if scan.head is None and _NAME.fullmatch(name):
                scan.head = name
        scan.known += known

    def _known(
        self, words: list[str], name: str, rule: CommandRule, scan: Scan, fed: str | None
    ) -> Kind:
        self._count(name, scan)
        if rule.runs_after and (run := command_after(words, rule.runs_after)):
            scan.ruled = True
            return self._words(run, scan, None)
        if rule.writes:
            files = [word for word in words[1:] if word[:1] != "-" and not word.startswith("/dev/")]
            scan.written += [Written(word, fed) for word in files]
        elif rule.moves:
            scan.moved += words[1:]
        elif name in _PRINTERS:
            scan.submits = scan.submits or " ".join(words[1:]).startswith(self._submits.echoes)
        return self._done(kind_by_rule(words, rule), words, scan)

    def _done(self, kind: Kind, words: list[str], scan: Scan) -> Kind:
        """Note what a command does that matters to the rest of the action."""
        if kind == "edit":
            scan.edits = True
        elif kind == "verify":
            scan.executed.append(words)
        return kind

    def _unknown(self, words: list[str], name: str, scan: Scan) -> Kind:
        """Take a path for a script that is run; anything else does nothing that is known."""
        is_script = _PATH.fullmatch(words[0]) is not None or name.endswith(self._suffixes)
        self._count(name, scan, known=is_script)
        scan.ruled = scan.ruled or is_script
        return self._done(self._running(words) if is_script else "other", words, scan)

    def _interpreter(
        self, call: Invocation, rule: InterpreterRule, scan: Scan, fed: str | None
    ) -> Kind:
        if call.module:
            program = self._programs[call.module[0]]
            known = program.command if program is not None else None
            kind = kind_by_rule(call.module, known) if known is not None else "verify"
            return self._done(kind, call.module, scan)
        if call.script:
            return self._done(self._running(call.script), call.script, scan)
        code = call.code if call.code is not None else fed
        if code is None:
            return "verify"
        scan.ruled = True
        if call.code and scan.commands == 1 and _DOCSTRING in scan.text:
            # A docstring in a double-quoted -c string ends the string for the shell. What the code
            # is for shows in what was meant.
            code = scan.text[max(scan.text.find(call.code[:40]), 0) :]
        return self._done(self.purpose(code, rule.language), [code], scan)

    def _running(self, script: list[str]) -> Kind:
        """Return what running a script does; the tables know some by name (``manage.py``)."""
        name = base_name(script[0])
        program = self._programs[name] if name.endswith(self._suffixes) else None
        if program is None or program.command is None:
            return "verify"
        return kind_by_rule([name, *script[1:]], program.command)

    def _shell(self, name: str, call: Invocation, scan: Scan, fed: str | None) -> Kind:
        """Read the text that a shell is given; a file that it is given is run."""
        text = call.code if call.code is not None else fed
        if text is not None and not call.script:
            return self._text(text, scan)
        self._count(name, scan)
        return self._done("verify", call.script, scan)

    def _text(self, text: str, scan: Scan) -> Kind:
        scan.ruled = True
        if scan.nesting >= MAX_NESTING:
            return "other"
        scan.nesting += 1
        kind = self._script(self._parser.parse(text), scan)
        scan.nesting -= 1
        return kind

    def _rewrites(self, file: Written) -> bool:
        """Tell whether a script that was written is there to rewrite files."""
        content = file.content or ""
        first_line = content[:80].partition("\n")[0]
        if file.path.endswith(".sh") or (
            first_line[:2] == "#!" and first_line.rstrip()[-2:] == "sh"
        ):
            inner = Scan(content, MAX_NESTING)
            self._script(self._parser.parse(content), inner)
            return inner.edits
        return any(
            purpose.edits(content)
            for suffixes, purpose in self._by_suffix
            if file.path.endswith(suffixes)
        )


def _said(command: Command) -> str | None:
    """Return what a command prints where the action says it: echo's words, cat's here-document."""
    name = command.words[0] if command.words else ""
    if name in _PRINTERS:
        words = (word for word in command.words[1:] if word not in _PRINT_FLAGS)
        return " ".join(words).replace("\\n", "\n")
    return command.stdin if name == "cat" else None


def _is_script(word: str) -> bool:
    """Tell a path of the project (``bin/test``) from an installed program (``.venv/bin/pip``)."""
    return _ENVIRONMENT_BIN.search(word) is None
