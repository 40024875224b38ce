"""Families: the paper's contrast, intervals by task, permutations by system, limits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_scores_known import drawn, drawn_composite, scores_of

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.field.families import families_table
from ethogram.results.table import Table
from ethogram.stats.task_intervals import mean_interval

NAN = float("nan")
TWO = {"first": ["a", "b"], "second": ["c", "d"]}


def only(table: Table) -> dict[str, Any]:
    assert table.frame.height == 1
    return table.frame.row(0, named=True)


def test_the_contrast_of_table_2_of_yang_et_al_2026() -> None:
    """Opus and Sonnet 87.2, R1 and V3.1 86.7, R1 and Sonnet 81.1: 5.9 points."""
    known = {"ab": 0.872, "cd": 0.867, "bc": 0.811}
    pairs = [[known.get(one + other, NAN)] for one, other in ("ab", "ac", "ad", "bc", "bd", "cd")]
    row = only(families_table([scores_of(pairs, "abcd", "ags")], TWO))

    assert row["within"] == pytest.approx(0.8695)
    assert row["cross"] == pytest.approx(0.811)
    assert row["difference"] == pytest.approx(0.0585)
    assert (row["n_within"], row["n_cross"]) == (2, 1)
    assert row["note"].startswith("only ")


def test_the_interval_is_that_of_a_mean_over_tasks() -> None:
    scores = drawn(np.random.default_rng(0), 4, 20, missing=0)
    row = only(families_table([scores], TWO))
    s = scores.values
    by_task = (s[0, 1] + s[2, 3]) / 2 - (s[0, 2] + s[0, 3] + s[1, 2] + s[1, 3]) / 4
    expected = mean_interval(by_task, bounds=(-1, 1))

    assert (row["difference"], row["low"], row["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )
    assert row["n_tasks"] == 20


@settings(max_examples=25)
@given(st.integers(0, 99), st.permutations(["a", "b", "c", "d", "e", "f"]))
def test_names_and_order_of_families_change_nothing(seed: int, names: list[str]) -> None:
    ags = drawn_composite(np.random.default_rng(seed), 6, 15)
    one = {"x": names[:3], "y": names[3:5], "z": names[5:]}
    other = {"p": names[5:], "q": names[4:2:-1], "r": names[2::-1]}
    first, second = (only(families_table([ags], each)) for each in (one, other))

    for column in ("within", "cross", "difference", "low", "high", "p_value"):
        assert first[column] == pytest.approx(second[column]), column


def test_families_that_are_alike_are_found() -> None:
    rng = np.random.default_rng(1)
    scores = drawn(rng, 9, 30, missing=0.1)
    families = {"x": ["a", "b", "c"], "y": ["d", "e", "f"], "z": ["g", "h", "i"]}
    same = np.kron(np.eye(3), np.ones((3, 3)))[:, :, None]
    scores.values[:] = np.clip(0.7 * scores.values + 0.3 * same, 0, 1)
    row = only(families_table([scores], families))

    assert row["low"] > 0
    assert row["p_value"] == pytest.approx(1 / 280)
    assert row["method"].endswith("all 280")
    assert row["note"] is None


def test_systems_without_a_family_play_no_part() -> None:
    scores = drawn(np.random.default_rng(2), 5, 10)
    five = families_table([scores], TWO)
    scores.values[4], scores.values[:, 4] = 0.0, 0.0

    assert "Systems without a family, which play no part: 1." in five.about
    assert five.frame.equals(families_table([scores], TWO).frame)
    assert only(five)["n_systems"] == 4


@pytest.mark.parametrize(
    ("families", "reason"),
    [
        ({"x": ["a", "b", "c"]}, "fewer than two families"),
        ({"x": ["a"], "y": ["b"], "z": ["c"]}, "no family has two systems"),
        ({}, "fewer than two families"),
    ],
)
def test_families_that_can_not_be_compared_say_why(
    families: dict[str, list[str]], reason: str
) -> None:
    row = only(families_table([drawn(np.random.default_rng(3))], families))

    assert row["reason"] == reason
    assert row["p_value"] is row["difference"] is None


def test_a_measure_without_values_gives_its_own_reason() -> None:
    nothing = scores_of(np.full((6, 2), NAN), "abcd", reason="no success")

    assert only(families_table([nothing], TWO))["reason"] == "no success"


def test_families_of_unknown_or_shared_systems_are_refused() -> None:
    scores = drawn(np.random.default_rng(4))

    with pytest.raises(UnknownNameError, match=r"family 'x'\) is called 'z'"):
        families_table([scores], {"x": ["a", "z"]})
    with pytest.raises(UsageError, match="'a' is in two"):
        families_table([scores], {"x": ["a"], "y": ["a", "b"]})
