"""Files that the user names are read whole or refused, never waited for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ethogram.actions.effects import load_effects
from ethogram.actions.kinds import load_kinds
from ethogram.cli.options import named_lists
from ethogram.cohort.storage import INDEX, read_index
from ethogram.errors import CohortError, EthogramError, UsageError
from ethogram.formats.mapping import load_mapping
from ethogram.ingest.archives import read_archive
from ethogram.ingest.systems import load_aliases
from ethogram.measures.similarity.responses.human_labels import read_labels
from ethogram.measures.similarity.responses.stages import load_taxonomy
from ethogram.trajectory import Problem
from ethogram.user_files import read_regular


@pytest.mark.parametrize("load", [load_kinds, load_effects, load_mapping, load_aliases])
def test_a_pipe_is_refused_at_once(load: Callable[[Path], object], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)

    with pytest.raises(UsageError, match="a pipe or a device, not a file"):
        load(pipe)


@pytest.mark.parametrize(
    "load",
    [
        load_kinds,
        load_effects,
        load_mapping,
        load_aliases,
        load_taxonomy,
        read_labels,
        lambda path: named_lists(path, "groups"),
    ],
    ids=["kinds", "effects", "mapping", "aliases", "stages", "labels", "groups"],
)
def test_a_file_that_cannot_be_read_is_said_with_its_path_and_no_number(
    load: Callable[[Path], object], tmp_path: Path
) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()

    for path, reason in (
        (tmp_path / "gone.toml", "No such file or directory"),
        (folder, "Is a directory"),
    ):
        with pytest.raises(EthogramError) as caught:
            load(path)
        said = str(caught.value)
        assert said.endswith(reason)
        assert said.count(str(path)) == 1
        assert "Errno" not in said


def test_an_archive_that_cannot_be_opened_is_said_without_a_number(tmp_path: Path) -> None:
    (found,) = read_archive(tmp_path / "gone.tar", "gone.tar")

    assert isinstance(found, Problem)
    assert found.reason.endswith("after 0 readable files: No such file or directory")


def test_a_cohort_that_may_not_be_read_is_said_without_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / INDEX).touch()
    monkeypatch.setattr(Path, "read_bytes", refuse)

    with pytest.raises(CohortError) as caught:
        read_index(tmp_path)
    assert str(caught.value) == f"{tmp_path / INDEX}: Permission denied"


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"x\r\n\xff")

    assert read_regular(path) == b"x\r\n\xff"
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none")
