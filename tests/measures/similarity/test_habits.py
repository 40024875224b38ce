"""S_seq and S_dep: cosines of habits."""

import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from measures.similarity import naive, runs_made
from measures.similarity.runs_made import LABELER, call, cohort_of, in_turns
from measures.similarity.strategies import cohort_runs
from msgspec.structs import replace

from ethogram.cohort import Cohort
from ethogram.errors import NotEnoughDataError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.ingest.api import read
from ethogram.ingest.label import TableLabeler
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.graph import ActionGraph, action_graph
from ethogram.measures.similarity.habits import Habits, habits
from ethogram.measures.similarity.nodes import ToolUse, in_pool, s_node, s_node_others, tool_use
from ethogram.measures.similarity.sample import sample_of
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.measures.similarity.values import UNINFORMATIVE
from ethogram.measures.similarity.vectors import (
    Vector,
    chain_as_share,
    dependency_vector,
    sequence_vector,
)
from ethogram.simulate.build import run
from ethogram.stats.arrays import BoolArray, FloatArray
from ethogram.trajectory import Event, Trajectory

Known: TypeAlias = dict[tuple[str, str, str], FloatArray]
Rename: TypeAlias = Callable[[str], str]


def sequence(graph: ActionGraph) -> Vector:
    return sequence_vector(graph)


def dependency(graph: ActionGraph) -> Vector:
    return dependency_vector(graph)


def share(graph: ActionGraph) -> Vector:
    return chain_as_share(dependency_vector(graph), len(graph.names))


KINDS = {"s_seq": sequence, "s_dep": dependency, "s_dep_share": share}


def habits_of(cohort: Cohort, name: str) -> Habits:
    sample = sample_of(cohort)
    graphs = [action_graph(each) for each in run_calls(cohort, sample.runs["run_id"].to_list())]
    return habits(name, np.array([KINDS[name](graph) for graph in graphs]), sample)


def score(scores: TaskScores, one: str = "a", other: str = "b") -> list[float]:
    values = scores.values[scores.systems.index(one), scores.systems.index(other)]
    return [float(value) for value in values]


LOOK, BOOK = call("get_loan"), call("book_room")
VERIFIES, CONFIRMS, NOTHING = [BOOK, LOOK], [LOOK, BOOK], [LOOK]


def seq(*runs: tuple[str, str, int, list[Event]]) -> Habits:
    """S_seq of runs given as (system, task, trial, calls)."""
    made = [
        run(in_turns(*calls), system=system, task=task, trial=trial)
        for system, task, trial, calls in runs
    ]
    return habits_of(cohort_of(made), "s_seq")


def test_the_ways_of_cancelling_by_hand() -> None:
    """Sequences (1/2, 1/2, 1), (0, 1, 0), (0, 1, 0); dependencies (1, 2, 1/2), (1/3, 1, 0),
    (1/2, 1, 0).

    For the last: the reader's id goes from the first call to the second, and the hold's number was
    told.
    """
    cohort = cohort_of(
        [
            run(runs_made.careful_cancelling(), system="a"),
            run(runs_made.brisk_cancelling(), system="b"),
            run(runs_made.plain_cancelling(), system="c"),
        ]
    )
    s_seq, s_dep = (habits_of(cohort, name).scores for name in ("s_seq", "s_dep"))

    assert score(s_seq) == pytest.approx([0.5 / math.sqrt(1.5)])
    assert score(s_seq, "b", "c") == pytest.approx([1])
    assert score(s_dep) == pytest.approx([(1 / 3 + 2) / math.sqrt(5.25 * (1 + 1 / 9))])
    assert score(s_dep, "b", "c") == pytest.approx(
        [(1 / 6 + 1) / math.sqrt((1 + 1 / 9) * (1 + 1 / 4))]
    )


