"""A language model as judge: the cache first, then the server, within a budget."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import JudgeError
from ethogram.judging.asking import at_most, run_to_end
from ethogram.judging.budget import Ledger, Usage, cost, estimated_tokens
from ethogram.judging.cache import Cache, Entry, Parameter, Session, address_of, digest_of
from ethogram.judging.client import REFUSED, Completion, Connection, ItemError, Server
from ethogram.judging.parse import UnfitAnswerError, parse
from ethogram.judging.prices import Prices
from ethogram.judging.prompt import Rendered, render
from ethogram.judging.settings import JudgeSettings
from ethogram.judging.tally import NOT_ASKED, NOT_KEPT, UNFIT, Plan, Tally
from ethogram.results.judges import Answer, Question

T = TypeVar("T", bound=msgspec.Struct)

GIVES_UP_AT: Final = 24
"""Weight of failures in a row at which the rest is not asked."""
DOWN: Final = 3
"""Weight of a failure that looks as if the server were down: eight of them are enough."""
ODD: Final = 1
"""Weight of one that may be the question's own fault: a text too long, an answer that is none."""
WORTH_SAYING: Final = 25
"""Calls from which on the plan is said before each round and not only before the first."""
MOST_BYTES_PER_TOKEN: Final = 10
"""A server that counts fewer tokens than this has not read all; some cut in silence."""
_AGAIN: Final = (
    "\n\nYour last answer did not fit the schema. Answer with the JSON object alone, with every "
    "field of the schema and no other."
)


class Asked(msgspec.Struct, frozen=True):
    """A question in words, with its address in the cache."""

    question: Question[Any]
    rendered: Rendered
    digest: str
    address: str


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
                found |= _Round(self, session, self._ledger, self._progress).run(new)
            elif new:
                self.tally.missing[NOT_KEPT] += len(new)
        return [self._answer(each, found.get(each.address)) for each in asked]

    def put(self, question: Question[Any]) -> Asked:
        """A question in words, with its address."""
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
        return Asked(question, rendered, digest, address)

    def expected(self, asked: Asked) -> Usage:
        """How many tokens a question takes, roughly."""
        return Usage(
            input_tokens=estimated_tokens(asked.rendered.text),
            output_tokens=asked.rendered.answer_tokens,
        )

    def cost(self, usage: Usage) -> float | None:
        """Dollars for tokens; None where the price is not known."""
        return cost(usage, self._price)

    def plan(self, new: Sequence[Asked], kept: int) -> Plan:
        """What asking would take."""
        usage = sum((self.expected(each) for each in new), Usage())
        return Plan(
            judge=self.name,
            place=self.server.place,
            calls=len(new),
            kept=kept,
            usage=usage,
            dollars=self.cost(usage),
            prices_of=self.prices.date,
        )

    def _announce(self, new: Sequence[Asked], kept: int) -> None:
        if self.tally.stopped or (self._told and len(new) < WORTH_SAYING):
            return
        self._told = True
        for sentence in self.plan(new, kept).sentences():
            self._say(sentence)

    def _answer(self, asked: Asked, entry: Entry | None) -> Answer[Any] | None:
        if entry is None:
            return None
        try:
            value = parse(entry.answer, asked.question)
        except UnfitAnswerError:  # a cache that was changed by hand, or imported so
            self.tally.missing[UNFIT] += 1
            return None
        return Answer(value=value, judge=self.name, prompt_version=asked.rendered.version)


