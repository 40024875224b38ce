"""Optional tool agreement, S_node, with its variants (appendix B.2 of Yang et al. 2026)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.measures.similarity.catalogue import CATALOGUE
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

MIN_POOL: Final = 3
TOO_FEW_WINNERS: Final = (
    "the pool needs three systems with successes; it has {n} (a tool is optional where one "
    "successful system used it and another did not, so that two systems alone disagree on every "
    "optional tool by definition)"
)


@dataclass(frozen=True)
class ToolUse:
    """Which tools were used, by system and task.

    Attributes
    ----------
    sample : Sample
        The runs.
    tools : tuple of str
        Names of the tools.
    used : ndarray of shape (n_runs, n_tools)
        Whether each run called each tool; failed calls count.
    share : ndarray of shape (n_systems, n_tasks, n_tools)
        Share of a system's runs at a task that used the tool; NaN without runs.
    winners : ndarray of shape (n_systems, n_tasks)
        Whether a system has a successful run at a task.
    won_with : ndarray of shape (n_systems, n_tasks, n_tools)
        Whether any of these successful runs used the tool.
    """

    sample: Sample
    tools: tuple[str, ...]
    used: BoolArray
    share: FloatArray
    winners: BoolArray
    won_with: BoolArray


@dataclass(frozen=True)
class Split:
    """The tools of each task by a pool's successful systems.

    Attributes
    ----------
    optional, mandatory : ndarray of shape (n_tasks, n_tools)
        Used by some but not by all, and by all, of the systems that succeeded.
    n_winners : ndarray of shape (n_tasks,)
        Systems of the pool that succeeded.
    """

    optional: BoolArray
    mandatory: BoolArray
    n_winners: IntArray


def tool_use(sample: Sample, names: Sequence[Sequence[str]]) -> ToolUse:
    """Tabulate the tools of runs.

    Parameters
    ----------
    sample : Sample
        The runs.
    names : sequence of sequences of str
        Names of each run's calls, in the order of the sample's runs.
    """
    tools = tuple(sorted({name for run in names for name in run}))
    place = {name: number for number, name in enumerate(tools)}
    used = np.zeros((len(names), len(tools)), dtype=np.bool_)
    for number, run in enumerate(names):
        used[number, [place[name] for name in run]] = True
    won = sample.won()[:, None]
    with np.errstate(invalid="ignore"):
        share = sample.sums(used.astype(np.float64)) / sample.n_runs[:, :, None]
    return ToolUse(
        sample,
        tools,
        used,
        share,
        winners=sample.sums(won.astype(np.float64))[:, :, 0] > 0,
        won_with=sample.sums((used & won).astype(np.float64)) > 0,
    )


def in_pool(sample: Sample, pool: Sequence[str] | None) -> BoolArray:
    """Which systems are in the pool; without one, all."""
    return np.array([pool is None or name in pool for name in sample.systems])


def split(use: ToolUse, pool: BoolArray) -> Split:
    """Mandatory and optional tools of each task.

    ``mandatory_t`` is what all successful systems of the pool used, ``optional_t`` what some but
    not all did; a system's tools are those of its successful runs together.

    Parameters
    ----------
    use : ToolUse
        Who used what.
    pool : ndarray of bool, shape (n_systems,)
        The systems that decide.
    """
    winners = use.winners & pool[:, None]
    n_winners = winners.sum(axis=0)
    n_users = (use.won_with & winners[:, :, None]).sum(axis=0)
    everybody = n_users == n_winners[:, None]
    return Split((n_users > 0) & ~everybody, (n_users > 0) & everybody, n_winners)


def s_node(use: ToolUse, pool: BoolArray) -> TaskScores:
    """Optional tool agreement of all pairs.

    ``S_node(A, B) = mean over t of (1 / |F_t|) sum over f in F_t of [A uses f at t] = [B uses f at
    t]``, with ``F_t`` the optional tools of task t: both use a tool, or both skip it. From 0 to 1;
    tasks without an optional tool are left out. With repeats a task's ratio is the mean over pairs
    of runs.

    Parameters
    ----------
    use : ToolUse
        Who used what.
    pool : ndarray of bool, shape (n_systems,)
        The systems that decide which tools are optional, whatever pair is shown.

    Returns
    -------
    TaskScores
        With a reason instead of scores where fewer than three systems of the pool succeeded in
        anything.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, appendix B.2.
    """
    return _scores(
        use,
        split(use, pool).optional,
        name="s_node",
        reason=_too_few(use, pool),
    )


def s_node_all_tools(use: ToolUse, pool: BoolArray) -> TaskScores:
    """The same over every tool that a successful system used, mandatory ones too (Table 7)."""
    found = split(use, pool)
    return _scores(
        use,
        found.optional | found.mandatory,
        name="s_node_all_tools",
        reason=None if found.n_winners.any() else "no system of the pool succeeded",
    )


def s_node_others(use: ToolUse, pool: BoolArray) -> TaskScores:
    """The same with tools that are optional among the *other* systems of the pool alone.

    A pair that decides itself which tools are optional puts its own disagreements among them, and
    not its agreements: left out, it is judged by what others found optional.
    """
    sample = use.sample
    n_systems, n_tasks = len(sample.systems), len(sample.tasks)
    winners = use.winners & pool[:, None]
    won_with = (use.won_with & winners[:, :, None]).astype(np.int64)
    n_winners, n_users = winners.sum(axis=0), won_with.sum(axis=0)
    signs = _signs(use)
    values = np.full((n_systems, n_systems, n_tasks), np.nan)
    for i in range(n_systems):
        for j in range(i):
            users = n_users - won_with[i] - won_with[j]
            others = n_winners - winners[i] - winners[j]
            optional = (users > 0) & (users < others[:, None])
            values[i, j] = values[j, i] = _agreement(signs[i], signs[j], optional)
    n_others = int(winners.any(axis=1).sum())
    return TaskScores(
        name="s_node_others",
        systems=sample.systems,
        tasks=sample.tasks,
        values=values,
        repeats=np.full((n_systems, n_tasks), np.nan),
        runs=sample.n_runs,
        label=CATALOGUE["s_node_others"].label,
        about=CATALOGUE["s_node_others"].about,
        reason=None
        if n_others >= MIN_POOL + 1 or not np.isnan(values).all()
        else "the pool has no two other systems with successes",
    )


def by_algebra(use: ToolUse, pool: BoolArray) -> IntArray:
    """Tasks of each pair that have optional tools and were solved by just the two of them.

    There every optional tool is one that the two disagree on (with one run each: S_node is 0).

    Returns
    -------
    ndarray of shape (n_systems, n_systems)
        Counts.
    """
    found = split(use, pool)
    alone = found.optional.any(axis=1) & (found.n_winners == 2)
    winners = (use.winners & pool[:, None] & alone[None, :]).astype(np.int64)
    return np.asarray(winners @ winners.T, dtype=np.int64)


def _too_few(use: ToolUse, pool: BoolArray) -> str | None:
    n = int((use.winners & pool[:, None]).any(axis=1).sum())
    return None if n >= MIN_POOL else TOO_FEW_WINNERS.format(n=n)


def _signs(use: ToolUse) -> FloatArray:
    """Mean over a system's runs of +1 for a tool used and -1 for one skipped."""
    return 2 * use.share - 1