def test_the_two_exchanges_by_hand() -> None:
    """Dependencies (2/5, 2, 0) and (1/3, 1, 0); as shares (2/5, 2/5, 0) and (1/3, 1/3, 0)."""
    cohort = cohort_of(
        [
            run(runs_made.doubly_checked_exchange(), system="a"),
            run(runs_made.direct_exchange(), system="b"),
        ]
    )

    assert score(habits_of(cohort, "s_seq").scores) == pytest.approx([1])
    assert score(habits_of(cohort, "s_dep").scores) == pytest.approx(
        [(2 / 15 + 2) / math.sqrt((4 / 25 + 4) * (1 / 9 + 1))]
    )
    assert score(habits_of(cohort, "s_dep_share").scores) == pytest.approx([1])


def test_two_zero_vectors_are_alike_and_a_zero_and_another_are_not() -> None:
    found = seq(
        ("a", "t1", 0, NOTHING), ("b", "t1", 0, []),
        ("a", "t2", 0, NOTHING), ("b", "t2", 0, VERIFIES),
        ("a", "t3", 0, VERIFIES), ("b", "t3", 0, CONFIRMS),
        ("a", "t4", 0, VERIFIES), ("b", "t4", 0, VERIFIES),
    )  # fmt: skip

    assert score(found.scores) == pytest.approx([1, 0, 0, 1])
    assert found.both_zero[0, 1].tolist() == [1, 0, 0, 0]
    assert found.one_zero[0, 1].tolist() == [0, 1, 0, 0]
    assert score(found.non_zero) == pytest.approx([math.nan, math.nan, 0, 1], nan_ok=True)


def test_with_repeats_a_task_has_the_mean_over_all_pairs_of_runs() -> None:
    """a verifies, then does nothing; b verifies twice, confirms once: (1 + 1 + 0 + 3 * 0) / 6."""
    found = seq(
        ("a", "t1", 0, VERIFIES), ("a", "t1", 1, NOTHING),
        ("b", "t1", 0, VERIFIES), ("b", "t1", 1, VERIFIES), ("b", "t1", 2, CONFIRMS),
    )  # fmt: skip

    assert score(found.scores) == pytest.approx([2 / 6])
    assert score(found.non_zero) == pytest.approx([2 / 3])
    assert found.both_zero[0, 1, 0] == pytest.approx(0)
    assert found.one_zero[0, 1, 0] == pytest.approx(1 / 2)


def test_repeats_are_compared_with_each_other_and_never_with_themselves() -> None:
    found = seq(
        ("a", "t1", 0, VERIFIES), ("a", "t1", 1, NOTHING), ("a", "t1", 2, NOTHING),
        ("b", "t1", 0, VERIFIES),
    )  # fmt: skip

    # three pairs: nothing and nothing is 1, the other two 0
    assert found.scores.repeats[:, 0].tolist() == pytest.approx([1 / 3, math.nan], nan_ok=True)
    assert np.isnan(found.non_zero.repeats).all()


def test_tasks_that_only_one_of_them_ran_have_no_score() -> None:
    found = seq(
        ("a", "t1", 0, VERIFIES), ("b", "t1", 0, VERIFIES),
        ("a", "t2", 0, VERIFIES), ("b", "t3", 0, VERIFIES),
    )  # fmt: skip

    assert score(found.scores) == pytest.approx([1, math.nan, math.nan], nan_ok=True)
    assert np.isnan(found.both_zero[0, 1, 1:]).all()


def test_runs_that_the_infrastructure_broke_go_and_runs_without_calls_stay() -> None:
    made = [
        run(in_turns(*VERIFIES), system="a"),
        run([], system="b", trial=0),
        run(in_turns(*VERIFIES), system="b", trial=1, ending="infra_error"),
    ]

    assert score(habits_of(cohort_of(made), "s_seq").scores) == [0]


def test_other_tasks_of_a_system_are_a_floor() -> None:
    found = seq(
        ("a", "t1", 0, VERIFIES), ("a", "t2", 0, VERIFIES), ("a", "t3", 0, CONFIRMS),
        ("b", "t1", 0, VERIFIES),
    )  # fmt: skip

    assert found.scores.unlike is not None
    assert found.scores.unlike[0].tolist() == pytest.approx([1 / 2, 1 / 2, 0])
    assert np.isnan(found.scores.unlike[1]).all()


