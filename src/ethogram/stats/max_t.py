"""Which of several candidates is largest: paired differences over tasks, adjusted for the choice.

::

    max_t(differences, *, rng=0, n_flips=10_000, level=0.95) -> MaxT
    sign_patterns(n_tasks, *, rng=0, n_flips=10_000) -> (FloatArray, bool)

The largest candidate is chosen on the data that then speak for it. So every ordered choice of a
first and a second candidate is a hypothesis ("the first is no larger than the second") and all are
tested at once, by the distribution of the largest of their t statistics. Whichever candidate is
then named, the probability of calling it larger than one that it doesn't exceed is held.
"""

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray, IntArray, RandomSource

MAX_EXACT: Final = 4096
"""Sign patterns that are enumerated; beyond, they are drawn."""
N_FLIPS: Final = 10_000
TOLERANCE: Final = 1e-9
"""t statistics closer than this share of themselves are ties."""
BLOCK_CELLS: Final = 1 << 21


@dataclass(frozen=True, slots=True)
class MaxT:
    """Paired differences with p values adjusted over all of them and their negatives.

    Parameters
    ----------
    differences : ndarray of shape (n_rows,)
        Mean differences; NaN without a task.
    statistics : ndarray of shape (n_rows,)
        Their t statistics; infinite where all differences of a row are equal and not zero, 0 where
        all are zero or there is a single task.
    p_values : ndarray of shape (n_rows,)
        Of each row alone, two-sided; NaN without a task.
    p_adjusted : ndarray of shape (n_rows,)
        One-sided: that the difference is above zero; NaN without a task.
    critical : float
        What a t statistic must reach to be above zero at the level asked for; infinite where no
        statistic could.
    n_tasks : ndarray of int, shape (n_rows,)
    method : str
    """

    differences: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    p_adjusted: FloatArray
    critical: float
    n_tasks: IntArray
    method: str


def sign_patterns(
    n_tasks: int, *, rng: RandomSource = 0, n_flips: int = N_FLIPS
) -> tuple[FloatArray, bool]:
    """All ``2^n`` patterns of signs where they are few, else random ones; and whether all.

    >>> sign_patterns(1)[0].tolist(), sign_patterns(40, n_flips=5)[0].shape
    ([[-1.0], [1.0]], (5, 40))
    """
    if 2**n_tasks <= MAX_EXACT:
        return np.array(list(product((-1.0, 1.0), repeat=n_tasks))).reshape(
            2**n_tasks, n_tasks
        ), True
    generator = np.random.default_rng(rng)
    signs = generator.integers(2, size=(n_flips, n_tasks), dtype=np.int8).astype(np.float64)
    signs *= 2
    signs -= 1
    return signs, False


def _squared_t(cosines: FloatArray, n: IntArray) -> FloatArray:
    """Squared t statistics from ``sum(d) / sqrt(n sum(d^2))``.

    Signs leave the sums of squares as they are, so a flip needs no variance of its own.
    """
    share = cosines**2
    rest = 1.0 - share
    rest[rest < 1e-12] = 0.0  # equal values: nothing is left but the noise of last bits
    with np.errstate(divide="ignore"):
        squared: FloatArray = share * (n - 1) / rest
    return squared


