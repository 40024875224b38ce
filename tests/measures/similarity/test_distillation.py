"""A student of a teacher comes nearer to the teacher by AGS, and to everyone by graph edits."""

import numpy as np
import pytest
from measures.similarity import distillation_page as page

from ethogram.stats.arrays import FloatArray
from ethogram.stats.intervals import Interval

pytestmark = pytest.mark.slow

TEACHER, CONTROL = 0, 1


@pytest.fixture(scope="module")
def measured() -> tuple[FloatArray, list[FloatArray]]:
    return page.measured()


@pytest.fixture
def found(measured: tuple[FloatArray, list[FloatArray]]) -> FloatArray:
    return measured[0]


def rise(changes: FloatArray, figure: str, *, toward: int) -> Interval:
    return page.over_seeds(changes[:, toward, page.FIGURES.index(figure)])


def above_zero(interval: Interval) -> bool:
    return interval.low is not None and interval.low > 0


def at_or_below_zero(interval: Interval) -> bool:
    return interval.low is not None and interval.low <= 0


def test_ags_rises_with_the_weight_toward_the_teacher_and_not_toward_the_control(
    found: FloatArray,
) -> None:
    slopes = page.slopes(found)

    assert above_zero(rise(slopes, "ags", toward=TEACHER))
    assert at_or_below_zero(rise(slopes, "ags", toward=CONTROL))
    assert at_or_below_zero(rise(slopes, "s_node", toward=CONTROL))
    means = found[:, 1:, TEACHER, page.FIGURES.index("ags")].mean(axis=0)
    assert np.all(np.diff(means) > 0)


def test_the_student_gains_more_likeness_to_the_teacher_than_to_the_control(
    found: FloatArray,
) -> None:
    whole = page.change(found, "base", "student 1")
    lead = whole[:, TEACHER] - whole[:, CONTROL]

    for figure in ("s_node", "ags"):
        assert above_zero(page.over_seeds(lead[:, page.FIGURES.index(figure)]))
    assert above_zero(rise(whole, "s_node", toward=TEACHER))
    assert not above_zero(rise(whole, "s_node", toward=CONTROL))


def test_graph_edit_similarity_rises_toward_both(found: FloatArray) -> None:
    whole = page.change(found, "base", "student 1")
    by_success = page.change(found, "base", "student 0")

    for toward in (TEACHER, CONTROL):
        assert above_zero(rise(whole, "ged", toward=toward))
        assert above_zero(rise(by_success, "ged", toward=toward))


def test_success_alone_raises_ags_toward_everyone_by_its_conventions(found: FloatArray) -> None:
    by_success = page.change(found, "base", "student 0")

    for toward in (TEACHER, CONTROL):
        assert above_zero(rise(by_success, "s_seq", toward=toward))
        assert not above_zero(rise(by_success, "s_node", toward=toward))


def test_a_control_with_the_teachers_habits_gains_with_the_student(
    measured: tuple[FloatArray, list[FloatArray]],
) -> None:
    named = dict(zip((each.about for each in page.VARIANTS), measured[1], strict=True))
    alike = named["control has half the teacher's habits"]

    assert above_zero(rise(page.slopes(alike), "ags", toward=CONTROL))


def test_the_page_shows_what_is_measured(
    measured: tuple[FloatArray, list[FloatArray]],
) -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(*measured)
