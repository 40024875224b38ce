"""Labels of whole actions, by the guide's rules."""

import csv
from pathlib import Path

import pytest

from ethogram.actions.label import Labeler


@pytest.mark.shared
def test_at_least_97_percent_of_the_hand_labels_are_right(shared: Path) -> None:
    labeler = Labeler()
    with (shared / "labels" / "actions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    right = sum(labeler.label_command(row["text"]).kind == row["kind"] for row in rows)

    assert len(rows) == 220
    assert right / len(rows) >= 0.97
