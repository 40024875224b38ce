from datetime import UTC, datetime
from typing import Any

import msgspec
import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.cohort.schema import TABLES
from ethogram.ingest import from_trajectories
from ethogram.ingest.rows import Place, run_id
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event, Problem, System, Trajectory


def made(*steps: Any, **fields: Any) -> Cohort:
    return from_trajectories([run(steps, **fields)])


def first(cohort: Cohort) -> dict[str, Any]:
    return cohort.runs.row(0, named=True)


def test_every_frame_has_the_schema() -> None:
    cohort = made("ls")
    frames = {
        **{name: getattr(cohort, name) for name in ("runs", "systems", "tasks", "problems")},
        "steps": cohort.steps.collect(),
        "texts": cohort.texts.collect(),
    }

    assert {name: dict(frame.schema) for name, frame in frames.items()} == {
        name: dict(columns) for name, columns in TABLES.items()
    }


def test_events_are_numbered_and_the_agents_actions_among_them() -> None:
    cohort = made(user("hi"), action("a"), action("look", actor="user"), reply("hm"), action("b"))

    assert cohort.steps.collect().select("index", "action_index", "event", "actor").rows() == [
        (0, None, "user", "user"),
        (1, 0, "action", "agent"),
        (2, None, "action", "user"),
        (3, None, "reply", "agent"),
        (4, 1, "action", "agent"),
    ]
    assert first(cohort)["n_actions"] == 2


@pytest.mark.parametrize(
    ("turns", "n_turns"), [([0, 0, 1], 2), ([None, None, None], None), ([None, 5, 5], 1)]
)
def test_turns_are_counted_where_they_are_recorded(
    turns: list[int | None], n_turns: int | None
) -> None:
    steps = [action("a", turn=turn) for turn in turns]

    assert first(made(*steps, user("hi", turn=9)))["n_turns"] == n_turns


@pytest.mark.parametrize(
    ("errors", "n_errors"),
    [([True, False, None], 1), ([None, None], None), ([False], 0), ([], None)],
)
def test_errors_are_counted_where_any_action_is_judged(
    errors: list[bool | None], n_errors: int | None
) -> None:
    steps = [action("a", is_error=error) for error in errors]

    assert first(made(*steps, action("x", actor="user", is_error=True)))["n_errors"] == n_errors


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, None),
        (0.0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1.5, datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)),
        (1.7e18, None),
        (float("nan"), None),
        (float("inf"), None),
        (-1e20, None),
    ],
)
def test_a_clock_that_cannot_be_is_no_time(
    seconds: float | None, expected: datetime | None
) -> None:
    cohort = made(action("a", timestamp=seconds), started_at=seconds)

    assert first(cohort)["started_at"] == expected
    assert cohort.steps.collect()["timestamp"].to_list() == [expected]


class RicherEvent(Event, frozen=True, kw_only=True):
    """An event of another package's reader."""

    mood: str = "fine"


def test_events_may_be_of_several_types() -> None:
    steps = made(user("go"), RicherEvent(event="action", action="ls"), reply("x")).steps.collect()

    assert steps["event"].to_list() == ["user", "action", "reply"]
    assert steps.schema == TABLES["steps"]


def test_what_is_not_recorded_is_null() -> None:
    row = first(made("ls", success=None, ending=None, native_id=None))
    recorded = {name for name, value in row.items() if value is not None}

    assert recorded == {
        "run_id", "system_id", "benchmark", "task_id", "trial", "n_actions", "n_turns",
        "format", "source",
    }  # fmt: skip


def test_a_cost_says_that_it_was_recorded() -> None:
    assert first(made("ls", cost_usd=0.5))["cost_origin"] == "recorded"
    assert first(made("ls"))["cost_origin"] is None


@pytest.mark.parametrize("submission", [None, ""])
def test_no_submission_and_an_empty_one_differ(submission: str | None) -> None:
    assert first(made("ls", submission=submission))["submission_ref"] == submission


