"""What judging costs, before and after."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.judging.budget import (
    Budget,
    Ledger,
    Usage,
    cost,
    estimated_tokens,
    parse_budget,
)  # fmt: skip
from ethogram.judging.prices import Price, load_prices


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("500", Budget(calls=500)),
        ("500 calls", Budget(calls=500)),
        ("1 call", Budget(calls=1)),
        ("0", Budget(calls=0)),
        ("$5", Budget(dollars=5.0)),
        ("$ 2.50", Budget(dollars=2.5)),
        ("2.5$", Budget(dollars=2.5)),
        ("3 USD", Budget(dollars=3.0)),
        (" 1 dollar ", Budget(dollars=1.0)),
    ],
)
def test_budgets_as_people_write_them(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    "text", ["", "$", "lots", "-1", "2.5", "2.5 calls", "$5 calls", "$5 usd", "1e3", "5 euros"]
)
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(UsageError, match="--judge-budget"):
        parse_budget(text)


def test_cost_by_hand() -> None:
    used = Usage(input_tokens=2_000_000, output_tokens=500_000)

    assert cost(used, Price(0.15, 0.60)) == pytest.approx(0.30 + 0.30, rel=1e-12)
    assert cost(used, None) is None


def test_tokens_are_estimated_from_bytes() -> None:
    assert estimated_tokens("abc" * 100) == 100
    assert estimated_tokens("你好") == 2
    assert estimated_tokens("a") == 1


@given(
    limit=st.floats(0, 10),
    estimates=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1)), max_size=20),
)
def test_dollars_stay_within_the_budget_if_calls_cost_no_more_than_estimated(
    limit: float, estimates: list[tuple[float, float]]
) -> None:
    ledger = Ledger(Budget(dollars=limit))
    spent = 0.0
    for estimate, share in estimates:
        if ledger.reserve(estimate):
            ledger.settle(estimate, estimate * share)
            spent += estimate * share

    assert spent <= limit + 1e-9
    assert ledger.dollars == pytest.approx(spent, abs=1e-9)


def test_a_call_that_was_not_answered_gives_its_place_back() -> None:
    ledger = Ledger(Budget(calls=1))

    assert ledger.reserve(None)
    assert not ledger.reserve(None)
    ledger.release(None)
    assert ledger.reserve(None)


def test_calls_that_are_out_count_as_spent() -> None:
    ledger = Ledger(Budget(dollars=1.0))

    assert ledger.reserve(0.6)
    assert not ledger.reserve(0.6)
    ledger.settle(0.6, 0.1)
    assert ledger.reserve(0.6)


def test_the_table_of_prices_has_a_date_and_plausible_prices() -> None:
    table = load_prices()
    shipped = tomllib.loads(files("ethogram.judging").joinpath("prices.toml").read_text("utf-8"))

    assert table.date == shipped["date"]
    assert all(0 < price.input < price.output < 200 for price in table.models.values())
    assert table.of("gpt-4o-mini") == Price(0.15, 0.60)
    assert table.of("gpt-4o-mini-2024-07-18") is None


def test_a_table_of_one_s_own_lies_over_the_package_s(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'date = "2026-10-01"\n[models.mine]\ninput = 0\noutput = 0\n'
        '[models."gpt-4o"]\ninput = 1\noutput = 2\n',
        "utf-8",
    )
    table = load_prices(own)

    assert table.of("mine") == Price(0, 0)
    assert table.of("gpt-4o") == Price(1, 2)
    assert table.of("gpt-4o-mini") == Price(0.15, 0.60)
    assert table.date == f"{load_prices().date}, own.toml of 2026-10-01"


@pytest.mark.parametrize(
    "text",
    ["models", "[models.a]\ninput = 1\noutput = 1", 'date = "x"\n[models.a]\ninput = -1\noutput=1'],
)
def test_a_table_that_is_none_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(text, "utf-8")
    with pytest.raises(UsageError, match=r"own.toml: not a table of prices"):
        load_prices(tmp_path / "own.toml")
