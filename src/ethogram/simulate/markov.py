"""Absorbing Markov chains whose states show symbols: what is known of them without simulation.

A run is a path through the transient states until it ends; what is seen of a state is its symbol
(the kind of action), and several states may show the same one. The figures are exact; `draw_counts`
and `sample_cvs` serve those that have no closed form.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ethogram.errors import UsageError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NEGLIGIBLE: Final = 1e-10
"""Probability below which a case no longer counts."""
MAX_BELIEFS: Final = 1_000
"""So many of the likeliest beliefs are followed."""
_SAME: Final = 12
"""Beliefs that agree in so many decimals are one."""


@dataclass(frozen=True)
class Chain:
    """An absorbing Markov chain with a symbol for each transient state.

    Parameters
    ----------
    start : ndarray of shape (n_states,)
        Probability of each state as the first.
    transition : ndarray of shape (n_states, n_states)
        ``transition[i, j]``: probability that j follows i. What a row lacks to 1 is the probability
        that the run ends after i.
    symbols : ndarray of shape (n_states,)
        Index of the symbol that each state shows.
    n_symbols : int
        Size of the alphabet.

    Raises
    ------
    UsageError
        If probabilities are negative or exceed 1, or if some state never lets a run end.
    """

    start: FloatArray
    transition: FloatArray
    symbols: IntArray
    n_symbols: int

    def __post_init__(self) -> None:
        rows = self.transition.sum(axis=1)
        if self.transition.min() < 0 or rows.max() > 1 + 1e-9 or self.start.min() < 0:
            raise UsageError("transition probabilities must be 0 or more and sum to 1 at most")
        if abs(self.start.sum() - 1) > 1e-9:
            raise UsageError(f"start probabilities must sum to 1, got {self.start.sum():.6g}")
        if np.abs(np.linalg.eigvals(self.transition)).max() >= 1 - 1e-9:
            raise UsageError("some states never let a run end")

    @property
    def n_states(self) -> int:
        """Number of transient states."""
        return len(self.start)

    @property
    def ending(self) -> FloatArray:
        """Probability that the run ends after each state."""
        missing: FloatArray = 1 - self.transition.sum(axis=1)
        return np.maximum(missing, 0)


def expected_visits(chain: Chain) -> FloatArray:
    """Expected number of visits to each state in one run.

    ``start @ inv(I - T)``: the start distribution times the fundamental matrix.

    Returns
    -------
    ndarray of shape (n_states,)

    References
    ----------
    Kemeny and Snell 1960, Finite Markov Chains, theorem 3.2.4.
    """
    matrix = np.eye(chain.n_states) - chain.transition
    return np.asarray(np.linalg.solve(matrix.T, chain.start), dtype=float)


def expected_counts(chain: Chain) -> FloatArray:
    """Expected number of times that each symbol is shown in one run; shape (n_symbols,)."""
    shown = chain.symbols == np.arange(chain.n_symbols)[:, None]
    return np.asarray(shown @ expected_visits(chain), dtype=float)


def count_moments(chain: Chain, symbol: int | None = None) -> tuple[float, float]:
    """Mean and variance of the number of actions of a run, or of those that show one symbol.

    With N = inv(I - T), reward vector r (1 where the symbol is shown) and m = N r:
    E[X] = start · m and E[X²] = start · N (2 r m - r²), the phase-type moments for r = 1.

    Parameters
    ----------
    chain : Chain
    symbol : int, optional
        Count this symbol only; all actions if left out.

    Returns
    -------
    tuple of float
        Mean and variance, in actions and squared actions.

    Examples
    --------
    A coin that ends a run with probability 1/4 after each action: geometric.

    >>> coin = Chain(np.array([1.0]), np.array([[0.75]]), np.array([0]), 1)
    >>> [round(x, 9) for x in count_moments(coin)]
    [4.0, 12.0]
    """
    shown = chain.symbols == symbol if symbol is not None else np.ones(chain.n_states)
    reward = shown.astype(float)
    matrix = np.eye(chain.n_states) - chain.transition
    to_come = np.linalg.solve(matrix, reward)
    second = np.linalg.solve(matrix, 2 * reward * to_come - reward)
    mean = float(chain.start @ to_come)
    return mean, max(float(chain.start @ second) - mean**2, 0.0)


@dataclass(frozen=True)
class Divergence:
    """Distribution of the first action at which k runs differ.

    Parameters
    ----------
    at : ndarray
        ``at[t]``: probability that they first differ at action t (from 1; ``at[0]`` is 0).
    never : float
        Probability that all k show the same symbols to the end.
    missed : float
        By how much the probabilities may be wrong at most, because unlikely sequences were not
        followed to their ends.
    """

    at: FloatArray
    never: float
    missed: float = 0.0

    @property
    def mean(self) -> float:
        """Mean over the cases in which the runs differ at all; NaN if they never do."""
        differ = float(self.at.sum())
        return float(np.arange(len(self.at)) @ self.at) / differ if differ > 0 else float("nan")

    def by(self, action: int) -> float:
        """Probability that they have differed at this action or before."""
        return float(self.at[: action + 1].sum())


def divergence(chain: Chain, k: int) -> Divergence:
    """Distribution of the first action at which k independent runs don't show the same symbol.

    All k agree on a sequence w of symbols with probability P(w)^k. Summed over sequences, this is a
    chain of its own: its states are beliefs (the distribution over hidden states, given what was
    shown) and its steps have the k-th powers of the beliefs' probabilities. Where each symbol has
    one state, the beliefs are the states and the steps are the elementwise power of ``transition``.
    A run that has ended differs from one that goes on.

    Parameters
    ----------
    chain : Chain
    k : int
        Number of runs, 2 or more.

    Raises
    ------
    UsageError
        With fewer than two runs.

    Examples
    --------
    Two runs that each show one of two symbols with even odds and end: they differ at 1 or never.

    >>> flip = Chain(np.array([0.5, 0.5]), np.zeros((2, 2)), np.array([0, 1]), 2)
    >>> divergence(flip, 2).by(1), divergence(flip, 2).never
    (0.5, 0.5)
    """
    if k < 2:
        raise UsageError(f"runs differ from each other: k must be 2 or more, got {k}")
    agreed, never, missed = [1.0], 0.0, 0.0
    beliefs, weights = _shown(chain, chain.start[None, :], np.ones(1), k)
    while (going_on := float(weights.sum())) > NEGLIGIBLE:
        agreed.append(never + going_on)
        never += float(weights @ (beliefs @ chain.ending) ** k)
        beliefs, weights = _shown(chain, beliefs @ chain.transition, weights, k)
        if len(weights) > MAX_BELIEFS:
            order = np.argsort(weights)[::-1]
            missed += float(weights[order[MAX_BELIEFS:]].sum())
            beliefs, weights = beliefs[order[:MAX_BELIEFS]], weights[order[:MAX_BELIEFS]]
    agreed.append(never)
    return Divergence(at=np.concatenate([[0.0], -np.diff(agreed)]), never=never, missed=missed)


def _shown(
    chain: Chain, masses: FloatArray, weights: FloatArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Beliefs after each symbol that may be shown, with the weights that all k runs show it."""
    symbols = np.arange(chain.n_symbols)[:, None, None]
    parts = np.where(chain.symbols == symbols, masses, 0.0).reshape(-1, chain.n_states)
    shares = parts.sum(axis=1)
    heavy = np.tile(weights, chain.n_symbols) * shares**k
    some = heavy > 0
    beliefs = np.round(parts[some] / shares[some, None], _SAME)
    # as bytes, because unique(axis=0) takes ten times as long
    rows = beliefs.view(np.dtype((np.void, beliefs.itemsize * chain.n_states))).ravel()
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    merged: FloatArray = np.zeros(len(first))
    np.add.at(merged, which, heavy[some])
    return beliefs[first], merged


