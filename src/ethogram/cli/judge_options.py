"""Options of commands that ask a judge, and what they print about it."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ethogram.cli.progress import counting
from ethogram.errors import JudgeError, UsageError

if TYPE_CHECKING:
    from ethogram.judging import JudgeSettings, LlmJudge, Rehearsal

STOPPED: Final = 2
"""Exit code where the budget ended the asking: the figures are printed, with what is missing."""


def judge_options(  # noqa: PLR0917  called by name, from typer
    judge_model: Annotated[
        str | None, typer.Option("--judge-model", help="Model that judges, as its server calls it.")
    ] = None,
    judge_url: Annotated[
        str | None,
        typer.Option(
            "--judge-url",
            help="OpenAI-compatible server: http://localhost:8000/v1. Default: OpenAI's. "
            "The key comes from ETHOGRAM_JUDGE_KEY or OPENAI_API_KEY.",
        ),
    ] = None,
    judge_samples: Annotated[
        int, typer.Option("--judge-samples", min=1, help="Answers to the same question.")
    ] = 1,
    judge_temperature: Annotated[
        str, typer.Option("--judge-temperature", help="A number, or server: what the server takes.")
    ] = "0",
    judge_budget: Annotated[
        str | None,
        typer.Option("--judge-budget", help="Stop at so many calls (500) or dollars ('$2.50')."),
    ] = None,
    judge_offline: Annotated[
        bool, typer.Option("--judge-offline", help="Answer from the cache alone; count the rest.")
    ] = False,
    judge_cache: Annotated[
        Path | None,
        typer.Option("--judge-cache", help="File of answers; default: the user's cache folder."),
    ] = None,
    judge_concurrency: Annotated[
        int, typer.Option("--judge-concurrency", min=1, help="Questions out at the same time.")
    ] = 8,
    judge_timeout: Annotated[
        float, typer.Option("--judge-timeout", min=1, help="Seconds a server may be silent.")
    ] = 120.0,
    judge_prices: Annotated[
        Path | None,
        typer.Option("--judge-prices", help="TOML file with prices, laid over the package's."),
    ] = None,
    second_judge: Annotated[
        str | None,
        typer.Option(
            "--second-judge",
            help="Another MODEL, or MODEL@URL (key: ETHOGRAM_SECOND_JUDGE_KEY), for agreement.",
        ),
    ] = None,
    judge_temperatures: Annotated[
        str | None,
        typer.Option(
            "--judge-temperatures",
            help="More temperatures, with commas: how far the judge's scores hold. For --rps.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nobody; print calls, tokens and cost.")
    ] = False,
) -> "JudgeSettings | None":
    """The options under which a judge is asked; None if none is named.

    Raises
    ------
    UsageError
        If an option makes no sense, or says how to ask a judge that nobody names.
    """
    if judge_model is None:
        given = {"--judge-url": judge_url, "--second-judge": second_judge, "--dry-run": dry_run}
        given |= {"--judge-budget": judge_budget, "--judge-offline": judge_offline}
        given |= {"--judge-temperatures": judge_temperatures}
        if odd := [name for name, value in given.items() if value]:
            raise UsageError(f"{odd[0]}: name the judge with --judge-model")
        return None
    from ethogram.judging import Budget, JudgeSettings, parse_budget
    from ethogram.judging.settings import (
        default_cache,
        parse_temperature,
        parse_temperatures,
    )

    return JudgeSettings(
        model=judge_model,
        url=judge_url,
        second=second_judge,
        samples=judge_samples,
        temperature=parse_temperature(judge_temperature),
        temperatures=parse_temperatures(judge_temperatures),
        concurrency=judge_concurrency,
        timeout=judge_timeout,
        budget=parse_budget(judge_budget) if judge_budget else Budget(),
        offline=judge_offline,
        dry_run=dry_run,
        cache=judge_cache or default_cache(),
        prices=judge_prices,
    )


def with_judge_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the judge's options to a command; it gets them as one argument ``judging``."""
    shared = list(inspect.signature(judge_options).parameters.values())
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "judging"]

    @functools.wraps(function)
    def command(**arguments: Any) -> Any:
        given = {p.name: arguments.pop(p.name) for p in shared}
        return function(judging=judge_options(**given), **arguments)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*own, *shared]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    # typer evaluates annotations; that of ``judging`` names what only the command imports.
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


class Bench:
    """The judges of a command; `sitting` opens it.

    Parameters
    ----------
    settings : JudgeSettings
        What the options say.
    judges : list of LlmJudge
        The judge, the second one, the judge at other temperatures: those that there are.
    stand_ins : list of Rehearsal
        As many in a dry run, none otherwise.
    """

    def __init__(
        self,
        settings: "JudgeSettings",
        judges: "list[LlmJudge]",
        stand_ins: "list[Rehearsal]",
    ) -> None:
        self._settings = settings
        self._judges = judges
        self._stand_ins = stand_ins

    @property
    def dry_run(self) -> bool:
        """Whether nobody is asked: what a measure computes then means nothing."""
        return bool(self._stand_ins)

    @property
    def first(self) -> "LlmJudge | Rehearsal":
        """The judge."""
        return (self._stand_ins or self._judges)[0]

    @property
    def second(self) -> "LlmJudge | Rehearsal | None":
        """The second judge, if one is named."""
        judges = self._stand_ins or self._judges
        return None if self._settings.second is None else judges[1]

    @property
    def by_temperature(self) -> "dict[float, LlmJudge | Rehearsal]":
        """The judge at its temperature and at each of the others; empty if there are none."""
        own, others = self._settings.temperature, self._settings.temperatures
        if own is None or not others:
            return {}
        judges = self._stand_ins or self._judges
        return {own: judges[0], **dict(zip(others, judges[-len(others) :], strict=True))}

    def tell(self) -> int:
        """Say what became of the questions, or in a dry run what they would cost.

        Returns
        -------
        int
            The command's exit code.
        """
        if self.dry_run:
            for place, stand_in in enumerate(self._stand_ins):
                for sentence in stand_in.plan.sentences()[: 2 if place == 0 else 1]:
                    typer.echo(sentence)
            return 0
        for judge in self._judges:
            for sentence in judge.tally.sentences():
                typer.echo(sentence, err=True)
        return STOPPED if any(judge.tally.stopped for judge in self._judges) else 0


@contextmanager
def sitting(settings: "JudgeSettings") -> Iterator[Bench]:
    """Open the judges that the options name, with progress on stderr.

    Use it so::

        with sitting(judging) as bench:
            result = measure(cohort, judge=bench.first, second_judge=bench.second)
        if not bench.dry_run:
            emit(result)
        return bench.tell()
    """
    from ethogram.judging import open_judges, rehearsals

    with counting("judging") as progress:
        judges = open_judges(
            settings, say=lambda sentence: typer.echo(sentence, err=True), progress=progress
        )
        try:
            yield Bench(settings, judges, rehearsals(judges) if settings.dry_run else [])
        except (JudgeError, KeyboardInterrupt):
            for judge in judges:
                if judge.tally.answered:
                    kept = f"answers that are kept: {judge.tally.answered:,}"
                    typer.echo(f"Judge {judge.name}: {kept}.", err=True)
            raise
