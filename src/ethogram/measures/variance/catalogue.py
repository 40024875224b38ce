r"""What each figure of `variance` means: label, unit, range, formula, reading, source.

The one place that names them: estimates take their unit and their bounds from here, tables and
axes their labels, the documentation and the report's tooltips the rest.
"""

from collections.abc import Mapping
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


def _amount(name: str, plural: str, column: str, unit: str, what: str) -> tuple[Measure, ...]:
    """Mean and coefficients of variation of one amount that a run has."""
    return (
        Measure(
            name=f"{name}_mean",
            label=f"{plural.capitalize()} per run",
            unit=unit,
            formula=rf"\frac{{\sum_t \sum_r {column}_{{tr}}}}{{\sum_t n_t}}",
            higher_means=f"more {plural}",
            about=f"Mean over runs of {what}; a run without that record is left out.",
        ),
        Measure(
            name=f"cv_{name}_mean",
            label=f"CV of {plural}, mean over tasks",
            unit="percent",
            formula=rf"\frac{{100}}{{T}} \sum_t \frac{{s({column}_t)}}{{\bar{{{column}}}_t}}",
            higher_means="less steady",
            about=(
                f"Sample standard deviation over mean of the {plural} of a task's runs, "
                "in percent, as the mean over tasks with two or more runs."
            ),
        ),
        Measure(
            name=f"cv_{name}_median",
            label=f"CV of {plural}, median over tasks",
            unit="percent",
            formula=(
                rf"100 \operatorname{{median}}_t \frac{{s({column}_t)}}{{\bar{{{column}}}_t}}"
            ),
            higher_means="less steady",
            about="The same for the task in the middle: one erratic task does not move it.",
        ),
    )


_AMOUNTS: Final = (
    *_amount("actions", "actions", "a", "actions", "the agent's actions"),
    *_amount("tokens", "tokens", "w", "tokens", "input (cached ones included) and output tokens"),
    *_amount("cost", "cost", "c", "usd", "the cost in dollars"),
    *_amount("duration", "duration", "d", "seconds", "the time from start to end"),
)

