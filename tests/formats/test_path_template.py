"""Templates match whole components at the end of a path and capture within one component."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.formats.path_template import PathTemplate

names = st.text(st.sampled_from("ab.-_1"), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("template", "path", "captures"),
    [
        pytest.param("{a}.json", "x.json", {"a": "x"}, id="name"),
        pytest.param("{a}.json", "r/x.json", {"a": "x"}, id="below a folder"),
        pytest.param("{a}/{b}.json", "r/x/y.json", {"a": "x", "b": "y"}, id="folder and name"),
        pytest.param("{a}/{b}.json", "y.json", None, id="no folder"),
        pytest.param("run{a}.json", "rerun1.json", None, id="within a component"),
        pytest.param("{a}.{a}-{b}.json", "x.x-1.json", {"a": "x", "b": "1"}, id="twice the same"),
        pytest.param("{a}.{a}-{b}.json", "x.y-1.json", None, id="twice another"),
        pytest.param("{a}/b.json", "t.tar.xz::x/b.json", {"a": "x"}, id="member of an archive"),
        pytest.param("{a}.json", "x.json.gz", {"a": "x"}, id="compressed"),
        pytest.param("{a}.json.gz", "x.json.gz", {"a": "x"}, id="compressed, as written"),
        pytest.param("{a}.{b}", "x.json.gz", {"a": "x", "b": "json"}, id="compressed, any suffix"),
        pytest.param("{a}.json", "r\\x.json", {"a": "x"}, id="backslash"),
        pytest.param("r/*/{a}.json", "r/any/x.json", {"a": "x"}, id="star"),
        pytest.param("r/*/{a}.json", "r/x.json", None, id="star is one component"),
        pytest.param("r/**/{a}.json", "r/1/2/x.json", {"a": "x"}, id="two stars"),
        pytest.param("r/**/{a}.json", "r/x.json", {"a": "x"}, id="two stars may be none"),
        pytest.param("run?.json", "run1.json", {}, id="question mark"),
        pytest.param("run?.json", "run12.json", None, id="question mark is one"),
        pytest.param("a.json", "aXjson", None, id="a dot is a dot"),
    ],
)
def test_what_a_template_captures(
    template: str, path: str, captures: dict[str, str] | None
) -> None:
    assert PathTemplate(template).match(path) == captures


@given(names, names, st.lists(names, max_size=2))
def test_what_was_filled_in_is_captured_again(first: str, second: str, folders: list[str]) -> None:
    path = "/".join([*folders, first, f"run{second}.json"])

    assert PathTemplate("{a}/run{b}.json").match(path) == {"a": first, "b": second}


def test_captures_are_listed_once() -> None:
    assert PathTemplate("{a}.{a}-{b}*.json").captures == ("a", "b")


@pytest.mark.parametrize("text", ["{a", "a}", "{}", "{ä}", "{1a}", "{a b}"])
def test_what_is_no_template_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="template"):
        PathTemplate(text)
