"""The contract between the scores and the tables made of them."""

from typing import Any

import numpy as np
import pytest

from ethogram.errors import UsageError
from ethogram.measures.similarity.task_scores import Composite, TaskScores, parts_of

SYSTEMS, TASKS = ("a", "b"), ("t1", "t2", "t3")


def scores(name: str = "s_node", **changes: Any) -> TaskScores:
    given: dict[str, Any] = {
        "values": np.full((2, 2, 3), 0.5),
        "repeats": np.full((2, 3), np.nan),
    } | changes
    return TaskScores(name, SYSTEMS, TASKS, **given)


def test_a_single_measure_is_its_own_part() -> None:
    single = scores()

    assert parts_of(single) == (single,)
    assert parts_of(Composite("ags", (single, single))) == (single, single)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"values": np.zeros((2, 2, 2))}, r"values must have shape \(2, 2, 3\); got \(2, 2, 2\)"),
        ({"repeats": np.zeros((3, 2))}, "repeats must have shape"),
        ({"unlike": np.zeros(3)}, r"unlike must have shape \(2, 3\) or \(2,\)"),
        ({"runs": np.zeros((2, 2), dtype=np.int64)}, "runs must have shape"),
        ({"values": np.arange(12.0).reshape(2, 2, 3) / 12}, "must be symmetric"),
        ({"values": np.full((2, 2, 3), 1.5)}, "between 0 and 1; got 1.5 to 1.5"),
        ({"unlike": np.array([0.5, -1.0])}, "between 0 and 1; got -1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        scores(**changes)


def test_missing_scores_and_the_noise_of_last_bits_are_taken() -> None:
    scores(values=np.full((2, 2, 3), np.nan), unlike=np.array([np.nan, 1 + 1e-12]))


def test_parts_of_a_composite_share_their_axes() -> None:
    other = TaskScores("s_seq", ("a", "c"), TASKS, np.zeros((2, 2, 3)), np.zeros((2, 3)))

    with pytest.raises(UsageError, match="2 parts with 2 kinds of axes"):
        Composite("ags", (scores(), other))
    with pytest.raises(UsageError, match="0 parts"):
        Composite("ags", ())


def test_a_composite_takes_its_axes_and_its_reason_from_its_parts() -> None:
    ags = Composite("ags", (scores(), scores("s_seq", reason="no success")))

    assert (ags.systems, ags.tasks, ags.bounds) == (SYSTEMS, TASKS, (0.0, 1.0))
    assert ags.reason == "s_seq: no success"
    assert Composite("ags", (scores(),)).reason is None
