"""Consistent wrong: how alike the submissions are on tasks that a system never solves."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.measures.variance.figures import Figures
from ethogram.results.estimate import Estimate
from ethogram.stats.parallel import parallel_map, spawn_seeds

MAX_COMPARED: Final = 100
"""Submissions of a task that are compared pair by pair; of more, so many are drawn."""


def changed_lines(submission: str) -> Counter[str]:
    """Lines that a submission changes, with their sign and without surrounding blanks.

    Of a unified diff the added and removed lines of its hunks, of anything else all lines; blank
    ones don't count.

    >>> diff = ["--- a/f", "+++ b/f", "@@ -1,2 +1,2 @@", " x = 1", "-  y = 2", "+  y = 3"]
    >>> sorted(changed_lines(chr(10).join(diff)))
    ['+y = 3', '-y = 2']
    """
    lines = submission.splitlines()
    if not any(line.startswith("@@ ") for line in lines):
        return Counter(line.strip() for line in lines if line.strip())
    return Counter(line[0] + line[1:].strip() for line in _hunk_lines(lines) if line[1:].strip())


def _hunk_lines(lines: Sequence[str]) -> Iterator[str]:
    in_hunk = False
    for line, following in pairwise([*lines, ""]):
        if line.startswith("@@ "):
            in_hunk = True
        elif line.startswith(("diff ", "Index ")) or (
            line.startswith("--- ") and following.startswith("+++ ")
        ):
            in_hunk = False
        elif in_hunk and line.startswith(("+", "-")):
            yield line


def line_similarity(first: Counter[str], second: Counter[str]) -> float:
    """Share of changed lines that two submissions have in common (Sørensen and Dice, multisets).

    ``2 |A ∩ B| / (|A| + |B|)``: 0 to 1, symmetric; 1 for two that change nothing.
    """
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0


def submission_similarity(
    cohort: Cohort, runs: pl.DataFrame, *, seed: int, executor: Executor | None = None
) -> pl.DataFrame:
    """Mean pairwise similarity of the submissions of each group.

    Parameters
    ----------
    cohort : Cohort
        Where the texts are.
    runs : polars.DataFrame
        ``group, submission_ref`` of the runs to compare; empty submissions are left out, since two
        runs that give up have not made the same mistake.
    seed : int
        For tasks with more than 100 submissions.

    Returns
    -------
    polars.DataFrame
        ``group, submission_similarity, n_submissions``; groups with two or more submissions whose
        texts are in the cohort.
    """
    given = runs.filter(pl.col("submission_ref") != "").select("group", "submission_ref")
    texts = (
        cohort.texts.join(given.lazy().select(ref="submission_ref").unique(), on="ref", how="semi")
        .select("ref", "text")
        .collect()
    )
    by_group = (
        given.join(texts, left_on="submission_ref", right_on="ref", maintain_order="left")
        .group_by("group", maintain_order=True)
        .agg("text")
        .filter(pl.col("text").list.len() > 1)
    )
    seeds = spawn_seeds(seed, by_group.height)
    jobs = zip(by_group["text"].to_list(), seeds, strict=True)
    return by_group.select(
        "group",
        submission_similarity=pl.Series(
            list(parallel_map(_mean_similarity, jobs, executor=executor)), dtype=pl.Float64
        ),
        n_submissions=pl.col("text").list.len(),
    )


def _mean_similarity(job: tuple[list[str], np.random.SeedSequence]) -> float:
    texts, seed = job
    if len(texts) > MAX_COMPARED:
        chosen = np.random.default_rng(seed).choice(len(texts), MAX_COMPARED, replace=False)
        texts = [texts[int(place)] for place in np.sort(chosen)]
    lines = [changed_lines(text) for text in texts]
    return float(np.mean([line_similarity(one, other) for one, other in combinations(lines, 2)]))


def similarity_estimate(tasks: pl.DataFrame, figures: Figures) -> Estimate:
    """How alike one system's submissions are on the tasks that it never solves."""
    known = tasks.filter(pl.col("submission_similarity").is_not_null())
    return figures.mean(
        "submission_similarity",
        known["submission_similarity"].to_numpy(),
        int(known["n_submissions"].sum()),
        reason="no task that is never solved has two submissions with their texts",
    )
