import gc
import gzip
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from archive_files import pack, squeeze
from toy_formats import line, write, write_all

import ethogram as eg
from ethogram.cohort import Cohort
from ethogram.errors import InputError, UnknownNameError
from ethogram.formats.base import Source
from ethogram.ingest import Progress, Reading, Report, run_reading, worker
from ethogram.ingest.discover import Found
from ethogram.ingest.read import BATCH_BYTES, MIN_BATCH_BYTES, _batch_bytes

pytestmark = pytest.mark.usefixtures("toys")


def read(*paths: Path | str, **options: Any) -> Report:
    return run_reading(Reading(paths=paths, **options))


def reasons(report: Report) -> list[str]:
    return report.cohort.problems["reason"].to_list()


def tables(cohort: Cohort) -> dict[str, list[tuple[Any, ...]]]:
    """All six tables as rows in an order that does not depend on how they were stored."""
    frames = {
        **{name: getattr(cohort, name) for name in ("runs", "systems", "tasks", "problems")},
        "steps": cohort.steps.sort("run_id", "index").collect(),
        "texts": cohort.texts.collect(),
    }
    return {name: sorted(frame.rows(), key=repr) for name, frame in frames.items()}


def test_runs_problems_and_ignored_files_are_counted_apart(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"}, {"task": "t2"})
    (tmp_path / "b.jsonl").write_text(f"{line(task='t3')}\n" + '{"toy": broken\n', "utf-8")
    (tmp_path / "notes.txt").write_text("no trajectory", "utf-8")
    report = read(tmp_path)

    assert report.cohort.runs["task_id"].sort().to_list() == ["t1", "t2", "t3"]
    assert report.n_new == 3
    assert report.cohort.problems.select("record", "severity").rows() == [("line 2", "error")]
    assert report.ignored == (f"{tmp_path}/notes.txt",)


def test_a_run_says_where_it_lies(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"}, {"task": "t2", "record": None})
    pack(tmp_path / "x.zip", {"b/c.jsonl": line(task="t3").encode()})
    runs = read(tmp_path).cohort.runs.sort("task_id")

    assert runs["source"].to_list() == [
        f"{tmp_path}/a.jsonl#line 1",
        f"{tmp_path}/a.jsonl",
        f"{tmp_path}/x.zip::b/c.jsonl#line 1",
    ]


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


@contextmanager
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def many(folder: Path) -> Path:
    """Files enough for several batches, with problems, duplicates and files of no format."""
    for n in range(30):
        commands = ["ls -la", f"sed -n 1,{n}p f.py", "python -m pytest -q"][: 1 + n % 3]
        runs: list[dict[str, Any]] = [
            {
                "task": f"t{n}",
                "trial": k,
                "actions": commands,
                "prompt": f"p{n}",
                "model": f"m{n % 2}",
            }
            for k in range(3)
        ]
        write(folder / f"{n:02d}.jsonl", *runs)
    (folder / "broken.jsonl").write_text('{"toy": 1\n{"toy": "\n', "utf-8")
    (folder / "notes.txt").write_text("x", "utf-8")
    pack(
        folder / "x.tar.gz",
        {f"{n:02d}.jsonl": (folder / f"{n:02d}.jsonl").read_bytes() for n in range(5)},
    )
    return folder


@pytest.mark.parametrize(
    ("executor", "workers"),
    [
        pytest.param(threads, 3, id="threads"),
        pytest.param(processes, 2, id="processes", marks=pytest.mark.slow),
    ],
)
def test_the_cohort_is_the_same_whoever_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: Any, workers: int
) -> None:
    monkeypatch.setattr("ethogram.ingest.read.MIN_BATCH_BYTES", 1_000)
    folder = many(tmp_path)
    alone = read(folder)
    with executor() as pool:
        together = read(folder, executor=pool, workers=workers)

    assert alone.cohort.runs.height == 90
    assert together.cohort.digest == alone.cohort.digest
    assert tables(together.cohort) == tables(alone.cohort)
    assert together.ignored == alone.ignored


@pytest.mark.parametrize("chars", [0, 100])
def test_the_cohort_is_the_same_however_it_is_cut_into_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chars: int
) -> None:
    folder = many(tmp_path)
    whole = read(folder)
    monkeypatch.setattr(worker, "PART_CHARS", chars)
    monkeypatch.setattr("ethogram.ingest.read.BATCH_FILES", 4)

    assert tables(read(folder).cohort) == tables(whole.cohort)


@pytest.mark.parametrize("workers", [1, 2, 64])
def test_batches_shrink_with_what_is_left_and_a_limit_holds_memory_down(workers: int) -> None:
    sizes = [_batch_bytes(2**power, workers) for power in range(10, 45)]

    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (MIN_BATCH_BYTES, BATCH_BYTES)
    assert 3 * sizes[-1] < 48 * 2**20


