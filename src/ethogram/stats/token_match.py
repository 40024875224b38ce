"""BERTScore: how well each token of one text is matched by some token of another, by embedding.

::

    TokenEmbedder                                  protocol: texts -> one (n_tokens, d) array each
    bertscore_f1(first, second) -> float | None

Where the embeddings come from is the caller's choice. `ethogram.measures.similarity.embedder` has
the models that the paper used; any function of that form does.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray

_BLOCK: Final = 1024
"""Tokens of one text that are compared with all of the other at once: bounds the memory."""


class TokenEmbedder(Protocol):
    """Turns each text into one vector a token, in context."""

    def __call__(self, texts: Sequence[str]) -> Sequence[FloatArray]:
        """One array of shape (n_tokens, d) a text, with the same ``d`` for all of them.

        Tokens that only mark the start and the end of a text are left out; a text without tokens
        has an array of shape (0, d).
        """
        ...


def bertscore_f1(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """BERTScore F1 of two texts from the embeddings of their tokens.

    Each token is matched with the one of the other text that has the highest cosine, however often
    that one is taken. Precision is the mean over the tokens of one text, recall over those of the
    other, F1 their harmonic mean. Neither weights by inverse document frequency nor rescaling with
    a baseline are applied: both need a reference corpus and change the values, rescaling not their
    order.

    Parameters
    ----------
    first, second : array_like of shape (n_tokens, d)
        Embeddings of any length; a token of all zeros has cosine 0 with every other.

    Returns
    -------
    float or None
        From 0 to 1; symmetric; 1 for a text with itself. 0 if one text alone has no tokens, or if
        precision or recall is not positive, where a harmonic mean has no meaning (the definition
        leaves this open, contextual embeddings hardly reach it). None if neither has any.

    Raises
    ------
    UsageError
        If an array has another shape or holds NaN or infinity, or the two differ in ``d``.

    References
    ----------
    Zhang, Kishore, Wu, Weinberger and Artzi (2020), BERTScore, ICLR.

    Examples
    --------
    >>> round(bertscore_f1([[1, 0], [0, 1]], [[2, 0]]), 4)
    0.6667
    """
    one, other = _directions(first, name="first"), _directions(second, name="second")
    if not len(one) or not len(other):
        return None if len(one) == len(other) else 0.0
    if one.shape[1] != other.shape[1]:
        raise UsageError(
            f"both texts need embeddings of one length; got {one.shape[1]} and {other.shape[1]}"
        )
    precision, recall = _best_cosines(one, other)
    if precision <= 0 or recall <= 0:
        return 0.0
    return min(1.0, 2 * precision * recall / (precision + recall))


def _directions(embeddings: npt.ArrayLike, *, name: str) -> FloatArray:
    """Each row at length one, or zero."""
    rows = np.asarray(embeddings, dtype=np.float64)
    if rows.ndim != 2:
        raise UsageError(f"{name} must have one row a token; got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise UsageError(f"{name} must be finite")
    largest = np.abs(rows).max(axis=1, initial=0, keepdims=True)  # squares neither vanish nor grow
    found: FloatArray = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    np.divide(found, lengths, out=found, where=lengths > 0)
    return found


def _best_cosines(one: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Mean over the tokens of each text of the highest cosine with one of the other."""
    total, best = 0.0, np.full(len(other), -np.inf)
    for start in range(0, len(one), _BLOCK):
        cosines = one[start : start + _BLOCK] @ other.T
        total += cosines.max(axis=1).sum()
        np.maximum(best, cosines.max(axis=0), out=best)
    return float(total / len(one)), float(best.mean())
