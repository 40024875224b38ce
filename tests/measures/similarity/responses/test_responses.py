"""RPS and RSE by hand, and what doesn't change them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.similarity.scripted_judge import Scores, ScriptedJudge, noisy

from ethogram.cohort import Cohort
from ethogram.ingest import from_trajectories
from ethogram.measures.similarity.responses.blocks import Staged
from ethogram.measures.similarity.responses.measure import Rps, rps
from ethogram.measures.similarity.responses.scoring import (
    NO_ANSWER,
    NO_SHARED_STAGE,
    NO_STAGES,
    NO_WORDS,
    Judged,
    case_scores,
    score,
    score_replies,
    scores_of,
    stage_runs,
)
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.sample import sample_of
from ethogram.results.judges import Question
from ethogram.simulate.build import reply, run, user
from ethogram.trajectory import Trajectory

STAGES = Taxonomy(
    name="three", about="", stages={"one": "First.", "two": "Second.", "three": "Third."}
)


def said(system: str, *texts: str, task: str = "t1", trial: int = 0, **fields: Any) -> Trajectory:
    steps = [each for text in texts for each in (user("?"), reply(text))]
    return run(steps, system=system, task=task, trial=trial, **fields)


TWO_TASKS = (
    said("a", "<one> A", "<two> A"),
    said("b", "<one> B", "<two> B", "<three> B"),
    said("a", "<one> A", task="t2"),
    said("b", "<one> B", task="t2"),
)
BY_STAGE: Mapping[str, Mapping[str, Scores]] = {
    "one": {"A": (1, 2, 3, 5), "B": (2, 2, 3, 4)},
    "two": {"A": (4, 4, 4, 2), "B": (4, 4, 4, 2)},
}
"""Scores of each stage by whose block is shown first."""


def by_stage(question: Question[Any]) -> Scores | None:
    stage = str(question.parts["stage"]).partition(":")[0]
    return BY_STAGE[stage]["A" if "A" in str(question.parts["first"]) else "B"]


def judged(runs: Sequence[Trajectory], judge: ScriptedJudge, **options: Any) -> Judged:
    return score(staged(runs, judge, **options), judge)


def staged(runs: Sequence[Trajectory], judge: ScriptedJudge, **options: Any) -> Staged:
    cohort = from_trajectories(runs)
    return stage_runs(cohort, sample_of(cohort), judge, taxonomy=STAGES, **options)


def test_rps_is_the_mean_overall_over_shared_stages_then_over_tasks() -> None:
    """t1: stages one (5 and 4 in its two orders) and two (2 and 2); t2: stage one alone."""
    found = {each.name: each for each in scores_of(judged(TWO_TASKS, ScriptedJudge(by_stage)))}

    assert found["rps"].values[0, 1].tolist() == [(4.5 + 2) / 2, 4.5]
    assert found["rps_style"].values[0, 1].tolist() == [(1.5 + 4) / 2, 1.5]
    assert found["rps_structure"].values[0, 1].tolist() == [3, 2]
    assert found["rps_alignment"].values[0, 1].tolist() == [3.5, 3]
    assert np.isnan(found["rps"].repeats).all()
    assert found["rps"].bounds == (1, 5)


def test_the_judge_is_asked_once_a_run_and_twice_a_shared_stage() -> None:
    judge = ScriptedJudge(by_stage, samples=3)
    judged(TWO_TASKS, judge)
    prompts = [question.prompt for question in judge.asked]

    assert prompts.count("stages") == 4
    assert prompts.count("similarity") == 3 * 2 * 3
    shown = [(q.parts["first"], q.parts["second"]) for q in judge.asked if q.prompt == "similarity"]
    assert {(second, first) for first, second in shown} == set(shown)
    assert judge.asked[0].choices == ("one", "two", "three")
    assert {str(q.parts["stage"]) for q in judge.asked if q.prompt == "similarity"} == {
        "one: First.",
        "two: Second.",
    }


def test_without_stages_whole_runs_are_shown() -> None:
    judge = ScriptedJudge(lambda _: (1, 1, 1, 4))
    whole = score(staged(TWO_TASKS, judge), judge, stages=False)
    (found,) = scores_of(whole)
    last = judge.asked[-4]

    assert found.name == "rps_whole"
    assert found.values[0, 1].tolist() == [4, 4]
    assert last.parts == {
        "stage": None,
        "first": "[reply] <one> A\n\n[reply] <two> A",
        "second": "[reply] <one> B\n\n[reply] <two> B\n\n[reply] <three> B",
    }


def test_rse_is_one_score_of_all_replies_without_calls() -> None:
    runs = [*TWO_TASKS, said("a", "<one> A", task="t3"), run(["ls"], system="b", task="t3")]
    judge = ScriptedJudge(lambda q: (1, 1, 1, 5 if "A" in str(q.parts["first"]) else 2))
    replies = score_replies(staged(runs, judge), judge)
    (found,) = scores_of(replies)

    assert judge.asked[-4].parts == {
        "first": "<one> A\n\n<two> A",
        "second": "<one> B\n\n<two> B\n\n<three> B",
    }
    assert found.name == "rse"
    assert found.values[0, 1, :2].tolist() == [3.5, 3.5]
    assert np.isnan(found.values[0, 1, 2])


def test_an_order_without_an_answer_leaves_the_score_to_the_other() -> None:
    def scores(question: Question[Any]) -> Scores | None:
        swapped = "B" in str(question.parts["first"])
        return None if swapped and "one:" in str(question.parts["stage"]) else by_stage(question)

    found = scores_of(judged(TWO_TASKS, ScriptedJudge(scores)))[0]

    assert found.values[0, 1].tolist() == [(5 + 2) / 2, 5]


def test_stages_count_alike_whatever_the_number_of_their_answers() -> None:
    def scores(question: Question[Any]) -> Scores | None:
        one = str(question.parts["stage"]).startswith("one")
        return by_stage(question) if one or question.sample == 0 else None

    found = scores_of(judged(TWO_TASKS, ScriptedJudge(scores, samples=4)))[0]

    assert found.values[0, 1, 0] == (4.5 + 2) / 2


def repeats(counts: Mapping[str, int]) -> list[Trajectory]:
    return [
        said(name, f"<one> {name}{trial}", trial=trial)
        for name, count in counts.items()
        for trial in range(count)
    ]


def test_with_repeats_a_task_s_score_is_the_mean_over_pairs_of_runs() -> None:
    rank = {"a0": 1, "a1": 2, "b0": 1, "b1": 4}

    def scores(question: Question[Any]) -> Scores:
        first, second = (rank[str(question.parts[p])[-2:]] for p in ("first", "second"))
        return (1, 1, 1, max(1, min(5, first + second - 1)))

    found = scores_of(judged(repeats({"a": 2, "b": 2}), ScriptedJudge(scores), own_repeats=True))[0]

    assert found.values[0, 1, 0] == np.mean([1, 4, 2, 5])
    assert found.repeats[:, 0].tolist() == [2, 4]


@given(st.integers(0, 2**32 - 1))
def test_names_and_order_of_systems_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = {
        (system, task): [
            f"<{stage}> {rng.integers(9)}" for stage in STAGES.stages if rng.random() < 0.7
        ]
        for system in ("a", "b", "c")
        for task in ("t1", "t2")
    }

    def found(names: Mapping[str, str]) -> dict[frozenset[str], list[float]]:
        runs = [
            said(names[system], *each, task=task, native_id=f"{system}{task}")
            for (system, task), each in texts.items()
        ]
        values = scores_of(judged(runs, ScriptedJudge(noisy)))[0]
        old = {new: name for name, new in names.items()}
        systems = [old[name] for name in values.systems]
        return {
            frozenset((one, other)): values.values[i, j].tolist()
            for i, one in enumerate(systems)
            for j, other in enumerate(systems)
            if i != j
        }

    one = found({"a": "a", "b": "b", "c": "c"})
    other = found({"a": "z", "b": "m", "c": "d"})

    assert one.keys() == other.keys()
    for pair, values in one.items():
        assert values == pytest.approx(other[pair], nan_ok=True)


@pytest.mark.parametrize(
    ("runs", "judge", "reason"),
    [
        ([run(["ls"], system=name) for name in "ab"], ScriptedJudge(), NO_WORDS),
        (TWO_TASKS, ScriptedJudge(stage=lambda *_: None), NO_STAGES),
        ([said("a", "<one>"), said("b", "<two>")], ScriptedJudge(), NO_SHARED_STAGE),
        (TWO_TASKS, ScriptedJudge(lambda _: None), NO_ANSWER),
    ],
)
def test_where_no_pair_has_a_score_the_reason_is_the_first_that_failed(
    runs: Sequence[Trajectory], judge: ScriptedJudge, reason: str
) -> None:
    made = judged(runs, judge)

    for each in scores_of(made):
        assert each.reason == reason
        assert np.isnan(each.values).all()
    assert case_scores(made).is_empty()


def study(runs: Sequence[Trajectory], judge: ScriptedJudge, **options: Any) -> Rps:
    cohort: Cohort = from_trajectories(runs)
    return rps(cohort, sample_of(cohort), judge, taxonomy=STAGES, **options)


def test_tables_give_the_mean_over_tasks_and_count_what_has_no_score() -> None:
    runs = [
        *TWO_TASKS,
        said("a", "<one> A", task="t3"),
        said("b", "<two> B", task="t3"),
        said("a", "<one> A", task="t4"),
        run(["ls"], system="b", task="t4"),
        said("a", "<one> odd", task="t5"),
        said("b", "<one> B", task="t5"),
        said("a", "<three> A", task="t6"),
        said("b", "<three> B", task="t6"),
    ]
    judge = ScriptedJudge(
        lambda q: None if "three:" in str(q.parts.get("stage")) else by_stage_or_three(q),
        lambda item, choices: (
            None if "odd" in item else next(c for c in choices if f"<{c}>" in item)
        ),
    )
    tables = {table.name: table.frame for table in study(runs, judge, replies=False).tables()}
    row = tables["rps"].filter(name="rps").row(0, named=True)
    coverage = tables["rps_coverage"].row(0, named=True)

    assert row["value"] == np.mean([3.25, 4.5])
    assert (row["low"], row["n_tasks"], row["n_runs"], row["n_excluded"]) == (None, 2, 4, 8)
    assert "too few tasks" in row["method"]
    assert coverage["n_pairs"] == coverage["n_tasks"] == 6
    fates = ["n_no_words", "n_not_sorted", "n_no_stage", "n_no_answer", "n_scored"]
    assert [coverage[name] for name in fates] == [1, 1, 1, 1, 2]
    assert coverage["n_stages"] == 1.5
    assert tables["rps_stages"].select("stage", "score", "n_tasks").rows() == [
        ("one", 4.5, 2),
        ("two", 2, 1),
    ]


def by_stage_or_three(question: Question[Any]) -> Scores | None:
    return by_stage(question) if question.parts.get("stage") else (3, 3, 3, 3)


def test_everything_that_was_asked_for_has_its_scores_and_tables() -> None:
    judge, second = ScriptedJudge(by_stage_or_three, samples=2), ScriptedJudge(name="gpt-4.1")
    made = study([*TWO_TASKS, said("gpt-4.1-mini", "<one> A")], judge, second=second, whole=True)

    assert [each.name for each in made.scores] == [
        *("rps", "rps_style", "rps_structure", "rps_alignment"),
        *("rps_whole", "rse"),
    ]
    tables = made.tables()
    assert [table.name for table in tables] == [
        *("rps", "rps_stages", "rps_coverage", "reliability", "ablation")
    ]
    assert set(tables[3].frame["comparison"]) == {"two orders", "asked twice", "two judges"}
    two = tables[3].frame.filter(comparison="two judges")
    assert two["score"].unique(maintain_order=True).to_list() == [
        *("rps", "rps_style", "rps_structure", "rps_alignment", "rse")
    ]
    assert "rps_whole" in set(tables[3].frame.filter(comparison="asked twice")["score"])
    (warning,) = made.warnings
    assert warning.startswith("The judge gpt-4.1 is of the same family (OpenAI) as gpt-4.1-mini:")


def test_the_second_judge_scores_the_blocks_that_the_first_sorted() -> None:
    judge, second = ScriptedJudge(by_stage), ScriptedJudge()
    study(TWO_TASKS, judge, second=second, replies=False)

    assert {question.prompt for question in second.asked} == {"similarity"}
