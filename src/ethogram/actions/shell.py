"""A shell command as pipelines of commands, read from tree-sitter-bash's tree.

The tree is turned into the few things that the rules of `ethogram.actions.rules` look at: the words of
each command without their quotes, the files it writes by redirection, the text it is fed, and the
scripts inside it (subshells, loops, command substitutions). Where the text can't be parsed, the parts
that can are used.
"""

import re
from typing import Final

import msgspec
import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from ethogram.actions.heredoc import body_of, lift

MAX_CHARS: Final = 200_000
"""A longer text is cut before anything looks at it."""
MAX_PARSED: Final = 20_000
"""What is left after here-documents are lifted is cut to this before it is parsed: tree-sitter-bash needs
time quadratic in the length for some unbalanced texts."""
MAX_DEPTH: Final = 40
"""Constructs nested deeper than this are not looked into."""


class Command(msgspec.Struct, gc=False):
    """One command of a pipeline."""

    words: list[str]
    """Name and arguments, without quotes; empty for a bare redirection or assignment."""
    writes: list[str] = []
    """Files written by redirection."""
    stdin: str | None = None
    """A here-document or here-string fed to it."""
    inner: list["Script"] = []
    """Scripts in its words: ``$(...)``, backquotes, ``<(...)``."""
    body: "Script | None" = None
    """The script of a subshell, group or loop; then there are no words."""


Pipeline = list[Command]
Script = list[Pipeline]

_QUOTED: Final = re.compile(r"""\$?'([^']*)'|\$?"((?:[^"\\]++|\\.)*+)"|\\(.)""", re.DOTALL)
_ESCAPE: Final = re.compile(r'\\([\\"$`\n])')
_PLAIN: Final = re.compile(r"""(?:[\w./=:,+@% -]|'[^'\n]*'|"[^"$`\\\n!]*")+""", re.ASCII)
_PLAIN_WORD: Final = re.compile(r"""(?:[^ '"]|'[^']*'|"[^"]*")+""")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS: Final = frozenset(
    "if then else elif fi for while until do done case esac in function select time coproc export declare"
    " typeset local readonly unset unsetenv".split()
)


def _bare(match: re.Match[str]) -> str:
    single, double, escaped = match.groups()
    if single is not None:
        return single
    return _ESCAPE.sub(r"\1", double) if double is not None else escaped.strip("\n")


def unquote(word: str) -> str:
    """Take quotes and escapes off a shell word; expansions stay as they are written."""
    return _QUOTED.sub(_bare, word) if "'" in word or '"' in word or "\\" in word else word


class ShellParser:
    """Parses commands; not safe to share between threads, cheap to make."""

    def __init__(self) -> None:
        self._parser = Parser(Language(tree_sitter_bash.language()))

    def parse(self, text: str) -> Script:
        """Parse a shell text.

        Parameters
        ----------
        text : str
            Any string; what is not shell gives whatever parses of it, at worst nothing.

        Returns
        -------
        list of list of Command
            The pipelines in order, those of branches and loops among them.
        """
        if _PLAIN.fullmatch(text):
            words = [unquote(word) for word in _PLAIN_WORD.findall(text)]
            if words[0] not in _KEYWORDS and not _ASSIGNMENT.match(words[0]):
                return [[Command(words)]]
        text, bodies = lift(text[:MAX_CHARS])
        source = text[:MAX_PARSED].encode("utf-8", "replace")
        script: Script = []
        _Reader(source, bodies).statements(self._parser.parse(source).root_node, script, 0)
        return script


