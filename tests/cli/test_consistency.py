import json
from pathlib import Path

import pytest
from command_line import Ethogram

from ethogram.cli.consistency import _TABLES_OF
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.consistency import TABLES
from ethogram.simulate import simulate


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("consistency") / "c"
    from_trajectories(simulate(n_tasks=12, n_runs=3), labeler=default_labeler()).save(folder)
    return folder


def test_consistency_answers_as_text_and_json(ethogram: Ethogram, simulated: Path) -> None:
    code, text, err = ethogram("consistency", simulated, "--controls", "none")
    _, as_json, _ = ethogram("consistency", simulated, "--controls", "none", "--json")

    assert (code, err) == (0, "")
    assert "Consistency of each system" in text
    assert "with success offset" in " ".join(text.split())
    assert json.loads(as_json)["kind"] == "consistency"


def test_tables_that_an_option_makes_are_known_and_not_made_without_it(
    ethogram: Ethogram, simulated: Path
) -> None:
    _, out, _ = ethogram("consistency", simulated, "--controls", "none", "--json")
    asked = {table for tables in _TABLES_OF.values() for table in tables}

    assert asked <= set(TABLES)
    assert asked.isdisjoint(json.loads(out)["tables"])


def test_features_and_groups_are_chosen(
    ethogram: Ethogram, simulated: Path, tmp_path: Path
) -> None:
    groups = tmp_path / "g.toml"
    groups.write_text('[groups]\none = ["hasty"]\ntwo = ["erratic", "methodical"]\n', "utf-8")
    code, out, _ = ethogram(
        *("consistency", simulated, "--controls", "none", "--groups", groups, "--json"),
        *("--features", "total_steps,action_entropy"),
    )
    found = json.loads(out)

    assert code == 0
    assert found["provenance"]["parameters"]["features"] == ["total_steps", "action_entropy"]
    assert {row["group"] for row in found["tables"]["groups"]["rows"]} == {
        "one",
        "two",
        "one minus two",
    }


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--features", "speed"], "no feature is called 'speed'"),
        (["--folds", "runs"], "no way to make folds is called 'runs'"),
        (["--groups", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_wrong_options_are_a_sentence(
    ethogram: Ethogram, simulated: Path, options: list[str], says: str
) -> None:
    code, out, err = ethogram("consistency", simulated, *options)

    assert (code, out) == (2, "")
    assert says in err


def test_runs_without_outcome_are_a_sentence(ethogram: Ethogram, simulated: Path) -> None:
    code, _, err = ethogram("consistency", simulated, "--where", "success")

    assert code == 2
    assert "known outcome succeeded" in err


def test_levels_of_a_field_are_measured_by_themselves(ethogram: Ethogram, simulated: Path) -> None:
    code, out, err = ethogram(
        *("consistency", simulated, "--controls", "none", "--by", "benchmark", "--json")
    )
    found = json.loads(out)

    assert (code, err) == (0, "")
    assert {row["at_level"] for row in found["tables"]["levels"]["rows"]} == {"simulated"}
    code, out, err = ethogram("consistency", simulated, "--by", "colour")
    assert (code, out) == (2, "")
    assert "no run has a value of 'colour'" in err
