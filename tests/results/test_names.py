"""Short names stay different names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.results.names import common_prefix, elide, label_of, short_names


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("cv_actions", "CV actions"),
        ("success_rate", "Success rate"),
        ("icc", "ICC"),
        ("pass_at_3", "pass@3"),
        ("pass_hat_k", "pass^k"),
        ("n_runs", "n runs"),
        ("k", "k"),
        ("p_value", "p value"),
        ("", ""),
    ],
)
def test_labels_read_like_words(name: str, label: str) -> None:
    assert label_of(name) == label


def test_what_all_names_share_is_left_out() -> None:
    assert short_names(["swe/gpt-5", "swe/gpt-4"]) == {"swe/gpt-5": "gpt-5", "swe/gpt-4": "gpt-4"}


def test_names_that_share_letters_only_stay_whole() -> None:
    assert short_names(["gpt-5", "gpt-4"]) == {"gpt-5": "gpt-5", "gpt-4": "gpt-4"}


def test_a_single_name_stays_whole() -> None:
    assert short_names(["swe/gpt-5"]) == {"swe/gpt-5": "swe/gpt-5"}


def test_a_name_that_is_the_prefix_of_another_is_not_emptied() -> None:
    assert short_names(["a/", "a/b"]) == {"a/": "a/", "a/b": "a/b"}


def test_names_equal_after_shortening_get_numbers() -> None:
    names = ["a" * 20 + "x" + "b" * 20, "a" * 20 + "y" + "b" * 20]

    assert list(short_names(names, 9).values()) == ["aaaa…bbbb", "aaa…bbb~2"]


@given(st.lists(st.text("ab/_:-", max_size=40), max_size=12), st.integers(8, 30))
def test_short_names_are_short_and_different(names: list[str], width: int) -> None:
    short = short_names(names, width)

    assert list(short) == list(dict.fromkeys(names))
    assert len(set(short.values())) == len(short)
    assert all(len(text) <= width for text in short.values())


@given(st.text(max_size=60), st.integers(3, 30))
def test_elided_names_keep_both_ends(name: str, width: int) -> None:
    short = elide(name, width)

    assert len(short) == min(len(name), width)
    assert short == name or (name.startswith(short.split("…")[0]) and short.count("…") >= 1)


def test_common_prefix_ends_at_a_separator() -> None:
    assert common_prefix(["bench::astropy__1", "bench::astropy__2"]) == "bench::astropy__"
    assert common_prefix(["x"]) == ""
    assert common_prefix([]) == ""
