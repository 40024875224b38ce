"""BERTScore F1: by hand with a toy embedder, against the definition as loops, by its laws."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.stats import token_match
from ethogram.stats.arrays import FloatArray
from ethogram.stats.token_match import TokenEmbedder, bertscore_f1

WORDS = {"book": [1.0, 0.0], "reserve": [0.6, 0.8], "cancel": [0.0, 5.0]}
EMBEDDINGS = st.lists(
    st.lists(st.floats(-10, 10).map(lambda x: round(x, 2)), min_size=3, max_size=3), max_size=5
)


def by_words(texts: Sequence[str]) -> list[FloatArray]:
    return [np.array([WORDS[word] for word in text.split()]).reshape(-1, 2) for text in texts]


def f1_by_hand(first: list[list[float]], second: list[list[float]]) -> float:
    def cosine(one: list[float], other: list[float]) -> float:
        lengths = np.linalg.norm(one) * np.linalg.norm(other)
        return float(np.dot(one, other) / lengths) if lengths else 0.0

    precision = np.mean([max(cosine(one, other) for other in second) for one in first])
    recall = np.mean([max(cosine(one, other) for one in first) for other in second])
    if min(precision, recall) <= 0:
        return 0.0
    return float(2 * precision * recall / (precision + recall))


def test_three_words_by_hand() -> None:
    """reserve lies at 0.6 of book and at 0.8 of cancel.

    ``book cancel`` finds 0.6 and 0.8, 0.7 on average; ``reserve`` finds 0.8: F1 = 1.12 / 1.5.
    """
    embed: TokenEmbedder = by_words

    assert bertscore_f1(*embed(["book cancel", "reserve"])) == pytest.approx(1.12 / 1.5)
    assert bertscore_f1(*embed(["book", "cancel"])) == 0
    assert bertscore_f1(*embed(["book book", "book"])) == 1
    assert bertscore_f1(*embed(["book cancel", "cancel book"])) == 1


@given(EMBEDDINGS, EMBEDDINGS, st.sampled_from([1, 2, 1024]))
def test_it_equals_its_definition_and_is_symmetric(
    first: list[list[float]], second: list[list[float]], block: int
) -> None:
    one, other = (np.array(rows).reshape(-1, 3) for rows in (first, second))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_match, "_BLOCK", block)
        found = bertscore_f1(one, other)

    if not first or not second:
        assert found == (None if first == second else 0)
        return
    assert found is not None
    assert 0 <= found <= 1
    assert found == pytest.approx(f1_by_hand(first, second), abs=1e-9)
    assert found == pytest.approx(bertscore_f1(other, one), abs=1e-12)


@given(EMBEDDINGS.filter(bool), st.sampled_from([1e-200, 0.3, 1e200]))
def test_only_directions_matter(rows: list[list[float]], factor: float) -> None:
    some = np.array(rows)
    moving = some[np.any(some != 0, axis=1)]
    if len(moving):
        assert bertscore_f1(moving, factor * moving) == pytest.approx(1)


def test_opposite_tokens_match_nothing() -> None:
    """A cosine below zero would make F1 negative, or larger than both of its parts."""
    assert bertscore_f1([[1.0, 0.0]], [[-1.0, 0.0]]) == 0
    assert bertscore_f1([[1.0, 0.0], [-1.0, 0.1]], [[0.0, -1.0]]) == 0


def test_a_token_of_zeros_matches_nothing() -> None:
    assert bertscore_f1([[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0]]) == pytest.approx(1 / 1.5)


def test_without_tokens_it_is_zero_for_one_and_undefined_for_two() -> None:
    nothing = np.zeros((0, 2))

    assert bertscore_f1(nothing, nothing) is None
    assert bertscore_f1(nothing, [[1.0, 0.0]]) == 0
    assert bertscore_f1([[1.0, 0.0]], nothing) == 0


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([[1.0, 0.0]], [[1.0]], "of one length; got 2 and 1"),
        ([1.0, 0.0], [[1.0, 0.0]], r"first must have one row a token; got shape \(2,\)"),
        ([[1.0]], [[float("nan")]], "second must be finite"),
    ],
)
def test_what_is_no_embedding_is_refused(
    first: list[list[float]], second: list[list[float]], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        bertscore_f1(first, second)
