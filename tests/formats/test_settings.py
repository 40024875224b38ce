"""Settings: no secret gets through, no setting gets lost."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.formats.settings import public, without_nulls

NAMES = st.sampled_from(["api_key", "X-Auth-Token", "client_secret", "password", "credentials"])
VALUES = st.recursive(
    st.text(max_size=3), lambda inner: st.dictionaries(NAMES | st.just("plain"), inner, max_size=3)
)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"max_tokens": 100}, id="a number of tokens"),
        pytest.param({"max_completion_tokens": 1.0}, id="another number of tokens"),
        pytest.param({"temperature": 0.0, "top_p": 1}, id="sampling"),
        pytest.param({"reasoning_effort": "low"}, id="a text"),
    ],
)
def test_settings_stay(arguments: dict[str, Any]) -> None:
    assert public(arguments) == arguments


def test_addresses_of_servers_are_left_out() -> None:
    assert public({"api_base": "http://host", "base_url": "http://host", "n": 1}) == {"n": 1}


@settings(deadline=None)
@given(VALUES)
def test_no_field_with_a_secret_name_keeps_a_text(value: Any) -> None:
    def names(inner: Any) -> set[str]:
        if not isinstance(inner, dict):
            return set()
        return set(inner).union(*map(names, inner.values()))

    assert names(public(value)) <= {"plain"}


def test_secrets_in_lists_are_left_out() -> None:
    assert public({"headers": [{"authorization": "x", "n": 1}]}) == {"headers": [{"n": 1}]}


def test_nulls_and_empty_values_make_no_difference() -> None:
    said: dict[str, Any] = {
        "a": 1,
        "b": None,
        "c": {"d": [], "e": {}},
        "f": [{"g": None}],
        "h": "",
        "i": 0,
    }

    assert without_nulls(said) == {"a": 1, "f": [{}], "h": "", "i": 0}
