"""Draws runs from policies: `Trajectory` values as a reader would yield them."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from ethogram.actions.kinds import KINDS, Kind
from ethogram.simulate.commands import SUBMIT, Setting, Typed, patch, setting, type_command
from ethogram.simulate.markov import Chain, FloatArray
from ethogram.simulate.policy import Level, Policy, Spending
from ethogram.simulate.systems import DEFAULT, LEVELS
from ethogram.trajectory import Event, Outcome, System, Task, Trajectory, Usage

BENCHMARK: Final = "simulated"
_START: Final = 1_767_225_600.0
"""2026-01-01 UTC: when the first run of each task begins."""
_RUN_EVERY: Final = 3_600.0


class DrawnTask(NamedTuple):
    """A task with what only the simulation knows of it."""

    number: int
    task: Task
    level: int
    about: Setting


def simulate(
    systems: Sequence[Policy] = DEFAULT,
    *,
    n_tasks: int = 20,
    n_runs: int = 5,
    seed: int = 0,
    levels: Sequence[Level] = LEVELS,
) -> Iterator[Trajectory]:
    """Draw runs, system by system, task by task.

    Every run has a generator of its own, made from the seed, the system's name, the number of the
    task and the trial: it is the same run whatever else is drawn, in whatever order. All systems
    meet the same tasks.

    Parameters
    ----------
    systems : sequence of Policy
        The systems; their names must differ.
    n_tasks, n_runs : int
        Number of tasks, and of runs of each system at each.
    seed : int
        Same seed, same runs.
    levels : sequence of Level
        How hard tasks are; each policy says what it does at each level.

    Yields
    ------
    Trajectory
        ``n_tasks * n_runs`` for each system.

    Examples
    --------
    >>> made = next(simulate(n_tasks=1, n_runs=1))
    >>> made.system.name, made.task.task_id, made.actions[0].action
    ('methodical', 'orchard-001', "cd /testbed && find . -name '*spindle*.py'")
    """
    tasks = [draw_task(number, seed=seed, levels=levels) for number in range(n_tasks)]
    for policy in systems:
        chains = [policy.chain(level) for level in range(len(levels))]
        for drawn in tasks:
            for trial in range(n_runs):
                yield _run(policy, drawn, trial, chains[drawn.level], seed)


def draw_task(number: int, *, seed: int, levels: Sequence[Level] = LEVELS) -> DrawnTask:
    """Draw the task of a number (from 0): how hard it is and what it is about."""
    rng = generator(seed, "task", number)
    level = int(rng.choice(len(levels), p=[level.share for level in levels]))
    about = setting(number, rng)
    task = Task(
        task_id=f"{about.project}-{number + 1:03d}", benchmark=BENCHMARK, prompt=about.prompt
    )
    return DrawnTask(number, task, level, about)


def generator(seed: int, *place: str | int) -> np.random.Generator:
    """Generator of its own for a place: the same numbers whatever else is drawn."""
    key = [crc32(part.encode()) if isinstance(part, str) else part for part in place]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _run(policy: Policy, drawn: DrawnTask, trial: int, chain: Chain, seed: int) -> Trajectory:
    rng = generator(seed, policy.name, drawn.number, trial)
    states = draw_path(chain, rng)
    submits = states[-1] == len(policy.kinds)
    success = bool(submits and rng.random() < policy.success[drawn.level])
    started = _START + _RUN_EVERY * trial
    events, usage = _events(policy, drawn, states, started, rng)
    return Trajectory(
        system=System(name=policy.name, scaffold="simulated", model=f"simulated/{policy.name}"),
        task=drawn.task,
        outcome=Outcome(
            success=success,
            source=BENCHMARK,
            ending="completed",
            ending_raw="Submitted",
        ),
        events=events,
        usage=usage,
        native_id=f"{policy.name}/{drawn.task.task_id}/{trial}",
        trial=trial,
        submission=_submission(policy, drawn, seed, rng, success=success, submits=submits),
        recorded_actions=len(states),
        extra={
            "level": drawn.level,
            "loops": not submits,
            "kinds": [KINDS[symbol] for symbol in chain.symbols[states]],
        },
    )


def draw_path(chain: Chain, rng: np.random.Generator) -> list[int]:
    """Draw the states of one run."""
    rows: FloatArray = np.cumsum(np.column_stack([chain.transition, chain.ending]), axis=1)
    rows[:, -1] = 1.0
    state = int(np.searchsorted(np.cumsum(chain.start), rng.random(), side="right"))
    path = []
    while state < chain.n_states:
        path.append(state)
        state = int(np.searchsorted(rows[state], rng.random(), side="right"))
    return path


def _submission(
    policy: Policy,
    drawn: DrawnTask,
    seed: int,
    rng: np.random.Generator,
    *,
    success: bool,
    submits: bool,
) -> str:
    if success or not submits:  # whoever stops a run hands in what it has
        return patch(drawn.about, rng)
    if rng.random() < policy.empty:
        return ""
    if rng.random() < policy.same_patch:
        return patch(drawn.about, generator(seed, policy.name, "wrong", drawn.number))
    return patch(drawn.about, rng)


class _Spent(NamedTuple):
    """What the actions of a run took, an entry each."""

    read: list[int]
    written: list[int]
    seconds: list[float]
    costs: list[float]


def _spend(spending: Spending, n: int, rng: np.random.Generator) -> _Spent:
    low, high = spending.output_tokens
    read = [spending.prompt_tokens + spending.tokens_an_action * place for place in range(n)]
    written = rng.integers(low, high + 1, size=n).tolist()
    costs = [
        given * spending.input_price + got * spending.output_price
        for given, got in zip(read, written, strict=True)
    ]
    return _Spent(read, written, rng.exponential(spending.seconds, size=n).tolist(), costs)


def _events(
    policy: Policy,
    drawn: DrawnTask,
    states: Sequence[int],
    started: float,
    rng: np.random.Generator,
) -> tuple[tuple[Event, ...], Usage]:
    typed = list(_typed(policy, drawn.about, states, rng))
    spent = _spend(policy.spending, len(typed), rng)
    moments = [started + passed for passed in accumulate(spent.seconds)]
    prompt = Event(event="user", actor="user", text=drawn.task.prompt, timestamp=started)
    actions = (
        Event(
            event="action",
            turn=turn,
            action=one.command,
            text=one.thought,
            observation=one.answer,
            exit_code=one.exit_code,
            timestamp=moments[turn],
            duration_s=spent.seconds[turn],
            input_tokens=spent.read[turn],
            output_tokens=spent.written[turn],
            cost_usd=spent.costs[turn],
        )
        for turn, one in enumerate(typed)
    )
    usage = Usage(
        started_at=started,
        duration_s=moments[-1] - started,
        input_tokens=sum(spent.read),
        output_tokens=sum(spent.written),
        cost_usd=sum(spent.costs),
    )
    return (prompt, *actions), usage


def _typed(
    policy: Policy, about: Setting, states: Sequence[int], rng: np.random.Generator
) -> Iterator[Typed]:
    n = len(policy.kinds)
    kinds: list[Kind] = [policy.kinds[state] for state in states if state < n]
    for kind in kinds:
        yield _type(policy, kind, about, rng)
    if states[-1] == n:
        yield Typed(SUBMIT, "This is done.", "", 0)
    else:
        again = [_type(policy, kind, about, rng) for kind in policy.cycle]
        for place in range(len(states) - len(kinds)):
            yield again[place % len(again)]


def _type(policy: Policy, kind: Kind, about: Setting, rng: np.random.Generator) -> Typed:
    return type_command(
        kind, policy.heads[kind], about, rng, prefix=policy.prefix, failing=policy.failing
    )
