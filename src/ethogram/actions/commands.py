"""One command's options and operands against its entry in the tables."""

from typing import Final, TypeVar

from ethogram.actions.kinds import CommandRule, InterpreterRule, Kind, WrapperRule

T = TypeVar("T")

_VERSION_SUFFIX: Final = "0123456789.-"
_VERSION_FLAGS: Final = frozenset({"--version", "-V"})


def base_name(word: str) -> str:
    """Return a program's name without its path."""
    return word[word.rfind("/") + 1 :]


def lookup(table: dict[str, T], name: str) -> T | None:
    """Find a program, with or without the version at the end of its name (``python3.11``, ``gcc-12``)."""
    entry = table.get(name)
    return entry if entry is not None else table.get(name.rstrip(_VERSION_SUFFIX))


def first_operand(words: list[str], valued: frozenset[str], start: int = 1) -> int:
    """Return the position of the first word that is neither an option nor an option's value."""
    position = start
    while position < len(words):
        word = words[position]
        if word == "--":
            return position + 1
        if not word.startswith("-") or word == "-":
            return position
        position += 2 if word in valued else 1
    return position


def unwrapped(words: list[str], rule: WrapperRule) -> list[str] | None:
    """Return the command that a wrapper runs; None if this is no use of the wrapper as one."""
    position = first_operand(words, rule.valued)
    if rule.stops and not rule.stops.isdisjoint(words[1:position]):
        return None
    if rule.after is not None:
        if position >= len(words) or words[position] != rule.after:
            return None
        position = first_operand(words, rule.valued, position + 1)
    return words[position + rule.operands :]


def code_argument(
    words: list[str], rule: InterpreterRule
) -> tuple[str | None, list[str] | None, int]:
    """Split an interpreter's command line.

    Returns
    -------
    tuple
        The code given with an option, the module with its arguments, and the position of the script;
        of the first two, one at most is not None.
    """
    start = 1
    if rule.after is not None:
        start = first_operand(words, rule.valued) + 1
    position = start
    while position < len(words):
        word = words[position]
        if not word.startswith("-") or word == "-":
            break
        if word in rule.module or (
            len(word) > 2 and word[:2] != "--" and "-" + word[-1] in rule.module
        ):
            return None, words[position + 1 :], position
        if word in rule.code or (
            len(word) > 2 and word[:2] != "--" and "-" + word[-1] in rule.code
        ):
            return " ".join(words[position + 1 : position + 2]), None, position
        position += 2 if word in rule.valued else 1
    return None, None, position


def kind_by_rule(words: list[str], rule: CommandRule) -> Kind:
    """Return what a known program does with these arguments.

    ``--help`` reads (understand) and a bare ``--version`` does nothing (other), whatever the program.
    """
    if len(words) == 1:
        return rule.bare or rule.kind
    if "--help" in words:
        return "understand"
    if len(words) == 2 and words[1] in _VERSION_FLAGS:
        return "other"
    for flag, kind in rule.flags.items():
        if _has_flag(words, flag, rule.takes):
            return kind
    if rule.subcommands:
        position = first_operand(words, rule.valued)
        inner = rule.subcommands.get(words[position]) if position < len(words) else None
        if isinstance(inner, CommandRule):
            return kind_by_rule(words[position:], inner)
        if inner is not None:
            return inner
    return rule.kind


def _has_flag(words: list[str], flag: str, takes: str) -> bool:
    if " " in flag:
        return f" {flag} " in f" {' '.join(words)} "
    if flag.startswith("--") or len(flag) > 2:
        return any(word == flag or word.startswith(flag + "=") for word in words)
    return any(
        word[0] == "-"
        and (word[:2] == flag or (word[1:2] != "-" and _in_bundle(word, flag[1], takes)))
        for word in words[1:]
        if word
    )


def _in_bundle(word: str, letter: str, takes: str) -> bool:
    for char in word[1:]:
        if char == letter:
            return True
        if char in takes or not (char.isalnum()):
            return False
    return False
