import csv
import io
import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from command_line import Ethogram, broken

from ethogram.cli.variance import _TABLES_OF
from ethogram.cohort import Cohort
from ethogram.measures.variance import TABLES
from ethogram.registry import package_version
from ethogram.results.schema import result_schema


def test_a_bare_path_is_read_and_reported(
    ethogram: Ethogram, reading: list[str], tmp_path: Path
) -> None:
    code, out, err = ethogram(*reading, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")

    assert (code, out) == (0, f"The report lies in {tmp_path}/r.html\n")
    assert "12 runs: 2 systems, 2 tasks, 3 runs a task." in err
    assert "Next:" not in err
    assert page.lower().startswith("<!doctype html>")


def test_a_saved_cohort_is_reported_without_being_summed_up(
    ethogram: Ethogram, cohort: Path, tmp_path: Path
) -> None:
    assert ethogram("report", cohort, "-o", tmp_path / "new" / "r.html") == (
        0,
        f"The report lies in {tmp_path}/new/r.html\n",
        "",
    )


def test_where_the_report_lies_can_be_had_as_json(
    ethogram: Ethogram, cohort: Path, tmp_path: Path
) -> None:
    code, out, _ = ethogram("report", cohort, "-o", tmp_path / "r.html", "--json")

    assert (code, json.loads(out)) == (0, {"report": f"{tmp_path}/r.html"})
    assert (tmp_path / "r.html").is_file()


def test_a_forced_format_that_no_file_is_of_is_named(
    ethogram: Ethogram, reading: list[str]
) -> None:
    code, _, err = ethogram("variance", reading[0], "--format", "tau2-bench")

    assert code == 2
    assert "no file is of the format 'tau2-bench' that --format asks for" in err


def test_what_went_wrong_while_reading_is_said_beside_the_answer(
    ethogram: Ethogram, tmp_path: Path
) -> None:
    code, out, err = ethogram("variance", broken(tmp_path / "in"), "--json")

    assert code == 0
    assert json.loads(out)["kind"] == "variance"
    assert "problem: " in err
    assert "truncated" in err
    assert "2 files ignored" in err


def test_no_run_to_measure_is_wrong_input(ethogram: Ethogram, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", "utf-8")
    for command in ("variance", "report"):
        code, out, err = ethogram(command, tmp_path)

        assert (code, out) == (2, "")
        assert "No run was read." in err
        assert err.endswith(f"{tmp_path}: no run to measure\n")


def test_variance_answers_as_text_json_and_csv(ethogram: Ethogram, cohort: Path) -> None:
    code, text, err = ethogram("variance", cohort)
    _, as_json, _ = ethogram("variance", cohort, "--json")
    _, as_csv, _ = ethogram("variance", cohort, "--csv")

    assert (code, err) == (0, "")
    assert "a" in text
    assert json.loads(as_json, parse_constant=pytest.fail)["schema"] == "ethogram.result/1"
    assert {row["system"] for row in csv.DictReader(io.StringIO(as_csv))} >= {"a", "b"}


def test_one_table_as_json_has_its_rows_where_the_whole_result_has_them(
    ethogram: Ethogram, cohort: Path
) -> None:
    _, everything, _ = ethogram("variance", cohort, "--json")
    code, out, err = ethogram("variance", cohort, "--json", "--table", "tasks")
    whole, one = json.loads(everything), json.loads(out)

    assert (code, err) == (0, "")
    assert one == {
        **whole,
        "summary": [],
        "notes": [],
        "tables": {"tasks": whole["tables"]["tasks"]},
    }
    assert len(one["tables"]["tasks"]["rows"]) == 4
    jsonschema.validate(one, result_schema())


@pytest.mark.parametrize("command", ["variance", "consistency", "similarity", "read", "show"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--table", "nonsense"], "is called 'nonsense'; known: "),
        (["--json", "--table", "pool_2"], "is called 'pool_2'; known: "),
        (["--json", "--csv"], "--json and --csv exclude each other"),
    ],
)
def test_what_no_result_can_be_printed_as_is_refused_before_anything_is_read(
    ethogram: Ethogram, command: str, options: list[str], said: str
) -> None:
    code, out, err = ethogram(command, "nowhere", *options)

    assert (code, out) == (2, "")
    assert said in err
    assert "nowhere" not in err


def test_what_a_name_in_a_cohort_has_no_table_of_is_refused_before_anything_is_read(
    ethogram: Ethogram,
) -> None:
    code, out, err = ethogram("show", "nowhere", "t-1", "--table", "systems")

    assert (code, out) == (2, "")
    assert "no table of show is called 'systems'; known: actions, groups, runs, steps" in err


def test_every_table_of_show_is_known(ethogram: Ethogram, cohort: Path) -> None:
    _, task, _ = ethogram("show", cohort, "t-1", "--json")
    runs = json.loads(task)["tables"]["runs"]["rows"]
    _, run, _ = ethogram("show", cohort, runs[0]["run_id"], "--json")

    for name, shown in (("t-1", task), (runs[0]["run_id"], run)):
        for table in json.loads(shown)["tables"]:
            assert ethogram("show", cohort, name, "--json", "--table", table)[0] == 0


def test_a_table_that_only_other_runs_give_is_refused_with_those_that_there_are(
    ethogram: Ethogram, cohort: Path
) -> None:
    code, out, err = ethogram("show", cohort, "--json", "--table", "problems")

    assert (code, out) == (2, "")
    assert err == (
        "ethogram: --table problems: read gives none for these runs and options; it gives: "
        "systems, usable\n"
    )


def test_tables_that_an_option_makes_are_known_and_not_made_without_it(
    ethogram: Ethogram, cohort: Path
) -> None:
    _, out, _ = ethogram("variance", cohort, "--json")
    asked = {table for tables in _TABLES_OF.values() for table in tables}

    assert asked <= set(TABLES)
    assert asked.isdisjoint(json.loads(out)["tables"])


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ("variance --table levels", "--by"),
        ("variance --table goals", "--interpret"),
        ("consistency --table over_runs", "--bootstrap runs"),
        ("consistency --table orderings", "--sensitivity"),
        ("consistency --table seeds", "--seeds (2 or more)"),
        ("similarity --table pool", "--reference"),
        ("similarity --reference a --table reference_differences", "--reference (two or more)"),
        ("similarity --table style", "--rps"),
        ("similarity --rps --table rps", "--rps and --judge-model"),
        ("similarity --table temperatures", "--judge-temperatures"),
    ],
)
def test_a_table_that_an_option_makes_names_the_option_before_anything_is_read(
    ethogram: Ethogram, asked: str, option: str
) -> None:
    command, *options = asked.split()
    code, out, err = ethogram(command, "nowhere", *options)

    assert (code, out) == (2, "")
    assert err == f"ethogram: --table {options[-1]}: is made only with {option}\n"


