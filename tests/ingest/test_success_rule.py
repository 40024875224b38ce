"""What is a success of a run with a reward is the user's to say."""

import json
from pathlib import Path

import pytest

from ethogram.errors import UsageError
from ethogram.ingest import Reading, run_reading


@pytest.fixture
def rewards(tmp_path: Path) -> Path:
    """Two runs of tau-bench, one with a part of the reward."""
    rows = [
        {
            "task_id": task,
            "trial": 0,
            "reward": reward,
            "info": {"task": {"user_id": "u", "actions": [], "instruction": f"i{task}"}},
            "traj": [{"role": "system", "content": "p"}, {"role": "assistant", "content": "hi"}],
        }
        for task, reward in ((0, 1.0), (1, 0.7))
    ]
    path = tmp_path / "gpt-4o-airline.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("rule", "successes"), [(None, [True, False]), ("reward>0", [True, True])])
def test_the_rule_decides(rewards: Path, rule: str | None, successes: list[bool]) -> None:
    cohort = run_reading(Reading(paths=[rewards], success_rule=rule)).cohort

    assert cohort.runs.sort("task_id")["success"].to_list() == successes
    assert cohort.runs["outcome_rule"].unique().to_list() == [rule or "reward>=1"]


def test_a_format_without_rewards_has_no_rule(rewards: Path) -> None:
    with pytest.raises(UsageError, match="records successes, not scores"):
        run_reading(Reading(paths=[rewards], format="mini-swe-agent", success_rule="reward>0"))
