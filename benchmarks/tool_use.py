"""Graphs and all pairs of S_node, S_seq and S_dep, beside loops over pairs, tasks and values.

Usage::

    python benchmarks/tool_use.py                    18 simulated systems at 150 tasks, one run each
    python benchmarks/tool_use.py COHORT             the graphs of a cohort of yours

Of the simulated runs (a policy of 10 kB, results of 1 to 3 kB of JSON), the cohort is written once
and not timed. Then both ways are timed in one run, by the processor's time and by the clock: as
written here, and as one writes it down first (each value looked for in each earlier result, which
is decoded anew; sets and scipy's cosine pair by pair, task by task). The latter makes the graphs of
every twentieth run only, and that part of its time is multiplied. Edges and scores of both are
compared, so that they are known to do the same work.
"""

import argparse
import json
import re
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from scipy.spatial.distance import cosine

from ethogram import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.calls import RunCalls, run_calls
from ethogram.measures.similarity.graph import ActionGraph, action_graph
from ethogram.measures.similarity.habits import habits
from ethogram.measures.similarity.nodes import in_pool, s_node, s_node_others, tool_use
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.values import informative, written
from ethogram.measures.similarity.vectors import dependency_vector, sequence_vector
from ethogram.simulate import draw_system, simulate_tools
from ethogram.stats.arrays import FloatArray

Edges: TypeAlias = frozenset[tuple[int, int]]
Found = TypeVar("Found")

N_SYSTEMS: Final = 18
N_TASKS: Final = 150
EVERY: Final = 20


def simulated(folder: Path) -> Cohort:
    """Write the simulated cohort and open it."""
    policy = " ".join(f"Rule {n}: look before you change what a customer has." for n in range(170))
    systems = [draw_system(f"system {n:02d}", seed=0) for n in range(N_SYSTEMS)]
    runs = simulate_tools(systems, n_tasks=N_TASKS, policy=policy, n_records=14)
    from_trajectories(runs, labeler=default_labeler()).save(folder)
    return Cohort.open(folder)


