"""What judging costs is said beforehand, counted, and kept within its budget."""

from pathlib import Path
from typing import Any

import pytest
from judging.asking import MODEL, by_content, judge_of, numbered, scores, settings_for
from judging.server import Reply, error, serving

from ethogram.errors import UsageError
from ethogram.judging import Budget, open_judges, rehearsals


def test_judges_share_the_budget(tmp_path: Path) -> None:
    with serving(by_content) as server:
        settings = settings_for(server, tmp_path, second="gpt-5-mini", budget=Budget(calls=5))
        first, second = open_judges(settings)
        found = scores(first, 4), scores(second, 4)

    assert [sum(score is not None for score in some) for some in found] == [4, 1]
    assert first.tally.stopped is None
    assert "budget of 5 calls is reached" in str(second.tally.stopped)
    assert second.tally.missing == {"budget reached": 3}


@pytest.mark.parametrize("concurrency", [1, 7])
def test_a_budget_of_calls_is_kept_to_the_call(concurrency: int, tmp_path: Path) -> None:
    with serving(by_content) as server:
        judge = judge_of(server, tmp_path, budget=Budget(calls=11), concurrency=concurrency)
        found = scores(judge, 40)
        more = judge_of(server, tmp_path, budget=Budget(calls=40))
        complete = scores(more, 40)

    assert sum(score is not None for score in found) == 11
    assert judge.tally.missing == {"budget reached": 29}
    assert None not in complete
    assert len(server.requests) == 40
    assert more.tally.kept == 11


def test_failures_that_nobody_bills_use_up_no_budget(tmp_path: Path) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        return error(500, "oops") if number == 0 else by_content(request, number)

    with serving(script) as server:
        judge = judge_of(server, tmp_path, budget=Budget(calls=3), retries=0, concurrency=1)
        found = scores(judge, 5)

    assert [score is not None for score in found] == [False, True, True, True, False]


def test_dollars_are_counted_by_the_server_s_tokens(tmp_path: Path) -> None:
    with serving(by_content) as server:
        judge = judge_of(server, tmp_path)
        scores(judge, 2)
    words = sum(len(prompt.split()) for prompt in server.prompts)

    assert judge.tally.usage.input_tokens == words
    assert judge.tally.usage.output_tokens == 14
    assert judge.tally.dollars == pytest.approx((words * 0.15 + 14 * 0.60) / 1e6, rel=1e-12)


@pytest.mark.parametrize("concurrency", [1, 6])
def test_a_budget_of_dollars_is_used_up_and_not_exceeded(concurrency: int, tmp_path: Path) -> None:
    """Calls that are out are waited for: they may cost less than they were thought to."""
    with serving(by_content) as server:
        whole = judge_of(server, tmp_path, cache=tmp_path / "whole.sqlite")
        scores(whole, 30)
        (one,) = (whole.cost(whole.put(each).expected) for each in numbered(1))
        half = Budget(dollars=(whole.tally.dollars or 0) / 2)
        judge = judge_of(server, tmp_path, budget=half, concurrency=concurrency)
        found = scores(judge, 30)
    spent, most = judge.tally.dollars or 0, half.dollars or 0

    assert 0 < sum(score is not None for score in found) < 30
    assert most - 1.01 * (one or 0) < spent <= most
    assert f"The budget of {half} is reached" in str(judge.tally.stopped)


def test_dollars_without_a_price_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with serving(by_content) as server:
        wanted = settings_for(server, tmp_path, model="my-own", budget=Budget(dollars=1.0))
        with pytest.raises(UsageError, match="the price of 'my-own' is not known"):
            open_judges(wanted)
    prices = tmp_path / "prices.toml"
    prices.write_text('date = "2026-10-01"\n[models.my-own]\ninput = 0.5\noutput = 1\n', "utf-8")

    assert open_judges(settings_for(server, tmp_path, model="my-own", prices=prices))


def test_a_rehearsal_asks_nobody_and_counts_what_asking_takes(tmp_path: Path) -> None:
    with serving(by_content) as server:
        scores(judge_of(server, tmp_path), 2)
        asked = len(server.requests)
        judges = open_judges(settings_for(server, tmp_path))
        (rehearsal,) = rehearsals(judges)
        answers = rehearsal.ask(numbered(5))
        plan = rehearsal.plan

        assert len(server.requests) == asked
        scores(judges[0], 5)
    told = " ".join(plan.sentences())

    assert None not in answers
    assert (plan.calls, plan.kept) == (3, 2)
    assert plan.usage.input_tokens >= sum(len(prompt) // 4 for prompt in server.prompts[2:])
    assert plan.dollars is not None
    assert plan.dollars > (judges[0].tally.dollars or 0)
    assert "calls to make 3, answers in the cache 2" in told
    assert "Tokens are estimated" in told


def test_what_will_be_asked_is_said_before_it_is_asked(tmp_path: Path) -> None:
    said: list[tuple[str, int]] = []
    with serving(by_content) as server:
        (judge,) = open_judges(
            settings_for(server, tmp_path),
            say=lambda sentence: said.append((sentence, len(server.requests))),
        )
        scores(judge, 3)
        scores(judge, 4)

    assert said[0][0].startswith(f"Judge {MODEL} at 127.0.0.1:")
    assert "calls to make 3" in said[0][0]
    assert {asked for _, asked in said} == {0}
