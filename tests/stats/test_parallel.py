"""The parallel map: order, laziness, errors, and seeds that depend on the item alone."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from ethogram.errors import UsageError
from ethogram.stats.parallel import parallel_map, spawn_seeds


class Postponed(Executor):
    """Runs a call when its result is asked for, and keeps what was handed in."""

    def __init__(self) -> None:
        self.futures: list[Future[object]] = []

    def submit(self, function: Callable[..., object], /, *args: object, **kwargs: object) -> Future:  # type: ignore[type-arg]
        class Lazy(Future[object]):
            def result(self, timeout: float | None = None) -> object:
                return function(*args, **kwargs)

        self.futures.append(Lazy())
        return self.futures[-1]


def invert(value: int) -> float:
    return 1 / value


def draw(seed: np.random.SeedSequence) -> float:
    return float(np.random.default_rng(seed).random())


def test_results_come_in_the_order_of_the_items() -> None:
    first_may_end = Event()

    def answer(item: int) -> int:
        if item == 0:
            first_may_end.wait(10)
        if item == 3:
            first_may_end.set()
        return item * item

    with ThreadPoolExecutor(2) as executor:
        assert list(parallel_map(answer, range(5), executor=executor)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("make", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_one_seed_gives_the_same_numbers_on_any_executor(make: type[Executor]) -> None:
    seeds = spawn_seeds(42, 6)
    serial = list(parallel_map(draw, seeds))
    with make(2) as executor:  # type: ignore[call-arg]
        assert list(parallel_map(draw, seeds, executor=executor, ahead=2)) == serial
    assert len(set(serial)) == 6


def test_no_more_items_are_taken_than_are_under_way() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    results = parallel_map(invert, items(), executor=Postponed(), ahead=3)
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert taken == [0, 1, 2]


def test_serial_work_is_lazy() -> None:
    results = parallel_map(invert, iter([1, 2, 0]))

    assert [next(results), next(results)] == [1, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_an_error_comes_at_its_place_and_cancels_the_rest() -> None:
    executor = Postponed()
    results = parallel_map(invert, [1, 2, 0, 4, 5], executor=executor, ahead=4)

    assert [next(results), next(results)] == [1, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert [future.cancelled() for future in executor.futures] == [False, False, False, True, True]


def test_an_interrupt_cancels_the_rest() -> None:
    executor = Postponed()

    def interrupted(item: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(parallel_map(interrupted, range(9), executor=executor, ahead=4))
    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]


def test_a_consumer_that_stops_cancels_the_rest() -> None:
    executor = Postponed()
    results = parallel_map(invert, [1, 2, 3, 4], executor=executor, ahead=3)
    next(results)
    results.close()  # type: ignore[attr-defined]

    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]


def test_no_items_give_no_results() -> None:
    assert list(parallel_map(invert, [], executor=Postponed())) == []


def test_looking_less_than_one_ahead_is_refused() -> None:
    with pytest.raises(UsageError, match="ahead must be 1 or more; got 0"):
        parallel_map(invert, [1], ahead=0)


def test_child_seeds_are_numpys_and_do_not_depend_on_how_many_are_asked_for() -> None:
    expected = [draw(seed) for seed in np.random.SeedSequence(9).spawn(4)]

    assert [draw(seed) for seed in spawn_seeds(9, 4)] == expected
    assert [draw(seed) for seed in spawn_seeds(9, 2)] == expected[:2]
    parent = np.random.SeedSequence(9)
    assert [draw(seed) for seed in spawn_seeds(parent, 4)] == expected
    assert [draw(seed) for seed in spawn_seeds(parent, 4)] == expected


def test_grandchildren_differ_from_children() -> None:
    child = spawn_seeds(1, 2)[1]

    assert len({draw(seed) for seed in [*spawn_seeds(1, 3), *spawn_seeds(child, 3)]}) == 6
