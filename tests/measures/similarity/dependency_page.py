"""Writes into ``docs/explanation/dependencies.md`` how often the rule for dependencies is right.

``ETHOGRAM_SHARED=... python tests/measures/similarity/dependency_page.py`` writes the block between
the markers anew; ``test_dependency_labels.py`` fails when it no longer shows what is measured.

``dependency_labels.csv`` says of candidates of ``data/tau2-bench`` where their value came from. It
holds places and names of arguments, no text.
"""

import csv
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ethogram.cohort import Cohort
from ethogram.ingest.api import read
from ethogram.measures.similarity.calls import RunCalls, run_calls
from ethogram.measures.similarity.dependency import candidates, dependencies
from ethogram.measures.similarity.values import Value
from ethogram.stats.proportions import wilson_bounds

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "explanation" / "dependencies.md"
LABELS: Final = Path(__file__).with_name("dependency_labels.csv")
BEGIN: Final = "<!-- rule: made by tests/measures/similarity/dependency_page.py -->\n"
END: Final = "<!-- /rule -->"

CLASSES: Final = ("ids", "names", "amounts", "dates", "codes")
DOMAINS: Final = ("airline", "retail", "telecom")
ORIGINS: Final = {
    "source": "that result",
    "other_result": "another result that holds it, too",
    "user": "the user",
    "policy": "the policy",
    "agent": "the agent: computed or made up",
    "coincidence": "elsewhere; equal by coincidence",
}
QUANTILE: Final = NormalDist().inv_cdf(0.975)


