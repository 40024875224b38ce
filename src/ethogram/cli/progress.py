"""Progress on stderr: a bar where a person looks, and what takes long is said beforehand."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer

from ethogram.ingest import Progress

LONG_SECONDS: Final = 120.0
SURE_AFTER_SECONDS: Final = 5.0
"""How long is watched before the rest is estimated."""


class Estimate:
    """Says once, after the first seconds of a read, how long the rest takes if that is long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._said = False

    def __call__(self, progress: Progress) -> None:
        """Look at how far the read has come."""
        passed = self._clock() - self._began
        if self._said or passed < SURE_AFTER_SECONDS or not progress.done_bytes:
            return
        self._said = True
        left = passed * (progress.total_bytes - progress.done_bytes) / progress.done_bytes
        if left > LONG_SECONDS:
            typer.echo(
                f"reading {progress.total_bytes / 1e6:,.0f} MB takes about {left / 60:,.0f} minutes"
                " more; Ctrl-C keeps what was read, and the same command goes on from there",
                err=True,
            )


@contextmanager
def reading_progress() -> Iterator[Callable[[Progress], None]]:
    """A bar over the bytes read, with the time left."""
    estimate = Estimate()
    if not sys.stderr.isatty():
        yield estimate
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("reading"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %  {task.fields[runs]:,} runs"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None, runs=0)

        def advance(progress: Progress) -> None:
            estimate(progress)
            done = min(progress.done_bytes, progress.total_bytes) if progress.total_bytes else 0
            bar.update(task, total=progress.total_bytes, completed=done, runs=progress.n_runs)

        yield advance


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar over a number of things, told how many are done and of how many; None unwatched.

    It shows from the first call on.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=0, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
