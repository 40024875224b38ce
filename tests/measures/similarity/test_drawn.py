"""The task that is drawn is one that shows something."""

from collections.abc import Sequence

from measures.similarity.runs_made import call, cohort_of, in_turns

from ethogram.measures.similarity import task_to_draw
from ethogram.measures.similarity.drawn import MAX_DRAWN_CALLS
from ethogram.simulate.build import run
from ethogram.trajectory import Event, Trajectory


def looked_up(name: str, *, passed_on: bool) -> list[Event]:
    """A loan is looked up, and extended by the number that came back or by another one."""
    given = {"loan": "L-501" if passed_on else "L-777"}
    return in_turns(
        call("get_loan", {"reader": "R77"}, {"loan": "L-501"}), call(name, given, "done")
    )


def two_systems(task: str, first: Sequence[Event], second: Sequence[Event]) -> list[Trajectory]:
    return [run(first, system="a", task=task), run(second, system="b", task=task)]


def test_of_two_telling_tasks_the_one_where_more_is_passed_on_is_drawn() -> None:
    dry = [looked_up(name, passed_on=False) for name in ("extend_loan", "end_loan")]
    rich = [looked_up(name, passed_on=True) for name in ("extend_loan", "end_loan")]
    runs = [*two_systems("t1", *dry), *two_systems("t2", *rich), *two_systems("t3", *dry)]

    assert str(task_to_draw(cohort_of(runs))).endswith("t2")


def test_a_task_of_more_systems_goes_before_one_where_more_is_passed_on() -> None:
    dry = looked_up("extend_loan", passed_on=False)
    runs = [
        *two_systems("t1", looked_up("extend_loan", passed_on=True), dry),
        *two_systems("t2", dry, dry),
        run(dry, system="c", task="t2"),
    ]

    assert str(task_to_draw(cohort_of(runs))).endswith("t2")


def test_runs_that_fit_no_page_are_not_drawn() -> None:
    long = in_turns(*[call("get_loan", {"n": n}, "ok") for n in range(MAX_DRAWN_CALLS + 1)])

    assert task_to_draw(cohort_of(two_systems("t", long, long))) is None
