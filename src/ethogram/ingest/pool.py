"""Worker processes for a read."""

import io
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from ethogram.formats import FORMATS
from ethogram.ingest.collector import heap_set_aside
from ethogram.ingest.label import default_labeler
from ethogram.ingest.rows import RowBuilder


@contextmanager
def worker_pool(workers: int) -> Iterator[Executor | None]:
    """Worker processes for a read, to be started before anything else is done.

    They leave Ctrl-C to the process that they work for, which stops them.

    Parameters
    ----------
    workers : int
        How many processes.

    Yields
    ------
    Executor or None
        None if a single process is asked for: it would only stand in for the calling one.
    """
    if workers <= 1:
        yield None
        return
    pool = ProcessPoolExecutor(
        workers,
        mp_context=get_context(_start_method()),
        initializer=_get_ready,
    )
    with pool:
        with heap_set_aside():  # a worker's search through what it inherits would copy all of it
            tuple(FORMATS)  # imports the readers once, before the workers are forked
            default_labeler()  # reads the tables and compiles what is in them
            with _interrupts_held_back():
                for _ in range(workers):
                    pool.submit(int)  # starts a process
        yield pool


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait, which would leave a half-started pool and workers that nobody stops.

    Processes that start meanwhile never see it. What came is delivered to this process in the end.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    # Only the main thread may say what a signal does, and only it is interrupted by one. The mask
    # is for workers that start anew, and not enough here: another thread may take the signal.
    changes = threading.current_thread() is threading.main_thread() and before is not None
    if changes:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if changes:
            signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def _get_ready() -> None:
    """Use once what is slow when it is used first.

    That is Polars: its first frame and its first file take as long as ten files do, and here they
    pass while the parent still looks for files.
    """
    RowBuilder().build().steps.write_parquet(io.BytesIO())


def _start_method() -> str:
    """How workers start: a fork saves each of them the imports, where it is safe.

    Polars does not survive a fork once it works with threads; Linux shows whether it does.
    """
    tasks = Path("/proc/self/task")
    if sys.platform != "linux" or not tasks.is_dir():
        return "spawn"
    names = [(task / "comm").read_text(encoding="utf-8") for task in tasks.iterdir()]
    at_work = any(name.startswith(("polars-0", "tokio", "async-exec")) for name in names)
    return "spawn" if at_work else "fork"
