"""Ranges over levels beside gaps between systems."""

import polars as pl
import pytest

from ethogram.results.levels import range_over_levels


def _rows(*rows: tuple[str, str, str, float | None]) -> pl.DataFrame:
    schema = {"at_level": pl.String, "system": pl.String, "name": pl.String, "value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(label=pl.col("name"), unit=pl.lit("share"))


def test_the_range_of_each_system_stands_beside_the_smallest_gap_at_one_level() -> None:
    frame = _rows(
        ("hot", "a", "rate", 0.2),
        ("hot", "b", "rate", 0.5),
        ("cold", "a", "rate", 0.6),
        ("cold", "b", "rate", 0.7),
        ("cold", "b", "other", 0.1),
    )
    found = range_over_levels(frame, "heat", ["rate"]).frame

    assert found["system"].to_list() == ["a", "b"]
    assert found["range"].to_list() == pytest.approx([0.4, 0.2])
    assert found["smallest_gap"].to_list() == pytest.approx([0.1, 0.1])


def test_a_figure_known_at_one_level_has_no_range_and_one_system_no_gap() -> None:
    frame = _rows(
        ("hot", "a", "rate", 0.2),
        ("cold", "a", "rate", 0.6),
        ("hot", "b", "rate", None),
        ("cold", "b", "rate", 0.1),
    )
    found = range_over_levels(frame.filter(system="a"), "heat", ["rate"]).frame

    assert range_over_levels(frame, "heat", ["rate"]).frame["system"].to_list() == ["a"]
    assert found["smallest_gap"].to_list() == [None]
