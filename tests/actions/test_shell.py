"""Commands as pipelines: the reader of plain ones and the tree agree, and say what stands there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.actions.heredoc import lift
from ethogram.actions.plain import read_plain
from ethogram.actions.script import Command, Script, unquote
from ethogram.actions.shell import MAX_DEPTH, ShellParser

PARSER = ShellParser()


def by_tree(text: str) -> Script:
    return PARSER.parse_tree(*lift(text))


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("plain", "plain"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        (r'"a\"b\n"', r'a"b\n'),
        ("a'b'\"c\"d", "abcd"),
        (r"\;", ";"),
        ("'it'\\''s'", "it's"),
        ("$'x'", "x"),
        ('"$HOME/x"', "$HOME/x"),
    ],
)
def test_quotes_come_off_as_in_the_shell(word: str, bare: str) -> None:
    assert unquote(word) == bare


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("grep -n 'a b' f", [[Command(["grep", "-n", "a b", "f"])]]),
        (
            "a | b 'c|d' && e; f",
            [[Command(["a"]), Command(["b", "c|d"])], [Command(["e"])], [Command(["f"])]],
        ),
        ("a | b | c && d", [[Command(["a"]), Command(["b"]), Command(["c"])], [Command(["d"])]]),
        ("a && b > f | c", [[Command(["a"])], [Command(["b"], writes=["f"]), Command(["c"])]]),
        ("a > f 2>&1", [[Command(["a"], writes=["f"])]]),
        ("a >> f 2>/dev/null", [[Command(["a"], writes=["f"])]]),
        ("a &> f b", [[Command(["a", "b"], writes=["f"])]]),
        ("> f", [[Command([], writes=["f"])]]),
        ("a < f", [[Command(["a", "f"])]]),
        ("a <<< 'x y'", [[Command(["a"], stdin="x y")]]),
        ("a <<E >f | b\nx\nE", [[Command(["a"], writes=["f"], stdin="x"), Command(["b"])]]),
        ("A=1 a b", [[Command(["A=1", "a", "b"])]]),
        ("# c\n\na # d\nb", [[Command(["a"])], [Command(["b"])]]),
        ("a \\\n  b", [[Command(["a", "b"])]]),
        ("! a & b", [[Command(["a"])], [Command(["b"])]]),
        (
            "find . ! -name '*.c' -exec a {} \\;",
            [[Command(["find", ".", "-name", "*.c", "-exec", "a", "{}", ";"])]],
        ),
    ],
)
def test_plain_commands_are_read_as_the_tree_reads_them(text: str, script: Script) -> None:
    found = read_plain(*lift(text))

    assert found == script
    if "!" not in text:  # the tree keeps find's negation, which nothing looks at
        assert by_tree(text) == script


@pytest.mark.parametrize(
    "text",
    ["a $(b)", "a `b`", "(a)", "{ a; }", "if a; then b; fi", "[[ a ]]", "a <(b)", "a 'b", "x=(1)"],
)
def test_what_is_not_plain_is_left_to_the_tree(text: str) -> None:
    assert read_plain(text, []) is None


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("a $(b c) d", [[Command(["a", "$(b c)", "d"], inner=[[[Command(["b", "c"])]]])]]),
        ("(a; b) | c", [[Command([], body=[[Command(["a"])], [Command(["b"])]]), Command(["c"])]]),
        ("for x in y; do a; done", [[Command(["a"])]]),
        (
            "while a; do b; done > f",
            [[Command([], ["f"], body=[[Command(["a"])], [Command(["b"])]])]],
        ),
        ("if a; then b; else c; fi", [[Command(["a"])], [Command(["b"])], [Command(["c"])]]),
        ("export A=$(b)", [[Command(["export"], inner=[[[Command(["b"])]]])]]),
        ("[[ -f a ]] && b", [[Command(["[["])], [Command(["b"])]]),
        ("a; ((", [[Command(["a"])]]),
        ("sed -i 's/it's/x/' f", [[Command(["sed", "-i", "s/its/x/", " f"])]]),
        ("python -c \"print('x') `", [[Command(["python", "-c", "print('x') `"])]]),
        ('python -c "a ``b`` (c', [[Command(["python", "-c", "a ``b`` (c"])]]),
    ],
)
def test_the_tree_gives_what_can_be_read(text: str, script: Script) -> None:
    assert by_tree(text)[: len(script)] == script


WORDS = st.sampled_from(["ls", "-n", "a.py", "'q s'", '"d $X"', "--a=1", "*.c", "{}", "a\\ b", "2"])
# No newlines: behind a pipeline and before `&&` tree-sitter-bash loses them.
JOINTS = st.sampled_from(
    [" ", " | x ", " && x ", "; x ", " > ", " 2>&1 ", " || x ", " >> f ", " < "]
)


@given(st.lists(st.tuples(WORDS, JOINTS), min_size=1, max_size=12), WORDS)
def test_both_readers_agree_on_generated_commands(parts: list[tuple[str, str]], last: str) -> None:
    text = "run " + "".join(word + joint for word, joint in parts) + last
    plain = read_plain(text, [])
    if plain is None or PARSER._parser.parse(text.encode()).root_node.has_error:
        return

    assert [[c.words for c in p] for p in plain] == [[c.words for c in p] for p in by_tree(text)]


@pytest.mark.parametrize("opening", ["(", "$(", "{ ", "if ", "`", '"$(', "a=(", "[[ ", "case "])
def test_deep_nesting_neither_fails_nor_recurses_without_end(opening: str) -> None:
    assert isinstance(PARSER.parse("ls; " + opening * 50_000), list)


def test_constructs_within_the_depth_are_read() -> None:
    depth = MAX_DEPTH // 4
    text = "echo " + "$(echo " * depth + "$(rm x)" + ")" * depth

    assert "rm" in str(PARSER.parse(text))


def test_wide_characters_are_kept_and_harmless() -> None:
    assert by_tree("echo 'é' {\U000f580a $(ls ü)")[0][0].words[:2] == ["echo", "é"]
    for _ in range(200):
        assert isinstance(by_tree("Ð{\U000c41dfÇ"), list)


@given(st.text())
def test_any_text_is_parsed(text: str) -> None:
    assert isinstance(PARSER.parse(text), list)
    assert isinstance(by_tree(text), list)