def test_a_filter_holds_everywhere(ethogram: Ethogram, cohort: Path, tmp_path: Path) -> None:
    where = ("--where", 'system == "a"')
    _, variance, _ = ethogram("variance", cohort, "--json", *where)
    _, shown, _ = ethogram("show", cohort, *where, "--where", "success")
    code, _, _ = ethogram("report", cohort, *where, "-o", tmp_path / "r.html")

    assert '"b"' not in variance
    assert shown.startswith("• 4 runs: 1 system")
    assert code == 0


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("sucess", "no column is called 'sucess'"),
        ("system =", "can't read 'system ='"),
        ("system = x", "as in 'system == \"x\" and success'"),
        ("__import__('os').system('true')", "is not allowed"),
        ("system == 3", "where: "),
        ('system == "nobody"', "none of the 12 runs satisfies it"),
    ],
)
@pytest.mark.parametrize("command", ["show", "variance", "report"])
def test_a_filter_that_cannot_be_taken_is_said(
    ethogram: Ethogram, cohort: Path, command: str, where: str, said: str
) -> None:
    code, out, err = ethogram(command, cohort, "--where", where)

    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_show_says_what_is_in_a_cohort_and_in_raw_files(
    ethogram: Ethogram, cohort: Path, tmp_path: Path
) -> None:
    _, saved, _ = ethogram("show", cohort)
    code, raw, err = ethogram("show", broken(tmp_path / "in"))

    assert saved.startswith("• 12 runs: 2 systems, 2 tasks, 3 runs a task.")
    assert (code, err) == (0, "")
    assert "2 files ignored" in raw


def test_show_lists_the_steps_of_a_run(ethogram: Ethogram, cohort: Path) -> None:
    run_id = Cohort.open(cohort).runs.filter(pl.col("n_actions") == 4)["run_id"][0]
    code, out, err = ethogram("show", cohort, run_id)
    _, as_csv, _ = ethogram("show", cohort, run_id, "--csv")
    _, by_beginning, _ = ethogram("show", cohort, run_id[:11])
    rows = [row for row in csv.DictReader(io.StringIO(as_csv)) if row["event"] == "action"]

    assert (code, err) == (0, "")
    assert "sed -i s/a/b/ f.py" in out
    assert [row["head"] for row in rows] == ["ls", "sed", "pytest", "git"]
    assert by_beginning == out


