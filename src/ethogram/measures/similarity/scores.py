"""Every score of every pair of systems at every task, and what they were made of."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from ethogram.cohort import Cohort
from ethogram.measures.similarity.baselines import (
    GraphEdits,
    bert,
    ged,
    procedures,
    tool_bigrams,
    tool_edits,
    word_overlap,
)
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.catalogue import CATALOGUE
from ethogram.measures.similarity.dependency import Source
from ethogram.measures.similarity.graph import ActionGraph, action_graphs_of
from ethogram.measures.similarity.habits import Habits, habits, without
from ethogram.measures.similarity.nodes import (
    Split,
    ToolUse,
    in_pool,
    s_node,
    s_node_all_tools,
    s_node_others,
    split,
    tool_use,
)
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import Composite, Scores, TaskScores
from ethogram.measures.similarity.vectors import (
    chain_as_share,
    dependency_vector,
    sequence_vector,
)
from ethogram.results.judges import DependencyJudge
from ethogram.stats.arrays import BoolArray
from ethogram.stats.token_match import TokenEmbedder

JUDGED_AT_ONCE: Final = 64
"""Runs whose dependencies a judge is asked about together."""
NO_RESULTS: Final = (
    "no call's result is recorded (a cohort saved without texts?), so that nothing is known of "
    "what was passed on"
)


@dataclass(frozen=True)
class Graphs:
    """The action graphs of a sample's runs.

    Attributes
    ----------
    sample : Sample
        The runs.
    graphs : sequence of ActionGraph
        In the order of the sample's runs.
    n_guessed : sequence of int
        Calls of each run whose effect is guessed from the tool's name.
    n_results : int
        Calls whose result is recorded.
    """

    sample: Sample
    graphs: Sequence[ActionGraph]
    n_guessed: Sequence[int]
    n_results: int


@dataclass(frozen=True)
class ToolScores:
    """The scores of tool use.

    Attributes
    ----------
    ags : Composite
        The mean of S_node, S_seq and S_dep, which are its parts.
    variants : sequence of TaskScores
        The parts otherwise defined.
    use : ToolUse
        Who used what.
    found : Split
        Mandatory and optional tools by the pool.
    pool : ndarray of bool, shape (n_systems,)
        Who decides that.
    seq, dep : Habits
        S_seq and S_dep with what conventions decide.
    """

    ags: Composite
    variants: Sequence[TaskScores]
    use: ToolUse
    found: Split
    pool: BoolArray
    seq: Habits
    dep: Habits

    @property
    def main(self) -> list[Scores]:
        """AGS and its parts."""
        return [self.ags, *self.ags.parts]


def graphs_of(
    cohort: Cohort,
    sample: Sample,
    *,
    source: Source = "first",
    judge: DependencyJudge | None = None,
) -> Graphs:
    """Build the action graph of each run of a sample; texts are held a few runs at a time."""
    graphs: list[ActionGraph] = []
    guessed: list[int] = []
    n_results = 0
    found = run_calls(cohort, sample.runs["run_id"].to_list())
    at_once = 1 if judge is None else JUDGED_AT_ONCE
    while runs := list(islice(found, at_once)):
        graphs += action_graphs_of(runs, source=source, judge=judge)
        guessed += [sum(call.guessed for call in run.calls) for run in runs]
        n_results += sum(call.result is not None for run in runs for call in run.calls)
    return Graphs(sample, graphs, guessed, n_results)


def tool_scores(made: Graphs, *, pool: Sequence[str] | None = None) -> ToolScores:
    """Score how alike tools are used.

    Parameters
    ----------
    made : Graphs
        The graphs.
    pool : sequence of str, optional
        Systems that decide which tools are optional; by default all.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, section 3.3.
    """
    sample, graphs = made.sample, made.graphs
    use = tool_use(sample, [graph.names for graph in graphs])
    members = in_pool(sample, pool)
    deciding = np.array([dependency_vector(graph) for graph in graphs]).reshape(-1, 3)
    shares = [
        chain_as_share((row[0], row[1], row[2]), len(graph.names))
        for row, graph in zip(deciding.tolist(), graphs, strict=True)
    ]
    sequences = np.array([sequence_vector(graph) for graph in graphs]).reshape(-1, 3)
    seq, dep = habits("s_seq", sequences, sample), habits("s_dep", deciding, sample)
    share = habits("s_dep_share", np.array(shares).reshape(-1, 3), sample)
    if not made.n_results and any(graph.names for graph in graphs):
        dep, share = (without(each, NO_RESULTS) for each in (dep, share))
    figure = CATALOGUE["ags"]
    return ToolScores(
        ags=Composite(
            figure.name,
            (s_node(use, members), seq.scores, dep.scores),
            label=figure.label,
            about=figure.about,
        ),
        variants=(
            s_node_others(use, members),
            s_node_all_tools(use, members),
            seq.non_zero,
            dep.non_zero,
            share.scores,
        ),
        use=use,
        found=split(use, members),
        pool=members,
        seq=seq,
        dep=dep,
    )


def baseline_scores(
    made: Graphs,
    texts: Sequence[tuple[str, ...]],
    pool: BoolArray,
    *,
    edits: GraphEdits | None,
    embedder: TokenEmbedder | None = None,
    executor: Executor | None = None,
) -> list[TaskScores]:
    """Score how alike graphs, sequences and words are as a whole.

    Parameters
    ----------
    made : Graphs
        The graphs.
    texts : sequence of tuple of str
        What the agent says in each run.
    pool : ndarray of bool, shape (n_systems,)
        Systems that procedures are learnt from.
    edits : GraphEdits or None
        Compares graphs; None leaves out what takes longest.
    embedder : TokenEmbedder, optional
        For BERTScore, which is left out without one.
    executor : concurrent.futures.Executor, optional
        Compares side by side.
    """
    sample = made.sample
    names = [graph.names for graph in made.graphs]
    found = [
        tool_edits(names, sample),
        tool_bigrams(names, sample),
        procedures(names, sample, pool),
        word_overlap(texts, sample),
    ]
    if edits is not None:
        found.insert(0, ged(made.graphs, sample, edits, executor=executor))
    if embedder is not None:
        found.append(bert(texts, sample, embedder))
    return found
