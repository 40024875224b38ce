"""Tests between systems against scipy, against enumeration, and at their limits."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ethogram.errors import UsageError
from ethogram.stats.significance import (
    TestResult,
    fisher_exact,
    holm,
    mcnemar_exact,
    paired_t,
    sign_flip_permutation,
    unpaired_t,
    wilcoxon_signed_rank,
)

PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=12)
DIFFERENCES = st.lists(st.integers(-9, 9), min_size=1, max_size=9)
P_VALUES = st.lists(st.none() | st.floats(0, 1), max_size=8)


@given(PAIRS)
def test_paired_t_equals_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len({one - other for one, other in pairs}) > 1)
    found, expected = paired_t(first, second), stats.ttest_rel(first, second)

    assert (found.statistic, found.p_value, found.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df), abs=1e-12
    )


@given(PAIRS, st.lists(st.integers(-9, 9), min_size=2, max_size=12))
def test_unpaired_t_equals_scipys(pairs: list[tuple[int, int]], second: list[int]) -> None:
    first = [one for one, _ in pairs]
    assume(min(len(set(first)), len(set(second))) > 1)  # scipy warns about a constant side
    found, expected = unpaired_t(first, second), stats.ttest_ind(first, second)

    assert (found.statistic, found.p_value, found.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df), abs=1e-12
    )


@given(DIFFERENCES)
def test_sign_flips_count_every_pattern_of_signs(differences: list[int]) -> None:
    values = np.array(differences)
    patterns = np.array(list(product((-1, 1), repeat=len(values))))
    expected = np.mean(np.abs(patterns @ values) >= abs(values.sum()))
    found = sign_flip_permutation(values)

    assert found.p_value == pytest.approx(expected)
    assert found.statistic == pytest.approx(values.mean())


@given(DIFFERENCES, st.sampled_from([0.1, 0.2, 1 / 3]))
def test_sign_flips_and_ranks_ignore_the_unit_the_sign_and_the_order(
    differences: list[int], unit: float
) -> None:
    """0.3 - 0.1 and 0.2 differ in their last bits; ties must stay ties."""
    changed = [-value * unit for value in reversed(differences)]

    for test in (sign_flip_permutation, wilcoxon_signed_rank):
        assert test(changed).p_value == pytest.approx(test(differences).p_value)


def test_sign_flips_equal_scipys_permutation_test_and_are_exact_up_to_30_differences() -> None:
    values = np.random.default_rng(4).normal(0.4, 1, size=14)
    expected = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", vectorized=True, n_resamples=1 << 20
    )
    assert sign_flip_permutation(values).p_value == pytest.approx(expected.pvalue)
    assert sign_flip_permutation(np.random.default_rng(4).normal(size=30)).method.endswith("exact")


def test_random_flips_come_near_the_exact_answer_and_are_never_zero() -> None:
    """40 differences that have nothing in common, so random; 40 of one grid, so exact."""
    grid = np.arange(1, 41) * np.where(np.arange(40) % 3, 1, -1.0)
    noisy = grid + np.random.default_rng(0).normal(0, 1e-3, 40)
    exact, random = sign_flip_permutation(grid), sign_flip_permutation(noisy, rng=1)

    assert exact.method == "sign-flip permutation, exact"
    assert random.method == "sign-flip permutation, 100,000 random flips"
    assert exact.p_value is not None
    assert random.p_value == pytest.approx(exact.p_value, abs=5 * np.sqrt(exact.p_value / 100_000))
    assert random == sign_flip_permutation(noisy, rng=1)
    assert random != sign_flip_permutation(noisy, rng=2)
    assert sign_flip_permutation(np.abs(noisy), n_flips=999).p_value == 1 / 1000


def test_success_rates_of_many_tasks_are_tested_exactly() -> None:
    """300 tasks of five runs: the sum of 300 multiples of 0.2 against the normal law."""
    rng = np.random.default_rng(2)
    differences = (rng.binomial(5, 0.52, 300) - rng.binomial(5, 0.5, 300)) / 5
    found = sign_flip_permutation(differences)
    steps = np.round(np.abs(differences.sum()) * 5)
    expected = 2 * stats.norm.sf((steps - 1) / 5 / np.sqrt((differences**2).sum()))

    assert found.method.endswith("exact")
    assert found.p_value == pytest.approx(expected, rel=0.02)


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=1, max_size=20, unique_by=abs))
def test_signed_ranks_without_ties_equal_scipys(differences: list[int]) -> None:
    found, expected = wilcoxon_signed_rank(differences), stats.wilcoxon(differences, method="exact")

    assert (found.statistic, found.p_value) == pytest.approx(
        (expected.statistic, expected.pvalue), abs=1e-12
    )


def test_signed_ranks_with_ties_and_zeros_by_hand() -> None:
    """Ranks 1.5, 1.5, 3 with signs +, +, -: plus 3, minus 3; all 8 patterns are as far out."""
    found = wilcoxon_signed_rank([1, 0, 1, -2])

    assert (found.statistic, found.p_value, found.n) == (3.0, 1.0, 3)
    # ranks 2, 2, 2: all of one sign is one of two patterns in eight
    assert wilcoxon_signed_rank([1, 1, 1, 0]).p_value == pytest.approx(0.25)


def test_signed_ranks_of_many_differences_equal_scipys_normal_law() -> None:
    values = np.round(np.random.default_rng(0).normal(0.2, 1, 200), 1)
    found, expected = wilcoxon_signed_rank(values), stats.wilcoxon(values, method="approx")

    assert found.method == "Wilcoxon signed-rank, normal"
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_mcnemar_is_the_binomial_test_on_the_pairs_that_disagree(
    pairs: list[tuple[bool, bool]],
) -> None:
    first, second = zip(*pairs, strict=True)
    only_first = sum(one and not other for one, other in pairs)
    split = sum(one != other for one, other in pairs)
    found = mcnemar_exact(first, second)

    expected = stats.binomtest(only_first, split).pvalue if split else 1.0
    assert found.p_value == pytest.approx(expected)
    assert (found.statistic, found.n) == (only_first, len(pairs))


@given(st.tuples(st.integers(1, 40), st.integers(1, 40), st.data()))
def test_fisher_equals_scipys(drawn: tuple[int, int, st.DataObject]) -> None:
    runs_1, runs_2, data = drawn
    c1, c2 = data.draw(st.integers(0, runs_1)), data.draw(st.integers(0, runs_2))
    expected = stats.fisher_exact(np.array([[c1, runs_1 - c1], [c2, runs_2 - c2]]))

    assert fisher_exact(c1, runs_1, c2, runs_2).p_value == pytest.approx(expected.pvalue)


def test_fisher_gives_no_infinite_odds_ratio() -> None:
    found = fisher_exact(5, 5, 1, 5)

    assert (found.statistic, found.note) == (None, "the odds ratio is infinite or undefined")
    assert found.p_value == pytest.approx(stats.fisher_exact(np.array([[5, 0], [1, 4]])).pvalue)


def test_holm_by_hand() -> None:
    """Four p values: 0.01 x 4, 0.02 x 3, 0.03 x 2 = 0.06 again, 0.9 x 1."""
    assert holm([0.03, 0.9, 0.01, 0.02]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    assert holm([0.5, 0.6]) == [1.0, 1.0]


@given(P_VALUES)
def test_holm_keeps_the_order_never_lowers_and_passes_none_on(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    known = sorted(
        (raw, new)
        for raw, new in zip(p_values, adjusted, strict=True)
        if raw is not None and new is not None
    )

    assert [value is None for value in adjusted] == [value is None for value in p_values]
    assert all(raw <= new <= 1 for raw, new in known)
    assert [new for _, new in known] == sorted(new for _, new in known)
    if known:
        assert known[0][1] == min(1, known[0][0] * len(known))


def test_holm_refuses_what_is_no_probability() -> None:
    with pytest.raises(UsageError):
        holm([0.5, 1.5])


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        pytest.param(paired_t([1], [2]), "fewer than two pairs", id="t-one-pair"),
        pytest.param(paired_t([0.6, 0.4], [0.4, 0.2]), "all differences are equal", id="t-equal"),
        pytest.param(paired_t([1, 2], [1, 2]), "all differences are equal", id="t-zero"),
        pytest.param(unpaired_t([1], [2, 3]), "fewer than two values on a side", id="unpaired-one"),
        pytest.param(unpaired_t([1, 1], [3, 3]), "neither side spreads", id="unpaired-equal"),
        pytest.param(sign_flip_permutation([]), "no pairs", id="flips-none"),
        pytest.param(wilcoxon_signed_rank([]), "no pairs", id="ranks-none"),
        pytest.param(mcnemar_exact([], []), "no pairs", id="mcnemar-none"),
        pytest.param(fisher_exact(0, 0, 1, 2), "a side has no runs", id="fisher-no-runs"),
    ],
)
def test_what_the_data_can_not_give_has_a_reason(result: TestResult, reason: str) -> None:
    assert (result.p_value, result.reason) == (None, reason)


@pytest.mark.parametrize(
    ("result", "note"),
    [
        pytest.param(sign_flip_permutation([0, 0]), "all differences are zero", id="flips"),
        pytest.param(wilcoxon_signed_rank([0, 0]), "all differences are zero", id="ranks"),
        pytest.param(mcnemar_exact([True], [True]), "no pair disagrees", id="mcnemar"),
        pytest.param(
            fisher_exact(0, 3, 0, 4), "the odds ratio is infinite or undefined", id="fisher"
        ),
    ],
)
def test_no_difference_at_all_is_p_one_with_a_note(result: TestResult, note: str) -> None:
    assert result.p_value == pytest.approx(1)
    assert result.note == note


def test_a_result_has_a_p_value_or_a_reason() -> None:
    with pytest.raises(ValueError, match="exactly one of the two"):
        TestResult(statistic=1, p_value=None, n=3, method="x")
    with pytest.raises(ValueError, match="exactly one of the two"):
        TestResult(statistic=1, p_value=0.5, n=3, method="x", reason="y")


def test_pairs_of_unequal_length_are_refused() -> None:
    for test in (paired_t, mcnemar_exact):
        with pytest.raises(UsageError, match="must be pairs; got 2 and 1"):
            test([1, 0], [1])
