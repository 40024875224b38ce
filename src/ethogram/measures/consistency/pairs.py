"""Systems against each other, and groups of systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.consistency.evidence import Evidence
from ethogram.measures.consistency.sample import Sample
from ethogram.measures.consistency.scales import (
    STATISTICS,
    Drawing,
    Ground,
    estimate,
    ground,
    mean_over,
    minus,
    success_of,
    widened,
)
from ethogram.measures.consistency.systems import Rows, shuffled_clouds
from ethogram.results.estimate import Estimate
from ethogram.stats.arrays import BoolArray, FloatArray
from ethogram.stats.resampling import Statistic

ALIKE: Final = 0.05
"""Systems whose success differs by no more are alike in it."""
Groups = Mapping[str, Sequence[str]]


def _kept(sample: Sample, name: str) -> BoolArray:
    kept: BoolArray = sample.system == sample.systems.index(name)
    return kept


@dataclass(frozen=True)
class _Figures:
    """Statistics of a system or group on some tasks, and their values in each permutation."""

    statistics: Mapping[str, Statistic]
    nulls: Mapping[str, FloatArray]


def _figures(evidence: Evidence, base: Ground, name: str) -> _Figures:
    """Success and BCM of one system on the tasks of a ground that holds others too."""
    sample = evidence.sample
    own = _kept(sample, name)
    found: dict[str, Statistic] = {"success_rate": success_of(sample, base, own)}
    nulls: dict[str, FloatArray] = {}
    observed = {
        variant: base.cloud(values.values, own)
        for variant, values in (("_offset", evidence.offset), ("", evidence.observed))
    }
    shuffled = (
        shuffled_clouds(evidence, _on_tasks_of(evidence, base, name)) if evidence.shuffled else {}
    )
    for scale, make in STATISTICS.items():
        for variant, cloud in observed.items():
            if variant in shuffled:
                left = f"{scale}{variant}_minus_null"
                found[left] = shuffled[variant].minus_null(scale)
                nulls[left] = shuffled[variant].each(scale)
            found[scale + variant] = make(cloud)
    return _Figures(found, nulls)


def _on_tasks_of(evidence: Evidence, base: Ground, name: str) -> Ground:
    """The runs of a system that permutations work on, placed on a ground's tasks."""
    part = evidence.null_sample
    names = evidence.sample.runs["task"].to_numpy()[base.kept]
    places = dict(zip(names.tolist(), base.task.tolist(), strict=True))
    own = _kept(part, name)
    tasks = [places[task] for task in part.runs["task"].to_numpy()[own].tolist()]
    return Ground(own, np.array(tasks, dtype=np.int64), base.n_tasks)


def _mean(each: Sequence[_Figures]) -> _Figures:
    first = each[0]
    return _Figures(
        {name: mean_over([one.statistics[name] for one in each]) for name in first.statistics},
        {name: np.mean([one.nulls[name] for one in each], axis=0) for name in first.nulls},
    )


def _differences(
    one: _Figures, other: _Figures, base: Ground, drawing: Drawing
) -> Iterator[Estimate]:
    for name, statistic in one.statistics.items():
        share = name == "success_rate"
        made = estimate(
            name,
            minus(statistic, other.statistics[name]),
            base.n_tasks,
            drawing=drawing,
            n_runs=int(base.kept.sum()),
            unit="points" if share else "correlation",
            bounds=(-1.0, 1.0) if share else (-4.0, 4.0),
            reason="one of the two has no such figure",
        )
        yield widened(made, one.nulls[name] - other.nulls[name]) if name in one.nulls else made


def pair_rows(evidence: Evidence, *, drawing: Drawing) -> Rows:
    """First minus second of each pair, on tasks drawn for both at once; figure by figure."""
    sample = evidence.sample
    rows: Rows = []
    for first, second in combinations(sample.systems, 2):
        base = ground(sample, _kept(sample, first) | _kept(sample, second))
        one, other = (_figures(evidence, base, name) for name in (first, second))
        keys = {"first": first, "second": second}
        rows += [(keys, found) for found in _differences(one, other, base, drawing)]
    names = list(dict.fromkeys(found.name for _, found in rows))
    return sorted(rows, key=lambda row: names.index(row[1].name))


def headline(evidence: Evidence) -> str:
    """The end of the name of the figure to read first: beyond its null where there is one."""
    return "_offset_minus_null" if evidence.shuffled else "_offset"


@dataclass(frozen=True)
class AlikePair:
    """Two systems alike in success.

    Attributes
    ----------
    first, second : str
    success : Estimate
        First minus second, within `ALIKE`.
    bcm : mapping of str to Estimate
        First minus second of every figure that pairs have.
    """

    first: str
    second: str
    success: Estimate
    bcm: Mapping[str, Estimate]

    def apart(self, figure: str) -> bool:
        """Whether a figure differs clearly: its interval lies on one side of 0."""
        return figure in self.bcm and _clear(self.bcm[figure])


def alike_pairs(rows: Rows) -> list[AlikePair]:
    """The pairs of systems whose success differs by 5 points or less.

    Parameters
    ----------
    rows : rows of `pair_rows`
    """
    by_pair: dict[tuple[str, str], dict[str, Estimate]] = {}
    for keys, found in rows:
        by_pair.setdefault((keys["first"], keys["second"]), {})[found.name] = found
    return [
        AlikePair(*pair, found["success_rate"], found)
        for pair, found in by_pair.items()
        if (success := found["success_rate"].value) is not None and abs(success) <= ALIKE
    ]


def _clear(difference: Estimate) -> bool:
    low, high = difference.low, difference.high
    return low is not None and high is not None and not low <= 0 <= high


def group_rows(evidence: Evidence, groups: Groups, *, drawing: Drawing) -> Rows:
    """Mean over the systems of each group, and each pair of groups' difference.

    Raises
    ------
    UnknownNameError
        If a group names a system that is not there.
    UsageError
        If a group is empty.
    """
    sample = evidence.sample
    for group, names in groups.items():
        if not names:
            raise UsageError(f"group {group!r} names no system")
        for name in names:
            if name not in sample.systems:
                raise UnknownNameError("system", name, list(sample.systems))
    everyone = [name for names in groups.values() for name in names]
    base = ground(sample, np.isin(sample.runs["system"].to_numpy(), everyone))
    each = {name: _figures(evidence, base, name) for name in set(everyone)}
    means = {group: _mean([each[name] for name in names]) for group, names in groups.items()}
    rows: Rows = [
        ({"group": group}, made)
        for group, found in means.items()
        for made in _means(found, base, drawing)
    ]
    for one, other in combinations(means, 2):
        keys = {"group": f"{one} minus {other}"}
        rows += [(keys, made) for made in _differences(means[one], means[other], base, drawing)]
    return rows


def _means(found: _Figures, base: Ground, drawing: Drawing) -> Iterator[Estimate]:
    for name, statistic in found.statistics.items():
        share = name == "success_rate"
        made = estimate(
            name,
            statistic,
            base.n_tasks,
            drawing=drawing,
            n_runs=int(base.kept.sum()),
            unit="share" if share else "correlation",
            bounds=(0.0, 1.0) if share else (-2.0, 2.0),
            reason="a system of the group has no such figure",
        )
        yield widened(made, found.nulls[name]) if name in found.nulls else made
