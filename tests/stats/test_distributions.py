"""Counts of n-grams and the Jensen-Shannon divergence: by hand, against scipy, by their laws."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from ethogram.errors import UsageError
from ethogram.stats.distributions import (
    jensen_shannon_divergence,
    jensen_shannon_matrix,
    ngram_counts,
)

COUNTS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 20))
SEQUENCES = st.lists(st.text("abc", max_size=6), max_size=4)


def test_bigrams_by_hand() -> None:
    """Overlapping ones count; none spans two sequences; one symbol alone has none."""
    assert ngram_counts(["aaab", "ba", "b", ""]) == {("a", "a"): 2, ("a", "b"): 1, ("b", "a"): 1}


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, {("x",): 2, ("y",): 1}), (3, {("x", "y", "x"): 1}), (4, {})],
)
def test_grams_of_other_lengths(n: int, expected: dict[tuple[str, ...], int]) -> None:
    assert ngram_counts([["x", "y", "x"]], n=n) == expected


@given(SEQUENCES, st.integers(1, 4))
def test_a_sequence_has_one_gram_a_place_where_one_fits(sequences: list[str], n: int) -> None:
    assert ngram_counts(sequences, n=n).total() == sum(
        max(0, len(sequence) - n + 1) for sequence in sequences
    )


def test_the_divergence_by_hand() -> None:
    """(1/2, 1/2) and (1, 0) have the mean (3/4, 1/4)."""
    expected = (0.5 * log2(2 / 3) + 0.5 * log2(2) + log2(4 / 3)) / 2

    assert jensen_shannon_divergence({"a": 1, "b": 1}, {"a": 7}) == pytest.approx(expected)


@given(COUNTS, COUNTS)
def test_the_divergence_equals_the_square_of_scipys_distance(
    first: dict[str, int], second: dict[str, int]
) -> None:
    found = jensen_shannon_divergence(first, second)

    assert found == pytest.approx(jensen_shannon_divergence(second, first), abs=1e-15)
    assert 0 <= found <= 1
    if any(first.values()) and any(second.values()):
        one, other = (
            [float(counts.get(symbol, 0)) for symbol in "abcde"] for counts in (first, second)
        )
        assert found == pytest.approx(jensenshannon(one, other, 2.0) ** 2, abs=1e-7)
    else:
        assert found == (any(first.values()) != any(second.values()))


@given(COUNTS, COUNTS, st.integers(2, 50))
def test_only_proportions_matter(first: dict[str, int], second: dict[str, int], n: int) -> None:
    more = {symbol: n * count for symbol, count in first.items()}

    assert jensen_shannon_divergence(first, more) == pytest.approx(0, abs=1e-12)
    assert jensen_shannon_divergence(more, second) == pytest.approx(
        jensen_shannon_divergence(first, second), abs=1e-12
    )


def test_equal_counts_are_at_zero_and_strangers_at_one() -> None:
    counts = Counter("a" * 3 + "b" * 7 + "c")

    assert jensen_shannon_divergence(counts, counts) == 0
    assert jensen_shannon_divergence(counts, {"d": 2, "a": 0}) == 1


def test_without_any_count_two_are_equal_and_one_is_far() -> None:
    nothing: dict[str, int] = {}

    assert jensen_shannon_divergence(nothing, nothing) == 0
    assert jensen_shannon_divergence(nothing, {"a": 0}) == 0
    assert jensen_shannon_divergence(nothing, {"a": 2}) == 1


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=6))
def test_the_matrix_has_the_divergence_of_each_pair(rows: list[list[int]]) -> None:
    found = jensen_shannon_matrix(rows)

    assert np.array_equal(found, found.T)
    for place, one in enumerate(rows):
        for other_place, other in enumerate(rows):
            pair = dict(enumerate(one)), dict(enumerate(other))
            assert found[place, other_place] == pytest.approx(
                jensen_shannon_divergence(*pair), abs=1e-15
            )


@pytest.mark.parametrize("count", [-1.0, float("nan"), float("inf")])
def test_counts_are_not_negative_and_finite(count: float) -> None:
    with pytest.raises(UsageError, match="0 or more and finite"):
        jensen_shannon_divergence({"a": count}, {"a": 1.0})


def test_a_matrix_is_needed_and_a_length() -> None:
    with pytest.raises(UsageError, match=r"two-dimensional; got shape \(3,\)"):
        jensen_shannon_matrix([1, 2, 3])
    with pytest.raises(UsageError, match="n must be 1 or more; got 0"):
        ngram_counts(["ab"], n=0)
