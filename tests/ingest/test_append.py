import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from archive_files import pack
from toy_formats import line, write

from ethogram.cohort import Cohort, storage
from ethogram.errors import CohortError, OutcomeError
from ethogram.ingest import Progress, Reading, Report, run_reading

pytestmark = pytest.mark.usefixtures("toys")


def read(*paths: Path | str, **options: Any) -> Report:
    return run_reading(Reading(paths=paths, **options))


def rows(cohort: Cohort) -> dict[str, list[tuple[Any, ...]]]:
    frames = {
        **{name: getattr(cohort, name) for name in ("runs", "systems", "tasks", "problems")},
        "steps": cohort.steps.sort("run_id", "index").collect(),
        "texts": cohort.texts.collect(),
    }
    return {name: sorted(frame.rows(), key=repr) for name, frame in frames.items()}


def tasks(report: Report | Cohort) -> list[str]:
    cohort = report.cohort if isinstance(report, Report) else report
    return cohort.runs["task_id"].sort().to_list()


def rewrite(path: Path, *runs: dict[str, Any]) -> None:
    """Write a file anew so that its time differs, however coarse the clock."""
    before = path.stat().st_mtime_ns
    write(path, *runs)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_a_second_read_adds_what_is_new_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", {"task": "t1"})
    first = read(tmp_path / "in", out=tmp_path / "c")
    write(tmp_path / "in" / "b.jsonl", {"task": "t2"})
    second = read(tmp_path / "in", out=tmp_path / "c")
    third = read(tmp_path / "in", out=tmp_path / "c")

    assert [r.n_new for r in (first, second, third)] == [1, 1, 0]
    assert tasks(third) == ["t1", "t2"]
    assert rows(third.cohort) == rows(read(tmp_path / "in").cohort)


def test_a_read_of_other_paths_adds_to_the_same_cohort(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2"})
    read(tmp_path / "a.jsonl", out=tmp_path / "c")

    assert tasks(read(tmp_path / "b.jsonl", out=tmp_path / "c")) == ["t1", "t2"]


def test_new_members_of_an_archive_are_added(tmp_path: Path) -> None:
    members = {"a.jsonl": line(task="t1").encode()}
    pack(tmp_path / "x.tar", members)
    read(tmp_path / "x.tar", out=tmp_path / "c")
    pack(tmp_path / "x.tar", {**members, "b.jsonl": line(task="t2").encode()})
    second = read(tmp_path / "x.tar", out=tmp_path / "c")

    assert second.n_new == 1
    assert tasks(second) == ["t1", "t2"]


@pytest.mark.parametrize("native_id", [None, "x"], ids=["new-identity", "same-identity"])
def test_a_changed_file_replaces_its_runs(tmp_path: Path, native_id: str | None) -> None:
    path = write(tmp_path / "in" / "a.jsonl", {"native_id": native_id, "actions": ["old", "old"]})
    write(tmp_path / "in" / "b.jsonl", {"task": "t2", "actions": ["kept"]})
    read(tmp_path / "in", out=tmp_path / "c")
    rewrite(path, {"native_id": native_id, "actions": ["new"], "success": False})
    second = read(tmp_path / "in", out=tmp_path / "c")

    assert second.cohort.steps.collect()["action"].sort().to_list() == ["kept", "new"]
    assert second.cohort.runs.sort("task_id")["success"].to_list() == [False, True]
    assert rows(second.cohort)["runs"] == rows(read(tmp_path / "in").cohort)["runs"]


def test_runs_that_a_changed_file_no_longer_holds_are_gone(tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "a.jsonl", {"task": "t1"}, {"task": "t2", "name": "b"})
    read(tmp_path / "in", out=tmp_path / "c")
    rewrite(path, {"task": "t1"})
    second = read(tmp_path / "in", out=tmp_path / "c")

    assert tasks(second) == ["t1"]
    assert second.cohort.systems["system"].to_list() == ["a"]
    assert second.cohort.tasks["task_id"].to_list() == ["t1"]


@pytest.mark.parametrize("name", ["a.jsonl", "a#b.jsonl", "a#.jsonl", "a::b.jsonl"])
def test_a_file_is_known_again_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "in" / name, {"task": "t1"})
    write(tmp_path / "in" / "a", {"task": "t2"})
    read(tmp_path / "in", out=tmp_path / "c")
    rewrite(tmp_path / "in" / "a", {"task": "t3"})

    assert tasks(read(tmp_path / "in", out=tmp_path / "c")) == ["t1", "t3"]
    rewrite(path, {"task": "t4"})
    assert tasks(read(tmp_path / "in", out=tmp_path / "c")) == ["t3", "t4"]


