"""What measures should find in simulated runs, computed from the policies.

Tasks are drawn afresh with every seed, so every figure is that of the *population* of tasks: a mean
over levels of difficulty, weighted by their shares. That is also what an interval over tasks speaks
of. Figures that pool actions over tasks are ratios of expectations.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import numpy as np

from ethogram.actions.kinds import KINDS
from ethogram.errors import UsageError
from ethogram.simulate.markov import (
    Chain,
    FloatArray,
    count_moments,
    divergence,
    draw_counts,
    expected_counts,
    sample_cvs,
)
from ethogram.simulate.policy import Level, Policy
from ethogram.simulate.systems import LEVELS

DRAWS: Final = 4_000
"""Groups of runs drawn at each level for the figures without a closed form."""


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """A true value of a simulated system."""

    name: str
    unit: str
    value: float
    method: str
    """How it was computed from the policy."""


def true_parameters(
    policy: Policy,
    *,
    k: int = 5,
    n_runs: int = 5,
    levels: Sequence[Level] = LEVELS,
    draws: int = DRAWS,
) -> tuple[Truth, ...]:
    """True values of what the variance measures estimate for one system.

    Parameters
    ----------
    policy : Policy
        The system.
    k : int
        Number of runs for pass@k, pass^k, flips and divergence.
    n_runs : int
        Runs a task, on which the bias of the sample CV depends.
    levels : sequence of Level
        How hard tasks are and how often.
    draws : int
        Groups of ``n_runs`` runs drawn at each level for the mean sample CVs (their relative error
        is about 0.5 % with 4,000).

    Returns
    -------
    tuple of Truth
        Names are unique. Shares and rates lie between 0 and 1, CVs are percentages. A figure that
        the policy leaves undefined (the spread of a kind that never occurs, the correlation of
        outcomes that are all equal, the divergence of runs that never differ) is left out.

    Raises
    ------
    UsageError
        If ``k`` or ``n_runs`` is below 2.

    Notes
    -----
    A run that submits on a task of level l succeeds with probability s_l, independently of its
    length; with the loop rate c it submits with probability 1 - c, so q_l = (1 - c) s_l. Accuracy
    is E[q], pass^k E[q^k], pass@k 1 - E[(1 - q)^k], the flip rate pass@k - pass^k and ICC(1)
    Var[q] / (E[q] (1 - E[q])).
    """
    if min(k, n_runs) < 2:
        raise UsageError(f"k and n_runs must be 2 or more, got {k} and {n_runs}")
    weights = np.array([level.share for level in levels])
    chains = [policy.chain(level) for level in range(len(levels))]
    return (
        *_outcomes(policy, weights, k),
        *_failures(policy, weights),
        *_amounts(policy, chains, weights),
        *_cvs(chains, weights, n_runs, draws),
        *_phases(chains, weights),
        *_divergence(chains, weights, k),
        *_first_actions(policy),
    )


def _outcomes(policy: Policy, weights: FloatArray, k: int) -> Iterator[Truth]:
    solved = (1 - policy.loop) * np.array(policy.success)
    accuracy = float(weights @ solved)
    every, none = float(weights @ solved**k), float(weights @ (1 - solved) ** k)
    binary = accuracy * (1 - accuracy)
    variance = float(weights @ (solved - accuracy) ** 2)

    def share(name: str, value: float, method: str) -> Truth:
        return Truth(name=name, unit="share", value=value, method=method)

    yield share("accuracy", accuracy, "mean over levels")
    yield share(f"pass_at_{k}", 1 - none, "1 - E[(1 - q)^k]")
    yield share(f"pass_hat_{k}", every, "E[q^k]")
    yield share("flip_rate", 1 - none - every, "pass@k - pass^k")
    if binary > 0:
        yield Truth(
            name="icc_success",
            unit="",
            value=variance / binary,
            method="Var[q] / (E[q] (1 - E[q]))",
        )


def _failures(policy: Policy, weights: FloatArray) -> Iterator[Truth]:
    failed = (1 - policy.loop) * (1 - float(weights @ np.array(policy.success)))
    for name, value, method in (
        ("loop_rate", policy.loop, "as stated in the policy"),
        ("empty_submission_rate", failed * policy.empty, "failed submissions x empty ones"),
        ("wrong_result_rate", failed * (1 - policy.empty), "failed submissions that are not empty"),
    ):
        yield Truth(name=name, unit="share", value=value, method=method)


def _amounts(policy: Policy, chains: Sequence[Chain], weights: FloatArray) -> Iterator[Truth]:
    moments = np.array([count_moments(chain) for chain in chains])
    mean = float(weights @ moments[:, 0])
    squared = float(weights @ (moments[:, 1] + moments[:, 0] ** 2))
    spending = policy.spending
    read = mean * spending.prompt_tokens + (squared - mean) / 2 * spending.tokens_an_action
    written = mean * sum(spending.output_tokens) / 2
    cost = read * spending.input_price + written * spending.output_price
    for name, unit, value, method in (
        ("actions", "actions", mean, "phase-type mean"),
        ("tokens", "tokens", read + written, "phase-type moments"),
        ("cost", "usd", cost, "phase-type moments"),
        ("duration", "seconds", mean * spending.seconds, "phase-type mean"),
    ):
        yield Truth(name=name, unit=unit, value=value, method=method)


def _cvs(chains: Sequence[Chain], weights: FloatArray, n_runs: int, draws: int) -> Iterator[Truth]:
    moments = [count_moments(chain) for chain in chains]
    ratio = float(weights @ [np.sqrt(variance) / mean for mean, variance in moments])
    yield Truth(
        name="cv_actions_population",
        unit="percent",
        value=100 * ratio,
        method="phase-type SD / mean of each task: what many runs a task would show",
    )
    drawn = [
        draw_counts(chain, draws * n_runs, np.random.default_rng(level))
        for level, chain in enumerate(chains)
    ]
    method = f"mean sample CV of {n_runs} runs, {draws:,} draws a level"
    cvs = np.array([sample_cvs(counts.sum(axis=1), n_runs) for counts in drawn])
    yield Truth(
        name="cv_actions", unit="percent", value=100 * _defined(weights, cvs), method=method
    )
    for symbol, kind in enumerate(KINDS):
        if not any(counts[:, symbol].any() for counts in drawn):
            continue  # a kind that never occurs has no spread to know
        cvs = np.array([sample_cvs(counts[:, symbol], n_runs) for counts in drawn])
        value = 100 * _defined(weights, cvs)
        yield Truth(name=f"cv_{kind}", unit="percent", value=value, method=method)


def _defined(weights: FloatArray, values: FloatArray) -> float:
    """Mean over levels and draws, of the draws for which there is a value."""
    defined = ~np.isnan(values)
    return float(
        weights @ np.where(defined, values, 0).sum(axis=1) / (weights @ defined.sum(axis=1))
    )


def _phases(chains: Sequence[Chain], weights: FloatArray) -> Iterator[Truth]:
    counts = weights @ np.array([expected_counts(chain) for chain in chains])
    for kind, share in zip(KINDS, counts / counts.sum(), strict=True):
        yield Truth(
            name=f"share_{kind}",
            unit="share",
            value=float(share),
            method="fundamental matrix, pooled over runs: ratio of expected counts",
        )


def _divergence(chains: Sequence[Chain], weights: FloatArray, k: int) -> Iterator[Truth]:
    levels = [divergence(chain, k) for chain in chains]
    differ = weights @ [1 - level.never for level in levels]
    total = weights @ [np.arange(len(level.at)) @ level.at for level in levels]
    method = f"k-th powers of the chain of beliefs, k = {k}"
    if differ > 0:
        mean = float(total / differ)
        yield Truth(name="divergence", unit="actions", value=mean, method=method)
    for name, value in (
        ("divergence_at_1", weights @ [level.by(1) for level in levels]),
        ("divergence_by_5", weights @ [level.by(5) for level in levels]),
    ):
        yield Truth(name=name, unit="share", value=float(value), method=method)


def _first_actions(policy: Policy) -> Iterator[Truth]:
    shares: dict[str, float] = {}
    for kind, start in zip(policy.kinds, policy.start, strict=True):
        for head, share in policy.heads[kind].items():
            shares[head] = shares.get(head, 0.0) + start * share
    for head, share in sorted(shares.items(), key=lambda item: -item[1]):
        if share > 0:
            yield Truth(name=f"first_{head}", unit="share", value=share, method="start x programs")
