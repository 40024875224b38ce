"""Catalogue entries of what becomes of runs: success, failure, and what goes with them."""

from typing import Final

from ethogram.measures.variance.entry import CHEN, SHROUT, YAO, Measure

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

_FAILURES: Final = (
    Measure(
        name="failure_rate",
        label="Share of runs",
        unit="share",
        formula=r"\frac{\sum_t f_t^{mode}}{\sum_t n_t}",
        higher_means="more runs fail in this way",
        about="Share of the runs with a known outcome that fail in this way.",
        high=1.0,
    ),
    Measure(
        name="failure_share",
        label="Share of failed runs",
        unit="share",
        formula=r"\frac{\sum_t f_t^{mode}}{\sum_t (n_t - c_t)}",
        higher_means="more of the failures are of this kind",
        about="Share of the failed runs that fail in this way.",
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

SUCCESS: Final = (*_OUTCOMES, *_FAILURES, *_SUBMISSIONS, *_RELATION)
