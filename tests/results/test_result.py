"""A result travels as JSON and comes back the same."""

import json

import msgspec
import polars as pl
import pytest

from ethogram.errors import UnknownNameError
from ethogram.results import (
    Column,
    Estimate,
    Provenance,
    Result,
    Table,
    Test,
    estimates_table,
    tests_table,
)
from ethogram.results.table import by_name

PROVENANCE = Provenance(measure="toy", measure_version=1, cohort_digest="d")


def toy(*, rows: int = 2) -> Result:
    estimate = Estimate(name="x", unit="share", value=0.5, n_tasks=4, n_runs=8)
    missing = Estimate(name="y", unit="share", value=None, reason="no run", n_tasks=0, n_runs=0)
    plain = pl.DataFrame({"task": ["a", "b"][:rows], "n": [1, 2][:rows]})
    return Result(
        kind="toy",
        tables={
            "systems": estimates_table(
                "systems", "Systems", [({"system": "s"}, estimate), ({"system": "s"}, missing)]
            ),
            "tests": tests_table(
                "tests",
                "Tests",
                [Test(name="x", method="t", first="s", second="r", p_value=0.5, main=True)],
            ),
            "plain": Table("plain", "Plain", plain, (Column("task", "Task"), Column("n", "n"))),
        },
        notes=("A note.",),
        summary=("A sentence.",),
        provenance=PROVENANCE,
    )


@pytest.mark.parametrize("rows", [0, 2])
def test_json_gives_the_result_again(rows: int) -> None:
    result = toy(rows=rows)

    again = Result.from_dict(json.loads(json.dumps(result.to_dict())))

    assert again.to_dict() == result.to_dict()
    assert again.estimate("x", system="s") == result.estimate("x", system="s")
    assert again.tests() == result.tests()


def test_a_missing_value_has_a_reason_and_a_value_has_none() -> None:
    assert toy().estimate("y", system="s").reason == "no run"
    with pytest.raises(ValueError, match="exactly one of the two"):
        Estimate(name="x", unit="", value=None, n_tasks=1, n_runs=1)
    with pytest.raises(ValueError, match="exactly one of the two"):
        Estimate(name="x", unit="", value=1.0, reason="r", n_tasks=1, n_runs=1)
    with pytest.raises(ValueError, match="exactly one of the two"):
        Test(name="x", method="t", first="a", second="b")


def test_half_an_interval_is_none() -> None:
    with pytest.raises(ValueError, match="both ends"):
        Estimate(name="x", unit="", value=1.0, low=0.0, n_tasks=1, n_runs=1)


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="plain, systems, tests"):
        toy().table("nothing")
    with pytest.raises(UnknownNameError, match="x, y"):
        toy().estimate("z")


def test_estimates_cannot_be_changed() -> None:
    estimate = toy().estimate("x", system="s")

    with pytest.raises(AttributeError):
        estimate.value = 1.0  # type: ignore[misc]
    assert msgspec.structs.replace(estimate, value=1.0).value == 1.0


def test_pandas_sees_the_same_rows() -> None:
    assert toy().to_pandas("plain")["n"].tolist() == [1, 2]


def test_a_table_cannot_describe_columns_that_it_lacks() -> None:
    with pytest.raises(ValueError, match="it lacks: \\['b'\\]"):
        Table("t", "T", pl.DataFrame({"a": [1]}), (Column("b", "B"),))


def test_a_measure_makes_no_table_that_it_does_not_name() -> None:
    made = [Table(name, name, pl.DataFrame()) for name in ("systems", "tasks")]

    assert list(by_name(made, ("tasks", "systems", "levels"))) == ["systems", "tasks"]
    with pytest.raises(ValueError, match=r"doesn't say it can have: \['tasks'\]"):
        by_name(made, ("systems",))
