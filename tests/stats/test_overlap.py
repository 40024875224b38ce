"""Overlap of word bigrams: by hand, pair by pair against the matrix, by its laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.stats.overlap import bigram_overlap, bigram_overlap_matrix, word_bigrams

TEXT = st.lists(st.sampled_from(["a", "B", "c", "é", ".", "a-b"]), max_size=6).map(" ".join)
TEXTS = st.lists(TEXT, max_size=4)


def test_by_hand() -> None:
    """Three bigrams against four; two of the five are shared."""
    first = ["I have cancelled it."]
    second = ["Well, I have cancelled one"]

    assert word_bigrams(first) == {("i", "have"), ("have", "cancelled"), ("cancelled", "it")}
    assert bigram_overlap(first, second) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Don't", {("don", "t")}, id="an apostrophe parts words"),
        pytest.param("get_user id", {("get_user", "id")}, id="an underscore does not"),
        pytest.param("$1,200.50", {("1", "200"), ("200", "50")}, id="nor do figures stay whole"),
        pytest.param("ÜBER\nuns", {("über", "uns")}, id="any script, any space"),
        pytest.param("cafe\u0301 noir", {("caf\u00e9", "noir")}, id="accents in one or two parts"),
        pytest.param("你好 世界", {("你好", "世界")}, id="no cut inside a run of characters"),
        pytest.param("a a a", {("a", "a")}, id="a set"),
        pytest.param("one", set(), id="one word"),
        pytest.param("?! ...", set(), id="no word"),
    ],
)
def test_what_a_word_is(text: str, expected: set[tuple[str, str]]) -> None:
    assert word_bigrams([text]) == expected


def test_no_bigram_crosses_texts() -> None:
    assert word_bigrams(["a b", "c d"]) == {("a", "b"), ("c", "d")}


def test_without_bigrams_it_is_zero_for_one_and_undefined_for_two() -> None:
    assert bigram_overlap(["a b"], ["a"]) == 0
    assert bigram_overlap([], ["a b"]) == 0
    assert bigram_overlap(["a"], []) is None


@given(TEXTS, TEXTS)
def test_it_is_symmetric_and_says_how_much_of_all_is_shared(
    first: list[str], second: list[str]
) -> None:
    one, other = word_bigrams(first), word_bigrams(second)
    found = bigram_overlap(first, second)

    assert found == bigram_overlap(second[::-1], first[::-1])
    if one or other:
        assert found == len([bigram for bigram in one if bigram in other]) / len({*one, *other})
        assert (found == 1) == (one == other)


@given(st.lists(TEXTS, max_size=5))
def test_the_matrix_has_the_overlap_of_each_pair(collections: list[list[str]]) -> None:
    found = bigram_overlap_matrix(collections)

    assert found.shape == (len(collections), len(collections))
    for place, one in enumerate(collections):
        for other_place, other in enumerate(collections):
            expected = bigram_overlap(one, other)
            assert found[place, other_place] == pytest.approx(
                math.nan if expected is None else expected, nan_ok=True
            )


def test_a_matrix_without_any_word_is_undefined_throughout() -> None:
    assert np.isnan(bigram_overlap_matrix([[], ["?"]])).all()
