"""So many at once and no more, begun in order, ended by the first error."""

import asyncio

import pytest

from ethogram.judging.asking import at_most, run_to_end


def watched(concurrency: int, count: int) -> tuple[list[int], int]:
    """The items in the order in which they were begun, and the most that were at work at once."""
    begun: list[int] = []
    now = most = 0

    async def work(item: int) -> None:
        nonlocal now, most
        begun.append(item)
        now += 1
        most = max(most, now)
        for _ in range(item % 3 + 1):
            await asyncio.sleep(0)
        now -= 1

    asyncio.run(at_most(concurrency, range(count), work))
    return begun, most


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_so_many_are_at_work_and_no_more(concurrency: int) -> None:
    begun, most = watched(concurrency, 50)

    assert begun == list(range(50))
    assert most == concurrency


def test_fewer_items_than_workers() -> None:
    assert watched(8, 2) == ([0, 1], 2)
    assert watched(8, 0) == ([], 0)


def test_the_first_error_stops_the_others() -> None:
    begun: list[int] = []
    stopped: list[int] = []

    async def work(item: int) -> None:
        begun.append(item)
        if item == 2:
            raise ValueError("two")
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(item)

    with pytest.raises(ValueError, match="two"):
        asyncio.run(at_most(3, range(50), work))

    assert begun == [0, 1, 2]
    assert stopped == [0, 1]


@pytest.mark.parametrize("within", [False, True], ids=["plain", "within a loop"])
def test_work_runs_to_its_end_or_its_error(within: bool) -> None:
    done: list[str] = []

    async def fine() -> None:
        await asyncio.sleep(0)
        done.append("fine")

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def cell() -> None:
        run_to_end(fine)
        with pytest.raises(ValueError, match="no"):
            run_to_end(fails)

    if within:
        asyncio.run(cell())
    else:
        run_to_end(fine)
        with pytest.raises(ValueError, match="no"):
            run_to_end(fails)

    assert done == ["fine"]
