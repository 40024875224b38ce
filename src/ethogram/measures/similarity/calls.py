"""The calls of each run, with what came back and what the agent had been told before.

A call is an action of the agent with a tool, in order of turn and place. A shell command's call is
named after its first real command, and its arguments are the words of the command: otherwise every
node of a coding agent's graph would be called ``bash``.
"""

import shlex
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.actions.commands import base_name, invocation
from ethogram.actions.kinds import KindTables, load_kinds
from ethogram.actions.script import Command, Script
from ethogram.actions.shell import ShellParser
from ethogram.cohort import Cohort
from ethogram.measures.similarity.values import Value, argument_leaves, decoded

CHARS_AT_ONCE: Final = 1 << 27
"""Characters of results of runs whose texts are held in memory together; for each such set of runs
all texts of the cohort are gone through."""
MAX_NESTING: Final = 5
"""Shell texts inside each other (``bash -c``) deeper than this are single words."""


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call of a tool.

    ``turn`` numbers the model's responses: parallel calls share it, and none of them saw the
    others' results.
    """

    name: str
    turn: int
    index: int
    """Place among all events of the run."""
    leaves: tuple[Value, ...]
    """Scalar leaves of the arguments, strings trimmed."""
    result: str | None
    effect: str | None
    """read, write, none; None if unlabelled."""
    guessed: bool
    """Whether the effect is guessed from the tool's name."""
    is_error: bool


class Told(msgspec.Struct, frozen=True, gc=False):
    """What the user said, or the system text."""

    index: int
    text: str


