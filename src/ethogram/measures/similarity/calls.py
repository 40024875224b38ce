"""The calls of each run, with what came back and what the agent had been told before.

A call is an action of the agent with a tool, in order of turn and place. A shell command's call is
named after its first real command, and its arguments are the words of the command: otherwise every
node of a coding agent's graph would be called ``bash``.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.actions.kinds import KindTables, load_kinds
from ethogram.actions.script import Script
from ethogram.actions.shell import ShellParser
from ethogram.cohort import Cohort
from ethogram.measures.similarity.values import Value, argument_leaves, decoded

RUNS_AT_ONCE: Final = 256
"""Runs whose texts are held in memory together."""


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
    for start in range(0, len(run_ids), RUNS_AT_ONCE):
        chosen = run_ids[start : start + RUNS_AT_ONCE]
        events: dict[str, list[tuple[Any, ...]]] = {run_id: [] for run_id in chosen}
        for run_id, *event in _events(cohort, chosen).iter_rows():
            events[run_id].append(tuple(event))
        for run_id in chosen:
            yield _run(run_id, events[run_id], arguments_of)


def _events(cohort: Cohort, run_ids: Sequence[str]) -> pl.DataFrame:
    """Calls, user and system events of some runs, with their texts."""
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
    frame = events.collect()
    refs = frame.select("ref").drop_nulls().unique().lazy()
    texts = cohort.texts.join(refs, on="ref", how="semi").select("ref", "text").collect()
    return (
        frame.join(texts, on="ref", how="left")
        .drop("ref")
        .sort("run_id", "index", maintain_order=True)
    )


def _name() -> pl.Expr:
    return pl.coalesce("head", "tool")


def _run(run_id: str, events: list[tuple[Any, ...]], arguments_of: "_Arguments") -> RunCalls:
    calls, told = [], []
    last = -1
    for index, turn, name, tool, action, arguments, effect, guessed, is_error, text in events:
        if name is None:
            if text:
                told.append(Told(index, text))
            continue
        # without turns every call is a response of its own
        last = last + 1 if turn is None else max(turn, last)
        calls.append(
            Call(
                name=name,
                turn=last,
                index=index,
                leaves=arguments_of(tool, action, arguments),
                result=text,
                effect=effect,
                guessed=bool(guessed),
                is_error=is_error,
            )
        )
    return RunCalls(run_id, tuple(calls), tuple(told))


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
            return tuple(words(self._parser.parse(command)))
        return tuple(argument_leaves(arguments))

    def _command(self, tool: str, action: str | None, arguments: str | None) -> str | None:
        """Command that a shell tool is given; None for other tools."""
        rule = self._tables.tools.get(tool)
        if rule is None or not rule.shell:
            return None
        _, given = decoded(arguments)
        if not isinstance(given, dict):
            return action
        found = (given.get(name) for name in rule.shell)
        return next((text for text in found if isinstance(text, str)), None)


def words(script: Script) -> Iterator[str]:
    """Yield the words of every command of a script after the commands' own names.

    Examples
    --------
    >>> list(words(ShellParser().parse("cd /repo && grep -rn 'a b' src | head -5")))
    ['/repo', '-rn', 'a b', 'src', '-5']
    """
    for pipeline in script:
        for command in pipeline:
            yield from (word.strip() for word in command.words[1:])
            for inner in command.inner:
                yield from words(inner)
            if command.body is not None:
                yield from words(command.body)
