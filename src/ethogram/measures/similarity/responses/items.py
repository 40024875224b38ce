"""The items that a judge reads: thoughts and replies of a run, with the calls beside them.

Scripted replies, what users say and system texts are no items. A call belongs to the words of its
own turn. A call without words belongs to the next words before the user speaks, for they report
what came of it, or where there are none to the last words before it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.results.excerpts import cut_middle

RUNS_AT_ONCE: Final = 256
"""Runs whose texts are held in memory together."""
THOUGHT: Final = "thought"
REPLY: Final = "reply"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Characters that a judge is shown; longer texts are cut in the middle, which is marked."""

    result: int = 300
    """Of a call, and of what it returned."""
    item: int = 2_000
    """Of an item, where items are sorted into stages."""
    block: int = 8_000
    """Of all that a run said in one stage, or in the whole run."""
    task: int = 2_000
    """Of the task's text."""


class Item(msgspec.Struct, frozen=True):
    """A thought or a reply, with the calls beside it."""

    kind: str
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def shown(self) -> str:
        """As the judge reads it."""
        return "\n".join([*self.before, f"[{self.kind}] {self.text}", *self.after])


def run_items(
    cohort: Cohort, run_ids: Sequence[str], *, limits: Limits | None = None
) -> Iterator[tuple[Item, ...]]:
    """Yield the items of runs, in the order of ``run_ids``; none for a run without words.

    Parameters
    ----------
    cohort : Cohort
        With its texts; without them there are no words.
    run_ids : sequence of str
        Which runs.
    limits : Limits, optional
        How much of calls and results is shown.
    """
    limits = limits or Limits()
    for start in range(0, len(run_ids), RUNS_AT_ONCE):
        chosen = run_ids[start : start + RUNS_AT_ONCE]
        events: dict[str, list[_Event]] = {run_id: [] for run_id in chosen}
        for run_id, *event in _events(cohort, chosen).iter_rows():
            events[run_id].append(_Event(*event))
        for run_id in chosen:
            yield _Reading(limits).items(events[run_id])


class _Event(NamedTuple):
    by_user: bool
    turn: int | None
    action: str | None
    text: str | None
    thought: str | None
    result: str | None


def _events(cohort: Cohort, run_ids: Sequence[str]) -> pl.DataFrame:
    chosen = pl.LazyFrame({"run_id": run_ids}, schema={"run_id": pl.String})
    event = pl.col("event").cast(pl.String)
    by_user = (event == "user") | (pl.col("actor") == "user")
    by_agent = event.is_in(["reply", "action"]) & (pl.col("actor") == "agent")
    is_call = pl.col("action_index").is_not_null()
    events = (
        cohort.steps.join(chosen, on="run_id", how="semi")
        .filter((by_user | by_agent) & ~pl.col("scripted").fill_null(value=False))
        .select(
            "run_id",
            "index",
            by_user.alias("by_user"),
            "turn",
            pl.when(is_call).then(pl.coalesce("action", "tool")).alias("action"),
            pl.when(~by_user).then("text_ref").alias("text"),
            pl.when(~by_user).then("thought_ref").alias("thought"),
            pl.when(is_call).then("observation_ref").alias("result"),
        )
        .collect()
    )
    refs = pl.concat(events[name] for name in ("text", "thought", "result")).drop_nulls().unique()
    texts = cohort.texts.join(refs.to_frame("ref").lazy(), on="ref", how="semi").collect()
    known = {"old": texts["ref"], "new": texts["text"]}
    return (
        events.sort("run_id", "index")
        .drop("index")
        .with_columns(
            pl.col(name).replace_strict(**known, default=None, return_dtype=pl.String)
            for name in ("text", "thought", "result")
        )
    )


class _Reading:
    """Items of one run as its events come by."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._found: list[Item] = []
        self._waiting: list[str] = []
        """Calls that no words stand beside yet."""
        self._stretch = 0
        """Place of the first item since the user spoke."""
        self._turn: int | None = None

    def items(self, events: Sequence[_Event]) -> tuple[Item, ...]:
        for event in events:
            if event.by_user:
                self._close()
                continue
            self._words(event)
            if event.action is not None:
                self._call(event)
        self._stretch = 0
        self._close()
        return tuple(self._found)

    def _words(self, event: _Event) -> None:
        said = ((THOUGHT, event.thought), (REPLY, event.text))
        new = [Item(kind, text.strip()) for kind, text in said if text and text.strip()]
        if len({item.text for item in new}) < len(new):
            new = new[-1:]
        if new:
            new[0] = msgspec.structs.replace(new[0], before=tuple(self._waiting))
            self._waiting = []
            self._found += new
            self._turn = event.turn

    def _call(self, event: _Event) -> None:
        shown = [f"[call] {cut_middle(event.action or '', self._limits.result)}"]
        if event.result is not None:
            shown.append(f"[result] {cut_middle(event.result, self._limits.result)}")
        spoke = bool(event.text and event.text.strip()) or bool(
            event.thought and event.thought.strip()
        )
        same_turn = event.turn is not None and event.turn == self._turn
        if self._found and (spoke or same_turn):
            self._attach(shown)
        else:
            self._waiting += shown

    def _attach(self, shown: Sequence[str]) -> None:
        last = self._found[-1]
        self._found[-1] = msgspec.structs.replace(last, after=(*last.after, *shown))

    def _close(self) -> None:
        """Calls that no words followed go to the last words before them, if there are any."""
        if self._waiting and len(self._found) > self._stretch:
            self._attach(self._waiting)
            self._waiting = []
        self._stretch = len(self._found)


def task_texts(cohort: Cohort, run_ids: Sequence[str]) -> list[str | None]:
    """What each run was asked to do; None where that is not recorded."""
    key = ["benchmark", "task_id", "digest"]
    prompts = cohort.tasks.select(*key, ref="prompt_ref").unique(key)
    runs = cohort.runs.select("run_id", "benchmark", "task_id", digest="task_digest")
    texts = cohort.texts.select("ref", "text")
    found: Any = (
        runs.join(prompts, on=key, how="left", nulls_equal=True)
        .lazy()
        .join(texts, on="ref", how="left")
        .select("run_id", "text")
        .collect()
        .iter_rows()
    )
    by_run: dict[str, str | None] = dict(found)
    return [by_run.get(run_id) for run_id in run_ids]
