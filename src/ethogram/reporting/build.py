"""From a cohort to the content of a report: what is measured and in which order it stands."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.views import traces
from ethogram.errors import MissingDependencyError, NotEnoughDataError
from ethogram.ingest import summary
from ethogram.measures.similarity import action_graphs, task_to_draw
from ethogram.registry import resolve
from ethogram.reporting.content import ReportContent, Section
from ethogram.results import Result, Table
from ethogram.results.printable import printable, printable_name
from ethogram.results.redact import Redactor

MAX_ACTIONS: Final = 12_000
"""Actions that ribbons show: each costs a page some 300 bytes."""
MAX_TASKS: Final = 40
NO_TASK: Final = "(no task id)"
"""What traces call the task of runs that record none."""


@dataclass(frozen=True)
class Part:
    """A measure that the report shows."""

    name: str
    title: str
    about: str
    measure: str
    """Dotted path of a function of a cohort, a seed and an executor."""


PARTS: Final = (
    Part(
        "variance",
        "How steady is each system?",
        "Every task was run several times by the same system. Where repeats differ, a single run "
        "says little; where they agree, successes can be relied on, and failures too.",
        "ethogram.measures.variance:variance",
    ),
    Part(
        "consistency",
        "How alike are a system's runs in what makes them succeed?",
        "A predictor learns success from what runs do; two runs are alike where it expects success "
        "or failure for the same reasons. Read the figures with success offset minus their null: "
        "raw, they largely say how far a system's success lies from the average.",
        "ethogram.measures.consistency.report:consistency_for_report",
    ),
    Part(
        "similarity",
        "Whom does each system behave like?",
        "How alike systems use tools at the tasks that both ran: which optional tools they use, "
        "what they do before and after writing, what they pass on from call to call. Alike is "
        "consistent with a common origin and proves none.",
        "ethogram.measures.similarity:similarity",
    ),
)
TITLES: Final[Mapping[str, str]] = {"demo": "What is true, and what was found"}
"""Titles of further results; others take the title of their main table."""


def build(  # noqa: PLR0913  what a report shows, and of what
    cohort: Cohort,
    *,
    title: str | None = None,
    seed: int = 0,
    also: Sequence[Result] = (),
    redactor: Redactor | None = None,
    parts: Sequence[Part] = PARTS,
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> ReportContent:
    """Measure a cohort and put the answers in order.

    Parameters
    ----------
    cohort : Cohort
        What was read; without a run the report says so and shows the problems.
    title : str, optional
        Heading of the page; by default its sizes.
    seed : int
        For whatever draws random numbers.
    also : sequence of Result
        Further results, shown after the measures.
    redactor : Redactor, optional
        Takes secrets out of every text of the report; by default the listed patterns.
    parts : sequence of Part
        The measures to show.
    options : mapping of str to mapping of str to object
        Further arguments of measures, by the name of their part.

    Returns
    -------
    ReportContent
        A measure that needs more data or a package that is not there has a section that says so.
    """
    redactor = redactor or Redactor()
    read = Section(
        "data",
        "What was read",
        "Counts of runs, tasks and repeats, and what each measure can use. Outcomes that are not "
        "recorded are left out of outcome figures and never count as failures.",
        _without_next_command(summary(cohort)),
    )
    sections = [read]
    if cohort.runs.height:
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # the heavy parts don't hold Python's lock
            measured = [
                _section(
                    part, cohort, {"seed": seed, "executor": pool, **options.get(part.name, {})}
                )
                for part in parts
            ]
        further = [
            Section(f"also-{r.kind}", TITLES.get(r.kind, r.table().title), "", r) for r in also
        ]
        graphs = _graphs(cohort, redactor) if "similarity" in {p.name for p in parts} else []
        sections = [_ribbons(cohort, redactor), *measured, *graphs, *further, read]
    words = tuple(
        sentence
        for section in sections
        if section.result is not None and section.name not in {"data", "ribbons", "graphs"}
        for sentence in section.result.summary
    )
    runs = cohort.joined
    content = ReportContent(
        title=title or "How LLM agents behave",
        byline=_byline(runs),
        summary=words or ("No run was read.",) * (not runs.height),
        sections=sections,
    )
    return redacted(content, redactor)


def _byline(runs: pl.DataFrame) -> tuple[str, ...]:
    sizes = (
        (runs.height, "run"),
        (runs["task"].n_unique() if runs.height else 0, "task"),
        (runs["system_id"].n_unique() if runs.height else 0, "system"),
    )
    return tuple(f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in sizes)


def _without_next_command(result: Result) -> Result:
    """A page has no prompt: the sentence that names the next command is left out."""
    return replace(result, summary=tuple(s for s in result.summary if not s.startswith("Next: ")))


def _section(part: Part, cohort: Cohort, arguments: Mapping[str, Any]) -> Section:
    measure: Callable[..., Result] = resolve(part.measure)  # type: ignore[assignment]
    try:
        result = measure(cohort, **arguments)
    except (NotEnoughDataError, MissingDependencyError) as err:
        return Section(part.name, part.title, part.about, reason=str(err))
    return Section(part.name, part.title, part.about, result)


def _ribbons(cohort: Cohort, redactor: Redactor) -> Section:
    chosen, note = _tasks_for_ribbons(cohort.joined)
    result = traces(cohort, task=chosen, max_tasks=len(chosen), redactor=redactor)
    return Section(
        "ribbons",
        "What the runs did",
        "One row a run, one cell an action. Point at a cell to read the action.",
        replace(result, notes=(*result.notes, *note)),
    )


def _graphs(cohort: Cohort, redactor: Redactor) -> list[Section]:
    """The action graphs of one task, where systems can be compared at all."""
    try:
        task = task_to_draw(cohort)
    except NotEnoughDataError:
        return []
    if task is None:
        return []
    return [
        Section(
            "graphs",
            "What the calls of a task passed on",
            "One task as an example, chosen because successful systems used different tools there.",
            action_graphs(cohort, task=task, redactor=redactor),
        )
    ]


def _tasks_for_ribbons(runs: pl.DataFrame) -> tuple[list[str], tuple[str, ...]]:
    """Tasks whose ribbons fit a page: those that most systems repeated, then by name."""
    tasks = (
        runs.with_columns(pl.col("task").fill_null(NO_TASK))
        .group_by("task")
        .agg(
            n_systems=pl.col("system_id").n_unique(),
            n_runs=pl.len(),
            n_actions=pl.col("n_actions").sum(),
        )
        .sort("n_systems", "n_runs", "task", descending=[True, True, False])
    )
    repeated = tasks.filter(pl.col("n_runs") > pl.col("n_systems"))
    usable = tasks if repeated.is_empty() else repeated
    fitting = usable.filter(
        (pl.col("n_actions").cum_sum() <= MAX_ACTIONS) | (pl.int_range(pl.len()) == 0)
    ).head(MAX_TASKS)
    left_out = usable.height - fitting.height
    note = (
        f"Shown are the {fitting.height} tasks that most systems ran most often; "
        f"{left_out:,} more are not shown.",
    )
    return fitting["task"].sort().to_list(), note if left_out else ()


def redacted(content: ReportContent, redactor: Redactor) -> ReportContent:
    """The content without secrets in any of its texts."""

    def redact(text: str) -> str:
        return printable(redactor.redact(text))

    return ReportContent(
        title=redact(content.title),
        byline=content.byline,
        summary=tuple(map(redact, content.summary)),
        sections=[
            replace(
                section,
                reason=redact(section.reason),
                result=None if section.result is None else _redacted(section.result, redactor),
            )
            for section in content.sections
        ],
    )


def _redacted(result: Result, redactor: Redactor) -> Result:
    redact = redactor.redact
    parameters = {k: _redacted_value(v, redactor) for k, v in result.provenance.parameters.items()}
    return replace(
        result,
        tables={name: _redacted_table(table, redactor) for name, table in result.tables.items()},
        notes=tuple(map(redact, result.notes)),
        summary=tuple(map(redact, result.summary)),
        provenance=msgspec.structs.replace(result.provenance, parameters=parameters),
    )


def _redacted_value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, list | tuple):
        return [_redacted_value(part, redactor) for part in value]
    return redactor.redact(value) if isinstance(value, str) else value


def _redacted_table(table: Table, redactor: Redactor) -> Table:
    redact = redactor.redact
    return replace(
        table,
        title=redact(table.title),
        frame=_redacted_frame(table.frame, redactor),
        columns=tuple(
            replace(c, label=redact(c.label), about=redact(c.about)) for c in table.columns
        ),
        about=redact(table.about),
    )


def _redacted_frame(frame: pl.DataFrame, redactor: Redactor) -> pl.DataFrame:
    changes: dict[str, dict[str, str]] = {}
    for name, dtype in frame.schema.items():
        if dtype == pl.String:
            texts = frame[name].drop_nulls().unique().to_list()
            changed = {text: printable_name(redactor.redact(text)) for text in texts}
            changes[name] = {old: new for old, new in changed.items() if old != new}
    return frame.with_columns(
        pl.col(name).replace(mapping) for name, mapping in changes.items() if mapping
    )