_OUTCOMES: Final = (
    Measure(
        name="accuracy",
        label="Accuracy",
        unit="share",
        formula=r"\frac{\sum_t c_t}{\sum_t n_t}",
        higher_means="more runs succeed",
        about=(
            "Share of runs that succeed, of those whose outcome is known; the interval treats the "
            "runs of a task as what they are, repeats of each other."
        ),
        high=1.0,
    ),
    Measure(
        name="accuracy_wilson",
        label="Accuracy, if runs were independent",
        unit="share",
        formula=r"\frac{\sum_t c_t}{\sum_t n_t}",
        higher_means="more runs succeed",
        about=(
            "The same share with Wilson's interval over runs. It is too narrow wherever tasks "
            "differ in difficulty; it stands here because others print it."
        ),
        high=1.0,
        reference="Wilson 1927",
    ),
    Measure(
        name="accuracy_infra_as_failures",
        label="Accuracy, infrastructure errors as failures",
        unit="share",
        formula=r"\frac{\sum_t c_t}{\sum_t (n_t + e_t)}",
        higher_means="more runs succeed",
        about=(
            "Share of runs that succeed if the e runs that an infrastructure error ended had "
            "failed; shown where these are more than 2 % of a system's runs."
        ),
        high=1.0,
        reference="",
    ),
    Measure(
        name="flip_rate",
        label="Tasks whose outcome flips",
        unit="share",
        formula=(
            r"\frac{1}{T} \sum_t \left(1 - "
            r"\frac{\binom{c_t}{k} + \binom{n_t - c_t}{k}}{\binom{n_t}{k}}\right)"
        ),
        higher_means="outcomes depend more on chance",
        about="Probability that k runs of a task neither all succeed nor all fail.",
        high=1.0,
        reference=YAO,
    ),
    Measure(
        name="icc1",
        label="ICC(1) of outcomes",
        unit="correlation",
        formula=r"\frac{MSB - MSW}{MSB + (n_0 - 1) MSW}",
        higher_means="the task decides, not chance",
        about=(
            "Share of the variance of outcomes that lies between tasks: 1 if each task is always "
            "or never solved, 0 if knowing the task says nothing."
        ),
        low=-1.0,
        high=1.0,
        reference=SHROUT,
    ),
    Measure(
        name="tasks_always",
        label="Tasks always solved",
        unit="share",
        formula=r"\frac{1}{T} \sum_t [c_t = n_t]",
        higher_means="more tasks are solved whatever chance does",
        about="Share of tasks (with two or more runs) that every run solves.",
        high=1.0,
    ),
    Measure(
        name="tasks_sometimes",
        label="Tasks sometimes solved",
        unit="share",
        formula=r"\frac{1}{T} \sum_t [0 < c_t < n_t]",
        higher_means="more is left to chance",
        about="Share of tasks (with two or more runs) that some runs solve and others don't.",
        high=1.0,
    ),
    Measure(
        name="tasks_never",
        label="Tasks never solved",
        unit="share",
        formula=r"\frac{1}{T} \sum_t [c_t = 0]",
        higher_means="more tasks are out of reach",
        about="Share of tasks (with two or more runs) that no run solves.",
        high=1.0,
    ),
    Measure(
        name="ceiling",
        label="Tasks solved at least once",
        unit="share",
        formula=r"\frac{1}{T} \sum_t [c_t > 0]",
        higher_means="more tasks are within reach",
        about=(
            "What choosing the best of all runs of each task would reach. It rises with the "
            "number of runs: compare it at equal numbers only."
        ),
        high=1.0,
    ),
    Measure(
        name="failed_runs_on_never_solved",
        label="Failed runs on never solved tasks",
        unit="share",
        formula=r"\frac{\sum_t n_t [c_t = 0]}{\sum_t (n_t - c_t)}",
        higher_means="failures are steady rather than bad luck",
        about="Of the failed runs, the share on tasks that no run solves.",
        high=1.0,
    ),
    Measure(
        name="nonempty_submissions",
        label="Runs that submit something",
        unit="share",
        formula=r"\frac{\sum_t \sum_r [\text{submission}_{tr} \ne \text{empty}]}{\sum_t n_t}",
        higher_means="fewer runs end with nothing",
        about="Share of runs with a submission that is not empty, of those that record one.",
        high=1.0,
    ),
    Measure(
        name="pass_at_k",
        label="pass@k",
        unit="share",
        formula=r"\frac{1}{T} \sum_t \left(1 - \binom{n_t - c_t}{k} / \binom{n_t}{k}\right)",
        higher_means="k tries are more often enough",
        about="Probability that at least one of k runs of a task succeeds.",
        high=1.0,
        reference=CHEN,
    ),
    Measure(
        name="pass_hat_k",
        label="pass^k",
        unit="share",
        formula=r"\frac{1}{T} \sum_t \binom{c_t}{k} / \binom{n_t}{k}",
        higher_means="success can be relied on more",
        about="Probability that all of k runs of a task succeed.",
        high=1.0,
        reference=YAO,
    ),
)

_BEHAVIOUR: Final = (
    Measure(
        name="unique_sequences",
        label="Runs whose actions no other run repeats",
        unit="share",
        formula=(
            r"\frac{1}{T} \sum_t \frac{1}{n_t} "
            r"\sum_r \binom{n_t - m_{tr}}{k-1} / \binom{n_t - 1}{k-1}"
        ),
        higher_means="repeats are less alike to the letter",
        about=(
            "Share of runs whose sequence of action texts equals that of no other among k runs of "
            "the task; m is how many of the n runs have that sequence."
        ),
        high=1.0,
    ),
)


def _divergence(suffix: str, what: str) -> tuple[Measure, ...]:
    """Step at which runs part, for one way to tell actions apart."""
    later = "runs stay together longer"
    return (
        Measure(
            name=f"divergence{suffix}_mean",
            label=f"Divergence step{what}, mean over tasks",
            unit="actions",
            formula=r"\frac{1}{T} \sum_t E[D_t \mid D_t < \infty]",
            higher_means=later,
            about="First action, from 1, at which k runs differ, over tasks on which they ever do.",
        ),
        Measure(
            name=f"divergence{suffix}_median",
            label=f"Divergence step{what}, median over tasks",
            unit="actions",
            formula=r"\operatorname{median}_t E[D_t \mid D_t < \infty]",
            higher_means=later,
            about="The same for the task in the middle.",
        ),
        *(
            Measure(
                name=f"diverged_by_{step}{suffix}",
                label=f"Parted by action {step}{what}",
                unit="share",
                formula=rf"\frac{{1}}{{T}} \sum_t P(D_t \le {step})",
                higher_means="runs part earlier",
                about=f"Probability that k runs of a task have parted by action {step}.",
                high=1.0,
            )
            for step in (1, 5)
        ),
        Measure(
            name=f"never{suffix}",
            label=f"Never parted{what}",
            unit="share",
            formula=r"\frac{1}{T} \sum_t P(D_t = \infty)",
            higher_means="more repeats are equal throughout",
            about="Probability that k runs of a task show the same symbols from start to end.",
            high=1.0,
        ),
    )


