"""When runs part, what they do there, how alike they stay: by hand and against the array layer."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.simulate.build import action, repeats
from ethogram.stats.sequences import coherence_after_divergence, divergence_step
from ethogram.trajectory import Event, Trajectory


def tools(names: str) -> list[Event]:
    """One call a letter, of a tool of that name."""
    return [action(f"{name}()", tool=name) for name in names]


def runs(sequences: list[str], **fields: object) -> list[Trajectory]:
    return repeats([tools(names) for names in sequences], **fields)  # type: ignore[arg-type]


def measured(*trajectories: Trajectory, k: int | None = None) -> Result:
    return variance(from_trajectories(trajectories), k=k, alphabet="tool")


def row(result: Result) -> dict[str, object]:
    return result.to_frame("divergence").row(0, named=True)


def test_divergence_by_hand() -> None:
    result = measured(
        *runs(["abc", "abd", "abd"], task="t1"),
        *runs(["abc", "xbc", "abc"], task="t2"),
        *runs(["abc", "abc", "abc"], task="t3"),
    )

    assert result.to_frame("divergence")["divergence"].to_list() == [3.0, 1.0, None]
    assert result.estimate("divergence_mean", system="a").value == 2.0
    assert result.estimate("divergence_mean", system="a").n_tasks == 2
    assert result.estimate("diverged_by_1", system="a").value == pytest.approx(1 / 3)
    assert result.estimate("diverged_by_5", system="a").value == pytest.approx(2 / 3)
    assert result.estimate("never", system="a").value == pytest.approx(1 / 3)


def test_what_the_runs_did_where_they_parted_is_listed_by_frequency() -> None:
    assert row(measured(*runs(["ab", "ac", "ac", "a"])))["there"] == "c 2, (ended) 1, b 1"


def test_the_strict_version_looks_at_the_texts() -> None:
    first = [action("a(1)", tool="a"), action("b()", tool="b")]
    second = [action("a(2)", tool="a"), action("c()", tool="c")]
    found = row(measured(*repeats([first, second])))

    assert (found["divergence"], found["divergence_texts"]) == (2.0, 1.0)


def test_equal_runs_never_part_and_have_no_coherence() -> None:
    result = measured(*runs(["abc", "abc"]))

    assert result.estimate("divergence_mean", system="a").reason == (
        "the runs of every task are equal"
    )
    assert result.estimate("never", system="a").value == 1.0
    assert result.estimate("coherence", system="a").reason == "the runs of every task are equal"


def test_single_runs_have_no_divergence() -> None:
    result = measured(*runs(["abc"]))

    assert result.to_frame("divergence").is_empty()
    assert result.estimate("diverged_by_1", system="a").reason == "no task has two or more runs"


def test_coherence_by_hand() -> None:
    """From step 2 on: bcd, bxd and nothing: similarities 2/3, 0 and 0."""
    found = measured(*runs(["abcd", "abxd", "a"])).estimate("coherence", system="a")

    assert found.value == pytest.approx(2 / 9)


SEQUENCES = st.lists(st.text("ab", max_size=4), min_size=2, max_size=6)


@settings(deadline=None, max_examples=25)
@given(SEQUENCES, st.integers(2, 4))
def test_all_subsets_of_k_runs_count_alike(sequences: list[str], k: int) -> None:
    found = measured(*runs(sequences), k=k)
    if len(sequences) < k:
        assert found.estimate("never", system="a").reason == f"no task has {k} or more runs"
        return
    subsets = list(combinations(sequences, k))
    steps = [step for s in subsets if (step := divergence_step(s)) is not None]
    alike = [c for s in subsets if (c := coherence_after_divergence(s)) is not None]

    assert found.estimate("divergence_mean", system="a").value == (
        pytest.approx(np.mean(steps)) if steps else None
    )
    assert found.estimate("coherence", system="a").value == (
        pytest.approx(np.mean(alike)) if alike else None
    )


def test_the_executor_does_not_change_the_numbers() -> None:
    sequences = [format(n, "b").translate({48: "a", 49: "b"}) for n in range(20, 32)]
    cohort = from_trajectories(
        [
            *runs(sequences, task="t1"),
            *runs(sequences[:3], task="t2"),
            *runs(["ab", "b"], task="t3"),
        ]
    )

    alone = variance(cohort, alphabet="tool", seed=7, k=3)
    with ThreadPoolExecutor(2) as executor:
        together = variance(cohort, alphabet="tool", seed=7, k=3, executor=executor)

    assert alone.to_dict() == together.to_dict()


def test_the_alphabet_is_printed() -> None:
    result = measured(*runs(["ab", "ac"]))

    assert result.provenance.parameters["alphabet"] == "tool"
    assert any("two actions are the same if they are with the same tool" in n for n in result.notes)
