"""Holds a judge of dependencies against the candidates that were labelled by reading them.

``ETHOGRAM_SHARED=... python tests/measures/similarity/judge_against_labels.py MODEL [URL]`` asks a
model about the 130 labelled candidates (the key comes from the environment, answers go into the
usual cache) and prints precision, recall and kappa beside those of the rule.
"""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from measures.similarity import dependency_page
from measures.similarity.dependency_page import (
    CLASSES,
    Judged,
    Label,
    labelled_values,
    precision,
    recall,
)

from ethogram.errors import NotEnoughDataError
from ethogram.judging import JudgeSettings, open_judges
from ethogram.judging.dependencies import JudgedDependencies
from ethogram.measures.similarity.calls import RunCalls
from ethogram.measures.similarity.dependency import candidates, question
from ethogram.results.judges import DependencyJudge
from ethogram.stats.agreement import cohen_kappa


def answers(
    judge: DependencyJudge, calls: Mapping[str, RunCalls], found: Sequence[Label], shared: Path
) -> tuple[list[Judged], int]:
    """What a judge says of each labelled candidate, and how many it gave no answer to."""
    places = {
        (run, each.source, each.target, each.value): each
        for run in {label.run for label in found}
        for each in candidates(calls[run])
    }
    values = labelled_values(found, shared)
    asked = [
        question(calls[label.run], places[label.run, label.source, label.target, value])
        for label, value in zip(found, values, strict=True)
    ]
    said = judge.derived(asked)
    rows = [(label, kept) for label, kept in zip(found, said, strict=True) if kept is not None]
    return rows, len(found) - len(rows)


def kappa(rows: Sequence[Judged]) -> str:
    """Cohen's kappa of answers and labels."""
    try:
        value = cohen_kappa(
            [int(kept) for _, kept in rows],
            [int(label.derived == "yes") for label, _ in rows],
            weights="equal",
        )
    except NotEnoughDataError:
        return "–"
    return f"{value:.2f}"


def table(by_judge: Mapping[str, Sequence[Judged]]) -> str:
    """Agreement of each judge with the labels, by class of value."""
    lines = [f"{'':24} {'class':8} {'n':>4} {'precision':>14} {'recall':>14} {'kappa':>6}"]
    for name, rows in by_judge.items():
        for kind in (*CLASSES, "all"):
            own = [row for row in rows if kind in {"all", row[0].kind}]
            lines.append(
                f"{name:24} {kind:8} {len(own):4} {precision(own):>14} {recall(own):>14} "
                f"{kappa(own):>6}"
            )
    return "\n".join(lines)


def main() -> None:
    """Ask the model that is named, and print."""
    model, *url = sys.argv[1:]
    shared = Path(os.environ["ETHOGRAM_SHARED"])
    (judge,) = open_judges(JudgeSettings(model=model, url=url[0] if url else None), say=print)
    found = dependency_page.labels()
    with tempfile.TemporaryDirectory() as folder:
        calls = dependency_page.all_calls(dependency_page.read_runs(shared, Path(folder) / "c"))
    by_rule = dependency_page.judged(calls, found, shared)
    rows, missing = answers(JudgedDependencies(judge), calls, found, shared)
    sys.stdout.write(f"{table({'rule': by_rule, model: rows})}\n")
    sys.stdout.write(f"Without an answer: {missing} of {len(found)}.\n")


if __name__ == "__main__":
    main()
