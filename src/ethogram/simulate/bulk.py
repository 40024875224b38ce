"""Simulated runs in bulk: as many runs as wanted, as long as wanted, for benchmarks."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
import numpy as np

from ethogram.errors import UsageError
from ethogram.simulate.draw import simulate
from ethogram.simulate.systems import DEFAULT
from ethogram.trajectory import Event, Trajectory

_POOL_CHARS: Final = 1 << 20
_WORDS: Final = (
    "def return import None self class value path test assert for while if else in not and or "
    "yield raise with open read write line file name list dict tuple set True False lambda print"
)


def bulk(
    n: int, *, bytes_a_run: int = 100_000, n_repeats: int = 5, seed: int = 0
) -> Iterator[Trajectory]:
    """Draw runs of the three simulated systems whose observations have a given size.

    Runs come one at a time, so that they may take more room than the memory has. The padding is
    slices of a drawn text: no two are equal, so that nothing is stored only once.

    Parameters
    ----------
    n : int
        Number of runs.
    bytes_a_run : int
        Bytes of observations in each run, spread evenly over its actions (ASCII, so as many
        characters). What the simulation itself answers is not counted.
    n_repeats : int
        Runs of each system at each task.
    seed : int
        Same seed, same runs.

    Raises
    ------
    UsageError
        If a number is negative or there are no repeats.

    Examples
    --------
    >>> runs = list(bulk(7, bytes_a_run=10_000))
    >>> len(runs), sum(len(event.observation or "") for event in runs[0].actions) >= 10_000
    (7, True)
    """
    if min(n, bytes_a_run) < 0 or n_repeats < 1:
        raise UsageError(
            "runs in bulk need n and bytes_a_run of 0 or more and n_repeats of 1 or more; "
            f"got {n}, {bytes_a_run} and {n_repeats}"
        )
    rng = np.random.default_rng(seed)
    pool = _pool(rng)
    n_tasks = -(-n // (len(DEFAULT) * n_repeats))
    for run in islice(simulate(n_tasks=n_tasks, n_runs=n_repeats, seed=seed), n):
        share, rest = divmod(bytes_a_run, len(run.actions))
        sizes = iter([share + 1] * rest + [share] * (len(run.actions) - rest))
        yield msgspec.structs.replace(
            run,
            events=tuple(
                _padded(event, next(sizes), pool, rng) if event.event == "action" else event
                for event in run.events
            ),
        )


def _pool(rng: np.random.Generator) -> str:
    """Draw a text of lines of words, as long as `_POOL_CHARS`."""
    words = rng.choice(_WORDS.split(), size=_POOL_CHARS // 4).tolist()
    lines = (" ".join(words[start : start + 8]) for start in range(0, len(words), 8))
    return "\n".join(lines)[:_POOL_CHARS]


def _padded(event: Event, size: int, pool: str, rng: np.random.Generator) -> Event:
    start = int(rng.integers(len(pool)))
    text = pool[start : start + size]
    while len(text) < size:
        text += pool[: size - len(text)]
    return msgspec.structs.replace(event, observation=f"{event.observation or ''}{text}")
