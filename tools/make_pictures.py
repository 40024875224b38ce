"""Draw the pictures of the documentation from simulated runs; the same pictures every time."""

from pathlib import Path
from typing import Final

from ethogram.cohort.views import traces
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.plots.ribbons import plot_ribbons
from ethogram.plots.svg import chart_png
from ethogram.simulate import simulate

IMAGES: Final = Path(__file__).parent.parent / "docs" / "images"
TASK: Final = "bakery-005"
SCALE: Final = 1.5


def main() -> None:
    """Write docs/images/ribbons.png, for light pages and for dark ones."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    cohort = from_trajectories(
        simulate(seed=0), labeler=default_labeler(), format_name="mini-swe-agent"
    )
    runs = cohort.joined
    task = runs.filter(runs["task_id"] == TASK)["task"][0]
    chart = plot_ribbons(traces(cohort, task=task))
    (IMAGES / "ribbons.png").write_bytes(chart_png(chart, scale=SCALE))
    (IMAGES / "ribbons-dark.png").write_bytes(chart_png(chart, dark=True, scale=SCALE))


if __name__ == "__main__":
    main()
