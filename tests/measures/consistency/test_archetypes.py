"""Clusters that are planted are found and described; bins of difficulty are of other systems."""

import sys
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from strategies_known import sample_from, strategies

from ethogram.errors import UsageError
from ethogram.measures.consistency.archetypes import (
    archetype_frame,
    archetypes,
    describe,
    entropy_against_bcm,
    map_frame,
    shares_frame,
    spread_frame,
)
from ethogram.measures.consistency.attribution import Attribution
from ethogram.measures.consistency.difficulty import (
    SOLVED,
    TERCILES,
    difficulty,
    difficulty_rows,
    rates_of,
)
from ethogram.measures.consistency.evidence import Evidence, balanced
from ethogram.measures.consistency.scales import Drawing
from ethogram.stats.arrays import FloatArray


def _planted() -> Evidence:
    """Three clusters; ``a`` is always in the first, ``b`` in all of them, task by task."""
    rng = np.random.default_rng(0)
    centres = np.array([[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]])
    systems = ["a"] * 60 + ["b"] * 60
    tasks = [f"t{number // 3:02d}" for number in range(60)] * 2
    cluster = np.array([0] * 60 + [number // 3 % 3 for number in range(60)])
    values = centres[cluster] + rng.normal(scale=0.1, size=(120, 3))
    sample = sample_from(values * 10 + 5, cluster == 0, systems, tasks)
    found = Attribution(values, values.sum(axis=1), np.arange(120) % 5)
    return Evidence(sample, found, found, sample, {})


@pytest.fixture(scope="module")
def planted() -> Evidence:
    return _planted()


def test_planted_clusters_are_found_largest_first(planted: Evidence) -> None:
    found = archetypes(planted)
    assert found is not None
    frame = archetype_frame(planted, found)

    assert found.k == 3
    assert found.silhouettes.filter("chosen")["silhouette"][0] > 0.9
    assert frame["n_runs"].to_list() == [81, 21, 18]
    assert frame["success_rate"].to_list() == [1, 0, 0]
    shares = shares_frame(planted.sample, found)
    assert shares.filter(system="a")["share"].to_list() == pytest.approx([60 / 81, 0, 0])
    assert shares.filter(system="a")["share_of_system"].to_list() == [1, 0, 0]
    assert shares["n_runs"].sum() == 120
    assert frame["description"][0].startswith("high feature0")


def test_a_given_k_is_taken_and_an_impossible_one_refused(planted: Evidence) -> None:
    found = archetypes(planted, k=5)

    assert found is not None
    assert found.k == 5
    with pytest.raises(UsageError, match="k must lie between 2"):
        archetypes(planted, k=1)


def test_entropy_and_dominance_by_hand(planted: Evidence) -> None:
    found = archetypes(planted)
    assert found is not None
    spread = spread_frame(planted.sample, found)

    shares = np.array([21, 21, 18]) / 60
    entropy = -(shares * np.log(shares)).sum() / np.log(3)
    assert spread["entropy"].to_list() == pytest.approx([0, entropy], abs=1e-12)
    assert spread["other_dominant"].to_list() == pytest.approx([0, 13 / 20])
    assert entropy_against_bcm(spread, {"a": 0.9, "b": 0.1}) is None


def test_rank_correlation_over_three_systems() -> None:
    spread = pl.DataFrame({"system": ["a", "b", "c"], "entropy": [0.1, 0.5, 0.9]})

    assert entropy_against_bcm(spread, {"a": 0.9, "b": 0.5, "c": 0.1}) == pytest.approx(-1)
    assert entropy_against_bcm(spread, {"a": 0.9, "b": None, "c": 0.1}) is None


def test_the_map_keeps_planted_clusters_apart(planted: Evidence) -> None:
    found = archetypes(planted)
    assert found is not None
    frame = map_frame(planted, found)
    centres = frame.group_by("archetype").agg(pl.col("x", "y").mean()).sort("archetype")
    spread = frame.group_by("archetype").agg(pl.col("x", "y").std())

    gaps = [
        np.hypot(*(np.array(one) - np.array(other)))
        for one in centres.select("x", "y").rows()
        for other in centres.select("x", "y").rows()
        if one != other
    ]
    assert min(gaps) > 5 * spread.select(pl.max_horizontal("x", "y").max()).item()


def test_an_archetype_is_described_by_what_is_far_from_the_average() -> None:
    names = ("total_steps", "error_flag_count", "mine")

    assert describe(np.array([1.2, 0.5, -2.0]), names) == "low mine, long, many errors"
    assert describe(np.array([0.1, 0.1, 0.1]), names) == "like the average run"


def test_a_balanced_subsample_has_whole_tasks_and_no_more_runs_than_asked() -> None:
    sample = strategies(n_tasks=30, n_runs=4)
    kept = balanced(sample, 120, rng=np.random.default_rng(0))

    counts = np.bincount(sample.system[kept])
    assert kept.sum() <= 120
    assert counts.min() >= 32
    cells = sample.system * 1000 + sample.task
    assert all(kept[cells == cell].all() or not kept[cells == cell].any() for cell in set(cells))


def _tasks(rates: list[float]) -> Evidence:
    """Ten runs of ``b`` at each task with these rates, two of ``a`` that all fail."""
    systems, tasks, success = [], [], []
    for number, rate in enumerate(rates):
        for run in range(10):
            systems.append("b")
            tasks.append(f"t{number}")
            success.append(run < round(10 * rate))
        systems += ["a", "a"]
        tasks += [f"t{number}"] * 2
        success += [False, False]
    values = np.random.default_rng(0).normal(size=(len(systems), 2))
    sample = sample_from(values, np.array(success), systems, tasks)
    found = Attribution(values, values.sum(axis=1), np.zeros(len(systems), dtype=np.int64))
    return Evidence(sample, found, found, sample, {})


def test_difficulty_is_what_other_systems_make_of_a_task() -> None:
    sample = _tasks([0.9, 0.8, 0.5, 0.4, 0.2, 0.1]).sample
    rates = rates_of(sample, 0, pooling="others")
    own = sample.system == 0
    found = difficulty(sample, 0)

    assert rates[own].tolist() == pytest.approx(
        [r for r in [0.9, 0.8, 0.5, 0.4, 0.2, 0.1] for _ in "12"]
    )
    assert np.isnan(rates[~own]).all()
    assert found.names == TERCILES
    assert found.bins[own].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    pooled = rates_of(sample, 0, pooling="all")[own]
    assert pooled[0] == pytest.approx(9 / 12)


def test_ties_that_empty_a_tercile_give_way_to_solved_or_not() -> None:
    evidence = _tasks([1.0, 1.0, 1.0, 1.0, 0.5, 0.0])
    rows, tied = difficulty_rows(evidence, pooling="others", drawing=Drawing())

    assert "a" in tied
    assert {keys["difficulty"] for keys, _ in rows if keys["system"] == "a"} == set(SOLVED)


def test_a_system_alone_has_no_difficulty_but_by_its_own_runs() -> None:
    sample = _tasks([0.9, 0.5, 0.1]).sample
    one = sample.restrict(sample.system == 1)

    assert (difficulty(one, 0).bins == -1).all()
    assert set(difficulty(one, 0, pooling="all").bins) == {0, 1, 2}


@pytest.mark.parametrize(("n_runs", "n_neighbours"), [(12, 11), (60, 15)])
def test_umap_is_told_the_seed_one_job_and_neighbours_that_there_are(
    monkeypatch: pytest.MonkeyPatch, n_runs: int, n_neighbours: int
) -> None:
    """A stand-in that keeps its arguments and returns the first two attributions."""
    told: dict[str, int] = {}

    class Umap:
        def __init__(self, **arguments: int) -> None:
            told.update(arguments)

        def fit_transform(self, values: FloatArray) -> FloatArray:
            return values[:, :2].astype(np.float32)

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Umap))
    values = np.random.default_rng(0).normal(size=(n_runs, 4))
    sample = sample_from(values, values[:, 0] > 0, ["a"] * n_runs, [f"t{n}" for n in range(n_runs)])
    found = Attribution(values, values.sum(axis=1), np.zeros(n_runs, dtype=np.int64))
    evidence = Evidence(sample, found, found, sample, {})
    clusters = archetypes(evidence, k=2)
    assert clusters is not None
    frame = map_frame(evidence, clusters, kind="umap", seed=7)

    assert told == {"random_state": 7, "n_jobs": 1, "n_neighbors": n_neighbours}
    assert frame["x"].to_numpy() == pytest.approx(values[:, 0], abs=1e-6)
