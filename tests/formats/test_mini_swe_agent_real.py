"""mini-SWE-agent: the 706 real runs give the numbers that are known of them."""

import csv
import lzma
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ethogram.cohort.naming import system_row
from ethogram.formats.base import Probe, Source
from ethogram.formats.mini_swe_agent import FORMAT
from ethogram.formats.mini_swe_agent_fences import FENCES
from ethogram.trajectory import Trajectory

pytestmark = [pytest.mark.shared, pytest.mark.slow]


class Facts(NamedTuple):
    """What the tests look at of a run, so that 200 MB don't stay in memory."""

    member: str
    system_id: str
    model: str | None
    task_id: str | None
    task_digest: str | None
    status: str | None
    ending: str | None
    cost: float | None
    actions: tuple[str | None, ...]
    is_refused: tuple[bool, ...]
    unanswered: int
    recorded: int | None
    api_calls: int
    turns: int
    submitted: bool
    problems: int


@pytest.fixture(scope="module")
def runs(shared: Path) -> list[Facts]:
    return [
        facts(member, run)
        for archive in sorted((shared / "data/mini-swe-agent").glob("*.tar.xz"))
        for member, run in read_archive(archive)
    ]


def read_archive(archive: Path) -> Iterator[tuple[str, Trajectory]]:
    with lzma.open(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as members:
        for member in members:
            stream = members.extractfile(member)
            if stream is None:
                continue
            source = Source(f"{archive.name}::{member.name}", content=stream.read())
            if FORMAT.sniff(Probe(source)):
                (run,) = FORMAT.read(source)
                assert isinstance(run, Trajectory)
                yield member.name, run


def facts(member: str, run: Trajectory) -> Facts:
    actions = run.actions
    return Facts(
        member=member,
        system_id=system_row(run.system).system_id,
        model=run.system.model,
        task_id=run.task.task_id,
        task_digest=run.task.digest,
        status=run.outcome.ending_raw,
        ending=run.outcome.ending,
        cost=run.usage.cost_usd,
        actions=tuple(event.action for event in actions),
        is_refused=tuple(event.refused for event in actions),
        unanswered=sum(event.observation is None for event in actions),
        recorded=run.recorded_actions,
        api_calls=run.extra["api_calls"],
        turns=len({event.turn for event in actions}),
        submitted=run.submission is not None,
        problems=len(run.problems),
    )


def folder(run: Facts) -> str:
    return run.member.split("/")[1] if run.member.startswith("output/") else "gemini"


def test_each_run_of_the_index_is_read_as_the_index_has_it(shared: Path, runs: list[Facts]) -> None:
    with (shared / "data/mini-swe-agent/index.csv").open(encoding="utf-8") as stream:
        rows = {row["member"]: row for row in csv.DictReader(stream)}

    assert {run.member for run in runs} == rows.keys()
    for run in runs:
        row = rows[run.member]
        assert (run.task_id, run.status) == (row["instance_id"], row["exit_status"])
        assert run.api_calls == int(row["api_calls"])
        assert run.cost == float(row["cost"])


def test_the_numbers_of_runs_and_endings(runs: list[Facts]) -> None:
    assert Counter(map(folder, runs)) == {
        "gemini": 500,
        "deepseek_chat_test_1-100": 99,
        "deepseek_chat_dev": 23,
        "deepseek_chat_dev_rerun": 23,
        "deepseek_lite_dev": 23,
        "deepseek_lite_dev_noparallel": 23,
        "deepseek_reasoner_dev": 15,
    }
    assert Counter(run.status for run in runs) == {
        "Submitted": 696,
        "InternalServerError": 6,
        "Timeout": 4,
    }
    assert Counter(run.ending for run in runs) == {"completed": 696, "infra_error": 10}
    assert sum(run.problems for run in runs) == 0


def test_every_call_of_the_model_is_an_action_unless_it_failed(runs: list[Facts]) -> None:
    assert sum(len(run.actions) for run in runs) == 36_376
    assert sum(sum(run.is_refused) for run in runs) == 686
    assert all(len(run.actions) == run.turns == run.recorded for run in runs)
    assert Counter(run.api_calls - len(run.actions) for run in runs) == {0: 696, 1: 10}
    assert all(run.ending == "infra_error" for run in runs if run.api_calls > len(run.actions))


def test_every_command_of_the_files_is_found(runs: list[Facts]) -> None:
    """A refused reply is one action, however many commands it holds."""
    commands = [
        command
        for run in runs
        for action, refused in zip(run.actions, run.is_refused, strict=True)
        for command in (
            [b.command for b in FENCES["bash"].blocks(action or "")] if refused else [action or ""]
        )
    ]

    assert len(commands) == 37_428
    assert len({command.strip() for command in commands}) == 28_399


def test_only_the_last_command_of_a_run_has_no_answer(runs: list[Facts]) -> None:
    assert Counter((run.status == "Submitted", run.unanswered) for run in runs) == {
        (True, 1): 696,
        (False, 0): 10,
    }


def test_the_dev_sets_with_equal_settings_are_one_system(runs: list[Facts]) -> None:
    systems = {folder(run): run.system_id for run in runs if folder(run) != "gemini"}

    equal = {systems[name] for name in ("deepseek_chat_dev", "deepseek_chat_dev_rerun")}
    assert equal == {systems["deepseek_lite_dev"]} == {systems["deepseek_chat_test_1-100"]}
    assert systems["deepseek_lite_dev_noparallel"] not in equal
    assert len({run.system_id for run in runs if folder(run).endswith("dev_rerun")}) == 1


def test_a_task_has_one_digest_whatever_the_version_of_the_prompt(runs: list[Facts]) -> None:
    digests: dict[str | None, set[str | None]] = {}
    for run in runs:
        digests.setdefault(run.task_id, set()).add(run.task_digest)

    assert len(digests) == 581
    assert {len(found) for found in digests.values()} == {1}
