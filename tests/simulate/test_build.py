import pytest

from ethogram.errors import UsageError
from ethogram.simulate.build import action, events, repeats, reply, run, user
from ethogram.trajectory import Event, Outcome, System, Task, Trajectory, Usage


def test_a_run_holds_what_was_named_and_the_plainest_of_the_rest() -> None:
    made = run(["ls"], task="t2", system="b", trial=3, success=False)

    assert made == Trajectory(
        system=System(name="b"),
        task=Task(task_id="t2", benchmark="bench"),
        outcome=Outcome(success=False, ending="completed"),
        events=(Event(event="action", action="ls", turn=0),),
        native_id="b/t2/3",
        trial=3,
    )


def test_every_field_lands_in_the_struct_that_has_it() -> None:
    made = run(
        ending="limit",
        cost_usd=0.2,
        cluster="django",
        benchmark=None,
        temperature=0.5,
        submission="",
        native_id="x",
    )

    assert made.outcome == Outcome(success=True, ending="limit")
    assert made.usage == Usage(cost_usd=0.2)
    assert made.task == Task(task_id="t1", cluster="django")
    assert made.system == System(name="a", temperature=0.5)
    assert (made.submission, made.native_id) == ("", "x")


def test_whole_structs_can_be_given() -> None:
    usage = Usage(duration_s=2.0)

    assert run(usage=usage).usage == usage


def test_an_unknown_field_is_named_in_the_error() -> None:
    with pytest.raises(UsageError, match="no field 'sucess'"):
        run(sucess=True)


def test_events_are_kept_and_strings_become_actions_in_turns_of_their_own() -> None:
    made = events([user("hello"), "ls", reply("done")])

    assert [event.event for event in made] == ["user", "action", "reply"]
    assert made[1] == action("ls", turn=1)


def test_repeats_are_numbered_from_zero_with_their_outcomes() -> None:
    made = repeats([["ls"], ["cat a"]], successes=[True, None], task="t9")

    assert [(one.trial, one.outcome.success, one.task.task_id) for one in made] == [
        (0, True, "t9"),
        (1, None, "t9"),
    ]
    assert len({one.native_id for one in made}) == 2


def test_repeats_need_one_outcome_a_run() -> None:
    with pytest.raises(ValueError, match="shorter"):
        repeats([["ls"], ["cat a"]], successes=[True])


def test_repeats_succeed_unless_said_otherwise() -> None:
    assert [one.outcome.success for one in repeats([["ls"], ["pwd"]])] == [True, True]
