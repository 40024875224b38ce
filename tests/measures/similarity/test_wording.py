"""What the sentences of similarity say, and what they must not say."""

from collections.abc import Mapping, Sequence

import pytest
from measures.similarity.runs_made import call, cohort_of, in_turns

from ethogram.ingest import from_trajectories
from ethogram.measures.similarity import similarity
from ethogram.simulate.build import reply, run
from ethogram.trajectory import Event, Trajectory

EIGHT = tuple(f"t{number}" for number in range(8))
Tools = Mapping[str, Sequence[str]]
THREE: Tools = {
    "lab/plain": ("get_loan", "update_loan"),
    "lab/careful": ("get_loan", "list_rules", "update_loan", "get_loan"),
    "lab/twin": ("get_loan", "list_rules", "update_loan", "get_loan"),
}


def runs_of(tools: Tools, tasks: Sequence[str] = EIGHT) -> list[Trajectory]:
    return [
        run(events(names), system=system, task=task, success=True)
        for system, names in tools.items()
        for task in tasks
    ]


def events(names: Sequence[str]) -> list[Event]:
    calls = [call(name, {"loan": "L-501"}, "ok") for name in names]
    return in_turns(reply("I will see to it."), *calls)


def sentence(said: Sequence[str], start: str) -> str:
    return next(each for each in said if each.startswith(start))


def test_the_most_alike_pair_is_named_and_how_many_are_level_with_it() -> None:
    tools = {**THREE, "lab/other": THREE["lab/plain"]}

    summary = similarity(cohort_of(runs_of(tools))).summary

    told = sentence(summary, "By AGS the most alike")
    assert "the most alike of 6 pairs are" in told
    assert "(100.0 % [58.9, 100.0], 8 tasks), level with 1 more, the least alike" in told


def test_pairs_that_are_all_alike_have_no_least_alike_one() -> None:
    tools = dict.fromkeys(("a", "b", "c"), ("get_loan", "update_loan"))

    summary = similarity(cohort_of(runs_of(tools))).summary

    assert sentence(summary, "By S_seq").startswith("By S_seq all 3 pairs are equally alike (a and")
    assert not any("least alike" in each for each in summary)


def test_a_pair_with_one_shared_task_is_not_called_the_most_alike() -> None:
    """Plain and its copy are fully alike, at the one task that they share."""
    runs = [*runs_of(THREE), *runs_of({"lab/copy": THREE["lab/plain"]}, tasks=EIGHT[:1])]

    told = sentence(similarity(cohort_of(runs)).summary, "By AGS the most alike")

    assert "of 3 pairs are careful and twin" in told
    assert told.endswith("too few tasks for an interval, which play no part here: 3.")


def test_one_task_is_one_task() -> None:
    summary = similarity(cohort_of(runs_of(THREE, tasks=EIGHT[:1]))).summary

    assert "(100.0 %, 1 task)" in sentence(summary, "By AGS")


def test_a_reference_is_answered_in_a_sentence() -> None:
    result = similarity(cohort_of(runs_of(THREE)), reference="lab/twin")

    told = sentence(result.summary, "By AGS most like twin")
    assert told.startswith("By AGS most like twin: careful (100.0 %")
    assert "8 tasks); least like it: plain (" in told


def test_without_optional_tools_it_is_said_why_there_is_no_ags() -> None:
    tools = dict.fromkeys(("a", "b", "c"), ("get_loan",))

    summary = similarity(cohort_of(runs_of(tools))).summary

    assert summary[0].startswith("There is no AGS: no tool is optional at any task, since all")
    assert not any("rests on 0" in each for each in summary)


def test_outcomes_that_nobody_recorded_are_asked_for() -> None:
    runs = [run(events(names), system=name, success=None) for name, names in THREE.items()]

    summary = similarity(cohort_of(runs)).summary

    assert summary[0].startswith("There is no AGS: no outcome is recorded")
    assert "--outcomes" in summary[0]


def test_parts_are_called_by_their_labels() -> None:
    two = {name: THREE[name] for name in ("lab/plain", "lab/twin")}

    summary = similarity(cohort_of(runs_of(two))).summary

    assert summary[0].startswith("There is no AGS: S_node: the pool needs three systems")


def test_runs_without_a_call_are_not_praised_for_being_alike() -> None:
    tools: Tools = {"a": (), "b": (), "c": ()}

    summary = similarity(cohort_of(runs_of(tools))).summary

    assert summary[0].startswith("No run calls a tool, so that nothing can be said of tool use")


def test_the_controlled_comparison_speaks_in_short_names() -> None:
    tools = {**THREE, "lab/hasty": ("update_loan",)}
    roles = ("lab/plain", "lab/twin", "lab/careful", "lab/hasty")

    summary = similarity(cohort_of(runs_of(tools)), controlled=roles).summary

    assert sentence(summary, "Did twin move toward careful and not toward hasty? By AGS: ")


def test_pairs_of_different_tasks_are_told_of() -> None:
    runs = [*runs_of(THREE), *runs_of({"lab/late": THREE["lab/plain"]}, tasks=EIGHT[:3])]

    told = sentence(similarity(cohort_of(runs)).notes, "Not all systems ran")

    assert told.startswith("Not all systems ran the same tasks: pairs share 3 to 8. Tasks differ")


def test_pairs_of_the_same_tasks_are_not() -> None:
    notes = similarity(cohort_of(runs_of(THREE))).notes

    assert not any("same tasks" in each for each in notes)


def test_the_pool_is_told_in_short_names() -> None:
    notes = similarity(cohort_of(runs_of(THREE)), pool=["lab/twin", "plain"]).notes

    assert "Which tools are optional was decided by plain, twin (--pool)." in notes


def test_calls_without_labels_are_counted() -> None:
    notes = similarity(from_trajectories(runs_of(THREE))).notes

    assert "given no labeler" in sentence(notes, "100.0 % of 80 calls carry no label")


def test_tools_that_no_table_knows_are_counted() -> None:
    tools = dict.fromkeys(("a", "b"), ("get_loan", "wobble"))

    notes = similarity(cohort_of(runs_of(tools))).notes

    assert "--effects can say" in sentence(notes, "50.0 % of 32 calls carry no label")


def test_labelled_calls_are_not() -> None:
    notes = similarity(cohort_of(runs_of(THREE))).notes

    assert not any("carry no label" in each for each in notes)


def test_graph_edit_distances_left_out_are_counted_with_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "ethogram.measures.similarity.wording.graph_seconds", lambda graphs, sample: (1_029, 7_900)
    )

    notes = similarity(cohort_of(runs_of(THREE)), ged=False).notes

    assert sentence(notes, "Graph edit").endswith(
        "(1,029 pairs, about 132 minutes; --ged asks for them)."
    )
