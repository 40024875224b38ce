"""The figure that Mehta 2026 prints, from the authors' runs and a judge that labels as they do."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from judging.asking import MODEL
from measures.variance.failure_judge import FailureJudge

from ethogram.cohort import Cohort
from ethogram.ingest.api import read
from ethogram.judging import JudgeSettings, open_judges, rehearsals
from ethogram.measures.variance import variance
from ethogram.results.answers import FailureReading, Goal
from ethogram.results.judges import Question

ROOT: Final = Path(__file__).parents[3]
MAPPING: Final = ROOT / "examples/mappings/consistency_amplifies.toml"
CLAUDE: Final = "claude-sonnet-4-5-20250929"

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def printed(shared: Path) -> dict[str, Any]:
    path = shared / "reference" / "seed_002_consistency_amplifies.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


@pytest.fixture(scope="module")
def cohort(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    folder = tmp_path_factory.mktemp("mehta") / "cohort"
    return read(shared / "data" / "consistency-amplifies", mapping=MAPPING, out=folder)


def prompts_of(cohort: Cohort, tasks: list[str]) -> list[str]:
    """The texts of some tasks."""
    refs = cohort.tasks.filter(cohort.tasks["task_id"].str.extract(r"(\d+)$").is_in(tasks))
    found = cohort.texts.join(refs.lazy().select(ref="prompt_ref"), on="ref", how="semi").collect()
    return list(found["text"])


def test_a_judge_that_labels_as_the_author_gives_the_printed_share(
    cohort: Cohort, printed: dict[str, Any]
) -> None:
    misread = set(prompts_of(cohort, printed["consistent_wrong"]["claude"]["tasks"]))
    assert len(misread) == 3

    def author(question: Question[Any]) -> Any:
        wrong = any(str(question.parts["task"])[:500] == text[:500] for text in misread)
        if question.answer is Goal:
            return Goal("warn" if wrong else "mend")
        return FailureReading("", "", "interpretation" if wrong else "execution")

    found = variance(cohort, judge=FailureJudge(reading=author))
    share = found.estimate("consistent_wrong_interpretation", system=CLAUDE)
    claude = printed["consistent_wrong"]["claude"]

    assert share.n_runs == claude["failed_runs"] == 21
    assert share.value == pytest.approx(claude["consistent_wrong_runs"] / claude["failed_runs"])
    assert round(100 * (share.value or 0)) == 71
    counts = found.to_frame("interpretation_counts")
    modes = printed["failure_modes"]
    assert counts["empty_submission"].sum() == sum(m["EMPTY_PATCH"] for m in modes.values()) == 12
    assert counts["n_failed"].sum() == sum(sum(m.values()) for m in modes.values()) == 103


def test_the_page_says_what_it_costs(cohort: Cohort, tmp_path: Path) -> None:
    settings = JudgeSettings(model=MODEL, cache=tmp_path / "judge.sqlite", dry_run=True)
    (rehearsal,) = rehearsals(open_judges(settings))
    variance(cohort, judge=rehearsal)
    plan, page = rehearsal.plan, (ROOT / "docs/explanation/interpretation.md").read_text("utf-8")
    millions = [
        f"{n / 1e6:.2f} million" for n in (plan.usage.input_tokens, plan.usage.output_tokens)
    ]

    assert f"| {plan.calls} | {' | '.join(millions)} |" in page
