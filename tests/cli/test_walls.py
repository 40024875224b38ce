import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Ethogram

from ethogram.errors import NotEnoughDataError, UsageError

ETHOGRAM = [sys.executable, "-c", "from ethogram.cli import main; main()"]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("no such thing"), 2, "ethogram: no such thing\n"),
        (NotEnoughDataError("one run"), 2, "ethogram: one run\n"),
        (OSError(28, "No space left on device", "/full"), 2, "ethogram: /full: No space left"),
        (OSError(28, "No space left on device"), 2, "ethogram: No space left"),
        (
            PermissionError("Permission denied: runs.parquet"),
            2,
            "ethogram: Permission denied: runs",
        ),
        (ZeroDivisionError("x"), 3, "something of ours broke (ZeroDivisionError: x)"),
        (KeyboardInterrupt(), 130, "interrupted; what was read or answered so far is kept"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_every_error_has_a_sentence_and_a_code(
    ethogram: Ethogram,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("ethogram.ingest.closing.formats_result", fail)
    found, out, err = ethogram("formats")

    assert (found, out) == (code, "")
    assert said in err
    assert ("Traceback" in err) == (code == 3)


@pytest.mark.parametrize("arguments", [["--json"], ["t-1"]], ids=["json", "ribbons"])
def test_nobody_reads_to_the_end(cohort: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*ETHOGRAM, "show", str(cohort), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()

    assert (process.returncode, err) == (0, b"")


def test_what_a_terminal_cannot_show_is_no_failure(
    cohort: Path, folder: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "ünï🦊"
    odd.symlink_to(folder)
    for arguments in (["read", str(odd), "--system", "α"], ["show", str(cohort), "t-1"]):
        done = subprocess.run(
            [*ETHOGRAM, *arguments],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )

        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_several_processes_read_and_stop_cleanly(folder: Path, tmp_path: Path) -> None:
    command = [*ETHOGRAM, "read", str(folder), "--workers", "2", "-o"]
    done = subprocess.run([*command, str(tmp_path / "c")], capture_output=True, check=False)
    stopped = subprocess.Popen(
        [*command, str(tmp_path / "d")],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    while not (tmp_path / "d").exists() and stopped.poll() is None:
        pass
    os.killpg(stopped.pid, signal.SIGINT)
    _, err = stopped.communicate()

    assert (done.returncode, done.stderr) == (0, b"")
    assert stopped.returncode in {0, 130}
    assert b"Traceback" not in err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_ctrl_c_before_a_process_is_ready_is_no_traceback(folder: Path, tmp_path: Path) -> None:
    command = [*ETHOGRAM, "read", str(folder), "--workers", "2", "-o", str(tmp_path / "c")]
    stopped = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    children = Path(f"/proc/{stopped.pid}/task/{stopped.pid}/children")
    while stopped.poll() is None and not children.read_text("ascii"):
        pass
    os.killpg(stopped.pid, signal.SIGINT)
    try:
        _, err = stopped.communicate(timeout=60)
    finally:  # a worker that nobody stopped keeps stderr open
        with contextlib.suppress(ProcessLookupError):
            os.killpg(stopped.pid, signal.SIGKILL)

    assert stopped.returncode == 130
    assert b"Traceback" not in err
    assert b"interrupted" in err
