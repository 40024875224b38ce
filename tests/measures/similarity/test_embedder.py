"""Embeddings by windows, with a toy model of three words in place of a real one."""

import importlib.util
from collections.abc import Mapping

import numpy as np
import pytest

from ethogram.errors import MissingDependencyError, UsageError
from ethogram.measures.similarity.embedder import WindowEmbedder, Windows, load_embedder
from ethogram.stats.arrays import FloatArray
from ethogram.stats.token_match import bertscore_f1

WORDS: Mapping[str, int] = {"book": 3, "reserve": 4, "cancel": 5}
VECTORS = np.array([[9.0, 9], [9, 9], [9, 9], [1, 0], [0.6, 0.8], [0, 1]])
FILLING, START, END = 0, 1, 2
LONGEST = 4


def tokenize(texts: list[str]) -> Windows:
    """Windows of two words between two marks, filled up to four tokens."""
    assert texts, "real ones refuse an empty list"
    rows = [
        (number, [WORDS[word] for word in words[start : start + LONGEST - 2]])
        for number, words in enumerate(text.split() for text in texts)
        for start in range(0, max(len(words), 1), LONGEST - 2)
    ]
    tokens = [[START, *words, END] for _, words in rows]
    ids = np.array([[*row, *[FILLING] * (LONGEST - len(row))] for row in tokens])
    return {
        "input_ids": ids,
        "attention_mask": (ids != FILLING).astype(np.int64),
        "special_tokens_mask": np.isin(ids, (START, END)).astype(np.int64),
        "overflow_to_sample_mapping": np.array([number for number, _ in rows]),
    }


class Model:
    """Looks up vectors, and keeps how many windows it was given at once."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.names: set[str] = set()

    def __call__(self, windows: Windows) -> FloatArray:
        self.sizes.append(len(windows["input_ids"]))
        self.names |= windows.keys()
        found: FloatArray = VECTORS[windows["input_ids"]]
        return found


def test_every_word_of_every_text_has_its_vector_in_order() -> None:
    model = Model()
    texts = ["book reserve cancel book cancel", "", "cancel"]
    found = WindowEmbedder(tokenize, model, batch_size=2)(texts)

    assert [array.tolist() for array in found] == [
        [[1, 0], [0.6, 0.8], [0, 1], [1, 0], [0, 1]],
        [],
        [[0, 1]],
    ]
    assert found[1].shape == (0, 2)
    assert model.sizes == [2, 2, 1]
    assert model.names == {"input_ids", "attention_mask"}


@pytest.mark.parametrize("batch_size", [1, 3, 16])
def test_the_size_of_batches_changes_nothing(batch_size: int) -> None:
    texts = ["reserve book cancel", "cancel", "", "book book book book"]
    whole = WindowEmbedder(tokenize, Model())(texts)
    found = WindowEmbedder(tokenize, Model(), batch_size=batch_size)(texts)

    assert all(np.array_equal(*pair) for pair in zip(whole, found, strict=True))


def test_its_embeddings_give_the_score_by_hand() -> None:
    """As in the tests of `bertscore_f1`: 0.7 of one, 0.8 of the other."""
    found = WindowEmbedder(tokenize, Model())(["book cancel", "reserve"])

    assert bertscore_f1(*found) == pytest.approx(1.12 / 1.5)


def test_no_text_needs_no_model() -> None:
    model = Model()

    assert WindowEmbedder(tokenize, model)([]) == []
    assert model.sizes == []


@pytest.mark.skipif(
    importlib.util.find_spec("transformers") is not None, reason="transformers is installed"
)
def test_without_the_extra_it_says_what_to_install() -> None:
    with pytest.raises(MissingDependencyError, match=r"ethogram\[bertscore\]"):
        load_embedder("roberta-large")


def test_a_batch_has_at_least_one_window() -> None:
    with pytest.raises(UsageError, match="batch_size must be 1 or more; got 0"):
        load_embedder("roberta-large", batch_size=0)
