"""What each figure of `variance` means: label, unit, range, formula, reading, source.

The one place that names them: estimates take their unit and their bounds from here, tables and
axes their labels, the documentation and the report's tooltips the rest.
"""

from collections.abc import Mapping
from typing import Final

from ethogram.measures.variance.catalogue_behaviour import BEHAVIOUR
from ethogram.measures.variance.catalogue_interpretation import INTERPRETATION
from ethogram.measures.variance.catalogue_success import SUCCESS
from ethogram.measures.variance.entry import Measure

CATALOGUE: Final[Mapping[str, Measure]] = {
    measure.name: measure for measure in (*BEHAVIOUR, *SUCCESS, *INTERPRETATION)
}
"""Every figure by name."""
