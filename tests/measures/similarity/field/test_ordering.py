"""Orders and merges against scipy and by hand; the ends of a pair's tasks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform
from task_scores_known import drawn, drawn_composite, reordered, scores_of

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity.field.extremes import extremes_table
from ethogram.measures.similarity.field.ordering import (
    Merge,
    Ordering,
    ordering_of,
    ordering_tables,
)
from ethogram.measures.similarity.task_scores import Composite
from ethogram.stats.arrays import FloatArray

NAN = float("nan")
NAMES = "abcdefgh"


def matrix(n: int, seed: int) -> FloatArray:
    draws = np.random.default_rng(seed).random((n, n))
    return (draws + draws.T) / 2


def members(found: Ordering, cluster: int) -> set[int]:
    """Places of the leaves of a cluster."""
    if cluster < found.n_clustered:
        return {cluster}
    merge = found.merges[cluster - found.n_clustered]
    return members(found, merge.left) | members(found, merge.right)


def test_an_order_by_hand() -> None:
    # a and c are most alike, b is nearer to c than to a
    similarities = np.array([[1, 0.2, 0.9], [0.2, 1, 0.4], [0.9, 0.4, 1]])
    found = ordering_of(similarities, "abc")

    assert found.leaves == (0, 2, 1)
    first, second = found.merges
    assert (first.left, first.right, first.size) == (0, 1, 2)
    assert (second.left, second.right, second.size) == (3, 2, 3)
    assert (first.height, second.height) == pytest.approx((0.1, 0.7))
    assert isinstance(first, Merge)


@given(st.integers(2, 8), st.integers(0, 50))
def test_merges_are_those_of_scipy_and_lie_side_by_side(n: int, seed: int) -> None:
    similarities = matrix(n, seed)
    found = ordering_of(similarities, NAMES[:n])
    condensed = squareform(1 - similarities, checks=False)
    expected = squareform(cophenet(linkage(condensed, "average")))

    assert sorted(found.leaves) == list(range(n))
    assert len(found.merges) == n - 1
    for merge in found.merges:
        left, right = members(found, merge.left), members(found, merge.right)
        assert max(left) + 1 == min(right)
        assert len(left) + len(right) == merge.size
        one, other = found.leaves[min(left)], found.leaves[min(right)]
        assert merge.height == pytest.approx(expected[one, other])


@given(st.integers(0, 50), st.permutations(range(6)))
def test_the_order_of_systems_changes_nothing(seed: int, order: list[int]) -> None:
    similarities = matrix(6, seed)
    one = ordering_of(similarities, NAMES[:6])
    other = ordering_of(similarities[np.ix_(order, order)], [NAMES[place] for place in order])

    assert [NAMES[leaf] for leaf in one.leaves] == [NAMES[order[leaf]] for leaf in other.leaves]
    assert [merge.size for merge in one.merges] == [merge.size for merge in other.merges]


def test_systems_with_unknown_pairs_are_put_last() -> None:
    similarities = matrix(4, 1)
    similarities[1] = similarities[:, 1] = NAN
    found = ordering_of(similarities, "abcd")

    assert found.leaves[-1] == 1
    assert (found.n_clustered, len(found.merges)) == (3, 2)


def test_too_few_systems_have_an_order_and_no_merges() -> None:
    nothing = ordering_of(np.full((3, 3), NAN), "cab")

    assert nothing.leaves == (1, 2, 0)
    assert (nothing.n_clustered, nothing.merges) == (1, ())
    assert ordering_of(np.zeros((0, 0)), "").leaves == ()
    assert ordering_of(np.ones((1, 1)), "a").leaves == (0,)


def test_the_tables_have_the_order_of_each_measure() -> None:
    scores = drawn(np.random.default_rng(2), 5, 8, missing=0)
    scores.values[3] = scores.values[:, 3] = NAN
    order, merges = ordering_tables([scores, scores])

    assert order.frame.height == 10
    assert order.frame.row(4) == ("s_node", "s node", 4, "d", False)
    assert merges.frame["step"].to_list() == [0, 1, 2] * 2
    heights = merges.frame["height"].to_list()[:3]
    assert heights == sorted(heights)


def test_the_ends_of_a_pair_by_hand() -> None:
    scores = scores_of([[0.2, 1, NAN, 0.5, 1, 0, 0.7]], "ab")
    rows = extremes_table([scores], n_tasks=2).frame.select("end", "rank", "task", "score", "n_as")

    assert rows.rows() == [
        ("most alike", 1, "t1", 1.0, 2),
        ("most alike", 2, "t4", 1.0, 2),
        ("least alike", 1, "t5", 0.0, 1),
        ("least alike", 2, "t0", 0.2, 1),
    ]


@pytest.mark.parametrize("n_known", range(8))
def test_no_task_stands_at_both_ends(n_known: int) -> None:
    values = [0.5] * n_known + [NAN] * (8 - n_known)
    tasks = extremes_table([scores_of([values], "ab")]).frame["task"].to_list()

    assert len(tasks) == len(set(tasks)) == min(n_known, 6)


def test_a_composite_has_scores_where_all_parts_have() -> None:
    node, seq = scores_of([[1, NAN, 0]], "ab"), scores_of([[0.5, 1, 0.5]], "ab", "s_seq")
    frame = extremes_table([Composite("ags", (node, seq))]).frame

    assert frame.select("task", "score").rows() == [("t0", 0.75), ("t2", 0.25)]


@settings(max_examples=10)
@given(st.integers(0, 50), st.permutations(range(4)))
def test_scores_at_the_ends_do_not_depend_on_the_order_of_systems(
    seed: int, systems: list[int]
) -> None:
    ags = drawn_composite(np.random.default_rng(seed))
    moved = Composite("ags", tuple(reordered(part, systems, list(range(12))) for part in ags.parts))
    one, other = (
        extremes_table([each], pairs=[("a", "b"), ("d", "c")]).frame for each in (ags, moved)
    )

    assert one.drop("measure").equals(other.drop("measure"))


def test_what_is_asked_for_must_be_there() -> None:
    scores = drawn(np.random.default_rng(3))

    with pytest.raises(UsageError, match="1 or more; got 0"):
        extremes_table([scores], n_tasks=0)
    with pytest.raises(UnknownNameError):
        extremes_table([scores], pairs=[("a", "z")])
