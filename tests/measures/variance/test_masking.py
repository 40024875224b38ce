"""Names of systems and models don't reach a judge."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.ingest import from_trajectories
from ethogram.measures.variance.masking import MASKED, Mask
from ethogram.simulate.build import run


def mask_of(system: str, **fields: Any) -> Mask:
    return Mask.of(from_trajectories([run(["ls"], system=system, **fields)]).systems)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("by claude-sonnet-4-5-20250929", "by [masked]"),
        ("by claude-sonnet-4-5", "by [masked]"),
        ("Claude Sonnet 4.5 says", "[masked] says"),
        ("claude - sonnet - 4.5 says", "[masked] says"),
        ("I am Claude.", "I am [masked]."),
        ("I am CLAUDE, of mini-swe-agent", "I am [masked], of [masked]"),
        ("claudette and my_claude_1 stay", "claudette and my_claude_1 stay"),
        ("我是Claude，", "我是[masked]，"),
        ("claude\nsonnet", "[masked]\nsonnet"),
        ("nobody", "nobody"),
    ],
)
def test_a_name_goes_in_whatever_form_it_is_written(text: str, masked: str) -> None:
    mask = mask_of(
        "mini-swe-agent/claude-sonnet-4-5-20250929",
        scaffold="mini-swe-agent",
        model="claude-sonnet-4-5-20250929",
    )

    assert mask(text) == masked


def test_a_brand_within_a_name_is_masked_from_there_on() -> None:
    mask = mask_of("openai-gpt-5")

    assert mask("GPT-5 or gpt5, of openai-gpt-5") == f"{MASKED} or {MASKED}, of {MASKED}"


def test_names_of_a_letter_are_left_and_named() -> None:
    mask = Mask.of(
        from_trajectories(
            [run(["ls"], system=name) for name in ("a", "o3", "2024", "ours")]
        ).systems
    )

    assert mask.too_short == ("2024", "a")
    assert mask("a, o3, 2024, ours") == f"a, {MASKED}, 2024, {MASKED}"


def test_without_names_nothing_is_masked() -> None:
    assert Mask(names=())("claude") == "claude"


@given(st.text(min_size=1), st.text())
def test_no_name_breaks_the_pattern_and_none_remains(name: str, around: str) -> None:
    schema = dict.fromkeys(("system", "scaffold", "model", "model_snapshot"), pl.String)
    mask = Mask.of(pl.DataFrame([{"system": name}], schema=schema))
    text = mask(f"{around}\n{name}\n{around}")

    assert mask.too_short == (name,) or f"\n{name}\n" not in text
