"""What `--json` prints fits the schema that is published."""

import json
from typing import Any

import jsonschema
import polars as pl
import pytest

from ethogram.results import (
    Column,
    Estimate,
    Provenance,
    Result,
    Table,
    Test,
)
from ethogram.results import table as tables
from ethogram.results.schema import result_schema


@pytest.fixture
def form() -> dict[str, Any]:
    known = Estimate(name="cv", unit="percent", value=15.2, low=12, high=18, n_tasks=10, n_runs=50)
    missing = Estimate(name="cost", unit="usd", value=None, n_tasks=0, n_runs=0, reason="no costs")
    test = Test(name="cv", method="paired t", first="a", second="b", p_value=0.02, n_tasks=10)
    plain = Table(
        "counts",
        "Counts",
        pl.DataFrame({"task": ["x", None], "counts": [[1, 2], [3]]}),
        (Column("task", "Task"), Column("counts", "Actions of each run", "actions")),
    )
    all_tables = (
        tables.estimates_table(
            "systems", "Systems", [({"system": "a"}, known), ({"system": "a"}, missing)]
        ),
        tables.tests_table("tests", "Tests", [test]),
        plain,
    )
    result = Result(
        "variance",
        {table.name: table for table in all_tables},
        ("a note",),
        Provenance(measure="variance", measure_version=1, cohort_digest="0" * 16, seed=0),
        ("an answer",),
    )
    return json.loads(json.dumps(result.to_dict()))  # type: ignore[no-any-return]


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(result_schema())


def test_a_result_fits(form: dict[str, Any]) -> None:
    jsonschema.validate(form, result_schema())


def test_schema_is_json_and_the_same_each_time() -> None:
    assert json.loads(json.dumps(result_schema())) == result_schema()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda f: f.pop("notes"), id="a part is missing"),
        pytest.param(lambda f: f.update(schema="ethogram.result/999"), id="another version"),
        pytest.param(lambda f: f.update(colour="red"), id="an unknown part"),
        pytest.param(
            lambda f: f["tables"]["systems"]["rows"][0].update(value="much"), id="a wrong estimate"
        ),
        pytest.param(
            lambda f: f["tables"]["tests"]["rows"][0].update(p_value="small"), id="a wrong test"
        ),
        pytest.param(lambda f: f["provenance"].pop("cohort_digest"), id="no digest"),
    ],
)
def test_what_is_not_a_result_does_not_fit(form: dict[str, Any], damage: Any) -> None:
    damage(form)

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(form, result_schema())
