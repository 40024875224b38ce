"""Runs of simulated systems that call tools: `Trajectory` values as a reader would yield them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import numpy as np

from ethogram.simulate.draw import generator
from ethogram.simulate.tool_agents import ToolSystem
from ethogram.simulate.tool_shop import (
    BENCHMARK,
    HELP,
    OF_CUSTOMER,
    PREFIXES,
    TOOLS,
    ShopTask,
    Step,
    draw_shop_task,
)
from ethogram.trajectory import Event, Outcome, System, Trajectory

POLICY: Final = (
    "You serve the customers of a repair shop. Change nothing that they did not ask for."
)
ERROR: Final = "Error: the shop's books did not answer"
ENTRIES: Final = 1_000_000
"""Entries in the shop's books."""


def simulate_tools(
    systems: Sequence[ToolSystem],
    *,
    n_tasks: int = 20,
    n_runs: int = 1,
    seed: int = 0,
    policy: str = POLICY,
    n_records: int = 0,
) -> Iterator[Trajectory]:
    """Draw runs, system by system, task by task.

    Every run has a generator of its own, made from the seed, the system's name, the number of the
    task and the trial: it is the same run whatever else is drawn, in whatever order. All systems
    meet the same tasks. Success doesn't hang on the task, only on the system's skill.

    Parameters
    ----------
    systems : sequence of ToolSystem
        The systems; their names must differ.
    n_tasks, n_runs : int
        Number of tasks, and of runs of each system at each.
    seed : int
        Same seed, same runs.
    policy : str
        The system text.
    n_records : int
        Records of about 110 characters that every result carries besides what it is asked for; no
        argument is taken from them.

    Yields
    ------
    Trajectory
        ``n_tasks * n_runs`` for each system.

    Examples
    --------
    >>> from ethogram.simulate.tool_agents import draw_system
    >>> made = next(simulate_tools([draw_system("a", seed=0)], n_tasks=1))
    >>> made.system.name, made.task.task_id, made.actions[0].tool
    ('a', 'mend-001', 'find_customer')
    """
    tasks = [draw_shop_task(number, seed=seed) for number in range(n_tasks)]
    for system in systems:
        for task in tasks:
            for trial in range(n_runs):
                yield _run(system, task, trial, seed, policy, n_records)


def _run(
    system: ToolSystem, task: ShopTask, trial: int, seed: int, policy: str, n_records: int
) -> Trajectory:
    rng = generator(seed, system.name, task.number, trial)
    success = bool(rng.random() < system.skill)
    steps = planned_calls(system, task, rng)
    if not success:
        steps = _failing(system, task, steps, rng)
    talk = _Talk(system, task, rng, policy, n_records)
    for step in steps:
        talk.call(step)
    talk.close()
    return Trajectory(
        system=System(name=system.name, scaffold="simulated", model=f"simulated/{system.name}"),
        task=task.task,
        outcome=Outcome(success=success, source=BENCHMARK, ending="completed"),
        events=tuple(talk.events),
        native_id=f"{system.name}/{task.task.task_id}/{trial}",
        trial=trial,
    )


def planned_calls(system: ToolSystem, task: ShopTask, rng: np.random.Generator) -> list[Step]:
    """Calls of a run that succeeds, failed ones left out: mandatory, optional, reads of writes."""
    habits = system.habits
    rates = habits.optional.get(task.errand.name, {})
    chosen = [
        choice for choice in task.errand.choices if rng.random() < rates.get(choice.tool, 0.0)
    ]
    steps: list[Step] = []
    for step in task.mandatory:
        tool = TOOLS[step.tool]
        looked = bool(steps) and steps[-1].tool == tool.before
        if tool.before and not looked and rng.random() < habits.read_before_write:
            steps.append(Step(tool.before, step.item))
        first = all(step.tool != earlier.tool for earlier in steps)
        steps.append(step)
        if tool.after and rng.random() < habits.read_after_write:
            steps.append(Step(tool.after, step.item))
        if first:
            steps += [Step(choice.tool, 0) for choice in chosen if choice.after == step.tool]
    return steps


def _failing(
    system: ToolSystem, task: ShopTask, steps: list[Step], rng: np.random.Generator
) -> list[Step]:
    """What is left of a run's calls when it fails."""
    if rng.random() < system.gives_up:
        return steps[: int(rng.integers(1, len(steps)))]
    mandatory = task.mandatory
    out = {step for step in mandatory if rng.random() < system.leaves_out}
    out.add(mandatory[int(rng.integers(len(mandatory)))])
    return [step for step in steps if step not in out]


