"""tau2-bench: both layouts, broken files, files of others."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tau2_files import folder, on_disk, read, results, simulation, source, split, task

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Probe, Source
from ethogram.formats.tau2_bench import FORMAT


def test_voice_runs_are_refused_once_a_file() -> None:
    voice = simulation(messages=None, ticks=[{"tick_id": 0}], mode="full_duplex")
    runs, problems = read(results(voice, simulation(), voice))

    assert len(runs) == 1
    assert [(p.count, p.severity, p.field) for p in problems] == [(2, "error", "ticks")]


def test_a_voice_run_may_have_an_empty_list_of_messages() -> None:
    spoken = simulation(messages=[], ticks=[{"tick_id": 0}])
    never_begun = simulation(messages=[], ticks=[], termination_reason="infrastructure_error")
    runs, problems = read(results(spoken, never_begun))

    assert [run.outcome.ending for run in runs] == ["infra_error"]
    assert [(p.count, p.field) for p in problems] == [(1, "ticks")]


def test_one_broken_run_loses_no_other() -> None:
    broken = simulation(messages="none")
    runs, problems = read(results(simulation(id="a"), broken, 5, simulation(id="b")))

    assert [run.native_id for run in runs] == ["a", "b"]
    assert [problem.record for problem in problems] == ["simulation 1", "simulation 2"]
    assert "messages" in problems[0].reason


@pytest.mark.parametrize(
    ("tasks", "record", "said"),
    [
        pytest.param([None, task("7")], "task 0", "null", id="no task"),
        pytest.param([task("7"), {"id": "8", "ticket": {}}], "task 1", "ticket", id="no ticket"),
        pytest.param({"7": task("7")}, None, "must be a list, found dict", id="no list"),
    ],
)
def test_a_broken_task_loses_no_run(tasks: Any, record: str | None, said: str) -> None:
    (run,), (problem,) = read(results(simulation(), tasks=tasks))

    assert (run.task.task_id, run.system.model) == ("7", "model-a")
    assert (run.task.digest is not None) == isinstance(tasks, list)
    assert problem.record == record
    assert said in problem.reason


def test_a_number_that_is_none_does_not_lose_the_file() -> None:
    text = json.dumps(results(simulation(agent_cost=float("nan")))).encode()
    (run,), problems = read(text)

    assert run.usage.cost_usd is None
    assert [problem.severity for problem in problems] == ["warning"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps(results(simulation())).encode()[:-40], id="truncated"),
        pytest.param(b'{"info": {}, "simulations": 5}', id="no list"),
        pytest.param(b'{"info": 5, "simulations": []}', id="no info"),
        pytest.param(b'{"info": {}, "simulations": [' + b"[" * 9000, id="deep"),
        pytest.param(b"\xff\xfe\x00", id="binary"),
    ],
)
def test_a_broken_file_is_refused_with_its_name(content: bytes) -> None:
    with pytest.raises(MalformedTrajectoryError, match=r"results\.json"):
        list(FORMAT.read(source(content)))


def test_a_file_without_runs_has_none() -> None:
    assert read(results()) == ([], [])


def test_the_folder_layout_gives_the_same_runs_as_one_file(tmp_path: Path) -> None:
    simulations = [simulation(id="a"), simulation(id="b", trial=3)]
    head = on_disk(folder(tmp_path, *simulations))

    assert FORMAT.sniff(Probe(head))
    assert split(head) == read(results(*simulations))


def test_a_run_of_a_folder_is_not_read_twice(tmp_path: Path) -> None:
    folder(tmp_path, simulation())
    own = on_disk(tmp_path / "simulations" / "s1.json")

    assert FORMAT.sniff(Probe(own))
    assert split(own) == ([], [])


def test_a_bare_list_of_runs_is_read_as_far_as_it_goes() -> None:
    runs, problems = read([simulation(id="a"), 5, simulation(id="b")])

    assert [(run.native_id, run.system.model) for run in runs] == [("a", None), ("b", None)]
    assert [problem.record for problem in problems] == ["simulation 1"]


def test_a_run_without_its_folder_is_read_alone() -> None:
    (run,), problems = read(simulation())

    assert (run.native_id, run.task.task_id, run.outcome.success) == ("s1", "7", True)
    assert (run.task.benchmark, run.system.model, problems) == (None, None, [])


def test_a_broken_file_in_a_folder_loses_no_other(tmp_path: Path) -> None:
    index = [{"id": "a"}, {"id": "gone"}]
    head = folder(tmp_path, simulation(id="a"), simulation_index=index)
    (tmp_path / "simulations" / "b.json").write_text("{", "utf-8")
    runs, problems = split(on_disk(head))

    assert [run.native_id for run in runs] == ["a"]
    assert [(p.record, p.field) for p in problems] == [
        ("simulations/b.json", None),
        (None, "simulation_index"),
    ]


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b'{"info": {"agent_info": {}}, "tasks": [', id="truncated"),
        pytest.param(b"", id="empty"),
        pytest.param(b'{"accuracy": 0.5}', id="something else"),
    ],
)
def test_a_results_file_that_says_nothing_loses_no_run(tmp_path: Path, head: bytes) -> None:
    folder(tmp_path, simulation()).write_bytes(head)
    (run,), problems = split(on_disk(tmp_path / "simulations" / "s1.json"))

    assert (run.native_id, run.system.model, problems) == ("s1", None, [])


def test_a_broken_compressed_results_file_loses_no_run(tmp_path: Path) -> None:
    head = folder(tmp_path, simulation())
    (tmp_path / "results.json.gz").write_bytes(gzip.compress(head.read_bytes())[:-20])
    head.unlink()

    assert len(split(on_disk(tmp_path / "simulations" / "s1.json"))[0]) == 1


def test_a_compressed_run_of_a_folder_is_read_with_what_its_results_file_says(
    tmp_path: Path,
) -> None:
    head = folder(tmp_path, simulation(), simulation_index=[{"id": "s1"}])
    plain = tmp_path / "simulations" / "s1.json"
    expected = split(on_disk(head))
    packed = plain.with_name("s1.json.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()

    assert split(on_disk(head)) == ([], [])
    assert [run.system for run in split(on_disk(packed))[0]] == [expected[0][0].system]
    assert split(on_disk(packed))[0][0].task == expected[0][0].task


def test_other_files_in_the_folder_are_no_runs(tmp_path: Path) -> None:
    head = folder(tmp_path, simulation())
    (tmp_path / "simulations" / "summary.json").write_text('{"mean": 1}', "utf-8")
    whole = tmp_path / "simulations" / "whole.json"
    whole.write_text(json.dumps(results(simulation(id="other"))), "utf-8")

    assert [run.native_id for run in split(on_disk(head))[0]] == ["s1"]
    assert [run.native_id for run in split(on_disk(whole))[0]] == ["other"]


def test_a_file_in_a_folder_that_may_not_be_read_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = on_disk(folder(tmp_path, simulation(id="a"), simulation(id="b", trial=1)))
    read_source = Source.read

    def refuse(source: Source) -> bytes:
        if source.basename == "a.json":
            raise PermissionError(13, "Permission denied", source.name)
        return read_source(source)

    monkeypatch.setattr(Source, "read", refuse)
    runs, problems = split(head)

    assert [run.native_id for run in runs] == ["b"]
    assert [p.reason for p in problems] == ["simulations/a.json: can't be read: Permission denied"]


def test_a_compressed_results_file_has_its_folder_too(tmp_path: Path) -> None:
    head = folder(tmp_path, simulation())
    packed = tmp_path / "results.json.gz"
    packed.write_bytes(gzip.compress(head.read_bytes()))
    head.unlink()

    assert len(split(on_disk(packed))[0]) == 1
    assert split(on_disk(tmp_path / "simulations" / "s1.json")) == ([], [])


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"info": {}, "messages": []}, id="mini-SWE-agent"),
        pytest.param([{"task_id": 1, "reward": 1.0, "info": {}, "traj": []}], id="tau-bench"),
        pytest.param({"simulations": 3}, id="a plain number"),
        pytest.param({"info": {}, "tasks": []}, id="no agent"),
        pytest.param({}, id="empty"),
    ],
)
def test_other_files_are_not_claimed(value: Any) -> None:
    assert not FORMAT.sniff(Probe(source(value)))
