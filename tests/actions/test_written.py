"""Whether a command runs a file that was written."""

import pytest

from ethogram.actions.written import mentions


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
