"""``ethogram judge``: try a judge, and carry its answers from one machine to another."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ethogram.cli.judge_options import sitting, with_judge_options
from ethogram.cli.options import AsCsv, AsJson
from ethogram.cli.output import emit
from ethogram.errors import UsageError

if TYPE_CHECKING:
    from ethogram.judging import JudgeSettings

NAME: Final = "judge"
ABOUT: Final = "Try a judge; show, export and import its answers."
_SHOWN: Final = 10

CacheFile = Annotated[
    Path | None,
    typer.Option("--judge-cache", help="File of answers; default: the user's cache folder."),
]


def check(*, judging: "JudgeSettings | None") -> int:
    """Ask a judge one small question, and see whether it answers.

    The answer goes into no cache. A second judge is asked the same.
    """
    import tempfile

    import msgspec

    from ethogram.judging.check import check_judge

    if judging is None:
        raise UsageError("judge check: name the judge with --judge-model")
    with tempfile.TemporaryDirectory() as folder:
        fresh = msgspec.structs.replace(judging, cache=Path(folder) / "judge.sqlite")
        with sitting(fresh) as bench:
            said = [check_judge(judge) for judge in (bench.first, bench.second) if judge]
    if not bench.dry_run:
        typer.echo("\n".join(said))
    return bench.tell()


def show(
    *,
    prompt: Annotated[
        str | None,
        typer.Argument(metavar="[PROMPT]", help="A prompt to print, with its schema."),
    ] = None,
    judge_cache: CacheFile = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show what answers are in the cache, or a prompt."""
    from ethogram.judging.cache import Cache
    from ethogram.judging.inventory import inventory, prompt_text
    from ethogram.judging.settings import default_cache

    if prompt is not None:
        typer.echo(prompt_text(prompt))
    else:
        emit(inventory(Cache(judge_cache or default_cache())), as_json=as_json, as_csv=as_csv)


def export(
    *,
    target: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - for stdout.")],
    judge_cache: CacheFile = None,
) -> None:
    """Write the answers as JSON lines.

    The order is always the same, so the same answers give the same file.
    """
    from ethogram.judging.cache import Cache
    from ethogram.judging.exchange import export_answers, lines
    from ethogram.judging.settings import default_cache

    cache = Cache(judge_cache or default_cache())
    if target == "-":
        for line in lines(cache):
            typer.echo(line)
        return
    typer.echo(f"{export_answers(cache, Path(target)):,} answers in {target}", err=True)


def import_(
    *,
    sources: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines.")],
    judge_cache: CacheFile = None,
) -> int:
    """Take answers of others into the cache.

    Lines that are no answers are named and left out; the exit code is then 2.
    """
    from ethogram.judging.cache import Cache
    from ethogram.judging.exchange import import_answers
    from ethogram.judging.settings import default_cache

    cache = Cache(judge_cache or default_cache())
    bad: list[str] = []
    for source in sources:
        done = import_answers(cache, source)
        differing = f" ({done.differing:,} in other words, left out)" if done.differing else ""
        typer.echo(
            f"{source}: {done.added:,} answers added, {done.known:,} were there{differing}, "
            f"{len(done.bad):,} lines are no answers",
            err=True,
        )
        bad += done.bad
    for sentence in bad[:_SHOWN]:
        typer.echo(sentence, err=True)
    if len(bad) > _SHOWN:
        typer.echo(f"and {len(bad) - _SHOWN:,} lines more", err=True)
    return 2 if bad else 0


ACTIONS: Final[dict[str, Callable[..., Any]]] = {
    "check": with_judge_options(check),
    "show": show,
    "export": export,
    "import": import_,
}
