"""A round of questions to a server: within the budget, each answer kept as it comes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from ethogram.errors import JudgeError
from ethogram.judging.asking import at_most, run_to_end
from ethogram.judging.budget import Ledger, Usage, cost
from ethogram.judging.cache import Entry, Parameter, Session
from ethogram.judging.client import REFUSED, Completion, Connection, ItemError, Server
from ethogram.judging.parse import UnfitAnswerError, parse
from ethogram.judging.prices import Price
from ethogram.judging.prompt import Rendered, render
from ethogram.judging.tally import NOT_ASKED, UNFIT, Tally
from ethogram.results.judges import Question

GIVES_UP_AT: Final = 24
"""Weight of failures in a row at which the rest is not asked."""
DOWN: Final = 3
"""Weight of a failure that looks as if the server were down: eight of them are enough."""
ODD: Final = 1
"""Weight of one that may be the question's own fault: a text too long, an answer that is none."""
MOST_BYTES_PER_TOKEN: Final = 10
"""A server that counts fewer tokens than this has not read all; some cut in silence."""
_AGAIN: Final = (
    "\n\nYour last answer did not fit the schema. Answer with the JSON object alone, with every "
    "field of the schema and no other."
)


class Asked(msgspec.Struct, frozen=True):
    """A question with its address in the cache; its words are made again when it is asked.

    Thousands of questions in words, each as long as two blocks of trajectories, would fill the
    memory.
    """

    question: Question[Any]
    version: int
    """Version of its prompt."""
    digest: str
    """Of its words."""
    address: str
    expected: Usage
    """Tokens that it takes, roughly."""


@dataclass
class Round:
    """One call of `LlmJudge.ask`: what is out, what came back, what failed."""

    server: Server
    session: Session
    ledger: Ledger
    tally: Tally
    price: Price | None
    parameters: dict[str, Parameter]
    concurrency: int
    progress: Callable[[int, int], None]

    def __post_init__(self) -> None:
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
        self.progress(0, self._total)

        async def all_of_them() -> None:
            async with self.server.connection() as connection:
                await at_most(
                    self.concurrency, new.values(), lambda asked: self._one(connection, asked)
                )

        run_to_end(all_of_them)
        return self._found

    async def _one(self, connection: Connection, asked: Asked) -> None:
        if self.tally.stopped:
            self.tally.missing[NOT_ASKED] += 1
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
                ItemError(UNFIT, f"judge {self.server.model} gives no answer that fits: {err}"), ODD
            )
        else:
            self._weight = self._failures = 0
            self._found[asked.address] = self.session.add(entry)
            self.tally.answered += 1
        self._done += 1
        self.progress(self._done, self._total)

    def _failed(self, err: ItemError, weight: int) -> None:
        """Count a failure; stop where they don't end."""
        self.tally.missing[err.reason] += 1
        self._failures += 1
        self._weight += weight
        if self._weight >= GIVES_UP_AT:
            raise JudgeError(
                f"{err}. The last {self._failures} questions failed one after the other, so the "
                "rest is not asked. What was answered is kept: the same command goes on from there"
            ) from None

    def _stop(self) -> None:
        self.tally.missing[NOT_ASKED] += 1
        self.tally.stopped = (
            f"The budget of {self.ledger.budget} is reached: the rest was not asked. What was "
            "answered is kept, and the same command with a larger --judge-budget goes on from there"
        )

    async def _fitting(self, connection: Connection, asked: Asked) -> Entry:
        """The answer or, where it doesn't fit, the answer to asking once more."""
        rendered = render(asked.question)
        completion = await self._paid(connection, asked, rendered)
        try:
            parse(completion.text, asked.question)
        except UnfitAnswerError:
            self.tally.again += 1
            once_more = msgspec.structs.replace(rendered, text=rendered.text + _AGAIN)
            completion = await self._paid(connection, asked, once_more)
            parse(completion.text, asked.question)
        return self._entry(asked, completion)

    async def _paid(self, connection: Connection, asked: Asked, rendered: Rendered) -> Completion:
        """One call, within the budget."""
        estimate = cost(asked.expected, self.price)
        await self._reserve(estimate)
        self._out += 1
        try:
            completion = await connection.complete(rendered.text, rendered.schema, rendered.prompt)
        except BaseException:
            self.ledger.release(estimate)
            raise
        else:
            used = completion.usage or asked.expected
            dollars = cost(used, self.price)
            self.ledger.settle(estimate, dollars)
            self.tally.spent(used, dollars)
            self.tally.plain = self.server.plain
            self.tally.cut += used.input_tokens * MOST_BYTES_PER_TOKEN < len(rendered.text.encode())
            return completion
        finally:
            self._out -= 1
            self._settled.set()

    async def _reserve(self, estimate: float | None) -> None:
        """Wait for calls that are out as long as one of them may leave room in the budget."""
        while not self.ledger.reserve(estimate):
            if not self._out:
                raise _BudgetReached
            self._settled.clear()
            await self._settled.wait()

    def _entry(self, asked: Asked, completion: Completion) -> Entry:
        usage = completion.usage
        return Entry(
            address=asked.address,
            model=self.server.model,
            prompt=asked.question.prompt,
            prompt_version=asked.version,
            question=asked.digest,
            parameters=self.parameters,
            sample=asked.question.sample,
            answer=completion.text,
            answered_by=completion.model,
            input_tokens=None if usage is None else usage.input_tokens,
            output_tokens=None if usage is None else usage.output_tokens,
        )


class _BudgetReached(Exception):  # noqa: N818  no error: the budget does what it is for
    pass
