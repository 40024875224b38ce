"""Files that the user names are read whole or refused, never waited for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ethogram.actions.effects import load_effects
from ethogram.actions.kinds import load_kinds
from ethogram.errors import UsageError
from ethogram.formats.mapping import load_mapping
from ethogram.ingest.systems import load_aliases
from ethogram.user_files import read_regular


@pytest.mark.parametrize("load", [load_kinds, load_effects, load_mapping, load_aliases])
def test_a_pipe_is_refused_at_once(load: Callable[[Path], object], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)

    with pytest.raises(UsageError, match="a pipe or a device, not a file"):
        load(pipe)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"x\r\n\xff")

    assert read_regular(path) == b"x\r\n\xff"
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none")
