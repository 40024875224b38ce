"""Whether a tau2-bench run is of the task that it names, by the actions that were checked in it."""

import re
from typing import Final

from ethogram.formats.json_text import canonical
from ethogram.formats.tau2_shapes import Action, Results, Simulation, gold_actions

_ACTION_ID: Final = re.compile(r"(\d+)_\d+")


class GoldActions:
    """The gold actions of a file's tasks.

    Parameters
    ----------
    results : Results
        The file; its tasks may be missing.
    """

    def __init__(self, results: Results) -> None:
        self._by_task = {
            str(entry.id): frozenset(map(_key, gold_actions(entry)))
            for entry in results.tasks or []
            if entry.id is not None
        }

    def contradict(self, simulation: Simulation) -> bool:
        """Whether actions were checked that are not gold actions of the task that the run names.

        Where the file doesn't describe that task, numbers in the ids of actions (``7_0``: the first
        of task 7) must be the number of the task. Without any checks nothing contradicts.
        """
        checked = _checked(simulation)
        named = None if simulation.task_id is None else str(simulation.task_id)
        if not checked or named is None:
            return False
        gold = self._by_task.get(named)
        if gold is not None:
            return not frozenset(map(_key, checked)) <= gold
        return named.isdigit() and _prefixes(checked).isdisjoint({named, None})

    def task_of(self, simulation: Simulation) -> str | None:
        """The one task to which the checked actions belong; None if there are none or several."""
        checked = frozenset(map(_key, _checked(simulation)))
        tasks = [task for task, gold in self._by_task.items() if checked and checked <= gold]
        prefixes = _prefixes(_checked(simulation))
        found = tasks or [prefix for prefix in prefixes if prefix is not None]
        return found[0] if len(found) == 1 else None


def _checked(simulation: Simulation) -> list[Action]:
    checks = simulation.reward_info.action_checks if simulation.reward_info else None
    return [check.action for check in checks or []]


def _key(action: Action) -> str:
    return canonical([str(action.action_id), action.name, action.arguments])


def _prefixes(actions: list[Action]) -> set[str | None]:
    """Tasks that the ids of actions name; None stands for ids of another form."""
    matches = [_ACTION_ID.fullmatch(str(action.action_id)) for action in actions]
    return {match[1] if match else None for match in matches}