_DIVERGENCE: Final = (
    *_divergence("", ""),
    *_divergence("_texts", ", by text"),
    Measure(
        name="coherence",
        label="Coherence after divergence",
        unit="share",
        formula=(
            r"\operatorname{mean}_{i<j} \left(1 - "
            r"\frac{\operatorname{Lev}(x_i, x_j)}{\max(|x_i|, |x_j|)}\right)"
        ),
        higher_means="runs take the same course in other steps",
        about="Mean pairwise edit similarity of the runs of a task from the divergence step on.",
        high=1.0,
    ),
)

_PHASES: Final = (
    Measure(
        name="phase_share",
        label="Share of all actions",
        unit="share",
        formula=r"\frac{\sum_t \sum_r a_{tr}^{kind}}{\sum_t \sum_r a_{tr}}",
        higher_means="more of the actions are of this kind",
        about="Share of a system's actions that are of a kind; long runs weigh more.",
        high=1.0,
    ),
    Measure(
        name="phase_share_by_run",
        label="Share of a run's actions",
        unit="share",
        formula=r"\frac{1}{R} \sum_t \sum_r a_{tr}^{kind} / a_{tr}",
        higher_means="more of a run is of this kind",
        about="Mean over runs of the share of a run's actions that are of a kind.",
        high=1.0,
    ),
    Measure(
        name="phase_cv",
        label="CV of their number",
        unit="percent",
        formula=r"\frac{100}{T} \sum_t s(a_t^{kind}) / \bar{a}_t^{kind}",
        higher_means="less steady",
        about=(
            "CV over a task's runs of the number of actions of a kind, as the mean over tasks in "
            "which there are any."
        ),
    ),
    Measure(
        name="pre_edit_share",
        label="Actions before the first edit",
        unit="share",
        formula=r"\frac{1}{R} \sum_t \sum_r \frac{f_{tr} - 1}{a_{tr}}",
        higher_means="more is looked at before anything is changed",
        about="Share of a run's actions before its first edit, over the runs with an edit.",
        high=1.0,
    ),
)

_SUBMISSIONS: Final = (
    Measure(
        name="submission_similarity",
        label="Likeness of submissions on never solved tasks",
        unit="share",
        formula=r"\operatorname{mean}_{i<j} \frac{2 |L_i \cap L_j|}{|L_i| + |L_j|}",
        higher_means="the same mistake again",
        about=(
            "Mean pairwise share of changed lines that two submissions have in common, on the "
            "tasks that no run solves; empty submissions are left out."
        ),
        high=1.0,
    ),
)

_RELATION: Final = (
    Measure(
        name="cv_accuracy_pearson",
        label="Correlation of CV and accuracy over tasks",
        unit="correlation",
        formula=r"r = \operatorname{corr}_t(CV_t, c_t / n_t)",
        higher_means="a system solves more where it is less steady",
        about="Within one system: does it solve more of the tasks on which it is steadier?",
        low=-1.0,
        high=1.0,
    ),
    Measure(
        name="cv_accuracy_spearman",
        label="Rank correlation of CV and accuracy over systems",
        unit="correlation",
        formula=r"\rho = \operatorname{corr}_s(\text{rank of } CV_s, \text{rank of } acc_s)",
        higher_means="less steady systems solve more",
        about="Between systems, on the tasks that all of them ran: are steadier systems better?",
        low=-1.0,
        high=1.0,
    ),
)

CATALOGUE: Final[Mapping[str, Measure]] = {
    measure.name: measure
    for measure in (
        *_AMOUNTS,
        *_BEHAVIOUR,
        *_DIVERGENCE,
        *_PHASES,
        *_OUTCOMES,
        *_SUBMISSIONS,
        *_RELATION,
    )
}
"""Every figure by name."""
