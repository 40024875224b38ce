"""What is written as a mini-SWE-agent file is read back as the same run."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ethogram.errors import UsageError
from ethogram.formats.base import Probe, Source
from ethogram.formats.digest import digest, repository
from ethogram.formats.mini_swe_agent import FORMAT
from ethogram.formats.mini_swe_agent_write import write
from ethogram.simulate.build import run as build
from ethogram.trajectory import Event, Outcome, System, Task, Trajectory, Usage

texts = st.text(min_size=1, max_size=20).map(lambda text: f"w{text}")
moments = st.integers(8 * 10**8, 16 * 10**9).map(lambda eighths: eighths / 8)
counts = st.integers(0, 10**6)
OUTCOMES = (
    Outcome(ending="completed", ending_raw="Submitted"),
    Outcome(ending="infra_error", ending_raw="Timeout"),
    Outcome(ending=None, ending_raw="Odd"),
)


@st.composite
def responses(draw: st.DrawFn, turn: int, moment: float | None) -> list[Event]:
    """One model response: words only, a refused attempt, or one to three calls or bare commands."""
    said: dict[str, Any] = {
        "turn": turn,
        "timestamp": moment,
        "thought": draw(st.none() | texts),
        "input_tokens": draw(counts),
        "output_tokens": draw(counts),
        "cost_usd": draw(st.none() | st.floats(0.0, 9.0)),
    }
    text = draw(st.none() | texts)
    kind = draw(st.sampled_from(["reply", "refused", "bare", "calls"]))
    if kind == "reply":
        return [Event(event="reply", text=text, **said)]
    if kind == "refused":
        error: dict[str, Any] = {"refused": True, "is_error": True, "error_origin": "recorded"}
        return [Event(event="action", action=draw(texts), observation="Again.", **error, **said)]
    if kind == "bare":
        fields = {**draw(answers()), **said, "text": text}
        return [Event(event="action", action=draw(texts), **fields)]
    made = []
    for number in range(draw(st.integers(1, 3))):
        fields = {**said, "text": text} if number == 0 else {"turn": turn, "timestamp": moment}
        made.append(Event(event="action", **draw(calls(f"c{turn}-{number}")), **fields))
    return made


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    """What came back: nothing, or a text with an exit code, or an error."""
    code = draw(st.integers(-1, 127))
    failed = draw(st.booleans())
    error = {"is_error": True, "error_origin": "recorded"} if failed else {}
    answered = {"observation": draw(texts), "exit_code": code, **error}
    return draw(st.sampled_from([{}, answered]))


@st.composite
def calls(draw: st.DrawFn, call_id: str) -> dict[str, Any]:
    command = draw(texts)
    if draw(st.booleans()):
        tool, action, arguments = "bash", command, {"command": command}
    else:
        tool, arguments = "search", {"query": command}
        action = f"search({_json(arguments)})"
    return {
        "tool": tool,
        "call_id": call_id,
        "action": action,
        "arguments": _json(arguments),
        "arguments_state": "object",
        **draw(answers()),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    """Runs as the reader gives them: what it works out itself agrees with the events."""
    prompt = draw(texts).strip()
    start = draw(st.none() | moments)
    events = [
        Event(event="system", text=draw(texts)),
        Event(event="user", actor="user", text=prompt),
    ]
    n_turns = draw(st.integers(0, 4))
    for turn in range(n_turns):
        events += draw(responses(turn, None if start is None else start + turn))
    outcome = draw(st.sampled_from(OUTCOMES))
    replies = [event for event in events if event.input_tokens is not None]
    task_id = draw(st.sampled_from(["owner__repo-7", "task 1"]))
    usage = Usage(
        started_at=start if n_turns else None,
        duration_s=float(n_turns - 1) if n_turns > 1 and start is not None else None,
        input_tokens=_sum([event.input_tokens for event in replies]),
        output_tokens=_sum([event.output_tokens for event in replies]),
        cost_usd=draw(st.none() | st.floats(0.0, 9.0)),
    )
    return Trajectory(
        system=System(
            scaffold="mini-swe-agent",
            scaffold_version="2.2.7",
            model=draw(texts),
            temperature=draw(st.none() | st.floats(0.0, 2.0)),
            step_limit=draw(st.none() | st.integers(1, 99)),
            settings=draw(st.sampled_from([{}, {"model_kwargs": {"top_p": 0.5}}])),
        ),
        task=Task(
            task_id=task_id, prompt=prompt, digest=digest(prompt), cluster=repository(task_id)
        ),
        outcome=outcome,
        events=tuple(events),
        usage=usage,
        submission=draw(st.none() | st.text(max_size=9)),
        format_version="1.1",
        extra={"api_calls": n_turns},
    )


def _sum(found: Sequence[int | None]) -> int | None:
    return sum(count or 0 for count in found) if found else None


def read_back(path: Path) -> Trajectory:
    source = Source(str(path), path)
    assert FORMAT.sniff(Probe(source))
    (run,) = FORMAT.read(source)
    assert isinstance(run, Trajectory)
    return run


@given(trajectories())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_run_is_read_back_as_it_was_written(tmp_path: Path, run: Trajectory) -> None:
    (path,) = write([run], tmp_path)

    read = read_back(path)

    assert replace(read, recorded_actions=None, problems=()) == run


@given(trajectories())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_writing_what_was_read_changes_nothing(tmp_path: Path, run: Trajectory) -> None:
    (path,) = write([run], tmp_path / "a")
    (again,) = write([read_back(path)], tmp_path / "b")

    assert path.read_bytes() == again.read_bytes()


def test_the_path_tells_system_task_and_trial(tmp_path: Path) -> None:
    runs = [build(["ls"], task="t/1", system="a b", trial=trial) for trial in (1, 2)]

    paths = [path.relative_to(tmp_path).as_posix() for path in write(runs, tmp_path)]

    assert paths == ["a_b/t_1/run1.traj.json", "a_b/t_1/run2.traj.json"]


def test_successes_go_into_a_table_beside_the_files(tmp_path: Path) -> None:
    outcomes = [True, False, None]
    write([build(["ls"], trial=n, success=s) for n, s in enumerate(outcomes)], tmp_path)

    with (tmp_path / "outcomes.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))

    assert rows == [
        ["source", "success"],
        ["a/t1/run0.traj.json", "true"],
        ["a/t1/run1.traj.json", "false"],
        ["a/t1/run2.traj.json", ""],
    ]


def test_without_a_known_success_there_is_no_table(tmp_path: Path) -> None:
    write([build(["ls"], success=None)], tmp_path)

    assert not (tmp_path / "outcomes.csv").exists()


def test_two_runs_of_one_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="different trials"):
        write([build(["ls"]), build(["id"])], tmp_path)


@pytest.mark.parametrize(
    "fields", [{"ending": "gave_up"}, {"ending": "completed", "ending_raw": "Timeout"}]
)
def test_an_ending_without_a_word_of_its_own_is_refused(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="format"):
        write([build(["ls"], **fields)], tmp_path)


def test_what_a_measure_counts_survives(tmp_path: Path) -> None:
    """Runs as a simulation makes them: bare commands, exit codes, no settings of this scaffold."""
    steps = [
        Event(event="action", turn=0, action="ls", observation="x", exit_code=0),
        Event(event="action", turn=1, action="pytest", observation="E", exit_code=1),
    ]
    made = build(steps, ending="completed", submission="", cost_usd=0.5, model="m")

    read = read_back(write([made], tmp_path)[0])

    assert read.events == made.events
    assert (read.submission, read.usage.cost_usd, read.system.model) == ("", 0.5, "m")
    assert (read.outcome.ending, read.recorded_actions) == ("completed", 2)
