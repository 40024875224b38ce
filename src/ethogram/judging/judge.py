"""A language model as judge: the cache first, then the server, within a budget."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from ethogram.judging.budget import Ledger, Usage, cost, estimated_tokens
from ethogram.judging.cache import Cache, Entry, Parameter, Session, address_of, digest_of
from ethogram.judging.client import Server
from ethogram.judging.parse import UnfitAnswerError, parse
from ethogram.judging.prices import Prices
from ethogram.judging.prompt import render
from ethogram.judging.rounds import Asked, Round
from ethogram.judging.settings import JudgeSettings
from ethogram.judging.tally import NOT_KEPT, UNFIT, Plan, Tally
from ethogram.results.judges import Answer, Question

T = TypeVar("T", bound=msgspec.Struct)

WORTH_SAYING: Final = 25
"""Calls from which on the plan is said before each round and not only before the first."""


class LlmJudge:
    """Asks a model; implements `ethogram.results.judges.Judge`.

    Parameters
    ----------
    server : Server
        Whom to ask.
    settings : JudgeSettings
        How.
    ledger : Ledger
        What may be spent; judges of one study share it.
    prices : Prices
        What models cost.
    say : callable, optional
        Told what is about to be asked, in sentences.
    progress : callable, optional
        Told how many of a round's questions are done, and how many there are.
    """

    def __init__(
        self,
        server: Server,
        settings: JudgeSettings,
        *,
        ledger: Ledger,
        prices: Prices,
        say: Callable[[str], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.server = server
        self.settings = settings
        self.tally = Tally(server.model)
        self.prices = prices
        self._ledger = ledger
        self._say = say or (lambda _: None)
        self._progress = progress or (lambda _done, _all: None)
        self._cache = Cache(settings.cache)
        self._price = prices.of(server.model)
        self._told = False
        if self._price is None:
            self.tally.dollars = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.server.model

    @property
    def samples(self) -> int:
        """Answers to the same question."""
        return self.settings.samples

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What, besides the question, decides an answer; also for a result's provenance."""
        temperature = self.settings.temperature
        return {"temperature": None if temperature is None else float(temperature)}

    def ask(self, questions: Sequence[Question[T]]) -> list[Answer[T] | None]:
        """Answer each question, in order; None where there is no answer (see ``tally``).

        The same question is asked once. Every answer is in the cache before the next is asked for,
        so that whatever ends this, the same call goes on where it stopped.

        Raises
        ------
        JudgeError
            If the server can't be asked at all, or fails time after time.
        InputError
            If the cache can't be used.
        """
        asked = [self.put(question) for question in questions]
        with self._cache.session(make=not self.settings.offline) as session:
            found = session.find(each.address for each in asked)
            new = {each.address: each for each in asked if each.address not in found}
            self.tally.questions += len(found) + len(new)
            self.tally.kept += len(found)
            if new and not self.settings.offline:
                self.server.key()  # if one is needed and missing, this says so first
                self._announce(list(new.values()), len(found))
                found |= self._round(session).run(new)
            elif new:
                self.tally.missing[NOT_KEPT] += len(new)
        return [self._answer(each, found.get(each.address)) for each in asked]

    def _round(self, session: Session) -> Round:
        return Round(
            server=self.server,
            session=session,
            ledger=self._ledger,
            tally=self.tally,
            price=self._price,
            parameters=self.parameters,
            concurrency=self.settings.concurrency,
            progress=self._progress,
        )

    def put(self, question: Question[Any]) -> Asked:
        """Put a question into words and find its address."""
        rendered = render(question)
        digest = digest_of(rendered.text)
        address = address_of(
            model=self.server.model,
            prompt=rendered.prompt,
            prompt_version=rendered.version,
            question=digest,
            parameters=self.parameters,
            sample=question.sample,
        )
        expected = Usage(
            input_tokens=estimated_tokens(rendered.text), output_tokens=rendered.answer_tokens
        )
        return Asked(question, rendered.version, digest, address, expected)

    def cost(self, usage: Usage) -> float | None:
        """Dollars for tokens; None where the price is not known."""
        return cost(usage, self._price)

    def plan(self, new: Iterable[Usage], kept: int) -> Plan:
        """What asking would take, from what each call takes."""
        each = list(new)
        usage = sum(each, Usage())
        return Plan(
            judge=self.name,
            place=self.server.place,
            calls=len(each),
            kept=kept,
            usage=usage,
            dollars=self.cost(usage),
            prices_of=self.prices.date,
        )

    def _announce(self, new: Sequence[Asked], kept: int) -> None:
        if self.tally.stopped or (self._told and len(new) < WORTH_SAYING):
            return
        self._told = True
        for sentence in self.plan((each.expected for each in new), kept).sentences():
            self._say(sentence)

    def _answer(self, asked: Asked, entry: Entry | None) -> Answer[Any] | None:
        if entry is None:
            return None
        try:
            value = parse(entry.answer, asked.question)
        except UnfitAnswerError:  # a cache that was changed by hand, or imported so
            self.tally.missing[UNFIT] += 1
            return None
        return Answer(value=value, judge=self.name, prompt_version=asked.version)
