"""Figures about why runs fail, by a judge."""

from typing import Final

from ethogram.measures.variance.entry import Measure

_SHARE_FORMULA: Final = (
    r"\frac{1}{F} \sum_{r} \frac{1}{2} \sum_{o} \operatorname{mean}_a [\text{label}_{roa} = "
)


def _share(name: str, label: str, *, reading: str, about: str, of: str) -> Measure:
    return Measure(
        name=name,
        label=label,
        unit="share",
        formula=_SHARE_FORMULA + rf"\text{{{of}}}]",
        higher_means=reading,
        about=about,
        high=1.0,
    )


INTERPRETATION: Final = (
    _share(
        "interpretation_errors",
        "Interpretation errors",
        reading="more failures aim at the wrong thing",
        about=(
            "Of the F failed runs that a judge read, the share that aims at another goal than the "
            "task's: it would be wrong even if carried out without a fault. Mean over two orders o "
            "and the answers a in each."
        ),
        of="interpretation",
    ),
    _share(
        "execution_errors",
        "Execution errors",
        reading="more failures miss the right thing",
        about="The same for runs that aim at the right goal and miss it.",
        of="execution",
    ),
    _share(
        "unclear_failures",
        "Unclear failures",
        reading="more failures can't be told apart",
        about="The same for runs of which the judge can't tell.",
        of="unclear",
    ),
    Measure(
        name="consistent_wrong_interpretation",
        label="Failed runs with a consistent wrong interpretation",
        unit="share",
        formula=r"\frac{\sum_t f_t [c_t = 0][g_t = 1][\text{all interpretation}]}{\sum_t f_t}",
        higher_means="failures are the same misreading again and again",
        about=(
            "Of the f judged failed runs, the share on tasks that no run solves and where all runs "
            "aim at one thing (g = 1 group of goals), which a judge finds to be the wrong one."
        ),
        high=1.0,
    ),
    Measure(
        name="consistent_wrong_tasks",
        label="Tasks whose failed runs aim at one thing",
        unit="share",
        formula=r"\operatorname{mean}_{t: f_t \ge 2} \operatorname{mean}_a [g_{ta} = 1]",
        higher_means="a system that fails a task fails it in the same way",
        about=(
            "Of the tasks with two or more judged failed runs, the share where a judge puts all "
            "their goals into one group; mean over two orders and the answers a in each."
        ),
        high=1.0,
    ),
    Measure(
        name="equal_submissions_tasks",
        label="Tasks whose failed runs submit the same",
        unit="share",
        formula=r"\operatorname{mean}_{t: f_t \ge 2} [L_1 = L_2 = \dots = L_{f_t}]",
        higher_means="a system that fails a task hands in the same lines",
        about=(
            "The same without a judge: the share of these tasks where all submissions change the "
            "same lines, blanks at their ends aside."
        ),
        high=1.0,
    ),
)