def test_a_cohort_without_texts_has_sequences_as_before(tmp_path: Path) -> None:
    cohort = cohort_of(
        [
            run(runs_made.careful_cancelling(), system="a"),
            run(runs_made.brisk_cancelling(), system="b"),
        ]
    )
    saved = cohort.save(tmp_path / "cohort", texts=False)

    assert score(habits_of(saved, "s_seq").scores) == score(habits_of(cohort, "s_seq").scores)


# --- invariants ---------------------------------------------------------------------------------


def all_scores(made: list[Trajectory], labeler: TableLabeler = LABELER) -> Known:
    """Every score of a cohort's pairs, as ``{(name, system, system): values by task}``."""
    cohort = from_trajectories(made, labeler=labeler)
    sample = sample_of(cohort)
    calls = list(run_calls(cohort, sample.runs["run_id"].to_list()))
    graphs = [action_graph(each) for each in calls]
    use = tool_use(sample, [each.names for each in calls])
    pool = in_pool(sample, None)
    found = [s_node(use, pool), s_node_others(use, pool)]
    for name, vector in KINDS.items():
        each = habits(name, np.array([vector(graph) for graph in graphs]), sample)
        found += [each.scores, each.non_zero]
    return {
        (scores.name, one, other): scores.values[i, j]
        for scores in found
        for (i, one), (j, other) in itertools.product(enumerate(sample.systems), repeat=2)
    }


def scores_or_none(made: list[Trajectory], labeler: TableLabeler = LABELER) -> Known | None:
    try:
        return all_scores(made, labeler)
    except NotEnoughDataError:
        return None


def renamed(
    made: list[Trajectory], *, task: Rename | None = None, system: Rename | None = None
) -> list[Trajectory]:
    """Runs with other names of tasks or systems."""
    return [_renamed(each, task or str, system or str) for each in made]


def _renamed(made: Trajectory, task: Rename, system: Rename) -> Trajectory:
    assert made.task.task_id is not None
    assert made.system.name is not None
    assert made.trial is not None
    return run(
        made.events,
        task=task(made.task.task_id),
        system=system(made.system.name),
        trial=made.trial,
        success=made.outcome.success,
        ending=made.outcome.ending,
    )


@settings(max_examples=20)
@given(cohort_runs())
def test_scores_are_symmetric_shares(made: list[Trajectory]) -> None:
    found = scores_or_none(made) or {}
    for (name, one, other), values in found.items():
        known = values[~np.isnan(values)]
        assert ((known >= 0) & (known <= 1)).all()
        np.testing.assert_allclose(values, found[name, other, one], atol=1e-12)


@settings(max_examples=20)
@given(cohort_runs(max_repeats=1))
def test_a_copy_of_a_systems_runs_is_as_like_it_as_can_be(made: list[Trajectory]) -> None:
    copies = renamed([each for each in made if each.system.name == "anna"], system=lambda _: "twin")
    for (_, one, other), values in (scores_or_none([*made, *copies]) or {}).items():
        if (one, other) == ("anna", "twin"):
            assert values[~np.isnan(values)] == pytest.approx(1)


@settings(max_examples=20)
@given(cohort_runs())
def test_names_of_tasks_do_not_matter(made: list[Trajectory]) -> None:
    plain = scores_or_none(made)
    other = scores_or_none(renamed(made, task=lambda name: f"{9 - int(name[1:])}-{name}"))

    assert (plain is None) == (other is None)
    for key, values in (plain or {}).items():
        np.testing.assert_allclose(values, (other or {})[key][::-1], atol=1e-12)


@settings(max_examples=20)
@given(cohort_runs())
def test_the_order_of_systems_does_not_matter(made: list[Trajectory]) -> None:
    names = {"anna": "zoe", "bert": "yan", "cora": "xia", "dora": "will"}
    plain = scores_or_none(made)
    other = scores_or_none(renamed(made[::-1], system=names.__getitem__))

    assert (plain is None) == (other is None)
    for (name, one, two), values in (plain or {}).items():
        np.testing.assert_allclose(values, (other or {})[name, names[one], names[two]], atol=1e-12)


NEW_TOOLS = {
    "get_loan": ("zig", "read"),
    "get_reader": ("zag", "read"),
    "cancel_loan": ("get_nothing", "write"),
    "update_reader": ("plim", "write"),
    "calculate": ("cancel_everything", "none"),
    "frobnicate": ("zog", None),
}


