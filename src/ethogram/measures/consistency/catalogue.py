r"""What each figure of `consistency` means: label, unit, range, formula, reading, source."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

BANERJEE: Final = "Banerjee and Raichura 2026"
OWN: Final = "ethogram"


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure: what it is called, what it is made of, how to read it."""

    name: str
    label: str
    unit: str
    formula: str
    """LaTeX. Runs i, j of a system; u_i: attributions of run i, scaled to length 1."""
    higher_means: str
    about: str
    low: float = 0.0
    high: float = 1.0
    reference: str = BANERJEE

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the figure, for its interval."""
        return self.low, self.high


SCALES: Final[Mapping[str, tuple[str, str, str]]] = {
    "cross_task": (
        "BCM across tasks",
        r"\operatorname{mean}_{i<j,\ t_i \ne t_j} u_i \cdot u_j",
        "runs of different tasks succeed or fail for more similar reasons",
    ),
    "within_task": (
        "BCM within a task",
        r"\frac{1}{M} \sum_t \operatorname{mean}_{i<j \in t} u_i \cdot u_j",
        "repeats of a task are more alike",
    ),
    "global": (
        "BCM of all pairs",
        r"\frac{2}{k (k - 1)} \sum_{i<j} u_i \cdot u_j",
        "runs are more alike, of one task or not",
    ),
}
"""Label, formula and reading of each set of pairs."""

VARIANTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "_offset_minus_null": (
        ", success offset minus its null",
        r"B^{offset} - \bar{B}^{offset, null}",
        "The figure to read first: what is left with success offset beyond what it is with "
        "outcomes shuffled within systems. 0 on average where nothing that a run does matters.",
    ),
    "_offset": (
        ", success offset",
        r"B^{offset}",
        "The system's own success rate is taken as known, so that attributions say what makes its "
        "runs succeed and not whose runs they are.",
    ),
    "_minus_null": (
        ", raw minus its null",
        r"B - \bar{B}^{null}",
        "What is left of the raw figure beyond what it is with outcomes shuffled within systems.",
    ),
    "": (
        ", raw",
        r"B",
        "As published. Largely says how far the system's success lies from the average of all runs;"
        " never to be read alone.",
    ),
    "_offset_null": (
        ", null with success offset",
        r"\bar{B}^{offset, null}",
        "Mean over refits with outcomes shuffled within each system and success offset: above 0 "
        "where success is rare or nearly certain, as trees take chance for rules.",
    ),
    "_null": (
        ", null of raw",
        r"\bar{B}^{null}",
        "Mean over refits with outcomes shuffled within each system: nothing that a run does "
        "matters for its outcome any more, only whose run it is.",
    ),
    "_features": (
        ", raw features",
        r"B^{z}",
        "Of z-scored features in place of attributions (section 5.1).",
    ),
}
"""Label's end, formula's letter and reading of each variant, in the order of the tables."""

CONTROLS: Final[Mapping[str, tuple[str, str]]] = {
    "_shared_tasks_offset": (
        ", shared tasks, success offset",
        "On the tasks that every system ran, beyond each system's success.",
    ),
    "_shared_tasks": (", shared tasks, raw", "On the tasks that every system ran."),
    "_per_system": (
        ", own predictor",
        "Each system's runs explained by a predictor that saw no other system.",
    ),
    "_unseen_system": (
        ", predictor of the others",
        "Each system's runs explained by a predictor that saw the other systems only.",
    ),
}
"""Label's end and reading of each further control."""


def _figures() -> Iterator[Figure]:
    yield Figure(
        name="success_rate",
        label="Success",
        unit="share",
        formula=r"\frac{1}{k} \sum_i y_i",
        higher_means="more runs succeed",
        about="Of the runs that consistency is computed from.",
    )
    for scale, (label, formula, higher) in SCALES.items():
        for variant, (end, letter, about) in VARIANTS.items():
            difference = variant.endswith("_minus_null")
            yield Figure(
                name=scale + variant,
                label=label + end,
                unit="correlation",
                formula=f"{letter},\\ B = {formula}" if variant else formula,
                higher_means=higher,
                about=about,
                low=-2.0 if difference else -1.0,
                high=2.0 if difference else 1.0,
                reference=BANERJEE if variant in {"", "_features"} else OWN,
            )
    for variant, (end, _, about) in VARIANTS.items():
        if variant not in {"_offset_null", "_null", "_features"}:
            yield Figure(
                name=f"within_minus_cross{variant}",
                label=f"BCM within minus across tasks{end}",
                unit="correlation",
                formula=r"B^{within} - B^{cross}",
                higher_means="steadier at one task than from task to task",
                about=f"Over the same tasks, those with three or more runs. {about}",
                low=-2.0,
                high=2.0,
            )
    for variant, (end, about) in CONTROLS.items():
        for scale, (label, formula, higher) in SCALES.items():
            yield Figure(
                name=scale + variant,
                label=label + end,
                unit="correlation",
                formula=formula,
                higher_means=higher,
                about=about,
                low=-1.0,
                reference=OWN,
            )
    yield Figure(
        name="auc",
        label="AUC of the predictor, pooled",
        unit="",
        formula=r"P(f(x_i) > f(x_j) \mid y_i = 1, y_j = 0)",
        higher_means="features say more about success",
        about="Out of fold, over all runs; 0.5 is chance.",
        reference=BANERJEE,
    )
    yield Figure(
        name="auc_folds",
        label="AUC of the predictor, mean over folds",
        unit="",
        formula=r"\frac{1}{F} \sum_f AUC_f",
        higher_means="features say more about success",
        about="As published; folds with one class only are left out.",
    )
    yield Figure(
        name="auc_within_systems",
        label="AUC with success offset, within systems",
        unit="",
        formula=r"P(f(x_i) > f(x_j) \mid y_i = 1, y_j = 0, s_i = s_j)",
        higher_means="features say more about which of a system's runs succeed",
        about="Mean over systems with both outcomes, each by its number of such pairs.",
        reference=OWN,
    )
    yield Figure(
        name="identity",
        label="Systems told from attributions",
        unit="share",
        formula=r"\frac{1}{S} \sum_s P(\hat{s} = s)",
        higher_means="attributions say more about whose run it is",
        about="Balanced accuracy of naming the system from attributions, in folds of tasks; chance "
        "is one over the number of systems.",
        reference=OWN,
    )
    yield Figure(
        name="identity_offset",
        label="Systems told from attributions, success offset",
        unit="share",
        formula=r"\frac{1}{S} \sum_s P(\hat{s} = s)",
        higher_means="attributions say more about whose run it is",
        about="The same for attributions beyond the success offset.",
        reference=OWN,
    )


CATALOGUE: Final[Mapping[str, Figure]] = {figure.name: figure for figure in _figures()}
