"""The examples of docs/how-to/map-your-own-logs.md do what the page says."""

import re
from pathlib import Path
from typing import Final

import pytest

from ethogram.errors import UsageError
from ethogram.formats.base import Probe, Source
from ethogram.formats.mapping import Mapping, load_mapping
from ethogram.formats.mapping_fields import STEP_EVENTS
from ethogram.formats.mapping_layout import OUTCOME_FIELDS, RUN_FIELDS, STEP_FIELDS
from ethogram.formats.mapping_parse import WHERE_KEYS
from ethogram.trajectory import ENDINGS, Trajectory

PAGE: Final = (Path(__file__).parents[2] / "docs/how-to/map-your-own-logs.md").read_text(
    encoding="utf-8"
)
FILE: Final = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Every file of the page, under the name that stands behind its fence."""
    for name, text in FILE.findall(PAGE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def runs_of(mapping: Mapping, path: Path) -> list[Trajectory]:
    source = Source(str(path), path)
    assert mapping.sniff(Probe(source))
    found = list(mapping.read(source))
    runs = [run for run in found if isinstance(run, Trajectory)]
    assert runs == found
    assert [problem for run in runs for problem in run.problems] == []
    return runs


def test_example_1(folder: Path) -> None:
    first, second = runs_of(load_mapping(folder / "shop.toml"), folder / "night.jsonl")

    assert [event.action for event in first.actions] == [
        'find_order({"order":7})',
        'refund({"order":7})',
    ]
    assert (first.events[0].text, first.events[-1].event, first.events[-1].text) == (
        "Let me look.",
        "reply",
        "Done.",
    )
    assert (first.outcome.success, first.outcome.ending) == (True, "completed")
    assert (first.system.model, first.system.temperature) == ("small", 0.2)
    assert (first.task.benchmark, first.task.task_id, first.trial) == ("shop", "refund", 1)
    assert first.usage.duration_s == pytest.approx(5.2)
    assert (second.outcome.success, second.outcome.ending) == (False, "limit")
    assert second.outcome.ending_raw == "too many steps (2)"
    assert [(event.refused, event.is_error) for event in second.actions] == [
        (False, None),
        (True, True),
    ]


def test_example_2(folder: Path) -> None:
    mapping = load_mapping(folder / "issues.toml")

    first, second = runs_of(mapping, folder / "runs/v2/t-7.json")

    assert [(run.system.name, run.task.task_id, run.trial) for run in (first, second)] == [
        ("v2", "t-7", 1),
        ("v2", "t-7", 2),
    ]
    assert [(e.tool, e.action, e.observation) for e in first.actions] == [
        ("bash", "grep -n sum lib.py", "3: def sum(x):")
    ]
    assert [event.event for event in first.events] == ["user", "action", "reply"]
    assert [event.action for event in second.actions] == ["submit({})"]
    assert (first.submission, second.submission) == ("diff --git a/lib.py", "")
    assert first.task.digest == second.task.digest
    (report,) = mapping.outcomes
    assert report.match(str(folder / "reports/v2-try1.json")) == {"system": "v2", "trial": "1"}


def test_neither_mapping_takes_the_reports(folder: Path) -> None:
    report = Source("v2-try1.json", folder / "reports/v2-try1.json")

    for name in ("shop.toml", "issues.toml"):
        assert not load_mapping(folder / name).sniff(Probe(report))


def test_the_sentence_about_a_mistake_is_the_one_on_the_page(folder: Path) -> None:
    broken = folder / "shop.toml"
    text = broken.read_text(encoding="utf-8")
    broken.write_text(text.replace("temperature =", "temprature ="), encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        load_mapping(broken)

    printed = str(caught.value).replace(str(broken), "shop.toml")
    assert printed[:100] in PAGE


@pytest.mark.parametrize(
    "word",
    sorted({*RUN_FIELDS, *STEP_FIELDS, *WHERE_KEYS, *OUTCOME_FIELDS, *STEP_EVENTS, *ENDINGS}),
)
def test_every_word_of_the_language_is_on_the_page(word: str) -> None:
    assert re.search(rf"\b{word}\b", PAGE)
