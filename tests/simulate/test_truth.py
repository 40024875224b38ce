"""The true values against runs: many are drawn and counted by the plainest code there is."""

from collections.abc import Iterable
from functools import cache
from itertools import zip_longest
from typing import Final

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from ethogram.actions.kinds import KINDS
from ethogram.errors import UsageError
from ethogram.simulate.draw import simulate
from ethogram.simulate.policy import Level, Policy
from ethogram.simulate.systems import DEFAULT, HASTY, METHODICAL, SYSTEMS
from ethogram.simulate.truth import Truth, true_parameters
from ethogram.stats.dispersion import coefficient_of_variation, icc1
from ethogram.trajectory import Trajectory

N_TASKS: Final = 250
N_RUNS: Final = 5
EVERY = pytest.mark.parametrize("system", list(SYSTEMS))


def by_label(truths: Iterable[Truth]) -> dict[str, float]:
    """Values by name, followed by the values of their keys."""
    return {" ".join((one.name, *one.keys.values())): one.value for one in truths}


@cache
def truth_by_name(system: str, k: int) -> dict[str, float]:
    policy = SYSTEMS[system]
    return by_label(true_parameters(policy, k=k, draws=2_000))


def truth_of(policy: Policy, *, k: int = 5) -> dict[str, float]:
    return truth_by_name(policy.name, k)


@cache
def tasks_of(system: str) -> list[list[Trajectory]]:
    """Runs of a system, a list for each task."""
    runs = list(simulate((SYSTEMS[system],), n_tasks=N_TASKS, n_runs=N_RUNS, seed=11))
    return [runs[start : start + N_RUNS] for start in range(0, len(runs), N_RUNS)]


def mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def first_difference(runs: list[Trajectory]) -> int:
    columns = zip_longest(*(run.extra["kinds"] for run in runs))
    return next((t for t, column in enumerate(columns, 1) if len(set(column)) > 1), 0)


def per_task(name: str, runs: list[Trajectory]) -> float:
    """Value of a figure for one task, whose mean over tasks is compared with the truth."""
    solved = [bool(run.outcome.success) for run in runs]
    lengths = [len(run.actions) for run in runs]
    costs = [run.usage.cost_usd or 0.0 for run in runs]
    times = [run.usage.duration_s or 0.0 for run in runs]
    tokens = [(run.usage.input_tokens or 0) + (run.usage.output_tokens or 0) for run in runs]
    at = first_difference(runs)
    values: dict[str, float] = {
        "accuracy": float(np.mean(solved)),
        "pass_at_k 5": any(solved),
        "pass_hat_k 5": all(solved),
        "flip_rate": any(solved) and not all(solved),
        "failure_rate loop": mean(run.extra["loops"] for run in runs),
        "failure_rate empty_submission": mean(run.submission == "" for run in runs),
        "failure_rate wrong_result": mean(
            not run.outcome.success and run.submission != "" and not run.extra["loops"]
            for run in runs
        ),
        "actions_mean": float(np.mean(lengths)),
        "cost_mean": mean(costs),
        "duration_mean": mean(times),
        "tokens_mean": mean(tokens),
        "cv_actions_mean": 100 * coefficient_of_variation(lengths),
        "cv_cost_mean": 100 * coefficient_of_variation(costs),
        "cv_duration_mean": 100 * coefficient_of_variation(times),
        "cv_tokens_mean": 100 * coefficient_of_variation(tokens),
        "tasks_always": all(solved),
        "tasks_sometimes": any(solved) and not all(solved),
        "tasks_never": not any(solved),
        "ceiling": any(solved),
        "nonempty_submissions": mean(run.submission != "" for run in runs),
        "diverged_by_1": at == 1,
        "diverged_by_5": 0 < at <= 5,
        "divergence_mean": at or np.nan,
        "never": at == 0,
    }
    return values[name]


def kind_counts(system: str) -> NDArray[np.float64]:
    """Counts of shape (tasks, runs, kinds)."""
    return np.array(
        [
            [[run.extra["kinds"].count(kind) for kind in KINDS] for run in runs]
            for runs in tasks_of(system)
        ],
        dtype=float,
    )


@EVERY
@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "pass_at_k 5",
        "pass_hat_k 5",
        "flip_rate",
        "failure_rate loop",
        "failure_rate empty_submission",
        "failure_rate wrong_result",
        "actions_mean",
        "cost_mean",
        "duration_mean",
        "tokens_mean",
        "cv_actions_mean",
        "cv_cost_mean",
        "cv_duration_mean",
        "cv_tokens_mean",
        "tasks_always",
        "tasks_sometimes",
        "tasks_never",
        "ceiling",
        "nonempty_submissions",
        "divergence_mean",
        "diverged_by_1",
        "diverged_by_5",
        "never",
    ],
)
def test_the_mean_over_many_tasks_is_the_true_value(system: str, name: str) -> None:
    found = np.array([per_task(name, runs) for runs in tasks_of(system)])
    found = found[~np.isnan(found)]
    error = found.std(ddof=1) / np.sqrt(len(found))

    assert found.mean() == pytest.approx(truth_of(SYSTEMS[system])[name], abs=4 * error + 2e-3)


@EVERY
def test_pooled_shares_of_kinds_are_the_true_ones(system: str) -> None:
    counts, truth = kind_counts(system).sum(axis=1), truth_of(SYSTEMS[system])
    pooled = counts.sum(axis=0) / counts.sum()

    for place, kind in enumerate(KINDS):
        pulls = (counts[:, place] - pooled[place] * counts.sum(axis=1)) / counts.sum(axis=1).mean()
        error = pulls.std(ddof=1) / np.sqrt(N_TASKS)
        assert pooled[place] == pytest.approx(truth[f"phase_share {kind}"], abs=4 * error)


