"""`similarity`: how alike systems use tools."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final

from ethogram.cohort import Cohort
from ethogram.errors import UnknownNameError, UsageError
from ethogram.measures.similarity import parts
from ethogram.measures.similarity.baselines import GraphEdits, graph_seconds
from ethogram.measures.similarity.catalogue import YANG
from ethogram.measures.similarity.drawn import source_of
from ethogram.measures.similarity.field.controlled import Roles
from ethogram.measures.similarity.field.levels import level_tables
from ethogram.measures.similarity.sample import sample_of
from ethogram.measures.similarity.scores import (
    Graphs,
    baseline_scores,
    graphs_of,
    tool_scores,
)
from ethogram.measures.similarity.spoken import visible_texts
from ethogram.measures.similarity.wording import NAME_WIDTH, notes, summary
from ethogram.measures.similarity.words import JudgedWords, Words, words_of
from ethogram.results.judges import DependencyJudge
from ethogram.results.names import short_names
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import by_name
from ethogram.stats.token_match import TokenEmbedder

MEASURE_VERSION: Final = 1
MAX_GRAPH_SECONDS: Final = 60.0
"""Graphs are compared, unless told otherwise, if it takes about a minute at most."""
LONG: Final = 120.0

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


def _nothing(sentence: str) -> None:
    """Say nothing."""


def similarity(  # noqa: PLR0913  the options of one command
    cohort: Cohort,
    *,
    reference: str | Sequence[str] | None = None,
    pool: Sequence[str] | None = None,
    families: Mapping[str, Sequence[str]] | None = None,
    controlled: Sequence[str] | None = None,
    source: str = "first",
    judge: DependencyJudge | None = None,
    ged: bool | None = None,
    embedder: TokenEmbedder | None = None,
    style: bool = False,
    words: JudgedWords | None = None,
    by: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    executor: Executor | None = None,
    say: Say = _nothing,
    progress: Progress | None = None,
) -> Result:
    """How alike systems are in how they use tools, pair by pair.

    Each run becomes a graph of its calls. AGS is the mean of three similarities: of optional tools
    (S_node), of habits in sequence (S_seq) and of passing results on (S_dep); beside it stand
    variants and baselines such as exact graph edit distance.

    Parameters
    ----------
    cohort : Cohort
        Runs of two or more systems at shared tasks; infrastructure errors and runs without a task
        id are left out and counted. Without its texts no call depends on another.
    reference : str or sequence of str, optional
        Systems that all others are compared with. Here and below a system may be called as it is
        shown, without what the names of all systems begin with.
    pool : sequence of str, optional
        Systems whose successful runs decide which tools are optional; by default all.
    families : mapping of str to sequence of str, optional
        Systems of each family: are they more alike than systems of different families?
    controlled : sequence of four str, optional
        Base, student, teacher and control: did the student move from the base toward the teacher
        and not toward the control?
    source : {"first", "latest", "all"}
        Which of several earlier calls whose results hold a value is its source.
    judge : DependencyJudge, optional
        Decides on dependencies in place of the rule.
    ged : bool, optional
        Exact graph edit distances; by default if they take about a minute at most.
    embedder : TokenEmbedder, optional
        Turns texts into embeddings of their tokens; BERTScore is computed with one only.
    style : bool
        Also how alike systems are in style, without a model (never called RPS).
    words : JudgedWords, optional
        Who judges what is said; with it Response Pattern Similarity (RPS) and style are computed.
    by : str, optional
        Also at each level of a column of runs, tasks or systems, or of a setting.
    level : float
        Nominal coverage of the intervals.
    seed : int
        Of resamples and permutations; equal seeds give equal results.
    executor : concurrent.futures.Executor, optional
        Threads that compare graphs side by side; the numbers don't depend on it.
    say : callable, optional
        Is told how long it will take, where that is over two minutes.
    progress : callable, optional
        Is told how many pairs of graphs are compared, and of how many.

    Returns
    -------
    Result
        Kind ``similarity``. Tables: ``similarity`` (estimates with keys ``first``, ``second``: AGS
        and its parts), ``variants``, ``baselines``, ``habits`` (of each system), ``conventions``
        (what the scores rest on), ``nearest``, ``settings`` (by outcome), ``tools`` and
        ``extremes`` (where pairs agree and differ), ``range`` (floor and ceiling), ``placed``
        (between them), ``mantel``, ``halves``, ``order``, ``merges``; as asked for ``references``,
        ``reference_differences``, ``correlations`` and ``pool`` (of the first reference, then
        ``correlations_2``, ``pool_2`` and so on), ``families``, ``controlled``,
        ``controlled_verdicts``, ``style``, ``style_checks``, of RPS ``rps``, ``rps_stages``,
        ``rps_coverage``, ``reliability``, ``ablation``, ``temperatures`` and
        ``reliability_by_temperature``, ``ranges`` and ``levels``.

    Raises
    ------
    NotEnoughDataError
        If there are fewer than two systems, or no task that two systems ran.
    UnknownNameError
        If a system that is named is not in the cohort.
    UsageError
        If an option has a value that it can't have.

    Notes
    -----
    A high similarity is consistent with common training; it does not show that one system was made
    from another. Read S_seq and S_dep with the counts of what conventions decide.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same: Quantifying Distillation-Induced Similarity in
    Tool-Use Behaviors.
    """
    if not 0 < level < 1:
        raise UsageError(f"level must lie between 0 and 1; got {level}")
    sample = sample_of(cohort)
    full = _full_names(sample.systems)
    references = full([reference] if isinstance(reference, str) else reference or ())
    pool = None if pool is None else full(pool)
    controlled = None if controlled is None else full(controlled)
    families = families and {family: full(names) for family, names in families.items()}
    roles = _roles(controlled)
    _check_systems(sample.systems, references, pool or (), roles.systems if roles else ())
    made = graphs_of(cohort, sample, source=source_of(source), judge=judge)
    edits = _edits(made, ged, say, progress)
    tools = tool_scores(made, pool=pool)
    baselines = baseline_scores(
        made,
        visible_texts(cohort, sample.runs["run_id"].to_list()),
        tools.pool,
        edits=edits,
        embedder=embedder,
        executor=executor,
    )
    measured = parts.Measured(made, tools, baselines, level=level, seed=seed)
    said = Words((), (), ())
    if style or words is not None:
        said = words_of(cohort, sample, words, references=references, level=level, seed=seed)
    tables = [
        *parts.pair_tables(measured),
        *said.tables,
        *(level_tables(cohort, made, by, level=level) if by is not None else ()),
        *parts.on_request(measured, references=references, families=families, roles=roles),
        *parts.field_tables(measured, references=references),
    ]
    result = Result(
        kind="similarity",
        tables=by_name(tables, parts.table_names(len(references))),
        notes=(),
        provenance=Provenance(
            measure="similarity",
            measure_version=MEASURE_VERSION,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
            seed=seed,
            parameters={
                "reference": references or None,
                "pool": pool,
                "families": families,
                "controlled": controlled,
                "source": source,
                "judge": None if judge is None else type(judge).__name__,
                "ged": edits is not None,
                "embedder": None if embedder is None else type(embedder).__name__,
                "style": style or words is not None,
                "words": None if words is None else words.judge.name,
                "by": by,
                "level": level,
            },
            reference=YANG,
        ),
    )
    return replace(
        result,
        summary=(*summary(result, measured), *said.summary),
        notes=(*notes(result, measured, edits), *said.notes),
    )


def _full_names(systems: Sequence[str]) -> Callable[[Sequence[str]], list[str]]:
    """What turns names as they are shown, without what all have in common, into full ones."""
    shown = {short: name for name, short in short_names(systems, NAME_WIDTH).items()}
    meant = shown | {name: name for name in systems}
    return lambda names: [meant.get(name, name) for name in names]


def _check_systems(systems: Sequence[str], *named: Sequence[str]) -> None:
    for name in (name for names in named for name in names):
        if name not in systems:
            raise UnknownNameError("system", name, list(systems))


def _roles(controlled: Sequence[str] | None) -> Roles | None:
    if controlled is None:
        return None
    if len(controlled) != 4:
        raise UsageError(
            "controlled needs four systems, base, student, teacher and control; "
            f"got {len(controlled)}"
        )
    return Roles(*controlled)


def _edits(
    made: Graphs, ged: bool | None, say: Say, progress: Progress | None
) -> GraphEdits | None:
    """What compares graphs, if they are to be compared."""
    if ged is False:
        return None
    n_pairs, seconds = graph_seconds(made.graphs, made.sample)
    if ged is None and seconds > MAX_GRAPH_SECONDS:
        return None
    if seconds > LONG:
        say(f"{n_pairs:,} pairs of graphs: about {seconds / 60:,.0f} minutes.")
    return GraphEdits(n_pairs=n_pairs, progress=progress)