def timed(what: str, call: Callable[[], Found], *, times: float = 1.0) -> tuple[float, Found]:
    """Run and print the processor's time (multiplied) and the clock's; return the former."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = call()
    cpu, wall = (time.process_time() - cpu) * times, (time.perf_counter() - wall) * times
    note = f"  (1 of {times:.0f} parts timed)" if times > 1 else ""
    print(f"{what:<44}{cpu:9.2f} s of processor {wall:9.2f} s by the clock{note}", flush=True)
    return cpu, found


def scores(sample: Sample, runs: Sequence[RunCalls], graphs: Sequence[ActionGraph]) -> FloatArray:
    """The three means over tasks of all pairs: shape (3, n_systems, n_systems)."""
    use = tool_use(sample, [run.names for run in runs])
    pool = in_pool(sample, None)
    s_node_others(use, pool)
    order = np.array([sequence_vector(graph) for graph in graphs])
    depends = np.array([dependency_vector(graph) for graph in graphs])
    found = (
        s_node(use, pool).values,
        habits("s_seq", order, sample).scores.values,
        habits("s_dep", depends, sample).scores.values,
    )
    return np.array([np.nanmean(values, axis=2) for values in found])


def naive_edges(run: RunCalls) -> Edges:
    """Dependency edges of a run, each value looked for in each text."""
    edges = set()
    for target, call in enumerate(run.calls):
        for value in filter(informative, call.leaves):
            for source, earlier in enumerate(run.calls[:target]):
                if earlier.turn < call.turn and _holds(earlier.result, value):
                    if not _known(run, source, value):
                        edges.add((source, target))
                    break
    return frozenset(edges)


def _holds(result: str | None, value: object) -> bool:
    try:
        return value in _leaves(json.loads(result or ""))
    except ValueError:
        return result is not None and _named(result, value)


def _leaves(node: Any) -> list[Any]:
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        return [leaf for each in node for leaf in _leaves(each)]
    return [] if isinstance(node, bool) else [node.strip() if isinstance(node, str) else node]


def _named(text: str, value: Any) -> bool:
    return re.search(rf"(?<!\w){re.escape(written(value))}(?!\w)", text) is not None


def _known(run: RunCalls, source: int, value: object) -> bool:
    call = run.calls[source]
    return any(value in each.leaves for each in run.calls if each.turn <= call.turn) or any(
        _named(told.text, value) for told in run.told if told.index < call.index
    )


def naive_scores(
    sample: Sample, runs: Sequence[RunCalls], graphs: Sequence[ActionGraph]
) -> FloatArray:
    """The same means by loops over pairs and tasks (one run of each system at each task)."""
    keys = list(sample.runs.select("system", "task").iter_rows())
    tools = {key: set(run.names) for key, run in zip(keys, runs, strict=True)}
    order = {key: sequence_vector(graph) for key, graph in zip(keys, graphs, strict=True)}
    depends = {key: dependency_vector(graph) for key, graph in zip(keys, graphs, strict=True)}
    won = {key for key, success in zip(keys, sample.success, strict=True) if success == 1}
    found = np.full((3, len(sample.systems), len(sample.systems)), np.nan)
    for (i, first), (j, second) in combinations(enumerate(sample.systems), 2):
        parts: list[list[float]] = [[], [], []]
        for task in sample.tasks:
            of_winners = [tools[name, task] for name in sample.systems if (name, task) in won]
            optional: set[str] = set()
            if of_winners:
                optional = set.union(*of_winners) - of_winners[0].intersection(*of_winners)
            one, other = tools[first, task], tools[second, task]
            if optional:
                same = sum((tool in one) == (tool in other) for tool in optional)
                parts[0].append(same / len(optional))
            parts[1].append(_cosine(order[first, task], order[second, task]))
            parts[2].append(_cosine(depends[first, task], depends[second, task]))
        found[:, i, j] = found[:, j, i] = [np.mean(part) for part in parts]
    return found


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    if any(first) and any(second):
        return 1 - float(cosine(first, second))
    return float(any(first) == any(second))


def own(cohort: Cohort) -> None:
    """Time the graphs of a cohort."""
    run_ids = cohort.runs["run_id"].to_list()
    _, runs = timed("calls and texts", lambda: list(run_calls(cohort, run_ids)))
    _, graphs = timed("graphs", lambda: [action_graph(run) for run in runs])
    described(runs)
    print(f"{sum(len(graph.dependency) for graph in graphs):,} dependency edges")


def described(runs: Sequence[RunCalls]) -> None:
    """Print how much was worked on, and the peak of memory."""
    sizes = [len(run.calls) for run in runs]
    chars = sum(len(call.result or "") for run in runs for call in run.calls)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(runs):,} runs of {np.mean(sizes):.1f} calls on average, {max(sizes)} at most; "
        f"{chars / 1e6:,.1f} million characters of results; peak of memory {peak:,.0f} MB"
    )


def beside(cohort: Cohort) -> None:
    """Time both ways on the simulated cohort."""
    first, sample = timed("sample", lambda: sample_of(cohort))
    run_ids = sample.runs["run_id"].to_list()
    second, runs = timed("calls and texts", lambda: list(run_calls(cohort, run_ids)))
    made, graphs = timed("graphs", lambda: [action_graph(run) for run in runs])
    pairs, ours = timed("S_node, S_seq, S_dep of all pairs", partial(scores, sample, runs, graphs))
    print(f"all four: {first + second + made + pairs:.2f} s of processor")
    described(runs)
    made_naive, edges = timed(
        "graphs by loops", lambda: [naive_edges(run) for run in runs[::EVERY]], times=EVERY
    )
    pairs_naive, theirs = timed("scores by loops", partial(naive_scores, sample, runs, graphs))
    same = [graph.dependency for graph in graphs[::EVERY]] == edges
    off = [i for i in np.ndindex(theirs.shape) if i[1] != i[2]]
    apart = max(abs(float(ours[place] - theirs[place])) for place in off)
    print(f"same edges: {same}; scores at most {apart:.1e} apart")
    print(f"ratios: graphs {made_naive / made:,.0f}, scores {pairs_naive / pairs:,.0f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("cohort", nargs="?", type=Path)
    options = parser.parse_args(arguments)
    if options.cohort is not None:
        own(Cohort.open(options.cohort))
        return
    with tempfile.TemporaryDirectory() as folder:
        beside(simulated(Path(folder) / "cohort"))


if __name__ == "__main__":
    main()
