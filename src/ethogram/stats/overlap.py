r"""Word bigrams that two collections of texts share.

::

    word_bigrams(texts) -> frozenset[tuple[str, str]]
    bigram_overlap(first, second) -> float | None
    bigram_overlap_matrix(collections) -> FloatArray           all pairs, NaN where undefined

A word is a run of letters, digits and underscores of any script (``\w+``), in lower case, composed
characters and their parts alike: ``don't`` is two words, ``user_id`` one. A bigram is two words
next to each other in one text, whatever stands between them.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count, pairwise
from typing import Final

import numpy as np

from ethogram.stats.arrays import FloatArray

_WORD: Final = re.compile(r"\w+")


def word_bigrams(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Every pair of neighbouring words of some texts; none crosses from one text to the next.

    A text of fewer than two words has none.

    Examples
    --------
    >>> sorted(word_bigrams(["Your flight, your FLIGHT!", "Done."]))
    [('flight', 'your'), ('your', 'flight')]
    """
    return frozenset(chain.from_iterable(pairwise(_words(text)) for text in texts))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def bigram_overlap(first: Iterable[str], second: Iterable[str]) -> float | None:
    """Jaccard index of the word bigrams of two collections of texts: shared ones over all.

    Returns
    -------
    float or None
        From 0 (none shared) to 1 (the same ones); symmetric. 0 if one collection alone has no
        bigrams, None if neither has any: what was not said is neither alike nor different.

    References
    ----------
    Jaccard (1912), New Phytologist 11(2), 37-50.

    Examples
    --------
    >>> bigram_overlap(["I will look it up."], ["Let me see.", "I will look."])
    0.3333333333333333
    """
    one, other = word_bigrams(first), word_bigrams(second)
    together = len(one | other)
    return len(one & other) / together if together else None


def bigram_overlap_matrix(collections: Sequence[Iterable[str]]) -> FloatArray:
    """`bigram_overlap` of all pairs of collections of texts.

    Each text is read once, so that the cost lies in reading, not in the pairs.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric; 1 on the diagonal. NaN where neither of two has bigrams, hence on the diagonal of
        one without.

    Examples
    --------
    >>> bigram_overlap_matrix([["a b"], ["a b c"], ["x"]]).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, nan]]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  takes a tenth of a second

    numbers = defaultdict[tuple[str, str], int](count().__next__)
    rows = [[numbers[bigram] for bigram in word_bigrams(texts)] for texts in collections]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=sizes.sum())
    starts = np.concatenate([[0], np.cumsum(sizes)])
    present = csr_array(
        (np.ones(len(columns)), columns, starts), shape=(len(rows), max(len(numbers), 1))
    )
    shared = (present @ present.T).toarray()
    together = np.add.outer(sizes, sizes) - shared
    overlap: FloatArray = np.full(shared.shape, np.nan)
    np.divide(shared, together, out=overlap, where=together > 0)
    return overlap
