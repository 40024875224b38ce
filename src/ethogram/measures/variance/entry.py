"""What the catalogue says of a figure."""

from math import inf
from typing import Final

import msgspec

MEHTA: Final = "Mehta 2026"
CHEN: Final = "Chen et al. 2021, equation 1"
YAO: Final = "Yao et al. 2024"
SHROUT: Final = "Shrout and Fleiss 1979, case 1"


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure: what it is called, what it is made of, how to read it."""

    name: str
    label: str
    unit: str
    formula: str
    """LaTeX. Sums run over tasks t and runs r; n_t runs of task t, c_t of them successful."""
    higher_means: str
    about: str
    low: float = 0.0
    high: float | None = None
    """None: no upper bound."""
    reference: str = MEHTA

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the figure, for its interval."""
        return self.low, inf if self.high is None else self.high
