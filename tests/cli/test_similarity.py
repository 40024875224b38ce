import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Ethogram

from ethogram.cli.similarity import _TABLES_OF
from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity import table_names
from ethogram.simulate import draw_system, simulate_tools

SYSTEMS = ("amber", "basalt", "cobalt", "dolomite")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of four simulated systems that call tools."""
    folder = tmp_path_factory.mktemp("similarity") / "shop"
    systems = [draw_system(name, seed=1) for name in SYSTEMS]
    made = simulate_tools(systems, n_tasks=8, seed=1)
    from_trajectories(made, labeler=default_labeler()).save(folder)
    return folder


def test_similarity_answers_as_text_csv_and_json(ethogram: Ethogram, shop: Path) -> None:
    code, text, err = ethogram("similarity", shop, "--no-ged")
    _, csv, _ = ethogram("similarity", shop, "--no-ged", "--csv")
    _, as_json, _ = ethogram("similarity", shop, "--no-ged", "--json")

    assert (code, err) == (0, "")
    assert "How alike systems are" in text
    assert "consistent with" in " ".join(text.split())
    assert csv.startswith("first,second,name,")
    assert json.loads(as_json)["kind"] == "similarity"


def test_tables_that_an_option_makes_are_known_and_not_made_without_it(
    ethogram: Ethogram, shop: Path
) -> None:
    _, out, _ = ethogram("similarity", shop, "--no-ged", "--json")
    asked = {table for tables in _TABLES_OF.values() for table in tables}

    assert asked <= set(table_names(2))
    assert asked.isdisjoint(json.loads(out)["tables"])


def test_references_families_and_a_controlled_comparison_are_asked_for(
    ethogram: Ethogram, shop: Path, tmp_path: Path
) -> None:
    families = tmp_path / "f.toml"
    families.write_text(
        '[families]\none = ["amber", "basalt"]\ntwo = ["cobalt", "dolomite"]\n', "utf-8"
    )
    code, out, _ = ethogram(
        *("similarity", shop, "--no-ged", "--json", "--families", families),
        *("--reference", "amber", "--reference", "cobalt"),
        *("--controlled", "amber,basalt,cobalt,dolomite"),
    )
    found = json.loads(out)

    assert code == 0
    assert {"families", "references", "controlled", "controlled_verdicts"} <= set(found["tables"])
    assert found["provenance"]["parameters"]["reference"] == ["amber", "cobalt"]


def test_tables_of_a_further_reference_are_known(ethogram: Ethogram, shop: Path) -> None:
    asked = ("similarity", shop, "--no-ged", "--csv", "--table", "correlations_2")
    code, out, err = ethogram(*asked, "--reference", "amber", "--reference", "cobalt")
    refused, _, said = ethogram(*asked, "--reference", "amber")

    assert (code, err) == (0, "")
    assert out.startswith("measure,other,")
    assert refused == 2
    assert "no table of similarity is called 'correlations_2'; known: " in said


def test_each_graph_is_written_and_listed(ethogram: Ethogram, shop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "graphs"
    code, _, err = ethogram("similarity", shop, "--no-ged", "--graphml", folder)
    names = {path.name for path in folder.glob("*.graphml")}
    listed = (folder / "index.csv").read_text(encoding="utf-8").splitlines()

    assert code == 0
    assert "32 graphs and index.csv" in err
    assert {line.rsplit(",", 1)[1] for line in listed[1:]} == names
    assert len(names) == 32


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--reference", "nobody"], "no system is called 'nobody'; known: amber"),
        (["--source", "best"], "no source of a value is called 'best'"),
        (["--controlled", "amber,basalt"], "controlled needs four systems"),
        (["--families", "nowhere.toml"], "nowhere.toml"),
        (["--where", 'system == "amber"'], "similarity compares systems"),
        (["--rps", "--ablation"], "--ablation: only with --rps and --judge-model"),
        (["--stages", "coding"], "--stages: only with --rps and --judge-model"),
        (["--labels", "people.csv"], "--labels: only with --rps and --judge-model"),
    ],
)
def test_wrong_options_are_a_sentence(
    ethogram: Ethogram, shop: Path, options: list[str], says: str
) -> None:
    code, out, err = ethogram("similarity", shop, *options)

    assert (code, out) == (2, "")
    assert says in err


def test_blanks_after_commas_are_no_part_of_a_name(ethogram: Ethogram, shop: Path) -> None:
    code, out, _ = ethogram(
        *("similarity", shop, "--no-ged", "--json"),
        *("--controlled", "amber, basalt , cobalt,dolomite"),
    )

    assert code == 0
    assert json.loads(out)["provenance"]["parameters"]["controlled"] == list(SYSTEMS)


def test_a_report_answers_what_is_asked_of_similarity(
    ethogram: Ethogram, shop: Path, tmp_path: Path
) -> None:
    families = tmp_path / "f.toml"
    families.write_text('[families]\none = ["amber", "basalt"]\ntwo = ["cobalt"]\n', "utf-8")
    page = tmp_path / "page.html"
    asked = ("--reference", "amber", "--families", families)
    code, _, err = ethogram(
        "report", shop, "-o", page, *asked, "--controlled", "amber, basalt, cobalt, dolomite"
    )
    text = page.read_text(encoding="utf-8")

    assert (code, err) == (0, "")
    assert "Similarity to amber" in text
    assert "Within families and across" in text
    assert "Toward the teacher or toward everyone?" in text


def test_a_report_names_a_system_that_is_not_there(
    ethogram: Ethogram, shop: Path, tmp_path: Path
) -> None:
    code, _, err = ethogram("report", shop, "-o", tmp_path / "p.html", "--reference", "nobody")

    assert code == 2
    assert "no system is called 'nobody'" in err


@pytest.mark.slow
def test_every_process_gives_the_same_figures(shop: Path) -> None:
    """Sets of text have another order in each process unless Python is told otherwise."""
    asked = ("similarity", str(shop), "--ged", "--rps", "--reference", "amber", "--json")
    answers = [
        subprocess.run(
            [sys.executable, "-m", "ethogram", *asked],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    ]

    assert answers[0] == answers[1] == answers[2]


def test_families_must_be_lists_of_names(ethogram: Ethogram, shop: Path, tmp_path: Path) -> None:
    families = tmp_path / "f.toml"
    families.write_text('[families]\none = "amber"\n', "utf-8")
    code, _, err = ethogram("similarity", shop, "--families", families)

    assert code == 2
    assert "needs a table [families] with lists" in err


def test_effects_of_ones_own_hold_for_a_saved_cohort_too(
    ethogram: Ethogram, shop: Path, tmp_path: Path
) -> None:
    """Where nothing writes, no run has anything that S_seq could compare but retries."""
    tools = Cohort.open(shop).steps.select("tool").drop_nulls().unique().collect()["tool"]
    effects = tmp_path / "effects.toml"
    effects.write_text("[tools]\n" + "".join(f'{tool} = "none"\n' for tool in tools), "utf-8")
    code, out, _ = ethogram("similarity", shop, "--no-ged", "--json", "--effects", effects)
    found = json.loads(out)
    verified = [
        row["value"]
        for row in found["tables"]["habits"]["rows"]
        if row["name"] == "post_write_verification"
    ]

    assert code == 0
    assert verified == [None] * len(SYSTEMS)
    assert not any("guessed from its name" in note for note in found["notes"])