def test_texts_are_found_by_their_refs() -> None:
    cohort = made(
        action("ls", observation="seen", thought="hm", text="so"), submission="diff", prompt="do"
    )
    texts = dict(cohort.texts.select("ref", "text").collect().iter_rows())
    step = cohort.steps.collect().row(0, named=True)

    assert texts[step["observation_ref"]] == "seen"
    assert texts[step["thought_ref"]] == "hm"
    assert texts[step["text_ref"]] == "so"
    assert texts[first(cohort)["submission_ref"]] == "diff"
    assert texts[cohort.tasks["prompt_ref"][0]] == "do"
    assert step["observation_chars"] == 4


def test_problems_of_a_run_get_its_source() -> None:
    cohort = made("ls", problems=(Problem(reason="odd", count=3), Problem(reason="x", source="y")))

    assert cohort.problems.select("reason", "source", "count").rows() == [
        ("odd", "python#0", 3),
        ("x", "y", 1),
    ]


def test_what_the_schema_lacks_is_kept_as_json() -> None:
    cohort = made("ls", extra={"b": [1, None], "a": "ü"}, scores=(("judge", None, "C"),))

    assert first(cohort)["extra"] == '{"b":[1,null],"a":"ü"}'
    assert first(cohort)["scores"] == [{"name": "judge", "value": None, "label": "C"}]


PLACE = Place(format="f", source="s", digest="d", position=0, system=System(model="m"))


def identity(place: Place = PLACE, **fields: Any) -> str:
    trajectory: Trajectory = run(["ls"], **{"native_id": None, **fields})
    return run_id(trajectory, place)


def placed(**changes: Any) -> Place:
    return Place(**{**{n: getattr(PLACE, n) for n in PLACE.__dataclass_fields__}, **changes})


@pytest.mark.parametrize(
    "other",
    [
        identity(placed(format="g")),
        identity(placed(system=System(model="n"))),
        identity(placed(digest="e")),
        identity(placed(position=1)),
        identity(placed(captured=(("condition", "hot"),))),
        identity(placed(system=System(model="m", name="x"))),
        identity(task_id="t2"),
        identity(benchmark=None),
        identity(trial=1),
        identity(native_id="x"),
    ],
)
def test_whatever_tells_runs_apart_is_part_of_their_identity(other: str) -> None:
    assert other != identity()
    assert len(other) == 12


def test_neither_the_place_nor_the_users_name_nor_what_it_holds_is_part_of_the_identity() -> None:
    assert identity(placed(source="elsewhere", given_name="mine")) == identity()
    assert identity(success=False, cost_usd=1.0, name="b") == identity()


def test_a_run_with_its_own_id_is_the_same_run_in_any_file() -> None:
    moved = placed(digest="e", position=7, captured=(("system", "x"),))

    assert identity(moved, native_id="x") == identity(native_id="x")


@pytest.mark.parametrize(
    "changed",
    [{"temperature": 1.0}, {"mode": "no-user"}, {"scaffold": "b"}, {"settings": {"k": 1}}],
)
def test_an_id_that_runs_of_other_settings_have_too_is_not_one_run(changed: Any) -> None:
    plain = run(["ls"], native_id="0")
    other = msgspec.structs.replace(plain, system=msgspec.structs.replace(plain.system, **changed))
    cohort = from_trajectories([plain, other, plain])

    assert (cohort.runs.height, cohort.systems.height) == (2, 2)


def test_steps_are_sorted_by_run_and_in_the_order_of_events() -> None:
    cohort = from_trajectories([run([f"{n}-{k}" for k in range(3)], trial=n) for n in range(20)])
    steps = cohort.steps.select("run_id", "index").collect()

    assert steps.equals(steps.sort("run_id", "index"))
    assert steps.height == 60
    assert cohort.runs["run_id"].to_list() == sorted(cohort.runs["run_id"].to_list())
    assert isinstance(cohort.steps, pl.LazyFrame)
