"""What a user should know of a read beside its figures, as sentences."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.ingest.outcomes import Joined

if TYPE_CHECKING:
    from ethogram.ingest.read import Report

_SHOWN: Final = 5
_PATH_PARTS: Final = 3
_PATTERN: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}|(?=[a-f]*\d)[0-9a-f]{8,}|\b[\w.-]+?__[\w.-]+-\d+|\d+"
)
"""What differs from file to file: UUIDs, digests, SWE-bench's ids, numbers."""
_PATH: Final = re.compile(r"\S*/\S*")
_GUESSED: Final = "guessed"


def plural(word: str, n: int) -> str:
    """A noun as its number wants it."""
    return word if n == 1 else f"{word}s"


def named(names: Sequence[str], separator: str = ", ") -> str:
    """The first of some names, and how many more there are."""
    shown = separator.join(names[:_SHOWN])
    return f"{shown}, and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown


def ignored_notes(report: "Report") -> list[str]:
    """Files that no format claims, grouped by their names."""
    if not report.ignored:
        return []
    patterns = Counter(_name_pattern(name) for name in report.ignored)
    shown = ", ".join(f"{name} ({n:,})" for name, n in patterns.most_common(_SHOWN))
    more = f" and {len(patterns) - _SHOWN} more patterns" if len(patterns) > _SHOWN else ""
    n = len(report.ignored)
    them = "them" if n > 1 else "it"
    note = f"{n:,} {plural('file', n)} ignored, no format claims {them}: {shown}{more}."
    looks = [name for name in report.ignored if name.rsplit("/", 1)[-1] == "report.json"]
    if looks and report.outcomes is None:
        note += (
            f" {len(looks):,} of them are called report.json: if they are SWE-bench reports, "
            "join them with --outcomes '.../{task_id}/report.json'."
        )
    return [note]


def _name_pattern(name: str) -> str:
    return _PATTERN.sub("*", name.replace("::", "/").rsplit("/", 1)[-1])


def outcome_notes(joined: Joined | None) -> list[str]:
    """How many runs got an outcome from elsewhere, and what found no partner."""
    if joined is None:
        return []
    n = len(joined.rows)
    notes = [f"Outcomes from elsewhere were joined to {n:,} {plural('run', n)}."]
    for names, word, what in (
        (joined.without_run, "outcome", "without a run that was read"),
        (joined.without_row, "run", "without a row in the outcomes"),
    ):
        if names:
            shown = named([_PATH.sub(_tail, name) for name in names], "; ")
            notes.append(f"{len(names):,} {plural(word, len(names))} {what}: {shown}.")
    return notes


def _tail(path: re.Match[str]) -> str:
    """The end of a path, where paths differ: within the archive, the last three parts."""
    whole = path[0].rpartition("::")[2]
    parts = whole.split("/")
    kept = "/".join(parts[-_PATH_PARTS:])
    return kept if kept == path[0] else f"…/{kept}"


def label_notes(cohort: Cohort) -> list[str]:
    """Actions whose labels are guesses or missing, and what supplies them.

    The tools of tool agents need an effect (from which their kind follows), the commands of a shell
    a kind. Nothing is said of a cohort without labels.
    """
    if cohort.labels_digest is None:
        return []
    groups = (
        cohort.steps.filter(pl.col("event") == "action")
        .group_by(
            "head",
            is_tool=pl.col("head").eq_missing(pl.col("tool")) & pl.col("tool").is_not_null(),
            kind_guessed=(pl.col("kind_origin") == _GUESSED).fill_null(value=True),
            effect_guessed=(pl.col("effect_origin") == _GUESSED).fill_null(value=False),
            effect_missing=pl.col("effect").is_null(),
        )
        .agg(n=pl.len())
        .sort("n", "head", descending=[True, False])
        .collect()
    )
    total = f"{int(groups['n'].sum()):,}"
    tools = groups.filter("is_tool")
    guessed = _counted(tools.filter("effect_guessed"))
    missing = _counted(tools.filter("effect_missing"))
    unknown = _counted(groups.filter(~pl.col("is_tool") & pl.col("kind_guessed")))
    parts = []
    if guessed:
        parts.append(
            "{} of {} actions {} a guessed effect ({}; by their first word)".format(
                f"{guessed[0]:,}", total, _have(guessed[0]), guessed[1]
            )
        )
    if missing:
        whole = "" if parts else f" of {total} actions {_have(missing[0])}"
        parts.append(f"{missing[0]:,}{whole} {'none' if parts else 'no effect'} ({missing[1]})")
    notes = [f"{' and '.join(parts)}: say what they do with --effects FILE."] if parts else []
    if unknown:
        notes.append(
            f"{unknown[0]:,} of {total} actions {_have(unknown[0])} a guessed kind, other: no "
            f"table knows the command ({unknown[1]}). Say what it does with --kinds FILE."
        )
    return notes


def _have(n: int) -> str:
    return "has" if n == 1 else "have"


def _counted(groups: pl.DataFrame) -> tuple[int, str] | None:
    """How many actions, and the names behind them, the most frequent first."""
    if groups.is_empty():
        return None
    heads = groups["head"].fill_null("no command found").unique(maintain_order=True).to_list()
    return int(groups["n"].sum()), named(heads)


def unwrapped_notes(cohort: Cohort) -> list[str]:
    """Texts that came as ``{"message": …}`` and were read as the message in it."""
    counts = (
        cohort.runs.lazy()
        .select(
            pl.col("extra").filter(
                pl.col("extra").str.contains('"unwrapped_messages"', literal=True)
            )
        )
        .select(
            pl.col("extra").str.json_path_match("$.unwrapped_messages").cast(pl.Int64, strict=False)
        )
        .collect()["extra"]
        .drop_nulls()
    )
    n, runs = int(counts.sum()), len(counts)
    if not n:
        return []
    return [
        f'{n:,} {plural("text", n)} of {runs:,} {plural("run", runs)} came as {{"message": …}}: '
        "the message was taken as the text."
    ]


def model_notes(cohort: Cohort) -> list[str]:
    """Models that differ only in the way they are written: upper case, an ``@`` before them."""
    written = (
        cohort.systems.select("model")
        .drop_nulls()
        .unique()
        .sort("model")
        .group_by(pl.col("model").str.strip_prefix("@").str.to_lowercase().alias("plain"))
        .agg("model")
        .filter(pl.col("model").list.len() > 1)
        .sort("plain")
    )
    return [
        f"{' and '.join(map(repr, models))} may be one model written in several ways, read as "
        "several systems: if so, say it with --aliases FILE."
        for models in written["model"].to_list()
    ]
