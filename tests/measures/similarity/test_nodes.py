"""Agreement on optional tools."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from measures.similarity import naive, runs_made
from measures.similarity.runs_made import call, cohort_of, in_turns
from measures.similarity.strategies import cohort_runs

from ethogram.errors import NotEnoughDataError
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.nodes import (
    ToolUse,
    by_algebra,
    in_pool,
    s_node,
    s_node_all_tools,
    s_node_others,
    split,
    tool_use,
)
from ethogram.measures.similarity.sample import sample_of
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.simulate.build import run
from ethogram.stats.arrays import BoolArray
from ethogram.trajectory import Trajectory

Variant: TypeAlias = Callable[[ToolUse, BoolArray], TaskScores]
VARIANTS: Mapping[naive.Variant, Variant] = {
    "optional": s_node,
    "all_tools": s_node_all_tools,
    "leave_pair_out": s_node_others,
}


def with_tools(tools: str, **fields: Any) -> Trajectory:
    """A run that calls these tools, a letter each."""
    return run(in_turns(*(call(letter) for letter in tools)), **fields)


def use_of(runs: Iterable[Trajectory]) -> ToolUse:
    cohort = cohort_of(runs)
    sample = sample_of(cohort)
    names = [each.names for each in run_calls(cohort, sample.runs["run_id"].to_list())]
    return tool_use(sample, names)


def everybody(use: ToolUse) -> BoolArray:
    return in_pool(use.sample, None)


def score(
    runs: Iterable[Trajectory],
    one: str,
    other: str,
    *,
    variant: Variant = s_node,
    pool: Sequence[str] | None = None,
) -> dict[str, float]:
    """Scores of a pair by task, where they are defined."""
    use = use_of(runs)
    found = variant(use, in_pool(use.sample, pool))
    row = found.values[found.systems.index(one), found.systems.index(other)]
    return {
        task.removeprefix("bench::"): value
        for task, value in zip(found.tasks, row.tolist(), strict=True)
        if not np.isnan(value)
    }


def test_the_three_ways_of_cancelling_by_hand() -> None:
    """find_reader is used by two of three, get_hold, find_reader_by_card and calculate by one each.

    get_reader and cancel_hold are mandatory. Careful and brisk differ in all four; careful and
    plain in get_hold; brisk and plain in find_reader, find_reader_by_card and calculate.
    """
    runs = [
        run(runs_made.careful_cancelling(), system="careful"),
        run(runs_made.brisk_cancelling(), system="brisk"),
        run(runs_made.plain_cancelling(), system="plain"),
    ]

    assert score(runs, "careful", "brisk") == {"t1": 0}
    assert score(runs, "careful", "plain") == {"t1": 3 / 4}
    assert score(runs, "brisk", "plain") == {"t1": 1 / 4}
    assert score(runs, "careful", "brisk", variant=s_node_all_tools) == {"t1": pytest.approx(2 / 6)}
    assert score(runs, "careful", "plain", variant=s_node_all_tools) == {"t1": pytest.approx(5 / 6)}
    # one other system has no optional tools
    assert score(runs, "careful", "brisk", variant=s_node_others) == {}


FOUR = [
    with_tools("ab", system="a"),
    with_tools("ac", system="b"),
    with_tools("abd", system="c"),
    with_tools("ae", system="d", success=False),
]


def test_mandatory_and_optional_are_what_all_and_some_successful_systems_used() -> None:
    use = use_of(FOUR)
    found = split(use, everybody(use))

    assert use.tools == ("a", "b", "c", "d", "e")
    assert found.mandatory.tolist() == [[True, False, False, False, False]]
    assert found.optional.tolist() == [[False, True, True, True, False]]
    assert found.n_winners.tolist() == [3]


def test_a_system_that_failed_is_scored_on_the_tools_of_those_that_did_not() -> None:
    # d skips b, c and d, as a does with c and d
    assert score(FOUR, "a", "d") == {"t1": pytest.approx(2 / 3)}
    assert score(FOUR, "a", "d", variant=s_node_all_tools) == {"t1": 3 / 4}


def test_a_pair_left_out_is_judged_by_the_others() -> None:
    # of c and d only c succeeded: nothing is optional; of b and c: b, c and d are
    assert score(FOUR, "a", "b", variant=s_node_others) == {}
    assert score(FOUR, "a", "d", variant=s_node_others) == {"t1": pytest.approx(2 / 3)}


def test_failed_calls_and_generic_tools_count_as_use() -> None:
    runs = [
        run(in_turns(call("a"), call("calculate", is_error=True)), system="a"),
        with_tools("a", system="b"),
        with_tools("a", system="c"),
    ]

    assert score(runs, "a", "b") == {"t1": 0}
    assert score(runs, "b", "c") == {"t1": 1}


def test_tasks_without_optional_tools_are_left_out() -> None:
    alike = [with_tools("ab", system=name, task="t2") for name in "abc"]

    assert score([*FOUR, *alike], "a", "b") == {"t1": pytest.approx(1 / 3)}
    assert score([*FOUR, *alike], "a", "b", variant=s_node_all_tools) == {"t1": 2 / 4, "t2": 1}


def test_a_score_of_repeats_is_the_mean_over_pairs_of_runs() -> None:
    """Optional: b, c. a's runs use {b} and {b, c}; b's uses {c}: (0 + 1/2) / 2."""
    runs = [
        with_tools("ab", system="a", trial=0),
        with_tools("abc", system="a", trial=1),
        with_tools("ac", system="b"),
        with_tools("a", system="c"),
    ]
    use = use_of(runs)

    assert score(runs, "a", "b") == {"t1": 1 / 4}
    # between a's two runs: b in both, c in one
    assert s_node(use, everybody(use)).repeats[0].tolist() == [1 / 2]
    assert np.isnan(s_node(use, everybody(use)).repeats[1:]).all()


def test_a_systems_set_for_the_pool_is_the_union_over_its_successful_runs() -> None:
    """Won with {a, b} and {a, c}: all three used b and c, so that nothing is optional but d."""
    runs = [
        with_tools("ab", system="a", trial=0),
        with_tools("ac", system="a", trial=1),
        with_tools("ad", system="a", trial=2, success=False),
        with_tools("ae", system="a", trial=3, success=None),
        with_tools("abc", system="b"),
        with_tools("abcd", system="c"),
    ]
    use = use_of(runs)
    found = split(use, everybody(use))

    assert [tool for tool, is_so in zip(use.tools, found.optional[0], strict=True) if is_so] == [
        "d"
    ]
    assert found.mandatory[0].sum() == 3


def test_the_pool_decides_whatever_pair_is_shown() -> None:
    runs = [*FOUR, with_tools("a", system="e")]

    assert score(runs, "a", "b", pool=["b", "c", "e"]) == {"t1": pytest.approx(1 / 3)}
    assert score(runs, "a", "d", pool=["a", "c", "e"]) == {"t1": 1 / 2}


@pytest.mark.parametrize("n", [0, 1, 2])
def test_under_three_systems_with_successes_there_is_no_score_and_a_reason(n: int) -> None:
    runs = [
        with_tools("ab"[: 1 + place % 2], system=name, success=place < n)
        for place, name in enumerate("abcd")
    ]
    use = use_of(runs)
    found = s_node(use, everybody(use))

    assert np.isnan(found.values).all()
    assert f"three systems with successes; it has {n}" in (found.reason or "")


def test_a_pool_of_three_that_never_won_together_is_enough() -> None:
    runs = [with_tools("ab", system=name, task=name) for name in "abc"]
    runs += [with_tools("a", system=name, task="a", success=False) for name in "bc"]
    use = use_of(runs)

    assert s_node(use, everybody(use)).reason is None
    assert score(runs, "a", "b") == {}


def test_successes_outside_the_pool_do_not_count() -> None:
    runs = [with_tools("ab", system=name) for name in "abc"]
    use = use_of(runs)

    assert "it has 2" in (s_node(use, in_pool(use.sample, ["a", "b"])).reason or "")


def test_without_any_success_no_variant_has_a_score() -> None:
    runs = [with_tools("ab", system=name, success=False) for name in "abcd"]
    use = use_of(runs)

    for variant in VARIANTS.values():
        found = variant(use, everybody(use))
        assert np.isnan(found.values).all()
        assert found.reason


def test_without_any_call_nothing_is_optional() -> None:
    runs = [run([], system=name) for name in "abcd"]
    use = use_of(runs)

    assert use.tools == ()
    for variant in VARIANTS.values():
        assert np.isnan(variant(use, everybody(use)).values).all()


def test_a_run_without_calls_skips_every_tool() -> None:
    runs = [*FOUR[:3], run([], system="d", success=False)]

    assert score(runs, "c", "d") == {"t1": pytest.approx(1 / 3)}


def test_where_just_two_won_they_disagree_on_every_optional_tool() -> None:
    runs = [
        with_tools("ab", system="a"),
        with_tools("ac", system="b"),
        with_tools("a", system="c", success=False),
        with_tools("ab", system="c", task="t2"),
        with_tools("ab", system="a", task="t2"),
    ]
    use = use_of(runs)

    assert score(runs, "a", "b") == {"t1": 0}
    assert by_algebra(use, everybody(use)).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_a_copy_of_a_systems_runs_agrees_with_it_in_everything() -> None:
    runs = [*FOUR, *(with_tools("ab", system="twin") for _ in "1")]

    assert score(runs, "a", "twin") == {"t1": 1}


def test_runs_that_the_infrastructure_broke_decide_nothing() -> None:
    runs = [*FOUR[:3], with_tools("xyz", system="d", ending="infra_error"),
            with_tools("a", system="d", trial=1, success=False)]  # fmt: skip

    assert use_of(runs).tools == ("a", "b", "c", "d")


@settings(max_examples=25)
@given(cohort_runs())
def test_any_cohort_has_the_naive_scores(made: list[Trajectory]) -> None:
    cohort = cohort_of(made)
    try:
        sample = sample_of(cohort)
    except NotEnoughDataError:
        return
    runs = naive.runs_of(cohort)
    use = use_of(made)
    for pool in (None, sample.systems[:3]):
        for variant, function in VARIANTS.items():
            found = function(use, in_pool(sample, pool))
            for i, j in itertools.combinations(range(len(sample.systems)), 2):
                expected = naive.s_node(runs, sample.systems[i], sample.systems[j], pool, variant)
                scored = {
                    task: value
                    for task, value in zip(sample.tasks, found.values[i, j].tolist(), strict=True)
                    if not np.isnan(value)
                }
                assert scored == pytest.approx(expected or {})
