"""Features of a run, counted by hand."""

import numpy as np
import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.spoken import visible_texts
from ethogram.measures.similarity.style.acts import act_of, acts_of
from ethogram.measures.similarity.style.speech import speeches
from ethogram.measures.similarity.style.stylometry import Speech, features, sentences, words_of
from ethogram.simulate.build import action, reply, run, user


@pytest.mark.parametrize(
    ("sentence", "act"),
    [
        ("I'm sorry about that.", "apologise"),
        ("My apologies, could you repeat the id?", "apologise"),
        ("Is there anything else I can help you with?", "close"),
        ("Have a great day!", "close"),
        ("Would you like me to cancel it?", "confirm"),
        ("Please confirm (yes/no).", "confirm"),
        ("Does this look right?", "confirm"),
        ("Is that correct?", "confirm"),
        ("Could you tell me your user id?", "ask"),
        ("Please provide your user id.", "ask"),
        ("您的订单号是多少？", "ask"),
        ("Thank you for the details.", "thank"),
        ("Hello Mia,", "greet"),
        ("I can't change a basic ticket.", "refuse"),
        ("I can’t change a basic ticket.", "refuse"),
        ("Great, that works.", "acknowledge"),
        ("I'll look at the file first.", "announce"),
        ("The ticket costs 30 dollars.", "say"),
        ("", "say"),
    ],
)
def test_an_act_is_what_the_first_rule_that_fits_says(sentence: str, act: str) -> None:
    assert act_of(sentence) == act


def test_sentences_in_a_row_that_do_the_same_are_one_act() -> None:
    said = ["Great.", "It costs 30.", "It is paid.", "Shall I proceed?"]

    assert list(acts_of(said)) == ["acknowledge", "say", "confirm"]


def test_text_is_cut_at_ends_of_sentences_and_lines() -> None:
    text = 'It is. "Really?" Yes! See:\n- v1.2 of it\n```\ncode. here\n```\n好的。谢谢。'

    assert sentences(text) == [
        "It is.",
        '"Really?"',
        "Yes!",
        "See:",
        "- v1.2 of it",
        "好的。",
        "谢谢。",
    ]


def test_words_leave_out_code_and_addresses() -> None:
    assert words_of("Don't run `rm -rf`: see https://a.org/x, it's bad") == [
        *("do", "n't", "run", "see", "it", "'s", "bad")
    ]


def test_each_character_is_a_word_where_a_script_has_no_spaces() -> None:
    assert words_of("好的 iPhone手机") == ["好", "的", "iphone", "手", "机"]


def test_rates_are_those_counted_by_hand() -> None:
    made = features(Speech(("I can't say, sorry!", "You should:\n- wait **long**\n- ask?")))

    words = ["i", "ca", "n't", "say", "sorry", "you", "should", "wait", "long", "ask"]
    assert made.blocks["function words"] == {"i": 0.1, "you": 0.1, "should": 0.1}
    assert made.known == pytest.approx(3 / len(words))
    assert made.blocks["persons"] == {"first singular": 0.1, "first plural": 0, "second": 0.1}
    assert made.blocks["contractions"]["n't"] == 0.1
    assert made.blocks["openings"] == {"i": 0.5, "you": 0.5}
    n_characters = len("I can't say, sorry!") + len("You should: - wait **long** - ask?")
    marks = {"'": 1, ",": 1, "!": 1, ":": 1, "-": 2, "*": 4, "?": 1}
    assert made.blocks["punctuation"] == pytest.approx(
        {mark: count / n_characters for mark, count in marks.items()}
    )
    lengths, layout = made.blocks["lengths"], made.blocks["formatting"]
    assert lengths["words a sentence"] == pytest.approx(np.log([5, 2, 2, 1]).mean())
    assert lengths["words a text"] == pytest.approx(np.log1p([5, 5]).mean())
    assert lengths["short sentences"] == 1
    assert lengths["sentences a text"] == pytest.approx(np.log(2))
    assert layout["list items"] == pytest.approx(2 / 4)
    assert layout["bold"] == pytest.approx(1 / 10)
    assert layout["ends in a question"] == layout["holds a list"] == layout["one line"] == 0.5
    assert layout["ends with an exclamation"] == 0.5


def test_acts_follow_each_other_within_a_stretch_only() -> None:
    made = features(Speech((), (("ask",), ("call edit", "say"))))

    steps = ["start > ask", "ask > end", "start > call edit", "call edit > say", "say > end"]
    assert made.blocks["acts"] == dict.fromkeys(steps, 0.2)


def test_without_a_text_there_is_nothing_to_count() -> None:
    made = features(Speech(("", " \n")))

    assert made.known is None
    assert not any(made.blocks.values())


@pytest.mark.parametrize("text", ["🎉🎉", "```\nprint(1)\n```", "123"])
def test_a_text_without_a_word_has_layout_but_no_wording(text: str) -> None:
    made = features(Speech((text,)))

    assert made.known is None
    assert made.blocks["formatting"]["one line"] == float("\n" not in text)
    assert not made.blocks["lengths"]
    assert made.blocks["punctuation"].get("emoji", 0) == (1 if "🎉" in text else 0)


def test_one_word_is_a_sentence_of_one_word() -> None:
    made = features(Speech(("Okay",)))

    assert made.known == 1
    assert made.blocks["openings"] == {"okay": 1}
    assert made.blocks["lengths"]["words a sentence"] == 0


def test_characters_are_counted_on_request_with_figures_as_one() -> None:
    assert features(Speech(("a12",))).blocks["trigrams"] == {}
    assert features(Speech(("A12",)), characters=True).blocks["trigrams"] == pytest.approx(
        {" a0": 1 / 3, "a00": 1 / 3, "00 ": 1 / 3}
    )


def _cohort() -> Cohort:
    events = [
        reply("Hi! How can I help?", scripted=True),
        user("Where is my parcel?"),
        action("get_parcel", tool="get_parcel", text="Let me look.", thought="hidden words"),
        reply("It is on its way. Anything else?"),
        user("No."),
        action("update_parcel", tool="update_parcel"),
    ]
    runs = [run(events, system="a"), run([], system="b")]
    return from_trajectories(runs, labeler=default_labeler())


def test_speech_holds_the_visible_texts_and_the_acts_between_the_user_s_turns() -> None:
    cohort = _cohort()
    ids = [cohort.joined.filter(system=name)["run_id"].item() for name in ("a", "b")]
    found = list(speeches(cohort, ids))

    assert [each.texts for each in found] == visible_texts(cohort, ids)
    assert found[0].texts == ("Let me look.", "It is on its way. Anything else?")
    assert found[0].stretches == (
        ("announce", "call understand", "say", "close"),
        ("call edit",),
    )
    assert found[1] == Speech((), ())
