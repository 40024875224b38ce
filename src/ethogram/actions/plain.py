"""Plain scripts without the parser: words, quotes, pipes, ``&&``, ``;`` and redirections.

Nearly all commands that agents write are of this shape, and reading them here costs a quarter of what
building and walking a tree costs. Whatever else the shell has (expansions that run commands, groups,
loops, tests) is left to `ethogram.actions.shell`: then the answer is None.
"""

import re
from typing import Final

from ethogram.actions.heredoc import body_of
from ethogram.actions.script import Command, Script, is_file, unquote

_TOKENS: Final = re.compile(
    r"""[ \t]*+(
      \d?>&[\d-]|\d?>>?\|?
      |(?:[^\s'"\\$`(){}<>|&;\#!]++
        |'[^']*+'|"(?:[^"\\`$]++|\\.|\$(?!\())*+"|\\[^\n]
        |\$(?=\w)|\$?\{[\w,./*-]*\}|(?<=[^\s|&;<>])[\#!])++
      |\|\|?|&>>?|&&?|;|\n
      |<(?:<<)?
      |\#[^\n]*|\\\n
      |\S)""",
    re.VERBOSE | re.DOTALL,
)
_PIPE, _NEXT, _WRITE, _READ, _TEXT, _SKIP, _STOP = range(1, 8)
_OPERATORS: Final = {
    "|": _PIPE,
    **dict.fromkeys(["||", "&&", ";", "&", "\n"], _NEXT),
    **dict.fromkeys([">", ">>", ">|", "&>", "&>>", "1>", "1>>", "2>", "2>>"], _WRITE),
    "<": _READ,
    "<<<": _TEXT,
    **dict.fromkeys(["2>&1", "1>&2", ">&2", ">&1", "2>&-", "1>&-", ">&-", "!", "\\\n"], _SKIP),
    **dict.fromkeys([*"(){}`$'\"#\\"], _STOP),
}
_COMPOUND: Final = frozenset(
    "if then else elif fi for while until do done case esac in function select coproc [[".split()
)


def read_plain(text: str, bodies: list[str]) -> Script | None:
    """Read a script of plain commands.

    Parameters
    ----------
    text : str
        A shell text out of which the here-documents were lifted.
    bodies : list of str
        Those here-documents.

    Returns
    -------
    list of list of Command or None
        None if the text has anything that only the parser can read.
    """
    script: Script = [[Command([])]]
    target = 0
    for token in _TOKENS.findall(text):
        operator = _OPERATORS.get(token, 0)
        command = script[-1][-1]
        if operator == 0:
            if target or not command.words or token[0] in "_#":
                if token[0] == "#":
                    continue
                if not target and token in _COMPOUND:
                    return None
                target = _place(token, target, command, bodies)
            else:
                command.words.append(unquote(token))
        elif operator == _PIPE:
            script[-1].append(Command([]))
        elif operator == _NEXT:
            if not _is_empty(script[-1]):
                script.append([Command([])])
        elif operator == _STOP:
            return None
        elif operator != _SKIP:
            target = operator
    return [pipeline for pipeline in script if not _is_empty(pipeline)]


def _is_empty(pipeline: list[Command]) -> bool:
    command = pipeline[0]
    return len(pipeline) == 1 and not command.words and not command.writes and command.stdin is None


def _place(token: str, target: int, command: Command, bodies: list[str]) -> int:
    """Put a word where it belongs: a redirection's target, a here-document or an argument."""
    word = unquote(token)
    if target == _WRITE:
        if is_file(word):
            command.writes.append(word)
    elif target == _TEXT:
        command.stdin = word
    elif (body := body_of(token, bodies)) is not None:
        command.stdin = body
    else:
        command.words.append(word)
    return 0
