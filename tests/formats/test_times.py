"""Points in time as files write them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.formats.times import to_seconds

MOMENT = 1_770_244_082.989021


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        pytest.param("2026-02-04T22:28:02.989021Z", MOMENT, id="Z"),
        pytest.param("2026-02-04T22:28:02.989021", MOMENT, id="no zone is UTC"),
        pytest.param("2026-02-04 22:28:02.989021", MOMENT, id="space"),
        pytest.param("2026-02-05T00:28:02.989021+02:00", MOMENT, id="zone"),
        pytest.param(" 2026-02-04T22:28:02.989021Z\n", MOMENT, id="white space"),
        pytest.param("2026-02-04", 1_770_163_200.0, id="day"),
        pytest.param("20260204", 1_770_163_200.0, id="day without dashes"),
        pytest.param(MOMENT, MOMENT, id="seconds"),
        pytest.param(1_770_244_082_989, 1_770_244_082.989, id="milliseconds"),
        pytest.param(1_770_244_082_989_021, MOMENT, id="microseconds"),
        pytest.param(1_770_244_082_989_021_000, MOMENT, id="nanoseconds"),
        pytest.param("1770244082", 1_770_244_082.0, id="seconds as text"),
        pytest.param("1770244082989", 1_770_244_082.989, id="milliseconds as text"),
        pytest.param(0, 0.0, id="the epoch"),
    ],
)
def test_what_is_a_point_in_time(written: Any, seconds: float) -> None:
    assert to_seconds(written) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "written", [None, "", "soon", "2026-13-01", True, -5, float("nan"), float("inf"), "nan"]
)
def test_what_is_none(written: Any) -> None:
    assert to_seconds(written) is None


@given(st.datetimes(min_value=datetime(1970, 1, 2), timezones=st.just(UTC)))  # noqa: DTZ001
def test_iso_texts_give_the_moment_back(moment: datetime) -> None:
    assert to_seconds(moment.isoformat()) == moment.timestamp()