@pytest.mark.parametrize("workers", [1, 2, 64])
def test_what_is_left_suffices_for_every_worker(workers: int) -> None:
    left = (workers + 1) * MIN_BATCH_BYTES

    assert all(workers * _batch_bytes(k * left, workers) < k * left for k in range(1, 9))


def test_progress_counts_bytes_on_disk_to_the_end(tmp_path: Path) -> None:
    seen: list[Progress] = []
    read(many(tmp_path), progress=seen.append)

    assert seen[-1].total_bytes == sum(p.stat().st_size for p in tmp_path.iterdir())
    assert 0.95 * seen[-1].total_bytes <= seen[-1].done_bytes <= seen[-1].total_bytes
    assert seen[-1].n_runs == 90
    assert [p.done_bytes for p in seen] == sorted(p.done_bytes for p in seen)


def test_two_formats_that_claim_a_file_are_named_and_nobody_guesses(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2", "rival": 1})
    report = read(tmp_path)

    assert report.cohort.runs["task_id"].to_list() == ["t1"]
    assert reasons(report) == [
        f"{tmp_path}/b.jsonl: could be toy or rival; say which with --format"
    ]
    assert report.ignored == ()


def test_the_user_settles_which_format_it_is(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", {"task": "t2", "rival": 1})

    assert read(tmp_path, format="rival").cohort.runs["format"].to_list() == ["rival"]
    with pytest.raises(UnknownNameError, match=r"no format is called 'toi'; known: .*toy"):
        read(tmp_path, format="toi")


@pytest.mark.slow
def test_a_chosen_format_works_in_other_processes(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", {"task": "t2", "rival": 1})
    with processes() as pool:
        report = read(tmp_path, format="rival", executor=pool, workers=2)

    assert report.cohort.runs.height == 1


def test_a_file_that_names_its_format_is_of_that_format(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", {"task": "t2", "rival": 1, "format": "declared"})

    assert read(tmp_path).cohort.runs["format"].to_list() == ["declared"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"raise": "malformed"}, "x"),
        ({"raise": "zero"}, "the toy reader failed with ZeroDivisionError: x (please report"),
        ({"raise": "disk"}, "b.jsonl: can't be read: Input/output error"),
        ({"no_such_field": 1}, "the toy reader failed with UsageError"),
        ({"score": "high"}, "please report"),
    ],
)
def test_whatever_fails_in_one_file_loses_none_of_the_others(
    tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    write(tmp_path / "b.jsonl", {"task": "t2"}, values)
    write(tmp_path / "c.jsonl", {"task": "t3"})
    report = read(tmp_path)

    assert {"t1", "t3"} <= set(report.cohort.runs["task_id"])
    assert len(reasons(report)) == 1
    assert said in reasons(report)[0]


def test_a_format_that_fails_to_recognise_a_file_loses_that_file_only(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("stumble", "utf-8")
    write(tmp_path / "b.jsonl", {"task": "t1"})
    report = read(tmp_path)

    assert report.cohort.runs.height == 1
    assert ["could not be recognised: AttributeError" in r for r in reasons(report)] == [True]


def test_numbers_too_large_and_broken_text_lose_nothing_else(tmp_path: Path) -> None:
    odd = '{"toy": 1, "task": "t\\ud800", "trial": 4294967296, "input_tokens": 1' + "0" * 30 + "}"
    (tmp_path / "a.jsonl").write_text(f"{line(task='t1')}\n{odd}\n", "utf-8")
    report = read(tmp_path)
    runs = report.cohort.runs.sort("task_id")

    assert runs.select("task_id", "trial", "input_tokens").rows() == [
        ("t1", 0, None),
        ("t�", None, None),
    ]
    assert report.cohort.problems["field"].sort().to_list() == ["input_tokens", "trial"]


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".bz2"])
def test_a_packed_file_is_read_and_a_broken_one_is_said(tmp_path: Path, suffix: str) -> None:
    packed = squeeze(line(task="t1", prompt="x" * 99).encode(), suffix)
    (tmp_path / f"a.jsonl{suffix}").write_bytes(packed)
    (tmp_path / f"cut.jsonl{suffix}").write_bytes(packed[:-12])
    (tmp_path / f"none.jsonl{suffix}").write_bytes(b"no such thing")
    report = read(tmp_path)

    assert report.cohort.runs["source"].to_list() == [f"{tmp_path}/a.jsonl{suffix}#line 1"]
    assert [r.startswith(f"{tmp_path}/cut") for r in reasons(report)] == [True]
    assert report.ignored == (f"{tmp_path}/none.jsonl{suffix}",)


def test_a_packed_member_of_an_archive_is_read(tmp_path: Path) -> None:
    pack(tmp_path / "x.tar", {"a.jsonl.gz": gzip.compress(line(task="t1").encode())})

    assert read(tmp_path).cohort.runs["task_id"].to_list() == ["t1"]


def test_a_packed_file_over_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ethogram.ingest.streams.MAX_MEMBER_BYTES", 1_000)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(bytes(1_001)))

    assert reasons(read(tmp_path)) == [
        f"{tmp_path}/a.jsonl.gz: unpacks to over 1,000 bytes, the limit"
    ]


def test_a_large_file_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"}, {"task": "t2"})
    expected = read(tmp_path)
    monkeypatch.setattr(worker, "IN_MEMORY_BYTES", 10)

    assert tables(read(tmp_path).cohort) == tables(expected.cohort)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that can't be read")
def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    (tmp_path / "b.jsonl").symlink_to("/proc/self/mem")
    report = read(tmp_path)

    assert report.cohort.runs.height == 1
    assert reasons(report) == [f"{tmp_path}/b.jsonl: can't be read: Input/output error"]


def test_empty_files_are_ignored_and_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(InputError, match="d: the folder holds no file to read"):
        read(tmp_path / "d")

    (tmp_path / "d" / "empty.json").touch()
    report = read(tmp_path / "d")

    assert report.cohort.runs.height == 0
    assert report.ignored == (f"{tmp_path}/d/empty.json",)


def test_a_folder_of_nothing_but_circles_says_what_it_saw(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to(tmp_path)

    with pytest.raises(InputError, match=r"no file to read \(.*link to a folder"):
        read(tmp_path)


def test_the_cohort_may_lie_in_the_folder_that_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    first = read(tmp_path, out=tmp_path / "cohort")
    again = read(tmp_path, out=tmp_path / "cohort")

    assert first.ignored == again.ignored == ()
    assert again.n_new == 0
    assert again.cohort.runs.height == 1


def test_twenty_thousand_files_of_no_format_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    for n in range(20_000):
        os.close(os.open(tmp_path / f"{n}.log", os.O_CREAT))
    report = read(tmp_path)

    assert report.cohort.runs.height == 1
    assert len(report.ignored) == 20_000


def test_without_texts_everything_else_is_there(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"prompt": "p", "submission": "diff"})
    bare, full = read(tmp_path, texts=False).cohort, read(tmp_path).cohort

    assert bare.digest == full.digest
    assert full.texts.collect().height == 2
    assert bare.texts.collect().height == 0
    assert bare.runs["submission_ref"].to_list() == full.runs["submission_ref"].to_list()
    assert bare.tasks["prompt_ref"].to_list() == [None]


def test_a_text_is_stored_once_however_often_it_occurs(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", *[{"prompt": "the same", "native_id": str(n)} for n in range(50)])
    cohort = read(tmp_path, out=tmp_path / "c").cohort

    assert cohort.texts.collect()["text"].to_list() == ["the same"]
    assert cohort.all_texts.select(pl.len()).collect().item() == 1


def test_the_public_function_reads_the_same(tmp_path: Path) -> None:
    write_all(tmp_path / "in", ["a", "b"])
    kept = eg.read(tmp_path / "in", out=tmp_path / "c")

    assert kept.folder == tmp_path / "c"
    assert eg.read(str(tmp_path / "in")).digest == kept.digest == Cohort.open(tmp_path / "c").digest


def test_a_cohort_that_nobody_asked_to_keep_goes_with_its_object(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"task": "t1"})
    cohort = eg.read(tmp_path)
    folder = cohort.folder

    assert folder is not None
    assert folder.is_dir()
    filtered = cohort.filter('task_id == "t1"')
    del cohort
    assert filtered.steps.collect().height == 1
    del filtered
    assert not folder.exists()


def test_a_batch_is_written_as_soon_as_it_holds_much_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = many(tmp_path / "in")
    read(folder, out=tmp_path / "one")
    monkeypatch.setattr(worker, "PART_CHARS", 0)
    read(folder, out=tmp_path / "more")

    n_parts = [len(list((tmp_path / out / "texts").iterdir())) for out in ("one", "more")]
    assert n_parts[0] == 1 < n_parts[1]


def test_no_garbage_is_looked_for_while_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    load = worker.load

    def watched(found: Found) -> tuple[Source, str]:
        seen.append(gc.isenabled())
        return load(found)

    monkeypatch.setattr(worker, "load", watched)
    read(many(tmp_path))

    assert set(seen) == {False}
    assert gc.isenabled()
