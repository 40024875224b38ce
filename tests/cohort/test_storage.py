import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ethogram.cohort import Cohort, storage
from ethogram.cohort import cohort as cohort_module
from ethogram.cohort.schema import SCHEMA_VERSION
from ethogram.errors import CohortError
from ethogram.ingest import from_trajectories
from ethogram.simulate.build import repeats, run


@pytest.fixture
def saved(tmp_path: Path) -> Cohort:
    return from_trajectories(repeats([["a"], ["a", "b"]])).save(tmp_path / "c")


def folder_of(cohort: Cohort) -> Path:
    assert cohort.folder is not None
    return cohort.folder


def change_index(folder: Path, **changes: Any) -> None:
    path = folder / storage.INDEX
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")


def files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_what_is_written_first_says_its_version(saved: Cohort) -> None:
    index = json.loads((folder_of(saved) / storage.INDEX).read_text("utf-8"))

    assert next(iter(index)) == "schema_version"
    assert index["schema_version"] == SCHEMA_VERSION


def test_a_cohort_lies_in_exactly_the_listed_files(saved: Cohort) -> None:
    index = storage.read_index(folder_of(saved))
    listed = {name for names in index.tables.values() for name in names}

    assert files(folder_of(saved)) == {storage.INDEX, *listed}
    assert index.bases == dict(
        zip(saved.systems["system_id"], saved.systems["system"], strict=True)
    )


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        pytest.param(lambda f: (f / "cohort.json").unlink(), "not a cohort", id="no-index"),
        pytest.param(
            lambda f: (f / "cohort.json").write_text("{", "utf-8"), "cohort.json: ", id="truncated"
        ),
        pytest.param(
            lambda f: (f / "cohort.json").write_bytes(b"\xff\xfe\0"), "cohort.json: ", id="binary"
        ),
        pytest.param(
            lambda f: (f / "cohort.json").write_text("[" * 10_000, "utf-8"),
            "cohort.json: ",
            id="deep",
        ),
        pytest.param(
            lambda f: (f / "cohort.json").write_text("[]", "utf-8"), "cohort.json: ", id="a-list"
        ),
        pytest.param(
            lambda f: change_index(f, schema_version=99), "schema version 99.*--fresh", id="newer"
        ),
        pytest.param(
            lambda f: change_index(f, schema_version=99, tables=7), "schema version 99", id="unlike"
        ),
        pytest.param(
            lambda f: change_index(f, tables={"runs": ["../x"]}),
            "lists '../x', which is not a file of this folder",
            id="parent",
        ),
        pytest.param(
            lambda f: change_index(f, tables={"steps": ["/etc/passwd"]}), "passwd", id="absolute"
        ),
        pytest.param(
            lambda f: change_index(f, tables={"runs": ["a\0b"]}),
            "is not a file",
            id="null-character",
        ),
        pytest.param(
            lambda f: change_index(f, tables={"steps": ["a\0/b"]}),
            "is not a file",
            id="null-character-in-a-folder",
        ),
        pytest.param(
            lambda f: change_index(f, tables={"steps": ["steps"]}), "'steps'", id="a-folder"
        ),
        pytest.param(
            lambda f: change_index(f, tables={"runs": ["gone.parquet"]}), "gone", id="missing"
        ),
        pytest.param(
            lambda f: (f / "runs-1.parquet").write_bytes(b"PAR1 no table"),
            "can't be read",
            id="garbage",
        ),
        pytest.param(
            lambda f: (f / "runs-1.parquet").write_bytes((f / "runs-1.parquet").read_bytes()[:-20]),
            "can't be read",
            id="cut-short",
        ),
    ],
)
def test_a_broken_cohort_is_refused_in_a_sentence(
    saved: Cohort, break_it: Callable[[Path], object], said: str
) -> None:
    break_it(folder_of(saved))

    with pytest.raises(CohortError, match=said):
        Cohort.open(folder_of(saved))


