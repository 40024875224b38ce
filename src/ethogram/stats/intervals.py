"""The value that every interval of this package is returned as."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval, or the reason why there is none.

    ``low`` and ``high`` are None if and only if ``reason`` is set.

    Raises
    ------
    ValueError
        If that rule is broken.
    """

    estimate: float | None
    """The figure that the interval is about; None where it is undefined."""
    low: float | None
    high: float | None
    level: float
    method: str
    reason: str | None = None
    n_dropped: int = 0
    """Resamples left out because the statistic was undefined in them."""

    def __post_init__(self) -> None:
        if not (self.low is None) == (self.high is None) == (self.reason is not None):
            raise ValueError(
                f"{self.method}: both ends or a reason; "
                f"got low={self.low!r}, high={self.high!r}, reason={self.reason!r}"
            )


def no_interval(
    reason: str, *, estimate: float | None, level: float, method: str = "none", n_dropped: int = 0
) -> Interval:
    """An interval that these data can't give."""
    return Interval(
        estimate=estimate,
        low=None,
        high=None,
        level=level,
        method=method,
        reason=reason,
        n_dropped=n_dropped,
    )
