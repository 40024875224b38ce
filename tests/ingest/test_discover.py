import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_formats import write_all

from ethogram.errors import InputError
from ethogram.ingest.discover import Found, list_files, resolve_roots, total_bytes, walk
from ethogram.trajectory import Problem


def names(folder: Path, **options: Path) -> list[str]:
    (root,) = resolve_roots([folder])
    return [str(p.relative_to(folder)) for p in list_files(root, **options).files]


def complaints(folder: Path) -> list[Problem]:
    (root,) = resolve_roots([folder])
    return list(list_files(root).problems)


def test_a_folder_is_searched_to_its_end_in_order(tmp_path: Path) -> None:
    write_all(tmp_path, ["b.json", "a/z.json", "a/b/c.json", "a/b.json"])

    assert names(tmp_path) == ["a/b/c.json", "a/b.json", "a/z.json", "b.json"]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    write_all(tmp_path, [".a", ".git/b", "__MACOSX/c", "d/.e", "d/f"])

    assert names(tmp_path) == ["d/f"]


def test_a_hidden_folder_that_is_named_is_read(tmp_path: Path) -> None:
    write_all(tmp_path / ".runs", ["a"])

    assert names(tmp_path / ".runs") == ["a"]


@pytest.mark.parametrize(
    "name",
    [
        "a b.json",
        "ünï🦊.json",
        "a#b.json",
        "a::b.json",
        "a[1].json",
        "*.json",
        "'\"$(x).json",
        "a\nb",
    ],
)
def test_a_file_may_be_called_anything(tmp_path: Path, name: str) -> None:
    write_all(tmp_path, [name])
    (root,) = resolve_roots([tmp_path / name])

    assert names(tmp_path) == [name]
    assert list_files(root).files == (tmp_path / name,)


