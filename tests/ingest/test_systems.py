from pathlib import Path
from typing import Any

import pytest
from toy_formats import write

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.ingest import Reading, run_reading
from ethogram.ingest.systems import Aliases, load_aliases

pytestmark = pytest.mark.usefixtures("toys")


def read(folder: Path, aliases: str | None = None, **options: Any) -> Cohort:
    if aliases is not None:
        path = folder.parent / f"{folder.name}.toml"
        path.write_text(aliases, "utf-8")
        options["aliases"] = path
    return run_reading(Reading(paths=[folder], **options)).cohort


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "in" / "a.jsonl",
        {"name": None, "scaffold": "s", "model": "m-2024", "temperature": 0.0, "benchmark": "b v1"},
        {"name": None, "scaffold": "s", "model": "m-2024", "temperature": 1.0, "benchmark": None},
    )
    return tmp_path / "in"


def test_without_a_name_systems_go_by_scaffold_model_and_what_differs(folder: Path) -> None:
    assert read(folder).systems["system"].to_list() == [
        "s/m-2024 (temperature=0)",
        "s/m-2024 (temperature=1)",
    ]


def test_the_name_of_the_user_makes_one_system_of_all(folder: Path) -> None:
    cohort = read(folder, system="mine")

    assert cohort.systems.select("system", "settings_digest").rows() == [("mine", None)]


def test_model_and_benchmark_of_the_user_hold_for_every_run(folder: Path) -> None:
    cohort = read(folder, model="m", benchmark="bench")

    assert set(cohort.systems["model"]) == {"m"}
    assert set(cohort.runs["benchmark"]) == {"bench"}


def test_a_model_of_the_user_leaves_the_identity_of_a_run_alone(folder: Path) -> None:
    plain, named = read(folder), read(folder, model="m", system="x")

    assert plain.runs["run_id"].to_list() == named.runs["run_id"].to_list()


def test_aliases_rename_models_benchmarks_and_systems(folder: Path) -> None:
    cohort = read(
        folder,
        '[models]\n"m-2024" = "m"\n[benchmarks]\n"b v1" = "b"\n'
        '[systems]\n"s/m (temperature=0)" = "cold"\n',
    )

    assert cohort.systems["system"].to_list() == ["cold", "s/m"]
    assert set(cohort.systems["model"]) == {"m"}
    assert set(cohort.runs["benchmark"]) == {"b", None}


def test_an_alias_for_the_name_without_settings_makes_one_system(folder: Path) -> None:
    cohort = read(folder, '[systems]\n"s/m-2024" = "mine"\n')

    assert cohort.systems.select("system", "settings_digest").rows() == [("mine", None)]
    assert cohort.runs["system_id"].n_unique() == 1


def test_systems_given_one_name_become_one(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", *({"name": None, "model": m, "task": m} for m in "xy"))
    cohort = read(tmp_path / "in", '[systems]\nx = "both"\ny = "both"\n')

    assert cohort.systems["system"].to_list() == ["both"]
    assert cohort.runs.height == 2


def test_names_are_made_anew_when_a_read_brings_another_setting(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", {"name": None, "model": "m", "temperature": 0.0})
    before = read(tmp_path / "in", out=tmp_path / "c")
    write(tmp_path / "in" / "b.jsonl", {"name": None, "model": "m", "temperature": 1.0})
    after = read(tmp_path / "in", out=tmp_path / "c")

    assert before.systems["system"].to_list() == ["m"]
    assert after.systems["system"].to_list() == ["m (temperature=0)", "m (temperature=1)"]


def test_aliases_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: No such file"):
        load_aliases(tmp_path / "no.toml")
    for text in ("[system]\na = 'b'", "[systems]\na = 1", "systems = 3", "[", "\udcff"):
        (tmp_path / "a.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(UsageError, match=r"allowed: tables systems, models, benchmarks"):
            load_aliases(tmp_path / "a.toml")


def test_no_aliases_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.toml").touch()

    assert load_aliases(tmp_path / "a.toml") == Aliases()