def test_show_draws_the_runs_of_a_task(ethogram: Ethogram, cohort: Path) -> None:
    code, out, err = ethogram("show", cohort, "t-1")
    _, as_json, _ = ethogram("show", cohort, "t-1", "--json")

    assert (code, err) == (0, "")
    assert "t-1" in out
    assert json.loads(as_json)["kind"] == "traces"


@pytest.mark.parametrize(
    ("name", "said"), [("zzz", "no run or task is called 'zzz'"), ("", "could be any of 12")]
)
def test_show_says_what_it_cannot_find(
    ethogram: Ethogram, cohort: Path, name: str, said: str
) -> None:
    code, out, err = ethogram("show", cohort, name)

    assert (code, out) == (2, "")
    assert said in err


def test_several_cohorts_are_put_together_and_not_mixed_with_files(
    ethogram: Ethogram, cohort: Path, folder: Path, tmp_path: Path
) -> None:
    ethogram("read", folder / "a", "-o", tmp_path / "d", "--system", "c")
    code, _, err = ethogram("variance", cohort, folder)

    assert ethogram("variance", cohort, tmp_path / "d")[0] == 0
    assert code == 2
    assert "cohorts and trajectories can't be mixed; read the trajectories into a cohort" in err
    assert err.endswith(f"Cohorts here: {cohort}\n")


def test_relabel_says_what_changed(ethogram: Ethogram, cohort: Path, tmp_path: Path) -> None:
    (tmp_path / "kinds.toml").write_text('[commands]\ncat = "verify"\n', "utf-8")
    _, before, _ = ethogram("relabel", cohort)
    code, out, err = ethogram("relabel", cohort, "--kinds", tmp_path / "kinds.toml", "--json")
    changed = json.loads(out)["tables"]["changes"]["rows"]

    assert "0 of 36 actions have another kind than before." in before
    assert (code, err) == (0, "")
    assert changed == [{"before": "understand", "after": "verify", "actions": 8}]
    assert ethogram("show", cohort)[0] == 0
    assert "ethogram relabel" in ethogram("read", tmp_path / "kinds.toml", "-o", cohort)[2]


def test_relabel_takes_cohorts_only(ethogram: Ethogram, folder: Path) -> None:
    code, _, err = ethogram("relabel", folder)

    assert code == 2
    assert "not a cohort" in err
    assert "`ethogram read PATH -o COHORT` makes one" in err


def test_formats_are_listed(ethogram: Ethogram) -> None:
    _, text, _ = ethogram("formats")
    _, as_json, _ = ethogram("formats", "--json")
    _, as_csv, _ = ethogram("formats", "--csv")

    assert "mini-swe-agent" in text
    assert json.loads(as_json)["tables"]["formats"]["rows"][0]["name"] == "mini-swe-agent"
    assert as_csv.startswith("name,about,left_out,docs_url\nmini-swe-agent,")


def test_help_and_version(ethogram: Ethogram) -> None:
    assert ethogram("--version") == (0, f"{package_version()}\n", "")
    code, out, _ = ethogram("--help")

    assert code == 0
    for command in ("read", "show", "report", "variance", "relabel", "formats", "demo"):
        assert f"\n  {command}" in out
        assert ethogram(command, "-h")[0] == 0


@pytest.mark.parametrize("arguments", [["variance"], ["--bogus"], ["show", "a", "b", "c"]])
def test_wrong_usage_has_code_2(ethogram: Ethogram, arguments: list[str]) -> None:
    code, out, err = ethogram(*arguments)

    assert (code, out) == (2, "")
    assert "Usage: ethogram" in err


def test_a_word_that_is_neither_command_nor_file_is_said(ethogram: Ethogram) -> None:
    code, out, err = ethogram("varience", "x")

    assert (code, out) == (2, "")
    assert "varience: neither a command nor a file; did you mean the command 'variance'?" in err


def test_escape_sequences_in_a_message_are_shown_not_obeyed(ethogram: Ethogram) -> None:
    _, _, err = ethogram("read", "no/\x1b[2Jsuch")

    assert "\x1b" not in err
    assert "␛[2Jsuch" in err


def test_a_broken_cohort_is_said(ethogram: Ethogram, cohort: Path) -> None:
    (cohort / "cohort.json").write_text("{", "utf-8")
    code, out, err = ethogram("variance", cohort)

    assert (code, out) == (2, "")
    assert "cohort.json" in err
    assert "Traceback" not in err
