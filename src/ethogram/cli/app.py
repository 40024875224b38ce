"""The commands, the walls around them and the exit codes.

0 fine, 1 gate failed, 2 wrong usage or input, 3 something of ours broke.
"""

import functools
import inspect
import io
import sys
import traceback
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import typer

from ethogram.cli import (
    consistency,
    demo,
    formats,
    judge,
    read,
    relabel,
    report,
    show,
    similarity,
    variance,
)  # fmt: skip
from ethogram.errors import EthogramError
from ethogram.registry import package_version
from ethogram.results.printable import printable
from ethogram.user_files import reason_of

WRONG_INPUT: Final = 2
OURS: Final = 3
INTERRUPTED: Final = 130

COMMANDS: Final[dict[str, ModuleType]] = {
    module.NAME: module
    for module in (
        read,
        show,
        report,
        variance,
        consistency,
        similarity,
        relabel,
        formats,
        demo,
    )
}
GROUPS: Final[dict[str, ModuleType]] = {judge.NAME: judge}
"""Words under which several commands stand: module with ``ACTIONS``, name -> function."""

app = typer.Typer(
    name="ethogram",
    help="Measure how LLM agents behave, from the trajectories that you already have.\n\n"
    "ethogram PATH... reads trajectories and writes a report; the commands do one thing each.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _walled(function: Callable[..., Any]) -> Callable[..., None]:
    """A command whose errors are sentences and whose answer, if it gives one, is the exit code."""

    @functools.wraps(function)
    def command(*arguments: Any, **options: Any) -> None:
        code = _run(lambda: function(*arguments, **options))
        if code:
            raise typer.Exit(code)

    command.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return command


def _run(call: Callable[[], Any]) -> int:
    try:
        answer = call()
    except (EthogramError, RecursionError) as err:
        deep = isinstance(err, RecursionError)
        return _fail("the input is nested too deeply" if deep else str(err), WRONG_INPUT)
    except KeyboardInterrupt:
        return _fail(
            "interrupted; what was read or answered so far is kept for the same command",
            INTERRUPTED,
        )
    except (BrokenPipeError, SystemExit):  # Rich ends the program when nobody reads
        return 0  # `ethogram ... | head`
    except OSError as err:  # a file that can't be read or written, a disk that is full
        named = f"{err.filename}: " if err.filename is not None else ""
        return _fail(f"{named}{reason_of(err)}", WRONG_INPUT)
    except Exception as err:  # noqa: BLE001  the wall: the user gets a sentence below the traceback
        traceback.print_exc()
        return _fail(
            f"something of ours broke ({type(err).__name__}: {err}); please report it", OURS
        )
    return answer if isinstance(answer, int) else 0


def _fail(message: str, code: int) -> int:
    typer.echo(f"ethogram: {printable(message)}", err=True)
    return code


for name, module in COMMANDS.items():
    app.command(name)(_walled(module.command))


def _group(module: ModuleType) -> typer.Typer:
    group = typer.Typer(
        help=module.ABOUT,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for action, function in module.ACTIONS.items():
        group.command(action)(_walled(function))
    return group


for name, module in GROUPS.items():
    app.add_typer(_group(module), name=name)


def command_words() -> list[tuple[str, ...]]:
    """Every command as it is typed, and every group before its commands."""
    grouped = [
        words for name in GROUPS for words in ((name,), *((name, a) for a in GROUPS[name].ACTIONS))
    ]
    return [*((name,) for name in COMMANDS), *grouped]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(package_version())
        raise typer.Exit


@app.callback()
def options(
    *,
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Options of all commands."""


def _unknown(word: str) -> str | None:
    """Say that a word is neither a command nor a path, if it is neither."""
    place = word.partition("::")[0]
    if any(char in word for char in "*?[/\\.") or Path(place).exists():
        return None  # a path or a pattern: the reader has the words for what is wrong with it
    near = get_close_matches(word, [*COMMANDS, *GROUPS], n=1)
    hint = f"; did you mean the command {near[0]!r}?" if near else ""
    return f"{word}: neither a command nor a file{hint}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; ``ethogram PATH...`` is ``ethogram report PATH...``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show every name
    given = list(sys.argv[1:] if arguments is None else arguments)
    known = {*COMMANDS, *GROUPS}
    if given and not given[0].startswith("-") and given[0] not in known:
        if unknown := _unknown(given[0]):
            raise SystemExit(_fail(unknown, WRONG_INPUT))
        given = ["report", *given]
    app(args=given, prog_name="ethogram")