@EVERY
def test_mean_shares_of_kinds_over_runs_are_the_true_ones(system: str) -> None:
    counts, truth = kind_counts(system), truth_of(SYSTEMS[system])
    shares = (counts / counts.sum(axis=2, keepdims=True)).mean(axis=1)

    for place, kind in enumerate(KINDS):
        error = shares[:, place].std(ddof=1) / np.sqrt(N_TASKS)
        assert shares[:, place].mean() == pytest.approx(
            truth[f"phase_share_by_run {kind}"], abs=4 * error + 1e-3
        )


@EVERY
def test_the_mean_cv_within_each_kind_is_the_true_one(system: str) -> None:
    truth = truth_of(SYSTEMS[system])

    for place, kind in enumerate(KINDS):
        counts = kind_counts(system)[:, :, place]
        some = counts[counts.sum(axis=1) > 0]
        cvs = 100 * some.std(axis=1, ddof=1) / some.mean(axis=1)
        error = cvs.std(ddof=1) / np.sqrt(len(cvs))
        assert cvs.mean() == pytest.approx(truth[f"phase_cv {kind}"], abs=4 * error)


@EVERY
def test_intraclass_correlation_is_the_true_one(system: str) -> None:
    successes = [[float(bool(run.outcome.success)) for run in runs] for runs in tasks_of(system)]

    assert icc1(successes) == pytest.approx(truth_of(SYSTEMS[system])["icc1"], abs=0.1)


@EVERY
def test_failures_on_never_solved_tasks_are_the_true_share(system: str) -> None:
    failed = np.array([sum(not run.outcome.success for run in runs) for runs in tasks_of(system)])
    found = failed[failed == N_RUNS].sum() / failed.sum()

    assert found == pytest.approx(
        truth_of(SYSTEMS[system])["failed_runs_on_never_solved"], abs=4 * np.sqrt(0.25 / N_TASKS)
    )


@EVERY
def test_first_programs_are_used_as_often_as_stated(system: str) -> None:
    texts = [run.actions[0].action or "" for runs in tasks_of(system) for run in runs]
    firsts = [text.removeprefix("cd /testbed && ").split()[0] for text in texts]

    for name, share in truth_of(SYSTEMS[system]).items():
        if name.startswith("first_action_share"):
            found = firsts.count(name.removeprefix("first_action_share ")) / len(firsts)
            assert found == pytest.approx(share, abs=4 * np.sqrt(0.25 / len(firsts)))


def test_figures_of_one_level_are_those_found_by_hand() -> None:
    # one action for sure, then the submission; half of the runs succeed
    policy = msgspec.structs.replace(
        HASTY,
        kinds=("explore",),
        start=(1.0,),
        transition=((0.0,),),
        success=(0.5,),
        dwell=(1.0,),
        empty=0.2,
    )
    truth = by_label(true_parameters(policy, k=2, levels=(Level(name="only", share=1.0),)))

    assert truth["accuracy"] == 0.5
    assert (truth["pass_at_k 2"], truth["pass_hat_k 2"], truth["flip_rate"]) == (0.75, 0.25, 0.5)
    assert truth["icc1"] == 0
    assert truth["failure_rate empty_submission"] == pytest.approx(0.1)
    assert truth["failure_rate wrong_result"] == pytest.approx(0.4)
    assert truth["failure_share wrong_result"] == pytest.approx(0.8)
    assert truth["actions_mean"] == pytest.approx(2)
    assert truth["tokens_mean"] == pytest.approx(2_000 + 2_700 + 2 * 400)
    assert truth["cost_mean"] == pytest.approx(4_700 * 1e-6 + 800 * 8e-6)
    assert truth["cv_actions_mean"] == pytest.approx(0, abs=1e-9)
    assert (truth["phase_share explore"], truth["phase_share other"]) == pytest.approx((0.5, 0.5))
    assert truth["diverged_by_5"] == 0
    assert not {"divergence_mean", "phase_cv edit"} & set(truth)


@pytest.mark.parametrize("policy", DEFAULT, ids=lambda policy: policy.name)
def test_true_values_hang_together(policy: Policy) -> None:
    truth = truth_of(policy)
    shares = [truth[f"phase_share {kind}"] for kind in KINDS]
    ended = ["accuracy", *(name for name in truth if name.startswith("failure_rate"))]
    solved = ("tasks_always", "tasks_sometimes", "tasks_never")

    assert sum(shares) == pytest.approx(1)
    assert sum(truth[name] for name in ended) == pytest.approx(1)
    assert sum(truth[name] for name in solved) == pytest.approx(1)
    assert sum(value for name, value in truth.items() if name.startswith("first_action_share")) == (
        pytest.approx(1)
    )
    assert truth["pass_hat_k 5"] <= truth["accuracy"] <= truth["pass_at_k 5"]
    assert truth["cv_actions_mean"] < truth["cv_actions_population"]
    assert len(truth) == len(true_parameters(policy, draws=10))


def test_more_runs_diverge_earlier_and_flip_more() -> None:
    two, five = truth_of(METHODICAL, k=2), truth_of(METHODICAL, k=5)

    assert five["divergence_mean"] < two["divergence_mean"]
    assert five["flip_rate"] > two["flip_rate"]


def test_one_run_has_no_variance_to_know() -> None:
    with pytest.raises(UsageError, match="2 or more"):
        true_parameters(HASTY, k=1)
