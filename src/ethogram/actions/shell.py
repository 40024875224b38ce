"""A shell command as pipelines of commands.

Plain commands are read by `ethogram.actions.plain`, all others from tree-sitter-bash's tree. Where
a text can't be parsed, the parts of it that can are used.
"""

import re
from collections.abc import Callable
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from ethogram.actions.heredoc import body_of, lift
from ethogram.actions.plain import read_plain
from ethogram.actions.script import Command, Pipeline, Script, is_file, unquote

MAX_CHARS: Final = 500_000
"""A longer text is cut to this before here-documents are lifted out of it."""
MAX_LIFTED: Final = 50_000
"""What remains of it is cut to this."""
MAX_PARSED: Final = 5_000
"""What a tree is built of is cut to this: tree-sitter-bash needs time quadratic in the length for
some unbalanced texts."""
MAX_DEPTH: Final = 40
"""Constructs nested deeper than this are not looked into."""

_WIDE: Final = re.compile(r"[^\x00-\x7f]")
_SUBSTITUTION: Final = re.compile(r"`|[$<>]\(")
_UNQUOTED: Final = re.compile(r"[^'\"`$]*")
_OPERATOR: Final = re.compile(r"\d*(<|&?>>?\|?)(?!&)")


class ShellParser:
    """Parses commands; cheap to make, not to be shared between threads."""

    def __init__(self) -> None:
        self._parser = Parser(Language(tree_sitter_bash.language()))

    def parse(self, text: str) -> Script:
        """Parse a shell text.

        Parameters
        ----------
        text : str
            Any string. What is not shell gives whatever parses of it, at worst nothing.

        Returns
        -------
        list of list of Command
            The pipelines in order, those of branches among them.
        """
        lifted, bodies = lift(text[:MAX_CHARS])
        lifted = lifted[:MAX_LIFTED]
        script = read_plain(lifted, bodies)
        return self.parse_tree(lifted, bodies) if script is None else script

    def parse_tree(self, text: str, bodies: list[str]) -> Script:
        """Parse a text, out of which here-documents were lifted, by tree-sitter-bash alone."""
        text = text[:MAX_PARSED]
        # One byte a character: places in the tree are places in the text, and tree-sitter-bash's
        # scanner, which reads beyond its tables at `{` before a wide character, never sees one.
        tree = self._parser.parse(_WIDE.sub("_", text).encode("ascii"))
        script: Script = []
        _Reader(text, bodies).statements(tree.root_node, script, 0)
        return script


class _Reader:
    """Walks one tree and appends what it finds to scripts."""

    def __init__(self, source: str, bodies: list[str]) -> None:
        self._source = source
        self._bodies = bodies
        self._readers: dict[str, Callable[[Node, Script, int], None]] = {
            "command": self._simple,
            "pipeline": self._pipeline,
            "redirected_statement": self._redirected,
            "declaration_command": self._declaration,
            "unset_command": self._declaration,
            "test_command": self._declaration,
            "subshell": self._group,
            "compound_statement": self._group,
        }

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte]

    def statements(self, node: Node, script: Script, depth: int) -> None:
        """Append the pipelines under a node."""
        if depth > MAX_DEPTH:
            return
        children = node.named_children
        if node.type == "ERROR" and children and children[0].type == "command_name":
            script.append([self._broken(node)])
            return
        for child in children:
            if child.type == "ERROR" and script and self._text(child)[:1] in _QUOTES:
                # A quote that doesn't close: what follows was meant as the command's argument.
                script[-1][-1].words.append(self._text(child)[1:])
            elif child.type not in _LEAVES:
                self._statement(child, script, depth)

    def _statement(self, node: Node, script: Script, depth: int) -> None:
        self._readers.get(node.type, self.statements)(node, script, depth + 1)

    def _broken(self, node: Node) -> Command:
        """Read a command whose quotes don't close: its words, from the first quote on as one."""
        text = self._text(node)
        end = match.end() if (match := _UNQUOTED.match(text)) else 0
        return Command([*text[:end].split(), text[end + 1 :]])

    def _simple(self, node: Node, script: Script, depth: int) -> None:
        command = Command([])
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                self._redirect(child, command, depth)
            else:
                self._word(child, command, depth)
        script.append([command])

    def _word(self, node: Node, command: Command, depth: int) -> None:
        text = self._text(node)
        if (body := body_of(text, self._bodies)) is not None:
            command.stdin = body
        elif node.type == "ERROR":
            command.words += text.split()
        else:
            command.words.append(unquote(text))
            if _SUBSTITUTION.search(text):
                self._inner(node, command, depth)

    def _inner(self, node: Node, command: Command, depth: int) -> None:
        """Read the scripts that the words under a node run."""
        found: Script = []
        self.statements(node, found, depth)
        if found:
            command.inner.append(found)

    def _redirect(self, node: Node, command: Command, depth: int) -> None:
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        if not targets:
            return
        target = unquote(self._text(targets[0]))
        operator = _OPERATOR.match(self._text(node))
        if node.type == "herestring_redirect":
            command.stdin = target
        elif operator is not None and operator[1] == "<":
            self._word(targets[0], command, depth)
        elif operator is not None and is_file(target):
            command.writes.append(target)
        # The grammar takes the words after a target for more targets: they are arguments.
        for extra in targets[1:]:
            self._word(extra, command, depth)

    def _pipeline(self, node: Node, script: Script, depth: int) -> None:
        pipeline: Pipeline = []
        for child in node.named_children:
            stage: Script = []
            self._statement(child, stage, depth)
            if child.type.endswith(_LOOPS):
                stage = [[Command([], body=stage)]]
            # The grammar takes `a && b > f` for a stage in `a && b > f | c`, and `b | c && d` in
            # `a | b | c && d`: a list begins in this pipeline and the next stage joins its end.
            for number, part in enumerate(stage):
                if number:
                    script.append(pipeline)
                    pipeline = []
                pipeline += part
        if pipeline:
            script.append(pipeline)

    def _redirected(self, node: Node, script: Script, depth: int) -> None:
        found: Script = []
        redirects = [child for child in node.named_children if child.type.endswith("_redirect")]
        for child in node.named_children:
            if not child.type.endswith("_redirect"):
                self._statement(child, found, depth)
        if node.named_children[0].type.endswith(_LOOPS) and found:
            found = [[Command([], body=found)]]
        command = found[-1][-1] if found else Command([])
        for redirect in redirects:
            self._redirect(redirect, command, depth)
        script += found or [[command]]

    def _group(self, node: Node, script: Script, depth: int) -> None:
        body: Script = []
        self.statements(node, body, depth)
        if body:
            script.append([Command([], body=body)])

    def _declaration(self, node: Node, script: Script, depth: int) -> None:
        command = Command(self._text(node).split(maxsplit=1)[:1])
        script.append([command])
        self._inner(node, command, depth)


_QUOTES: Final = ("'", '"', "`")
_LOOPS: Final = ("for_statement", "while_statement", "if_statement", "case_statement")
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