def draw_counts(chain: Chain, n: int, rng: np.random.Generator) -> IntArray:
    """Draw runs and count what each shows; shape (n, n_symbols)."""
    width = chain.n_states + 1
    table = np.cumsum(np.column_stack([chain.transition, chain.ending]), axis=1)
    table[:, -1] = 1.0
    flat = (np.arange(chain.n_states)[:, None] + table).ravel()
    counts = np.zeros((n, chain.n_symbols), dtype=np.int64)
    going = np.arange(n)
    states = rng.choice(chain.n_states, size=n, p=chain.start)
    while len(going):
        np.add.at(counts, (going, chain.symbols[states]), 1)
        drawn = np.searchsorted(flat, states + rng.random(len(states)), side="right")
        states = np.minimum(drawn - states * width, chain.n_states)
        on = states < chain.n_states
        going, states = going[on], states[on]
    return counts


def sample_cvs(amounts: IntArray | FloatArray, n_runs: int) -> FloatArray:
    """Sample CV (standard deviation with ``ddof=1`` over mean) of each group of runs.

    The sample CV of few runs is biased (low, as the sample standard deviation is), so that the mean
    of these is what a mean over many tasks with ``n_runs`` runs each estimates; the ratio of the
    moments is not.

    Parameters
    ----------
    amounts : ndarray of shape (n,)
        Non-negative amounts of independent runs; those beyond the last whole group are left out.
    n_runs : int
        Runs in a group.

    Returns
    -------
    ndarray of shape (n // n_runs,)
        NaN for groups whose amounts are all zero.
    """
    groups = amounts[: len(amounts) // n_runs * n_runs].reshape(-1, n_runs)
    means = groups.mean(axis=1)
    spreads: FloatArray = groups.std(axis=1, ddof=1)
    cvs: FloatArray = np.full(len(groups), np.nan)
    np.divide(spreads, means, out=cvs, where=means > 0)
    return cvs
