"""Phases, commands and first actions, by hand."""

from collections.abc import Sequence

import pytest

from ethogram.cohort.schema import KINDS
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.simulate.build import action, repeats
from ethogram.trajectory import Event

LOOK, READ, EDIT, TEST = "ls", "cat a.py", "sed -i s/a/b/ a.py", "pytest"


def measured(
    sequences: Sequence[Sequence[str | Event]], *, labelled: bool = True, **fields: object
) -> Result:
    runs = repeats(sequences, **fields)  # type: ignore[arg-type]
    return variance(from_trajectories(runs, labeler=default_labeler() if labelled else None))


TWO = [[LOOK, READ, EDIT, TEST], [LOOK, EDIT]]


def value(result: Result, name: str, kind: str) -> float | None:
    return result.estimate(name, system="a", kind=kind).value


def test_long_runs_weigh_more_in_the_pooled_share_only() -> None:
    result = measured(TWO)

    assert value(result, "phase_share", "explore") == pytest.approx(2 / 6)
    assert value(result, "phase_share_by_run", "explore") == pytest.approx((1 / 4 + 1 / 2) / 2)


@pytest.mark.parametrize("name", ["phase_share", "phase_share_by_run"])
def test_shares_of_the_kinds_add_up(name: str) -> None:
    result = measured(TWO)

    assert sum(value(result, name, kind) or 0 for kind in KINDS) == pytest.approx(1.0)


def test_cv_of_a_kind_is_over_its_count_in_each_run() -> None:
    """Reading: 1 and 0 times: mean 1/2, SD sqrt(1/2)."""
    result = measured(TWO)

    assert value(result, "phase_cv", "explore") == 0.0
    assert value(result, "phase_cv", "understand") == pytest.approx(100 * 2**0.5)
    other = result.estimate("phase_cv", system="a", kind="other")
    assert other.reason == "no task with two or more runs has such an action"


def test_pre_edit_share_is_over_runs_with_an_edit() -> None:
    found = measured([*TWO, [LOOK, READ]]).estimate("pre_edit_share", system="a")

    assert found.value == pytest.approx((2 / 4 + 1 / 2) / 2)
    assert (found.n_runs, found.n_excluded) == (2, 1)


def test_without_an_edit_there_is_no_share_before_it() -> None:
    found = measured([[LOOK], [READ]]).estimate("pre_edit_share", system="a")

    assert found.reason == "no run edits anything"


def test_unlabelled_actions_have_no_phases_and_that_is_said() -> None:
    result = measured(TWO, labelled=False)

    assert result.estimate("phase_share", system="a", kind="edit").reason == "no action has a kind"
    assert any("No action is labelled" in note for note in result.notes)


def test_runs_without_an_action_have_no_share() -> None:
    found = measured([[], [LOOK]]).estimate("phase_share_by_run", system="a", kind="explore")

    assert (found.value, found.n_runs, found.n_excluded) == (1.0, 1, 1)


def test_commands_are_counted_over_actions_and_over_runs() -> None:
    frame = measured(TWO).to_frame("heads")

    assert frame.select("head", "n_actions", "n_runs").rows() == [
        ("ls", 2, 2),
        ("sed", 2, 2),
        ("cat", 1, 1),
        ("pytest", 1, 1),
    ]
    assert frame["share"].sum() == pytest.approx(1.0)
    assert frame["run_share"].to_list() == [1.0, 1.0, 0.5, 0.5]


def test_first_actions_come_with_what_became_of_the_runs() -> None:
    result = measured([[LOOK, EDIT], [LOOK], [READ], []], successes=[True, False, None, True])

    assert result.to_frame("first_actions").select(
        "head", "n_runs", "n_labelled", "successes", "accuracy"
    ).rows() == [("ls", 2, 2, 1, 0.5), ("(no action)", 1, 1, 1, 1.0), ("cat", 1, 0, 0, None)]


def test_a_reply_that_was_refused_is_no_first_action() -> None:
    refused = action("I will look around.", refused=True)
    result = measured([[refused, LOOK], [LOOK], [refused]])

    firsts = result.to_frame("first_actions")
    assert firsts.select("head", "n_runs").rows() == [("ls", 2), ("(no action)", 1)]
    assert firsts["share"].to_list() == pytest.approx([2 / 3, 1 / 3])


def test_rare_commands_beyond_the_limit_are_left_out_of_the_list() -> None:
    frame = measured([[f"tool{i}" for i in range(60)]]).to_frame("heads")

    assert frame.height == 50
    assert frame["share"].sum() == pytest.approx(50 / 60)
