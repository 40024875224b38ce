"""Writes into ``docs/explanation/kinds.md`` how often kinds are right on the hand-labelled set.

``ETHOGRAM_SHARED=... python tests/actions/kinds_page.py`` writes the block between the markers
anew; ``test_kinds_page.py`` fails when it no longer shows what is measured.
"""

import importlib.util
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from ethogram.actions.kinds import KINDS
from ethogram.actions.label import Labeler

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "explanation" / "kinds.md"
BEGIN: Final = "<!-- confusion: made by tests/actions/kinds_page.py -->\n"
END: Final = "<!-- /confusion -->"


def _benchmark() -> Any:
    """The benchmark, which is a script and in no package."""
    spec = importlib.util.spec_from_file_location(
        "benchmark_kinds", ROOT / "benchmarks" / "kinds.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCHMARK: Final = _benchmark()


def block(shared: Path) -> str:
    """Both rules on the same actions."""
    rows = BENCHMARK.read_rows(shared / "labels" / "actions.csv")
    labeler = Labeler()
    return "".join(
        (
            _matrix("Tables and rules", rows, lambda text: labeler.label_command(text).kind),
            _matrix("First word", rows, BENCHMARK.by_first_word),
        )
    )


def _matrix(name: str, rows: Sequence[tuple[str, str]], rule: Callable[[str], str]) -> str:
    counts = BENCHMARK.confusion(rows, rule)
    share, low, high = BENCHMARK.accuracy(counts)
    right = sum(counts[kind, kind] for kind in KINDS)
    lines = [["by hand", *KINDS], ["---", *["---:"] * len(KINDS)]]
    lines += [[label, *(str(counts[label, found]) for found in KINDS)] for label in KINDS]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return (
        f"\n**{name}**: {right} of {len(rows)} right, {share:.1%} "
        f"(95 % Wilson interval {low:.1%} to {high:.1%}).\n\n{table}\n"
    )


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
    made = block(Path(os.environ["ETHOGRAM_SHARED"]))
    PAGE.write_text(with_block(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
