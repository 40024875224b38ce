"""The failed runs as a judge may read them, and why some can't be judged."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.variance.masking import Mask
from ethogram.measures.variance.repeats import Study
from ethogram.measures.variance.submissions import changed_lines
from ethogram.results.excerpts import cut_middle

TASK_CHARACTERS: Final = 12_000
REFERENCE_CHARACTERS: Final = 12_000
SUBMISSION_CHARACTERS: Final = 16_000

NO_SUBMISSION: Final = "no submission recorded"
EMPTY: Final = "empty submission"
NO_TEXT: Final = "text of the submission not kept"
NO_TASK: Final = "no task text"
WHY: Final = (NO_SUBMISSION, EMPTY, NO_TEXT, NO_TASK)
"""Why a failed run is not judged, in the order of precedence."""

_KEY: Final = ["benchmark", "task_id", "digest"]


class FailedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A failed run with the texts that a judge is shown: masked, and cut where they are long."""

    group: int
    """Number of its system and task."""
    system: str
    task: str
    run_id: str
    trial: int | None
    why: str | None = None
    """Why it can't be judged; None: it can."""
    prompt: str = ""
    reference: str | None = None
    submission: str = ""
    changes: int | None = None
    """Equal numbers: submissions that change the same lines."""
    n_cut: int = 0
    """How many of its texts are cut."""
    n_masked: int = 0
    """In how many of them a name is masked."""


class Failed(msgspec.Struct, frozen=True):
    """All failed runs of a study, in its order."""

    runs: tuple[FailedRun, ...]
    mask: Mask

    @property
    def judged(self) -> list[FailedRun]:
        """Those that a judge can be asked about."""
        return [run for run in self.runs if run.why is None]


def failed_runs(cohort: Cohort, study: Study) -> Failed:
    """Collect the failed runs of a study with their texts.

    Parameters
    ----------
    cohort : Cohort
        With its texts; without them no run can be judged.
    study : Study
        Which runs count; a run without a known outcome has not failed.
    """
    rows = _with_refs(cohort, study.runs.filter(~pl.col("success")))
    refs = pl.concat([rows[name].rename("ref") for name in _REFS])
    texts = _texts(cohort, refs.drop_nulls().unique())
    reader = _Reader(texts, Mask.of(cohort.systems))
    return Failed(tuple(reader.read(row) for row in rows.iter_rows(named=True)), reader.mask)


_REFS: Final = ("submission_ref", "prompt_ref", "reference_ref")


def _with_refs(cohort: Cohort, runs: pl.DataFrame) -> pl.DataFrame:
    """Runs with the references to the texts of their tasks; none for a task that is not named."""
    keys = cohort.runs.select("run_id", "benchmark", "task_id", digest="task_digest")
    tasks = cohort.tasks.group_by(_KEY).agg(
        pl.col("prompt_ref", "reference_ref").drop_nulls().first()
    )
    named = pl.col("task_id").is_not_null() | pl.col("digest").is_not_null()
    known = keys.filter(named).join(tasks, on=_KEY, nulls_equal=True)
    return runs.join(
        known.select("run_id", "prompt_ref", "reference_ref"),
        on="run_id",
        how="left",
        maintain_order="left",
    ).select("group", "system", "task", "run_id", "trial", *_REFS)


def _texts(cohort: Cohort, refs: pl.Series) -> dict[str, str]:
    wanted = pl.LazyFrame({"ref": refs}, schema={"ref": pl.String})
    found = cohort.texts.join(wanted, on="ref", how="semi").select("ref", "text").collect()
    return {ref: text for ref, text in found.iter_rows() if text is not None}


class _Shown(NamedTuple):
    text: str
    cut: bool
    masked: bool


class _Reader:
    """Masks and cuts each text once, however many runs share it."""

    def __init__(self, texts: Mapping[str, str], mask: Mask) -> None:
        self.mask = mask
        self._texts = texts
        self._ready: dict[tuple[str, int], _Shown] = {}
        self._changes: dict[frozenset[tuple[str, int]], int] = {}
        self._numbers: dict[str, int] = {}

    def read(self, row: Mapping[str, object]) -> FailedRun:
        """A run with its texts."""
        run = msgspec.convert({name: row[name] for name in _KEPT}, FailedRun)
        why = self._why(row)
        if why is not None:
            return msgspec.structs.replace(run, why=why)
        shown = {
            name: self._shown(str(row[ref]), limit)
            for name, ref, limit in _SHOWN
            if row[ref] in self._texts
        }
        return msgspec.structs.replace(
            run,
            **{name: each.text for name, each in shown.items()},
            changes=self._number(str(row["submission_ref"])),
            n_cut=sum(each.cut for each in shown.values()),
            n_masked=sum(each.masked for each in shown.values()),
        )

    def _why(self, row: Mapping[str, object]) -> str | None:
        submission, prompt = row["submission_ref"], row["prompt_ref"]
        found = {
            NO_SUBMISSION: submission is None,
            EMPTY: submission == "" or _is_blank(self._texts.get(str(submission))),
            NO_TEXT: submission not in self._texts,
            NO_TASK: _is_blank(self._texts.get(str(prompt), "")),
        }
        return next((why for why in WHY if found[why]), None)

    def _shown(self, ref: str, limit: int) -> _Shown:
        if (ref, limit) not in self._ready:
            whole = self._texts[ref]
            masked = self.mask(whole)
            text = cut_middle(masked, limit)
            self._ready[ref, limit] = _Shown(text, len(masked) > limit, masked != whole)
        return self._ready[ref, limit]

    def _number(self, ref: str) -> int:
        if ref not in self._numbers:
            lines = frozenset(changed_lines(self._texts[ref]).items())
            self._numbers[ref] = self._changes.setdefault(lines, len(self._changes))
        return self._numbers[ref]


_KEPT: Final = ("group", "system", "task", "run_id", "trial")
_SHOWN: Final = (
    ("prompt", "prompt_ref", TASK_CHARACTERS),
    ("reference", "reference_ref", REFERENCE_CHARACTERS),
    ("submission", "submission_ref", SUBMISSION_CHARACTERS),
)


def _is_blank(text: str | None) -> bool:
    """Whether a text is there and holds nothing but blanks."""
    return text is not None and not text.strip()


def counted(runs: Iterable[FailedRun]) -> dict[str, int]:
    """How many runs are not judged for which reason, in the order of `WHY`."""
    reasons = [run.why for run in runs]
    return {why: reasons.count(why) for why in WHY}
