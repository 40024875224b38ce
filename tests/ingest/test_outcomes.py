import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from archive_files import pack
from toy_formats import line, write

from ethogram.errors import OutcomeError
from ethogram.ingest import Reading, Report, run_reading
from ethogram.ingest.outcomes import holds_path

pytestmark = pytest.mark.usefixtures("toys")


def read(*paths: Path, outcomes: str | list[str], **options: Any) -> Report:
    given = [outcomes] if isinstance(outcomes, str) else outcomes
    return run_reading(Reading(paths=paths, outcomes=given, **options))


def known(report: Report) -> dict[tuple[str, int], bool | None]:
    rows = report.cohort.runs.select("task_id", "trial", "success").rows()
    return {(task, trial): success for task, trial, success in rows}


def report_file(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two systems, two tasks, two trials: one file each system and task."""
    for system in ("a", "b"):
        for task in ("t1", "t2"):
            write(
                tmp_path / "runs" / system / f"{task}.jsonl",
                *(
                    {
                        "task": task,
                        "name": system,
                        "model": f"m{system}",
                        "trial": k,
                        "success": None,
                    }
                    for k in range(2)
                ),
            )
    return tmp_path / "runs"


def test_a_summary_is_joined_by_task(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"task": t, "success": None} for t in "ruexi"))
    report = report_file(
        tmp_path / "r.json",
        {
            "resolved_ids": ["r"],
            "unresolved_ids": ["u"],
            "empty_patch_ids": ["e"],
            "error_ids": ["x"],
            "incomplete_ids": ["i"],
        },
    )
    made = read(path, outcomes=report)

    assert known(made) == {
        ("r", 0): True, ("u", 0): False, ("e", 0): False, ("x", 0): None, ("i", 0): None,
    }  # fmt: skip
    rule = made.cohort.runs.filter(pl.col("task_id") == "u").select(
        "outcome_source", "outcome_rule"
    )
    assert rule.rows() == [(report, "SWE-bench report: unresolved")]
    assert made.outcomes is not None
    assert made.outcomes.without_row == made.outcomes.without_run == ()


def test_what_has_no_partner_is_named_on_either_side(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"}, {"task": "lonely", "trial": 3})
    report = report_file(
        tmp_path / "r.json",
        {
            "resolved_ids": ["t1", "gone"],
            "unresolved_ids": ["lost"],
            "error_ids": ["crashed"],
            "incomplete_ids": ["never", "t9"],
            "submitted_ids": ["t1", "gone", "lost", "crashed"],
        },
    )
    joined = read(path, outcomes=report).outcomes

    assert joined is not None
    assert joined.without_run == ("task_id gone", "task_id lost", "task_id crashed")
    assert joined.without_row == (f"lonely trial 3 in {path}#line 2",)


def test_a_row_that_fits_several_runs_is_an_error_that_says_what_to_do(
    runs: Path, tmp_path: Path
) -> None:
    report = report_file(tmp_path / "r.json", {"t1": True})

    with pytest.raises(OutcomeError) as caught:
        read(runs, outcomes=report)
    assert "task_id t1 fits 4 runs (t1 trial 0 in " in str(caught.value)
    assert "tie the report to a part" in str(caught.value)


def test_templates_tell_systems_and_trials_apart(runs: Path, tmp_path: Path) -> None:
    for system, short in (("a", "alpha"), ("b", "beta")):
        for trial in range(2):
            report_file(
                tmp_path / f"{short}-run{trial}.json", {"t1": system == "a", "t2": trial == 1}
            )
    made = read(runs, outcomes=f"{tmp_path}/{{system:alpha=a,beta=b}}-run{{trial}}.json")
    frame = made.cohort.joined.sort("system", "task_id", "trial").select("system", "success")

    assert frame.rows() == [
        ("a", True), ("a", True), ("a", False), ("a", True),
        ("b", False), ("b", False), ("b", False), ("b", True),
    ]  # fmt: skip


def test_a_system_also_goes_by_its_model(runs: Path, tmp_path: Path) -> None:
    table = "system,task_id,trial,success\nma,t1,0,1\nmb,t1,0,0\n"
    made = read(runs, outcomes=report_file(tmp_path / "r.csv", table))
    frame = made.cohort.joined.filter(pl.col("success").is_not_null()).sort("system")

    assert frame.select("system", "success").rows() == [("a", True), ("b", False)]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("system,task_id,trial", ["a,t1,0", "b,t2,001"]),
        ("model,benchmark,task_id,trial", ["ma,bench,t1,0", "mb,bench,t2,1.0"]),
        ("source", ["a/t1.jsonl#line 1", "x.tar/../b/t2.jsonl#line 2"]),
    ],
)
def test_tables_may_be_keyed_by_whatever_tells_runs_apart(
    runs: Path, tmp_path: Path, header: str, rows: list[str]
) -> None:
    rows = [row.replace("x.tar/../", "./") for row in rows]
    table = f"{header},success\n{rows[0]},1\n{rows[1]},0\n"
    made = read(runs, outcomes=report_file(tmp_path / "r.csv", table))
    frame = made.cohort.joined.filter(pl.col("success").is_not_null()).sort("system")

    assert frame.select("system", "task_id", "trial", "success").rows() == [
        ("a", "t1", 0, True),
        ("b", "t2", 1, False),
    ]
    assert made.outcomes is not None
    assert len(made.outcomes.without_row) == 6


def test_a_table_keyed_by_the_run_s_own_id(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"native_id": i, "success": None} for i in ("x", "y")))
    made = read(path, outcomes=report_file(tmp_path / "r.csv", "native_id,success\ny,1\nz,1\n"))
    frame = made.cohort.runs.sort("native_id").select("native_id", "success")

    assert frame.rows() == [("x", None), ("y", True)]
    assert made.outcomes is not None
    assert made.outcomes.without_run == ("native_id z",)


def test_a_table_keyed_by_the_end_of_a_member_s_path(tmp_path: Path) -> None:
    members = {f"top/{s}/{t}.jsonl": line(task=t, name=s, record=None, success=None).encode()
               for s in "ab" for t in ("t1", "t2")}  # fmt: skip
    path = pack(tmp_path / "x.tar.gz", members)
    table = "member,ok\n" + "".join(f"{name},{'/a/' in name}\n" for name in members)
    made = read(
        path,
        outcomes=report_file(tmp_path / "r.csv", table),
        outcome_columns={"source": "member", "success": "ok"},
    )
    frame = made.cohort.joined.sort("system", "task_id").select("system", "success")

    assert frame.rows() == [("a", True), ("a", True), ("b", False), ("b", False)]


def test_the_end_of_a_path_is_compared_by_whole_components(tmp_path: Path) -> None:
    write(tmp_path / "in" / "xa" / "t.jsonl", {"record": None, "success": None})
    table = report_file(tmp_path / "r.csv", "source,success\na/t.jsonl,1\n")
    made = read(tmp_path / "in", outcomes=table)

    assert made.outcomes is not None
    assert made.outcomes.without_run == ("source a/t.jsonl",)


def test_reports_tied_to_parts_leave_the_others_alone(runs: Path, tmp_path: Path) -> None:
    a = report_file(tmp_path / "a.csv", "task_id,trial,success\nt1,0,1\n")
    b = report_file(tmp_path / "b.csv", "task_id,trial,success\nt1,0,0\n")
    made = read(runs, outcomes=[f"runs/a/={a}", f"{runs}/b={b}"])
    frame = made.cohort.joined.filter(pl.col("success").is_not_null()).sort("system")

    assert frame.select("system", "success").rows() == [("a", True), ("b", False)]
    with pytest.raises(OutcomeError, match="no run's source holds 'c/'"):
        read(runs, outcomes=f"c/={a}")


def test_a_report_within_an_archive_tied_to_a_part_of_it(tmp_path: Path) -> None:
    files = {f"{s}/t1.jsonl": line(task="t1", name=s, success=None).encode() for s in "ab"}
    reports = {f"{s}/report.json": json.dumps({"t1": s == "a"}).encode() for s in "ab"}
    path = pack(tmp_path / "x.tar.xz", {**files, **reports})
    made = read(path, outcomes=[f"x.tar.xz::{s}/={path}::{s}/report.json" for s in "ab"])
    frame = made.cohort.joined.sort("system").select("system", "success", "outcome_source")

    assert frame.rows() == [
        ("a", True, f"{path}::a/report.json"),
        ("b", False, f"{path}::b/report.json"),
    ]


@pytest.mark.parametrize(
    ("source", "part", "holds"),
    [
        ("runs/a/x.json", "a", True),
        ("runs/a/x.json", "a/", True),
        ("runs/a/x.json", "./runs/a/", True),
        ("runs/ab/x.json", "a", False),
        ("/data/x.tar.xz::dev/y.json", "x.tar.xz::dev/", True),
        ("/data/x.tar.xz::dev/y.json", "/data/x.tar.xz", True),
        ("/data/x.tar.xz::dev/y.json", "x.tar.xz::de", False),
        ("runs/a/x.json", "a/b", False),
    ],
)
def test_a_part_is_a_run_of_whole_components(source: str, part: str, *, holds: bool) -> None:
    assert holds_path(source, part) is holds


def test_rows_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})
    yes = report_file(tmp_path / "yes.json", {"t1": True})
    no = report_file(tmp_path / "no.json", {"t1": False})

    with pytest.raises(OutcomeError, match=r"success=True in .*yes.json and success=False in .*no"):
        read(path, outcomes=[yes, no])
    assert known(read(path, outcomes=[yes, yes])) == {("t1", 0): True}


def test_an_outcome_from_elsewhere_outranks_the_file_s_own_and_a_missing_one_does_not(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path / "a.jsonl",
        *({"task": t, "success": False, "score": 0.1} for t in ("t1", "t2", "t3")),
    )
    table = report_file(tmp_path / "r.csv", "task_id,success,score\nt1,1,\nt2,,0.7\nt3,,\n")
    runs = read(path, outcomes=table).cohort.runs.sort("task_id")

    assert runs.select("success", "score").rows() == [(True, 0.1), (False, 0.7), (False, 0.1)]


def test_reports_that_gave_outcomes_are_not_called_ignored(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", {"task": "t1"})
    report = report_file(tmp_path / "in" / "r.json", {"t1": True})
    report_file(tmp_path / "in" / "other.json", "{}")
    pack(tmp_path / "in" / "x.tar", {"logs/t1/report.json": b'{"resolved": true}'})
    inner = f"{tmp_path}/in/x.tar::logs/{{task_id}}/report.json"

    assert read(tmp_path / "in", outcomes=[report, inner]).ignored == (f"{tmp_path}/in/other.json",)


def test_a_report_that_is_not_there_is_said_before_anything_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1"})

    with pytest.raises(OutcomeError, match="no file fits"):
        read(path, out=tmp_path / "c", outcomes=str(tmp_path / "no.json"))
    assert not (tmp_path / "c").exists()


def test_what_is_wrong_with_an_archive_of_reports_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"task": "t1", "success": None})
    reports = pack(tmp_path / "x.tar", {"t1/report.json": b'{"resolved": true}'})
    reports.write_bytes(reports.read_bytes()[:1024])
    made = read(path, reports, outcomes=f"{reports}::{{task_id}}/report.json")

    assert known(made) == {("t1", 0): True}
    assert ["no end mark" in reason for reason in made.cohort.problems["reason"]] == [True]
