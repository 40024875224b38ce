from enum import StrEnum
from typing import Any

import msgspec
import numpy as np
import pytest

from ethogram.errors import InputError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.simulate.build import repeats, run
from ethogram.trajectory import Event, Trajectory


def test_runs_without_an_id_are_runs_of_their_own_whatever_they_hold() -> None:
    cohort = from_trajectories([run(["ls"], native_id=None)] * 3)

    assert cohort.runs.height == 3
    assert cohort.steps.collect().height == 3


def test_a_run_with_an_id_is_kept_once_and_that_is_said() -> None:
    cohort = from_trajectories([run(["ls"], native_id="x"), run(["pwd"], native_id="x")])

    assert cohort.steps.collect()["action"].to_list() == ["ls"]
    assert cohort.problems["reason"].to_list() == ["the same run as in python#0: kept once"]


def test_the_order_of_the_runs_changes_nothing() -> None:
    made = repeats([["ls"], ["ls", "cat"]])

    assert from_trajectories(made).digest == from_trajectories(made[::-1]).digest


def test_a_labeler_labels_and_its_digest_is_the_cohorts() -> None:
    labeler = default_labeler()
    bare, labelled = (from_trajectories([run(["ls"])], labeler=x) for x in (None, labeler))

    assert bare.labels_digest is None
    assert bare.steps.collect()["kind"].to_list() == [None]
    assert labelled.labels_digest == labeler.digest
    assert labelled.steps.collect().select("kind", "kind_origin", "head").rows() == [
        ("explore", "table", "ls")
    ]


@pytest.mark.parametrize("name", ["python", "toy"])
def test_the_format_is_named(name: str) -> None:
    cohort = from_trajectories([run(["ls"])], format_name=name)

    assert cohort.runs["format"].to_list() == [name]
    assert cohort.runs["source"].to_list() == [f"{name}#0"]


def test_no_runs_are_a_cohort_too() -> None:
    cohort = from_trajectories([])

    assert (cohort.runs.height, cohort.systems.height, cohort.steps.collect().height) == (0, 0, 0)


def with_event(**fields: Any) -> Trajectory:
    event = Event(event="action", action="ls", **fields)
    return msgspec.structs.replace(run(["ls"]), events=(event,))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (with_event(timestamp="5"), r"float.*got `str` - at `\$\.events\[0\]\.timestamp`"),
        (with_event(turn=1.5), r"int.*got `float` - at `\$\.events\[0\]\.turn`"),
        (with_event(actor=None), r"str.*got `None` - at `\$\.events\[0\]\.actor`"),
        (msgspec.structs.replace(run(["ls"]), extra={"x": object()}), "type object can't"),
        ({"events": []}, "must be a Trajectory; got dict"),
    ],
    ids=["timestamp", "turn", "actor", "extra", "dict"],
)
def test_a_value_of_another_type_is_refused_with_its_place(given: Any, said: str) -> None:
    with pytest.raises(InputError, match=rf"trajectories\[1\]: .*{said}"):
        from_trajectories([run(["ls"]), given])


class Tool(StrEnum):
    SHELL = "bash"


def test_values_of_derived_types_are_values_of_their_own_type() -> None:
    event = with_event(
        tool=Tool.SHELL,
        text=np.str_("a"),
        exit_code=np.int64(1),
        turn=np.int8(2),
        cost_usd=np.float64(0.5),
        duration_s=np.float32(0.5),
        is_error=np.True_,
        error_origin="recorded",
    )
    steps = from_trajectories([event]).steps.collect()

    names = ["tool", "exit_code", "turn", "cost_usd", "duration_s"]
    assert steps.select(names).rows() == [("bash", 1, 2, 0.5, 0.5)]


def test_what_no_column_can_hold_is_read_as_missing_and_said() -> None:
    cohort = from_trajectories([with_event(exit_code=2**40, observation="a\ud800b")])

    assert cohort.steps.collect()["exit_code"].to_list() == [None]
    assert cohort.texts.collect()["text"].to_list() == ["a\ufffdb"]
    assert cohort.problems.select("field", "count").rows() == [("exit_code", 1)]
