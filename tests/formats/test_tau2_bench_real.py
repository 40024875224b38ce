"""tau2-bench: the published runs give the counts and means that are known of them."""

from collections import Counter
from pathlib import Path

import pytest
from tau2_files import on_disk, split

from ethogram.trajectory import Trajectory

REAL = {
    "claude-sonnet-4-5": (50, 0.72),
    "claude-opus-4-6": (44, 31 / 44),
    "gpt-5.4": (50, 0.56),
    "azure/gpt-4o-2024-11-20": (50, 0.46),
    "ollama_chat/qwen2.5:7b": (50, 0.18),
    "gpt-4.1-2025-04-14": (20, 0.80),
    "gpt-4o": (20, 0.70),
}


@pytest.fixture(scope="module")
def real(shared: Path) -> list[Trajectory]:
    paths = sorted((shared / "data" / "tau2-bench").glob("*.json"))
    return [run for path in paths for run in split(on_disk(path))[0]]


@pytest.mark.shared
def test_the_real_runs_have_the_known_counts_and_means(real: list[Trajectory]) -> None:
    for model, (count, mean) in REAL.items():
        rewards = [run.outcome.score or 0 for run in real if run.system.model == model]
        assert len(rewards) == count
        assert sum(rewards) / len(rewards) == pytest.approx(mean)
    assert sum(run.outcome.success is None for run in real) == 0
    assert [problem for run in real for problem in run.problems] == []


@pytest.mark.shared
def test_the_real_systems_do_not_merge_across_settings(real: list[Trajectory]) -> None:
    systems = Counter(
        (run.system.model, run.system.mode, run.system.step_limit)
        for run in real
        if run.system.model == "gpt-4.1"
    )

    assert systems == {("gpt-4.1", "user", 200): 100, ("gpt-4.1", "no-user", 100): 40}
    assert len({repr(run.system) for run in real}) == 11


@pytest.mark.shared
def test_four_real_trials_stay_four_runs_where_they_are_equal(real: list[Trajectory]) -> None:
    runs = [run for run in real if run.system.model == "gpt-4.1-2025-04-14"]
    tasks: dict[str | None, list[Trajectory]] = {}
    for run in runs:
        tasks.setdefault(run.task.task_id, []).append(run)

    assert len({run.native_id for run in runs}) == 20
    assert {tuple(sorted(r.trial or 0 for r in group)) for group in tasks.values()} == {
        (0, 1, 2, 3)
    }
    actions = [{tuple(e.action for e in run.actions) for run in group} for group in tasks.values()]
    assert sorted(map(len, actions))[:4] == [1, 1, 1, 1]


@pytest.mark.shared
def test_the_real_texts_are_unwrapped_and_greeted(real: list[Trajectory]) -> None:
    unwrapped = sum(run.extra.get("unwrapped_messages", 0) for run in real)
    greeted = Counter(sum(e.scripted for e in run.events) for run in real)

    assert unwrapped == 260
    assert greeted == {1: len(real) - 100, 0: 100}


@pytest.mark.shared
def test_the_real_voice_runs_are_refused_with_a_sentence(shared: Path) -> None:
    path = shared / "data" / "formats" / "tau2-voice-dirformat"
    runs, problems = split(on_disk(path / "results.json"))

    assert (runs, [problem.count for problem in problems]) == ([], [3])
    assert [split(on_disk(p)) for p in sorted((path / "simulations").iterdir())] == [([], [])] * 3
