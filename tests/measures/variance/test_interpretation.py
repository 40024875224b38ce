"""Why runs fail, by a judge whose answers are known: labels, shares, agreement, what is missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measures.variance.failure_judge import WORDS, FailureJudge, cohort_of, failing, marked

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.measures.variance import variance
from ethogram.measures.variance.failed_runs import FailedRun
from ethogram.measures.variance.interpretation import Reading, most
from ethogram.results.answers import FailureReading
from ethogram.results.ratings import NO_ITEM
from ethogram.results.result import Result
from ethogram.simulate.build import run

TASKS: dict[str, list[str | None]] = {
    "t1": [marked("II", "warn"), marked("II", "warn", "more"), marked("II", "warn")],
    "t2": [marked("EE", "mend"), marked("IE", "mend"), "ok"],
    "t3": [marked("UU", "a"), marked("EU", "b"), marked("Ix", "b")],
    "t4": [None, "", "  \n", "ok"],
}


def measured(cohort: Cohort, **judging: Any) -> Result:
    judging.setdefault("judge", FailureJudge())
    return variance(cohort, **judging)


@pytest.fixture(scope="module")
def result() -> Result:
    return measured(cohort_of(failing(TASKS)))


def test_shares_of_labels_by_hand(result: Result) -> None:
    """Eight runs are judged, seven in both orders: 3 + 1/2 I, 1 + 1/2 + 1/2 E, 1 + 1/2 U."""
    shares = [
        result.estimate(name, system="ours")
        for name in ("interpretation_errors", "execution_errors", "unclear_failures")
    ]

    assert [each.value for each in shares] == pytest.approx([3.5 / 7, 2 / 7, 1.5 / 7])
    assert {(each.n_tasks, each.n_runs, each.n_excluded) for each in shares} == {(3, 7, 4)}
    assert {each.method for each in shares} == {"no interval: too few tasks"}


def test_counts_add_up_to_the_failed_runs(result: Result) -> None:
    (row,) = result.to_frame("interpretation_counts").to_dicts()

    assert row == {
        "system": "ours",
        "n_failed": 11,
        "no_submission": 1,
        "empty_submission": 2,
        "no_text": 0,
        "no_task_text": 0,
        "interpretation": 3,
        "execution": 1,
        "unclear": 1,
        "orders_disagree": 2,
        "no_answer": 1,
    }
    assert sum(n for name, n in row.items() if name not in {"system", "n_failed"}) == 11


def test_kappa_of_the_two_orders_by_hand(result: Result) -> None:
    """First orders IIIEIUE, second IIIEEUU: 5 of 7 equal, by chance (4*3 + 2*2 + 1*2) / 49."""
    by_chance = (4 * 3 + 2 * 2 + 1 * 2) / 49
    found = {
        name: result.estimate(name, comparison="two orders").value for name in ("kappa", "exact")
    }

    assert found["exact"] == pytest.approx(5 / 7)
    assert found["kappa"] == pytest.approx((5 / 7 - by_chance) / (1 - by_chance))


def test_every_failed_run_has_its_row(result: Result) -> None:
    rows = result.to_frame("interpretations").to_dicts()

    assert [row["verdict"] for row in rows] == [
        *["interpretation"] * 3,
        *["execution", "orders disagree"],
        *["unclear", "orders disagree", "no answer"],
        *[None] * 3,
    ]
    assert [row["left_out"] for row in rows[-3:]] == [
        "no submission recorded",
        "empty submission",
        "empty submission",
    ]
    assert [row["goal"] for row in rows[:8]] == ["warn"] * 3 + ["mend"] * 2 + ["a", "b", "b"]
    assert [row["goal_group"] for row in rows[:8]] == [1, 1, 1, 1, 1, 1, 2, 2]
    assert (rows[4]["task_first"], rows[4]["submission_first"]) == ("interpretation", "execution")
    assert rows[0]["reason"] == "because of II"
    assert {row["has_reference"] for row in rows[:8]} == {False}


def test_what_is_missing_is_said(result: Result) -> None:
    notes = " ".join(result.notes)

    assert "no submission recorded 1, empty submission 2, of 11." in notes
    assert "scripted left without an answer: the same in the opposite order 1 of 8." in notes
    assert "A right solution is recorded for none of the judged runs" in notes
    assert "On 2 runs the two orders disagree: they count by halves." in notes
    assert "cut in the middle" not in notes
    assert "masked" not in notes


def test_the_answer_stands_in_the_summary(result: Result) -> None:
    summary = " ".join(result.summary)

    assert "ours: by the judge scripted 50.0 % of 7 failed runs misread the task" in summary
    assert "says the same of 71.4 % of the failures (Cohen's kappa +0.55)" in summary


def test_provenance_names_judge_samples_and_prompts(result: Result) -> None:
    prompts = {"failure": 1, "failure_reversed": 1, "goal": 1, "same_goals": 1}

    assert result.provenance.parameters["judges"] == [
        {"name": "scripted", "samples": 1, "prompts": prompts}
    ]


def test_the_result_survives_json(result: Result) -> None:
    again = Result.from_dict(result.to_dict())

    assert again.to_frame("goals").height == result.to_frame("goals").height == 3
    assert (
        again.to_dict()["tables"]["interpretations"]
        == (result.to_dict()["tables"]["interpretations"])
    )
    assert "Why runs fail, by a judge" in str(result)


def test_each_run_is_asked_about_in_both_orders_with_what_is_recorded() -> None:
    judge = FailureJudge()
    measured(
        cohort_of(failing({"t": [marked("II", "a")]}, reference="Oil it.", prompt="Mend it.")),
        judge=judge,
    )
    parts = {"task": "Mend it.", "reference": "Oil it.", "submission": marked("II", "a")}

    assert [question.parts for question in judge.of("failure")] == [parts]
    assert [question.parts for question in judge.of("failure_reversed")] == [parts]
    assert [question.parts for question in judge.of("goal")] == [
        {"task": "Mend it.", "submission": marked("II", "a")}
    ]
    assert judge.of("same_goals") == []


def test_without_a_reference_the_question_says_so() -> None:
    judge = FailureJudge()
    measured(cohort_of(failing({"t": [marked("II", "a")]})), judge=judge)

    assert judge.of("failure")[0].parts["reference"] is None


def test_names_of_systems_and_models_reach_no_judge() -> None:
    """Neither one's own name nor another system's."""
    judge = FailureJudge()
    text = marked("II", "a", "Claude Sonnet 4.5 beats gpt-5")
    fields = {"prompt": "Ask gpt-5.", "reference": "By ours/claude-sonnet-4-5."}
    found = measured(
        cohort_of(
            failing({"t": [text]}, "ours/claude-sonnet-4-5", model="claude-sonnet-4-5", **fields),
            failing({"t": [text]}, "theirs/gpt-5", model="gpt-5", **fields),
        ),
        judge=judge,
    )
    said = {str(part) for question in judge.asked for part in question.parts.values()}

    assert "claude" not in " ".join(said).lower()
    assert "gpt" not in " ".join(said).lower()
    assert "Ask [masked]." in said
    assert "By [masked]." in said
    assert "Names of systems or models are masked in texts of 2 judged runs." in found.notes


def test_long_texts_are_cut_and_counted() -> None:
    judge = FailureJudge()
    long = marked("II", "a", "x" * 40_000)
    found = measured(cohort_of(failing({"t": [long, marked("II", "a")]})), judge=judge)

    assert len(str(judge.of("failure")[0].parts["submission"])) < 17_000
    assert "Texts of 1 judged run were cut in the middle" in " ".join(found.notes)


def test_a_run_without_a_task_text_or_an_outcome_is_not_asked_about() -> None:
    judge = FailureJudge()
    unknown = [run([], task="u", system="ours", success=None, submission="x", prompt="p")]
    found = measured(
        cohort_of(failing({"t": [marked("II", "a")]}, prompt=None), unknown), judge=judge
    )

    assert judge.asked == []
    assert found.to_frame("interpretation_counts")["no_task_text"].to_list() == [1]
    assert found.estimate("interpretation_errors", system="ours").reason == (
        "no failed run could be judged"
    )


def test_a_cohort_without_texts_is_told_of(tmp_path: Any) -> None:
    saved = cohort_of(failing(TASKS)).save(tmp_path / "c", texts=False)
    found = measured(saved)

    assert found.to_frame("interpretation_counts")["no_text"].to_list() == [9]
    assert "text of the submission not kept 9" in " ".join(found.notes)


def test_where_no_run_fails_there_is_nothing_to_ask() -> None:
    judge = FailureJudge()
    found = measured(cohort_of(failing({"t": ["ok", "ok"]})), judge=judge)

    assert judge.asked == []
    assert "No run is recorded as failed, so there was nothing to ask a judge." in found.notes
    assert found.estimate("execution_errors", system="ours").reason == "no run failed"
    assert found.estimate("kappa", comparison="two orders").reason == NO_ITEM


def test_a_judge_that_never_answers_leaves_reasons() -> None:
    silent = FailureJudge(reading=lambda _: None, grouping=lambda _: None)
    found = measured(cohort_of(failing(TASKS)), judge=silent)

    for name in ("interpretation_errors", "execution_errors", "unclear_failures"):
        assert found.estimate(name, system="ours").reason == (
            "the judge answered none of the questions"
        )
    assert found.estimate("consistent_wrong_tasks", system="ours").reason == (
        "the judge grouped the goals of no task"
    )
    assert found.to_frame("interpretation_counts")["no_answer"].to_list() == [8]


def test_intervals_are_over_tasks() -> None:
    tasks: dict[str, list[str | None]] = {
        f"t{n}": [marked("II" if n % 2 else "EE", "g"), marked("II" if n % 2 else "EE", "g")]
        for n in range(8)
    }
    found = measured(cohort_of(failing(tasks))).estimate("interpretation_errors", system="ours")

    assert (found.value, found.n_tasks, found.n_runs) == (0.5, 8, 16)
    assert found.low is not None
    assert found.low < 0.2


def test_names_too_short_to_be_masked_are_named() -> None:
    found = measured(cohort_of(failing({"t": [marked("II", "a")]}, "a")))

    assert "Too short to be masked in the texts: the names a." in found.notes


def test_the_reason_comes_from_the_order_that_has_one() -> None:
    found = measured(cohort_of(failing({"t": [marked("xE", "a"), marked("xx", "a")]})))

    assert found.to_frame("interpretations")["reason"].to_list() == ["because of xE", None]


def test_samples_count_alike_and_orders_too() -> None:
    """Three answers I, I, E with the task first; all E with the submission first: 1/2 of 2/3."""

    def wavering(question: Any) -> Any:
        if question.prompt == "goal":
            return None
        first = question.prompt == "failure" and question.sample < 2
        return FailureReading("", "", "interpretation" if first else "execution")

    judge = FailureJudge(reading=wavering, samples=3)
    found = measured(cohort_of(failing({"t": [marked("II", "a")]})), judge=judge)

    assert found.estimate("interpretation_errors", system="ours").value == pytest.approx(1 / 3)
    assert found.to_frame("interpretations")["task_first"].to_list() == ["interpretation"]
    assert found.to_frame("interpretations")["verdict"].to_list() == ["orders disagree"]
    assert found.estimate("exact", comparison="two orders").value == pytest.approx(1 / 3)
    assert found.estimate("exact", comparison="asked twice").value == 1.0
    assert sorted({question.sample for question in judge.of("failure")}) == [0, 1, 2]
    assert [question.sample for question in judge.of("goal")] == [0]


def test_a_second_judge_is_compared_with_the_first() -> None:
    strict = FailureJudge(
        reading=lambda _: FailureReading("", "", "interpretation"), name="claude-opus"
    )
    found = measured(
        cohort_of(failing(TASKS, model="claude-haiku")), judge=FailureJudge(), second_judge=strict
    )

    assert found.estimate("exact", comparison="two judges").value == pytest.approx(
        (5 + 3) / (8 + 7)
    )
    assert found.estimate("kappa", comparison="two judges").value == pytest.approx(0.0)
    assert [each["name"] for each in found.provenance.parameters["judges"]] == [
        "scripted",
        "claude-opus",
    ]
    assert {question.prompt for question in strict.asked} == {"failure", "failure_reversed"}
    assert "claude-opus is of the same family (Anthropic) as ours" in " ".join(found.notes)


def test_a_judge_is_warned_of_also_where_levels_unite_systems() -> None:
    kin = [failing(TASKS, system=name, model=name) for name in ("claude-one", "claude-two")]
    found = measured(cohort_of(*kin), judge=FailureJudge(name="claude-three"), by="model")

    assert "same family (Anthropic) as claude-one, claude-two" in " ".join(found.notes)


def test_a_second_judge_needs_a_first() -> None:
    with pytest.raises(UsageError, match="a second judge needs a first"):
        variance(cohort_of(failing(TASKS)), second_judge=FailureJudge())


def test_without_a_judge_nothing_is_added() -> None:
    assert "interpretation" not in variance(cohort_of(failing(TASKS))).tables


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("EEU", "execution"),
        ("IIE", "interpretation"),
        ("IE", "unclear"),
        ("UUE", "unclear"),
        ("", None),
    ],
)
def test_the_most_frequent_label_counts_and_a_tie_is_unclear(
    labels: str, expected: str | None
) -> None:
    assert most([WORDS[label] for label in labels]) == expected


ERRORS = st.lists(st.sampled_from(["interpretation", "execution", "unclear", None]), min_size=1)


@given(ERRORS, ERRORS)
def test_shares_of_a_run_add_up_to_one_and_are_those_of_the_opposite_order(
    first: list[Any], second: list[Any]
) -> None:
    failed = FailedRun(group=0, system="s", task="t", run_id="r", trial=None)
    one, other = (
        [None if error is None else FailureReading("", "", error) for error in errors]
        for errors in (first, second)
    )
    reading, swapped = Reading(failed, one, other), Reading(failed, other, one)
    shares = [reading.share(label) for label in ("interpretation", "execution", "unclear")]

    assert shares == [swapped.share(label) for label in ("interpretation", "execution", "unclear")]
    known = any(first) and any(second)
    assert (reading.verdict == "no answer") == (not known)
    if known:
        assert sum(share for share in shares if share is not None) == pytest.approx(1)
    else:
        assert shares == [None] * 3
    assert most([each for each in first if each]) in {*first, "unclear", None}
