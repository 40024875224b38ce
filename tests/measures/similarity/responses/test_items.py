"""What a judge reads of a run: items with their calls, and blocks of a stage."""

import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import from_trajectories
from ethogram.measures.similarity.responses.blocks import WHOLE, Staged
from ethogram.measures.similarity.responses.items import Item, Limits, run_items, task_texts
from ethogram.measures.similarity.responses.run_pairs import RunPair
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.sample import sample_of
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event

STAGES = Taxonomy(name="two", about="", stages={"one": "First.", "two": "Second."})


def items_of(*events: Event, limits: Limits | None = None) -> tuple[Item, ...]:
    cohort = from_trajectories([run(events)])
    (found,) = run_items(cohort, cohort.runs["run_id"].to_list(), limits=limits)
    return found


def call(name: str, turn: int | None = None, **fields: str) -> Event:
    return action(f"{name}()", tool=name, turn=turn, **fields)


def test_thoughts_and_replies_are_items_and_scripted_words_and_users_are_not() -> None:
    found = items_of(
        reply("Hi, how can I help?", scripted=True),
        user("Cancel it."),
        reply("I will.", thought="They want out."),
        Event(event="system", text="Rules."),
    )

    assert [(item.kind, item.text) for item in found] == [
        ("thought", "They want out."),
        ("reply", "I will."),
    ]


def test_a_call_stands_after_the_words_of_its_own_turn() -> None:
    found = items_of(
        call("look", 0, text="Let me look.", observation="3 found"),
        call("look_again", 0, observation="4 found"),
    )

    assert [item.shown() for item in found] == [
        "[reply] Let me look.\n[call] look()\n[result] 3 found\n[call] look_again()\n"
        "[result] 4 found"
    ]


def test_silent_calls_stand_before_the_words_that_report_them() -> None:
    found = items_of(
        reply("One moment.", turn=0),
        user("Fine."),
        call("look", 1),
        call("change", 2),
        reply("Done.", turn=3),
    )

    assert [item.shown() for item in found] == [
        "[reply] One moment.",
        "[call] look()\n[call] change()\n[reply] Done.",
    ]


def test_silent_calls_that_nothing_reports_follow_the_last_words_before_the_user_spoke() -> None:
    found = items_of(
        reply("First.", turn=0),
        call("look", 1),
        user("And?"),
        call("change", 2),
        user("So?"),
        reply("Second.", turn=3),
        call("end", 4),
    )

    assert [item.shown() for item in found] == [
        "[reply] First.\n[call] look()",
        "[call] change()\n[reply] Second.\n[call] end()",
    ]


def test_calls_alone_are_no_items() -> None:
    assert items_of(call("look", 0), user("?"), call("look", 1)) == ()


def test_a_thought_that_is_also_said_is_one_item() -> None:
    assert [item.kind for item in items_of(reply("Same.", thought="Same."))] == ["reply"]


def test_empty_words_are_no_items() -> None:
    assert items_of(reply(" \n")) == ()


def test_long_calls_and_results_are_cut_in_the_middle_and_say_so() -> None:
    (found,) = items_of(
        call("x" * 50, 0, text="Go.", observation="y" * 30), limits=Limits(result=10)
    )

    assert found.after[0].startswith("[call] xxxxx\n[… 42 characters left out …]\nxxx()")
    assert "[… 20 characters left out …]" in found.after[1]


def _staged(labels: tuple[str, ...] | None, *texts: str, limits: Limits) -> Staged:
    runs = [run([reply(text) for text in texts], system=name) for name in "ab"]
    sample = sample_of(from_trajectories(runs))
    items = tuple(Item("reply", text) for text in texts)
    return Staged(sample, [items, ()], [labels, ()], [RunPair(0, 0, 1)], STAGES, limits)


def test_blocks_hold_the_items_of_a_stage_in_order() -> None:
    made = _staged(("two", "one", "two"), "A.", "B.", "C.", limits=Limits())
    first, second = made.blocks()

    assert list(first) == ["one", "two"]
    assert first["two"].text == "[reply] A.\n\n[reply] C."
    assert (first["two"].n_items, first["two"].cut) == (2, False)
    assert second == {}
    assert made.blocks(stages=False)[0][WHOLE].n_items == 3
    assert [block and block.text for block in made.replies()] == ["A.\n\nB.\n\nC.", None]


def test_replies_are_without_thoughts_and_calls() -> None:
    runs = [run([reply("Yes.", thought="Hm."), call("look", 1)], system=name) for name in "ab"]
    cohort = from_trajectories(runs)
    ids = cohort.runs["run_id"].to_list()
    items = list(run_items(cohort, ids))
    made = Staged(sample_of(cohort), items, [None, None], [RunPair(0, 0, 1)], STAGES, Limits())

    assert [block and block.text for block in made.replies()] == ["Yes.", "Yes."]


def test_a_block_over_the_limit_is_cut_in_the_middle_and_says_so() -> None:
    block = _staged(("one", "one"), "A" * 20, "B" * 20, limits=Limits(block=20)).blocks()[0]["one"]

    assert block.n_characters == len("[reply] ") * 2 + 40 + 2
    assert block.cut
    assert block.text == "[reply] AA\n[… 38 characters left out …]\nBBBBBBBBBB"


def test_a_run_that_was_not_sorted_has_no_stages_but_is_whole() -> None:
    made = _staged(None, "A.", limits=Limits())

    assert made.blocks()[0] == {}
    assert made.blocks(stages=False)[0][WHOLE].text == "[reply] A."


@pytest.mark.parametrize("prompt", ["Mend it.", None])
def test_the_task_s_text_is_that_of_the_run_s_task(prompt: str | None) -> None:
    cohort: Cohort = from_trajectories([run(["ls"], prompt=prompt), run(["ls"], task="t2")])
    ids = cohort.runs.sort("task_id")["run_id"].to_list()

    assert task_texts(cohort, ids) == [prompt, None]
