"""The matrix, the references and the settings: by hand, invariants, limits."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from task_scores_known import drawn, drawn_composite, reordered, scores_of

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.field.matrix import similarity_table
from ethogram.measures.similarity.field.means import mean_matrix
from ethogram.measures.similarity.field.references import (
    reference_differences_table,
    references_table,
)
from ethogram.measures.similarity.field.settings import settings_of, settings_table
from ethogram.measures.similarity.task_scores import Composite, parts_of
from ethogram.results.table import Table
from ethogram.stats.task_intervals import mean_interval

NAN = float("nan")
PAIR = ("first", "second")


def row(table: Table, name: str, **keys: str) -> dict[str, Any]:
    """The one estimate of a table with these keys."""
    found = table.frame.filter(pl.col("name") == name, *(pl.col(k) == v for k, v in keys.items()))
    assert found.height == 1
    return found.row(0, named=True)


def test_the_matrix_by_hand() -> None:
    pairs = [[1.0, 0.5, NAN, 0.0], [NAN] * 4, [1.0] * 4]
    table = similarity_table([scores_of(pairs, n_runs=2)])

    ab = row(table, "s_node", first="a", second="b")
    assert (ab["value"], ab["n_tasks"], ab["n_runs"], ab["n_excluded"]) == (0.5, 3, 12, 4)
    assert ab["method"] == "no interval: too few tasks"
    assert row(table, "s_node", first="a", second="c")["reason"] == "not defined at any shared task"
    assert table.frame["value"].to_list() == [0.5, None, 1.0]
    assert (table.main, table.across) == (True, "name")


def test_pairs_without_a_shared_task_say_so() -> None:
    scores = scores_of([[NAN, NAN], [1, NAN], [NAN, 1]])
    assert scores.runs is not None
    scores.runs[:] = [[1, 0], [0, 1], [1, 1]]
    table = similarity_table([scores])

    assert row(table, "s_node", first="a", second="b")["reason"] == "no shared task"


def test_a_measure_that_can_not_be_had_gives_its_reason() -> None:
    nothing = scores_of(np.full((3, 2), NAN), reason="fewer than three systems with a success")
    other = scores_of(np.ones((3, 2)), name="s_seq")
    table = similarity_table([nothing, Composite("ags", (nothing, other))])

    assert set(table.frame["reason"]) == {
        "fewer than three systems with a success",
        "s_node: fewer than three systems with a success",
    }


def test_a_composite_is_the_mean_of_the_means_of_its_parts() -> None:
    node = scores_of([[1.0, NAN, NAN], [0.0, 1.0, 1.0], [1.0] * 3])
    seq = scores_of([[0.0, 0.5, 1.0], [NAN] * 3, [1.0] * 3], name="s_seq")
    table = similarity_table([Composite("ags", (node, seq), label="AGS")])

    ab = row(table, "ags", first="a", second="b")
    assert ab["value"] == pytest.approx((1 + 0.5) / 2)
    assert (ab["label"], ab["n_tasks"]) == ("AGS", 3)
    missing = row(table, "ags", first="a", second="c")
    assert missing["reason"] == "s_seq: not defined at any shared task"


def test_intervals_are_those_of_a_mean_over_tasks() -> None:
    scores = drawn(np.random.default_rng(0), n_tasks=15)
    table = similarity_table([scores])
    known = scores.values[0, 1][~np.isnan(scores.values[0, 1])]
    expected = mean_interval(known, bounds=(0, 1))

    ab = row(table, "s_node", first="a", second="b")
    assert (ab["value"], ab["low"], ab["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )


@settings(max_examples=25)
@given(st.integers(0, 99), st.permutations(range(4)), st.permutations(range(12)))
def test_the_order_of_systems_and_tasks_changes_nothing(
    seed: int, systems: list[int], tasks: list[int]
) -> None:
    ags = drawn_composite(np.random.default_rng(seed))
    moved = Composite("ags", tuple(reordered(part, systems, tasks) for part in ags.parts), "AGS")
    one, other = (similarity_table([*parts_of(each), each]).frame for each in (ags, moved))

    pair = pl.concat_list(PAIR).list.sort().list.join("-").alias("pair")
    one, other = (
        frame.with_columns(pair).drop(PAIR).sort("name", "pair") for frame in (one, other)
    )
    assert_frame_equal(one, other, check_exact=False, abs_tol=1e-9)


def test_the_mean_matrix_is_symmetric_with_an_empty_diagonal() -> None:
    scores = drawn(np.random.default_rng(1))
    matrix = mean_matrix(scores)

    assert np.isnan(np.diag(matrix)).all()
    assert matrix[2, 1] == matrix[1, 2] == pytest.approx(np.nanmean(scores.values[1, 2]))


def test_a_difference_of_references_is_paired_by_task() -> None:
    # a-b, a-c, b-c over four tasks; a is the system
    scores = scores_of([[1, 1, NAN, 0.5], [0.5, 0, 1, NAN], [0.0] * 4])
    table = references_table([scores], ["b", "c"])

    assert row(table, "s_node_to_reference", first="a", second="b")["value"] == pytest.approx(
        2.5 / 3
    )
    difference = row(
        reference_differences_table([scores], ["b", "c"]), "s_node_reference_difference", first="a"
    )
    assert (difference["value"], difference["n_tasks"]) == (0.75, 2)
    assert (difference["second"], difference["minus"], difference["unit"]) == ("b", "c", "points")
    assert difference["n_runs"] == 6  # three systems at two tasks
    # a reference is compared with the other reference too, and with itself never
    to = table.frame.select(PAIR).rows()
    assert to == [("a", "b"), ("c", "b"), ("a", "c"), ("b", "c")]


def test_a_difference_has_the_interval_of_its_tasks() -> None:
    scores = drawn(np.random.default_rng(3), n_tasks=20, missing=0.1)
    table = reference_differences_table([scores], ["a", "b"])
    differences = scores.values[2, 0] - scores.values[2, 1]
    expected = mean_interval(differences[~np.isnan(differences)], bounds=(-1, 1))

    found = row(table, "s_node_reference_difference", first="c")
    assert (found["value"], found["low"], found["high"]) == pytest.approx(
        (expected.estimate, expected.low, expected.high)
    )


def test_swapped_references_swap_the_sign() -> None:
    ags = drawn_composite(np.random.default_rng(4), n_tasks=20)
    one, other = (reference_differences_table([ags], names) for names in (["a", "b"], ["b", "a"]))
    name = "ags_reference_difference"

    first, second = (row(table, name, first="c") for table in (one, other))
    assert (first["value"], first["low"], first["high"]) == pytest.approx(
        (-second["value"], -second["high"], -second["low"])
    )


def test_one_reference_has_no_difference_and_an_unknown_one_is_refused() -> None:
    scores = drawn(np.random.default_rng(5))

    assert references_table([scores], ["a", "a"]).frame.height == 3
    assert reference_differences_table([scores], ["a", "a"]).frame.height == 0
    with pytest.raises(UnknownNameError, match="no system is called 'z'; known: a, b, c, d"):
        references_table([scores], ["z"])


def test_settings_by_hand() -> None:
    wins = np.array([[1, 0, 1, 0.5, NAN, 1], [1, 0, 0, 0.5, 1, 0.9]])
    found = settings_of(wins, np.array([0]), np.array([1]))

    assert found[:, 0].astype(int).tolist() == [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 1],
    ]


def test_settings_choose_the_tasks_of_a_pair() -> None:
    scores = scores_of([[1, 0.5, 0.25, 0.75]], "ab")
    wins = np.array([[1, 1, 0, NAN], [1, 1, 1, 1]])
    table = settings_table([scores], wins)
    name = "s_node_by_outcome"

    correct, wrong, mixed = (
        row(table, name, setting=each) for each in ("both correct", "both wrong", "mixed")
    )
    assert (correct["value"], correct["n_tasks"], correct["n_runs"]) == (0.75, 2, 4)
    assert wrong["reason"] == "no shared task where outcomes are both wrong"
    assert mixed["value"] == 0.25


def test_the_settings_of_known_outcomes_make_up_the_whole() -> None:
    rng = np.random.default_rng(6)
    scores = drawn(rng, missing=0)
    wins = rng.integers(0, 3, size=(4, 12)) / 2
    by_setting = settings_table([scores], wins).frame
    whole = similarity_table([scores]).frame
    sums = by_setting.group_by(PAIR, maintain_order=True).agg(
        (pl.col("value") * pl.col("n_tasks")).sum() / pl.col("n_tasks").sum()
    )

    assert sums["value"].to_list() == pytest.approx(whole["value"].to_list())


def test_outcomes_of_another_shape_are_refused() -> None:
    scores = drawn(np.random.default_rng(7))

    with pytest.raises(UsageError, match=r"shape \(4, 12\); got shape \(4, 3\)"):
        settings_table([scores], np.zeros((4, 3)))
    with pytest.raises(UsageError, match="from 0 to 1"):
        settings_table([scores], np.full((4, 12), 2.0))
