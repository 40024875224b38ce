"""Many questions at once: so many and no more, and nothing that was answered is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, TypeVar

T = TypeVar("T")

_LOOK_UP_SECONDS: Final = 0.2


async def at_most(
    concurrency: int, items: Iterable[T], work: Callable[[T], Awaitable[None]]
) -> None:
    """Do the work for each item, ``concurrency`` of them at a time, begun in their order.

    The first error stops the others and is raised once they have stopped.
    """
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def run_to_end(work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run asynchronous work from code that is not; also within a notebook's own event loop.

    Ctrl-C stops the work where it is and is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
    else:
        _in_a_thread(work)


def _in_a_thread(work: Callable[[], Coroutine[None, None, None]]) -> None:
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = []

    async def watched() -> None:
        task = asyncio.create_task(work())
        running.append((asyncio.get_running_loop(), task))
        await task

    with ThreadPoolExecutor(1, thread_name_prefix="ethogram judge") as pool:
        ended = pool.submit(lambda: asyncio.run(watched()))
        try:
            # A wait without an end is not everywhere ended by Ctrl-C.
            while not ended.done():
                wait([ended], timeout=_LOOK_UP_SECONDS)
        except KeyboardInterrupt:
            for loop, task in running:
                loop.call_soon_threadsafe(task.cancel)
            raise
        ended.result()
