"""Whose model it is, by its name."""

import polars as pl
import pytest

from ethogram.results.vendors import brands_in, kin_warning, vendor_of


@pytest.mark.parametrize(
    ("model", "vendor"),
    [
        ("claude-sonnet-4-5-20250929", "Anthropic"),
        ("openai/gpt-5", "OpenAI"),
        ("o3-mini", "OpenAI"),
        ("meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", "Meta"),
        ("DeepSeek-R1-Distill-Llama-70B", "Meta"),
        ("gemini-3-pro-preview", "Google"),
        ("qwen2.5:7b", "Qwen"),
        ("mixtral-8x7b", "Mistral"),
        ("solo3", None),
        ("my-own", None),
        ("", None),
    ],
)
def test_the_last_brand_in_a_name_tells_the_maker(model: str, vendor: str | None) -> None:
    assert vendor_of(model) == vendor


def test_brands_are_found_in_their_order() -> None:
    assert brands_in("DeepSeek-R1-Distill-Qwen-14B") == ["deepseek", "qwen"]
    assert brands_in("my-own") == []


def systems(*rows: tuple[str, str | None, str | None]) -> pl.DataFrame:
    schema = dict.fromkeys(("system", "model", "family"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_a_judge_among_its_kin_is_told_of() -> None:
    judged = systems(
        ("b", "claude-haiku-4-5", None),
        ("a", None, "Anthropic"),
        ("c", "gpt-5", None),
        ("x/claude-opus", None, None),
    )
    said = kin_warning("claude-sonnet-4-5", judged)

    assert said is not None
    assert said.startswith(
        "The judge claude-sonnet-4-5 is of the same family (Anthropic) as a, b, x/claude-opus:"
    )


@pytest.mark.parametrize("judge", ["gemini-3-pro", "my-own"])
def test_a_judge_of_another_or_of_no_known_maker_is_not_warned_of(judge: str) -> None:
    assert kin_warning(judge, systems(("a", "gpt-5", None))) is None
