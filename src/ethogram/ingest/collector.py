"""The garbage collector, kept from searching where there is nothing to find."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SET_ASIDE: Final = threading.Lock()
"""Held while the heap is set aside here: to ask the collector takes a look at the whole heap.

A process that is forked meanwhile has it held for good, and its heap stays as it inherited it.
"""


@contextmanager
def heap_set_aside() -> Iterator[None]:
    """Don't look for reference cycles among what is there already.

    A full search goes through all that was ever imported, which takes as long as reading some ten
    files, and where new objects come by the thousand it is made again and again.
    """
    if not _SET_ASIDE.acquire(blocking=False):
        yield
        return
    # Whoever else did it before knows when it is to end.
    done_before = gc.get_freeze_count() > 0
    if not done_before:
        gc.freeze()
    try:
        yield
    finally:
        if not done_before:
            gc.unfreeze()
        _SET_ASIDE.release()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Don't look for reference cycles at all, while many objects come and none of them is in one.

    Cycles that other threads leave meanwhile wait for the end.
    """
    if not gc.isenabled():  # whoever did it, perhaps another thread this moment, ends it
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
