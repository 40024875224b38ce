"""The max-T test against enumeration, against the plain sign-flip test, and its type I error."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray
from ethogram.stats.max_t import MaxT, max_t, sign_patterns
from ethogram.stats.significance import sign_flip_permutation

NAN = float("nan")
DIFFERENCES = arrays(
    np.float64, (3, 6), elements=st.sampled_from([NAN, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0])
)


def student(values: FloatArray) -> float:
    """t statistic as in a textbook; 0 for one value or none but zeros."""
    if len(values) < 2 or not values.any():
        return 0.0
    spread = float(values.std(ddof=1))
    if spread < 1e-9:
        return float(np.sign(values.mean()) * np.inf)
    return float(values.mean() / (spread / np.sqrt(len(values))))


def enumerated(differences: FloatArray) -> list[float]:
    """P values by writing every flip down."""
    rows = [row[~np.isnan(row)] for row in differences]
    largest = [
        max(abs(student(row[~np.isnan(row)])) for row in differences * np.array(signs))
        for signs in product((-1, 1), repeat=differences.shape[1])
    ]
    return [
        NAN
        if not len(row)
        else float(np.mean([x >= student(row) - 1e-9 for x in largest]))
        if student(row) > 0
        else 1.0
        for row in rows
    ]


@given(DIFFERENCES)
def test_p_values_are_the_share_of_all_flips(differences: FloatArray) -> None:
    found = max_t(differences)

    assert found.p_adjusted == pytest.approx(np.array(enumerated(differences)), nan_ok=True)
    for row, values in enumerate(differences):
        known = values[~np.isnan(values)]
        assert found.statistics[row] == pytest.approx(student(known))
        assert found.n_tasks[row] == len(known)


@given(DIFFERENCES, st.permutations(range(3)), st.permutations(range(6)))
def test_neither_the_order_of_rows_nor_of_tasks_matters(
    differences: FloatArray, rows: list[int], tasks: list[int]
) -> None:
    one, other = max_t(differences), max_t(differences[rows][:, tasks])

    assert other.p_adjusted == pytest.approx(one.p_adjusted[rows], nan_ok=True)
    assert other.critical == pytest.approx(one.critical)


def test_a_single_row_by_hand() -> None:
    # of 8 flips only all plus and all minus have a t of 3 or more (1, 2, 3)
    found = max_t(np.array([[1.0, 2.0, 3.0]]))

    assert found.p_adjusted.tolist() == [0.25]
    assert found.statistics[0] == pytest.approx(2 / (1 / np.sqrt(3)))


def test_more_rows_never_lower_a_p_value() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(0.5, 1, size=(4, 9))
    alone = [float(max_t(row[None, :]).p_adjusted[0]) for row in rows]
    found = max_t(rows)

    assert (found.p_adjusted >= np.array(alone) - 1e-12).all()
    for row, p in zip(rows, found.p_values, strict=True):
        assert p == pytest.approx(sign_flip_permutation(row).p_value)


def test_the_critical_statistic_separates_p_values_at_the_level() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(0.4, 1, size=(40, 10))
    found = max_t(rows, level=0.8)

    above = found.statistics >= found.critical * (1 - 1e-9)
    assert above.any()
    assert not above.all()
    assert (above == (found.p_adjusted <= 0.2 + 1e-12)).all()


def test_few_tasks_can_reach_no_level() -> None:
    found = max_t(np.array([[1.0, 2.0, 3.0, 4.0]]))

    assert found.p_adjusted.tolist() == [0.125]
    assert found.critical == float("inf")


def test_rows_without_tasks_or_without_any_difference() -> None:
    found = max_t(np.array([[NAN, NAN], [0.0, 0.0], [NAN, 0.5]]))

    assert found.p_adjusted == pytest.approx(np.array([NAN, 1.0, 1.0]), nan_ok=True)
    assert found.statistics.tolist() == [0, 0, 0]
    assert found.differences == pytest.approx(np.array([NAN, 0, 0.5]), nan_ok=True)
    assert found.p_values == pytest.approx(found.p_adjusted, nan_ok=True)
    assert max_t(np.zeros((0, 3))).p_adjusted.tolist() == []
    assert max_t(np.zeros((2, 0))).n_tasks.tolist() == [0, 0]


def test_equal_differences_are_as_far_out_as_can_be() -> None:
    found = max_t(np.full((1, 7), 0.1))

    assert found.statistics[0] == float("inf")
    assert found.p_adjusted[0] == 2 / 2**7


def test_many_tasks_are_flipped_at_random_with_a_seed() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(0.2, 1, size=(3, 40))
    one, again, other = max_t(rows, rng=1), max_t(rows, rng=1), max_t(rows, rng=2)

    assert one.method == "max-T, sign flips, 10,000 random"
    assert one.p_adjusted.tolist() == again.p_adjusted.tolist()
    assert one.p_adjusted == pytest.approx(other.p_adjusted, abs=0.03)
    assert max_t(np.full((1, 40), 1.0)).p_adjusted[0] == 1 / 10_001
    assert sign_patterns(12)[1]
    assert not sign_patterns(13)[1]


def test_another_shape_is_refused() -> None:
    with pytest.raises(UsageError, match="n_rows, n_tasks"):
        max_t(np.zeros(3))


def named(scores: FloatArray) -> bool:
    """Whether the candidate that looks largest is called larger than all others."""
    best = int(np.argmax(scores.mean(axis=1)))
    pairs = [(i, j) if j != best else (j, i) for i, j in combinations(range(len(scores)), 2)]
    found: MaxT = max_t(np.stack([scores[i] - scores[j] for i, j in pairs]), n_flips=999)
    own = [row for row, pair in enumerate(pairs) if pair[0] == best]
    return bool((found.p_adjusted[own] <= 0.05).all())


@pytest.mark.slow
@pytest.mark.parametrize("n_tasks", [8, 30])
@pytest.mark.parametrize("below", [0.0, 0.5])
def test_the_best_of_equals_is_rarely_named(n_tasks: int, below: float) -> None:
    """Three alike, or two alike and one below them: there is no single largest to be named."""
    rng, studies = np.random.default_rng(7), 1500
    false = 0
    for _ in range(studies):
        scores = rng.random(n_tasks) + rng.random((3, n_tasks)) ** 2
        scores[2] -= below
        false += named(np.round(scores, 1))

    assert false / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


@pytest.mark.slow
def test_a_candidate_that_is_larger_is_named() -> None:
    rng = np.random.default_rng(8)
    found = [
        named(rng.random(40) + rng.random((3, 40)) + np.array([[0.4], [0], [0]]))
        for _ in range(200)
    ]

    assert np.mean(found) > 0.9
