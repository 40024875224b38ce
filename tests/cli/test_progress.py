import pytest

from ethogram.cli.progress import Estimate, reading_progress
from ethogram.ingest import Progress


def said(capsys: pytest.CaptureFixture[str], *moments: tuple[float, int]) -> str:
    """What is said when so many of 1,000,000 bytes are done after so many seconds."""
    times = iter([0.0, *(seconds for seconds, _ in moments)])
    estimate = Estimate(clock=lambda: next(times))
    for _, done in moments:
        estimate(Progress(done, 1_000_000, 1, 1))
    return capsys.readouterr().err


def test_what_takes_over_two_minutes_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    expected = "reading 1 MB takes about 15 minutes more; Ctrl-C keeps what was read"

    assert said(capsys, (1, 1), (9.0, 10_000), (10.0, 11_000)).startswith(expected)
    assert said(capsys, (9.0, 10_000), (10.0, 11_000)).count("\n") == 1


@pytest.mark.parametrize("moments", [[(4.0, 1)], [(9.0, 500_000)], [(9.0, 0)]])
def test_what_is_short_or_not_known_yet_is_not_said(
    capsys: pytest.CaptureFixture[str], moments: list[tuple[float, int]]
) -> None:
    assert said(capsys, *moments) == ""


def test_there_is_no_bar_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with reading_progress() as progress:
        progress(Progress(1, 2, 3, 4))

    assert capsys.readouterr() == ("", "")
