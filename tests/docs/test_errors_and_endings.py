"""The page about errors, endings and successes says what the code does."""

import re
from pathlib import Path
from typing import get_args

import pytest

from ethogram.actions.failures import error_of
from ethogram.formats import tau2_bench, tau_bench
from ethogram.measures.variance.repeats import INFRA_SHARE
from ethogram.trajectory import Ending, Event

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "errors-and-endings.md").read_text(encoding="utf-8")
REWARDS = (0.5, 1, 2)
RULE = re.compile(
    r"^\| `(reward\S+)`(?: \(default\))? \| .* \| (\w+) \| (\w+) \| (\w+) \|$", re.MULTILINE
)


@pytest.mark.parametrize("row", RULE.findall(PAGE), ids=lambda row: row[0])
def test_a_rule_judges_rewards_as_the_page_says(row: tuple[str, ...]) -> None:
    found = [tau_bench.RULES[row[0]](tau_bench.Row(reward=reward)) for reward in REWARDS]

    assert found == [verdict == "yes" for verdict in row[1:]]


def test_every_rule_and_the_default_stand_on_the_page() -> None:
    assert {row[0] for row in RULE.findall(PAGE)} | {"r_actions"} == set(tau_bench.RULES)
    assert f"`{tau_bench.DEFAULT_RULE}` (default)" in PAGE
    assert tau_bench.TOLERANCE == tau2_bench.TOLERANCE == 0.000001


def test_every_ending_is_explained() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)[: len(get_args(Ending))] == list(
        get_args(Ending)
    )


def test_the_share_from_which_both_accuracies_are_shown() -> None:
    assert f"above {INFRA_SHARE:.0%}".replace("%", " %") in PAGE


@pytest.mark.parametrize(
    ("action", "is_error"), [("grep x f", False), ("grep x f | sort", True), ("pytest", True)]
)
def test_exit_code_1_of_nothing_but_searches_is_an_answer(action: str, *, is_error: bool) -> None:
    event = Event(event="action", action=action, exit_code=1)

    assert error_of(event, None) == (is_error, "recorded")


@pytest.mark.parametrize(
    ("name", "is_error"),
    [("tau-bench", False), ("swe-agent", False), ("mini-swe-agent", None), (None, None)],
)
def test_silence_is_success_only_where_failures_are_always_marked(
    name: str | None, *, is_error: bool | None
) -> None:
    event = Event(event="action", action="x", observation="fine")

    assert error_of(event, name)[0] is is_error
