import json
from typing import Any

import pytest

from ethogram.errors import OutcomeError
from ethogram.ingest.reports import OutcomeRow, read_report


def rows(
    content: Any,
    name: str = "logs/t-1/report.json",
    captures: dict[str, str] | None = None,
    columns: dict[str, str] | None = None,
) -> list[OutcomeRow]:
    written = content if isinstance(content, bytes | str) else json.dumps(content)
    packed = written.encode() if isinstance(written, str) else written
    return read_report(name, packed, captures or {}, columns or {})


def successes(content: Any, name: str = "logs/t-1/report.json", **options: Any) -> dict[str, Any]:
    return {row.keys["task_id"]: row.success for row in rows(content, name, **options)}


SUMMARY = {
    "resolved_ids": ["r"],
    "unresolved_ids": ["u"],
    "empty_patch_ids": ["e"],
    "error_ids": ["x"],
    "incomplete_ids": ["i"],
    "submitted_ids": ["r", "u", "e", "x"],
    "completed_ids": ["r", "u"],
    "total_instances": 500,
    "schema_version": 2,
}


def test_a_summary_says_who_was_resolved_who_was_not_and_who_is_unknown() -> None:
    assert successes(SUMMARY) == {"r": True, "u": False, "e": False, "x": None, "i": None}


def test_only_instances_that_were_run_expect_a_run() -> None:
    expecting = {row.keys["task_id"]: row.expects_run for row in rows(SUMMARY)}

    assert expecting == {"r": True, "u": True, "e": True, "x": True, "i": False}


def test_an_unresolved_instance_that_was_not_submitted_is_unknown() -> None:
    report = {"resolved_ids": ["r"], "unresolved_ids": ["u", "v"], "submitted_ids": ["r", "u"]}
    found = {row.keys["task_id"]: (row.success, row.expects_run) for row in rows(report)}

    assert found == {"r": (True, True), "u": (False, True), "v": (None, False)}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ({"resolved": ["a"], "generated": ["a", "b"]}, {"a": True, "b": False}),
        ({"resolved": ["a"], "no_generation": ["b"]}, {"a": True, "b": False}),
        ({"resolved_ids": [], "completed_ids": ["a"]}, {"a": False}),
        ({"resolved_ids": [1], "unresolved_ids": [2]}, {"1": True, "2": False}),
        ({"resolved_ids": []}, {}),
    ],
    ids=["older", "older-without-patch", "completed-only", "numbers", "none"],
)
def test_older_and_sparser_summaries_are_read(report: Any, expected: dict[str, bool]) -> None:
    assert successes(report) == expected


def test_a_summary_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(OutcomeError, match="a is resolved and unresolved, and so are 1 more"):
        rows({"resolved_ids": ["a", "b", "c"], "unresolved_ids": ["b", "a"]})


def test_a_report_of_one_instance_may_be_keyed() -> None:
    body = {"patch_exists": True, "resolved": False, "tests_status": {}}

    assert successes({"a": body, "b": {"resolved": True}}) == {"a": False, "b": True}


@pytest.mark.parametrize(
    ("name", "captures", "task"),
    [
        ("logs/t-1/report.json", {}, "t-1"),
        ("x.tar.xz::logs/t-1/report.json", {}, "t-1"),
        ("x.tar.xz::report.json", {}, "x.tar.xz"),
        ("logs/t-1/report.json", {"task_id": "t-2"}, "t-2"),
    ],
)
def test_a_flat_report_belongs_to_the_task_of_the_template_or_of_its_folder(
    name: str, captures: dict[str, str], task: str
) -> None:
    report = {"patch_is_None": False, "resolved": True}

    assert successes(report, name, captures=captures) == {task: True}


def test_a_flat_report_without_a_folder_names_no_task() -> None:
    with pytest.raises(OutcomeError, match=r"report.json: names no task; use a template"):
        rows({"resolved": True}, "report.json")


def test_tasks_may_be_listed_with_true_and_false() -> None:
    assert successes({"a": True, "b": False, "c": None}) == {"a": True, "b": False, "c": None}