@pytest.fixture(scope="module")
def labeler(tmp_path_factory: pytest.TempPathFactory) -> TableLabeler:
    """Effects under the new names."""
    table = tmp_path_factory.mktemp("effects") / "effects.toml"
    lines = [f'{name} = "{effect}"' for name, effect in NEW_TOOLS.values() if effect]
    table.write_text("\n".join(["[tools]", *lines]), "utf-8")
    return default_labeler(effects=[table])


@settings(max_examples=20)
@given(cohort_runs())
def test_names_of_tools_do_not_matter(labeler: TableLabeler, made: list[Trajectory]) -> None:
    tools: dict[str | None, str] = {old: new for old, (new, _) in NEW_TOOLS.items()}
    other = [
        replace(each, events=tuple(replace(e, tool=tools.get(e.tool, e.tool)) for e in each.events))
        for each in made
    ]
    plain, new = scores_or_none(made), scores_or_none(other, labeler)

    assert (plain is None) == (new is None)
    for key, values in (plain or {}).items():
        np.testing.assert_allclose(values, (new or {})[key], atol=1e-12)


# --- another implementation ---------------------------------------------------------------------

NAIVE: Mapping[str, Callable[[naive.Row], list[float]]] = {
    "s_seq": naive.sequence_vector,
    "s_dep": lambda one: naive.dependency_vector(one, UNINFORMATIVE),
    "s_dep_share": lambda one: naive.dependency_vector(one, UNINFORMATIVE, share=True),
}


def same_as_naive(cohort: Cohort) -> None:
    """Compare all pairs; each run's vector is computed once."""
    runs = naive.runs_of(cohort)
    for name, vector in NAIVE.items():
        of_run = {each["run_id"]: vector(each) for each in runs}
        found = habits_of(cohort, name)
        for scores, nonzero in ((found.scores, False), (found.non_zero, True)):
            for one, other in itertools.combinations(scores.systems, 2):
                expected = naive.vector_scores(runs, one, other, of_run.__getitem__, nonzero)
                pairs = zip(scores.tasks, score(scores, one, other), strict=True)
                known = {task: value for task, value in pairs if not np.isnan(value)}
                assert known == pytest.approx(expected, abs=1e-9)


@settings(max_examples=25)
@given(cohort_runs())
def test_any_cohort_has_the_naive_scores(made: list[Trajectory]) -> None:
    cohort = cohort_of(made)
    try:
        sample_of(cohort)
    except NotEnoughDataError:
        return
    same_as_naive(cohort)


AIRLINE = ("gpt-4o-2024-11-20", "qwen2.5:7b", "claude-sonnet-4-5", "gpt-5.4", "claude-opus-4-6")


@pytest.fixture(scope="module")
def airline(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    """Five systems at tau2-bench's airline tasks."""
    folder = tmp_path_factory.mktemp("tau2") / "cohort"
    cohort = read(shared / "data" / "tau2-bench", out=folder)
    chosen = pl.any_horizontal(pl.col("model").str.ends_with(name) for name in AIRLINE)
    return cohort.filter('benchmark == "tau2-bench/airline"', chosen)


@pytest.mark.shared
@pytest.mark.slow
def test_five_airline_systems_have_the_naive_scores(airline: Cohort) -> None:
    assert airline.systems.height == 5
    same_as_naive(airline)
    runs = naive.runs_of(airline)
    sample = sample_of(airline)
    names = [each.names for each in run_calls(airline, sample.runs["run_id"].to_list())]
    use = tool_use(sample, names)
    variants: dict[naive.Variant, Callable[[ToolUse, BoolArray], TaskScores]] = {
        "optional": s_node,
        "leave_pair_out": s_node_others,
    }
    for variant, function in variants.items():
        found = function(use, in_pool(sample, None))
        for one, other in itertools.combinations(sample.systems, 2):
            pairs = zip(sample.tasks, score(found, one, other), strict=True)
            known = {task: value for task, value in pairs if not np.isnan(value)}
            assert known == pytest.approx(naive.s_node(runs, one, other, variant=variant))
