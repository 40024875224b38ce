"""AUC against scikit-learn, with ties and with tasks drawn several times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from ethogram.errors import UsageError
from ethogram.stats.arrays import FloatArray
from ethogram.stats.auc import auc, auc_of, auc_within_of, balanced_accuracy_of, calibration

scored = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.integers(-3, 3).map(float)),
        arrays(np.bool_, n),
        arrays(np.int64, n, elements=st.integers(0, 3)),
        arrays(np.int64, 4, elements=st.integers(0, 3)),
    )
)


@given(scored)
def test_auc_of_drawn_tasks_is_that_of_the_runs_written_out(drawn: tuple[FloatArray, ...]) -> None:
    scores, positive, task = drawn[0], drawn[1], drawn[2].astype(np.int64)
    copies = drawn[3].astype(np.int64)
    written_out = np.repeat(np.arange(len(scores)), copies[task])
    classes = positive[written_out]

    found = auc_of(scores, positive.astype(np.bool_), task.astype(np.int64))(
        copies[None, :].astype(float)
    )[0]

    if len(np.unique(classes)) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(roc_auc_score(classes, scores[written_out]), abs=1e-12)


def test_one_class_and_no_runs_have_no_auc() -> None:
    assert auc([0.1, 0.2], [True, True]) is None
    assert auc([], []) is None
    with pytest.raises(UsageError, match="as long as each other"):
        auc_of(np.zeros(2), np.zeros(3, dtype=bool), np.zeros(2, dtype=np.int64))


def test_auc_within_strata_is_the_share_of_their_pairs_that_are_in_order() -> None:
    rng = np.random.default_rng(1)
    scores, positive = rng.normal(size=40), rng.random(40) < 0.5
    stratum, task = rng.integers(3, size=40), rng.integers(5, size=40)

    found = auc_within_of(scores, positive, task, stratum)(np.ones((1, 5)))[0]

    won = [
        scores[i] > scores[j]
        for i in np.flatnonzero(positive)
        for j in np.flatnonzero(~positive)
        if stratum[i] == stratum[j]
    ]
    assert found == pytest.approx(np.mean(won), abs=1e-12)


def test_balanced_accuracy_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    label, guess, task = (rng.integers(3, size=50) for _ in range(3))

    found = balanced_accuracy_of(label == guess, label, task, 3)(np.ones((1, 3)))[0]

    assert found == pytest.approx(balanced_accuracy_score(label, guess), abs=1e-12)


def test_bins_hold_every_run_once() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(95)
    bins = calibration(probability, rng.random(95) < probability)

    assert sum(each.n for each in bins) == 95
    assert [each.predicted for each in bins] == sorted(each.predicted for each in bins)
    assert abs(sum(e.n * (e.predicted - e.observed) for e in bins)) / 95 < 0.15
