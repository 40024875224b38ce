"""From settings to judges."""

import os
from collections.abc import Callable

import msgspec

from ethogram.errors import UsageError
from ethogram.judging.budget import Ledger
from ethogram.judging.client import Server
from ethogram.judging.judge import LlmJudge
from ethogram.judging.keys import FIRST, SECOND
from ethogram.judging.prices import load_prices
from ethogram.judging.rehearsal import Rehearsal
from ethogram.judging.settings import OPENAI_URL, JudgeSettings, check_url, split_model


def open_judges(
    settings: JudgeSettings,
    *,
    say: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[LlmJudge]:
    """The judge that the settings name, the second one if there is one, more temperatures.

    Nothing is sent before the first question. All share the budget and the cache.

    Parameters
    ----------
    settings : JudgeSettings
        Whom to ask, and how.
    say : callable, optional
        Told what is about to be asked, in sentences.
    progress : callable, optional
        Told how many of a round's questions are done, and how many there are.

    Raises
    ------
    UsageError
        If the budget is in dollars and the price of a judge is not known.
    """
    prices = load_prices(settings.prices)
    ledger = Ledger(settings.budget)
    servers = [_server(settings, settings.model, _url(settings), FIRST)]
    if settings.second is not None:
        model, url = split_model(settings.second)
        keys = FIRST if url is None else SECOND
        servers.append(_server(settings, model, url or _url(settings), keys))
    asked = [(server, settings) for server in servers]
    for temperature in settings.temperatures:
        warmer = msgspec.structs.replace(settings, temperature=temperature, temperatures=())
        asked.append((_server(warmer, settings.model, _url(settings), FIRST), warmer))
    if settings.budget.dollars is not None:
        for server in servers:
            if prices.of(server.model) is None:
                raise UsageError(
                    f"--judge-budget: the price of {server.model!r} is not known (table of "
                    f"{prices.date}), so dollars can't be counted; give a number of calls, or "
                    "the price with --judge-prices"
                )
    return [
        LlmJudge(server, own, ledger=ledger, prices=prices, say=say, progress=progress)
        for server, own in asked
    ]


def rehearsals(judges: list[LlmJudge]) -> list[Rehearsal]:
    """Stand-ins that count what the judges would be asked."""
    return [Rehearsal(judge) for judge in judges]


def _url(settings: JudgeSettings) -> str:
    # The SDK's own variable, so that what works with other tools works here.
    url = settings.url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    check_url(url)
    return url


def _server(settings: JudgeSettings, model: str, url: str, keys: tuple[str, ...]) -> Server:
    return Server(
        model,
        url,
        keys=keys,
        temperature=settings.temperature,
        timeout=settings.timeout,
        retries=settings.retries,
    )
