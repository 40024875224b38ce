"""How alike submissions are: changed lines, by hand and by invariants."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.ingest import from_trajectories
from ethogram.measures.variance import variance
from ethogram.measures.variance.submissions import changed_lines, line_similarity
from ethogram.results.result import Result
from ethogram.simulate.build import run


def diff(*lines: str) -> str:
    return "\n".join(["diff --git a/f b/f", "--- a/f", "+++ b/f", "@@ -1,3 +1,3 @@", *lines])


def test_only_added_and_removed_lines_of_hunks_count() -> None:
    text = diff(" context", "-old", "+new", "+") + "\n" + diff("-other")

    assert changed_lines(text) == Counter(["-old", "+new", "-other"])


def test_a_removed_line_that_looks_like_a_header_is_a_line() -> None:
    assert changed_lines(diff("--- a comment of SQL", "+x")) == Counter(
        ["--- a comment of SQL", "+x"]
    )


def test_a_plain_diff_needs_no_git_header() -> None:
    text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n--- c\n+++ d\n@@ -1 +1 @@\n-z\n"

    assert changed_lines(text) == Counter(["-x", "+y", "-z"])


def test_another_text_counts_line_by_line() -> None:
    assert changed_lines(" 42 \n\nyes") == Counter(["42", "yes"])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param("+a\n-b", "+a\n-b", 1.0, id="equal"),
        pytest.param("+a\n-b", "+a\n-c", 0.5, id="half"),
        pytest.param("+a", "+b", 0.0, id="nothing"),
        pytest.param("+a\n+a", "+a", 2 / 3, id="a-line-twice"),
        pytest.param("", "", 1.0, id="both-change-nothing"),
        pytest.param("", "+a", 0.0, id="one-changes-nothing"),
    ],
)
def test_similarity_by_hand(first: str, second: str, expected: float) -> None:
    lines = [changed_lines(text) for text in (first, second)]

    assert line_similarity(*lines) == pytest.approx(expected)


LINES = st.lists(st.sampled_from(["+a", "+b", "-c"])).map(Counter)


@given(LINES, LINES)
def test_similarity_is_symmetric_and_one_for_equal_submissions(
    first: Counter[str], second: Counter[str]
) -> None:
    assert line_similarity(first, second) == line_similarity(second, first)
    assert 0 <= line_similarity(first, second) <= 1
    assert line_similarity(first, first) == 1
    assert (line_similarity(first, second) == 1) == (first == second)


def measured(*submissions: tuple[str, bool, str | None]) -> Result:
    return variance(
        from_trajectories(
            run(["x"], task=task, trial=trial, success=success, submission=submission)
            for trial, (task, success, submission) in enumerate(submissions)
        )
    )


def test_only_tasks_that_are_never_solved_are_looked_at() -> None:
    result = measured(
        ("t1", False, diff("+a", "+b")),
        ("t1", False, diff("+a", "+c")),
        ("t2", True, diff("+a")),
        ("t2", False, diff("+b")),
    )

    found = result.estimate("submission_similarity", system="a")
    assert (found.value, found.n_tasks, found.n_runs) == (0.5, 1, 2)


def test_empty_submissions_are_no_equal_mistake() -> None:
    result = measured(("t1", False, ""), ("t1", False, ""), ("t1", False, diff("+a")))

    assert result.estimate("submission_similarity", system="a").reason == (
        "no task that is never solved has two submissions with their texts"
    )


def test_many_submissions_are_sampled_by_the_seed() -> None:
    submissions = [("t1", False, f"line {n % 7}") for n in range(130)]

    there, back = (
        measured(*submissions).estimate("submission_similarity", system="a") for _ in range(2)
    )

    assert there == back
    assert there.value == pytest.approx(1 / 7, abs=0.03)
