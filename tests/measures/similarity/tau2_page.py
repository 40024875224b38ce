"""Writes into ``docs/explanation/similarity-tau2.md`` what similarity gives on tau2-bench.

``ETHOGRAM_SHARED=... python tests/measures/similarity/tau2_page.py`` writes the blocks between the
markers anew; ``test_tau2.py`` fails when they no longer show what is measured.
"""

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.ingest.api import read
from ethogram.measures.similarity import similarity
from ethogram.results import Result
from ethogram.results.numbers import show_interval, show_number

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "explanation" / "similarity-tau2.md"
FIVE: Final = {
    "llm_agent/azure/gpt-4o-2024-11-20": "gpt-4o",
    "llm_agent/ollama_chat/qwen2.5:7b": "qwen2.5:7b",
    "llm_agent/claude-sonnet-4-5": "sonnet-4-5",
    "llm_agent/gpt-5.4": "gpt-5.4",
    "llm_agent/claude-opus-4-6": "opus-4-6",
}
FAMILIES: Final = {
    "anthropic": ["llm_agent/claude-sonnet-4-5", "llm_agent/claude-opus-4-6"],
    "openai": ["llm_agent/azure/gpt-4o-2024-11-20", "llm_agent/gpt-5.4"],
}
TUNED: Final = "llm_agent/ft:gpt-4.1-2025-04-14:sierra:tau2-full-sft:BzrYdMNm"
UNTUNED: Final = "llm_agent/gpt-4.1"
TUNED_IN: Final = ("retail", "telecom")
MAIN: Final = ("ags", "s_node", "s_seq", "s_dep", "ged")
VARIANTS: Final = (
    "s_node_others",
    "s_node_all_tools",
    "s_seq_non_zero",
    "s_dep_non_zero",
    "s_dep_share",
)
BASELINES: Final = ("edit_similarity", "tool_bigrams", "procedures", "bigram_overlap")


def five_systems(cohort: Cohort) -> Cohort:
    """The five systems that ran the airline tasks by themselves."""
    return cohort.filter('benchmark == "tau2-bench/airline"', pl.col("system").is_in(list(FIVE)))


def fine_tune(cohort: Cohort, domain: str) -> Cohort:
    """gpt-4.1 and its fine-tune in one domain."""
    return cohort.filter(
        f'benchmark == "tau2-bench/{domain}"', pl.col("system").is_in([TUNED, UNTUNED])
    )


def measured(cohort: Cohort) -> dict[str, Result]:
    """The three results that the page is about."""
    return {
        "airline": similarity(five_systems(cohort), families=FAMILIES, ged=True),
        **{domain: similarity(fine_tune(cohort, domain), ged=True) for domain in TUNED_IN},
    }


def blocks(results: dict[str, Result]) -> dict[str, str]:
    """The page's blocks by the names of their markers."""
    airline = results["airline"]
    return {
        "pairs": _pairs(airline, MAIN),
        "variants": _pairs(airline, VARIANTS, with_intervals=False),
        "baselines": _pairs(airline, BASELINES, with_intervals=False),
        "conventions": _conventions(airline),
        "nearest": _nearest(airline),
        "families": _families(airline),
        "halves": _halves(airline),
        "tuned": _tuned(results),
    }


def _figures(result: Result) -> pl.DataFrame:
    tables = [result.to_frame(name) for name in ("similarity", "variants", "baselines")]
    return pl.concat(tables, how="diagonal_relaxed")


def _pairs(result: Result, names: Sequence[str], *, with_intervals: bool = True) -> str:
    frame = _figures(result)
    labels = dict(frame.select("name", "label").unique().iter_rows())
    order = frame.filter(name="ags").select("first", "second").rows()
    lines = [
        [
            f"{FIVE[first]} – {FIVE[second]}",
            *(
                _shown(frame.filter(name=name, first=first, second=second), with_intervals)
                for name in names
            ),
        ]
        for first, second in order
    ]
    return table(["pair", *(labels[name] for name in names)], lines)


