"""Agreement over tasks is plain agreement of the items of the drawn tasks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import NotEnoughDataError, UsageError
from ethogram.stats.agreement import Weights, cohen_kappa, share_within
from ethogram.stats.correlation import pearson
from ethogram.stats.resampling import ratio_of
from ethogram.stats.task_agreement import kappa_of, pearson_of, share_within_by_task

items = st.lists(
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=20
)


def _drawn(
    found: list[tuple[int, int, int]], counts: list[int]
) -> tuple[list[int], list[int], np.ndarray]:
    """Ratings of the items, each as often as its task was drawn."""
    rows = [item for item in found for _ in range(counts[item[2]])]
    return [a for a, _, _ in rows], [b for _, b, _ in rows], np.array([t for *_, t in found])


@given(
    items,
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.sampled_from(["equal", "linear", "quadratic"]),
)
def test_kappa_of_drawn_tasks_is_kappa_of_their_items(
    found: list[tuple[int, int, int]], counts: list[int], weights: Weights
) -> None:
    first, second, task = _drawn(found, counts)
    statistic = kappa_of(
        [a for a, _, _ in found], [b for _, b, _ in found], task, 4, weights=weights
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        value = statistic(np.array([counts], dtype=np.float64))[0]
    try:
        expected = cohen_kappa(first, second, weights=weights)
    except NotEnoughDataError:
        expected = float("nan")

    assert value == pytest.approx(expected, nan_ok=True)


@given(items, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_pearson_of_drawn_tasks_is_pearson_of_their_items(
    found: list[tuple[int, int, int]], counts: list[int]
) -> None:
    first, second, task = _drawn(found, counts)
    statistic = pearson_of([a for a, _, _ in found], [b for _, b, _ in found], task, 4)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = statistic(np.array([counts], dtype=np.float64))[0]
    expected = pearson(first, second)

    if len(first) >= 3:
        shown = np.nan if expected.statistic is None else expected.statistic
        assert value == pytest.approx(shown, nan_ok=True, abs=1e-9)


@given(items, st.sampled_from([0, 1]))
def test_shares_add_up_over_tasks(found: list[tuple[int, int, int]], distance: int) -> None:
    first, second, task = _drawn(found, [1] * 4)
    hits, n = share_within_by_task(first, second, task, 4, distance=distance)

    assert ratio_of(hits, n)(np.ones((1, 4)))[0] == pytest.approx(
        share_within(first, second, distance=distance)
    )


def test_kappa_by_hand() -> None:
    """Ratings 1 2 2 3 against 1 2 3 3: observed (0 + 0 + 1 + 0) / 4, expected by margins.

    Margins 1/4 1/2 1/4 and 1/4 1/4 1/2: 1*(1/16 + 1/8 + 1/4 + 1/16) + 4*(1/8 + 1/16) = 5/4.
    """
    statistic = kappa_of([1, 2, 2, 3], [1, 2, 3, 3], np.array([0, 0, 1, 1]), 2)

    assert statistic(np.ones((1, 2)))[0] == pytest.approx(1 - (1 / 4) / (5 / 4))


def test_each_item_needs_a_task() -> None:
    with pytest.raises(UsageError, match="task needs a number for each of 2 items; got 1"):
        kappa_of([1, 2], [1, 2], np.array([0]), 1)
