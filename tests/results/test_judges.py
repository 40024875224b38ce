"""What measures share with judges: questions, several answers to each, cut texts."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.results.answers import GoalGroups, GroupOfItem, ReplyScore, StageOfItem, Stages
from ethogram.results.excerpts import cut_around, cut_middle
from ethogram.results.judges import Answer, Question, ask_samples
from ethogram.results.questions import replies_question


class Numbering:
    """A judge whose answer tells which question and which sample it is for."""

    name = "numbering"

    def __init__(self, samples: int) -> None:
        self.samples = samples
        self.rounds = 0

    def ask(self, questions: Sequence[Question[Any]]) -> list[Answer[Any] | None]:
        self.rounds += 1
        return [
            None
            if each.parts["first"] == "nothing"
            else Answer(value=ReplyScore(f"{each.parts['first']}{each.sample}", 1), judge="x")
            for each in questions
        ]


@pytest.mark.parametrize("samples", [1, 3])
def test_samples_are_asked_in_one_round_and_stand_with_their_question(samples: int) -> None:
    judge = Numbering(samples)
    questions = [replies_question(first, "-") for first in ("a", "nothing", "b")]
    found = ask_samples(judge, questions)

    assert [[each and each.reason for each in some] for some in found] == [
        [f"a{sample}" for sample in range(samples)],
        [None] * samples,
        [f"b{sample}" for sample in range(samples)],
    ]
    assert judge.rounds == 1
    assert ask_samples(judge, []) == []


def test_items_are_put_in_order() -> None:
    stages = Stages((StageOfItem(2, "b"), StageOfItem(1, "a")))
    groups = GoalGroups((GroupOfItem(3, 5), GroupOfItem(1, 5), GroupOfItem(2, 1)))

    assert stages.in_order() == ["a", "b"]
    assert groups.in_order() == [0, 1, 0]


@given(text=st.text(), limit=st.integers(0, 30))
def test_a_cut_text_begins_and_ends_as_the_text_does(text: str, limit: int) -> None:
    cut = cut_middle(text, limit)
    left_out = len(text) - limit

    if left_out <= 0:
        assert cut == text
    else:
        note = f"\n[… {left_out:,} characters left out …]\n"
        assert cut == text[: limit - limit // 2] + note + text[len(text) - limit // 2 :]


@given(before=st.text(), value=st.text(min_size=1, max_size=5), after=st.text())
def test_a_text_cut_around_a_value_still_holds_it(before: str, value: str, after: str) -> None:
    cut = cut_around(before + value + after, value, 10)

    assert value in cut
    assert len(cut) <= 10 + 2 * len("[… 1,000,000 characters left out …]\n")


def test_a_text_without_the_value_is_cut_in_the_middle() -> None:
    assert cut_around("abcdefghij", "x", 4) == cut_middle("abcdefghij", 4)
    assert cut_around("abcd", "x", 4) == "abcd"