def test_a_name_that_is_no_text_is_printed_with_numbers(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.json"))
    path.write_bytes(b"{}")
    (root,) = resolve_roots([path])
    (found,) = walk(root, path)

    assert isinstance(found, Found)
    assert found.source.name == f"{tmp_path}/a\\xff.json".replace("\\xff", "\\udcff")
    assert found.source.read() == b"{}"


def test_a_cohort_below_a_folder_is_not_read_and_that_is_said(tmp_path: Path) -> None:
    write_all(tmp_path, ["a", "out/cohort.json", "out/runs-1.parquet", "out/steps/1-a.parquet"])

    assert names(tmp_path) == ["a"]
    assert [(p.severity, p.source) for p in complaints(tmp_path)] == [
        ("note", str(tmp_path / "out"))
    ]


def test_the_folder_that_is_written_to_is_left_out_even_if_it_is_no_cohort_yet(
    tmp_path: Path,
) -> None:
    write_all(tmp_path, ["a", "out/steps/0001-0-0.parquet"])

    assert names(tmp_path, leave_out=tmp_path / "out") == ["a"]


def test_a_folder_elsewhere_of_the_same_name_is_an_input(tmp_path: Path) -> None:
    write_all(tmp_path, ["in/out/a", "out/b"])

    assert names(tmp_path, leave_out=tmp_path / "out") == ["in/out/a"]


def test_the_folder_that_is_written_to_is_known_by_a_link_too(tmp_path: Path) -> None:
    write_all(tmp_path, ["in/a", "in/out/b"])
    (tmp_path / "link").symlink_to(tmp_path / "in" / "out")

    assert names(tmp_path / "in", leave_out=tmp_path / "link") == ["a"]


def test_a_cohort_is_no_input(tmp_path: Path) -> None:
    write_all(tmp_path, ["cohort.json"])

    with pytest.raises(InputError, match="is a cohort already"):
        resolve_roots([tmp_path])


def test_links_that_run_in_circles_are_not_followed_and_that_is_said(tmp_path: Path) -> None:
    write_all(tmp_path, ["d/a"])
    (tmp_path / "d" / "up").symlink_to(tmp_path)

    assert names(tmp_path) == ["d/a"]
    assert [(p.severity, "link to a folder" in p.reason) for p in complaints(tmp_path)] == [
        ("warning", True)
    ]


def test_links_to_files_are_followed_and_broken_ones_are_said(tmp_path: Path) -> None:
    write_all(tmp_path / "in", ["a"])
    (tmp_path / "in" / "b").symlink_to(tmp_path / "in" / "a")
    (tmp_path / "in" / "c").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in" / "d").symlink_to("d")

    assert names(tmp_path / "in") == ["a", "b"]
    assert [Path(str(p.source)).name for p in complaints(tmp_path / "in")] == ["c", "d"]


def test_what_is_said_below_the_folder_one_is_in_names_it_as_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(tmp_path, ["a.json", "b/c.json"])
    (tmp_path / "b/broken").symlink_to(tmp_path / "nothing")
    monkeypatch.chdir(tmp_path)

    assert [problem.source for problem in complaints(Path())] == ["b/broken"]


def test_what_is_no_regular_file_is_passed_over(tmp_path: Path) -> None:
    write_all(tmp_path, ["a"])
    os.mkfifo(tmp_path / "pipe")

    assert names(tmp_path) == ["a"]


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder with a file and a folder that may not be looked into, not even by root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_all(folder, ["a", "closed/b"])
        (folder / "closed").chmod(0)
        user = os.geteuid()
        os.seteuid(user or 65_534)
        yield folder
        os.seteuid(user)
        (folder / "closed").chmod(0o700)


def test_a_folder_that_cannot_be_read_is_said_and_loses_nothing_else(closed: Path) -> None:
    assert names(closed) == ["a"]
    assert [(p.severity, p.reason) for p in complaints(closed)] == [
        ("error", f"{closed}/closed: can't be read: Permission denied")
    ]


def test_a_glob_finds_files_folders_and_archives(tmp_path: Path) -> None:
    write_all(tmp_path, ["r1/a", "r2/a", "x.tar", "y"])
    found = resolve_roots([f"{tmp_path}/r*", f"{tmp_path}/*.tar::part/", f"{tmp_path}/**/a"])

    assert [root.name.removeprefix(f"{tmp_path}/") for root in found] == [
        "r1", "r2", "x.tar::part/", "r1/a", "r2/a",
    ]  # fmt: skip


def test_what_is_named_twice_is_read_once(tmp_path: Path) -> None:
    write_all(tmp_path, ["a"])

    assert len(resolve_roots([tmp_path, tmp_path, str(tmp_path)])) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing", "nothing: no such file or folder"),
        ("no*thing", "no file matches"),
        ("f::part/", "is not an archive and has no parts"),
        ("d::part/", "is not an archive and has no parts"),
        ("nothing.tar::part/", "no such file or folder"),
    ],
)
def test_what_is_not_there_is_an_error(tmp_path: Path, given: str, said: str) -> None:
    write_all(tmp_path, ["f", "d/e"])

    with pytest.raises(InputError, match=said):
        resolve_roots([f"{tmp_path}/{given}"])


def test_bytes_on_disk_are_counted_once_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10)
    (tmp_path / "b").write_bytes(b"x" * 20)

    assert total_bytes([tmp_path]) == 30
    assert total_bytes([tmp_path / "b"]) == 20


@pytest.mark.parametrize(
    ("named", "relative"), [("r", "s/t.json"), ("r/s", "t.json"), ("r/s/t.json", "r/s/t.json")]
)
def test_paths_are_taken_below_the_folder_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, relative: str
) -> None:
    write_all(tmp_path, ["r/s/t.json"])
    monkeypatch.chdir(tmp_path)
    (root,) = resolve_roots([named])
    (found,) = walk(root, Path("r/s/t.json"))

    assert isinstance(found, Found)
    assert found.relative == relative


def test_a_pipe_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)

    with pytest.raises(InputError, match="a pipe or a device"):
        resolve_roots([pipe])


def test_what_is_wrong_is_said_in_the_order_of_the_names(tmp_path: Path) -> None:
    write_all(tmp_path, ["a/f", "b/f", "c/f"])
    for folder in "cab":
        (tmp_path / folder / "broken").symlink_to(tmp_path / "nothing")

    assert [p.source for p in complaints(tmp_path)] == [
        str(tmp_path / folder / "broken") for folder in "abc"
    ]
