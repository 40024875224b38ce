"""Other predictors, attributions and similarities; prediction from the beginning of runs."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from strategies_known import strategies

from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import consistency
from ethogram.measures.consistency.attribution import attribute
from ethogram.measures.consistency.evidence import Evidence, gather
from ethogram.measures.consistency.features import DEFAULT
from ethogram.measures.consistency.folds import by_task
from ethogram.measures.consistency.monitor import read_beginnings, verdict
from ethogram.measures.consistency.sample import sample_of
from ethogram.measures.consistency.scales import Drawing
from ethogram.measures.consistency.sensitivity import (
    centred,
    logistic,
    occlusion,
    random_forest,
    sensitivity_frames,
    sign_agreement,
)
from ethogram.simulate.build import run
from ethogram.trajectory import Trajectory


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return gather(strategies(n_tasks=30), folds="tasks", seed=0, n_permutations=0)


def test_order_across_tasks_holds_for_every_predictor(evidence: Evidence) -> None:
    values, taus = sensitivity_frames(evidence, seed=0, executor=None, say=lambda _: None)
    best = values.filter(pl.col("value") == pl.col("value").max().over("setting"))

    assert set(taus["aspect"]) == {"default", "predictor", "attribution", "similarity"}
    assert taus.filter(aspect="default")["tau"][0] == 1
    for setting in ("random forest (LightGBM)", "logistic regression", "occlusion by the median"):
        assert best.filter(setting=setting)["system"].to_list() == ["one everywhere"]


def test_logistic_attributions_are_weights_times_z_scores(evidence: Evidence) -> None:
    sample = evidence.sample
    success = sample.success.astype(float)
    part = logistic(sample.features, success, np.zeros(len(success)), 0)(sample.features)

    np.testing.assert_allclose(part.values.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(part.values.sum(axis=1) + part.base, part.raw, atol=1e-9)
    slopes = [
        np.polyfit(sample.features[:, j], part.values[:, j], 1, full=True)[1].sum()
        for j in range(sample.features.shape[1])
    ]
    assert max(slopes) < 1e-18


@pytest.mark.parametrize("predictor", [random_forest, occlusion])
def test_parts_of_other_attributions_add_up_too(evidence: Evidence, predictor: object) -> None:
    sample = evidence.sample
    folds = by_task(sample, seed=0)
    found = attribute(sample, folds, predictor=predictor)  # type: ignore[arg-type]

    assert np.abs(found.values).max() > 0.01


def test_centred_vectors_have_no_common_direction(evidence: Evidence) -> None:
    sample = evidence.sample
    found = centred(sample, evidence.observed.values)
    means = [found[sample.system == n].mean(axis=0) for n in range(3)]

    np.testing.assert_allclose(np.sum(means, axis=0), 0, atol=1e-12)


def test_agreement_of_signs_by_hand() -> None:
    signs = np.array([[1.0, -1, 0], [1, 1, 1], [-1, 1, 0]])

    assert sign_agreement(signs, np.array([0, 1, 2])) == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert sign_agreement(signs, np.zeros(3, dtype=np.int64)) is None


def _loopers(n_tasks: int, rng: np.random.Generator) -> Iterator[Trajectory]:
    """Runs that repeat one command from the start fail; lengths say nothing."""
    for number in range(n_tasks):
        for trial in range(2):
            fails = bool(rng.integers(2))
            steps = [
                "cat setup.py" if fails else f"cat {'abcdefghij'[place % 10]}.py"
                for place in range(int(rng.integers(6, 15)))
            ]
            noisy = fails if rng.random() < 0.95 else not fails
            yield run(steps, task=f"t{number:03d}", trial=trial, success=not noisy)


@pytest.fixture(scope="module")
def loopers() -> Cohort:
    return from_trajectories(_loopers(100, np.random.default_rng(0)), labeler=default_labeler())


def test_signs_of_failure_in_the_first_actions_are_found(loopers: Cohort) -> None:
    found = read_beginnings(loopers, sample_of(loopers), DEFAULT, folds="tasks", drawing=Drawing())

    assert found.verdict.decision == "yes"
    assert found.verdict.because.endswith("from action 3 on")
    rows = found.frame.filter(m=3)
    assert rows["auc"].to_list() == pytest.approx([0.95, 0.5, 0.5], abs=0.06)
    assert (found.frame.filter(predictor="length")["auc"] == 0.5).all()
    assert set(found.by_share["share"]) == {0.25, 0.5, 0.75}


def test_runs_that_have_ended_are_no_longer_predicted(loopers: Cohort) -> None:
    found = read_beginnings(loopers, sample_of(loopers), DEFAULT, folds="tasks", drawing=Drawing())
    lengths = loopers.runs["n_actions"]

    for m, n in found.frame.select("m", "n_runs").unique().iter_rows():
        assert n == (lengths > m).sum()


@pytest.mark.parametrize(
    ("ahead", "decision"),
    [
        ([(3, True), (5, False)], "no"),
        ([(3, False), (5, True)], "yes"),
        ([], "not enough data"),
    ],
)
def test_a_lead_counts_only_if_it_lasts(ahead: list[tuple[int, bool]], decision: str) -> None:
    assert verdict(ahead).decision == decision


def test_both_are_parts_of_the_result(loopers: Cohort) -> None:
    found = consistency(loopers, controls="none", sensitivity=True, monitor=True)

    assert {"orderings", "sensitivity", "monitor", "monitor_by_share"} <= set(found.tables)
    assert found.summary[-1].startswith("Do the first actions of a run tell more")
    settings = set(found.to_frame("orderings")["setting"])
    assert {"without length", "without kinds", "without variety", "without errors"} <= settings
