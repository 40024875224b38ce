"""The garbage collector is as it was found, whoever else pauses it meanwhile."""

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from ethogram.ingest import Progress, Reading, run_reading
from ethogram.ingest.collector import collector_paused, heap_set_aside


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()
    gc.unfreeze()


def state() -> tuple[bool, bool]:
    return gc.isenabled(), gc.get_freeze_count() > 0


@pytest.mark.parametrize("context", [collector_paused, heap_set_aside])
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_the_collector_is_left_as_it_was_found(
    context: Callable[[], AbstractContextManager[None]], *, enabled: bool, frozen: bool
) -> None:
    (gc.enable if enabled else gc.disable)()
    (gc.freeze if frozen else gc.unfreeze)()

    with pytest.raises(KeyboardInterrupt), context(), context():
        raise KeyboardInterrupt

    assert state() == (enabled, frozen)


def test_the_heap_is_set_aside_each_time() -> None:
    for _ in range(2):
        with heap_set_aside():
            assert gc.get_freeze_count() > 0
        assert gc.get_freeze_count() == 0


def test_a_read_that_is_stopped_leaves_the_collector_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", "utf-8")
    gc.enable()
    during: list[bool] = []

    def stop(_: Progress) -> None:
        during.append(gc.isenabled())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        run_reading(Reading(paths=[tmp_path], progress=stop))

    assert during == [False]
    assert gc.isenabled(), stopped


def test_a_pause_that_begins_while_another_thread_ends_its_own_is_ended_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = ExitStack()
    gc.enable()
    other.enter_context(collector_paused())
    disable = gc.disable

    def too_late() -> None:
        other.close()
        disable()

    monkeypatch.setattr(gc, "disable", too_late)
    with collector_paused():
        pass
    other.close()

    assert gc.isenabled()
