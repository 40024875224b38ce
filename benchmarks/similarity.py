"""Similarity of tool use: exact graph edit distances beside networkx.

Each part compares like with like in one run, since a machine's mood changes from run to run::

    python benchmarks/similarity.py graphs                       generated pairs of graphs
    python benchmarks/similarity.py graphs COHORT [--where E]    all pairs of systems, task by task
    python benchmarks/similarity.py graphs --every 1             networkx on every pair, too

networkx gets a limit of ten seconds a pair, so that by default it is run on every twelfth only. It
doesn't say whether what it found is the distance: it is taken to have ended if it did so in time.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import networkx as nx
import numpy as np

from ethogram import Cohort
from ethogram.measures.similarity.sample import sample_of
from ethogram.measures.similarity.scores import graphs_of
from ethogram.stats.graph_edit import EditDistance, LabelledGraph, graph_edit_distance

Pair: TypeAlias = tuple[LabelledGraph, LabelledGraph]
Timed: TypeAlias = tuple[float, EditDistance]
Found = TypeVar("Found")

TOOLS: Final = ("find", "read", "search", "book", "cancel", "pay", "calculate", "think")
N_PAIRS: Final = 476


def drawn_pairs(seed: int = 0) -> list[Pair]:
    """Runs of 0 to 40 calls (most have fewer than ten) beside what another system made of them."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.geometric(1 / 8, size=N_PAIRS) - 1, 40)
    return [_drawn_pair(rng, int(size)) for size in sizes]


def _drawn_pair(rng: np.random.Generator, size: int) -> Pair:
    names = rng.choice(TOOLS, size=size, p=np.arange(8, 0, -1) / 36).tolist()
    # what a call needs was mostly told by one of the first few calls
    sources = [int(rng.integers(0, min(5, place) + 1)) - 1 for place in range(size)]
    kept = [place for place in range(size) if rng.random() < 0.8]
    changed = [str(rng.choice(TOOLS)) if rng.random() < 0.2 else names[place] for place in kept]
    where = {place: number for number, place in enumerate(kept)}
    moved = [where.get(sources[place], -1) for place in kept]
    return _fed(names, sources), _fed(changed, moved)


def _fed(names: Sequence[str], sources: Sequence[int]) -> LabelledGraph:
    """A chain in which calls with a source (0 or more) follow from it instead."""
    edges = {
        (source, target) if source >= 0 else (target - 1, target): "d" if source >= 0 else "s"
        for target, source in enumerate(sources)
        if target > 0
    }
    return LabelledGraph(tuple(names), edges)


def real_pairs(cohort: Cohort) -> list[Pair]:
    """Runs of different systems at the same task."""
    sample = sample_of(cohort)
    graphs = [LabelledGraph(graph.names, graph.edges) for graph in graphs_of(cohort, sample).graphs]
    runs = zip(sample.runs["task"], sample.runs["system"], graphs, strict=True)
    return [
        (one[2], other[2])
        for one, other in combinations(runs, 2)
        if one[0] == other[0] and one[1] != other[1]
    ]


def by_networkx(pair: Pair, limit: float) -> float | None:
    """The distance that networkx finds in time, if any."""

    def same(one: dict[str, str], other: dict[str, str]) -> bool:
        return one["label"] == other["label"]

    graphs = []
    for graph in pair:
        made: nx.DiGraph[int] = nx.DiGraph()
        made.add_nodes_from((node, {"label": name}) for node, name in enumerate(graph.names))
        made.add_edges_from((*ends, {"label": label}) for ends, label in graph.edges.items())
        graphs.append(made)
    found: float | None = nx.graph_edit_distance(
        *graphs, node_match=same, edge_match=same, timeout=limit
    )
    return found


def timed(call: Callable[[], Found]) -> tuple[float, Found]:
    """Seconds that a call takes, and what it gives."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def shown(name: str, results: Sequence[tuple[float, object]], note: str = "") -> None:
    """One line: median, 90th percentile, maximum and sum."""
    seconds = np.array([seconds for seconds, _ in results])
    median, high = np.quantile(seconds, [0.5, 0.9])
    print(
        f"{name:<20} median {1000 * median:8.2f} ms   90 % {1000 * high:9.1f} ms   "
        f"max {seconds.max():6.2f} s   sum {seconds.sum():7.1f} s   {note}"
    )


def edit_distances(options: argparse.Namespace) -> None:
    """Part ``graphs``."""
    if options.cohort is None:
        pairs = drawn_pairs()
    else:
        pairs = real_pairs(Cohort.open(options.cohort).filter(*options.where))
    n_nodes = [len(graph.names) for pair in pairs for graph in pair]
    print(f"{len(pairs):,} pairs of graphs of {min(n_nodes)} to {max(n_nodes)} nodes")
    quick = sum(graph_edit_distance(*pair, time_limit=0).optimal for pair in pairs)
    graph_edit_distance(*max(pairs, key=lambda pair: pair[0].size))  # imports are no part of it
    own = [timed(partial(graph_edit_distance, *pair)) for pair in pairs]
    proven = sum(found.optimal for _, found in own)
    shown("here, all pairs", own, f"{proven:,} proven optimal, {quick:,} without the solver")
    beside_networkx(pairs[:: options.every], own[:: options.every], options.limit)


def beside_networkx(pairs: Sequence[Pair], own: Sequence[Timed], limit: float) -> None:
    """The same pairs by networkx."""
    theirs = [timed(partial(by_networkx, pair, limit)) for pair in pairs]
    ended = [seconds < limit for seconds, _ in theirs]
    right = [found == mine.distance for (_, found), (_, mine) in zip(theirs, own, strict=True)]
    agree = sum(one and other for one, other in zip(ended, right, strict=True))
    shown(f"here, {len(pairs)} pairs", own)
    shown("networkx, the same", theirs, f"{sum(ended)} ended within {limit:g} s")
    print(f"of those that ended, {agree} give the same distance; of the rest ", end="")
    print(f"{sum(right) - agree} of {len(pairs) - sum(ended)} had found it")
    mine, other = (np.array([seconds for seconds, _ in each]) for each in (own, theirs))
    print(
        f"ratio of medians {np.median(other) / np.median(mine):,.0f}, "
        f"of maxima {other.max() / mine.max():,.0f}, of sums {other.sum() / mine.sum():,.0f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run a part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parts = parser.add_subparsers(required=True)
    graphs = parts.add_parser("graphs", help="exact graph edit distances beside networkx")
    graphs.add_argument("cohort", nargs="?", type=Path)
    graphs.add_argument("--where", action="append", default=[])
    graphs.add_argument("--every", type=int, default=12, help="networkx on every n-th pair")
    graphs.add_argument("--limit", type=float, default=10.0, help="seconds of networkx a pair")
    graphs.set_defaults(part=edit_distances)
    options = parser.parse_args(arguments)
    options.part(options)


if __name__ == "__main__":
    main()
