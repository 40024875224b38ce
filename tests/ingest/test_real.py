"""The trajectories that other people published, read as their owners would read them."""

from pathlib import Path

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.ingest import Reading, Report, run_reading

pytestmark = [pytest.mark.shared, pytest.mark.slow]

GEMINI = "20251118_mini-v1.15.0_gemini-3-pro-preview_verified500.tar.xz"
GEMINI_PART = "20251118_gemini-3-pro-74pct"
NO_REPORT = "matplotlib__matplotlib-25332"
"""Resolved by the publishers' summary, but its own report is not in the archive."""
DEEPSEEK = "mini-v2.2.7_deepseek_lite-test100_dev23x5.tar.xz"
SETS = {
    "deepseek_chat_test_1-100": (99, 61),
    "deepseek_chat_dev": (23, 8),
    "deepseek_chat_dev_rerun": (23, 8),
    "deepseek_lite_dev_noparallel": (23, 5),
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "mini-swe-agent"


@pytest.fixture(scope="module")
def by_table(folder: Path) -> Report:
    return run_reading(
        Reading(
            paths=[folder],
            outcomes=[str(folder / "index.csv")],
            outcome_columns={"source": "member", "success": "resolved"},
        )
    )


@pytest.fixture(scope="module")
def by_reports(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    tied = [
        f"{DEEPSEEK}::output/{name}/={folder / DEEPSEEK}::deepseek__deepseek-chat.{name}.json"
        for name in SETS
    ]
    template = f"{folder / GEMINI}::{GEMINI_PART}/logs/{{task_id}}/report.json"
    aliases = tmp_path_factory.mktemp("aliases") / "aliases.toml"
    aliases.write_text(
        '[models]\n"@google/gemini-3-pro-preview" = "google/gemini-3-pro-preview"\n', "utf-8"
    )
    return run_reading(
        Reading(
            paths=[folder / GEMINI, folder / DEEPSEEK],
            outcomes=[f"{GEMINI}::{GEMINI_PART}/={template}", *tied],
            aliases=aliases,
        )
    )


def resolved(cohort: Cohort, part: str) -> tuple[int, int]:
    """Runs and resolved ones below a folder of an archive."""
    runs = cohort.runs.filter(pl.col("source").str.contains(f"/{part}/", literal=True))
    return runs.height, int(runs["success"].sum() or 0)


def test_all_runs_are_read_and_nothing_is_wrong_with_them(by_table: Report) -> None:
    cohort = by_table.cohort

    assert cohort.runs.height == 706
    assert set(cohort.problems["severity"]) == {"note"}
    assert not any(name.endswith(".traj.json") for name in by_table.ignored)
    assert by_table.outcomes is not None
    assert by_table.outcomes.without_run == by_table.outcomes.without_row == ()


def test_successes_are_those_of_the_publishers(by_table: Report) -> None:
    cohort = by_table.cohort
    gemini = cohort.runs.filter(pl.col("source").str.contains(GEMINI, literal=True))

    assert (gemini.height, gemini["success"].sum()) == (500, 371)
    assert {name: resolved(cohort, name) for name in SETS} == SETS
    assert resolved(cohort, "deepseek_lite_dev") == (23, 0)
    assert cohort.runs["success"].null_count() == 38


def test_reports_within_the_archives_say_what_the_table_says_but_for_the_one_that_is_missing(
    by_table: Report, by_reports: Report
) -> None:
    both = by_table.cohort.runs.join(by_reports.cohort.runs, on="source", suffix="_report")
    differ = both.filter(pl.col("success").ne_missing(pl.col("success_report")))

    assert both.height == 706
    assert differ.select("task_id", "success", "success_report").rows() == [(NO_REPORT, True, None)]


def test_the_one_reported_instance_without_a_run_is_named(by_reports: Report) -> None:
    assert by_reports.outcomes is not None
    (name,) = by_reports.outcomes.without_run

    assert name.startswith("task_id ")
    assert len(by_reports.outcomes.without_row) == 39
    assert sum(NO_REPORT in name for name in by_reports.outcomes.without_row) == 1


def test_equal_settings_are_one_system_and_others_are_another(by_reports: Report) -> None:
    runs = by_reports.cohort.joined
    part = pl.col("source").str.extract(r"::output/(\w+_dev\w*)/")
    sets = (
        runs.with_columns(part=part)
        .drop_nulls("part")
        .group_by("part")
        .agg(pl.col("system").unique())
    )
    systems = {name: list(names) for name, names in sets.rows()}
    equal = {
        tuple(systems[f"deepseek_{name}"]) for name in ("chat_dev", "chat_dev_rerun", "lite_dev")
    }
    (system,) = equal.pop()

    assert not equal
    assert "parallel_tool_calls=true" in system
    assert "parallel_tool_calls=false" in systems["deepseek_lite_dev_noparallel"][0]
    repeats = runs.filter(pl.col("system") == system).group_by("task").len()["len"]
    assert repeats.filter(repeats > 1).to_list() == [3] * 23


def test_infrastructure_errors_are_notes_and_endings(by_table: Report) -> None:
    endings = by_table.cohort.runs.filter(pl.col("ending") == "infra_error")["ending_raw"]
    notes = by_table.cohort.problems.filter(pl.col("reason").str.contains("infrastructure"))

    assert endings.value_counts().sort("ending_raw").rows() == [
        ("InternalServerError", 6),
        ("Timeout", 4),
    ]
    assert notes.height == 10


def test_a_second_read_adds_nothing(folder: Path, tmp_path: Path) -> None:
    first = run_reading(Reading(paths=[folder / DEEPSEEK], out=tmp_path / "c"))
    second = run_reading(Reading(paths=[folder / DEEPSEEK], out=tmp_path / "c"))

    assert (first.n_new, second.n_new) == (206, 0)
    assert second.cohort.digest == first.cohort.digest
    assert second.cohort.problems.equals(first.cohort.problems)


def test_of_a_real_archive_cut_short_what_lies_before_the_break_is_read(
    folder: Path, tmp_path: Path
) -> None:
    whole = (folder / DEEPSEEK).read_bytes()
    cut = tmp_path / DEEPSEEK
    cut.write_bytes(whole[: len(whole) // 2])
    report = run_reading(Reading(paths=[cut]))

    assert 20 < report.cohort.runs.height < 206
    assert report.cohort.problems.filter(pl.col("severity") == "error")["source"].to_list() == [
        str(cut)
    ]


def test_every_sample_of_every_format_ends_in_a_sentence(shared: Path) -> None:
    folder = shared / "data" / "formats"
    report = run_reading(Reading(paths=[folder]))
    files = sum(path.is_file() for path in folder.rglob("*"))
    read = {source.partition("#")[0] for source in report.cohort.runs["source"]}
    said = set(report.cohort.problems["source"])

    assert not report.cohort.problems["reason"].str.contains("please report").any()
    assert not report.cohort.problems["reason"].str.contains("Traceback").any()
    assert len(read | said | set(report.ignored)) <= files
    assert report.cohort.runs.height >= 16


def test_whatever_is_in_the_shared_folder_is_read_without_a_failure_of_ours(shared: Path) -> None:
    report = run_reading(Reading(paths=[shared / "data"], texts=False))

    assert not report.cohort.problems["reason"].str.contains("please report").any()
