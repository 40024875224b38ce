"""The measures that tool use is compared with: graphs, sequences and words as a whole.

Each takes what stands for each run and gives the scores of all pairs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, Final, TypeAlias

from ethogram.measures.similarity.catalogue import CATALOGUE
from ethogram.measures.similarity.graph import ActionGraph
from ethogram.measures.similarity.pairwise import Compare, Item, n_comparisons, pairwise_scores
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.stats.arrays import BoolArray
from ethogram.stats.distributions import jensen_shannon_divergence, ngram_counts
from ethogram.stats.graph_edit import EditDistance, LabelledGraph, graph_edit_distance
from ethogram.stats.overlap import word_bigrams
from ethogram.stats.procedures import learn_procedures
from ethogram.stats.sequences import edit_similarity
from ethogram.stats.token_match import TokenEmbedder, bertscore_f1

GraphKey: TypeAlias = tuple[tuple[str, ...], tuple[tuple[tuple[int, int], str], ...]]

TIME_LIMIT: Final = 30.0
"""Seconds for one pair of graphs."""
SECONDS_A_PAIR: Final = 0.03
USUAL_CALLS: Final = 8.0


@dataclass
class GraphEdits:
    """Compares graphs and remembers where the solver was stopped.

    Attributes
    ----------
    time_limit : float
        Seconds for one pair.
    n_pairs : int
        Pairs that are to come.
    progress : callable, optional
        Told after each pair how many are done, and of how many.
    stopped : list of EditDistance
        Distances that are not proven: the best way found and the bound.
    """

    time_limit: float = TIME_LIMIT
    n_pairs: int = 0
    progress: Callable[[int, int], None] | None = None
    stopped: list[EditDistance] = field(default_factory=list)
    _done: int = 0

    def __call__(self, first: GraphKey, second: GraphKey) -> float:
        """Similarity of two graphs by their edit distance."""
        found = graph_edit_distance(_labelled(first), _labelled(second), time_limit=self.time_limit)
        if not found.optimal:
            self.stopped.append(found)
        self._done += first != second
        if self.progress is not None and first != second:
            self.progress(self._done, max(self.n_pairs, self._done))
        return found.similarity


def _key(graph: ActionGraph) -> GraphKey:
    return graph.names, tuple(sorted(graph.edges.items()))


def _labelled(key: GraphKey) -> LabelledGraph:
    return LabelledGraph(key[0], dict(key[1]))


def graph_seconds(graphs: Sequence[ActionGraph], sample: Sample) -> tuple[int, float]:
    """How many pairs of different graphs `ged` compares, and about how long that takes.

    Measured on tau2-bench, whose graphs have some eight calls: 0.03 seconds a pair, with the cube
    of the number of calls, and never more than the solver is given.
    """
    n_pairs = n_comparisons([_key(graph) for graph in graphs], sample)
    sizes = [len(graph.names) for graph in graphs] or [0]
    each = min(TIME_LIMIT, SECONDS_A_PAIR * max(1.0, mean(sizes) / USUAL_CALLS) ** 3)
    return n_pairs, n_pairs * each


def ged(
    graphs: Sequence[ActionGraph],
    sample: Sample,
    edits: GraphEdits,
    *,
    executor: Executor | None = None,
) -> TaskScores:
    """Similarity by exact graph edit distance.

    ``1 - d / (|V1| + |V2| + |E1| + |E2|)`` with unit costs; a call takes the place of one of the
    same name for nothing, an edge that of one of the same type. Two empty graphs are alike (1).

    Parameters
    ----------
    graphs : sequence of ActionGraph
        In the order of the sample's runs.
    sample : Sample
        The runs.
    edits : GraphEdits
        Compares, and remembers where it was stopped.
    executor : concurrent.futures.Executor, optional
        Threads that compare side by side.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, section 4.1.
    """
    keys = [_key(graph) for graph in graphs]
    return _scores("ged", keys, sample, edits, executor=executor)


def tool_edits(names: Sequence[tuple[str, ...]], sample: Sample) -> TaskScores:
    """Similarity of sequences of tools: one minus edit distance over the longer one's length."""
    return _scores("edit_similarity", names, sample, edit_similarity)


def tool_bigrams(names: Sequence[tuple[str, ...]], sample: Sample) -> TaskScores:
    """Similarity of the pairs of neighbouring tools: one minus their Jensen-Shannon divergence.

    Two runs of fewer than two calls are alike (1), such a run beside a longer one is not (0).
    """
    return _scores("tool_bigrams", names, sample, _alike_in_bigrams)


def _alike_in_bigrams(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    return 1 - jensen_shannon_divergence(ngram_counts([first]), ngram_counts([second]))


def procedures(names: Sequence[tuple[str, ...]], sample: Sample, pool: BoolArray) -> TaskScores:
    """Similarity of the procedures that runs consist of: one minus Jensen-Shannon divergence.

    Procedures are learnt once, over every run of the pool: what often stands side by side becomes
    one symbol, again and again.

    Parameters
    ----------
    names : sequence of tuple of str
        Tools of each run.
    sample : Sample
        The runs.
    pool : ndarray of bool, shape (n_systems,)
        Systems whose runs they are learnt from.

    References
    ----------
    The method of ProcGrep, arXiv 2606.16988.
    """
    own = [run for run, system in zip(names, sample.system, strict=True) if pool[system]]
    encoded = learn_procedures(own).encode_all(names)
    return _scores("procedures", encoded, sample, _alike_in_symbols)


def _alike_in_symbols(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    return 1 - jensen_shannon_divergence(Counter(first), Counter(second))


def word_overlap(texts: Sequence[tuple[str, ...]], sample: Sample) -> TaskScores:
    """Similarity of what agents say: shared word bigrams over all of theirs.

    Runs in which neither says two words in a row are left out.

    Parameters
    ----------
    texts : sequence of tuple of str
        Visible texts of each run.
    sample : Sample
        The runs.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, section 4.1 (2-gram overlap).
    """
    return _scores("bigram_overlap", [word_bigrams(each) for each in texts], sample, _shared)


def _shared(first: frozenset[Any], second: frozenset[Any]) -> float | None:
    n_shared = len(first & second)
    n_all = len(first) + len(second) - n_shared
    return n_shared / n_all if n_all else None


def bert(texts: Sequence[tuple[str, ...]], sample: Sample, embedder: TokenEmbedder) -> TaskScores:
    """Similarity of what agents say by matching the embeddings of its tokens (BERTScore F1).

    Parameters
    ----------
    texts : sequence of tuple of str
        Visible texts of each run; they are embedded as one.
    sample : Sample
        The runs.
    embedder : TokenEmbedder
        Texts to embeddings of their tokens.

    References
    ----------
    Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT.
    """
    joined = ["\n".join(each) for each in texts]
    distinct = list(dict.fromkeys(joined))
    embedded = dict(zip(distinct, embedder(distinct), strict=True))

    def compare(first: str, second: str) -> float | None:
        found = bertscore_f1(embedded[first], embedded[second])
        # cosines may be negative; what points away is no more unlike than what is unrelated
        return None if found is None else max(0.0, found)

    return _scores("bertscore", joined, sample, compare)


def _scores(
    name: str,
    items: Sequence[Item],
    sample: Sample,
    compare: Compare[Item],
    *,
    executor: Executor | None = None,
) -> TaskScores:
    figure = CATALOGUE[name]
    return pairwise_scores(
        name, items, sample, compare, label=figure.label, about=figure.about, executor=executor
    )
