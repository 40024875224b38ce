"""The three scalars of ethogram: an estimate, a test, a verdict."""

from typing import Literal

import msgspec

Decision = Literal["yes", "no", "not enough data"]


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its uncertainty, or the reason why there is none.

    ``value`` is None if and only if ``reason`` is set. ``low`` and ``high`` may be None beside a
    value (too few tasks); then ``method`` says why.

    Raises
    ------
    ValueError
        If ``value`` and ``reason`` are both set or both missing, or only one end of the interval
        is.
    """

    name: str
    unit: str
    """``percent``, ``share`` (0 to 1), ``actions``, ``usd``, ``tokens``, ``seconds``, ..."""
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    n_tasks: int
    n_runs: int
    n_excluded: int = 0
    """Runs that could not be used here (no outcome, no such field, too few repeats)."""
    method: str = ""
    """How the interval was made, or why there is none."""
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.reason is not None):
            raise ValueError(
                f"{self.name}: a value or a reason, exactly one of the two; "
                f"got value={self.value!r}, reason={self.reason!r}"
            )
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.name}: both ends of the interval or none")


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """A significance test between two systems; there is a p value or a reason for its absence."""

    __test__ = False  # pytest: this is no test case

    name: str
    """What is compared, e.g. ``success_rate`` or ``cv_actions``."""
    method: str
    """The test, e.g. ``paired sign-flip permutation``."""
    first: str
    second: str
    difference: float | None = None
    """First minus second, in ``unit``."""
    unit: str = ""
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    """Holm-adjusted over the family of comparisons of the same name and method."""
    effect: float | None = None
    effect_name: str | None = None
    n_tasks: int = 0
    n_runs: int = 0
    main: bool = False
    """The test to read first where several answer the same question."""
    reason: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        if (self.p_value is None) != (self.reason is not None):
            raise ValueError(
                f"{self.name}, {self.method}: a p value or a reason, exactly one of the two; "
                f"got p_value={self.p_value!r}, reason={self.reason!r}"
            )


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to a question: yes, no, or not enough data with the runs that would settle it."""

    question: str
    decision: Decision
    because: str
    runs_needed: int | None = None
    """Repeats a task (or tasks) that would settle it; only with ``not enough data``."""
