"""The names of tau-bench's files: what they say is read, what they don't is not guessed."""

import pytest

from ethogram.formats.tau_names import NameParts, parse_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("gpt-4o-airline", NameParts(model="gpt-4o", domain="airline"), id="published"),
        pytest.param(
            "sonnet-35-new-retail", NameParts(model="sonnet-35-new", domain="retail"), id="longer"
        ),
        pytest.param(
            "gpt-4o-airline_4trials", NameParts(model="gpt-4o", domain="airline"), id="trials"
        ),
        pytest.param(
            "grok-3-retail_1trial_pr", NameParts(model="grok-3", domain="retail"), id="pr"
        ),
        pytest.param(
            "tool-calling-grok-3-0.0_range_0--1_user-grok-3-llm_0921131646",
            NameParts("tool-calling", "grok-3", 0.0, "grok-3", "llm", None),
            id="runner",
        ),
        pytest.param(
            "react-claude-3-5-sonnet-0.7_range_0-50_user-gpt-4o-verify_0101000000",
            NameParts("react", "claude-3-5-sonnet", 0.7, "gpt-4o", "verify", None),
            id="runner with other strategies",
        ),
        pytest.param(
            "react-qwen3-8b-1e-05_range_0--1_user-gpt-4o-llm_0101000000",
            NameParts("react", "qwen3-8b", 1e-05, "gpt-4o", "llm", None),
            id="runner with a tiny temperature",
        ),
        pytest.param("results-airline", NameParts(domain="airline"), id="no model"),
        pytest.param("none_0618_retail", NameParts(domain="retail"), id="the model is none"),
        pytest.param("gpt-4o", NameParts(), id="no domain to end the model"),
        pytest.param("", NameParts(), id="empty"),
    ],
)
def test_a_name_gives_what_it_says_and_no_more(name: str, expected: NameParts) -> None:
    assert parse_name(f"{name}.json") == expected
