"""One command's options and operands against its entry in the tables."""

from typing import Final, NamedTuple

from ethogram.actions.kinds import RANK, CommandRule, InterpreterRule, Kind, KindTables, WrapperRule

_VERSION_SUFFIX: Final = "0123456789.-"
_QUESTIONS: Final[dict[str, Kind]] = {"--version": "other", "-V": "other", "--help": "understand"}


class Program(NamedTuple):
    """All that the tables say of one program."""

    command: CommandRule | None
    wrapper: WrapperRule | None
    shell: InterpreterRule | None
    interpreter: InterpreterRule | None
    by_options: bool
    """Whether its options, and the number of its words, are all that its kind depends on, as long
    as it runs no other command."""


class Programs(dict[str, Program | None]):
    """Programs by name, with or without the version that may end it (``python3.11``).

    ``programs[name]`` is what is known of one, None for a name that no table has.
    """

    def __init__(self, tables: KindTables) -> None:
        others = {*tables.wrappers, *tables.shells, *tables.interpreters}
        names = {*tables.commands, *others}
        super().__init__(
            {
                name: Program(
                    tables.commands.get(name),
                    tables.wrappers.get(name),
                    tables.shells.get(name),
                    tables.interpreters.get(name),
                    name not in others and _by_options(tables.commands[name]),
                )
                for name in names
            }
        )

    def __missing__(self, name: str) -> Program | None:
        return self.get(name.rstrip(_VERSION_SUFFIX))


def _by_options(rule: CommandRule) -> bool:
    looks_further = rule.subcommands or rule.writes or rule.moves or rule.rest
    options = (*rule.flags, *rule.runs_after)
    return not looks_further and all(word[:1] == "-" and " " not in word for word in options)


def base_name(word: str) -> str:
    """Return a program's name without its path."""
    return word[word.rfind("/") + 1 :]


def first_operand(words: list[str], valued: frozenset[str], start: int = 1) -> int:
    """Return the position of the first word that is neither an option nor an option's value."""
    position = start
    while position < len(words):
        word = words[position]
        if word[:1] != "-" or word == "-":
            return position
        position += 1
        if word == "--":
            return position
        position += word in valued
    return position


def unwrapped(words: list[str], rule: WrapperRule) -> list[str] | None:
    """Return the command that a wrapper runs; None if this is no use of the program as one."""
    position = first_operand(words, rule.valued)
    if not rule.stops.isdisjoint(words[1:position]):
        return None
    if rule.after is not None:
        if words[position : position + 1] != [rule.after]:
            return None
        position = first_operand(words, rule.valued, position + 1)
    return words[position + rule.operands :]


class Invocation(NamedTuple):
    """An interpreter's command line, taken apart: it runs code, a module or a script."""

    code: str | None
    module: list[str]
    script: list[str]


def invocation(words: list[str], rule: InterpreterRule) -> Invocation | None:
    """Take an interpreter's command line apart; None if it is no use of the program as one."""
    position = 1
    if rule.after is not None:
        position = first_operand(words, rule.valued)
        if words[position : position + 1] != [rule.after]:
            return None
        position += 1
    while position < len(words):
        word = words[position]
        if word[:1] != "-" or word == "-":
            break
        # Options may be bundled (-Bc CODE, -um pytest): the last letter takes the value.
        option = word if word[:2] == "--" else "-" + word[-1]
        if option in rule.module:
            return Invocation(None, words[position + 1 :], [])
        if option in rule.code:
            return Invocation(" ".join(words[position + 1 : position + 2]), [], [])
        position += 2 if word in rule.valued else 1
    return Invocation(None, [], [word for word in words[position:] if word != "-"])


def kind_of_question(words: list[str]) -> Kind | None:
    """Return the kind of asking a program for its version (other) or help (understand)."""
    return _QUESTIONS.get(words[1]) if len(words) == 2 else None


def kind_by_rule(words: list[str], rule: CommandRule) -> Kind:
    """Return what a known program does with these arguments; with ``--help`` it explains itself."""
    if len(words) == 1:
        return rule.bare or rule.kind
    if "--help" in words:
        return "understand"
    if len(words) == 2 and words[1] in _QUESTIONS:
        return _QUESTIONS[words[1]]
    if rule.flags:
        given = [kind for flag, kind in rule.flags.items() if _has_flag(words, flag, rule.takes)]
        if given:
            return max(given, key=RANK.__getitem__)
    return _by_subcommand(words, rule) if rule.subcommands else rule.kind


def _by_subcommand(words: list[str], rule: CommandRule) -> Kind:
    position = first_operand(words, rule.valued)
    inner = rule.subcommands.get(words[position]) if position < len(words) else None
    if inner is None:
        return rule.kind
    return kind_by_rule(words[position:], inner) if isinstance(inner, CommandRule) else inner


def _has_flag(words: list[str], flag: str, takes: str) -> bool:
    """Tell whether an option is given: as it stands, with ``=value``, or in a bundle."""
    if flag in words:
        return True
    if " " in flag:
        return f" {flag} " in f" {' '.join(words)} "
    if len(flag) > 2:
        return any(word.startswith(flag + "=") for word in words)
    letter = flag[1:]
    # The cheap tests first: few commands have a word that could be such a bundle.
    bundles = [word for word in words if letter in word and word[:1] == "-" and word[1:2] != "-"]
    return bool(bundles) and any(_in_bundle(word, letter, takes) for word in bundles)


def _in_bundle(word: str, letter: str, takes: str) -> bool:
    for char in word[1:]:
        if char == letter:
            return True
        if char in takes or not char.isalnum():
            return False
    return False


def command_after(words: list[str], options: frozenset[str]) -> list[str]:
    """Return the command that stands after one of the options (``find -exec``), up to its ``;``."""
    for position, word in enumerate(words):
        if word in options:
            run = words[position + 1 :]
            return run[: run.index(";")] if ";" in run else run
    return []
