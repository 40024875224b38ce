"""`variance`: the measures of steadiness over repeated runs, put together."""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.alphabet import choose_alphabet
from ethogram.cohort.views import own_actions
from ethogram.errors import UsageError
from ethogram.measures.variance import tables
from ethogram.measures.variance.analysis import Analysis, actions_of, analyse
from ethogram.measures.variance.entry import MEHTA
from ethogram.measures.variance.interpretation_result import with_interpretation
from ethogram.measures.variance.interpreted import interpret
from ethogram.measures.variance.pairs import paired_tests
from ethogram.measures.variance.relation import correlations, side_by_side
from ethogram.measures.variance.remarks import remarks
from ethogram.measures.variance.repeats import study_of
from ethogram.measures.variance.wording import Findings, summary
from ethogram.results.estimate import Test
from ethogram.results.judges import Judge
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import by_name

MEASURE_VERSION: Final = 1


def variance(  # noqa: PLR0913  the options of one command
    cohort: Cohort,
    *,
    k: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    alphabet: str | None = None,
    by: str | None = None,
    same_id_is_same_task: bool = False,
    executor: Executor | None = None,
    judge: Judge | None = None,
    second_judge: Judge | None = None,
) -> Result:
    """How steady each system is over repeated runs of a task, and what that means for success.

    Parameters
    ----------
    cohort : Cohort
        Any runs; figures about repeats need tasks with two or more runs of one system, figures
        about success need outcomes, and what is missing is said in ``notes``.
    k : int, optional
        Number of runs at which unique sequences, divergence, flips, pass@k and pass^k are computed,
        averaged over all subsets of k runs. Default: the smallest number of runs among the tasks
        with two or more, one for all systems. Tasks with fewer are left out and counted.
    level : float
        Nominal coverage of the intervals, which are over tasks.
    seed : int
        For the figures that are drawn at random; equal seeds give equal results.
    alphabet : str, optional
        What an action counts as when sequences are compared: kind, head, tool or action. Default:
        kind where agents work in a shell or an editor, tool elsewhere.
    by : str, optional
        A column of runs, tasks or systems, or a key of the systems' settings: the figures of each
        system are also computed at each of its levels.
    same_id_is_same_task : bool
        Compare tasks of equal id although their recorded prompts or checks differ.
    executor : concurrent.futures.Executor, optional
        Where the pairwise comparisons of runs are computed; the numbers don't depend on it.
    judge : Judge, optional
        Who says of each failed run whether it misread its task or carried out a right reading
        badly, and what it aimed at.
    second_judge : Judge, optional
        Says so too, for the agreement of the two.

    Returns
    -------
    Result
        Kind ``variance``. Tables: ``systems`` (estimates), ``tasks`` (a row a system and task),
        ``pass_k``, ``amplification``, ``divergence`` (a row a system and task with repeats),
        ``phases`` (estimates), ``heads``, ``first_actions``, ``failure_modes``, ``failures``
        (estimates), ``step_counts``, ``comparison``, ``correlations``, ``tests``; with ``by``
        ``ranges`` and ``levels``; with a judge ``interpretation`` (estimates),
        ``judge_agreement`` (estimates), ``interpretation_counts``, ``goals`` (a row a system and
        task) and ``interpretations`` (a row a failed run).

    Raises
    ------
    UsageError
        If ``k`` is less than two, ``level`` is not between 0 and 1, ``by`` names nothing, or there
        is a second judge without a first.
    UnknownNameError
        If the alphabet is not known.

    Notes
    -----
    Runs that an infrastructure error ended are left out and counted. A missing outcome is no
    failure, a missing cost not zero. Systems are compared on the tasks that both ran.

    References
    ----------
    Mehta (2026), Consistency Amplifies: How Behavioral Variance Shapes Agent Accuracy.
    """
    if second_judge is not None and judge is None:
        raise UsageError("variance: a second judge needs a first")
    study = study_of(
        cohort, level=level, seed=seed, same_id_is_same_task=same_id_is_same_task, by=by
    )
    alphabet = alphabet or choose_alphabet(own_actions(cohort))
    actions = actions_of(cohort, study.runs, alphabet)
    analysis = analyse(study, cohort, actions, k=k, executor=executor)
    tests = paired_tests(analysis.tasks, study.systems, seed=seed, k=analysis.k_runs)
    made = [
        *tables.main_tables(analysis),
        side_by_side(analysis.tasks, study.systems),
        correlations(analysis.tasks, study.systems, level=level),
        tables.all_tests(tests),
    ]
    over_levels = pl.DataFrame()
    if by is not None:
        levels = study.runs["level"].unique().sort().to_list()
        parts = (study.restrict(pl.col("level") == value) for value in levels)
        each = [analyse(part, cohort, actions, k=k, executor=executor) for part in parts]
        compared = tables.level_tables(list(zip(levels, each, strict=True)), by)
        over_levels = compared[0].frame
        made += compared
    parameters = {
        "k": k,
        "k_runs": analysis.k_runs,
        "k_outcome": analysis.k_outcome,
        "level": level,
        "alphabet": alphabet,
        "by": by,
        "same_id_is_same_task": same_id_is_same_task,
    }
    result = Result(
        kind="variance",
        tables=by_name(made, tables.TABLES),
        notes=remarks(analysis, alphabet, tests),
        summary=summary(_findings(analysis, tests, over_levels), by=by),
        provenance=_provenance(cohort, seed, parameters),
    )
    if judge is None:
        return result
    return with_interpretation(result, interpret(cohort, study, judge, second=second_judge), cohort)


def _findings(analysis: Analysis, tests: Sequence[Test], ranges: pl.DataFrame) -> Findings:
    estimates = {
        (system, estimate.name): estimate
        for system, each in analysis.estimates.items()
        for estimate in each
    }
    most = analysis.tasks["n_runs"].max()
    return Findings(
        analysis.study.systems,
        estimates,
        tests,
        analysis.k_outcome,
        k_runs=analysis.k_runs,
        most_runs=most if isinstance(most, int) else 0,
        ranges=ranges,
    )


def _provenance(cohort: Cohort, seed: int, parameters: dict[str, Any]) -> Provenance:
    return Provenance(
        measure="variance",
        measure_version=MEASURE_VERSION,
        cohort_digest=cohort.digest,
        labels_digest=cohort.labels_digest,
        seed=seed,
        parameters=parameters,
        reference=MEHTA,
    )
