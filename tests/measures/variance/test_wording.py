"""The answer in words."""

import pytest

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.wording import tasks_needed
from ethogram.simulate.build import repeats
from ethogram.trajectory import Trajectory


def system(name: str, spread: int, wins: int, *, n_tasks: int = 8) -> list[Trajectory]:
    """Repeats that spread more on every task, and are solved ``wins`` times of 4."""
    return [
        made
        for task in range(n_tasks)
        for made in repeats(
            [["x"] * (20 + turn * (spread + task % 3)) for turn in range(4)],
            successes=[turn < wins for turn in range(4)],
            task=f"t{task}",
            system=name,
        )
    ]


def words(*systems: list[Trajectory]) -> str:
    runs = [run for each in systems for run in each]
    return "\n".join(variance(from_trajectories(runs)).summary)


def test_the_steadier_system_comes_first_and_the_difference_is_judged() -> None:
    said = words(system("wild", 9, 0), system("calm", 1, 4))

    assert said.startswith("Steadiest in the number of actions (CV over repeats of a task): calm ")
    assert (
        "More than chance (paired sign-flip permutation): the difference in steadiness between "
        "calm and wild (adjusted p = 0.008 on 8 shared tasks)." in said
    )
    assert "Most accurate: calm 100.0 % [58.9, 100.0], then wild 0.0 % [0.0, 41.1]" in said


def test_one_task_is_not_plural() -> None:
    said = words(repeats([["x"], ["x", "x"]], successes=[True, False]))

    assert "(1 task, 2 runs)" in said
    assert "0 of 1 task in every run, 1 in some, 0 in none" in said


def test_failures_that_more_steadiness_would_repeat_are_named_only_where_there_are_any() -> None:
    share = "Share of failed runs on tasks that the system never solves"

    assert words(system("a", 4, 2)).count(f"{share}: 0.0 %") == 1
    assert "would only repeat" not in words(system("a", 4, 2))
    assert "More steadiness would only repeat these failures." in words(system("a", 4, 0))


def test_a_difference_that_could_be_chance_is_called_so_and_says_what_would_tell() -> None:
    one, other = system("a", 4, 2), system("b", 4, 2)
    longer = repeats([["x"] * n for n in (9, 30, 60, 99)], task="t0", system="b")
    said = words(one, [*longer, *other[4:]])

    assert (
        "Could be chance (paired sign-flip permutation): the difference in accuracy between" in said
    )
    assert " on 8 shared tasks; about " in said
    assert said.count("“Would tell” is meant with a power of 80 %") == 1


def test_of_many_systems_each_is_held_against_the_best_only() -> None:
    said = words(*(system(name, 3 + 2 * place, 1) for place, name in enumerate("abcdef")))
    steadiness = said.split("Most accurate")[0]

    assert steadiness.count("between a and each of b (") == 1
    assert " f (adjusted" in steadiness
    assert "b and " not in steadiness


def test_of_many_systems_the_first_five_are_named_and_the_others_counted() -> None:
    runs = [run for place in range(11) for run in system(f"s{place:02}", 3 + 2 * place, place % 4)]
    said = variance(from_trajectories(runs)).summary

    assert len(said) <= 12
    assert said[0].count("%") == 5
    assert said[0].endswith(" and 6 more.")


def test_a_figure_of_one_system_among_several_names_it_once() -> None:
    once = [made for made in system("single", 2, 1) if made.trial == 0]
    (course,) = [
        sentence
        for sentence in variance(from_trajectories([*system("many", 4, 1), *once])).summary
        if "runs of a task part" in sentence
    ]

    assert course.startswith("many: the runs of a task part at action ")
    assert course.count("many") == 1


def test_a_k_that_no_task_has_is_said_first() -> None:
    result = variance(from_trajectories(system("a", 3, 1)), k=9)

    assert result.summary[0].startswith("No task has 9 runs (the most are 4), so ")
    assert "computed at k = 9" not in " ".join(result.notes)


def test_levels_are_put_beside_the_gap_between_systems() -> None:
    runs = [
        *repeats([["x"] * 8, ["x"] * 12], system="a", task="t1", cluster="easy"),
        *repeats([["x"] * 10, ["x"] * 10], system="a", task="t2", cluster="hard"),
        *repeats([["x"] * 9, ["x"] * 11], system="b", task="t1", cluster="easy"),
    ]
    result = variance(from_trajectories(runs), by="cluster")
    tables = list(result.tables)

    assert (
        "Range of the CV of actions over the levels of cluster: a 28.3 pp (0.0 % to 28.3 %); "
        "smallest gap between systems 14.1 pp." in result.summary
    )
    assert tables.index("ranges") < tables.index("levels")
    assert result.to_frame("ranges")["system"].unique().to_list() == ["a"], "b has one level only"


def test_one_system_is_described_without_a_ranking() -> None:
    said = words(system("solo", 2, 1))

    assert said.startswith("solo: the numbers of actions of repeats of a task spread by ")
    assert "solo succeeds in 25.0 %" in said
    assert "chance" not in said


def test_a_ranking_over_different_tasks_says_so() -> None:
    said = words(system("a", 3, 1), system("b", 6, 1, n_tasks=7))

    assert "Most accurate, each on its own tasks: " in said
    assert "(CV over repeats of a task, each on its own tasks): a " in said
    assert "own tasks" not in words(system("a", 3, 1), system("b", 6, 1))


def test_the_course_of_the_runs_is_told_in_one_sentence() -> None:
    runs = repeats([["x", "a", "b"], ["x", "c", "b"]])
    said = variance(from_trajectories(runs), alphabet="action").summary

    assert (
        "The runs of a task part at action 2.0 (mean over tasks), and from there on are alike to "
        "50.0 %." in said
    )


def test_steady_failures_are_named() -> None:
    assert "Solved: solo 0 of 8 tasks in every run, 0 in some, 8 in none." in words(
        system("solo", 2, 0)
    )


@pytest.mark.parametrize(("effect", "expected"), [(None, None), (0.0, None), (1.0, 10)])
def test_tasks_needed(effect: float | None, expected: int | None) -> None:
    assert tasks_needed(effect) == expected


def test_a_smaller_effect_needs_more_tasks() -> None:
    assert (tasks_needed(0.3) or 0) > (tasks_needed(0.6) or 0)
