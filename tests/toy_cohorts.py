"""Small cohorts, and a measure that fails, for tests of what is shown."""

from collections.abc import Iterator
from concurrent.futures import Executor

from msgspec.structs import replace

from ethogram.cohort import Cohort
from ethogram.errors import MissingDependencyError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.simulate.build import repeats
from ethogram.trajectory import System, Task, Trajectory

EVIL = "</script><img src=x onerror=alert(1)>"
SECRET = "sk-" + "proj-" + "Ab3" * 12

_COMMANDS = ("ls -la", "cat setup.py", "sed -i s/a/b/ x.py", "python -m pytest -q", "echo done")


def runs_of(system: str, place: int) -> Iterator[Trajectory]:
    for number in range(4):
        sequences = [
            [
                _COMMANDS[(step * (place + 1) + trial * number) % 5]
                for step in range(4 + trial * place)
            ]
            for trial in range(3)
        ]
        yield from repeats(
            sequences,
            successes=[number > place, number > 1, number > 2],
            system=system,
            task=f"repo__issue-{number}",
        )


def small() -> Cohort:
    """Three systems of different length and accuracy."""
    systems = ("lab/steady", "lab/middling", "lab/erratic")
    made = [run for place, system in enumerate(systems) for run in runs_of(system, place)]
    return from_trajectories(made, labeler=default_labeler())


def evil() -> Cohort:
    """Names and actions that would run as scripts if a page did not escape them, and a secret."""
    steps = [f"echo '{EVIL}'", f"export OPENAI_API_KEY={SECRET}", "ls"]
    made = [
        run
        for system in (f"a{EVIL}", f"b {SECRET}")
        for run in repeats([steps, steps[:2]], system=system, task=f"t{EVIL}")
    ]
    return from_trajectories(made, labeler=default_labeler())


def nameless() -> Cohort:
    """Runs that say neither which task they are of nor which system made them."""
    runs = repeats([["ls"], ["ls", "pwd"]])
    bare = [
        replace(run, task=Task(), system=System(), native_id=f"{place}")
        for place, run in enumerate(runs)
    ]
    return from_trajectories(bare, labeler=default_labeler())


def one_run() -> Cohort:
    """The least that can be shown."""
    return from_trajectories(repeats([["ls"]], system="a", task="t"), labeler=default_labeler())


def empty() -> Cohort:
    return from_trajectories([])


def needs_a_package(cohort: Cohort, *, seed: int, executor: Executor) -> None:
    """A measure that can't be computed here."""
    raise MissingDependencyError("pip install this")