class Label(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """One candidate, and what a reader of the conversation said of it."""

    file: str
    run: str
    """Native id within the file."""
    source: int
    target: int
    source_tool: str
    target_tool: str
    path: str
    """Place of the value in the target's arguments."""
    kind: str
    domain: str
    stands_for: float
    """How many candidates of its stratum it stands for."""
    derived: Literal["yes", "no"]
    origin: str
    right_source: str
    """Place of the call that returned the value, if that is another than the source."""
    doubt: Literal["yes", "no"]


Judged: TypeAlias = tuple[Label, bool]
"""A label, and whether the rule keeps the candidate."""
Cell: TypeAlias = tuple[bool, bool]
"""Whether the rule keeps, whether the label says derived."""


def labels() -> list[Label]:
    """All labels, in the order of the file."""
    with LABELS.open(encoding="utf-8", newline="") as lines:
        return msgspec.convert(list(csv.DictReader(lines)), list[Label], strict=False)


def read_runs(shared: Path, out: Path) -> Cohort:
    """The runs of all native files."""
    return read(shared / "data" / "tau2-bench", out=out)


def all_calls(cohort: Cohort) -> dict[str, RunCalls]:
    """The calls of every run by its native id."""
    runs = cohort.runs.select("run_id", "native_id")
    native = dict(runs.iter_rows())
    found = {native[run.run_id]: run for run in run_calls(cohort, list(native))}
    assert len(found) == len(native), "a native id occurs twice"
    return found


def recorded_calls(simulation: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and arguments of the agent's calls, from the file itself."""
    for message in simulation["messages"]:
        if message["role"] == "assistant":
            for call in message.get("tool_calls") or ():
                yield call["name"], call["arguments"]


def labelled_values(found: Sequence[Label], shared: Path) -> list[Value]:
    """What the file holds at each label's place.

    Raises
    ------
    ValueError
        If other tools were called there than the label names.
    """
    calls: dict[tuple[str, str], list[tuple[str, Any]]] = {}
    for name in sorted({label.file for label in found}):
        path = shared / "data" / "tau2-bench" / name
        for simulation in json.loads(path.read_text(encoding="utf-8"))["simulations"]:
            calls[name, simulation["id"]] = list(recorded_calls(simulation))
    return [_value(label, calls[label.file, label.run]) for label in found]


def _value(label: Label, calls: Sequence[tuple[str, Any]]) -> Value:
    tools = (calls[label.source][0], calls[label.target][0])
    if tools != (label.source_tool, label.target_tool):
        raise ValueError(f"{label.run}: calls are {tools}, not those of {label}")
    value = calls[label.target][1]
    for key in label.path.split("/"):
        value = value[int(key) if isinstance(value, list) else key]
    return value.strip() if isinstance(value, str) else value


def judged(calls: Mapping[str, RunCalls], found: Sequence[Label], shared: Path) -> list[Judged]:
    """What the rule says of each labelled candidate.

    Raises
    ------
    ValueError
        If a labelled candidate is none any more.
    """
    known = {
        (run, each.source, each.target, each.value): each.known
        for run in {label.run for label in found}
        for each in candidates(calls[run])
    }
    rows = []
    for label, value in zip(found, labelled_values(found, shared), strict=True):
        place = (label.run, label.source, label.target, value)
        if place not in known:
            raise ValueError(f"no candidate at {label}")
        rows.append((label, not known[place]))
    return rows


def cells(rows: Iterable[Judged]) -> Counter[Cell]:
    """Counts of candidates by the rule and by the label."""
    return Counter((is_kept(row), is_derived(row)) for row in rows)


def is_derived(row: Judged) -> bool:
    """Whether the value came from this source."""
    return row[0].derived == "yes"


def is_kept(row: Judged) -> bool:
    """Whether the rule keeps the candidate."""
    return row[1]


def is_from_a_result(row: Judged) -> bool:
    """Whether the value came from a result, whichever."""
    return row[0].origin in {"source", "other_result"}


def share(rows: Iterable[Judged], has: Callable[[Judged], bool], *, weighted: bool = False) -> str:
    """A share in percent with its Wilson interval; weighted, at Kish's effective number."""
    weights = [(row[0].stands_for if weighted else 1.0, has(row)) for row in rows]
    if not weights:
        return "–"
    total = sum(weight for weight, _ in weights)
    value = sum(weight for weight, holds in weights if holds) / total
    effective = total**2 / sum(weight**2 for weight, _ in weights)
    low, high = wilson_bounds(value, effective, QUANTILE)
    return f"{100 * value:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def precision(rows: Iterable[Judged], *, weighted: bool = False) -> str:
    """Of the kept, the share that is derived."""
    return share(filter(is_kept, rows), is_derived, weighted=weighted)


def recall(rows: Iterable[Judged], *, weighted: bool = False) -> str:
    """Of the derived, the share that is kept."""
    return share(filter(is_derived, rows), is_kept, weighted=weighted)


def block(calls: Mapping[str, RunCalls], rows: Sequence[Judged]) -> str:
    """All that the page shows of the labels."""
    groups = {name: [row for row in rows if row[0].kind == name] for name in CLASSES}
    domains = {name: [row for row in rows if row[0].domain == name] for name in DOMAINS}
    every = {"all": rows}
    return "\n".join(
        (
            _population(calls, rows),
            "**In the sample.** Shares in percent with 95 % Wilson intervals.\n",
            _sample_table(groups | every | domains),
            "**Of all candidates.** Each label counts as often as the candidates it stands for; "
            "the intervals are Wilson's at Kish's effective number and approximate.\n",
            _weighted_table(groups | every | domains),
            "**Where the values came from.** Labelled candidates.\n",
            _origins_table(rows),
            _remarks(rows),
        )
    )


def _population(calls: Mapping[str, RunCalls], rows: Sequence[Judged]) -> str:
    found = [each for run in calls.values() for each in candidates(run)]
    kept = sum(not each.known for each in found)
    edges = sum(len(dependencies(run)) for run in calls.values())
    runs = len({label.run for label, _ in rows})
    return (
        f"\n{len(calls)} runs of tau2-bench have {len(found):,} candidates. The rule keeps "
        f"{kept:,} ({kept / len(found):.0%}), which make {edges:,} edges. "
        f"{len(rows)} candidates of {runs} runs are labelled.\n"
    )


def _sample_table(groups: Mapping[str, Sequence[Judged]]) -> str:
    heads = [
        "",
        "labelled",
        "kept, derived",
        "kept, not",
        "refused, derived",
        "refused, not",
        "precision",
        "recall",
    ]
    order = ((True, True), (True, False), (False, True), (False, False))
    lines = []
    for name, rows in groups.items():
        counts = cells(rows)
        numbers = [str(counts[cell]) for cell in order]
        lines.append([name, str(len(rows)), *numbers, precision(rows), recall(rows)])
    return _table(heads, lines)


def _weighted_table(groups: Mapping[str, Sequence[Judged]]) -> str:
    lines = [
        [
            name,
            f"{sum(label.stands_for for label, _ in rows):,.0f}",
            precision(rows, weighted=True),
            recall(rows, weighted=True),
        ]
        for name, rows in groups.items()
    ]
    return _table(["", "candidates", "precision", "recall"], lines)


def _origins_table(rows: Sequence[Judged]) -> str:
    counts = Counter((label.origin, keeps) for label, keeps in rows)
    lines = [
        [name, str(counts[origin, True]), str(counts[origin, False])]
        for origin, name in ORIGINS.items()
    ]
    return _table(["the value came from", "kept", "refused"], lines)


def _remarks(rows: Sequence[Judged]) -> str:
    kept = [row for row in rows if row[1]]
    sure = [row for row in rows if row[0].doubt == "no"]
    return (
        f"If any result will do, precision is {share(kept, is_from_a_result)} in the sample and "
        f"{share(kept, is_from_a_result, weighted=True)} of all candidates. Without the "
        f"{len(rows) - len(sure)} labels that the reader doubts, precision is {precision(sure)} "
        f"and recall {recall(sure)} in the sample.\n"
    )


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rule, *lines))


def with_block(page: str, made: str) -> str:
    """The page with another block between its markers.

    Raises
    ------
    ValueError
        If the page lacks a marker.
    """
    begin = page.index(BEGIN) + len(BEGIN)
    return f"{page[:begin]}{made}\n{page[page.index(END, begin) :]}"


def main() -> None:
    """Write the block."""
    shared = Path(os.environ["ETHOGRAM_SHARED"])
    with tempfile.TemporaryDirectory() as folder:
        calls = all_calls(read_runs(shared, Path(folder) / "cohort"))
    made = block(calls, judged(calls, labels(), shared))
    PAGE.write_text(with_block(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
