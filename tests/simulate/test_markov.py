import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.simulate.markov import (
    Chain,
    FloatArray,
    count_moments,
    divergence,
    draw_counts,
    expected_counts,
    expected_visits,
    sample_cvs,
)
from ethogram.stats.dispersion import coefficient_of_variation

UNTIMED = settings(deadline=None, max_examples=60)

# a: half stays, a quarter to b, a quarter ends; b: half to a, half ends
TWO = Chain(np.array([1.0, 0.0]), np.array([[0.5, 0.25], [0.5, 0.0]]), np.array([0, 1]), 2)


def chain_of(rows: list[list[float]], symbols: list[int]) -> Chain:
    """Chain from positive weights; the last of each row is for the end, the last row the start."""
    weights = np.array(rows)
    shares = weights / weights.sum(axis=1, keepdims=True)
    start = shares[-1, :-1] / shares[-1, :-1].sum()
    return Chain(start, shares[:-1, :-1], np.array(symbols), max(symbols) + 1)


ALIASED = chain_of(
    [[2, 1, 1, 1], [1, 3, 1, 1], [1, 1, 1, 4], [3, 1, 1, 1]],
    [0, 0, 1],
)


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    n = draw(st.integers(1, 4))
    row = st.lists(st.integers(1, 9).map(float), min_size=n + 1, max_size=n + 1)
    rows = draw(st.lists(row, min_size=n + 1, max_size=n + 1))
    return chain_of(rows, draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


def agreed_by_kronecker(chain: Chain, k: int, n_steps: int) -> list[float]:
    """P(k runs show the same symbols in the first t actions) from the k-fold Kronecker power.

    The end is a state of its own with its own symbol, so that all k have to end together.
    """
    n = chain.n_states
    full = np.zeros((n + 1, n + 1))
    full[:n, :n], full[:n, n], full[n, n] = chain.transition, chain.ending, 1
    symbols = np.append(chain.symbols, chain.n_symbols)
    start = np.append(chain.start, 0.0)
    step: FloatArray = full
    mass: FloatArray = start
    for _ in range(k - 1):
        step = np.asarray(np.kron(step, full), dtype=np.float64)
        mass = np.asarray(np.kron(mass, start), dtype=np.float64)
    codes = np.array(np.meshgrid(*[symbols] * k, indexing="ij")).reshape(k, -1)
    same = (codes == codes[0]).all(axis=0)
    agreed = []
    for _ in range(n_steps):
        mass = np.where(same, mass, 0.0)
        agreed.append(float(mass.sum()))
        mass = mass @ step
    return agreed


def test_visits_of_two_states_are_those_found_by_hand() -> None:
    # v_a = 1 + v_a / 2 + v_b / 2, v_b = v_a / 4
    assert expected_visits(TWO).tolist() == pytest.approx([8 / 3, 2 / 3])
    assert expected_counts(TWO).tolist() == pytest.approx([8 / 3, 2 / 3])


def test_counts_add_up_the_visits_of_states_that_show_one_symbol() -> None:
    visits = expected_visits(ALIASED)

    assert expected_counts(ALIASED).tolist() == pytest.approx([visits[0] + visits[1], visits[2]])


def test_length_of_a_coin_is_geometric() -> None:
    coin = Chain(np.array([1.0]), np.array([[0.9]]), np.array([0]), 1)

    assert count_moments(coin) == pytest.approx((10, 90))


def test_a_fixed_sequence_has_no_variance() -> None:
    line = Chain(np.array([1.0, 0]), np.array([[0, 1.0], [0, 0]]), np.array([0, 1]), 2)

    assert count_moments(line) == pytest.approx((2, 0))
    assert count_moments(line, 1) == pytest.approx((1, 0))


@UNTIMED
@given(chains())
def test_moments_are_those_of_the_distribution_of_the_length(chain: Chain) -> None:
    alive = [chain.start]
    while alive[-1].sum() > 1e-13:
        alive.append(alive[-1] @ chain.transition)
    ends = np.array([float(part @ chain.ending) for part in alive])
    lengths = np.arange(1, len(ends) + 1)
    mean = float(lengths @ ends)

    assert count_moments(chain) == pytest.approx(
        (mean, float(lengths**2 @ ends) - mean**2), rel=1e-6, abs=1e-6
    )
    assert mean == pytest.approx(float(expected_counts(chain).sum()))


@UNTIMED
@given(chains())
def test_mean_of_a_symbol_is_its_expected_count(chain: Chain) -> None:
    means = [count_moments(chain, symbol)[0] for symbol in range(chain.n_symbols)]

    assert means == pytest.approx(expected_counts(chain).tolist())


def test_drawn_counts_have_the_moments_of_the_closed_form() -> None:
    counts = draw_counts(ALIASED, 40_000, np.random.default_rng(0))
    cases = [(None, counts.sum(axis=1)), (0, counts[:, 0]), (1, counts[:, 1])]

    for symbol, drawn in cases:
        mean, variance = count_moments(ALIASED, symbol)
        assert drawn.mean() == pytest.approx(mean, abs=4 * np.sqrt(variance / 40_000))
        assert drawn.var() == pytest.approx(variance, rel=0.06)


@pytest.mark.parametrize("k", [2, 3])
def test_runs_agree_as_long_as_the_kronecker_power_says(k: int) -> None:
    for chain in (TWO, ALIASED):
        expected = agreed_by_kronecker(chain, k, 12)
        found = divergence(chain, k)

        assert [1 - found.by(t) for t in range(1, 13)] == pytest.approx(expected, abs=1e-9)


@UNTIMED
@given(chains(), st.integers(2, 3))
def test_divergence_agrees_with_the_kronecker_power_for_any_chain(chain: Chain, k: int) -> None:
    found = divergence(chain, k)

    assert [1 - found.by(t) for t in range(1, 7)] == pytest.approx(
        agreed_by_kronecker(chain, k, 6), abs=1e-8 + found.missed
    )


def test_without_aliases_agreement_is_the_elementwise_power() -> None:
    k = 5
    power, alive = TWO.transition**k, TWO.start**k
    never, agreed = 0.0, []
    for _ in range(10):
        agreed.append(never + alive.sum())
        never += float(alive @ TWO.ending**k)
        alive = alive @ power

    found = divergence(TWO, k)

    assert [1 - found.by(t) for t in range(1, 11)] == pytest.approx(agreed, abs=1e-9)
    assert found.never == pytest.approx(never, abs=1e-9)


@UNTIMED
@given(chains(), st.integers(2, 6))
def test_runs_differ_somewhere_or_never(chain: Chain, k: int) -> None:
    found = divergence(chain, k)

    assert float(found.at.sum()) + found.never == pytest.approx(1)
    assert (found.at > -1e-12).all()
    assert found.at[0] == 0


@UNTIMED
@given(chains(), st.integers(2, 5))
def test_more_runs_differ_earlier(chain: Chain, k: int) -> None:
    fewer, more = divergence(chain, k), divergence(chain, k + 1)

    assert all(more.by(t) >= fewer.by(t) - 1e-9 for t in range(1, 8))


def test_runs_that_cannot_differ_never_do() -> None:
    one = divergence(Chain(np.array([1.0]), np.zeros((1, 1)), np.array([0]), 1), 5)

    assert (one.never, one.by(5)) == (1.0, 0.0)
    assert np.isnan(one.mean)


def test_a_run_that_ended_differs_from_one_that_goes_on() -> None:
    # one action for sure, a second one with even odds
    chain = Chain(np.array([1.0, 0]), np.array([[0, 0.5], [0, 0]]), np.array([0, 0]), 1)

    found = divergence(chain, 2)

    assert found.at[:3].tolist() == [0, 0, 0.5]
    assert (found.mean, found.never) == (2.0, 0.5)


def test_one_run_cannot_diverge() -> None:
    with pytest.raises(UsageError, match="k must be 2 or more, got 1"):
        divergence(TWO, 1)


@pytest.mark.parametrize(
    ("start", "row", "message"),
    [
        pytest.param([0.9], [0.5], "start probabilities must sum to 1", id="start"),
        pytest.param([1.0], [1.2], "sum to 1 at most", id="row"),
        pytest.param([1.0], [-0.1], "0 or more", id="negative"),
        pytest.param([1.0], [1.0], "never let a run end", id="endless"),
    ],
)
def test_a_chain_that_is_none_is_refused(
    start: list[float], row: list[float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        Chain(np.array(start), np.array([row]), np.array([0]), 1)


def test_sample_cvs_are_those_of_the_measure() -> None:
    counts = np.array([8, 10, 12, 5, 5, 5, 0, 0, 0, 0, 3, 0, 99])

    cvs = sample_cvs(counts, 3)

    assert cvs[[0, 1, 3]].tolist() == pytest.approx(
        [coefficient_of_variation(group) for group in ([8, 10, 12], [5, 5, 5], [0, 3, 0])]
    )
    assert np.isnan(cvs[2])
    assert len(cvs) == 4
