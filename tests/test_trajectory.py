import inspect
from typing import Any, get_args

import msgspec
import pytest

from ethogram import trajectory
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event, Outcome, Problem, System, Task, Trajectory, Usage

STRUCTS = [
    value
    for value in vars(trajectory).values()
    if inspect.isclass(value) and issubclass(value, msgspec.Struct)
]


@pytest.mark.parametrize("struct", STRUCTS)
def test_what_a_reader_yields_cannot_be_changed(struct: type[Any]) -> None:
    assert struct.__struct_config__.frozen
    assert struct.__doc__


@pytest.mark.parametrize("struct", [Outcome, System, Task, Usage])
def test_what_a_file_does_not_say_is_none(struct: type[Any]) -> None:
    said = {value for value in msgspec.structs.asdict(struct()).values() if value != {}}

    assert said <= {None, ()}


def test_an_event_says_nothing_but_its_type_and_actor_by_default() -> None:
    values = msgspec.structs.asdict(Event(event="action"))
    said = {name: value for name, value in values.items() if value is not None}

    assert said == {
        "event": "action", "actor": "agent", "scripted": False, "refused": False,
        "arguments_state": "absent",
    }  # fmt: skip


def test_actions_are_those_of_the_agent_and_of_the_user() -> None:
    made = run([user("hi"), action("a"), reply("hm"), action("look", actor="user")])

    assert [event.action for event in made.actions] == ["a", "look"]


@pytest.mark.parametrize(
    ("values", "literal"),
    [
        ("EVENT_TYPES", "EventType"),
        ("ENDINGS", "Ending"),
        ("ARGUMENTS_STATES", "ArgumentsState"),
        ("ORIGINS", "Origin"),
        ("SEVERITIES", "Severity"),
    ],
)
def test_the_listed_words_are_the_allowed_ones(values: str, literal: str) -> None:
    assert getattr(trajectory, values) == get_args(getattr(trajectory, literal))


def test_a_trajectory_survives_being_sent_elsewhere() -> None:
    made = run(
        [action("a", exit_code=1), reply("b")],
        settings={"x": [1]},
        scores=(("judge", 0.5, None),),
        problems=(Problem(reason="odd"),),
        extra={"y": None},
    )
    encoded = msgspec.msgpack.encode(made)

    assert msgspec.msgpack.decode(encoded, type=Trajectory) == made
