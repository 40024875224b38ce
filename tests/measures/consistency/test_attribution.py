"""Predictions come from what has not seen the run, and attributions are shap's and add up."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from strategies_known import sample_from, strategies

from ethogram.errors import MissingDependencyError
from ethogram.measures.consistency.attribution import attribute, check_additivity
from ethogram.measures.consistency.folds import by_run, by_task
from ethogram.measures.consistency.predictor import lightgbm_trees, load_lightgbm
from ethogram.measures.consistency.sample import Sample


@pytest.fixture(scope="module")
def sample() -> Sample:
    return strategies(n_tasks=20, n_runs=3)


def test_a_tasks_runs_are_in_one_fold_and_success_is_spread(sample: Sample) -> None:
    folds = by_task(sample, seed=0)

    assert len(np.unique(folds)) == 5
    assert all(len(np.unique(folds[sample.group == g])) == 1 for g in np.unique(sample.group))
    rates = [sample.success[folds == fold].mean() for fold in range(5)]
    assert max(rates) - min(rates) < 0.25


def test_the_papers_folds_spread_runs(sample: Sample) -> None:
    folds = by_run(sample, seed=0)
    rates = [sample.success[folds == fold].mean() for fold in range(5)]

    assert max(rates) - min(rates) < 0.03
    assert any(len(np.unique(folds[sample.group == g])) > 1 for g in np.unique(sample.group))


@pytest.mark.parametrize("n_success", [1, 5, 9])
def test_ten_runs_have_folds_however_few_succeed(n_success: int) -> None:
    success = np.arange(10) < n_success
    tasks = [f"t{number}" for number in range(10)]
    few = sample_from(np.zeros((10, 2)), success, ["a"] * 10, tasks)

    for made in (by_task(few, seed=0), by_run(few, seed=0)):
        assert 2 <= len(np.unique(made)) <= 5


def test_two_tasks_make_two_folds() -> None:
    few = sample_from(np.zeros((6, 2)), np.arange(6) % 2 == 0, ["a"] * 6, ["t1"] * 3 + ["t2"] * 3)

    assert len(np.unique(by_task(few, seed=0))) == 2


@pytest.mark.filterwarnings("ignore")
def test_attributions_are_those_of_shap(sample: Sample) -> None:
    """The oracle: TreeExplainer on the same trees."""
    shap = pytest.importorskip("shap")
    lightgbm = load_lightgbm()
    folds = by_task(sample, seed=0)
    test = folds == 2
    booster = lightgbm.train(
        {"objective": "binary", "num_threads": 1, "verbosity": -1, "seed": 0},
        lightgbm.Dataset(sample.features[~test], sample.success[~test].astype(float)),
        num_boost_round=100,
    )
    expected = np.asarray(shap.TreeExplainer(booster).shap_values(sample.features[test]))
    expected = expected[..., 1] if expected.ndim == 3 else expected

    found = attribute(sample, folds).values[test]

    assert np.abs(found).max() > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_attributions_add_up_to_the_log_odds(sample: Sample) -> None:
    test = by_task(sample, seed=0) == 0
    fitted = lightgbm_trees(
        sample.features[~test], sample.success[~test].astype(float), np.zeros((~test).sum()), 0
    )
    part = fitted(sample.features[test])

    np.testing.assert_allclose(part.values.sum(axis=1) + part.base, part.raw, atol=1e-9)
    check_additivity(part.values, part.base, part.raw)
    with pytest.raises(ArithmeticError, match="add up"):
        check_additivity(part.values, part.base, part.raw + 1e-6)


def test_no_run_is_explained_by_what_has_seen_its_outcome(sample: Sample) -> None:
    """Turning the outcomes of a fold over changes every other fold's attributions, not its own."""
    folds = by_task(sample, seed=0)
    turned = np.where(folds == 1, ~sample.success, sample.success)

    one, other = attribute(sample, folds), attribute(sample, folds, labels=turned)

    np.testing.assert_array_equal(one.values[folds == 1], other.values[folds == 1])
    assert all(
        np.abs(one.values[folds == fold] - other.values[folds == fold]).max() > 1e-3
        for fold in (0, 2, 3, 4)
    )


def test_threads_change_no_number(sample: Sample) -> None:
    folds = by_task(sample, seed=0)
    with ThreadPoolExecutor(2) as pool:
        beside = attribute(sample, folds, executor=pool)

    np.testing.assert_array_equal(beside.values, attribute(sample, folds).values)


def test_constant_features_explain_nothing() -> None:
    flat = sample_from(
        np.ones((40, 3)), np.arange(40) % 3 == 0, ["a"] * 40, [f"t{n % 8}" for n in range(40)]
    )

    assert not attribute(flat, by_task(flat, seed=0)).values.any()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise OSError('libgomp.so.1: cannot open shared object file')", "libgomp1"),
        ("raise ModuleNotFoundError('lightgbm')", "pip install lightgbm"),
    ],
    ids=["no OpenMP runtime", "not installed"],
)
def test_what_is_missing_is_said_with_how_to_get_it(
    body: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lightgbm.py").write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [n for n in sys.modules if n.partition(".")[0] == "lightgbm"]:
        monkeypatch.delitem(sys.modules, name)

    with pytest.raises(MissingDependencyError, match=says):
        load_lightgbm()
