"""The page about kinds says what the code does."""

import re
from pathlib import Path

import pytest
from actions import kinds_page

from ethogram.actions.code import MAX_CODE
from ethogram.actions.kinds import KINDS
from ethogram.actions.label import Labeler
from ethogram.actions.rules import MAX_NESTING, MAX_PIPELINES
from ethogram.actions.shell import MAX_CHARS, MAX_PARSED

PAGE = kinds_page.PAGE.read_text(encoding="utf-8")
EXAMPLE = re.compile(rf"^\| `(.+)` \| ({'|'.join(KINDS)}) \| .+ \|$", re.MULTILINE)


@pytest.mark.shared
def test_the_page_shows_the_measured_confusion(shared: Path) -> None:
    made = kinds_page.with_block(PAGE, kinds_page.block(shared))

    assert made == PAGE, "make it anew: ETHOGRAM_SHARED=... python tests/actions/kinds_page.py"


def test_there_are_examples() -> None:
    assert len(EXAMPLE.findall(PAGE)) >= 14
    assert {kind for _, kind in EXAMPLE.findall(PAGE)} == set(KINDS)


@pytest.mark.parametrize(("action", "kind"), EXAMPLE.findall(PAGE))
def test_an_example_has_the_kind_that_the_page_gives_it(action: str, kind: str) -> None:
    assert Labeler().label_command(action.replace("\\|", "|")).kind == kind


@pytest.mark.parametrize("action", ["alias t=pytest; t tests", "X=pytest; $X tests"])
def test_a_limit_that_the_page_names_is_one(action: str) -> None:
    assert f"`{action}`" in PAGE
    assert Labeler().label_command(action).kind == "other"


def test_what_the_first_word_rule_gets_wrong_is_wrong() -> None:
    assert kinds_page.BENCHMARK.by_first_word("cd /testbed && pytest") == "explore"
    assert kinds_page.BENCHMARK.by_first_word("sed -i s/a/b/ f") == "understand"


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (MAX_CODE, MAX_CHARS, MAX_PARSED):
        assert f"{bound:,} characters" in PAGE or f"({bound:,} for" in PAGE
    assert f"{MAX_PIPELINES} pipelines" in PAGE
    assert MAX_NESTING == 5
    assert "nested five deep" in PAGE