def test_captures_of_the_path_are_keys_of_every_row() -> None:
    (row,) = rows({"a": True}, captures={"system": "s", "trial": "3"})

    assert row.keys == {"system": "s", "trial": "3", "task_id": "a"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", "task_id,trial,success\na,1,1\nb,2,false\nc,,\n"),
        ("r.CSV", "\ufefftask_id,trial,success\r\na,1,true\r\nb,2,no\r\nc,,null\r\n"),
        ("r.tsv", "task_id\ttrial\tsuccess\na\t1\tyes\nb\t2\t0\nc\t\tNaN\n"),
        ("r.csv.gz", "task_id,trial,success\na,1,resolved\nb,2,Unresolved\nc,,n/a\n"),
        (
            "r.jsonl",
            '{"task_id": "a", "trial": 1, "success": true}\n\n'
            '{"task_id": "b", "trial": 2, "success": false}\n'
            '{"task_id": "c", "trial": null, "success": null}\n',
        ),
        (
            "r.json",
            '[{"task_id": "a", "trial": 1, "success": 1}, {"task_id": "b", "trial": 2, '
            '"success": "fail"}, {"task_id": "c", "trial": "", "success": ""}]',
        ),
    ],
)
def test_tables_of_every_kind_say_the_same(name: str, content: str) -> None:
    assert [(row.keys, row.success) for row in rows(content, name)] == [
        ({"task_id": "a", "trial": "1"}, True),
        ({"task_id": "b", "trial": "2"}, False),
        ({"task_id": "c"}, None),
    ]


def test_headers_may_be_called_otherwise() -> None:
    (row,) = rows("member,resolved,x\na/b.json,1,9\n", "r.csv",
                  columns={"source": "member", "success": "resolved"})  # fmt: skip

    assert (row.keys, row.success, row.rule) == ({"source": "a/b.json"}, True, "column resolved")


@pytest.mark.parametrize("key", ["native_id", "source"])
def test_the_most_specific_key_is_used_alone(key: str) -> None:
    (row,) = rows(f"{key},task_id,model,success\nx,t,m,1\n", "r.csv")

    assert row.keys == {key: "x"}


@pytest.mark.parametrize(
    ("written", "score"), [("0.5", 0.5), ("", None), ("nan", None), ("inf", None), ("1e999", None)]
)
def test_a_score_is_a_finite_number_or_missing(written: str, score: float | None) -> None:
    (row,) = rows(f"task_id,score\nt,{written}\n", "r.csv")

    assert (row.score, row.success) == (score, None)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.json", "", "r.json: "),
        ("r.json", "{", "r.json: "),
        ("r.json", "[" * 10_000, "r.json: "),
        ("r.json", b"\xff\xfe\x00", "r.json: "),
        ("r.json", "{} {}", "r.json: "),
        ("r.json", "{}", "not a report that can be read; allowed: a SWE-bench summary"),
        ("r.json", "3", "not a report"),
        ("r.json", '{"total": 3}', "not a report"),
        ("r.json", '{"resolved_ids": "a"}', "not a report"),
        ("r.json", "[]", "the table holds no row"),
        ("r.json", "[1]", "row 1 is not an object with named columns"),
        ("r.jsonl", '{"task_id": "a", "success": 1}\n{', "r.jsonl:2: "),
        ("r.csv", "", "the table holds no row"),
        ("r.csv", "task_id,success\n", "the table holds no row"),
        ("r.csv", "task_id\nt\n", "no column 'success' or 'score'; it has task_id"),
        ("r.csv", "id,success\nt,1\n", "no key column; allowed: native_id, .*task_id=COLUMN"),
        ("r.csv", "task_id,success\n,1\n", "row 1: every key is empty .task_id."),
        ("r.csv", "task_id,success\nt,maybe\n", "row 1: success must be true, false or empty"),
        ("r.csv", "task_id,score\nt,high\n", "row 1: score must be a number, got 'high'"),
        ("r.csv", 'task_id,success\n"t,1\n', "r.csv: unexpected end of data"),
        ("r.csv", b"task_id,success\n\xff,1\n", "not UTF-8 text: byte 16"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence(
    name: str, content: str | bytes, said: str
) -> None:
    with pytest.raises(OutcomeError, match=said):
        rows(content, name)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"source": "file"}, r"has no column 'file'; it has task_id, success"),
        ({"sucess": "success"}, r"'sucess' is not one of native_id, .*success, score"),
    ],
)
def test_columns_that_are_not_there_are_named(columns: dict[str, str], said: str) -> None:
    with pytest.raises(OutcomeError, match=said):
        rows("task_id,success\nt,1\n", "r.csv", columns=columns)


def test_a_row_with_too_many_values_is_read_without_them() -> None:
    (row,) = rows("task_id,success\nt,1,2,3\n", "r.csv")

    assert (row.keys, row.success) == ({"task_id": "t"}, True)