def max_t(
    differences: FloatArray, *, rng: RandomSource = 0, n_flips: int = N_FLIPS, level: float = 0.95
) -> MaxT:
    """One-sided tests of several mean differences and of their negatives, adjusted together.

    The sign of each task is flipped in all rows at once; the p value of a row is the share of flips
    in which the largest absolute t statistic reaches the row's own.

    Parameters
    ----------
    differences : ndarray of shape (n_rows, n_tasks)
        NaN where a row isn't defined; each row rests on its own tasks.
    rng : int, SeedSequence or Generator
        Used where the patterns are more than 4,096 (thirteen tasks and more).
    n_flips : int
        Random flips then; p is ``(b + 1) / (n_flips + 1)``.
    level : float
        One minus the error that ``critical`` holds.

    Notes
    -----
    Exact for one row if its differences are symmetric about zero, and asymptotically for several,
    whose dependence the common flips keep; t statistics instead of means make rows with other
    spreads or fewer tasks comparable.

    References
    ----------
    Westfall and Young (1993), Resampling-based multiple testing; Romano and Wolf (2005).

    Examples
    --------
    >>> found = max_t(np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]]))
    >>> found.differences.tolist(), found.p_adjusted.tolist(), found.method
    ([2.0], [0.03125], 'max-T, sign flips, exact')
    """
    if differences.ndim != 2:
        raise UsageError(f"differences must be (n_rows, n_tasks); got shape {differences.shape}")
    defined = ~np.isnan(differences)
    values = np.where(defined, differences, 0.0)
    n: IntArray = defined.sum(axis=1, dtype=np.int64)
    length = np.sqrt(n * (values**2).sum(axis=1))
    tested = (length > 0) & (n > 1)
    scaled = values[tested] / length[tested, None]
    cosines = scaled.sum(axis=1)
    observed = np.zeros(len(n))
    observed[tested] = np.sign(cosines) * np.sqrt(_squared_t(cosines, n[tested]))
    speaks = (scaled != 0).any(axis=0)
    signs, exact = sign_patterns(int(speaks.sum()), rng=rng, n_flips=n_flips)
    largest, reached = _flipped(signs, scaled[:, speaks], n[tested])
    alone = np.full(len(n), len(signs))
    alone[tested] = reached
    return MaxT(
        differences=np.where(n > 0, values.sum(axis=1) / np.maximum(n, 1), np.nan),
        statistics=observed,
        p_values=np.where(n > 0, _p_values(alone, len(signs), exact=exact), np.nan),
        p_adjusted=np.where(n > 0, _shares(largest, observed, exact=exact), np.nan),
        critical=_critical(largest, 1 - level, exact=exact),
        n_tasks=n,
        method="max-T, sign flips, " + ("exact" if exact else f"{len(signs):,} random"),
    )


def _flipped(signs: FloatArray, scaled: FloatArray, n: IntArray) -> tuple[FloatArray, IntArray]:
    """The largest absolute t statistic of each flip, rising; flips that reach each row's own."""
    if not len(scaled):
        return np.zeros(len(signs)), np.zeros(0, dtype=np.int64)
    order = np.argsort(n, kind="stable")
    sizes, starts = np.unique(n[order], return_index=True)
    own = np.abs(scaled[order].sum(axis=1)) - TOLERANCE
    reached = np.zeros(len(n), dtype=np.int64)
    step = max(1, BLOCK_CELLS // len(scaled))
    blocks = []
    for start in range(0, len(signs), step):
        cosines = np.abs(signs[start : start + step] @ scaled[order].T)
        reached[order] += np.count_nonzero(cosines >= own, axis=0)
        # among rows of as many tasks the largest cosine has the largest t
        most = np.maximum.reduceat(cosines, starts, axis=1)
        blocks.append(_squared_t(most, sizes).max(axis=1))
    return np.sort(np.sqrt(np.concatenate(blocks))), reached


def _shares(largest: FloatArray, observed: FloatArray, *, exact: bool) -> FloatArray:
    """Share of flips that reach each statistic; zero and less is always reached."""
    reached = len(largest) - np.searchsorted(largest, observed * (1 - TOLERANCE))
    return _p_values(reached.astype(np.int64), len(largest), exact=exact)


def _p_values(reached: IntArray, n_flips: int, *, exact: bool) -> FloatArray:
    shares: FloatArray = reached / n_flips if exact else (reached + 1) / (n_flips + 1)
    return shares


def _critical(largest: FloatArray, alpha: float, *, exact: bool) -> float:
    """The smallest statistic whose p value is at most ``alpha``."""
    p = _shares(largest, largest, exact=exact)
    enough = largest[(p <= alpha) & (largest > 0)]
    return float(enough[0]) if len(enough) else float("inf")
