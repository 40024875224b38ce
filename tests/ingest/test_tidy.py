import msgspec
import pytest

from ethogram.ingest.tidy import tidy
from ethogram.simulate.build import action, run


def test_what_fits_is_returned_as_it_is() -> None:
    made = run([action("ls", exit_code=2**31 - 1, input_tokens=2**48 - 1)], trial=-(2**31))

    assert tidy(made) is made


@pytest.mark.parametrize(
    ("field", "value"), [("trial", 2**31), ("step_limit", 2**31), ("output_tokens", 2**63)]
)
def test_a_number_of_a_run_that_is_too_large_is_missing(field: str, value: int) -> None:
    made = tidy(run(["ls"], **{field: value}))  # type: ignore[arg-type]

    assert [p.field for p in made.problems] == [field]
    assert field not in {"trial"} or made.trial is None


def test_numbers_of_events_are_counted_and_the_events_stay() -> None:
    made = tidy(
        run([action("a", exit_code=2**32 - 1, turn=1), action("b", exit_code=-(2**31) - 1)])
    )

    assert [(e.action, e.exit_code, e.turn) for e in made.events] == [
        ("a", None, 1),
        ("b", None, None),
    ]
    assert [(p.field, p.count, p.severity) for p in made.problems] == [("exit_code", 2, "warning")]


def test_numbers_of_typed_events_are_looked_at_too() -> None:
    made = tidy(run([action("a", exit_code=2**31), action("b", turn=2**80)]), typed_events=True)
    tokens = tidy(run([action("a", input_tokens=2**50)]), typed_events=True)

    assert [(e.action, e.exit_code, e.turn) for e in made.events] == [
        ("a", None, None),
        ("b", None, None),
    ]
    assert [(p.field, p.count) for p in made.problems] == [("exit_code", 1), ("turn", 1)]
    assert [(p.field, p.count) for p in tokens.problems] == [("input_tokens", 1)]


def test_what_typed_events_stand_in_is_looked_at_in_full() -> None:
    made = tidy(run(["ls"], settings={"k": "\ud800"}), typed_events=True)

    assert made.system.settings == {"k": "\ufffd"}
    with pytest.raises(msgspec.ValidationError):
        tidy(run(["ls"], task_id=1), typed_events=True)


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_put_together() -> None:
    made = tidy(
        run([action("a\ud800b", observation="\ud83d\ude00")], settings={"k\udfff": ["\ud800"]})
    )

    assert made.events[0].action == "a\ufffdb"
    assert made.events[0].observation == "😀"
    assert made.system.settings == {"k\ufffd": ["\ufffd"]}
    assert made.problems == ()


def test_numbers_in_settings_have_no_limit() -> None:
    made = run(["\ud800"], settings={"seed": 10**30, "on": True})

    assert tidy(made).system.settings == {"seed": 10**30, "on": True}
