"""Floors, ceilings and the places of pairs between them."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from task_scores_known import drawn, drawn_composite, scores_of

from ethogram.measures.similarity.field.ranges import placed_table, range_table
from ethogram.measures.similarity.task_scores import Composite
from ethogram.results.table import Table
from ethogram.stats.arrays import FloatArray
from ethogram.stats.task_intervals import mean_interval

NAN = float("nan")


def row(table: Table, name: str, **keys: str) -> dict[str, Any]:
    found = table.frame.filter(pl.col("name") == name, *(pl.col(k) == v for k, v in keys.items()))
    assert found.height == 1
    return found.row(0, named=True)


def test_the_ceiling_is_the_mean_over_tasks_of_a_systems_repeats() -> None:
    rng = np.random.default_rng(0)
    scores = drawn(rng, n_tasks=10)
    scores.repeats[0, :3] = NAN
    table = range_table([scores])
    expected = mean_interval(scores.repeats[0, 3:], bounds=(0, 1))

    found = row(table, "ceiling", system="a")
    assert (found["value"], found["low"], found["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )
    assert (found["n_tasks"], found["n_runs"], found["n_excluded"]) == (7, 14, 6)
    assert (found["measure"], found["label"]) == ("s node", "Ceiling")


def test_one_run_a_task_has_no_ceiling() -> None:
    table = range_table([scores_of(np.full((3, 8), 0.5))])

    assert set(table.frame["reason"]) == {"one run a task", "no runs of different tasks to compare"}
    assert set(placed_table([scores_of(np.full((3, 8), 0.5))]).frame["reason"]) == {
        "one run a task"
    }


def test_a_floor_by_system_has_no_interval_and_one_by_task_has() -> None:
    scores = drawn(np.random.default_rng(1), n_tasks=10)
    assert scores.unlike is not None
    by_task = np.random.default_rng(2).uniform(0, 0.4, (4, 10))
    one, other = (
        row(range_table([each]), "floor", system="b")
        for each in (scores, replace(scores, unlike=by_task))
    )

    assert (one["value"], one["low"]) == (scores.unlike[1], None)
    assert one["method"] == "no interval: not known task by task"
    assert other["value"] == pytest.approx(by_task[1].mean())
    assert other["low"] < other["value"] < other["high"]


def test_the_place_of_a_pair_by_hand() -> None:
    repeats = np.array([[1.0] * 6, [0.8] * 6])
    scores = scores_of([[0.5, 0.6] * 3], "ab", repeats=repeats, unlike=np.array([0.1, 0.3]))
    found = row(placed_table([scores]), "s_node_placed")

    # from 0.2 to 0.9: 0.55 is half of the way
    assert found["value"] == pytest.approx(0.5)
    high = mean_interval([0.5, 0.6] * 3).high
    assert high is not None
    half = (high - 0.55) / 0.7
    assert found["high"] == pytest.approx(0.5 + half)


def test_a_pair_like_its_own_repeats_lies_at_the_ceiling() -> None:
    rng = np.random.default_rng(3)
    alike = rng.uniform(0.7, 1, 30)
    scores = scores_of(
        [alike], "ab", repeats=np.stack([alike, alike]), unlike=rng.uniform(0, 0.3, (2, 30))
    )
    found = row(placed_table([scores]), "s_node_placed")

    # the pair and the ceiling move together from task to task: no doubt is left
    assert found["value"] == pytest.approx(1)
    assert found["low"] is None or found["high"] - found["low"] < 1e-6


def test_the_place_of_a_composite_is_that_of_its_means() -> None:
    ags = drawn_composite(np.random.default_rng(4), n_tasks=20)
    found = row(placed_table([ags]), "ags_placed", first="a", second="b")
    pair = np.mean([np.nanmean(part.values[0, 1]) for part in ags.parts])
    high = np.mean([part.repeats[:2].mean() for part in ags.parts])
    low = np.mean([part.unlike[:2].mean() for part in ags.parts if part.unlike is not None])

    assert found["value"] == pytest.approx((pair - low) / (high - low))


def test_intervals_of_places_agree_with_the_bootstrap() -> None:
    rng = np.random.default_rng(5)
    n = 60
    level = rng.normal(size=n)

    def share(mean: float) -> FloatArray:
        return 1 / (1 + np.exp(-(mean + 0.7 * level + 0.7 * rng.normal(size=n))))

    scores = scores_of(
        [share(0.5)],
        "ab",
        repeats=np.stack([share(1.5), share(2)]),
        unlike=np.stack([share(-2), share(-1.5)]),
    )
    found = row(placed_table([scores]), "s_node_placed")
    draws = rng.integers(n, size=(4000, n))
    assert scores.unlike is not None
    pair = scores.values[0, 1][draws].mean(axis=1)
    high, low = (each.mean(axis=0)[draws].mean(axis=1) for each in (scores.repeats, scores.unlike))
    expected = np.quantile((pair - low) / (high - low), [0.025, 0.975])

    assert (found["low"], found["high"]) == pytest.approx(tuple(expected), abs=0.02)


@pytest.mark.parametrize("ceiling", [0.2, 0.5])
def test_a_ceiling_that_is_not_above_the_floor_places_nothing(ceiling: float) -> None:
    rng = np.random.default_rng(6)
    spread = rng.uniform(-0.2, 0.2, (2, 8))
    scores = scores_of(
        [[0.5] * 8], "ab", repeats=ceiling + spread, unlike=0.48 + rng.permuted(spread, axis=1)
    )

    reason = row(placed_table([scores]), "s_node_placed")["reason"]
    assert reason == "the ceiling is not clearly above the floor"


def test_what_is_missing_is_said() -> None:
    repeats, nothing = np.full((3, 6), 0.9), np.full((3, 6), NAN)
    pairs = [[0.5] * 6, [NAN] * 6, [0.5] * 6]
    scores = scores_of(pairs, repeats=repeats, unlike=np.array([0.1, 0.1, NAN]))
    table = placed_table([scores])
    lost = scores_of(nothing, reason="no success", name="s_dep")

    assert row(table, "s_node_placed", first="a", second="b")["value"] == pytest.approx(0.5)
    assert row(table, "s_node_placed", first="a", second="c")["reason"].startswith("not defined")
    missing = row(table, "s_node_placed", first="b", second="c")
    assert missing["reason"] == "no runs of different tasks to compare"
    for each in (placed_table, range_table):
        reasons = set(each([Composite("ags", (scores, lost))]).frame["reason"])
        assert reasons == {"s_dep: no success"}
