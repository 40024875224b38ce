"""Catalogue entries of what runs do: amounts, sequences, divergence, phases."""

from typing import Final

from ethogram.measures.variance.entry import Measure


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

_SEQUENCES: Final = (
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

BEHAVIOUR: Final = (*_AMOUNTS, *_SEQUENCES, *_DIVERGENCE, *_PHASES)
