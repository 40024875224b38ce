"""What measures should find in simulated runs, computed from the policies.

Tasks are drawn afresh with every seed, so every figure is that of the *population* of tasks: a mean
over levels of difficulty, weighted by their shares. That is also what an interval over tasks speaks
of. Figures that pool actions over tasks are ratios of expectations.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from ethogram.actions.kinds import KINDS
from ethogram.errors import UsageError
from ethogram.simulate.markov import (
    Chain,
    FloatArray,
    IntArray,
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
    """As the measures name what they find."""
    unit: str
    value: float
    keys: Mapping[str, str] = {}
    """What else names the figure: the kind of action, the number of runs k, ..."""
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
        Runs of each task: the bias of the sample CV depends on it, and how many tasks are solved
        always, sometimes and never.
    levels : sequence of Level
        How hard tasks are and how often.
    draws : int
        Groups of ``n_runs`` runs drawn at each level for the mean sample CVs (their relative error
        is about 0.5 % with 4,000).

    Returns
    -------
    tuple of Truth
        Names with keys are unique. Shares and rates lie between 0 and 1, CVs are percentages. A
        figure that the policy leaves undefined (the spread of a kind that never occurs, the
        correlation of outcomes that are all equal, the divergence of runs that never differ) is
        left out.

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
        *_outcomes(policy, weights, k, n_runs),
        *_failures(policy, weights),
        *_amounts(policy, chains, weights),
        _steadiness(chains, weights),
        *_drawn(policy, chains, weights, n_runs, draws),
        *_phases(chains, weights),
        *_divergence(chains, weights, k),
        *_first_actions(policy),
    )


def _outcomes(policy: Policy, weights: FloatArray, k: int, n_runs: int) -> Iterator[Truth]:
    solved = (1 - policy.loop) * np.array(policy.success)
    accuracy = float(weights @ solved)
    every, none = float(weights @ solved**k), float(weights @ (1 - solved) ** k)
    always, never = float(weights @ solved**n_runs), float(weights @ (1 - solved) ** n_runs)
    variance = float(weights @ (solved - accuracy) ** 2)
    yield _share("accuracy", accuracy, "mean over levels")
    yield _share("pass_at_k", 1 - none, "1 - E[(1 - q)^k]", k=str(k))
    yield _share("pass_hat_k", every, "E[q^k]", k=str(k))
    yield _share("flip_rate", 1 - none - every, "pass@k - pass^k")
    yield _share("tasks_always", always, "E[q^n]")
    yield _share("tasks_sometimes", 1 - always - never, "1 - E[q^n] - E[(1 - q)^n]")
    yield _share("tasks_never", never, "E[(1 - q)^n]")
    yield _share("ceiling", 1 - never, "1 - E[(1 - q)^n]")
    if accuracy < 1:
        method = "E[(1 - q)^n] / (1 - E[q])"
        yield _share("failed_runs_on_never_solved", never / (1 - accuracy), method)
    if 0 < accuracy < 1:
        yield Truth(
            name="icc1",
            unit="correlation",
            value=variance / (accuracy * (1 - accuracy)),
            method="Var[q] / (E[q] (1 - E[q]))",
        )


def _share(name: str, value: float, method: str, **keys: str) -> Truth:
    return Truth(name=name, unit="share", value=value, keys=keys, method=method)


def _failures(policy: Policy, weights: FloatArray) -> Iterator[Truth]:
    submitted = (1 - policy.loop) * (1 - float(weights @ np.array(policy.success)))
    empty, failed = submitted * policy.empty, submitted + policy.loop
    yield _share("nonempty_submissions", 1 - empty, "1 - P(submits nothing)")
    for mode, share in (
        ("loop", policy.loop),
        ("empty_submission", empty),
        ("wrong_result", submitted - empty),
    ):
        yield _share("failure_rate", share, "share of all runs", mode=mode)
        if failed > 0:
            yield _share("failure_share", share / failed, "share of failed runs", mode=mode)


def _amounts(policy: Policy, chains: Sequence[Chain], weights: FloatArray) -> Iterator[Truth]:
    moments = np.array([count_moments(chain) for chain in chains])
    mean = float(weights @ moments[:, 0])
    squared = float(weights @ (moments[:, 1] + moments[:, 0] ** 2))
    spending = policy.spending
    read = mean * spending.prompt_tokens + (squared - mean) / 2 * spending.tokens_an_action
    written = mean * sum(spending.output_tokens) / 2
    cost = read * spending.input_price + written * spending.output_price
    for name, unit, value, method in (
        ("actions_mean", "actions", mean, "phase-type mean"),
        ("tokens_mean", "tokens", read + written, "phase-type moments"),
        ("cost_mean", "usd", cost, "phase-type moments"),
        ("duration_mean", "seconds", mean * spending.seconds, "phase-type mean"),
    ):
        yield Truth(name=name, unit=unit, value=value, method=method)


def _steadiness(chains: Sequence[Chain], weights: FloatArray) -> Truth:
    moments = [count_moments(chain) for chain in chains]
    return Truth(
        name="cv_actions_population",
        unit="percent",
        value=100 * float(weights @ [np.sqrt(variance) / mean for mean, variance in moments]),
        method="phase-type SD / mean of each task: what many runs a task would show",
    )


def _drawn(
    policy: Policy, chains: Sequence[Chain], weights: FloatArray, n_runs: int, draws: int
) -> Iterator[Truth]:
    amounts: dict[str, list[FloatArray]] = {}
    shares = np.zeros(len(KINDS))
    for level, chain in enumerate(chains):
        rng = np.random.default_rng(level)
        counts = draw_counts(chain, draws * n_runs, rng)
        shares += weights[level] * (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
        for name, values in _drawn_amounts(policy, counts, rng):
            amounts.setdefault(name, []).append(values)
    for kind, share in zip(KINDS, shares, strict=True):
        method = f"mean over {draws * n_runs:,} drawn runs a level"
        yield _share("phase_share_by_run", float(share), method, kind=kind)
    for name, drawn in amounts.items():
        if any(values.any() for values in drawn):  # what never occurs has no spread to know
            cvs = np.array([sample_cvs(values, n_runs) for values in drawn])
            is_kind = name in KINDS
            yield Truth(
                name="phase_cv" if is_kind else f"cv_{name}_mean",
                keys={"kind": name} if is_kind else {},
                unit="percent",
                value=100 * _defined(weights, cvs),
                method=f"mean sample CV of {n_runs} runs, {draws:,} draws a level",
            )


def _drawn_amounts(
    policy: Policy, counts: IntArray, rng: np.random.Generator
) -> Iterator[tuple[str, FloatArray]]:
    """Yield what runs with these counts of each kind take, and the counts themselves."""
    spending, lengths = policy.spending, counts.sum(axis=1)
    low, high = spending.output_tokens
    drawn = rng.integers(low, high + 1, size=int(lengths.sum()))
    written = np.add.reduceat(drawn, np.cumsum(lengths) - lengths)
    growth = spending.tokens_an_action * (lengths - 1) / 2
    read = lengths * (spending.prompt_tokens + growth)
    yield "actions", lengths.astype(float)
    yield "tokens", read + written
    yield "cost", read * spending.input_price + written * spending.output_price
    yield "duration", rng.gamma(lengths, spending.seconds)
    for symbol, kind in enumerate(KINDS):
        yield kind, counts[:, symbol].astype(float)


def _defined(weights: FloatArray, values: FloatArray) -> float:
    """Mean over levels and draws, of the draws for which there is a value."""
    defined = ~np.isnan(values)
    return float(
        weights @ np.where(defined, values, 0).sum(axis=1) / (weights @ defined.sum(axis=1))
    )


def _phases(chains: Sequence[Chain], weights: FloatArray) -> Iterator[Truth]:
    counts = weights @ np.array([expected_counts(chain) for chain in chains])
    method = "fundamental matrix, pooled over runs: ratio of expected counts"
    for kind, share in zip(KINDS, counts / counts.sum(), strict=True):
        yield _share("phase_share", float(share), method, kind=kind)


def _divergence(chains: Sequence[Chain], weights: FloatArray, k: int) -> Iterator[Truth]:
    levels = [divergence(chain, k) for chain in chains]
    differ = weights @ [1 - level.never for level in levels]
    total = weights @ [np.arange(len(level.at)) @ level.at for level in levels]
    method = f"k-th powers of the chain of beliefs, k = {k}"
    if differ > 0:
        mean = float(total / differ)
        yield Truth(name="divergence_mean", unit="actions", value=mean, method=method)
    for step in (1, 5):
        share = float(weights @ [level.by(step) for level in levels])
        yield _share(f"diverged_by_{step}", share, method)
    yield _share("never", float(1 - differ), method)


def _first_actions(policy: Policy) -> Iterator[Truth]:
    shares: dict[str, float] = {}
    for kind, start in zip(policy.kinds, policy.start, strict=True):
        for head, share in policy.heads[kind].items():
            shares[head] = shares.get(head, 0.0) + start * share
    for head, share in sorted(shares.items(), key=lambda item: -item[1]):
        if share > 0:
            yield _share("first_action_share", share, "start x programs", head=head)
