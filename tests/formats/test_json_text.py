"""Strangers' JSON: what can be read is read, and whatever can't be is told in one sentence."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Source
from ethogram.formats.json_text import canonical, decode, decode_lines
from ethogram.trajectory import Problem

OBJECT = msgspec.json.Decoder(dict[str, Any])

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def fault(text: bytes) -> str:
    with pytest.raises(MalformedTrajectoryError) as caught:
        decode(text, OBJECT, place="f.json")
    return str(caught.value)


@given(st.dictionaries(st.text(), values, min_size=1, max_size=3), st.data(), st.booleans())
def test_every_beginning_of_a_json_text_is_called_truncated(
    value: dict[str, Any], data: st.DataObject, escaped: bool
) -> None:
    text = json.dumps(value, ensure_ascii=escaped, allow_nan=False).encode("utf-8", "replace")
    end = data.draw(st.integers(1, len(text) - 1))

    assert "truncated" in fault(text[:end])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b" \n", "the file is empty", id="blank"),
        pytest.param(b"\x00\x01\x02", "not JSON", id="binary"),
        pytest.param(b'{"a": "\xff"}', "not UTF-8 text: byte 7 is 0xff", id="latin-1"),
        pytest.param(b'{"a": 1}{"a": 2}', "more than one JSON value", id="two-values"),
        pytest.param(b'{"a": 1}\n{"a": 2}', "more than one JSON value", id="two-lines"),
        pytest.param(b'{"a": 1,}', "not JSON", id="trailing-comma"),
        pytest.param(b"{'a': 1}", "not JSON", id="python"),
        pytest.param(b"[1]", "Expected `object`, got `array`", id="other-type"),
        pytest.param(b'{"a":' * 10_000, "nested too deeply", id="deep"),
        pytest.param(b'{"x": NaN, "a":' + b"[" * 10_000, "nested too deeply", id="deep-and-nan"),
        pytest.param(b'{"a": ' + b"9" * 5_000 + b"}", "", id="huge-number"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_the_place(text: bytes, sentence: str) -> None:
    found = fault(text)

    assert found.startswith("f.json: ")
    assert sentence in found
    assert "\n" not in found


def test_numbers_that_are_not_finite_are_missing_and_counted() -> None:
    text = b'{"a": NaN, "b": -Infinity, "c": [1e999, 1.5]}'

    value, problems = decode(text, OBJECT, place="f.json")

    assert value == {"a": None, "b": None, "c": [None, 1.5]}
    assert [(problem.count, problem.severity) for problem in problems] == [(3, "warning")]


def test_half_a_surrogate_pair_is_replaced_and_counted() -> None:
    value, problems = decode(rb'{"a": "\ud83d!", "b": "\ud83d\ude00"}', OBJECT, place="f.json")

    assert value == {"a": "\ufffd!", "b": "\U0001f600"}
    assert [problem.count for problem in problems] == [1]


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(b'\xef\xbb\xbf{"a": 1}', OBJECT, place="f.json") == ({"a": 1}, [])


def test_a_broken_line_loses_no_other_line(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b'{"a": 1}\n\n{"a": 2}{"a": 3}\n{"a": NaN}\n{"a": 5')

    decoded = decode_lines(Source("f.jsonl", path), OBJECT)
    lines = list(decoded)

    assert [number for number, _, _ in lines] == [1, 3, 4, 5]
    assert [isinstance(value, Problem) for _, value, _ in lines] == [False, True, False, True]
    assert lines[2][1] == {"a": None}
    broken = lines[3][1]
    assert isinstance(broken, Problem)
    assert broken.record == "line 5"
    assert "truncated" in broken.reason


@given(values)
def test_canonical_text_gives_the_value_back(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(), values, max_size=4))
def test_canonical_text_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)
