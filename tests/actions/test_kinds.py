"""The tables of kinds: what the package ships, and how a user's file changes them."""

from pathlib import Path

import pytest

from ethogram.actions.kinds import KINDS, RANK, load_kinds
from ethogram.actions.label import Labeler
from ethogram.errors import UsageError


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_kind_has_a_rank() -> None:
    assert set(RANK) == set(KINDS)


def test_a_file_replaces_entries_by_name_and_keeps_the_others(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'commands.frobnicate = "verify"\ntools.lookup = "explore"\n[commands.ls]\nkind = "other"\n',
    )
    tables = load_kinds(path)

    assert Labeler(tables).label_command("frobnicate --all").kind == "verify"
    assert tables.commands["ls"].kind == "other"
    assert tables.tools["lookup"].kind == "explore"
    assert tables.commands["grep"] == load_kinds().commands["grep"]


def test_a_users_command_is_no_longer_an_interpreter_or_a_wrapper(tmp_path: Path) -> None:
    path = write(tmp_path, 'commands.python = "explore"\ncommands.sudo = "edit"\n')
    labeler = Labeler(load_kinds(path))

    assert labeler.label_command("python x.py").kind == "explore"
    assert labeler.label_command("sudo ls").kind == "edit"
    assert Labeler().label_command("python x.py").kind == "verify"


def test_the_last_of_several_files_wins(tmp_path: Path) -> None:
    first = write(tmp_path, 'commands.x = "edit"\n')
    second = tmp_path / "second.toml"
    second.write_text('commands.x = "verify"\n', "utf-8")

    assert load_kinds(first, second).commands["x"].kind == "verify"


def test_the_digest_is_that_of_the_contents(tmp_path: Path) -> None:
    same = write(tmp_path, 'commands.ls = "explore"\n')
    other = tmp_path / "other.toml"
    other.write_text('commands.ls = "edit"\n', "utf-8")

    assert load_kinds().digest == load_kinds(same).digest
    assert load_kinds().digest != load_kinds(other).digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'commands.x = "change"',
            r"commands\.x: .*understand, edit, verify, other; found .*change",
        ),
        ("commands.x = {kind = 'edit', flag = {}}", r"commands\.x: .*flags.*found .*'flag'"),
        ("commands.x = {kind = 'edit', flags = {'-i' = 1}}", r"commands\.x: .*found .*'-i': 1"),
        ('comands.x = "edit"', r"a table is one of commands, .*found 'comands'"),
        ("commands = 3", r"a table is one of commands, .*found 'commands'"),
        ("languages.x = {writes = ['(']}", r"languages\.x: .*regular expression; found '\('"),
        ("x = ", "must be TOML"),
    ],
)
def test_a_wrong_table_says_where_what_is_allowed_and_what_was_found(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=rf"mine\.toml: .*{message}"):
        load_kinds(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        load_kinds(tmp_path / "nowhere.toml")
