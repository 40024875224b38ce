"""Values are found in many texts at once exactly where `names_value` and `leaves` find them."""

import json
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from ethogram.measures.similarity.calls import Call, RunCalls, Told
from ethogram.measures.similarity.dependency import Candidate, candidates
from ethogram.measures.similarity.values import (
    MAX_DEPTH,
    Tokens,
    Value,
    informative,
    leaf_set,
    leaves,
    names_value,
    words_of,
    written,
)

# few characters, so that values are found: letters of words and of none, beyond ASCII too
TEXTS = st.text("ab_1-./ \n\té²ß\u0301\x1c", max_size=12)
SHORT = st.text("ab1-é", min_size=3, max_size=4)
SCALARS = st.one_of(SHORT, st.integers(99, 102), st.sampled_from([100.0, 1.5e300, 0.125]))
JSON = st.recursive(
    st.one_of(SCALARS, st.none(), st.booleans(), st.just(" ab1 ")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(SHORT, inner, max_size=3)),
    max_leaves=8,
)


@given(TEXTS, st.lists(TEXTS.filter(bool), max_size=5))
@example("x²y", ["²"])
@example("a\x1cb", ["b"])
@example("see -rn", ["-rn"])
@example("foo-rn", ["-rn"])
def test_tokens_are_named_where_each_alone_is(text: str, tokens: list[str]) -> None:
    found = list(Tokens(tokens).named_in(text, words_of(text)))

    assert set(found) == {token for token in tokens if names_value(text, token)}


@given(st.text())
@example("".join(map(chr, range(256))))
def test_words_are_what_letters_digits_and_underscores_run_to(text: str) -> None:
    spaced = [c if c.isalnum() or c == "_" else " " for c in text]

    assert words_of(text) == [word for word in "".join(spaced).split(" ") if word]


@given(JSON)
def test_the_set_of_leaves_holds_each_leaf_once(structure: object) -> None:
    assert leaf_set(structure) == set(leaves(structure))


def test_the_set_of_leaves_ends_at_the_same_depth() -> None:
    inner: list[object] = []
    structure = inner
    for depth in range(MAX_DEPTH + 3):
        structure.append(f"at {depth}")
        structure.append([])
        structure = structure[1]  # type: ignore[assignment]

    assert leaf_set(inner) == set(leaves(inner))
    assert f"at {MAX_DEPTH - 1}" in leaf_set(inner)
    assert f"at {MAX_DEPTH}" not in leaf_set(inner)


@st.composite
def runs(draw: st.DrawFn) -> RunCalls:
    """Runs whose texts and arguments have few values, with parallel calls and things told."""
    n = draw(st.integers(0, 6))
    turns = sorted(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    words = st.lists(st.one_of(SHORT, st.just("100")), max_size=4).map(" ".join)
    results = st.one_of(st.none(), words, JSON.map(json.dumps))
    scalars = st.lists(SCALARS, max_size=3)
    calls = [
        call(turn, place=place, leaves=tuple(draw(scalars)), result=draw(results))
        for place, turn in enumerate(turns)
    ]
    told = [Told(2 * place, draw(words)) for place in draw(st.sets(st.integers(0, 6), max_size=3))]
    return RunCalls("a", tuple(calls), tuple(sorted(told, key=lambda each: each.index)))


def by_definition(run: RunCalls, source: str) -> list[Candidate]:
    """Candidates, each value looked for in each result by itself."""
    found = []
    for target, call in enumerate(run.calls):
        earlier = [place for place, each in enumerate(run.calls) if each.turn < call.turn]
        for value in dict.fromkeys(filter(informative, call.leaves)):
            places = [place for place in earlier if holds(run.calls[place].result, value)]
            chosen = {"first": places[:1], "latest": places[-1:], "all": places}[source]
            found += [Candidate(place, target, value, known(run, place, value)) for place in chosen]
    return found


def holds(result: str | None, value: Value) -> bool:
    try:
        structure = json.loads(result or "")
    except ValueError:
        return result is not None and names_value(result, value)
    return value in list(leaves(structure))


def known(run: RunCalls, place: int, value: Value) -> bool:
    source = run.calls[place]
    given_before: Sequence[Call] = [call for call in run.calls if call.turn <= source.turn]
    return any(value in call.leaves for call in given_before) or any(
        names_value(told.text, written(value)) for told in run.told if told.index < source.index
    )


@given(runs(), st.sampled_from(["first", "latest", "all"]))
def test_candidates_are_those_of_the_definition(run: RunCalls, source: str) -> None:
    assert candidates(run, source=source) == by_definition(run, source)  # type: ignore[arg-type]


def test_a_number_is_looked_for_in_texts_as_it_is_written() -> None:
    run = two_calls("costs 100 in all", 100.0)

    assert [each.source for each in candidates(run)] == [0]


def test_places_of_texts_and_of_json_are_in_order() -> None:
    results = ['["ab1"]', "see ab1", '["ab1"]']
    calls = [call(place, result=result) for place, result in enumerate(results)]
    run = RunCalls("a", (*calls, call(3, leaves=("ab1",))), ())

    assert [each.source for each in candidates(run, source="all")] == [0, 1, 2]
    assert [each.source for each in candidates(run, source="latest")] == [2]


def two_calls(result: str, value: Value) -> RunCalls:
    return RunCalls("a", (call(0, result=result), call(1, leaves=(value,))), ())


def call(
    turn: int,
    *,
    place: int | None = None,
    leaves: tuple[Value, ...] = (),
    result: str | None = None,
) -> Call:
    return Call(
        name="find",
        turn=turn,
        index=2 * (turn if place is None else place) + 1,
        leaves=leaves,
        result=result,
        effect="read",
        guessed=False,
        is_error=False,
    )
