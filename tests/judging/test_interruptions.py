"""Whatever ends the asking, what was answered is kept and is not asked for again."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from judging.asking import by_content, judge_of, scores
from judging.server import Reply, Scripted, serving

TESTS: Final = str(Path(__file__).parents[1])
WAIT_SECONDS: Final = 60.0

CHILD: Final = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from judging.asking import scores
from ethogram.judging import JudgeSettings, open_judges
url, cache, count, how = sys.argv[2:]
(judge,) = open_judges(JudgeSettings(model="gpt-4o-mini", url=url, cache=Path(cache), timeout=60))
async def cell():
    return scores(judge, int(count))
try:
    if how == "loop":
        found = asyncio.new_event_loop().run_until_complete(cell())
    else:
        found = scores(judge, int(count))
except KeyboardInterrupt:
    sys.exit(130)
print(json.dumps([found, judge.tally.answered, judge.tally.kept]))
"""


@contextmanager
def child(
    server: Scripted, cache: Path, count: int, how: str = "plain"
) -> Iterator[subprocess.Popen[str]]:
    """A process that asks; it does not outlive the test."""
    words = [sys.executable, "-c", CHILD, TESTS, server.url, str(cache), str(count), how]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asking:
        try:
            yield asking
        finally:
            asking.kill()


def result(asking: subprocess.Popen[str]) -> tuple[list[int | None], int, int]:
    out, err = asking.communicate(timeout=10 * WAIT_SECONDS)
    assert asking.returncode == 0, err[-1000:]
    found, answered, kept = json.loads(out)
    return found, answered, kept


def calls_when(
    number: int, script: Callable[[dict[str, Any], int], Reply]
) -> tuple[threading.Event, Callable[[dict[str, Any], int], Reply]]:
    """An event that is set when a request of this number comes in."""
    there = threading.Event()

    def watched(request: dict[str, Any], count: int) -> Reply:
        if count + 1 >= number:
            there.set()
        return script(request, count)

    return there, watched


@pytest.mark.slow
def test_after_a_kill_only_what_is_missing_is_asked_and_the_figures_are_the_same(
    tmp_path: Path,
) -> None:
    cache, count, killed_at = tmp_path / "killed.sqlite", 2_000, 900
    there, script = calls_when(killed_at, by_content)
    with serving(script) as server:
        with child(server, cache, count) as asking:
            assert there.wait(WAIT_SECONDS)
            os.kill(asking.pid, signal.SIGKILL)
            asking.communicate(timeout=WAIT_SECONDS)
        before = len(server.requests)
        with child(server, cache, count) as second:
            again, answered, kept = result(second)
        asked_again = len(server.requests) - before
        whole = scores(judge_of(server, tmp_path, cache=tmp_path / "whole.sqlite"), count)

    assert asking.returncode == -signal.SIGKILL
    assert kept >= killed_at - 8  # only those that were out are lost
    assert answered == asked_again == count - kept
    assert None not in again
    assert again == whole


@pytest.mark.parametrize("how", ["plain", "loop"])
def test_ctrl_c_waits_for_nobody_and_keeps_what_was_answered(how: str, tmp_path: Path) -> None:
    def hangs(request: dict[str, Any], count: int) -> Reply:
        return by_content(request, count) if count < 20 else Reply(hang=True)

    there, script = calls_when(28, hangs)  # eight are out, so twenty are written
    cache = tmp_path / "judge.sqlite"
    with serving(script) as server:
        with child(server, cache, 50, how) as asking:
            assert there.wait(WAIT_SECONDS)
            os.kill(asking.pid, signal.SIGINT)
            _, err = asking.communicate(timeout=WAIT_SECONDS)
        offline = scores(judge_of(server, tmp_path, cache=cache, offline=True), 50)

    assert (asking.returncode, err) == (130, "")
    assert sum(score is not None for score in offline) == 20


def test_two_processes_that_ask_the_same_end_with_the_same(tmp_path: Path) -> None:
    lock, given = threading.Lock(), iter(range(10_000))

    def fickle(request: dict[str, Any], _: int) -> Reply:
        with lock:
            return Reply(json.dumps({"reason": "", "score": next(given) % 5 + 1}))

    with serving(fickle) as server:
        cache = tmp_path / "judge.sqlite"
        with child(server, cache, 60) as one, child(server, cache, 60) as other:
            first, second = result(one)[0], result(other)[0]
        offline = scores(judge_of(server, tmp_path, offline=True), 60)

    assert first == second == offline
