"""Here-documents are lifted out of a command as the shell would take them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.actions.heredoc import body_of, lift


@pytest.mark.parametrize(
    ("text", "lifted", "bodies"),
    [
        pytest.param("ls -l", "ls -l", [], id="none"),
        pytest.param(
            "cat <<A >f && ls\none\ntwo\nA\npwd",
            "cat __heredoc_0__ >f && ls\npwd",
            ["one\ntwo"],
            id="the-line-that-opens-it-goes-on",
        ),
        pytest.param(
            "cat <<A; cat <<'B'\n1\nA\n2\nB\n",
            "cat __heredoc_0__; cat __heredoc_1__\n",
            ["1", "2"],
            id="two-in-a-line",
        ),
        pytest.param(
            "a <<-E\n\tx\n\tE\nb <<E\nE\n",
            "a __heredoc_0__\nb __heredoc_1__\n",
            ["\tx", ""],
            id="tabs-and-empty",
        ),
        pytest.param("a <<E\nx", "a __heredoc_0__\n", ["x"], id="end-missing"),
        pytest.param("a <<E", "a __heredoc_0__", [""], id="nothing-follows"),
        pytest.param("a <<E\nE2\nxE\nE\nb", "a __heredoc_0__\nb", ["E2\nxE"], id="whole-lines"),
        pytest.param("echo '<<E'\nls\nE", "echo '<<E'\nls\nE", [], id="quoted"),
        pytest.param('echo "\\" <<E"\nls', 'echo "\\" <<E"\nls', [], id="double-quoted"),
        pytest.param("# don't <<E\nls", "# don't <<E\nls", [], id="comment"),
        pytest.param("cat <<<word\nls", "cat <<<word\nls", [], id="here-string"),
        pytest.param("echo $((1 <<x))\nls", "echo $((1 <<x))\nls", [], id="arithmetic"),
        pytest.param(
            "echo don't\ncat <<E\nx\nE\n", "echo don't\ncat __heredoc_0__\n", ["x"], id="open-quote"
        ),
    ],
)
def test_bodies_are_lifted(text: str, lifted: str, bodies: list[str]) -> None:
    assert lift(text) == (lifted, bodies)


def test_a_placeholder_stands_for_its_body_and_no_other_word_does() -> None:
    assert body_of("__heredoc_1__", ["a", "b"]) == "b"
    assert body_of("__heredoc_2__", ["a", "b"]) is None
    assert body_of("cat", ["a"]) is None


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"))))
def test_a_quoted_body_comes_back_as_it_was(lines: list[str]) -> None:
    kept = [line for line in lines if line.strip(" \t") != "END"]
    body = "\n".join(kept)

    assert lift(f"cat <<'END' > f\n{body}\nEND\nls") == ("cat __heredoc_0__ > f\nls", [body])


@given(st.text("<E'\"\\\n #(x", max_size=200))
def test_any_text_is_lifted(text: str) -> None:
    lifted, bodies = lift(text)

    assert len(lifted) + sum(map(len, bodies)) <= len(text) + len(bodies) * len("__heredoc_99__")
