"""What a report holds, before it becomes a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from ethogram.results import Result


@dataclass(frozen=True)
class Section:
    """A part of the report: a question, and the result that answers it.

    Parameters
    ----------
    name : str
        Anchor within the page.
    title : str
        As it stands in the table of contents.
    about : str
        One or two sentences: what is asked here and how to read the answer.
    result : Result or None
        The answer; None where there is none, then ``reason`` says why.
    reason : str
        Why there is no result.
    """

    name: str
    title: str
    about: str
    result: Result | None = None
    reason: str = ""


@dataclass(frozen=True)
class ReportContent:
    """A report, ready to be rendered.

    Parameters
    ----------
    title : str
        Heading of the page.
    byline : tuple of str
        Sizes: runs, tasks, systems.
    summary : tuple of str
        The answers in words.
    sections : sequence of Section
        In order.
    """

    title: str
    byline: tuple[str, ...]
    summary: tuple[str, ...]
    sections: Sequence[Section]
