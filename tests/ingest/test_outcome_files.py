from pathlib import Path
from typing import Any

import pytest
from archive_files import KINDS, pack

from ethogram.errors import OutcomeError, UsageError
from ethogram.ingest.outcome_files import (
    OutcomeSpec,
    check_found,
    parse_columns,
    parse_spec,
    read_rows,
)
from ethogram.trajectory import Problem


def found(spec: OutcomeSpec) -> list[tuple[dict[str, str], bool | None]]:
    told: list[Problem] = []
    rows = [(dict(row.keys), row.success) for row in read_rows(spec, told.append)]
    assert told == []
    return rows


def write(path: Path, text: str = '{"t": true}') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "path", "part", "values"),
    [
        ("r.json", "r.json", None, {}),
        ("a.tar.xz::dev/=r.json", "r.json", "a.tar.xz::dev/", {}),
        ("runs/=x.tar::r/{task_id}.json", "x.tar::r/{task_id}.json", "runs/", {}),
        (
            "{system:a=b,c=d e}-run{trial}.json",
            "{system}-run{trial}.json",
            None,
            {"system": {"a": "b", "c": "d e"}},
        ),
        (
            "part/={system:a=b}.json",
            "{system}.json",
            "part/",
            {"system": {"a": "b"}},
        ),
        ("p/={a:x=1}/{b:y=2, z=3}", "{a}/{b}", "p/", {"a": {"x": "1"}, "b": {"y": "2", "z": "3"}}),
    ],
)
def test_what_the_option_says(
    text: str, path: str, part: str | None, values: dict[str, dict[str, str]]
) -> None:
    spec = parse_spec(text, {"success": "ok"})

    assert (spec.path, spec.part, spec.values) == (path, part, values)
    assert spec.columns == {"success": "ok"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no file"),
        ("part/=", "names no file"),
        ("{system", "a brace is not closed"),
        ("{system:a}", "written=meant"),
        ("{system:a=}", "written=meant"),
        ("{system:=b}", "written=meant"),
    ],
)
def test_what_the_option_cannot_say(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_spec(text)


def test_a_sign_of_equality_in_a_name_is_not_taken_for_the_option_s(tmp_path: Path) -> None:
    whole = str(write(tmp_path / "t=0.json"))
    named = str(write(tmp_path / "r.json"))

    assert parse_spec(whole).path == whole
    assert parse_spec(f"runs/t=0/={named}").part == "runs/t=0/"
    assert parse_spec(f"runs/t=0/={named}").path == named
    assert parse_spec(f"runs/={whole}").path == whole


def test_columns_are_ours_equals_theirs() -> None:
    assert parse_columns("source=member,success=resolved") == {
        "source": "member",
        "success": "resolved",
    }
    assert parse_columns("") == {}
    with pytest.raises(UsageError, match=r"--outcome-columns: needs name=header,\.\.\., as"):
        parse_columns("resolved")


def test_a_template_captures_and_translates(tmp_path: Path) -> None:
    for short in ("claude", "gpt5"):
        for trial in (1, 2):
            write(tmp_path / "r" / f"{short}.{short}-local-run{trial}.json")
    write(tmp_path / "r" / "claude.gpt5-local-run1.json")
    spec = parse_spec(f"{tmp_path}/r/{{system:gpt5=GPT 5}}.{{system}}-local-run{{trial}}.json")

    assert found(spec) == [
        ({"system": s, "trial": t, "task_id": "t"}, True)
        for s in ("claude", "GPT 5")
        for t in ("1", "2")
    ]


def test_a_capture_may_be_called_otherwise_than_the_key(tmp_path: Path) -> None:
    write(tmp_path / "x-1.json")
    spec = OutcomeSpec(
        path="{short}-{trial}.json",
        root=str(tmp_path),
        values={"short": {"x": "X"}},
        fields={"short": "system"},
    )

    assert found(spec) == [({"system": "X", "trial": "1", "task_id": "t"}, True)]


def test_a_capture_that_is_no_key_only_has_to_fit(tmp_path: Path) -> None:
    write(tmp_path / "2024" / "r.json")

    assert found(parse_spec(f"{tmp_path}/{{date}}/r.json")) == [({"task_id": "t"}, True)]


def test_a_glob_finds_reports_in_order(tmp_path: Path) -> None:
    for name in ("b", "a/c", "a/b"):
        write(tmp_path / name / "report.json", '{"resolved": true}')
    write(tmp_path / "[x]" / "report.json", '{"resolved": false}')

    assert [keys["task_id"] for keys, _ in found(parse_spec(f"{tmp_path}/**/report.json"))] == [
        "[x]", "b", "c", "b",
    ]  # fmt: skip
    assert [s for _, s in found(parse_spec(f"{tmp_path}/[x]/r*.json"))] == [False]


@pytest.mark.parametrize("kind", KINDS)
def test_reports_within_archives_are_found(tmp_path: Path, kind: str) -> None:
    pack(
        tmp_path / f"x{kind}",
        {
            "top/logs/t-1/report.json": b'{"resolved": true}',
            "top/logs/t-2/report.json": b'{"resolved": false}',
            "top/logs/t-2/other.json": b"{",
        },
    )
    spec = parse_spec(f"{tmp_path}/x{kind}::top/logs/{{task_id}}/report.json")

    assert found(spec) == [({"task_id": "t-1"}, True), ({"task_id": "t-2"}, False)]


def test_a_damaged_archive_gives_what_it_has_and_the_damage_is_told(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.tar", {"a/r.json": b'{"resolved": true}', "b/r.json": b"{}"})
    path.write_bytes(path.read_bytes()[:1024])
    told: list[Problem] = []
    rows = list(read_rows(parse_spec(f"{path}::{{task_id}}/r.json"), told.append))

    assert [dict(row.keys) for row in rows] == [{"task_id": "a"}]
    assert ["no end mark" in problem.reason for problem in told] == [True]


def test_a_packed_report_is_unpacked(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(b"task_id,success\nt,1\n"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"task_id,success\nt,1\n")[:-3])

    assert found(parse_spec(str(tmp_path / "r.csv.gz"))) == [({"task_id": "t"}, True)]
    with pytest.raises(OutcomeError, match=r"cut\.csv\.gz: can't be read"):
        found(parse_spec(str(tmp_path / "cut.csv.gz")))


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that can't be read")
def test_a_report_that_cannot_be_read_is_said_without_a_number(tmp_path: Path) -> None:
    (tmp_path / "r.json").symlink_to("/proc/self/mem")

    with pytest.raises(OutcomeError, match=r"r\.json: can't be read: Input/output error"):
        found(parse_spec(str(tmp_path / "r.json")))


@pytest.mark.parametrize(
    "path", ["no.json", "no/{task_id}/r.json", "no*.json", "x.tar::{task_id}.no"]
)
def test_reports_that_are_not_there_are_an_error(tmp_path: Path, path: str) -> None:
    pack(tmp_path / "x.tar", {"a.json": b"{}"})
    spec = OutcomeSpec(path=path, root=str(tmp_path))

    with pytest.raises(OutcomeError, match="outcomes: no file fits"):
        found(spec)
    if "::" not in path:
        with pytest.raises(OutcomeError, match="no file fits"):
            check_found([spec])


def test_a_folder_of_reports_is_told_apart_from_a_report_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutcomeError, match=r"that is a folder; name the files in it, .*/\*\.json"):
        check_found([parse_spec(f"{tmp_path}/")])


def test_reports_that_need_not_be_there_are_a_note(tmp_path: Path) -> None:
    told: list[Any] = []
    spec = OutcomeSpec(path="no.json", root=str(tmp_path), required=False)

    assert list(read_rows(spec, told.append)) == []
    assert [problem.severity for problem in told] == ["note"]
    check_found([spec])
