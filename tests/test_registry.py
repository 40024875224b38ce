import sys
from importlib.metadata import EntryPoint, EntryPoints, version
from pathlib import Path
from typing import Any

import pytest

from ethogram import registry
from ethogram.errors import MissingDependencyError, UnknownNameError
from ethogram.registry import Registry, package_version, require, resolve


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> Registry[Any]:
    """Two built-in names and two of a third party, one of which is taken."""
    points = EntryPoints(
        [
            EntryPoint("zip", "zipfile:ZipFile", "ethogram.things"),
            EntryPoint("path", "os:PathLike", "ethogram.things"),
        ]
    )
    monkeypatch.setattr(registry, "entry_points", lambda group: points.select(group=group))
    builtin = {"path": "pathlib:Path", "broken": "no_such_module:x"}
    return Registry("thing", builtin, group="ethogram.things")


def test_names_are_the_built_in_ones_and_those_of_third_parties(things: Registry[Any]) -> None:
    assert things.names() == ["path", "broken", "zip"]
    assert "zip" in things
    assert "no" not in things


def test_a_thing_is_imported_when_it_is_asked_for(things: Registry[Any]) -> None:
    import zipfile

    assert things.get("zip") is zipfile.ZipFile
    with pytest.raises(ModuleNotFoundError):
        things.get("broken")


def test_a_third_party_cannot_take_a_built_in_name(things: Registry[Any]) -> None:
    assert things.get("path") is Path


def test_an_unknown_name_is_answered_with_the_known_ones(things: Registry[Any]) -> None:
    with pytest.raises(UnknownNameError, match="no thing is called 'no'; known: broken, path, zip"):
        things.get("no")


def test_a_registry_gives_its_things_in_order() -> None:
    things: Registry[Any] = Registry(
        "thing", {"b": "pathlib:Path", "a": "pathlib:PurePath"}, group="ethogram.none"
    )

    assert [thing.__name__ for thing in things] == ["Path", "PurePath"]


def test_the_installed_packages_are_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def found(group: str) -> EntryPoints:
        asked.append(group)
        return EntryPoints()

    monkeypatch.setattr(registry, "entry_points", found)
    builtin = {"b": "pathlib:Path", "a": "pathlib:PurePath"}
    things: Registry[Any] = Registry("thing", builtin, group="ethogram.none")

    assert len(list(things)) == len(list(things)) == len(things.names()) == 2
    assert asked == ["ethogram.none"]


def test_listing_names_imports_nothing() -> None:
    sys.modules.pop("this", None)
    things: Registry[Any] = Registry("thing", {"a": "this:s"}, group="ethogram.none")

    assert things.names() == ["a"]
    assert "this" not in sys.modules


def test_a_dotted_path_is_resolved() -> None:
    assert resolve("pathlib:Path") is Path


def test_a_missing_package_says_how_to_get_it() -> None:
    assert require("pathlib", extra="x").Path is Path
    with pytest.raises(
        MissingDependencyError, match=r"'no_such', .*pip install 'ethogram\[umap\]'"
    ):
        require("no_such.part", extra="umap")


def test_the_version_is_the_installed_one() -> None:
    assert package_version() == version("ethogram")
