"""Reports: one self-contained HTML file that answers in words, tables and pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ethogram.cohort import Cohort
from ethogram.reporting import build, render
from ethogram.reporting.content import ReportContent, Section
from ethogram.results import Result
from ethogram.results.redact import Redactor

__all__ = ["ReportContent", "Section", "report"]


def report(  # noqa: PLR0913  what a report shows, and of what
    cohort: Cohort,
    path: str | Path = "report.html",
    *,
    title: str | None = None,
    seed: int = 0,
    also: Sequence[Result] = (),
    redactor: Redactor | None = None,
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Path:
    """Measure a cohort and write the answers to one HTML file that loads nothing from elsewhere.

    Parameters
    ----------
    cohort : Cohort
        What was read.
    path : str or Path
        The file to write; its folder is made if missing.
    title : str, optional
        Heading of the page.
    seed : int
        For whatever draws random numbers; one seed gives the same page.
    also : sequence of Result
        Further results, shown after the measures.
    redactor : Redactor, optional
        Takes secrets out of every text; by default the listed patterns.
    options : mapping of str to mapping of str to object
        Further arguments of measures, such as ``{"similarity": {"reference": "gpt-5"}}``.

    Returns
    -------
    Path
        Where the page lies.
    """
    content = build.build(
        cohort, title=title, seed=seed, also=also, redactor=redactor, options=options
    )
    page = render.render(content)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(page, encoding="utf-8")
    return unfinished.replace(path)