def _shown(rows: pl.DataFrame, with_interval: bool) -> str:
    row = rows.row(0, named=True)
    if row["value"] is None:
        return "–"
    low, high = (row["low"], row["high"]) if with_interval else (None, None)
    text = show_interval(_percent(row["value"]), _percent(low), _percent(high), "percent")
    return text.replace(" %", "")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _conventions(result: Result) -> str:
    frame = result.to_frame("conventions")
    lines = [
        [
            f"{FIVE[row['first']]} – {FIVE[row['second']]}",
            *(
                f"{row[name]:.0f}"
                for name in (
                    "n_tasks",
                    "n_optional",
                    "n_by_algebra",
                    "seq_both_zero",
                    "seq_one_zero",
                    "dep_both_zero",
                    "dep_one_zero",
                )
            ),
        ]
        for row in frame.iter_rows(named=True)
    ]
    heads = [
        "pair",
        "shared tasks",
        "with optional tools",
        "solved by these two alone",
        "S_seq both zero",
        "S_seq one zero",
        "S_dep both zero",
        "S_dep one zero",
    ]
    return table(heads, lines)


def _nearest(result: Result) -> str:
    frame = result.to_frame("nearest").filter(pl.col("name").is_in(["ags", "ged"]))
    lines = [
        [
            row["measure"],
            FIVE[row["system"]],
            FIVE[row["nearest"]],
            show_number(row["difference"], "points"),
            FIVE[row["runner_up"]],
            show_number(row["p_value"], "p"),
            row["decision"],
        ]
        for row in frame.iter_rows(named=True)
    ]
    heads = ["measure", "system", "nearest", "nearer by", "than", "p", "nearer than all?"]
    return table(heads, lines)


def _families(result: Result) -> str:
    lines = [
        [
            row["measure"],
            show_number(row["within"], "share"),
            show_number(row["cross"], "share"),
            show_interval(row["difference"], row["low"], row["high"], "points"),
            show_number(row["p_value"], "p"),
        ]
        for row in result.to_frame("families").iter_rows(named=True)
    ]
    return table(["measure", "within", "across", "difference", "p"], lines)


def _halves(result: Result) -> str:
    lines = [
        [
            row["measure"],
            show_number(row["spearman"], "correlation"),
            show_number(row["p_value"], "p"),
        ]
        for row in result.to_frame("halves").iter_rows(named=True)
    ]
    return table(["measure", "Spearman, odd against even tasks", "p (Mantel)"], lines)


def _tuned(results: dict[str, Result]) -> str:
    names = ("ags", "s_node", "s_node_all_tools", "s_seq", "s_dep", "ged", "bigram_overlap")
    frames = [_figures(results[domain]) for domain in TUNED_IN]
    lines = []
    for name in names:
        rows = [frame.filter(name=name) for frame in frames]
        cells = [(_shown(row, True), str(row["n_tasks"][0] or "–")) for row in rows]
        lines.append([rows[0]["label"][0], *(text for cell in cells for text in cell)])
    heads = ["measure", *(head for domain in TUNED_IN for head in (domain, "tasks"))]
    return table(heads, lines)


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose first column is text."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, rule, *lines))


def with_blocks(page: str, made: dict[str, str]) -> str:
    """The page with other blocks between its markers."""
    for name, text in made.items():
        begin = f"<!-- {name}: made by tests/measures/similarity/tau2_page.py -->\n"
        start = page.index(begin) + len(begin)
        page = f"{page[:start]}\n{text}\n{page[page.index(f'<!-- /{name} -->', start) :]}"
    return page


def read_tau2(shared: Path, folder: Path) -> Cohort:
    """Every run of the tau2-bench data."""
    return read(shared / "data" / "tau2-bench", out=folder)


def main() -> None:
    """Write the blocks."""
    with tempfile.TemporaryDirectory() as folder:
        cohort = read_tau2(Path(os.environ["ETHOGRAM_SHARED"]), Path(folder) / "cohort")
        made = blocks(measured(cohort))
    PAGE.write_text(with_blocks(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
