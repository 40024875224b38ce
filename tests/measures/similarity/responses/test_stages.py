"""Taxonomies of stages: those that ship, and the user's own."""

from pathlib import Path

import pytest

from ethogram.errors import InputError, UnknownNameError
from ethogram.ingest import from_trajectories
from ethogram.measures.similarity.responses.stages import (
    default_taxonomy,
    load_taxonomy,
    taxonomy_names,
)
from ethogram.simulate.build import reply, run


def test_two_taxonomies_ship_in_the_order_of_work() -> None:
    assert taxonomy_names() == ["coding", "customer_service"]
    assert list(load_taxonomy("customer_service").stages) == [
        "authentication",
        "elicitation",
        "execution",
        "verification",
        "notification",
    ]
    assert list(load_taxonomy("coding").stages) == [
        "locate",
        "reproduce",
        "patch",
        "validate",
        "report",
    ]


def test_the_user_s_own_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('about = "x"\n[stages]\nb = "First\\n  thing."\na = "Second."\n')
    made = load_taxonomy(path)

    assert (made.name, made.about) == ("mine", "x")
    assert list(made.stages.items()) == [("b", "First thing."), ("a", "Second.")]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="'office'; known: coding, customer_service"):
        load_taxonomy("office")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("about = ", "no TOML"),
        ('about = "x"', "needs a table"),
        ("stages = {}", "needs a table"),
        ("[stages]\na = 3", "needs a name and a sentence on what belongs to it; got 'a' = 3"),
        ('[stages]\na = " "', "needs a name and a sentence"),
        ("about = 3", "about must be a text, got 3"),
        ('[stages]\na = "b"\n[more]\n', "got more"),
    ],
)
def test_what_is_no_taxonomy_is_refused_with_the_place(
    written: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(written)

    with pytest.raises(InputError, match=rf"mine\.toml: .*{message}"):
        load_taxonomy(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.toml: can't be read"):
        load_taxonomy(tmp_path / "gone.toml")


def test_agents_that_reply_serve_and_others_code() -> None:
    greeting = reply("Hi!", scripted=True)
    serving = from_trajectories([run([greeting, reply("Done.")])])
    coding = from_trajectories([run([greeting, "ls"])])

    assert default_taxonomy(serving).name == "customer_service"
    assert default_taxonomy(coding).name == "coding"
