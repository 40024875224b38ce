"""Systems whose strategies are known, and systems that differ in nothing but success."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from strategies_known import rates_only, sample_from, strategies

from ethogram.measures.consistency import quality
from ethogram.measures.consistency.axes import axes_of
from ethogram.measures.consistency.evidence import Evidence, gather, shuffled_within
from ethogram.measures.consistency.pairs import pair_rows
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import Drawing
from ethogram.measures.consistency.systems import system_rows
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import FloatArray

OFFSET_MINUS_NULL = "cross_task_offset_minus_null"
EVERYWHERE, PER_TASK, PER_RUN = "one everywhere", "one per task", "a new one each run"


def _evidence(sample: Sample, n_permutations: int = 0, seed: int = 0) -> Evidence:
    return gather(sample, folds="tasks", seed=seed, n_permutations=n_permutations)


def _rows(evidence: Evidence) -> Mapping[tuple[str, str], Estimate]:
    rows = system_rows(evidence, drawing=Drawing())
    return {(keys["system"], found.name): found for keys, found in rows}


def _value(rows: Mapping[tuple[str, str], Estimate], system: str, name: str) -> float:
    found = rows[system, name].value
    assert found is not None
    return found


@pytest.fixture(scope="module")
def known() -> Evidence:
    return _evidence(strategies(n_tasks=40))


def test_three_ways_of_choosing_a_strategy_are_ordered_on_both_axes(known: Evidence) -> None:
    rows = _rows(known)
    across, within = (
        {system: _value(rows, system, scale) for system in (EVERYWHERE, PER_TASK, PER_RUN)}
        for scale in ("cross_task", "within_task")
    )

    assert across[EVERYWHERE] - max(across[PER_TASK], across[PER_RUN]) > 0.2
    assert min(within[EVERYWHERE], within[PER_TASK]) - within[PER_RUN] > 0.2


def test_the_order_holds_with_success_offset(known: Evidence) -> None:
    """A system that always does the same has little left to explain beyond its success rate."""
    rows = _rows(known)

    across = [_value(rows, s, "cross_task_offset") for s in (EVERYWHERE, PER_TASK, PER_RUN)]
    within = [_value(rows, s, "within_task_offset") for s in (EVERYWHERE, PER_TASK, PER_RUN)]
    assert across[0] > 0.1 > max(across[1:])
    assert min(within[:2]) > 0.1 > within[2]


def test_one_strategy_a_task_is_locally_steady_and_globally_fragmented(known: Evidence) -> None:
    found = axes_of(known, PER_TASK, drawing=Drawing())

    assert set(found.profile.values()) == {"locally steady but globally fragmented"}
    assert all(gap.low is not None and gap.low > 0 for gap in found.gap.values())
    assert (
        axes_of(known, PER_RUN, drawing=Drawing()).profile["_offset"] == "unsteady at both scales"
    )


def test_nothing_is_left_beyond_the_null_once_outcomes_are_shuffled() -> None:
    sample = strategies(n_tasks=30)
    labels = shuffled_within(sample, rng=np.random.default_rng(5))
    meaningless = replace(
        sample, runs=sample.runs.with_columns(success=pl.Series(labels, dtype=pl.Boolean))
    )
    evidence = _evidence(meaningless, n_permutations=6)
    rows = _rows(evidence)
    gaps = [
        gap
        for system in sample.systems
        for name, gap in axes_of(evidence, system, drawing=Drawing()).gap.items()
        if name.endswith("_minus_null")
    ]

    left = [found for (_, name), found in rows.items() if name.endswith("_minus_null")]
    assert (len(left), len(gaps)) == (18, 6)
    assert all(
        found.low is not None and found.high is not None and found.low <= 0 <= found.high
        for found in (*left, *gaps)
    )


def test_runs_of_a_task_that_look_alike_open_a_gap_that_their_outcomes_do_not() -> None:
    """Each task has a look of its own, and success is drawn: only the null says so."""
    rng = np.random.default_rng(1)
    systems = [name for name in "ab" for _ in range(160)]
    task = np.tile(np.repeat(np.arange(40), 4), 2)
    looks = rng.normal(size=(40, 4))
    features = looks[task] + rng.normal(scale=0.1, size=(320, 4))
    success = rng.random(320) < 0.5
    names = [f"task{number:02d}" for number in task]
    evidence = _evidence(sample_from(features, success, systems, names), n_permutations=5)
    for system in "ab":
        gap = axes_of(evidence, system, drawing=Drawing()).gap
        open_, left = gap["_offset"], gap["_offset_minus_null"]
        assert open_.low is not None
        assert open_.low > 0.2
        assert left.low is not None
        assert left.high is not None
        assert left.low <= 0 <= left.high


def test_something_is_left_where_a_strategy_matters() -> None:
    evidence = _evidence(strategies(n_tasks=30), n_permutations=4)
    rows = _rows(evidence)
    gap = axes_of(evidence, PER_TASK, drawing=Drawing()).gap["_offset_minus_null"]

    for name in ("within_task_minus_null", "within_task_offset_minus_null"):
        found = rows[PER_TASK, name]
        assert found.low is not None
        assert found.low > 0.1
    assert gap.low is not None
    assert gap.low > 0


@pytest.mark.slow
def test_raw_bcm_orders_systems_that_differ_in_success_alone_and_offset_minus_null_does_not() -> (
    None
):
    """Nothing that a run does matters: raw BCM says how far a system's success is from the mean.

    The offset takes most of that away, its null the rest, which is then 0 on average.
    """
    far, near = ("rate 0.70", "rate 0.20"), ("rate 0.55", "rate 0.40")
    left: dict[str, list[float]] = {
        "cross_task": [],
        "cross_task_offset": [],
        OFFSET_MINUS_NULL: [],
    }
    clear = dict.fromkeys(left, 0)
    for seed in range(6):
        sample = rates_only((0.7, 0.55, 0.4, 0.2), n_tasks=40, seed=seed)
        evidence = _evidence(sample, seed=seed, n_permutations=5)
        rows = _rows(evidence)
        for name, gaps in left.items():
            values = {system: _value(rows, system, name) for system in (*far, *near)}
            gaps.append((sum(values[s] for s in far) - sum(values[s] for s in near)) / 2)
        for _, found in pair_rows(evidence, drawing=Drawing()):
            if found.name in clear:
                assert found.low is not None
                assert found.high is not None
                clear[found.name] += not found.low <= 0 <= found.high

    gap = {name: float(np.mean(gaps)) for name, gaps in left.items()}
    assert gap["cross_task"] > 0.2
    assert all(each > 0 for each in left["cross_task"])
    assert gap["cross_task_offset"] < gap["cross_task"] / 2
    assert abs(gap[OFFSET_MINUS_NULL]) < 0.04
    assert clear["cross_task"] > 18  # of 36 pairs
    assert clear[OFFSET_MINUS_NULL] <= 1


@pytest.mark.slow
def test_where_success_is_rare_the_offset_alone_is_too_high_and_its_null_as_high() -> None:
    """Trees take rare successes for rules, so that the offset alone does not reach zero."""
    offset, beyond, holds = [], [], []
    for seed in range(6):
        sample = rates_only((0.5, 0.05), n_tasks=40, seed=seed)
        rows = _rows(_evidence(sample, seed=seed, n_permutations=5))
        found = rows["rate 0.05", OFFSET_MINUS_NULL]
        assert found.low is not None
        assert found.high is not None
        offset.append(_value(rows, "rate 0.05", "cross_task_offset"))
        beyond.append(_value(rows, "rate 0.05", OFFSET_MINUS_NULL))
        holds.append(found.low <= 0 <= found.high)

    assert np.mean(offset) > 0.1
    assert abs(np.mean(beyond)) < 0.06
    assert sum(holds) >= 5


def test_a_planted_indicator_of_the_system_is_caught_by_the_identity_control() -> None:
    rng = np.random.default_rng(0)
    systems = [name for name, n in zip("abc", (80, 80, 80), strict=True) for _ in range(n)]
    number = np.array([ord(name) for name in systems], dtype=float)
    success = rng.random(240) < np.array([0.2, 0.5, 0.8])[(number - ord("a")).astype(int)]
    tasks = [f"t{place % 40}" for place in range(240)]
    noise = rng.normal(size=(240, 3))

    def told(features: FloatArray) -> float:
        evidence = _evidence(sample_from(features, success, systems, tasks))
        found = quality.identity_rows(evidence, drawing=Drawing(), seed=0)
        value = next(iter(found)).value
        assert value is not None
        return value

    assert told(np.column_stack([noise, number])) > 0.9
    assert told(noise) < 0.45


def test_one_system_has_no_identity_to_be_told() -> None:
    sample = strategies(n_tasks=20)
    one = _evidence(sample.restrict(sample.system == 0))
    found = next(iter(quality.identity_rows(one, drawing=Drawing(), seed=0)))

    assert (found.value, found.reason) == (None, "one system")


def test_permutations_of_a_subsample_are_compared_with_the_figure_on_the_same_runs() -> None:
    sample = strategies(n_tasks=40)
    evidence = gather(sample, folds="tasks", seed=0, n_permutations=2, max_runs=240)
    rows = _rows(evidence)
    compared = pair_rows(evidence, drawing=Drawing())

    used = len(evidence.null_sample.success)
    assert 200 <= used <= 240
    assert all(
        len(values) == used
        for each in evidence.shuffled.values()
        for values in (each.observed, *each.nulls)
    )
    left = rows[PER_TASK, "within_task_minus_null"]
    assert left.value is not None
    assert left.n_runs + left.n_excluded == 160
    for keys, found in compared:
        if found.name.endswith("_minus_null"):
            one, other = (_value(rows, keys[side], found.name) for side in ("first", "second"))
            assert found.value == pytest.approx(one - other, abs=1e-9)


def _told(
    seconds_a_fit: float,
    *,
    n_permutations: int = 0,
    n_later: int = 0,
    max_runs: int | None = None,
) -> list[str]:
    """What is said of the time if the first fit takes so long."""
    readings = iter([0.0, seconds_a_fit])
    said: list[str] = []
    gather(
        strategies(n_tasks=10),
        folds="tasks",
        seed=0,
        say=said.append,
        clock=lambda: next(readings),
        n_permutations=n_permutations,
        n_later=n_later,
        max_runs=max_runs,
    )
    return said


def test_the_time_is_said_first_where_it_is_over_two_minutes() -> None:
    """One more fit with the offset, two a permutation, and those that come later."""
    assert _told(121.0) == ["consistency: 1 more fit takes about 2 minutes"]
    assert _told(119.0) == []
    assert _told(20.0, n_permutations=2, n_later=4) == [
        "consistency: 9 more fits take about 3 minutes"
    ]
    # permutations of half the runs cost half
    assert _told(20.0, n_permutations=4, max_runs=60) == []
