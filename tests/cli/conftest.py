from pathlib import Path

import pytest
from command_line import COMMANDS, Answer, Ethogram

from ethogram.cli import main
from ethogram.formats.mini_swe_agent_write import write
from ethogram.simulate.build import run


@pytest.fixture
def ethogram(capsys: pytest.CaptureFixture[str]) -> Ethogram:
    """Run the command line; gives exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of two systems at two tasks, three runs each, with their outcomes beside them."""
    made = tmp_path_factory.mktemp("runs of all")
    write(
        (
            run(commands, system=system, task=task, trial=trial, success=(trial + place) % 2 == 0)
            for place, system in enumerate(("a", "b"))
            for task in ("t-1", "t-2")
            for trial, commands in enumerate(COMMANDS)
        ),
        made,
    )
    return made


@pytest.fixture(scope="session")
def reading(folder: Path) -> list[str]:
    """Options with which those files are read."""
    layout = "{system}/{task_id}/run{trial}.traj.json"
    return [str(folder), "--layout", layout, "--outcomes", str(folder / "outcomes.csv")]


@pytest.fixture
def cohort(tmp_path: Path, reading: list[str], ethogram: Ethogram) -> Path:
    """Those files as a cohort."""
    code, _, err = ethogram("read", *reading, "-o", tmp_path / "c")
    assert (code, err) == (0, "")
    return tmp_path / "c"
