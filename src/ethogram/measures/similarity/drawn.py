"""`action_graphs`: the action graphs of a task's runs, ready to be drawn or exported."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import UnknownNameError
from ethogram.measures.similarity.calls import RunCalls, run_calls
from ethogram.measures.similarity.catalogue import YANG
from ethogram.measures.similarity.dependency import Source, candidates
from ethogram.measures.similarity.graph import ActionGraph, action_graph, to_graphml
from ethogram.measures.similarity.nodes import in_pool, split, tool_use
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.values import written
from ethogram.results.provenance import Provenance
from ethogram.results.redact import Redactor
from ethogram.results.result import Result
from ethogram.results.table import Column, Table

KIND: Final = "action_graphs"
SOURCES: Final[Mapping[str, Source]] = {name: name for name in get_args(Source)}
MAX_DRAWN_CALLS: Final = 16
"""More calls of a run than this make a picture that nobody follows."""
MAX_LOOKED_AT: Final = 5
"""Of so many telling tasks the one where most is passed on is drawn."""
MAX_VALUE_CHARS: Final = 40
ROLES: Final = ("mandatory", "optional", "not used by a success")

_RUN: Final = (
    Column("task", "Task"),
    Column("system", "System"),
    Column("run_id", "Run"),
)
NODE_COLUMNS: Final = (
    *_RUN,
    Column("success", "Success"),
    Column("position", "Call", "count", "Number of the call within its run, from 1."),
    Column("tool", "Tool"),
    Column("effect", "Effect"),
    Column("is_error", "Error"),
    Column("role", "Role", "", "What the pool's successful systems make of the tool at this task."),
)
EDGE_COLUMNS: Final = (
    *_RUN,
    Column("source", "From", "count"),
    Column("target", "To", "count"),
    Column("type", "Type", "", "sequential or dependency."),
    Column("values", "Passed on", "", "The values, cut and redacted."),
)


def source_of(name: str) -> Source:
    """A name as a way to choose a value's source.

    Raises
    ------
    UnknownNameError
        If there is no such way.
    """
    if name not in SOURCES:
        raise UnknownNameError("source of a value", name, list(SOURCES))
    return SOURCES[name]


def action_graphs(
    cohort: Cohort,
    *,
    task: str,
    pool: Sequence[str] | None = None,
    source: str = "first",
    redactor: Redactor | None = None,
) -> Result:
    """Action graphs of the runs of one task.

    Parameters
    ----------
    cohort : Cohort
        With its texts: without them no call depends on another.
    task : str
        Its ``task_id``, or the ``task`` key of ``cohort.joined``.
    pool : sequence of str, optional
        Systems that decide which tools are optional; by default all.
    source : {"first", "latest", "all"}
        Which of several earlier calls whose results hold a value is its source.
    redactor : Redactor, optional
        Takes secrets out of values; by default the listed patterns.

    Returns
    -------
    Result
        Kind ``action_graphs``. Tables ``nodes`` (one row a call) and ``edges``.

    Raises
    ------
    UnknownNameError
        If no run that can be compared is of this task, or ``source`` is none of the three.
    """
    way = source_of(source)
    sample = sample_of(cohort)
    runs = _runs_of(cohort, sample, task)
    found = list(run_calls(cohort, sample.runs["run_id"].to_list()))
    roles = _roles(sample, found, pool, runs["task"][0])
    by_id = {run.run_id: run for run in found}
    redact = (redactor or Redactor()).redact
    nodes, edges = [], []
    for row in runs.iter_rows(named=True):
        run = by_id[row["run_id"]]
        graph = action_graph(run, source=way)
        keys = {name: row[name] for name in ("task", "system", "run_id")}
        nodes += [{**keys, "success": row["success"], **node} for node in _nodes(graph, roles)]
        edges += [{**keys, **edge} for edge in _edges(run, graph, way, redact)]
    return Result(
        kind=KIND,
        tables={
            "nodes": Table("nodes", "Calls", _frame(nodes, NODE_COLUMNS), NODE_COLUMNS),
            "edges": Table("edges", "Edges", _frame(edges, EDGE_COLUMNS), EDGE_COLUMNS),
        },
        notes=(),
        provenance=Provenance(
            measure=KIND,
            measure_version=1,
            cohort_digest=cohort.digest,
            labels_digest=cohort.labels_digest,
            parameters={"task": task, "pool": pool, "source": source},
            reference=YANG,
        ),
    )


def _runs_of(cohort: Cohort, sample: Sample, task: str) -> pl.DataFrame:
    keys = cohort.joined.filter((pl.col("task") == task) | (pl.col("task_id") == task))["task"]
    runs = sample.runs.filter(pl.col("task").is_in(keys.unique().implode()))
    if runs.is_empty():
        raise UnknownNameError("task", task, list(sample.tasks), most=20)
    return runs.filter(pl.col("task") == runs["task"][0])


def _roles(
    sample: Sample, found: Sequence[RunCalls], pool: Sequence[str] | None, task: str
) -> dict[str, str]:
    use = tool_use(sample, [run.names for run in found])
    parts = split(use, in_pool(sample, pool))
    place = sample.tasks.index(task)
    return {
        tool: ROLES[0] if mandatory else ROLES[1] if optional else ROLES[2]
        for tool, mandatory, optional in zip(
            use.tools, parts.mandatory[place], parts.optional[place], strict=True
        )
    }


def _nodes(graph: ActionGraph, roles: dict[str, str]) -> Iterator[dict[str, Any]]:
    for place, (tool, effect, error) in enumerate(
        zip(graph.names, graph.effects, graph.errors, strict=True), start=1
    ):
        yield {
            "position": place,
            "tool": tool,
            "effect": effect,
            "is_error": error,
            "role": roles[tool],
        }


def _edges(
    run: RunCalls, graph: ActionGraph, source: Source, redact: Any
) -> Iterator[dict[str, Any]]:
    values: dict[tuple[int, int], list[str]] = {}
    for each in candidates(run, source=source):
        if not each.known:
            text = redact(written(each.value))
            cut = text if len(text) <= MAX_VALUE_CHARS else f"{text[: MAX_VALUE_CHARS - 1]}…"
            values.setdefault((each.source, each.target), []).append(" ".join(cut.split()))
    names = {"s": "sequential", "d": "dependency"}
    for (start, end), kind in sorted(graph.edges.items()):
        yield {
            "source": start + 1,
            "target": end + 1,
            "type": names[kind],
            "values": ", ".join(values.get((start, end), [])) if kind == "d" else None,
        }


def _frame(rows: list[dict[str, Any]], columns: Sequence[Column]) -> pl.DataFrame:
    known = {"success": pl.Boolean, "is_error": pl.Boolean} | dict.fromkeys(
        ("position", "source", "target"), pl.Int64
    )
    schema = {column.name: known.get(column.name, pl.String) for column in columns}
    return pl.DataFrame(rows, schema=schema)


def task_to_draw(cohort: Cohort) -> str | None:
    """The task that tells most of how systems differ, whose graphs fit a page.

    Of the tasks that most systems ran, with at most sixteen calls a run, the five with most
    optional tools (then those with the longest runs), and of these the one where most is passed on;
    None if there is none that two systems ran.
    """
    sample = sample_of(cohort)
    names: list[tuple[str, ...]] = []
    passed: list[int] = []
    for run in run_calls(cohort, sample.runs["run_id"].to_list()):
        names.append(run.names)
        fits = len(run.calls) <= MAX_DRAWN_CALLS
        passed.append(len(action_graph(run).dependency) if fits else 0)
    n_optional = split(tool_use(sample, names), in_pool(sample, None)).optional.sum(axis=1)
    calls, edges = np.array([len(tools) for tools in names]), np.array(passed)
    candidates = sorted(
        (-len(np.unique(sample.system[runs])), -n_optional[task], -calls[runs].max(), task)
        for task, runs in enumerate(sample.by_task)
        if 0 < calls[runs].max() <= MAX_DRAWN_CALLS and len(np.unique(sample.system[runs])) > 1
    )
    best = [task for few, *_, task in candidates[:MAX_LOOKED_AT] if few == candidates[0][0]]
    most = max(best, key=lambda task: edges[sample.by_task[task]].sum(), default=None)
    return None if most is None else sample.tasks[most]


def write_graphml(cohort: Cohort, folder: str | Path, *, source: str = "first") -> int:
    """Write the action graph of every run that can be compared as GraphML, one file a run.

    Parameters
    ----------
    cohort : Cohort
        With its texts: without them no call depends on another.
    folder : path
        Made if missing. Files are named by run id; ``index.csv`` says which run each is.
    source : {"first", "latest", "all"}
        Which of several earlier calls whose results hold a value is its source.

    Returns
    -------
    int
        Number of graphs.

    Raises
    ------
    UnknownNameError
        If ``source`` is none of the three.
    """
    way = source_of(source)
    runs = sample_of(cohort).runs
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for run in run_calls(cohort, runs["run_id"].to_list()):
        text = to_graphml([(run.run_id, action_graph(run, source=way))])
        (folder / f"{run.run_id}.graphml").write_text(text, encoding="utf-8")
    index = runs.with_columns(file=pl.col("run_id") + ".graphml")
    index.write_csv(folder / "index.csv")
    return runs.height
