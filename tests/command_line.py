"""What tests of the command line share."""

from collections.abc import Callable
from pathlib import Path

Answer = tuple[int, str, str]
"""Exit code, stdout, stderr."""
Ethogram = Callable[..., Answer]

COMMANDS = (
    ("ls", "cat f.py", "pytest -q"),
    ("ls", "sed -i s/a/b/ f.py", "pytest -q", "git diff"),
    ("ls", "cat f.py"),
)


def broken(folder: Path) -> Path:
    """A folder with one good file, one that is cut short, and two of no format."""
    from mini_swe_agent_files import samples
    from msgspec.json import encode

    folder.mkdir()
    whole = encode(samples()["chat.traj.json"])
    (folder / "good.traj.json").write_bytes(whole)
    (folder / "cut.traj.json").write_bytes(whole[:-40])
    (folder / "note 1.txt").write_text("x", "utf-8")
    (folder / "note 2.txt").write_text("x", "utf-8")
    return folder
