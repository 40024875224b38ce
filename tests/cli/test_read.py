import csv
import io
import json
from pathlib import Path

import pytest
from command_line import Ethogram, broken


def test_a_read_says_what_it_read_on_stdout_and_nothing_on_stderr(
    ethogram: Ethogram, reading: list[str], tmp_path: Path
) -> None:
    code, out, err = ethogram("read", *reading, "-o", tmp_path / "c o")

    assert (code, err) == (0, "")
    assert "12 runs: 2 systems, 2 tasks, 3 runs a task." in out
    assert "Outcome known for 12 of 12 runs." in out
    assert f"Next: ethogram variance '{tmp_path}/c o'" in " ".join(out.split())
    assert "Outcomes from elsewhere were joined to 12 runs." in out
    assert (tmp_path / "c o" / "cohort.json").is_file()


def test_a_second_read_keeps_what_was_read(
    ethogram: Ethogram, reading: list[str], cohort: Path
) -> None:
    code, out, _ = ethogram("read", *reading, "-o", cohort)

    assert code == 0
    assert "12 runs: 2 systems" in out


def test_the_answer_as_json_and_as_csv(ethogram: Ethogram, reading: list[str]) -> None:
    _, as_json, _ = ethogram("read", *reading, "--json")
    _, as_csv, _ = ethogram("read", *reading, "--csv")
    _, usable, _ = ethogram("read", *reading, "--csv", "--table", "usable")
    result = json.loads(as_json)
    rows = list(csv.DictReader(io.StringIO(as_csv)))

    assert result["kind"] == "read"
    assert [row["system"] for row in result["tables"]["systems"]["rows"]] == ["a", "b"]
    assert [(row["system"], row["runs"], row["successes"]) for row in rows] == [
        ("a", "6", "4"),
        ("b", "6", "2"),
    ]
    assert next(csv.reader(io.StringIO(usable)))[0] == "measure"


def test_problems_and_ignored_files_are_told_apart(ethogram: Ethogram, tmp_path: Path) -> None:
    code, out, err = ethogram("read", broken(tmp_path / "in"))

    assert (code, err) == (0, "")
    assert "1 run: 1 system, 1 task" in out
    assert "1 problem: see the table." in out
    assert "truncated" in out
    assert "2 files ignored, no format claims them: note *.txt (2)." in out


def test_strict_fails_on_a_problem_and_only_on_one(
    ethogram: Ethogram, reading: list[str], tmp_path: Path
) -> None:
    assert ethogram("read", broken(tmp_path / "in"), "--strict")[0] == 2
    (tmp_path / "in" / "cut.traj.json").unlink()
    assert ethogram("read", tmp_path / "in", "--strict")[0] == 0


def test_nothing_read_is_wrong_input(ethogram: Ethogram, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("x", "utf-8")
    code, out, _ = ethogram("read", tmp_path / "in")

    assert code == 2
    assert "No run was read." in out
    assert "1 file ignored, no format claims it: a.txt (1)." in out


def test_what_to_type_next_names_options_without_which_the_files_would_be_read_otherwise(
    ethogram: Ethogram, reading: list[str]
) -> None:
    for command in ("read", "show"):
        _, bare, _ = ethogram(command, reading[0])
        _, with_options, _ = ethogram(command, *reading)

        assert f"Next: ethogram variance '{reading[0]}'" in " ".join(bare.split())
        assert (
            "Next: read with the same options and -o COHORT, then ethogram variance COHORT"
            in " ".join(with_options.split())
        )


def test_a_mapping_that_fits_no_file_is_named_and_no_other_is_asked_for(
    ethogram: Ethogram, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "night.jsonl").write_text('{"log": [{"call": "look"}]}', "utf-8")
    mapping = tmp_path / "shop.toml"
    mapping.write_text('[steps]\nlist = "lgo"\ntool = "call"\n', "utf-8")
    _, out, _ = ethogram("read", tmp_path / "logs", "--mapping", mapping)
    _, _, err = ethogram("variance", tmp_path / "logs", "--mapping", mapping)

    for said in (" ".join(out.split()), err):
        assert f"no file is as the mapping {mapping} says. Next: " in said
        assert "--mapping FILE" not in said


def test_without_text_nothing_else_is_lost(
    ethogram: Ethogram, reading: list[str], tmp_path: Path
) -> None:
    code, _, _ = ethogram("read", *reading, "-o", tmp_path / "c", "--no-text")

    assert code == 0
    assert not list((tmp_path / "c").glob("texts/*.parquet"))
    assert ethogram("variance", tmp_path / "c")[0] == 0


def test_fresh_replaces(ethogram: Ethogram, cohort: Path, folder: Path) -> None:
    code, out, _ = ethogram("read", folder / "a", "-o", cohort, "--fresh")

    assert code == 0
    assert out.startswith("• 6 runs: 1 system")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere"], "nowhere: no such file or folder"),
        (["--format", "no"], "no format is called 'no'; known: "),
        (["--layout", "x"], "names no {field}"),
        (["--layout", "{"], "without its partner"),
        (["--mapping", "no.toml"], "no.toml"),
        (["--aliases", "no.toml"], "aliases: no.toml: No such file"),
        (["--outcomes", "no.json"], "outcomes: no file fits 'no.json'"),
        (["--outcome-columns", "x"], "--outcome-columns: needs name=header,..., as in "),
        (["--kinds", "no.toml"], "ethogram: no.toml: No such file or directory\n"),
        (["--effects", "no.toml"], "ethogram: no.toml: No such file or directory\n"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
        (["--table", "no"], "no table of read is called 'no'; known: "),
        (["--workers", "0"], "Invalid value for '--workers'"),
        (["--bogus"], "No such option: --bogus"),
    ],
)
def test_wrong_usage_is_one_sentence_on_stderr(
    ethogram: Ethogram, folder: Path, options: list[str], said: str
) -> None:
    code, out, err = ethogram("read", folder, *options)

    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_folder_of_something_else_is_not_written_to(
    ethogram: Ethogram, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.tex").touch()
    code, _, err = ethogram("read", folder, "-o", tmp_path)

    assert code == 2
    assert "not a cohort and not empty ('thesis.tex' lies in it)" in err


def test_a_place_that_cannot_be_written_to_is_said(ethogram: Ethogram, folder: Path) -> None:
    code, out, err = ethogram("read", folder, "-o", "/proc/nothing/here")

    assert (code, out) == (2, "")
    assert err.startswith("ethogram: /proc/nothing")
    assert "Traceback" not in err


def test_a_cohort_is_not_read_again(ethogram: Ethogram, cohort: Path) -> None:
    code, _, err = ethogram("read", cohort)

    assert code == 2
    assert "is a cohort already" in err
