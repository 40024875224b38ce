"""What a simulated system is: an explicit Markov policy over kinds of shell commands.

Everything that a policy does is in its fields; nothing else decides. `Policy.chain` turns it into
the Markov chain of one level of difficulty, from which `ethogram.simulate.truth` computes what a
measure should find.
"""

from collections.abc import Mapping
from itertools import cycle, islice
from typing import Final

import msgspec
import numpy as np

from ethogram.actions.kinds import KINDS, Kind
from ethogram.errors import UsageError
from ethogram.simulate.markov import Chain

LOOP_ACTIONS: Final = 12
"""Actions of a run that is caught in a cycle, from the first repeated one to the end."""
LETTERS: Final[Mapping[str, Kind]] = {
    "x": "explore",
    "u": "understand",
    "e": "edit",
    "v": "verify",
    "o": "other",
}

Rows = tuple[tuple[float, ...], ...]


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A class of tasks that are equally hard."""

    name: str
    share: float
    """Probability that a task is of this level."""


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What actions cost: tokens, time and money."""

    prompt_tokens: int
    """Input tokens of the first response."""
    tokens_an_action: int
    """By how much the input grows with each further one."""
    output_tokens: tuple[int, int]
    """Output tokens of a response, drawn evenly from first to last."""
    seconds: float
    """Mean time of an action, exponentially distributed."""
    input_price: float
    """US dollars a token."""
    output_price: float


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A simulated system with everything that decides its behaviour.

    Raises
    ------
    UsageError
        If the number of states, start probabilities or rows differ, or a rate is no probability.
    """

    name: str
    about: str
    kinds: tuple[Kind, ...]
    """What an action in each state does."""
    start: tuple[float, ...]
    """Probability of each state for the first action."""
    transition: Rows
    """Probability of each state after each; what a row lacks to 1 is that the run is over."""
    success: tuple[float, ...]
    """Probability that a run that submits solves its task, for each level."""
    dwell: tuple[float, ...]
    """Mean number of actions at each visit to a state, 1 or more, for each level."""
    loop: float = 0.0
    """Probability that a run, instead of submitting, is caught in a cycle until it is stopped;
    what it has by then is handed in and is wrong."""
    cycle: tuple[Kind, ...] = ("edit", "verify")
    """What the actions of the cycle do."""
    empty: float = 0.0
    """Probability that a run that fails submits nothing."""
    same_patch: float = 0.0
    """Probability that a run that fails submits its task's one wrong patch, not one of its own."""
    failing: float = 0.0
    """Probability that an action that executes something ends with exit code 1."""
    heads: Mapping[Kind, Mapping[str, float]]
    """Which programs it uses for each kind, with their probabilities."""
    prefix: str = ""
    """Put before every command."""
    spending: Spending

    def __post_init__(self) -> None:
        sizes = {len(self.kinds), len(self.start), len(self.transition)}
        sizes |= {len(row) for row in self.transition}
        if len(sizes) != 1:
            raise UsageError(f"policy {self.name!r}: kinds, start and transition differ in size")
        rates = (self.loop, self.empty, self.same_patch, self.failing, *self.success)
        if not all(0 <= rate <= 1 for rate in rates) or min(self.dwell) < 1:
            raise UsageError(f"policy {self.name!r}: rates lie between 0 and 1, dwell is 1 or more")

    def chain(self, level: int) -> Chain:
        """Markov chain of the actions on a task of this level.

        The states are those of the policy, then the submission, then the actions of the cycle. A
        run leaves a state after ``dwell`` actions on average, whatever it does then: expected
        counts grow by that factor and their proportions stay.

        Parameters
        ----------
        level : int
            Index of the level.
        """
        n, dwell = len(self.kinds), self.dwell[level]
        own = np.array(self.transition)
        matrix = np.zeros((n + 1 + LOOP_ACTIONS, n + 1 + LOOP_ACTIONS))
        matrix[:n, :n] = np.eye(n) * (1 - 1 / dwell) + own / dwell
        leaving = np.clip(1 - matrix[:n].sum(axis=1), 0, None)
        matrix[:n, n] = leaving * (1 - self.loop)
        matrix[:n, n + 1] = leaving * self.loop
        matrix[range(n + 1, n + LOOP_ACTIONS), range(n + 2, n + 1 + LOOP_ACTIONS)] = 1
        kinds = [*self.kinds, "other", *islice(cycle(self.cycle), LOOP_ACTIONS)]
        return Chain(
            start=np.array([*self.start, *[0.0] * (1 + LOOP_ACTIONS)]),
            transition=matrix,
            symbols=np.array([KINDS.index(kind) for kind in kinds]),
            n_symbols=len(KINDS),
        )


def planned(letters: str, *, repeat: float, skip: float) -> tuple[tuple[Kind, ...], Rows]:
    """Kinds and transitions of a policy that follows a plan.

    Each action of the plan is a state: it is repeated with one probability, the next one is left
    out with another, else the next one follows. After the last the run is over.

    Parameters
    ----------
    letters : str
        The plan, one letter an action: ``x`` explore, ``u`` understand, ``e`` edit, ``v`` verify,
        ``o`` other.
    repeat, skip : float
        The two probabilities.

    Examples
    --------
    >>> planned("xe", repeat=0.5, skip=0.125)
    (('explore', 'edit'), ((0.5, 0.375), (0.0, 0.5)))
    """
    n = len(letters)
    steps = {0: repeat, 1: 1 - repeat - skip, 2: skip}
    rows = tuple(tuple(steps.get(j - i, 0.0) for j in range(n)) for i in range(n))
    return tuple(LETTERS[letter] for letter in letters), rows
