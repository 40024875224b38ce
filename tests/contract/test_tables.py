"""Promises about the tables that a measure says it can have: the command line refuses all others.

A table that is made and not named fails wherever it is made (`by_name`); here one that is named and
never made, and one that the documentation of the measure forgets, fail.
"""

import inspect
from collections.abc import Callable

import pytest
from measures.similarity.scripted_judge import ScriptedJudge
from measures.variance.failure_judge import FailureJudge, cohort_of, failing, marked
from msgspec.structs import replace

import ethogram as eg
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures import consistency, similarity, variance
from ethogram.results import Result
from ethogram.simulate import draw_system, simulate, simulate_tools
from ethogram.simulate.systems import HASTY, METHODICAL

SYSTEMS = ("amber", "basalt", "cobalt", "dolomite")


def all_of_variance() -> Result:
    runs = failing({"t1": [marked("II", "warn"), marked("EE", "mend"), "ok"]})
    return variance.variance(cohort_of(runs), judge=FailureJudge(), by="system")


def all_of_consistency() -> Result:
    """One system is another's twin, alike in success, from another format."""
    labeler = default_labeler()
    runs = list(simulate((HASTY, METHODICAL), n_tasks=12, n_runs=2))
    twins = [replace(run, system=replace(run.system, name="twin")) for run in runs[:24]]
    cohort = eg.concat([
        from_trajectories(runs, labeler=labeler),
        from_trajectories(twins, labeler=labeler, format_name="another"),
    ])  # fmt: skip
    return consistency.consistency(
        cohort,
        features=("total_steps", "action_entropy"),
        bootstrap="runs",
        by_outcome=True,
        groups={"one": ["hasty"]},
        sensitivity=True,
        monitor=True,
        by="benchmark",
        n_seeds=2,
    )


def all_of_similarity() -> Result:
    judge = ScriptedJudge(samples=2)
    systems = [draw_system(name, seed=1) for name in SYSTEMS]
    runs = simulate_tools(systems, n_tasks=3, seed=1)
    return similarity.similarity(
        from_trajectories(runs, labeler=default_labeler()),
        reference=SYSTEMS[:2],
        families={"one": SYSTEMS[:2], "two": SYSTEMS[2:]},
        controlled=SYSTEMS,
        ged=False,
        words=similarity.JudgedWords(judge, whole=True, by_temperature={0.0: judge, 1.0: judge}),
        by="benchmark",
    )


@pytest.mark.parametrize(
    ("make", "names"),
    [
        pytest.param(all_of_variance, variance.TABLES, id="variance"),
        pytest.param(all_of_consistency, consistency.TABLES, id="consistency"),
        pytest.param(all_of_similarity, similarity.table_names(2), id="similarity"),
    ],
)
def test_every_table_that_a_measure_names_is_made_by_it(
    make: Callable[[], Result], names: tuple[str, ...]
) -> None:
    assert sorted(make().tables) == sorted(names)


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        (variance.variance, variance.TABLES),
        (consistency.consistency, consistency.TABLES),
        (similarity.similarity, similarity.table_names(1)),
    ],
)
def test_the_documentation_of_a_measure_names_every_table(
    measure: Callable[..., Result], names: tuple[str, ...]
) -> None:
    said = inspect.getdoc(measure) or ""

    assert [name for name in names if f"``{name}``" not in said] == []
