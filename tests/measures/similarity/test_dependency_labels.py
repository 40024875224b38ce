"""The rule for dependencies is held against candidates that were labelled by reading them."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from measures.similarity import dependency_page, judge_against_labels
from measures.similarity.dependency_page import CLASSES, DOMAINS, ORIGINS, Judged, Label

from ethogram.measures.similarity.calls import RunCalls
from ethogram.measures.similarity.dependency import candidates
from ethogram.measures.similarity.values import Value, written
from ethogram.results.judges import DependencyQuestion
from ethogram.stats.proportions import wilson_interval

LABELS = dependency_page.labels()
PAGE = dependency_page.PAGE.read_text(encoding="utf-8")

Counts = tuple[int, int, int, int]
"""Kept and derived, kept and not, refused and derived, refused and not."""


@pytest.fixture(scope="module")
def calls(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunCalls]:
    cohort = dependency_page.read_runs(shared, tmp_path_factory.mktemp("tau2") / "cohort")
    return dependency_page.all_calls(cohort)


@pytest.fixture(scope="module")
def judged(calls: dict[str, RunCalls], shared: Path) -> list[Judged]:
    return dependency_page.judged(calls, LABELS, shared)


def counts(rows: list[Judged]) -> Counts:
    found = dependency_page.cells(rows)
    return found[True, True], found[True, False], found[False, True], found[False, False]


def test_over_a_hundred_candidates_are_labelled_each_once() -> None:
    places = {(each.file, each.run, each.source, each.target, each.path) for each in LABELS}

    assert len(places) == len(LABELS) == 130
    assert {each.kind for each in LABELS} == set(CLASSES)
    assert {each.domain for each in LABELS} == set(DOMAINS)


def test_a_value_is_derived_if_it_came_from_the_source() -> None:
    assert all((each.derived == "yes") == (each.origin == "source") for each in LABELS)
    assert {each.origin for each in LABELS} == set(ORIGINS)


def test_labels_are_references_without_text() -> None:
    """A path of arguments in the place of the value; nothing that anybody said."""
    names = (field for each in LABELS for field in (each.path, each.source_tool, each.target_tool))

    assert all(re.fullmatch(r"[a-z0-9_]+(/[a-z0-9_]+)*", name) for name in names)


@pytest.mark.shared
def test_the_sample_stands_for_all_candidates(calls: dict[str, RunCalls]) -> None:
    n_candidates = sum(len(candidates(run)) for run in calls.values())

    assert sum(each.stands_for for each in LABELS) == pytest.approx(n_candidates, abs=0.05)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ids", (14, 0, 0, 14)),
        ("names", (8, 0, 1, 9)),
        ("amounts", (8, 0, 0, 1)),
        ("dates", (14, 6, 1, 15)),
        ("codes", (15, 5, 1, 18)),
    ],
)
def test_the_rule_is_as_often_right_as_the_page_says(
    judged: list[Judged], name: str, expected: Counts
) -> None:
    assert counts([row for row in judged if row[0].kind == name]) == expected
    assert f"| {name} | {sum(expected)} | {' | '.join(map(str, expected))} |" in PAGE


@pytest.mark.shared
def test_the_page_shows_what_is_measured(calls: dict[str, RunCalls], judged: list[Judged]) -> None:
    made = dependency_page.with_block(PAGE, dependency_page.block(calls, judged))

    assert made == PAGE, (
        "make it anew: ETHOGRAM_SHARED=... python tests/measures/similarity/dependency_page.py"
    )


@pytest.mark.shared
def test_the_page_counts_the_mistakes(judged: list[Judged]) -> None:
    wrong = Counter(
        (label.origin, keeps) for label, keeps in judged if keeps != (label.derived == "yes")
    )

    assert wrong == {
        ("other_result", True): 7,
        ("user", True): 3,
        ("coincidence", True): 1,
        ("source", False): 3,
    }
    for told in (
        "holds the same value** (7 of 11)",
        "in other words** (3)",
        "something longer** (1)",
        "as vocabulary** (2)",
        "named somebody else** (1)",
    ):
        assert told in PAGE


def fullest_and_latest(run: RunCalls, label: Label, value: Value) -> tuple[int, int]:
    """Of the results that hold a value: the one that holds most of the target's, and the last."""
    found = [each for each in candidates(run, source="all") if each.target == label.target]
    n_shared = Counter(each.source for each in found)
    holders = [each.source for each in found if each.value == value]
    return min(holders, key=lambda place: (-n_shared[place], place)), max(holders)


@pytest.mark.shared
def test_the_fullest_result_is_the_right_source_where_the_first_is_not(
    calls: dict[str, RunCalls], shared: Path
) -> None:
    wrong = [label for label in LABELS if label.right_source]
    places = [
        (int(label.right_source), *fullest_and_latest(calls[label.run], label, value))
        for label, value in zip(wrong, dependency_page.labelled_values(wrong, shared), strict=True)
    ]
    names = [
        (calls[label.run].calls[right].name, label.source_tool)
        for label, (right, _, _) in zip(wrong, places, strict=True)
    ]

    assert [label.origin for label in wrong] == ["other_result"] * 7
    assert all(right == fullest for right, fullest, _ in places)
    assert sum(right == latest for right, _, latest in places) == 4
    assert all(right == named for right, named in names)
    assert "All seven are calls of the same tool" in PAGE
    assert "`--source latest` finds four of them" in PAGE


@pytest.mark.shared
def test_the_latest_source_is_another_for_many_that_are_right(
    calls: dict[str, RunCalls], judged: list[Judged], shared: Path
) -> None:
    right = [label for label, keeps in judged if keeps and label.derived == "yes"]
    values = dependency_page.labelled_values(right, shared)
    n_other = sum(
        fullest_and_latest(calls[label.run], label, value)[1] != label.source
        for label, value in zip(right, values, strict=True)
    )

    assert f"another source for {n_other} of the {len(right)} that are right" in " ".join(
        PAGE.split()
    )


def test_the_judge_of_the_paper_has_the_interval_that_the_page_gives_it() -> None:
    interval = wilson_interval(48, 50)

    assert (interval.low, interval.high) == pytest.approx((0.87, 0.99), abs=0.005)
    assert "48 of 50, Wilson interval 87 % to 99 %" in PAGE


class Agreeing:
    """A judge that knows the labels, but for every fifth question, which it leaves unanswered."""

    def __init__(self, truth: dict[tuple[str, int, int, str], bool]) -> None:
        self._truth = truth
        self._asked = 0

    def derived(self, questions: Sequence[DependencyQuestion]) -> list[bool | None]:
        found: list[bool | None] = []
        for each in questions:
            self._asked += 1
            known = self._truth[each.run_id, each.source, each.target, each.value]
            found.append(None if self._asked % 5 == 0 else known)
        return found


@pytest.mark.shared
def test_a_judge_is_held_against_the_labels(calls: dict[str, RunCalls], shared: Path) -> None:
    """The command that does it for a model is in judge_against_labels.py."""
    values = dependency_page.labelled_values(LABELS, shared)
    truth = {
        (calls[label.run].run_id, label.source, label.target, written(value)): label.derived
        == "yes"
        for label, value in zip(LABELS, values, strict=True)
    }
    rows, missing = judge_against_labels.answers(Agreeing(truth), calls, LABELS, shared)
    lines = judge_against_labels.table({"judge": rows}).splitlines()

    assert missing == 26
    assert len(rows) == 104
    assert lines[-1].split()[:3] == ["judge", "all", "104"]
    assert "100 [" in lines[-1]
    assert lines[-1].endswith(" 1.00")
