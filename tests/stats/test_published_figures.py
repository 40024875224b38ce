"""What others have printed or is known of real data, made again from that data."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ethogram.stats.arrays import FloatArray
from ethogram.stats.dispersion import coefficient_of_variation, icc1
from ethogram.stats.effects import cohens_d_pooled, cohens_dz
from ethogram.stats.repeats import flip_rate, pass_hat_k
from ethogram.stats.significance import fisher_exact, paired_t, unpaired_t

pytestmark = pytest.mark.shared

FOLDERS = {
    "claude": "results_claude_10",
    "gpt5": "results_gpt5_snowflake",
    "llama": "results_llama_10",
}
PAIRS = [("gpt5", "claude"), ("gpt5", "llama"), ("claude", "llama")]


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[str, Any]:
    path = shared / "reference" / "seed_002_consistency_amplifies.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


@pytest.fixture(scope="module")
def cvs(shared: Path) -> dict[str, FloatArray]:
    """Percent CV of the step counts of each of the ten tasks, by system, from the raw runs."""
    return {
        system: np.array(
            [
                100
                * coefficient_of_variation(
                    [run["n_steps"] for run in json.loads(path.read_text("utf-8"))["runs"]]
                )
                for path in sorted((shared / "data/consistency-amplifies" / folder).glob("*.json"))
            ]
        )
        for system, folder in FOLDERS.items()
    }


@pytest.fixture(scope="module")
def tau_bench(shared: Path) -> list[list[int]]:
    """Success of the four runs of each task."""
    runs: dict[int, list[int]] = {}
    path = shared / "data" / "tau-bench" / "gpt-4o-airline_4trials.json"
    for run in json.loads(path.read_text(encoding="utf-8")):
        runs.setdefault(run["task_id"], []).append(int(run["reward"] == 1))
    return list(runs.values())


@pytest.mark.parametrize("system", FOLDERS)
def test_cvs_of_step_counts_are_those_of_mehta_2026(
    system: str, cvs: dict[str, FloatArray], printed: dict[str, Any]
) -> None:
    by_task = printed["per_task_cv_percent"][system]

    assert cvs[system].round(1).tolist() == list(by_task.values())
    assert round(float(cvs[system].mean()), 1) == printed["mean_cv_percent"][system]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_t_tests_on_cvs_are_the_recomputed_ones(
    first: str, second: str, cvs: dict[str, FloatArray], printed: dict[str, Any]
) -> None:
    expected = printed["cv_tests_recomputed_from_the_data"][f"{first}_vs_{second}"]
    one, other = cvs[first], cvs[second]
    paired, unpaired = paired_t(one, other), unpaired_t(one, other)

    assert (paired.df, unpaired.df) == (9, 18)
    assert paired.statistic == pytest.approx(expected["t_paired"], abs=5e-4)
    assert paired.p_value == pytest.approx(expected["p_paired"], rel=0.01)
    assert unpaired.statistic == pytest.approx(expected["t_unpaired"], abs=5e-4)
    assert unpaired.p_value == pytest.approx(expected["p_unpaired_df18"], rel=0.01)
    assert cohens_d_pooled(one, other) == pytest.approx(expected["d_pooled"], abs=5e-4)
    assert cohens_dz(one, other) == pytest.approx(expected["d_z"], abs=5e-4)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_fishers_tests_are_those_of_mehta_2026(
    first: str, second: str, printed: dict[str, Any]
) -> None:
    resolved = printed["resolved_runs"]
    expected = printed["accuracy_fisher"][f"{first}_vs_{second}"]
    found = fisher_exact(resolved[first], 50, resolved[second], 50)

    assert found.statistic == pytest.approx(expected["odds_ratio"], abs=5e-4)
    assert found.p_value == pytest.approx(expected["p"], rel=0.02)


def test_tau_bench_has_the_known_icc(tau_bench: list[list[int]]) -> None:
    assert (len(tau_bench), sum(map(sum, tau_bench))) == (50, 84)
    assert round(icc1(tau_bench), 4) == 0.4046


def test_tau_bench_has_the_known_pass_hat_k_and_flips(tau_bench: list[list[int]]) -> None:
    n, c = [len(task) for task in tau_bench], [sum(task) for task in tau_bench]
    hat = [round(float(pass_hat_k(n, c, k).mean()), 3) for k in (1, 2, 3, 4)]
    flips = [round(float(flip_rate(n, c, k).mean()), 2) for k in (2, 3, 4)]

    assert hat == [0.42, 0.273, 0.22, 0.2]
    assert flips == [0.29, 0.44, 0.52]