def _agreement(first: FloatArray, second: FloatArray, tools: BoolArray) -> FloatArray:
    """Share of tools with the same decision, by task; NaN without tools or runs."""
    with np.errstate(invalid="ignore"):
        product = np.where(tools, first * second, 0.0).sum(axis=-1) / tools.sum(axis=-1)
    return np.asarray((1 + product) / 2, dtype=np.float64)


def _scores(use: ToolUse, tools: BoolArray, *, name: str, reason: str | None) -> TaskScores:
    sample, signs = use.sample, _signs(use)
    n_systems, n_tasks = len(sample.systems), len(sample.tasks)
    if reason is None:
        values = np.stack([_agreement(each[None], signs, tools) for each in signs])
        repeats, unlike = _repeats(use, tools), _unlike(use, tools)
    else:
        values = np.full((n_systems, n_systems, n_tasks), np.nan)
        repeats = unlike = np.full((n_systems, n_tasks), np.nan)
    return TaskScores(
        name=name,
        systems=sample.systems,
        tasks=sample.tasks,
        values=values,
        repeats=repeats,
        unlike=unlike,
        runs=sample.n_runs,
        label=CATALOGUE[name].label,
        about=CATALOGUE[name].about,
        reason=reason,
    )


def _repeats(use: ToolUse, tools: BoolArray) -> FloatArray:
    """Agreement of distinct runs of a system at a task: ``(n m^2 - 1) / (n - 1)`` a tool."""
    n = use.sample.n_runs[:, :, None].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        pairs = np.where(n > 1, (n * _signs(use) ** 2 - 1) / (n - 1), np.nan)
        product = np.where(tools, pairs, 0.0).sum(axis=-1) / tools.sum(axis=-1)
    return np.asarray((1 + product) / 2, dtype=np.float64)


def _unlike(use: ToolUse, tools: BoolArray) -> FloatArray:
    """Agreement of a system's runs at a task with its runs at other tasks, on that task's tools."""
    signs = _signs(use)
    there = use.sample.n_runs > 0
    total = np.where(there[:, :, None], signs, 0.0).sum(axis=1, keepdims=True)
    n_others = there.sum(axis=1)[:, None, None] - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        others = (total - signs) / n_others
    return _agreement(signs, others, tools)
