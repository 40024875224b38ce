"""Values, and whether a text names one."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from measures.similarity import naive

from ethogram.measures.similarity.values import (
    UNINFORMATIVE,
    Value,
    argument_leaves,
    decoded,
    informative,
    leaves,
    names_value,
    written,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=10,
)


def test_leaves_are_scalars_in_order_and_keys_are_none() -> None:
    nested = {"key": [" A1 ", {"inner": 2.5}, []], "other": {"deep": {"deeper": 7}}}

    assert list(leaves(nested)) == ["A1", 2.5, 7]


def test_truth_values_and_null_are_no_leaves() -> None:
    assert list(leaves([True, False, None, 1, 0])) == [1, 0]


def test_nothing_is_parsed_inside_strings() -> None:
    assert list(leaves({"json": '{"id": "A1"}', "number": "12"})) == ['{"id": "A1"}', "12"]


def test_what_lies_too_deep_is_not_looked_into() -> None:
    deep: list[object] = ["bottom"]
    for _ in range(5_000):
        deep = [deep]

    assert list(leaves([deep, "top"])) == ["top"]


@given(JSON)
def test_leaves_are_those_of_the_plain_recursion(structure: Any) -> None:
    plain = [leaf for leaf in naive.leaves(structure) if leaf is not None and leaf is not True]

    assert list(leaves(structure)) == [leaf for leaf in plain if leaf is not False]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (7, "7"),
        (120.0, "120"),
        (129.50, "129.5"),
        (-3.0, "-3"),
        (0.1, "0.1"),
        (0.00001, "0.00001"),
        (1e16, "10000000000000000"),
        (1e22, "10000000000000000000000"),
        (2**80, str(2**80)),
    ],
)
def test_a_number_is_written_as_its_shortest_decimal_text(number: float, text: str) -> None:
    assert written(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
def test_a_written_number_is_read_as_the_same_number(number: float) -> None:
    text = written(number)

    assert float(text) == number
    assert "e" not in text
    assert Decimal(text) == Decimal(repr(number))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("abc", True),
        ("ab", False),
        ("", False),
        (99, False),
        (99.0, False),
        (100.0, True),
        (1.5, True),
        ("1.50", True),
        ("Pending", False),
        ("TRUE", False),
        ("true story", True),
        ("日本語", True),
    ],
)
def test_short_values_and_listed_tokens_say_nothing(value: Value, kept: bool) -> None:
    assert informative(value) is kept


def test_the_list_is_in_lower_case_and_says_nothing_in_any_case() -> None:
    assert all(token == token.lower() for token in UNINFORMATIVE)
    assert not any(informative(form) for t in UNINFORMATIVE for form in (t, t.upper(), t.title()))


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        pytest.param('{"id": "A1", "n": 3}', ["A1", 3], id="object"),
        pytest.param('" A1 "', ["A1"], id="string"),
        pytest.param("[1, [2]]", [1, 2], id="array"),
        pytest.param("12", [12], id="number"),
        pytest.param("null", [], id="null"),
        pytest.param(None, [], id="absent"),
        pytest.param("", [], id="empty"),
        pytest.param("  ", [], id="blank"),
        pytest.param('{"id": "A1', ['{"id": "A1'], id="broken"),
        pytest.param("{'id': 'A1'}", ["{'id': 'A1'}"], id="python"),
        pytest.param("[" * 9_000 + "]" * 9_000, ["[" * 9_000 + "]" * 9_000], id="too deep"),
        pytest.param("9" * 5_000, ["9" * 5_000], id="too many digits"),
        pytest.param("1e999", ["1e999"], id="too large"),
        pytest.param("NaN", ["NaN"], id="no JSON number"),
    ],
)
def test_arguments_in_any_state_have_leaves(arguments: str | None, found: list[Value]) -> None:
    assert argument_leaves(arguments) == found


@pytest.mark.parametrize("text", [None, "", "Error: no", "{", "NaN", '"\\ud800"', "\ufeff{}"])
def test_what_is_not_json_is_text(text: str | None) -> None:
    assert decoded(text) == (False, None)


def test_null_and_an_empty_list_are_json() -> None:
    assert decoded("null") == (True, None)
    assert decoded(" [] ") == (True, [])


@pytest.mark.parametrize(
    ("text", "value", "held"),
    [
        pytest.param("flight HAT31.", "HAT31", True, id="before a full stop"),
        pytest.param("HAT31", "HAT31", True, id="the whole text"),
        pytest.param("HAT312", "HAT31", False, id="longer"),
        pytest.param("xHAT31", "HAT31", False, id="in a word"),
        pytest.param("HAT31_2", "HAT31", False, id="an underscore is of the word"),
        pytest.param("hat31", "HAT31", False, id="case is kept"),
        pytest.param("HAT312 HAT31", "HAT31", True, id="the second time"),
        pytest.param("banana ana", "ana", True, id="overlapping"),
        pytest.param("order#W55", "#W55", False, id="a sign after a word"),
        pytest.param("order (#W55)", "#W55", True, id="a sign after a sign"),
        pytest.param("(a+b)*c", "a+b", True, id="signs of patterns"),
        pytest.param("aab", "a+b", False, id="no pattern"),
        pytest.param("axb", "a.b", False, id="a full stop is a full stop"),
        pytest.param("\\d+", "\\d+", True, id="backslash"),
        pytest.param("Çelik", "elik", False, id="a letter of any script"),
        pytest.param("naïve Straße", "Straße", True, id="unicode"),
        pytest.param("a\0b c", "a\0b", True, id="NUL"),
        pytest.param("a\nb", "a\nb", True, id="lines"),
        pytest.param("it costs 120 now", 120.0, True, id="number"),
        pytest.param("it costs 1200", 120, False, id="longer number"),
        pytest.param("", "abc", False, id="empty text"),
    ],
)
def test_a_text_holds_a_value_as_a_whole_token(text: str, value: Value, held: bool) -> None:
    assert names_value(text, value) is held


@given(st.text("ab_-. é#", max_size=12), st.text("ab_-.é#", min_size=1, max_size=3))
def test_a_token_is_what_a_pattern_with_lookarounds_finds(text: str, value: str) -> None:
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)"

    assert names_value(text, value) is (re.search(pattern, text) is not None)


def test_a_million_occurrences_in_a_text_are_gone_through() -> None:
    assert not names_value("abc" * 350_000, "abc")
    assert names_value("ab " * 350_000 + "abc", "abc")


@given(JSON)
def test_what_is_written_as_json_is_read_as_it_was(structure: Any) -> None:
    assert decoded(json.dumps(structure)) == (True, structure)
