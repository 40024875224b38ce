"""Notes on figures that leave out runs, and on the t that the paper prints."""

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.simulate.build import repeats

LOOK, EDIT = "ls", "sed -i s/a/b/ a.py"


def noted(result: Result, start: str) -> list[str]:
    return [note for note in result.notes if note.startswith(start)]


def test_runs_without_an_edit_are_counted_in_a_note() -> None:
    runs = repeats([[LOOK, EDIT], [LOOK, LOOK], [LOOK]], system="a")
    result = variance(from_trajectories(runs, labeler=default_labeler()))

    assert noted(result, "Actions before") == [
        "Actions before the first edit: over runs with an edit; left out: a 2 of 3 runs."
    ]


def test_nothing_is_noted_where_no_run_is_left_out() -> None:
    runs = repeats([[LOOK, EDIT], [EDIT]])
    result = variance(from_trajectories(runs, labeler=default_labeler()))

    assert noted(result, "Actions before") == []


def test_both_effects_stand_beside_the_explanation_of_the_printed_t() -> None:
    runs = [
        made
        for system, spread in (("a", 1), ("b", 4))
        for task in range(4)
        for made in repeats(
            [["x"] * (9 + task * task), ["x"] * (10 + spread * (task + 1))],
            task=f"t{task}",
            system=system,
        )
    ]
    result = variance(from_trajectories(runs))
    (note,) = noted(result, "CV of actions: Mehta 2026 prints the unpaired t")

    assert "a vs b d_z -" in note
    assert "pooled d -" in note


def test_one_system_needs_no_word_about_tests() -> None:
    result = variance(from_trajectories(repeats([["x"], ["x", "y"]])))

    assert noted(result, "CV of actions") == []
