"""Figures printed by Yang et al. 2026 that follow from other figures printed there."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest

from ethogram.measures.similarity.field.controlled import Roles, controlled_figures
from ethogram.measures.similarity.field.correlations import correlations_table
from ethogram.measures.similarity.field.references import reference_differences_table
from ethogram.measures.similarity.task_scores import TaskScores

# Table 1, the 16 models that are not Anthropic's: GED, RSE, AGS, RPS (overall)
TABLE_1 = {
    "GPT-4.1": (75.2, 2.45, 79.5, 3.15),
    "GPT-5": (68.3, 2.26, 76.1, 2.70),
    "R1": (70.8, 2.44, 78.6, 3.05),
    "V3.1 (thinking)": (72.6, 2.56, 77.6, 3.19),
    "V3.1 (no-think)": (69.2, 2.29, 75.1, 3.40),
    "V3-0324": (59.1, 1.87, 71.5, 2.87),
    "Kimi-K2 (thinking)": (78.1, 2.81, 82.7, 3.65),
    "Kimi-K2": (74.8, 2.79, 77.9, 3.46),
    "Doubao 1.6 (high)": (70.3, 2.32, 75.4, 2.87),
    "Doubao 1.6 (medium)": (72.9, 2.24, 77.5, 2.88),
    "Doubao 1.6 (low)": (71.8, 2.07, 77.8, 2.80),
    "Gemini 3 Pro": (77.5, 2.20, 78.5, 2.60),
    "Gemini 2.5 Pro": (70.1, 2.24, 72.3, 2.75),
    "Qwen3-30B (thinking)": (65.8, 2.51, 76.7, 2.42),
    "Qwen3-235B (thinking)": (65.6, 2.05, 75.9, 2.40),
    "GLM-4.6": (75.9, 2.71, 80.3, 3.42),
}
REFERENCE = "Sonnet 4.5 (thinking)"
BOUNDS = {"GED": (0.0, 100.0), "RSE": (1.0, 5.0), "AGS": (0.0, 100.0), "RPS": (1.0, 5.0)}
# Table 10: AGS to Claude, to GPT-5, and the difference as printed
TABLE_10 = {
    "Kimi-K2 (thinking)": (81.9, 76.1, 5.8),
    "R1": (77.9, 70.1, 7.7),
    "GLM-4.6": (79.6, 76.5, 3.1),
    "V3.1 (thinking)": (75.9, 73.9, 2.0),
    "Kimi-K2": (75.9, 74.9, 1.0),
    "Doubao 1.6 (high)": (72.0, 67.5, 4.5),
    "Gemini 2.5 Pro": (71.2, 67.9, 3.3),
    "Opus 4.1 (thinking)": (82.1, 73.5, 8.6),
}
# Table 8: base and student to the teacher, to the control; the two changes as printed
TABLE_8 = {
    "s_node": (0.55, 0.60, 0.58, 0.41, 0.05, -0.17),
    "s_seq": (0.50, 0.58, 0.63, 0.49, 0.08, -0.14),
    "s_dep": (0.73, 0.99, 0.71, 0.87, 0.27, 0.16),
    "ags": (0.59, 0.72, 0.64, 0.59, 0.13, -0.05),
    "ged": (0.42, 0.65, 0.39, 0.59, 0.23, 0.20),
}


def printed(
    name: str,
    systems: Sequence[str],
    known: Mapping[tuple[str, str], float],
    bounds: tuple[float, float] = (0.0, 1.0),
) -> TaskScores:
    """Scores at one task, the printed ones, of some pairs of systems."""
    values = np.full((len(systems), len(systems), 1), np.nan)
    for (first, second), value in known.items():
        one, other = systems.index(first), systems.index(second)
        values[one, other] = values[other, one] = value
    return TaskScores(
        name,
        tuple(systems),
        ("all",),
        values,
        np.full((len(systems), 1), np.nan),
        label=name,
        bounds=bounds,
    )


@pytest.fixture(scope="module")
def table_15() -> pl.DataFrame:
    measures = [
        printed(
            name,
            [REFERENCE, *TABLE_1],
            {(REFERENCE, model): row[place] for model, row in TABLE_1.items()},
            bounds,
        )
        for place, (name, bounds) in enumerate(BOUNDS.items())
    ]
    return correlations_table(measures, REFERENCE).frame


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (("GED", "AGS"), (0.806, 0.000, 0.844, 0.000)),
        (("RSE", "RPS"), (0.682, 0.004, 0.701, 0.003)),
        (("AGS", "RPS"), (0.491, 0.054, 0.484, 0.057)),
    ],
)
def test_correlations_of_table_15_follow_from_table_1(
    table_15: pl.DataFrame, pair: tuple[str, str], expected: tuple[float, ...]
) -> None:
    (row,) = table_15.filter(measure=pair[0], other=pair[1]).rows(named=True)
    found = tuple(row[name] for name in ("pearson", "p_pearson", "spearman", "p_spearman"))

    # from figures with three digits
    assert found == pytest.approx(expected, abs=0.001)
    assert row["n_systems"] == 16


def test_differences_of_table_10_follow_from_its_similarities() -> None:
    systems = ["Claude", "GPT-5", *TABLE_10]
    known = {("Claude", model): row[0] / 100 for model, row in TABLE_10.items()}
    known |= {("GPT-5", model): row[1] / 100 for model, row in TABLE_10.items()}
    measures = [printed("ags", systems, known)]
    found = reference_differences_table(measures, ["Claude", "GPT-5"]).frame

    assert found["first"].to_list() == list(TABLE_10)
    # R1: 77.9 - 70.1 is printed as 7.7, being rounded thrice
    assert (100 * found["value"]).to_list() == pytest.approx(
        [row[2] for row in TABLE_10.values()], abs=0.11
    )


@pytest.mark.parametrize("name", TABLE_8)
def test_changes_of_table_8_follow_from_its_similarities(name: str) -> None:
    base, student, control_base, control_student, toward, away = TABLE_8[name]
    known = {
        ("base", "teacher"): base,
        ("student", "teacher"): student,
        ("base", "control"): control_base,
        ("student", "control"): control_student,
    }
    roles = Roles("base", "student", "teacher", "control")
    found = controlled_figures(printed(name, list(roles.systems), known), roles)

    # printed with two digits; s_dep's changes are rounded from more
    assert found["teacher_change"].value == pytest.approx(toward, abs=0.011)
    assert found["control_change"].value == pytest.approx(away, abs=0.011)
    gap = {"ags": 0.18, "ged": 0.03}.get(name)
    if gap is not None:
        assert found["change_beyond_control"].value == pytest.approx(gap)
