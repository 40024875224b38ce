"""Which calls were given what earlier calls had returned (definition 3 of Yang et al. 2026).

A candidate is a value of a call's arguments that the result of an earlier call holds; earlier means
that the result came back before the turn that holds the call. A candidate becomes a dependency
unless the value was known before that result came back: a user event or the system text held it as
a whole token, or an argument (the source's own too) equalled it. What the user says later doesn't
undo it, and the agent's own text doesn't count.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ethogram.errors import UsageError
from ethogram.measures.similarity.calls import RunCalls
from ethogram.measures.similarity.values import (
    Tokens,
    Value,
    decoded,
    informative,
    leaf_set,
    words_of,
    written,
)
from ethogram.results.judges import DependencyJudge, DependencyQuestion

Edges: TypeAlias = frozenset[tuple[int, int]]
Source: TypeAlias = Literal["first", "latest", "all"]
NEVER: Final = 1 << 60


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A value that a call was given and an earlier call had returned."""

    source: int
    target: int
    value: Value
    known: bool
    """Whether the value was known before the source's result came back."""


def candidates(run: RunCalls, *, source: Source = "first") -> list[Candidate]:
    """Values of calls that results of earlier calls hold.

    Parameters
    ----------
    run : RunCalls
        The calls of one run.
    source : {"first", "latest", "all"}
        Which of several earlier calls whose results hold a value is its source.

    Returns
    -------
    list of Candidate
        In order of target, each value once a target (with ``all`` once a source).
    """
    choose = SOURCES[source]
    wanted = {value for call in run.calls for value in call.leaves if informative(value)}
    tokens = Tokens(map(written, wanted))
    holders, known = _Holders(run, wanted, tokens), _Known(run, tokens)
    found = []
    for target, call in enumerate(run.calls):
        holders.take_in(call.turn)
        for value in dict.fromkeys(filter(informative, call.leaves)):
            found += [
                Candidate(place, target, value, known.before(value, place))
                for place in choose(holders.of(value))
            ]
    return found


def dependencies(
    run: RunCalls, *, source: Source = "first", judge: DependencyJudge | None = None
) -> Edges:
    """Dependency edges ``(source, target)`` between the calls of a run, by place.

    Several values make one edge. Edges lead forward in time, so that the graph has no cycle.

    Parameters
    ----------
    run : RunCalls
        The calls of one run.
    source : {"first", "latest", "all"}
        Which of several earlier calls is a value's source.
    judge : DependencyJudge, optional
        Takes the rule's place; where it has no answer the rule decides.

    Raises
    ------
    UsageError
        If the judge gives more or fewer answers than it was asked for.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, appendix B.1; the rule that stands for their
    judge is ours.
    """
    return dependencies_of([run], source=source, judge=judge)[0]


def dependencies_of(
    runs: Sequence[RunCalls], *, source: Source = "first", judge: DependencyJudge | None = None
) -> list[Edges]:
    """`dependencies` of several runs, about which a judge is asked in one go."""
    found = [candidates(run, source=source) for run in runs]
    derived = iter([not each.known for some in found for each in some])
    if judge is not None:
        asked = [
            question(run, each) for run, some in zip(runs, found, strict=True) for each in some
        ]
        derived = iter(_judged(list(derived), judge, asked))
    return [
        frozenset((each.source, each.target) for each in some if next(derived)) for some in found
    ]


def _judged(
    by_rule: list[bool], judge: DependencyJudge, asked: Sequence[DependencyQuestion]
) -> list[bool]:
    """The judge's answers, the rule's where there is none."""
    answers = judge.derived(asked) if asked else []
    if len(answers) != len(asked):
        raise UsageError(
            f"a judge of dependencies must answer each of the {len(asked)} questions, "
            f"with None where it can't; got {len(answers)} answers"
        )
    return [
        rule if answer is None else answer for rule, answer in zip(by_rule, answers, strict=True)
    ]


def question(run: RunCalls, candidate: Candidate) -> DependencyQuestion:
    """What a judge is asked about a candidate."""
    source, target = run.calls[candidate.source], run.calls[candidate.target]
    return DependencyQuestion(
        run_id=run.run_id,
        source=candidate.source,
        target=candidate.target,
        source_tool=source.name,
        target_tool=target.name,
        value=written(candidate.value),
        result=source.result or "",
        told=tuple(told.text for told in run.told if told.index < source.index),
    )


class _Holders:
    """Which of the results that are back hold a value.

    Only values that some call of the run is given are looked for, in each result once: how long
    this takes grows with the results' length, not with that times the number of calls.
    """

    def __init__(self, run: RunCalls, wanted: set[Value], tokens: Tokens) -> None:
        self._calls = run.calls
        self._next = 0
        self._wanted, self._tokens = wanted, tokens
        self._as_leaf: dict[Value, list[int]] = {}
        self._in_text: dict[str, list[int]] = {}

    def take_in(self, turn: int) -> None:
        """Take in the results that came back before a turn."""
        while self._next < len(self._calls) and self._calls[self._next].turn < turn:
            self._add(self._next, self._calls[self._next].result)
            self._next += 1

    def _add(self, place: int, result: str | None) -> None:
        is_json, structure = decoded(result)
        if is_json:
            for leaf in self._wanted & leaf_set(structure):
                self._as_leaf.setdefault(leaf, []).append(place)
        elif result:
            for token in self._tokens.named_in(result, words_of(result)):
                self._in_text.setdefault(token, []).append(place)

    def of(self, value: Value) -> list[int]:
        """Places of the calls whose results hold a value, in order."""
        leaf, text = self._as_leaf.get(value), self._in_text.get(written(value))
        return sorted([*leaf, *text]) if leaf and text else leaf or text or []


@lru_cache(maxsize=64)
def _words_of_told(text: str) -> frozenset[str]:
    """Words of a text that may stand before every run of a benchmark."""
    return frozenset(words_of(text))


class _Known:
    """What was known when."""

    def __init__(self, run: RunCalls, tokens: Tokens) -> None:
        self._calls = run.calls
        self._given: dict[Value, int] = {}
        for call in run.calls:
            for leaf in call.leaves:
                self._given.setdefault(leaf, call.turn)
        self._said: dict[str, int] = {}
        for told in run.told:
            for token in tokens.named_in(told.text, _words_of_told(told.text)):
                self._said.setdefault(token, told.index)

    def before(self, value: Value, place: int) -> bool:
        """Whether a value was known before the result of the call at a place came back."""
        source = self._calls[place]
        if self._given.get(value, NEVER) <= source.turn:
            return True
        return self._said.get(written(value), NEVER) < source.index


def _first(places: list[int]) -> Iterator[int]:
    yield from places[:1]


def _latest(places: list[int]) -> Iterator[int]:
    yield from places[-1:]


SOURCES: Final[Mapping[Source, Callable[[list[int]], Any]]] = {
    "first": _first,
    "latest": _latest,
    "all": iter,
}
