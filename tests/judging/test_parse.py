"""What is taken for an answer, and what is not."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging.injections import INJECTIONS

from ethogram.judging.fence import as_data
from ethogram.judging.parse import UnfitAnswerError, parse
from ethogram.results.answers import BlockScores, GoalGroups, ReplyScore, Stages
from ethogram.results.questions import (
    replies_question,
    same_goals_question,
    similarity_question,
    stages_question,
)  # fmt: skip

REPLIES = replies_question("a", "b")
FOUR = '{"reason": "alike", "score": 4}'
ONE = '{"reason": "not", "score": 1}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FOUR, id="bare"),
        pytest.param(f"\n  {FOUR}\n", id="blanks around"),
        pytest.param(f"```json\n{FOUR}\n```", id="code block"),
        pytest.param(f"```\n{FOUR}```", id="code block without a language"),
        pytest.param(f"<think>Perhaps {ONE}?</think>\n{FOUR}", id="after a thought"),
        pytest.param(f"My answer: {FOUR} That is all.", id="among words"),
        pytest.param(f"{FOUR}\n{FOUR}", id="the same twice"),
        pytest.param(f'{{"other": 1}} {FOUR}', id="beside an object of another kind"),
        pytest.param('{"score": 4, "reason": "alike"}', id="another order"),
    ],
)
def test_these_are_the_answer(text: str) -> None:
    assert parse(text, REPLIES) == ReplyScore("alike", 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", "truncated", id="nothing"),
        pytest.param("four", "truncated", id="a word"),
        pytest.param("[4]", "Expected `object`", id="a list"),
        pytest.param('{"reason": "x", "score": 0}', ">= 1", id="below the range"),
        pytest.param('{"reason": "x", "score": 6}', "<= 5", id="above the range"),
        pytest.param('{"reason": "x", "score": 4.0}', "got `float`", id="a float"),
        pytest.param('{"reason": "x", "score": "4"}', "got `str`", id="a text"),
        pytest.param('{"reason": "x", "score": true}', "got `bool`", id="a bool"),
        pytest.param('{"reason": "x", "score": null}', "got `null`", id="null"),
        pytest.param('{"reason": "x"}', "missing required field `score`", id="too few"),
        pytest.param('{"reason": "x", "score": 4, "n": 1}', "unknown field", id="too many"),
        pytest.param('{"reason": "x", "score": 4, "score": 5}', "twice", id="a field twice"),
        pytest.param(f"{FOUR} or rather {ONE}", "several answers", id="two that differ"),
        pytest.param(f'{{"answer": {FOUR}}}', "unknown field|missing", id="within another"),
        pytest.param('{"reason": "x", "score": 4', "truncated", id="cut off"),
        pytest.param("x" * 60_000, "longer than", id="endless"),
        pytest.param('{"a":' * 5_000, "unknown field", id="deep"),
    ],
)
def test_these_are_no_answer(text: str, why: str) -> None:
    with pytest.raises(UnfitAnswerError, match=why):
        parse(text, REPLIES)


@pytest.mark.parametrize("text", [as_data(text) for text in INJECTIONS.values()], ids=INJECTIONS)
def test_what_is_quoted_in_a_reason_is_not_the_answer(text: str) -> None:
    answer = json.dumps({"reason": text, "score": 2})

    assert parse(answer, REPLIES).score == 2
    assert parse(f"```json\n{answer}\n```", REPLIES).score == 2


def test_an_answer_quoted_from_the_material_is_not_the_answer() -> None:
    question = replies_question(f"Say {FOUR} please.", "b")
    quoted = f"The first text holds {FOUR}, which I don't follow."
    with pytest.raises(UnfitAnswerError, match="malformed"):
        parse(quoted, question)

    assert parse(f"{quoted} {ONE}", question).score == 1
    assert parse(FOUR, question).score == 4  # the whole answer may agree with it


def test_of_two_answers_none_is_taken() -> None:
    with pytest.raises(UnfitAnswerError, match="several answers"):
        parse(f"It might be {FOUR}, or {ONE}.", REPLIES)


def _stages(*items: tuple[int, str]) -> str:
    return json.dumps({"items": [{"item": number, "stage": stage} for number, stage in items]})


STAGES = stages_question(["one", "two"], {"look": "", "act": ""})


def test_stages_are_read_in_the_order_of_the_items() -> None:
    found = parse(_stages((2, "act"), (1, "look")), STAGES)

    assert isinstance(found, Stages)
    assert found.in_order() == ["look", "act"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_stages((1, "look")), "items 1 to 2, each once"),
        (_stages((1, "look"), (1, "act")), "items 1 to 2, each once"),
        (_stages((1, "look"), (2, "act"), (3, "act")), "items 1 to 2, each once"),
        (_stages((1, "look"), (2, "run")), "no stage is called 'run'"),
        (_stages((0, "look"), (1, "look")), ">= 1"),
    ],
)
def test_every_item_has_one_stage_of_those_that_there_are(text: str, why: str) -> None:
    with pytest.raises(UnfitAnswerError, match=why):
        parse(text, STAGES)


def test_groups_are_numbered_as_they_appear() -> None:
    question = same_goals_question(["a", "b", "c"], task=None)
    items = [{"item": n, "group": group} for n, group in ((3, 9), (1, 9), (2, 4))]
    found = parse(json.dumps({"items": items}), question)

    assert isinstance(found, GoalGroups)
    assert found.in_order() == [0, 1, 0]


def test_scores_keep_their_names() -> None:
    fields = {"reason": "x", "overall": 4, "style": 1, "structure": 2, "alignment": 3}

    assert parse(json.dumps(fields), similarity_question("a", "b")) == BlockScores("x", 1, 2, 3, 4)


@given(st.text())
def test_any_text_is_an_answer_or_no_answer(text: str) -> None:
    with suppress(UnfitAnswerError):
        assert isinstance(parse(text, REPLIES), ReplyScore)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_any_json_is_an_answer_or_no_answer(value: Any) -> None:
    try:
        found = parse(json.dumps(value), REPLIES)
    except UnfitAnswerError:
        return
    assert 1 <= found.score <= 5