class _Round:
    """One call of `LlmJudge.ask`: what is out, what came back, what failed."""

    def __init__(
        self,
        judge: LlmJudge,
        session: Session,
        ledger: Ledger,
        progress: Callable[[int, int], None],
    ) -> None:
        self._judge = judge
        self._session = session
        self._ledger = ledger
        self._progress = progress
        self._tally = judge.tally
        self._found: dict[str, Entry] = {}
        self._failures = 0
        self._weight = 0
        self._out = 0
        self._settled = asyncio.Event()
        self._done = 0
        self._total = 0

    def run(self, new: dict[str, Asked]) -> dict[str, Entry]:
        """Ask; give what was answered by address."""
        self._total = len(new)
        self._progress(0, self._total)

        async def all_of_them() -> None:
            async with AsyncExitStack() as stack:
                connection = await stack.enter_async_context(self._judge.server.connection())
                await at_most(
                    self._judge.settings.concurrency,
                    new.values(),
                    lambda asked: self._one(connection, asked),
                )

        run_to_end(all_of_them)
        return self._found

    async def _one(self, connection: Connection, asked: Asked) -> None:
        if self._tally.stopped:
            self._tally.missing[NOT_ASKED] += 1
            return
        try:
            entry = await self._fitting(connection, asked)
        except _BudgetReached:
            self._stop()
            return
        except ItemError as err:
            self._failed(err, ODD if err.reason == REFUSED else DOWN)
        except UnfitAnswerError as err:
            self._failed(
                ItemError(UNFIT, f"judge {self._judge.name} gives no answer that fits: {err}"), ODD
            )
        else:
            self._weight = self._failures = 0
            self._found[asked.address] = self._session.add(entry)
            self._tally.answered += 1
        self._done += 1
        self._progress(self._done, self._total)

    def _failed(self, err: ItemError, weight: int) -> None:
        """Count a failure; stop where they don't end."""
        self._tally.missing[err.reason] += 1
        self._failures += 1
        self._weight += weight
        if self._weight >= GIVES_UP_AT:
            raise JudgeError(
                f"{err}. The last {self._failures} questions failed one after the other, so the "
                "rest is not asked. What was answered is kept: the same command goes on from there"
            ) from None

    def _stop(self) -> None:
        self._tally.missing[NOT_ASKED] += 1
        self._tally.stopped = (
            f"The budget of {self._ledger.budget} is reached: the rest was not asked. What was "
            "answered is kept, and the same command with a larger --judge-budget goes on from there"
        )

    async def _fitting(self, connection: Connection, asked: Asked) -> Entry:
        """The answer or, where it doesn't fit, the answer to asking once more."""
        completion = await self._paid(connection, asked, asked.rendered.text)
        try:
            parse(completion.text, asked.question)
        except UnfitAnswerError:
            self._tally.again += 1
            completion = await self._paid(connection, asked, asked.rendered.text + _AGAIN)
            parse(completion.text, asked.question)
        return self._entry(asked, completion)

    async def _paid(self, connection: Connection, asked: Asked, text: str) -> Completion:
        """One call, within the budget."""
        expected = self._judge.expected(asked)
        estimate = self._judge.cost(expected)
        await self._reserve(estimate)
        self._out += 1
        try:
            completion = await connection.complete(
                text, asked.rendered.schema, asked.rendered.prompt
            )
        except BaseException:
            self._ledger.release(estimate)
            raise
        else:
            used = completion.usage or expected
            dollars = self._judge.cost(used)
            self._ledger.settle(estimate, dollars)
            self._tally.spent(used, dollars)
            self._tally.plain = self._judge.server.plain
            self._tally.cut += used.input_tokens * MOST_BYTES_PER_TOKEN < len(text.encode())
            return completion
        finally:
            self._out -= 1
            self._settled.set()

    async def _reserve(self, estimate: float | None) -> None:
        """Wait for calls that are out as long as one of them may leave room in the budget."""
        while not self._ledger.reserve(estimate):
            if not self._out:
                raise _BudgetReached
            self._settled.clear()
            await self._settled.wait()

    def _entry(self, asked: Asked, completion: Completion) -> Entry:
        usage = completion.usage
        return Entry(
            address=asked.address,
            model=self._judge.name,
            prompt=asked.rendered.prompt,
            prompt_version=asked.rendered.version,
            question=asked.digest,
            parameters=self._judge.parameters,
            sample=asked.question.sample,
            answer=completion.text,
            answered_by=completion.model,
            input_tokens=None if usage is None else usage.input_tokens,
            output_tokens=None if usage is None else usage.output_tokens,
        )


class _BudgetReached(Exception):  # noqa: N818  no error: the budget does what it is for
    pass
