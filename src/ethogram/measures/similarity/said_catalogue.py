r"""What each measure of what systems say means: label, range, formula, reading, source."""

from collections.abc import Mapping
from typing import Final

from ethogram.measures.similarity.catalogue import OWN, YANG, Figure
from ethogram.measures.similarity.responses import scoring as responses
from ethogram.measures.similarity.style import compare as style

LEE: Final = "Lee et al. 2025"
BURROWS: Final = "Burrows 2002, Evert et al. 2017"
_DELTA: Final = r"\tfrac{1}{2} (1 + \cos(z_A, z_B))"
_MEAN: Final = r"\operatorname{mean}_{\text{shared stages}} \operatorname{mean}_{\text{orders}}"


def _style(name: str, formula: str, higher_means: str, reference: str = OWN) -> Figure:
    return Figure(
        name=name,
        label=style.LABELS[name],
        formula=formula,
        higher_means=higher_means,
        about=style.ABOUT[name],
        group="style",
        reference=reference,
    )


def _judged(name: str, formula: str, higher_means: str, reference: str = YANG) -> Figure:
    low, high = responses.SCALE
    return Figure(
        name=name,
        label=responses.LABELS[name],
        formula=formula,
        higher_means=higher_means,
        about=responses.ABOUT[name],
        group="rps",
        unit="",
        low=low,
        high=high,
        reference=reference,
    )


_FIGURES: Final = (
    _style(
        "style_similarity",
        r"\tfrac{1}{3} (S_{wording} + S_{structure} + S_{acts})",
        "what is said is worded, laid out and ordered more alike",
    ),
    _style(
        "style_wording",
        _DELTA + r",\ z \text{ of words and marks}",
        "function words, contractions, punctuation and openings are used more alike",
        BURROWS,
    ),
    _style(
        "style_structure",
        _DELTA + r",\ z \text{ of lengths and layout}",
        "sentences and texts are built and laid out more alike",
    ),
    _style(
        "style_alignment",
        _DELTA + r",\ z \text{ of steps from act to act}",
        "asking, confirming, reporting and calling follow each other more alike",
    ),
    _judged("rps", _MEAN + r" \text{overall}", "a judge finds what is said more alike"),
    _judged("rps_style", _MEAN + r" \text{style}", "a judge finds the wording more alike"),
    _judged(
        "rps_structure",
        _MEAN + r" \text{structure}",
        "a judge finds the parts of texts and their order more alike",
    ),
    _judged(
        "rps_alignment",
        _MEAN + r" \text{alignment}",
        "a judge finds that thoughts lead to calls more alike",
    ),
    _judged(
        "rps_whole",
        r"\operatorname{mean}_{\text{orders}} \text{overall of whole runs}",
        "a judge finds whole runs more alike",
    ),
    _judged(
        "rse",
        r"\operatorname{mean}_{\text{orders}} \text{score of all replies}",
        "a judge finds all replies together more alike",
        LEE,
    ),
)

SAID_CATALOGUE: Final[Mapping[str, Figure]] = {figure.name: figure for figure in _FIGURES}
