"""How often the kinds of actions are right on the hand-labelled set, beside a first-word rule.

Usage: ``python benchmarks/kinds.py [LABELS.csv]``; the default is ``labels/actions.csv`` in the
folder that ETHOGRAM_SHARED names. Prints the accuracy with its Wilson interval, the confusion
matrix and the time per command of both, in one run.

The first-word rule is what one writes down first: the name of the first command decides, wrappers
and arguments count for nothing. It is the alternative that the tables and rules must beat.
"""

import csv
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from typing import Final

from ethogram.actions.kinds import KINDS, Kind
from ethogram.actions.label import Labeler

Confusion = Counter[tuple[str, str]]

FIRST_WORDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("ls", "find", "grep", "rg", "cd", "tree", "wc", "which"), "explore"),
    **dict.fromkeys(("cat", "head", "tail", "sed", "nl", "awk", "less", "git"), "understand"),
    **dict.fromkeys(("echo", "patch", "apply_patch", "edit", "create", "insert"), "edit"),
    **dict.fromkeys(("python", "python3", "pytest", "make", "tox"), "verify"),
}
Z_95: Final = 1.959963984540054


def by_first_word(command: str) -> Kind:
    """Return the kind that the first word suggests."""
    words = command.split(maxsplit=1)
    return FIRST_WORDS.get(words[0].rpartition("/")[2], "other") if words else "other"


def confusion(rows: Sequence[tuple[str, str]], rule: Callable[[str], str]) -> Confusion:
    """Count (label by hand, label by the rule) over ``(command, label by hand)`` pairs."""
    return Counter((label, rule(command)) for command, label in rows)


def accuracy(counts: Confusion) -> tuple[float, float, float]:
    """Return the share on the diagonal with its 95 % Wilson interval."""
    n = counts.total()
    share = sum(count for (label, found), count in counts.items() if label == found) / n
    centre = (share + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 / (1 + Z_95**2 / n) * sqrt(share * (1 - share) / n + Z_95**2 / (4 * n * n))
    return share, centre - half, centre + half


def read_rows(path: Path) -> list[tuple[str, str]]:
    """Read commands and their labels by hand."""
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["kind"]) for row in csv.DictReader(file)]


def show(name: str, rows: Sequence[tuple[str, str]], rule: Callable[[str], str]) -> None:
    """Print one rule's accuracy, time and confusion matrix."""
    start = time.perf_counter()
    counts = confusion(rows, rule)
    microseconds = (time.perf_counter() - start) / len(rows) * 1e6
    share, low, high = accuracy(counts)
    print(f"{name}: {share:.1%} of {len(rows)} right (95 % {low:.1%} to {high:.1%})")
    print(f"{microseconds:.0f} microseconds a command\n")
    print("by hand".ljust(12) + "".join(kind.rjust(12) for kind in KINDS))
    for label in KINDS:
        print(label.ljust(12) + "".join(str(counts[label, found]).rjust(12) for found in KINDS))
    print()


def main() -> None:
    """Compare both rules on the labels."""
    default = Path(os.environ.get("ETHOGRAM_SHARED", "../shared")) / "labels" / "actions.csv"
    rows = read_rows(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
    labeler = Labeler()
    show("tables and rules", rows, lambda command: labeler.label_command(command).kind)
    show("first word", rows, by_first_word)


if __name__ == "__main__":
    main()