def test_a_link_that_leaves_the_folder_is_no_file_of_it(saved: Cohort, tmp_path: Path) -> None:
    outside = tmp_path / "outside.parquet"
    (folder_of(saved) / "runs-1.parquet").rename(outside)
    (folder_of(saved) / "runs-1.parquet").symlink_to(outside)

    with pytest.raises(CohortError, match="not a file of this folder"):
        Cohort.open(folder_of(saved))


def test_a_file_behind_a_link_of_a_folder_is_no_file_of_it(saved: Cohort, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (folder_of(saved) / "steps").rename(outside)
    (folder_of(saved) / "steps").symlink_to(outside)

    with pytest.raises(CohortError, match="not a file of this folder"):
        Cohort.open(folder_of(saved))


def test_a_link_that_stays_in_the_folder_is_followed(saved: Cohort) -> None:
    own = folder_of(saved) / "kept.parquet"
    (folder_of(saved) / "runs-1.parquet").rename(own)
    (folder_of(saved) / "runs-1.parquet").symlink_to(own)

    assert Cohort.open(folder_of(saved)).runs.height == saved.runs.height


def test_a_broken_cohort_can_be_replaced(saved: Cohort) -> None:
    (folder_of(saved) / storage.INDEX).write_text("{", "utf-8")
    again = from_trajectories([run(["x"])]).save(folder_of(saved))

    assert again.steps.collect()["action"].to_list() == ["x"]
    assert len([name for name in files(folder_of(saved)) if name.startswith("runs")]) == 1


@pytest.mark.parametrize("step", ["write_frame", "_sink", "write_index"])
def test_a_write_that_fails_leaves_the_former_state(
    saved: Cohort, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = saved.steps.collect()
    calls: list[object] = []
    real = getattr(cohort_module, step)

    def fail_in_the_middle(*arguments: Any) -> Any:
        calls.append(arguments)
        if step == "write_index" or len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(cohort_module, step, fail_in_the_middle)
        with pytest.raises(KeyboardInterrupt):
            from_trajectories([run(["x"], prompt="p")]).save(folder_of(saved))
    opened = Cohort.open(folder_of(saved))

    assert opened.digest == saved.digest
    assert opened.steps.collect().equals(before)


def test_the_next_write_removes_what_a_killed_one_left(saved: Cohort) -> None:
    folder = folder_of(saved)
    for name in ("runs-7.parquet", "steps/0003-0-1.parquet", ".cohort.json.4711"):
        (folder / name).write_bytes(b"left over")
    saved.save(folder)

    index = storage.read_index(folder)
    assert files(folder) == {storage.INDEX, *(n for ns in index.tables.values() for n in ns)}


def test_what_a_user_put_into_the_folder_stays(saved: Cohort) -> None:
    folder = folder_of(saved)
    own = {"notes.txt", "mine.parquet", "steps/mine.parquet", "runs.parquet"}
    for name in own:
        (folder / name).write_bytes(b"mine")
    saved.save(folder)

    assert own <= files(folder)


@pytest.mark.parametrize("name", ["notes.txt", "mine.parquet", "steps/mine.parquet", "x/y"])
def test_a_folder_of_something_else_is_not_written_to(tmp_path: Path, name: str) -> None:
    target = tmp_path / "t"
    (target / name).parent.mkdir(parents=True)
    (target / name).write_bytes(b"mine")

    with pytest.raises(CohortError, match="not a cohort and not empty"):
        from_trajectories([run(["x"])]).save(target)
    assert files(target) == {name}


def test_a_file_is_no_place_for_a_cohort(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"mine")

    with pytest.raises(CohortError, match="is a file; a cohort is a folder"):
        from_trajectories([run(["x"])]).save(tmp_path / "f")


def test_what_is_left_of_a_first_write_that_was_killed_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "c" / "steps").mkdir(parents=True)
    (tmp_path / "c" / "steps" / "0001-abcd-000000-0.parquet").write_bytes(b"half")
    (tmp_path / "c" / "runs-1.parquet").write_bytes(b"half")

    assert from_trajectories([run(["x"])]).save(tmp_path / "c").runs.height == 1