class RunCalls(msgspec.Struct, frozen=True):
    """A run as the graph sees it."""

    run_id: str
    calls: tuple[Call, ...]
    told: tuple[Told, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the calls in order."""
        return tuple(call.name for call in self.calls)


def run_calls(cohort: Cohort, run_ids: Sequence[str]) -> Iterator[RunCalls]:
    """Yield the calls of runs, in the order of ``run_ids``; a run without a call has none.

    Parameters
    ----------
    cohort : Cohort
        With its texts; without them results and what was told are unknown, so that no call
        depends on another.
    run_ids : sequence of str
        Which runs.
    """
    arguments_of = _Arguments()
    for chosen in _batches(cohort, run_ids):
        frame = _events(cohort, chosen)
        texts = _texts(cohort, frame)
        events: dict[str, list[tuple[Any, ...]]] = {run_id: [] for run_id in chosen}
        for run_id, *event, ref in frame.iter_rows():
            events[run_id].append((*event, texts.get(ref)))
        for run_id in chosen:
            yield _run(run_id, events[run_id], arguments_of)


def _batches(cohort: Cohort, run_ids: Sequence[str]) -> Iterator[list[str]]:
    """Runs whose results together have so many characters that memory holds them, in order."""
    chars = pl.col("observation_chars").sum()
    sizes = dict(cohort.steps.group_by("run_id").agg(chars).collect().iter_rows())
    batch: list[str] = []
    size = 0
    for run_id in run_ids:
        size += sizes.get(run_id) or 0
        if batch and size > CHARS_AT_ONCE:
            yield batch
            batch, size = [], sizes.get(run_id) or 0
        batch.append(run_id)
    if batch:
        yield batch


def _events(cohort: Cohort, run_ids: Sequence[str]) -> pl.DataFrame:
    """Calls, user and system events of some runs, in order, with the refs of their texts."""
    chosen = pl.LazyFrame({"run_id": run_ids})
    is_call = pl.col("action_index").is_not_null() & _name().is_not_null()
    is_told = pl.col("event").cast(pl.String).is_in(["user", "system"])
    events = (
        cohort.steps.join(chosen, on="run_id", how="semi")
        .filter(is_call | is_told)
        .select(
            "run_id",
            "index",
            "turn",
            pl.when(is_call).then(_name()).alias("name"),
            "tool",
            "action",
            "arguments",
            pl.col("effect").cast(pl.String),
            (pl.col("effect_origin").cast(pl.String) == "guessed").alias("guessed"),
            pl.col("is_error").fill_null(value=False),
            pl.when(is_call)
            .then("observation_ref")
            .otherwise("text_ref")
            .alias("ref"),
        )
    )  # fmt: skip
    return events.collect().sort("run_id", "index", maintain_order=True)


def _texts(cohort: Cohort, events: pl.DataFrame) -> dict[str, str]:
    """Texts of events, each once: the same policy may stand before all runs."""
    refs = events.select("ref").drop_nulls().unique().lazy()
    # chosen before each ref is made unique, which for all texts takes longer than all the rest
    found = cohort.all_texts.join(refs, on="ref", how="semi").select("ref", "text")
    return dict(found.collect().iter_rows())


def _name() -> pl.Expr:
    return pl.coalesce("head", "tool")


def _run(run_id: str, events: list[tuple[Any, ...]], arguments_of: "_Arguments") -> RunCalls:
    told = [Told(event[0], event[-1]) for event in events if event[2] is None and event[-1]]
    made = _in_order([event for event in events if event[2] is not None])
    turns = _numbered([event[1] for event in made])
    calls = [
        Call(
            name=name,
            turn=turn,
            index=index,
            leaves=arguments_of(tool, action, arguments),
            result=result,
            effect=effect,
            guessed=bool(guessed),
            is_error=is_error,
        )
        for turn, (index, _, name, tool, action, arguments, effect, guessed, is_error, result) in (
            zip(turns, made, strict=True)
        )
    ]
    return RunCalls(run_id, tuple(calls), tuple(told))


def _in_order(events: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """By turn and place in it; by place alone where a call's turn isn't recorded."""
    if any(turn is None for _, turn, *_ in events):
        return events
    return sorted(events, key=itemgetter(1))


def _numbered(turns: Sequence[int | None]) -> list[int]:
    """Number the responses from 0; a call without a turn is a response of its own."""
    changes = (turn is None or turn != before for before, turn in pairwise(turns))
    return list(accumulate(changes, initial=0)) if turns else []


class _Arguments:
    """Leaves of the arguments of tools, words of the commands of shells."""

    def __init__(self, tables: KindTables | None = None) -> None:
        self._tables = load_kinds() if tables is None else tables
        self._parser = ShellParser()

    def __call__(
        self, tool: str | None, action: str | None, arguments: str | None
    ) -> tuple[Value, ...]:
        command = action if tool is None else self._command(tool, action, arguments)
        if command is not None:
            return tuple(self._words(self._parser.parse(command), 0))
        return tuple(argument_leaves(arguments))

    def _command(self, tool: str, action: str | None, arguments: str | None) -> str | None:
        """Command that a shell tool is given; None for other tools."""
        rule = self._tables.tools.get(tool)
        if rule is None or not rule.shell:
            return None
        _, given = decoded(arguments)
        if not isinstance(given, dict):
            return action
        found = (_command_text(given.get(name)) for name in rule.shell)
        return next((text for text in found if text is not None), None)

    def _words(self, script: Script, depth: int) -> Iterator[str]:
        """Words of every command after the commands' own names, and the files they write."""
        for command in (command for pipeline in script for command in pipeline):
            code = self._code(command) if depth < MAX_NESTING else None
            if code is not None:
                yield from self._words(self._parser.parse(code), depth + 1)
            else:
                yield from (word.strip() for word in command.words[1:])
            yield from (word.strip() for word in command.writes)
            for inner in command.inner:
                yield from self._words(inner, depth)
            if command.body is not None:
                yield from self._words(command.body, depth)

    def _code(self, command: Command) -> str | None:
        """The script that a shell is given as a word: ``bash -lc "ls src"``."""
        name = base_name(command.words[0]) if command.words else ""
        shell = self._tables.shells.get(name)
        call = None if shell is None else invocation(command.words, shell)
        return None if call is None else call.code


def _command_text(value: Any) -> str | None:
    """A command as text, given as text, an array of words, or a table with one of them."""
    if isinstance(value, dict):
        value = value.get("command")
    if isinstance(value, list):
        return shlex.join(map(str, value))
    return value if isinstance(value, str) else None