class _Reader:
    """Walks one tree."""

    def __init__(self, source: bytes, bodies: list[str]) -> None:
        self._source = source
        self._bodies = bodies

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def statements(self, node: Node, script: Script, depth: int) -> None:
        """Append the pipelines under ``node``."""
        if depth > MAX_DEPTH:
            return
        depth += 1
        for child in node.named_children:
            kind = child.type
            if kind == "command":
                script.append([self._command(child, depth)])
            elif (read := _READERS.get(kind)) is not None:
                read(self, child, script, depth)
            elif kind not in _LEAVES:
                self.statements(child, script, depth)

    def _command(self, node: Node, depth: int) -> Command:
        command = Command([])
        for child in node.named_children:
            kind = child.type
            if kind == "variable_assignment":
                self._inner(child, command, depth)
            elif kind in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
                self._redirect(child, command, depth)
            elif kind == "ERROR":
                command.words += self._text(child).split()
            else:
                self._word(child, command, depth)
        return command

    def _word(self, node: Node, command: Command, depth: int) -> None:
        text = self._text(node)
        if text.startswith("__heredoc_") and (body := body_of(text, self._bodies)) is not None:
            command.stdin = body
            return
        command.words.append(unquote(text))
        if "`" in text or "$(" in text or "<(" in text:
            self._inner(node, command, depth)

    def _inner(self, node: Node, command: Command, depth: int) -> None:
        """Read the scripts that the words under ``node`` contain."""
        found: Script = []
        self.statements(node, found, depth)
        if found:
            command.inner = [*command.inner, found]

    def _redirect(self, node: Node, command: Command, depth: int) -> None:
        text = self._text(node)
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        if node.type == "herestring_redirect":
            command.stdin = unquote(text[3:].strip())
            return
        if not targets:
            return
        # The grammar counts the words after a target as more targets: they are arguments.
        for extra in targets[1:]:
            self._word(extra, command, depth)
        target = unquote(self._text(targets[0]))
        operator = text[: targets[0].start_byte - node.start_byte].strip().lstrip("0123456789")
        if operator in {">", ">>", ">|", "&>", "&>>"} and not target.startswith(("/dev/", "&")):
            command.writes = [*command.writes, target]

    def _pipeline(self, node: Node, script: Script, depth: int) -> None:
        pipeline: Pipeline = []
        for child in node.named_children:
            if child.type == "command":
                pipeline.append(self._command(child, depth))
                continue
            stage: Script = []
            self._statement(child, stage, depth)
            if len(stage) == 1 and len(stage[0]) == 1:
                pipeline.append(stage[0][0])
            elif stage:
                pipeline.append(Command([], body=stage))
        if pipeline:
            script.append(pipeline)

    def _statement(self, node: Node, script: Script, depth: int) -> None:
        if node.type == "command":
            script.append([self._command(node, depth)])
        elif (read := _READERS.get(node.type)) is not None:
            read(self, node, script, depth)
        elif node.type not in _LEAVES:
            self.statements(node, script, depth)

    def _redirected(self, node: Node, script: Script, depth: int) -> None:
        found: Script = []
        redirects: list[Node] = []
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                redirects.append(child)
            else:
                if child.type in _GROUPS:
                    body: Script = []
                    self._statement(child, body, depth)
                    found.append([Command([], body=body)])
                else:
                    self._statement(child, found, depth)
        if not found:
            found = [[Command([])]]
        for redirect in redirects:
            self._redirect(redirect, found[-1][-1], depth)
        script += found

    def _declaration(self, node: Node, script: Script, depth: int) -> None:
        command = Command(self._text(node).split()[:1])
        self._inner(node, command, depth)
        script.append([command])

    def _assignment(self, node: Node, script: Script, depth: int) -> None:
        self.statements(node, script, depth)

    def _test(self, node: Node, script: Script, depth: int) -> None:
        command = Command(["test"])
        self._inner(node, command, depth)
        script.append([command])


_GROUPS: Final = frozenset(
    {
        "subshell",
        "compound_statement",
        "for_statement",
        "c_style_for_statement",
        "while_statement",
        "if_statement",
        "case_statement",
    }
)
_LEAVES: Final = frozenset(
    {
        "word",
        "comment",
        "raw_string",
        "number",
        "variable_name",
        "simple_expansion",
        "string_content",
    }
)
_READERS: Final = {
    "pipeline": _Reader._pipeline,
    "redirected_statement": _Reader._redirected,
    "declaration_command": _Reader._declaration,
    "unset_command": _Reader._declaration,
    "test_command": _Reader._test,
}
