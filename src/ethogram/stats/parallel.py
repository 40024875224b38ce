"""The one parallel map, and seeds that depend on the item alone.

::

    parallel_map(function, items, *, executor=None, ahead=32) -> Iterator[result]
    spawn_seeds(seed, n) -> list[SeedSequence]

Order of results = order of items, and each item's seed is a child of (seed, index): the numbers are
the same with any number of workers, on any executor.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from itertools import islice
from typing import TypeVar

import numpy as np

from ethogram.errors import UsageError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def parallel_map(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    *,
    executor: Executor | None = None,
    ahead: int = 32,
) -> Iterator[Answer]:
    """Apply ``function`` to each item; results come in the order of the items, as they are ready.

    Parameters
    ----------
    function : callable
        Must be importable by name where the executor runs other processes.
    items : iterable
        Taken lazily, so a long stream needs no more memory than ``ahead`` items and results.
    executor : concurrent.futures.Executor, optional
        Threads, processes or anything of that interface; without one, the calling thread works. It
        stays open: who made it shuts it down.
    ahead : int
        How many items may be under way before the oldest result is taken; several times the number
        of workers keeps them busy.

    Returns
    -------
    iterator
        An exception of ``function`` is raised at its item's place. Then, and when the consumer
        stops (Ctrl-C, or closing the iterator), whatever has not begun is cancelled.

    Raises
    ------
    UsageError
        If ``ahead`` is less than one.

    Examples
    --------
    >>> list(parallel_map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    if ahead < 1:
        raise UsageError(f"ahead must be 1 or more; got {ahead}")
    return map(function, items) if executor is None else _ahead(function, items, executor, ahead)


def _ahead(
    function: Callable[[Item], Answer], items: Iterable[Item], executor: Executor, ahead: int
) -> Iterator[Answer]:
    waiting = iter(items)
    pending: deque[Future[Answer]] = deque()
    try:
        pending.extend(executor.submit(function, item) for item in islice(waiting, ahead))
        while pending:
            answer = pending.popleft().result()
            pending.extend(executor.submit(function, item) for item in islice(waiting, 1))
            yield answer
    finally:
        for future in pending:
            future.cancel()


def spawn_seeds(seed: int | np.random.SeedSequence, n: int) -> list[np.random.SeedSequence]:
    """Independent child seeds by index: child ``i`` depends on ``seed`` and ``i`` alone.

    Unlike `numpy.random.SeedSequence.spawn` it has no memory: a second call gives the same
    children, and asking for more of them changes none.

    Examples
    --------
    >>> spawn_seeds(0, 3)[1].spawn_key
    (1,)
    """
    parent = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return [
        np.random.SeedSequence(
            parent.entropy, spawn_key=(*parent.spawn_key, index), pool_size=parent.pool_size
        )
        for index in range(n)
    ]
