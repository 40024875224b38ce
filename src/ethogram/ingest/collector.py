"""The garbage collector, kept from searching where there is nothing to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heap_set_aside() -> Iterator[None]:
    """Don't look for reference cycles among what is there already.

    A full search goes through all that was ever imported, which takes as long as reading some ten
    files, and where new objects come by the thousand it is made again and again.
    """
    if gc.get_freeze_count():  # somebody did it before and knows when it is to end
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


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
