"""Raw BCM on real runs: five models on one scaffold, and what shuffled outcomes say of it."""

from pathlib import Path
from typing import Final

import polars as pl
import pytest

import ethogram as eg
from ethogram.cohort import Cohort
from ethogram.measures.consistency import consistency
from ethogram.results import Result

MAPPING: Final = Path(__file__).parents[3] / "examples/mappings/consistency_amplifies.toml"
LLAMA: Final = "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo"
GPT5: Final = "openai-gpt-5"
CLAUDE: Final = "claude-sonnet-4-5-20250929"

pytestmark = [pytest.mark.shared, pytest.mark.slow]


@pytest.fixture(scope="module")
def cohort(shared: Path) -> Cohort:
    """Systems with 50 runs or more: one a model."""
    archives = shared / "data" / "mini-swe-agent"
    native = eg.read(
        archives,
        outcomes=str(archives / "index.csv"),
        outcome_columns={"source": "member", "success": "resolved"},
        texts=False,
    )
    mapped = eg.read(shared / "data" / "consistency-amplifies", mapping=MAPPING, texts=False)
    both = eg.concat([native, mapped])
    large = both.joined.group_by("system").len().filter(pl.col("len") >= 50)["system"]
    return both.filter(pl.col("system").is_in(large.implode()))


@pytest.fixture(scope="module")
def result(cohort: Cohort) -> Result:
    return consistency(cohort)


def _value(result: Result, name: str, system: str) -> float:
    value = result.estimate(name, system=system).value
    assert value is not None
    return value


def test_five_models_and_an_auc_like_the_papers(result: Result) -> None:
    assert result.to_frame()["system"].n_unique() == 5
    found = result.to_frame("predictor").filter(name="auc").row(0, named=True)

    assert 0.65 < found["value"] < 0.71  # the paper: 0.690
    assert found["low"] > 0.6


def test_where_success_lies_farthest_below_the_rest_the_null_is_as_high_as_the_figure(
    result: Result,
) -> None:
    rates = {s: _value(result, "success_rate", s) for s in result.to_frame()["system"].unique()}
    assert sorted(rates, key=lambda s: rates[s])[:2] == [LLAMA, GPT5]

    for system in (LLAMA, GPT5):
        assert _value(result, "cross_task", system) > 0.25
        assert _value(result, "cross_task_minus_null", system) < 0.05
        left = result.estimate("cross_task_minus_null", system=system)
        assert left.low is not None
        assert left.low < 0


def test_the_success_offset_takes_away_what_only_said_how_rarely_they_succeed(
    result: Result,
) -> None:
    for system in (LLAMA, GPT5):
        raw, offset = (_value(result, f"cross_task{v}", system) for v in ("", "_offset"))
        assert offset < 0.8 * raw
    for system in (CLAUDE,):
        raw, offset = (_value(result, f"cross_task{v}", system) for v in ("", "_offset"))
        assert offset > 0.8 * raw


def test_minus_its_null_the_offset_turns_the_order_round(result: Result) -> None:
    """Raw BCM is highest where success is rarest; beyond offset and null nothing is left there."""
    systems = result.to_frame()["system"].unique().to_list()

    def first_two(name: str) -> set[str]:
        return set(sorted(systems, key=lambda s: -_value(result, name, s))[:2])

    (deepseek,) = (system for system in systems if "deepseek" in system)
    assert first_two("cross_task") == {LLAMA, GPT5}
    assert first_two("cross_task_offset_minus_null") == {CLAUDE, deepseek}
    for system in (LLAMA, GPT5):
        left = result.estimate("cross_task_offset_minus_null", system=system)
        assert left.low is not None
        assert left.low < 0
    survives = result.estimate("cross_task_offset_minus_null", system=deepseek)
    assert survives.low is not None
    assert survives.low > 0.05


def test_two_formats_are_said_to_be_confounded_with_behaviour(result: Result) -> None:
    assert any("format and behaviour are confounded" in said for said in result.summary)