class _Talk:
    """The events of a run as they come about."""

    def __init__(
        self,
        system: ToolSystem,
        task: ShopTask,
        rng: np.random.Generator,
        policy: str,
        n_records: int,
    ) -> None:
        self._system, self._task, self._rng, self._n_records = system, task, rng, n_records
        self._turn = 0
        # a drawn start, so that records don't take numbers that decide on calls
        self._entry = int(rng.integers(ENTRIES))
        self._known: set[tuple[str, int]] = set()
        self.events = [Event(event="system", actor="user", text=policy)]
        self._say(task.errand.wish, [(name, 0) for name in task.errand.told])
        self._ask_at_outset()

    def call(self, step: Step) -> None:
        """Make a call, and what has to be done before and after it."""
        tool, rng = TOOLS[step.tool], self._rng
        missing = [(name, step.item) for name in tool.takes if not self._knows(name, step.item)]
        if missing:
            self._ask(missing)
        if rng.random() < self._system.error_rate:
            self._add(step, ERROR, is_error=True)
            if rng.random() >= self._system.habits.retry:
                self._add(Step(HELP, 0), self._result(Step(HELP, 0)), is_error=False)
        self._add(step, self._result(step), is_error=False)
        items = range(self._task.n_items) if tool.whole else [step.item]
        self._known.update((name, item) for name in tool.gives for item in items)

    def close(self) -> None:
        """Say goodbye."""
        self._reply("That is all that I could do. Goodbye.")

    def _ask_at_outset(self) -> None:
        """Ask for the ids that this system would rather have from the user."""
        taken = {name for step in self._task.mandatory for name in TOOLS[step.tool].takes}
        asked = [
            (name, item)
            for name in PREFIXES
            if name in taken and self._rng.random() >= self._system.habits.look_up
            for item in range(self._task.n_items)
        ]
        if asked:
            self._ask(asked)

    def _knows(self, name: str, item: int) -> bool:
        item = 0 if name in OF_CUSTOMER or name == "fault" else item
        return (name, item) in self._known

    def _ask(self, wanted: list[tuple[str, int]]) -> None:
        self._reply("Please tell me more.")
        self._say("here it is", wanted)

    def _say(self, text: str, told: list[tuple[str, int]]) -> None:
        values = dict.fromkeys(str(self._task.values[name][item]) for name, item in told)
        self._known.update(told)
        text = f"{text}: {', '.join(values)}" if values else text
        self.events.append(Event(event="user", actor="user", text=text))

    def _reply(self, text: str) -> None:
        self.events.append(Event(event="reply", turn=self._turn, text=text))
        self._turn += 1

    def _values(self, names: Sequence[str], item: int) -> dict[str, str | float]:
        return {name: self._task.values[name][item] for name in names}

    def _result(self, step: Step) -> str:
        """A tool's result: its arguments again, and the values that it adds."""
        tool = TOOLS[step.tool]
        found: dict[str, Any] = self._values(tool.takes, step.item)
        if tool.whole:
            found["found"] = [self._values(tool.gives, item) for item in range(self._task.n_items)]
        else:
            found |= self._values(tool.gives, step.item)
        if self._n_records:
            found["history"] = [self._record() for _ in range(self._n_records)]
        return msgspec.json.encode(found).decode()

    def _record(self) -> dict[str, str | int]:
        """A record of the shop's books that is nobody's."""
        self._entry = number = (self._entry * 7_121 + 54_773) % ENTRIES
        return {
            "entry": f"LG{number:06d}",
            "date": f"2025-{number % 12 + 1:02d}-{number % 28 + 1:02d}",
            "clerk": f"clerk {number % 97}",
            "note": "seen at the counter and put back on the shelf",
        }

    def _add(self, step: Step, result: str, *, is_error: bool) -> None:
        arguments = msgspec.json.encode(self._values(TOOLS[step.tool].takes, step.item)).decode()
        self.events.append(
            Event(
                event="action",
                turn=self._turn,
                tool=step.tool,
                action=f"{step.tool}({arguments})",
                arguments=arguments,
                arguments_state="object",
                is_error=is_error,
                error_origin="recorded",
                observation=result,
            )
        )
        self._turn += 1
