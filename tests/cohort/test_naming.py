from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.cohort.naming import rows_of, system_names, system_row, systems_frame
from ethogram.trajectory import System


def names(*systems: System) -> list[str]:
    rows = [system_row(system) for system in systems]
    found = system_names(rows)
    return [found[row.system_id] for row in rows]


def test_a_system_is_called_by_scaffold_and_model() -> None:
    assert names(System(scaffold="s", model="m"), System(model="n"), System(scaffold="o")) == [
        "s/m",
        "n",
        "o",
    ]


def test_a_system_of_which_nothing_is_known_is_unnamed() -> None:
    assert names(System()) == ["unnamed"]


def test_equal_systems_are_one() -> None:
    a = system_row(System(model="m", settings={"x": 1, "y": [2]}))
    b = system_row(System(model="m", settings={"y": [2], "x": 1}))

    assert a == b


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(
            {"temperature": 0.0},
            {"temperature": 1.0},
            ["m (temperature=0)", "m (temperature=1)"],
            id="field",
        ),
        pytest.param(
            {"settings": {"model": {"parallel": False}}},
            {"settings": {"model": {}}},
            ["m (parallel=false)", "m (parallel=null)"],
            id="nested-setting-by-its-last-part",
        ),
        pytest.param(
            {"settings": {"a": {"n": 1}, "b": {"n": 1}}},
            {"settings": {"a": {"n": 2}, "b": {"n": 2}}},
            ["m (a.n=1, b.n=1)", "m (a.n=2, b.n=2)"],
            id="equal-last-parts-in-full",
        ),
        pytest.param(
            {"settings": {"same": 1, "mode": "x"}},
            {"settings": {"same": 1, "mode": "y"}},
            ["m (mode=x)", "m (mode=y)"],
            id="only-what-differs",
        ),
    ],
)
def test_settings_that_differ_are_in_the_name(
    first: Mapping[str, Any], second: Mapping[str, Any], expected: list[str]
) -> None:
    assert names(System(model="m", **first), System(model="m", **second)) == expected


def test_settings_are_not_in_the_name_while_there_is_one_system_of_that_model() -> None:
    assert names(System(model="m", temperature=0.0), System(model="n")) == ["m", "n"]


def test_a_long_value_is_named_by_its_digest() -> None:
    first, second = names(
        System(model="m", mode="a" * 500), System(model="m", mode=f"{'a' * 499}b")
    )

    assert first != second
    assert all(name.startswith("m (mode=#") and len(name) < 20 for name in (first, second))


def test_a_difference_that_cannot_be_shown_is_told_by_the_id() -> None:
    first, second = names(System(model="m", settings={"a": {}}), System(model="m", settings={}))

    assert first != second
    assert first.startswith("m [")


def test_a_name_from_the_user_alone_decides_sameness() -> None:
    a = system_row(System(model="m", temperature=0.0), given_name="mine")
    b = system_row(System(model="n", temperature=1.0), given_name="mine")

    assert a.system_id == b.system_id
    assert a.values["settings_digest"] is None
    assert system_names([a]) == {a.system_id: "mine"}


def test_a_name_from_the_file_does_not_hide_settings_that_differ() -> None:
    assert names(System(name="x", temperature=0.0), System(name="x", temperature=1.0)) == [
        "x (temperature=0)",
        "x (temperature=1)",
    ]


def test_names_made_and_names_given_never_collide() -> None:
    given = system_row(System(), given_name="m (temperature=0)")
    made = [system_row(System(model="m", temperature=t)) for t in (0.0, 1.0)]
    found = system_names([given, *made])

    assert len(set(found.values())) == 3


VALUES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "null", "1"])
SYSTEMS = st.builds(
    System,
    name=st.sampled_from([None, "m", "m (mode=a)"]),
    model=st.sampled_from(["m", "n"]),
    mode=st.sampled_from([None, "a", "b"]),
    settings=st.dictionaries(st.sampled_from(["mode", "x", "y.z"]), VALUES, max_size=2),
)


@given(systems=st.lists(SYSTEMS, max_size=8), given_names=st.lists(st.sampled_from(["m", "q"])))
def test_different_systems_have_different_names(
    systems: list[System], given_names: list[str]
) -> None:
    rows = [system_row(system) for system in systems]
    rows += [system_row(System(), given_name=name) for name in given_names]
    found = system_names(rows)

    assert set(found) == {row.system_id for row in rows}
    assert len(set(found.values())) == len(found)


@given(systems=st.lists(SYSTEMS, max_size=5))
def test_rows_read_back_from_the_table_are_named_the_same(systems: list[System]) -> None:
    rows = [system_row(system) for system in systems]
    frame = systems_frame(rows)
    bases = {row.system_id: row.base for row in rows}

    assert systems_frame(rows_of(frame, bases)).equals(frame)
