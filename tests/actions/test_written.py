"""Whether a command runs a file that was written, and texts that write one and run it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.actions.kinds import load_kinds
from ethogram.actions.label import Labeler
from ethogram.actions.written import MAX_CHARS, MAX_REST, draft, mentions

LABELER = Labeler(load_kinds())  # remembers the drafts that it was asked for
NAMES = ["a.py", "b.py", "c.sh", "d.js", "manage.py", "python.py", "o.txt"]
BODIES = [
    "print(1)",
    "open('x', 'w').write(open('x').read())",
    "#!/bin/sh\nsed -i s/a/b/ x",
    "sed -i s/a/b/ x",
    "import fileinput\nfileinput.input('x', inplace=True)",
    "",
]
RESTS = st.lists(
    st.sampled_from(
        [
            *("python", "python3", "bash", "node", "pytest", "cat", "cp", "-m", "-c", "'import a'"),
            *(
                "@",
                "@",
                "@",
                "./@",
                "/w/@",
                "@:1",
                "a",
                "b",
                ".",
                "my_@",
                "<",
                ">",
                "|",
                "&&",
                "\n",
            ),
            *("; rm", "x", "git diff >", "sed -i s/a/b/", "echo", "mv @ x", "apply", "2>&1"),
        ]
    ),
    max_size=6,
).map(" ".join)


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["python", "a.py"], "a.py"),
        (["python", "../t/a.py"], "/w/t/a.py"),
        (["./a.sh"], "a.sh"),
        (["pytest", "t/test_a.py::test_b"], "./t/test_a.py"),
        (["pytest", "t"], "t/test_a.py"),
        (["sphinx-build", ".", "out"], "index.rst"),
        (["python", "-m", "pkg.a"], "src/pkg/a.py"),
        (["import pkg.a as a"], "pkg/a.py"),
        (["runtests.py", "--settings=conf_x"], "conf_x.py"),
    ],
)
def test_a_command_that_names_the_file_runs_it(words: list[str], path: str) -> None:
    assert mentions(words, path)


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["pytest"], "a.py"),
        (["python", "b.py"], "a.py"),
        (["pytest", "tests"], "src/a.py"),
        (["python", "."], "/etc/a"),
        (["import test_apple"], "pkg/apple.py"),
        ([""], "a.py"),
    ],
)
def test_a_command_about_something_else_does_not(words: list[str], path: str) -> None:
    assert not mentions(words, path)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("cat > a.py <<E\nx\nE\npython a.py", "python \0"),
        ("cat <<'E' > a.py\nx\nE\n\npython a.py && rm a.py", "\npython \0 && rm \0"),
        ("cat > a.py <<E\nx\nE\nls", "ls"),
        ("cat > a.py <<E\nx\nE\npython ./a.py", None),
        ("cat > a.py <<E\nx\nE\npython -c a.py", None),
        ("cat > a.py <<E\nx\nE\npython -c 'import a'", None),
        ("cat > a.py <<E\nx\nE\ncat > b.py <<E\nx\nE\n", None),
        ("cat > t/a.py <<E\nx\nE\npython t/a.py", None),
        (
            "cat > a.py <<E\nx\nE\necho \"it's\" '\"' \\' && python a.py",
            "echo \"it's\" '\"' \\' && python \0",
        ),
        ("cat > a.py <<E\nx\nE\npython -c 'import a.py '", None),
        ('cat > a.py <<E\nx\nE\nbash -c "\\" a.py "', None),
        ("cat > a.py <<E\nx\nE\npython - __heredoc_0__", None),
        ("cat >> a.py <<E\nx\nE\npython a.py", None),
        ("cat > a.py <<E | tee b\nx\nE\npython a.py", None),
        ("cat > a.py <<E\nx\nE\n", ""),
        ("tee a.py <<E\nx\nE\npython a.py", None),
        ("cat > a.py <<E\n" + "x" * MAX_CHARS + "\nE\npython a.py", None),
        ("cat > a.py <<E\nx\nE\npython a.py " + "x" * MAX_REST, None),
    ],
)
def test_a_draft_is_a_file_that_is_written_and_what_is_done_with_it(
    text: str, rest: str | None
) -> None:
    found = draft(text)

    assert (found.rest if found else None) == rest
    assert found is None or (found.file.path == "a.py" and found.file.content == "x")


@pytest.mark.parametrize(
    ("first", "second", "rest"),
    [
        ("zz.sh", "my_b.sh", "echo 'sed -i s/a/b/ x' > b.sh && bash @"),  # b.sh is in my_b.sh
        ("zz.md", "SUBMITTED.md", "echo @"),
        ("zz.md", "my_task.md", "@ x"),
    ],
)
def test_a_name_that_says_more_than_a_name_is_not_left_out(
    first: str, second: str, rest: str, tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        '[submits]\nechoes = ["SUBMITTED"]\n[languages.task]\nsuffixes = ["_task.md"]\n', "utf-8"
    )
    tables = load_kinds(own)
    texts = [
        f"cat > {name} <<E\nls\nE\n" + rest.replace("@", name)
        for name in (first, second, first.replace("zz", "qq"))
    ]
    forwards, backwards = Labeler(tables), Labeler(tables)

    labels = [Labeler(tables).label_command(text) for text in texts]
    assert [forwards.label_command(text) for text in texts] == labels
    assert [backwards.label_command(text) for text in reversed(texts)] == labels[::-1]


def test_where_cat_prepares_the_shell_the_head_is_what_follows(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[setup]\ncommands = ["cat"]\n', "utf-8")
    labeler = Labeler(load_kinds(own))

    heads = [
        labeler.label_command(f"cat > {name} <<E\nx\nE\n{name} x").head for name in ("a.py", "b.py")
    ]
    assert heads == ["a.py", "b.py"]


@given(st.sampled_from(NAMES), st.sampled_from(BODIES), RESTS)
def test_a_draft_is_labelled_as_if_it_were_the_first(name: str, body: str, rest: str) -> None:
    text = f"cat > {name} <<'EOF'\n{body}\nEOF\n" + rest.replace("@", name)

    assert LABELER.label_command(text) == Labeler(LABELER.tables).label_command(text)


def test_what_a_script_is_for_tells_drafts_apart() -> None:
    labeler = Labeler(LABELER.tables)
    text = "cat > a.py <<'EOF'\n{}\nEOF\npython a.py"
    kinds = [
        labeler.label_command(text.format(body)).kind
        for body in ("print(1)", "s = open('x').read()\nopen('x', 'w').write(s)", "print(2)")
    ]

    assert kinds == ["verify", "edit", "verify"]