def test_a_file_that_was_only_touched_keeps_its_runs_and_problems(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{line(task='t1')}\nbroken\n", "utf-8")
    before = read(path, out=tmp_path / "c")
    os.utime(path, ns=(1, 1))
    touched = read(path, out=tmp_path / "c")
    again = read(path, out=tmp_path / "c")

    assert touched.n_new == again.n_new == 0
    assert rows(again.cohort) == rows(touched.cohort) == rows(before.cohort)
    assert storage.read_index(tmp_path / "c").files[0].n_runs == 1


def test_problems_of_a_file_go_when_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{line(task='t1')}\nbroken\n", "utf-8")
    write(tmp_path / "b.jsonl", {"ending": "infra_error"})
    first = read(path, tmp_path / "b.jsonl", out=tmp_path / "c")
    rewrite(path, {"task": "t1"}, {"task": "t2"})
    second = read(path, tmp_path / "b.jsonl", out=tmp_path / "c")

    assert first.cohort.problems["severity"].sort().to_list() == ["error", "note"]
    assert second.cohort.problems["severity"].to_list() == ["note"]


def test_problems_of_an_archive_go_when_it_is_mended(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.tar", {"a.jsonl": line(task="t1").encode()})
    whole = path.read_bytes()
    path.write_bytes(whole[:1024])
    assert read(path, out=tmp_path / "c").cohort.problems.height == 1
    assert read(path, out=tmp_path / "c").cohort.problems.height == 1

    path.write_bytes(whole)
    assert read(path, out=tmp_path / "c").cohort.problems.height == 0


def test_a_file_that_no_format_claims_any_more_gives_up_its_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    read(path, out=tmp_path / "c")
    path.write_text("something else", "utf-8")
    second = read(path, out=tmp_path / "c")

    assert second.cohort.runs.height == 0
    assert second.ignored == (str(path),)


def test_other_options_read_a_known_file_anew(tmp_path: Path) -> None:
    write(tmp_path / "in" / "t9" / "a.jsonl", {"task": "t1"})
    read(tmp_path / "in", out=tmp_path / "c")
    layout = read(tmp_path / "in", out=tmp_path / "c", layout="{task_id}/a.jsonl")
    same = read(tmp_path / "in", out=tmp_path / "c", layout="{task_id}/a.jsonl")

    assert tasks(layout) == ["t9"]
    assert layout.cohort.steps.collect().height == 1
    assert same.n_new == 0


def test_files_read_under_other_options_keep_what_those_said(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t1"})
    read(tmp_path / "a.jsonl", out=tmp_path / "c", system="A")
    both = read(tmp_path / "b.jsonl", out=tmp_path / "c", system="B", benchmark="other")

    assert both.cohort.systems["system"].to_list() == ["A", "B"]


def test_fresh_replaces_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2"})
    read(tmp_path / "a.jsonl", out=tmp_path / "c")
    second = read(tmp_path / "b.jsonl", out=tmp_path / "c", fresh=True)

    assert tasks(second) == ["t2"]
    assert second.cohort.steps.collect().height == 1
    assert len(list((tmp_path / "c" / "steps").iterdir())) == 1


def test_fresh_replaces_a_broken_cohort_which_is_refused_otherwise(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    read(path, out=tmp_path / "c")
    (tmp_path / "c" / "cohort.json").write_text('{"schema_version": 99}', "utf-8")

    with pytest.raises(CohortError, match=r"schema version 99.*--fresh"):
        read(path, out=tmp_path / "c")
    assert tasks(read(path, out=tmp_path / "c", fresh=True)) == ["t1"]


def test_a_cohort_with_labels_of_other_tables_is_not_added_to(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    read(path, out=tmp_path / "c")
    index = json.loads((tmp_path / "c" / "cohort.json").read_text("utf-8"))
    (tmp_path / "c" / "cohort.json").write_text(
        json.dumps({**index, "labels_digest": "x"}), "utf-8"
    )

    with pytest.raises(CohortError, match=r"made by other tables \(x\).*ethogram relabel"):
        read(path, out=tmp_path / "c")


def test_a_cohort_that_was_saved_from_another_can_be_added_to(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", {"task": "t1", "temperature": 0.0})
    write(tmp_path / "in" / "b.jsonl", {"task": "t2", "temperature": 1.0})
    first = read(tmp_path / "in" / "a.jsonl", tmp_path / "in" / "b.jsonl", out=tmp_path / "c")
    first.cohort.filter('task_id == "t1"').save(tmp_path / "d")
    write(tmp_path / "in" / "c.jsonl", {"task": "t3", "temperature": 2.0})
    both = read(tmp_path / "in", out=tmp_path / "d").cohort

    assert tasks(both) == ["t1", "t2", "t3"]
    assert both.steps.collect().height == 3
    assert both.systems["system"].to_list() == [f"a (temperature={n})" for n in range(3)]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "mine" / "thesis.tex")

    with pytest.raises(CohortError, match="nothing was written"):
        read(path, out=tmp_path / "mine")
    with pytest.raises(CohortError, match="is a file; a cohort is a folder"):
        read(path, out=path)


def many(folder: Path) -> Path:
    for n in range(40):
        write(
            folder / f"{n:02d}.jsonl",
            {"task": f"t{n}", "prompt": f"p{n % 7}", "actions": ["ls", f"{n}"]},
        )
    (folder / "99.jsonl").write_text("broken", "utf-8")
    (folder / "broken.jsonl").write_text('{"toy": 1', "utf-8")
    return folder


def stop_after(n: int, error: type[BaseException]) -> Any:
    calls: list[Progress] = []

    def progress(said: Progress) -> None:
        calls.append(said)
        if len(calls) == n:
            raise error

    return progress


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, MemoryError])
def test_an_interrupted_read_keeps_what_it_has_and_goes_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    monkeypatch.setattr("ethogram.ingest.read.BATCH_FILES", 5)
    folder = many(tmp_path / "in")
    with pytest.raises(error):
        read(folder, out=tmp_path / "c", progress=stop_after(3, error))
    half = Cohort.open(tmp_path / "c")
    rest = read(folder, out=tmp_path / "c")

    assert (half.runs.height, half.complete) == (15, False)
    assert half.steps.collect().height == 30
    assert rest.n_new == 25
    assert rest.cohort.complete
    assert rest.cohort.digest == read(folder).cohort.digest
    assert rows(rest.cohort) == rows(read(folder).cohort)


def test_a_read_that_fails_in_a_commit_leaves_the_former_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "in" / "a.jsonl", {"native_id": "x", "actions": ["old"]})
    before = rows(read(tmp_path / "in", out=tmp_path / "c").cohort)
    rewrite(path, {"native_id": "x", "actions": ["new", "new"]})

    def die(*_: Any) -> None:
        raise SystemError

    with monkeypatch.context() as patch:
        patch.setattr("ethogram.ingest.writer.write_index", die)
        with pytest.raises(SystemError):
            read(tmp_path / "in", out=tmp_path / "c")

    assert rows(Cohort.open(tmp_path / "c")) == before
    assert read(tmp_path / "in", out=tmp_path / "c").cohort.steps.collect().height == 2


KILLED = """
    import sys, time
    sys.path.insert(0, {tests!r})
    import ethogram.ingest.read as module
    from ethogram.ingest import Reading, run_reading
    from ethogram.registry import Registry

    def wait(progress):
        if progress.n_runs >= 15:
            print("ready", flush=True)
            time.sleep(60)

    if __name__ == "__main__":
        module.FORMATS = Registry("format", {{"toy": "toy_formats:TOY"}}, group="ethogram.none")
        module.BATCH_FILES = 5
        module.CHECKPOINT_SECONDS = {seconds}
        run_reading(Reading(paths=[{folder!r}], out={out!r}, progress=wait))
"""


@pytest.mark.parametrize(("seconds", "kept"), [(-1.0, 15), (1e9, 0)], ids=["checkpoint", "none"])
def test_a_killed_read_goes_on_from_its_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, kept: int
) -> None:
    folder, out = many(tmp_path / "in"), tmp_path / "c"
    script = textwrap.dedent(KILLED).format(
        tests=str(Path(__file__).parent.parent), folder=str(folder), out=str(out), seconds=seconds
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found = Cohort.open(out) if kept else None
    rest = read(folder, out=out)

    assert (found.runs.height if found else 0) == kept
    assert rest.n_new == 40 - kept
    assert rows(rest.cohort) == rows(read(folder).cohort)
    listed = {n for names in storage.read_index(out).tables.values() for n in names}
    assert {p.relative_to(out).as_posix() for p in out.rglob("*.parquet")} == listed


def test_two_reads_at_a_time_lose_nothing_in_silence(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2"})

    def meanwhile(_: Progress) -> None:
        read(tmp_path / "b.jsonl", out=tmp_path / "c")

    with pytest.raises(CohortError, match="another process has written to it meanwhile"):
        read(tmp_path / "a.jsonl", out=tmp_path / "c", progress=meanwhile)
    assert tasks(Cohort.open(tmp_path / "c")) == ["t2"]
    assert tasks(read(tmp_path / "a.jsonl", out=tmp_path / "c")) == ["t1", "t2"]


def test_outcomes_that_cannot_be_joined_leave_the_runs_read(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", {"task": "t1", "success": None}, {"task": "t1", "trial": 1})
    (tmp_path / "r.json").write_text('{"t1": true}', "utf-8")

    with pytest.raises(OutcomeError, match="fits 2 runs"):
        read(tmp_path / "in", out=tmp_path / "c", outcomes=[str(tmp_path / "r.json")])
    assert Cohort.open(tmp_path / "c").runs.height == 2


def test_outcomes_joined_before_stay_when_more_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1", "success": None})
    write(tmp_path / "b.jsonl", {"task": "t2", "success": None})
    (tmp_path / "r.json").write_text('{"t1": true}', "utf-8")
    read(tmp_path / "a.jsonl", out=tmp_path / "c", outcomes=[str(tmp_path / "r.json")])
    second = read(tmp_path / "b.jsonl", out=tmp_path / "c")

    assert second.cohort.runs.sort("task_id")["success"].to_list() == [True, None]


def test_outcomes_can_be_joined_to_what_was_read_before(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1", "success": None})
    (tmp_path / "r.json").write_text('{"t1": true}', "utf-8")
    read(tmp_path / "a.jsonl", out=tmp_path / "c")
    again = read(tmp_path / "a.jsonl", out=tmp_path / "c", outcomes=[str(tmp_path / "r.json")])

    assert again.cohort.runs["success"].to_list() == [True]
    assert Cohort.open(tmp_path / "c").runs["success"].to_list() == [True]


def test_the_open_cohort_still_answers_after_more_was_read(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2"})
    before = read(tmp_path / "a.jsonl", out=tmp_path / "c").cohort
    read(tmp_path / "b.jsonl", out=tmp_path / "c")

    assert before.steps.select(pl.len()).collect().item() == 1
