"""Measures against each other: scipy, Mantel, halves of tasks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from task_scores_known import drawn, drawn_composite, reordered, scores_of

from ethogram.errors import UnknownNameError
from ethogram.measures.similarity.field.correlations import (
    complete,
    correlations_table,
    halves_table,
    mantel_table,
)
from ethogram.results.table import Table
from ethogram.stats.mantel import mantel

NAN = float("nan")


def first_row(table: Table) -> dict[str, Any]:
    return table.frame.row(0, named=True)


def test_correlations_against_a_reference_equal_scipys() -> None:
    rng = np.random.default_rng(0)
    one, other = (drawn(rng, 12, 20, name) for name in ("s_node", "s_seq"))
    row = first_row(correlations_table([one, other], "c"))
    to = [np.nanmean(np.delete(each.values[2], 2, axis=0), axis=1) for each in (one, other)]

    assert (row["pearson"], row["p_pearson"]) == pytest.approx(tuple(stats.pearsonr(*to)))
    assert (row["spearman"], row["p_spearman"]) == pytest.approx(tuple(stats.spearmanr(*to)))
    assert (row["n_systems"], row["measure"], row["other"]) == (11, "s node", "s seq")
    interval = stats.pearsonr(*to).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))


def test_systems_without_one_of_two_measures_do_not_count() -> None:
    rng = np.random.default_rng(1)
    one, other = (drawn(rng, 6, 10, name, missing=0) for name in ("s_node", "s_seq"))
    other.values[0, 1] = other.values[1, 0] = NAN
    row = first_row(correlations_table([one, other], "a"))
    few = first_row(correlations_table([drawn(rng, 3), drawn(rng, 3, name="s_seq")], "a"))

    assert row["n_systems"] == 4
    assert few["reason"] == "fewer than three pairs"


def test_three_measures_are_compared_two_by_two() -> None:
    rng = np.random.default_rng(2)
    measures = [drawn(rng, 5, 8, name) for name in ("x", "y", "z")]

    assert correlations_table(measures, "a").frame.select("measure", "other").rows() == [
        ("x", "y"),
        ("x", "z"),
        ("y", "z"),
    ]
    assert mantel_table(measures).frame.height == 3
    assert mantel_table(measures[:1]).frame.height == 0
    with pytest.raises(UnknownNameError):
        correlations_table(measures, "q")


def test_the_mantel_table_tests_matrices_of_means() -> None:
    rng = np.random.default_rng(3)
    one, other = (drawn(rng, 6, 10, name, missing=0) for name in ("s_node", "s_seq"))
    row = first_row(mantel_table([one, other]))
    expected = mantel(one.values.mean(axis=2), other.values.mean(axis=2))

    assert (row["pearson"], row["p_pearson"]) == pytest.approx(
        (expected.statistic, expected.p_value)
    )
    assert (row["n_systems"], row["left_out"]) == (6, "")


def test_systems_with_unknown_pairs_are_left_out_and_named() -> None:
    rng = np.random.default_rng(4)
    one, other = (drawn(rng, 6, 10, name, missing=0) for name in ("s_node", "s_seq"))
    one.values[1, 3:5] = one.values[3:5, 1] = NAN
    other.values[1, 5] = other.values[5, 1] = NAN
    row = first_row(mantel_table([one, other]))

    assert (row["n_systems"], row["left_out"]) == (5, "b")
    nothing = scores_of(np.full((6, 3), NAN), "abcd")
    assert first_row(mantel_table([nothing, nothing]))["reason"] == "fewer than four objects"


def test_no_more_systems_are_dropped_than_must_be() -> None:
    chain = np.ones((5, 5))
    chain[0, 1] = chain[1, 0] = chain[2, 3] = chain[3, 2] = NAN

    assert complete([chain]) == [0, 2, 4]
    assert complete([np.ones((3, 3)), np.full((3, 3), NAN)]) == [0]
    assert complete([np.full((2, 2), 1.0)]) == [0, 1]


def test_halves_by_hand() -> None:
    # four systems, six pairs; even tasks repeat the order of odd ones
    order = np.array([0.1, 0.5, 0.3, 0.9, 0.7, 0.2])
    pairs = np.stack([order, order**2, order, order**3], axis=1)
    row = first_row(halves_table([scores_of(pairs, "abcd")]))
    turned = np.stack([order, 1 - order], axis=1)

    assert (row["spearman"], row["n_pairs"]) == (pytest.approx(1), 6)
    assert first_row(halves_table([scores_of(turned, "abcd")]))["spearman"] == pytest.approx(-1)
    assert first_row(halves_table([scores_of(order[:, None], "abcd")]))["reason"] == (
        "fewer than four objects"
    )
    nothing = scores_of(np.full((6, 2), NAN), "abcd", reason="no success")
    assert first_row(halves_table([nothing]))["reason"] == "no success"


@settings(max_examples=15)
@given(st.integers(0, 99), st.permutations(range(5)))
def test_the_order_of_systems_changes_no_correlation(seed: int, systems: list[int]) -> None:
    rng = np.random.default_rng(seed)
    measures = [drawn(rng, 5, 10, "x", missing=0.05), drawn_composite(rng, 5, 10).parts[1]]
    moved = [reordered(each, systems, list(range(10))) for each in measures]

    for table in (mantel_table, halves_table):
        one, other = table(measures).frame, table(moved).frame
        if not one["left_out"].to_list() == other["left_out"].to_list() == [""] * one.height:
            continue
        for column in ("spearman",):
            assert one[column].to_list() == pytest.approx(other[column].to_list())
    for column in ("pearson", "p_pearson", "spearman"):
        one, other = (correlations_table(each, "a").frame for each in (measures, moved))
        assert one[column].to_list() == pytest.approx(other[column].to_list())
