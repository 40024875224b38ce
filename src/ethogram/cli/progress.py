"""Progress on stderr: a bar where a person looks, silence where none does."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ethogram.ingest import Progress


@contextmanager
def reading_progress() -> Iterator[Callable[[Progress], None]]:
    """A bar over the bytes read, with the time left."""
    if not sys.stderr.isatty():
        yield lambda _: None
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
            done = min(progress.done_bytes, progress.total_bytes) if progress.total_bytes else 0
            bar.update(task, total=progress.total_bytes, completed=done, runs=progress.n_runs)

        yield advance
