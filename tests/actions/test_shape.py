"""The shape of a text, and that it decides the label wherever a label is taken from it."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.actions.kinds import load_kinds
from ethogram.actions.label import Labeler
from ethogram.actions.rules import Judge
from ethogram.actions.shape import MAX_CHARS, MAX_SHAPED, names_in, shape_of

TABLES = load_kinds()
JUDGE = Judge(TABLES)
LABELER = Labeler(TABLES)  # remembers the shapes of all that it was asked for

WORDS = st.sampled_from(
    [
        *("grep", "sed", "find", "ls", "cat", "head", "/usr/bin/rg", "nl", "sort", "echo", "cp"),
        *("python", "xargs", "git", "diff", "tee", "sudo", "edit", "./x.sh", "A=b", "cd", "if"),
        *("python a.py", "bash x.sh", "node", "coverage", "manage.py", "tests/runtests.py", "-c"),
        *("-n", "-i", "-ni", "-exec", "-delete", "--help", "--version", "-i.bak", "--in-place=x"),
        *("a.py", "b", "'two words'", "'-i'", '"-i"', '"$HOME"', "'it", '"a', "a'b c'd", "x\\ y"),
        *("'a\\b'", "'\\-i'", '"a\\"b"', '"\\-i"', '"\\$(ls)"', '"\\\n-i"', "/dev/stdout", "/f"),
        *(
            "|",
            "||",
            "&&",
            ";",
            "&",
            "\n",
            "2>&1",
            "2>",
            "/dev/null",
            "2>/dev/null",
            ">",
            "<",
            ">f",
        ),
        *(
            "!",
            "#",
            "# no",
            "(",
            ")",
            "{",
            "}",
            "$",
            "$x",
            "$(ls)",
            "`ls`",
            "\\\n",
            "\\",
            "=",
            "'='",
            '"="',
            "test",
        ),
    ]
)
TEXTS = st.lists(
    st.tuples(WORDS, st.sampled_from([" ", " ", " ", "", "  ", "\t"])), max_size=9
).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("ls", ("ls",)),
        ("ls a b", ("ls", "", "")),
        ("grep -n x a.py | head -5", ("grep", "-n", "", "", "|", "head", "-5")),
        ("sed 's/a b/c/' f", ("sed", "", "")),
        ("sed '-i' f", ("sed", "'-i'", "")),
        ("grep '=' f", ("grep", "'='", "")),
        ('grep "=" "==" f', ("grep", '"="', "", "")),
        ("ls  a", ("ls", "a")),
        ('grep "$x" a', ("grep", '"$x"', "")),
        ("> f grep x", (">", "", "", "")),
        ("grep x > f", ("grep", "", ">", "")),
        ("grep x > /f", ("grep", "", ">", "")),
        ("grep x > /dev/f", ("grep", "", ">", "/dev/f")),
        ("grep 'a\\|b' f", ("grep", "", "")),
        ('grep "a\\"b" f', ("grep", "", "")),
        ("grep 'a\\'b f", ("grep", "'a\\'b", "")),
        ("grep x >f", ("grep", "", ">", "f")),
        ("grep x 2> f", ("grep", "", "2>", "")),
        ("grep x 2> /dev/null a", ("grep", "", "2>", "/dev/null", "")),
        ("cat > f <<'E'\nls\nE", ("cat", ">", "", "__heredoc_0__")),
        ("cat <<E > f && ls a\nls\nE", ("cat", "__heredoc_0__", ">", "", "&&", "ls", "")),
        ("a=1 grep x", ("a=1", "", "")),
    ],
)
def test_a_shape_is_the_text_without_its_operands(text: str, shape: tuple[str, ...]) -> None:
    assert shape_of(text) == shape


def test_texts_that_are_long_or_hold_what_looks_like_a_lifted_document_have_no_shape() -> None:
    assert shape_of("ls " + "a" * MAX_SHAPED) is None
    assert shape_of("cat > f <<E\n" + "a" * MAX_CHARS + "\nE") is None
    assert shape_of("cat > f <<E\nls\nE\nls f") is None
    assert shape_of("cat __heredoc_0__") is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("grep x a && ls | head -3", ["grep", "ls", "head"]),
        ("ls\ncat a", ["ls", "cat"]),
        ("grep x 2>/dev/null | head 2>&1", ["grep", "head"]),
        ("cat > f <<E\nls\nE", ["cat"]),
        ("cat > f <<E && ls\nls\nE", None),
        ("cat f >> g", ["cat"]),
        *(
            (f"grep x {rest}", None)
            for rest in (">f", "> /dev/x", "2> f", "2>f", "&", "< f", "$(ls)", "# why", "\\\n y")
        ),
        *(
            (text, None)
            for text in ("(ls)", "{ ls; }", "! ls", "`ls`", "ls |& cat", "ls 'a", "ls a\\")
        ),
    ],
)
def test_only_plain_commands_without_files_are_named(text: str, names: list[str] | None) -> None:
    shape = shape_of(text)

    assert shape is not None
    assert names_in(shape) == names


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("grep -rn x a | sort | head -5", True),
        ("sed -n '1,5p' a", True),
        ("cargo test", False),  # a subcommand
        ("find . -exec rm a", False),  # a command behind an option
        ("python a.py", True),
        ("ls && python a.py", False),  # a script that is not the first command
        ("python a.py > f", True),
        ("coverage a.py", False),  # runs a script only behind another word
        ("sudo ls", False),  # a wrapper
        ("ls | tee a", False),  # a file
        ("mv a b", False),
        ("echo a", False),  # what it prints may be fed to something
        ("frobnicate a", False),
        ("cat > f <<E\nls\nE", True),
        ("git diff > f", False),  # hands in its work
        ("> f grep x", False),  # its name was taken for an operand
    ],
)
def test_a_shape_decides_where_names_and_options_do(text: str, *, decides: bool) -> None:
    shape = shape_of(text)

    assert shape is not None
    assert JUDGE.decides_by_shape(shape) is decides


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("grep -n x a.py", True),
        ("/usr/bin/python3 tests/try_it.py --fast | head", True),
        ("bash ../x.sh", True),
        ("python manage.py migrate", False),  # the tables know what it does
        ("python tests/" + "a" * 100 + "/manage.py", False),
        ("python -c 'print(1)'", False),
        ("python - a.py", False),
        ("python 'manage.py'", False),
        ("python $SCRIPT", False),
        ("python a.py;rm b", False),
        ("python", False),
        ("git a.py", False),
        ("frobnicate a.py", False),
        ("x" * 65 + " a.py", False),
        ("", False),
    ],
)
def test_the_first_command_may_decide_by_its_options_or_as_a_script(
    text: str, *, may: bool
) -> None:
    assert JUDGE.may_decide(text) is may


@pytest.mark.parametrize("way", ["python {}", "python {} -v", "bash {} | head", "node {} 2>&1"])
def test_scripts_that_tables_know_have_labels_of_their_own(tmp_path: Path, way: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[commands]\n"show.py" = { kind = "explore" }\n', "utf-8")
    tables = load_kinds(own)
    labeler = Labeler(tables)

    for script in ("a.py", "show.py", "b.py", "show.py", "src/show.py"):
        text = way.format(script)
        assert labeler.label_command(text) == Labeler(tables).label_command(text)


def test_a_word_before_the_script_may_decide(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[interpreters]\ntsx = { after = "run" }\n', "utf-8")
    labeler = Labeler(load_kinds(own))

    assert labeler.label_command("tsx fix a.ts").kind == "other"
    assert labeler.label_command("tsx run a.ts").kind == "verify"


def test_a_word_without_a_dash_before_a_command_is_no_operand(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[commands]\nagain = { kind = "explore", runs_after = ["then"] }\n', "utf-8")
    labeler = Labeler(load_kinds(own))

    assert labeler.label_command("again x pytest y").kind == "explore"
    assert labeler.label_command("again then pytest y").kind == "verify"


@given(TEXTS)
def test_a_label_does_not_depend_on_what_was_labelled_before(text: str) -> None:
    assert LABELER.label_command(text) == Labeler(TABLES).label_command(text)


@given(TEXTS, st.data())
def test_texts_of_a_shape_that_decides_are_judged_alike(text: str, data: st.DataObject) -> None:
    text = text.strip()
    shape = shape_of(text)
    if shape is None or not (JUDGE.may_decide(text) and JUDGE.decides_by_shape(shape)):
        return
    operands = st.sampled_from(
        [
            *("y", "a.py", "'python a'", '"tee"', "./x.sh", "in", "a=b", "''"),
            *("'\\-exec'", '"\\-exec"', '"\\\n-i"', '"a\\"b"', "'\\'", '"\\$(tee y)"'),
        ]
    )
    files = st.sampled_from(["y", "a.py", "x.sh", "in", "/x/y"])
    twin = (
        " ".join(
            token or data.draw(files if before in {">", ">>"} else operands)
            for before, token in zip(("", *shape), shape, strict=False)
        ).replace("__heredoc_0__", "<<E")
        + "\npython y\nE"
    )
    if "<<E" not in twin:
        twin = twin.removesuffix("\npython y\nE")
    if not JUDGE.may_decide(twin):
        return
    kind, scan = JUDGE.judge(text)
    twin_kind, twin_scan = JUDGE.judge(twin)

    assert (kind, scan.head, scan.setup_head, scan.known, scan.ruled, scan.commands) == (
        *(twin_kind, twin_scan.head, twin_scan.setup_head),
        *(twin_scan.known, twin_scan.ruled, twin_scan.commands),
    )


@pytest.mark.shared
def test_real_commands_have_the_labels_that_judging_each_gives(shared: Path) -> None:
    with (shared / "labels" / "actions.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    labels = [LABELER.label_command(text) for text in texts]

    assert labels == [Labeler(TABLES).label_command(text) for text in texts]
