"""Ways of working: clusters of attributions (Banerjee and Raichura 2026, section 5.4)."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from ethogram.errors import UsageError
from ethogram.measures.consistency.evidence import MAX_RUNS, Evidence, balanced, z_scores
from ethogram.measures.consistency.sample import Sample
from ethogram.registry import require
from ethogram.stats.arrays import BoolArray, FloatArray, IntArray

K_RANGE: Final = range(2, 9)
N_INIT: Final = 10
N_NEIGHBOURS: Final = 15
"""UMAP's own default; fewer where there are fewer runs."""
MAPS: Final = ("pca", "umap")
CLEAR: Final = 0.3
"""A feature whose mean lies so many spreads from that of all runs describes an archetype."""
MAX_WORDS: Final = 3

_WORDS: Final = {
    "total_steps": ("short", "long"),
    "mean_action_length": ("terse actions", "wordy actions"),
    "max_action_length": ("no long action", "a very long action"),
    "file_search_count": ("little searching", "much searching"),
    "file_view_count": ("little reading", "much reading"),
    "file_edit_count": ("little editing", "much editing"),
    "test_execution_count": ("little testing", "much testing"),
    "action_entropy": ("few different actions", "many different actions"),
    "unique_action_ratio": ("actions repeated", "actions rarely repeated"),
    "consecutive_repetition_max": ("no action twice in a row", "actions repeated in a row"),
    "error_flag_count": ("few errors", "many errors"),
    "step_velocity": ("staying with one kind of action", "changing kinds of action"),
}


@dataclass(frozen=True)
class Archetypes:
    """Clusters of runs.

    Attributes
    ----------
    number : ndarray of shape (n_runs,)
        Archetype of each run, from 0; the largest first.
    silhouettes : polars.DataFrame
        ``k, silhouette, chosen``.
    n_judged : int
        Runs that the silhouettes are computed from.
    """

    number: IntArray
    silhouettes: pl.DataFrame
    n_judged: int

    @property
    def k(self) -> int:
        """How many."""
        return int(self.number.max(initial=0)) + 1


def archetypes(
    evidence: Evidence, *, k: int | None = None, seed: int = 0, max_runs: int | None = MAX_RUNS
) -> Archetypes | None:
    """k-means of the attributions; k of the largest silhouette of 2 to 8, or as given.

    Silhouettes of more than ``max_runs`` runs are of a balanced subsample. None where attributions
    have fewer than three distinct values.

    Raises
    ------
    UsageError
        If ``k`` is less than 2 or more than the distinct attributions.
    """
    values, sample = evidence.observed.values, evidence.sample
    distinct = len(np.unique(values, axis=0))
    if k is not None and not 2 <= k <= distinct:
        raise UsageError(f"k must lie between 2 and {distinct} distinct attributions; got {k}")
    if distinct < 3:
        return None
    judged: BoolArray = np.ones(len(values), dtype=np.bool_)
    if max_runs is not None and len(values) > max_runs:
        judged = balanced(sample, max_runs, rng=np.random.default_rng(seed))
    tried = sorted({*(n for n in K_RANGE if n < distinct), *([k] if k else [])})
    labels = {n: _k_means(values, n, seed) for n in tried}
    scores = {n: _silhouette(values[judged], labels[n][judged]) for n in tried}
    best = k or max(scores, key=lambda n: scores[n])
    frame = pl.DataFrame(
        {
            "k": tried,
            "silhouette": [scores[n] for n in tried],
            "chosen": [n == best for n in tried],
        }
    )
    return Archetypes(_largest_first(labels[best]), frame, int(judged.sum()))


def _k_means(values: FloatArray, k: int, seed: int) -> IntArray:
    from sklearn.cluster import KMeans  # noqa: PLC0415  costs seconds
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  comes with scikit-learn

    with threadpool_limits(1, user_api="openmp"):  # on busy cores its threads wait for each other
        found = KMeans(k, n_init=N_INIT, random_state=seed).fit_predict(values)
    return np.asarray(found, dtype=np.int64)


def _silhouette(values: FloatArray, labels: IntArray) -> float:
    from sklearn.metrics import silhouette_score  # noqa: PLC0415

    n_labels = len(np.unique(labels))
    return float(silhouette_score(values, labels)) if 1 < n_labels < len(labels) else float("nan")


def _largest_first(labels: IntArray) -> IntArray:
    order = np.argsort(-np.bincount(labels), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[labels]


def describe(z: FloatArray, names: tuple[str, ...]) -> str:
    """An archetype in words: the features whose means lie farthest from those of all runs.

    >>> describe(np.array([-0.9, 0.1]), ("total_steps", "file_edit_count"))
    'short'
    """
    clear = [place for place in np.argsort(-np.abs(z), kind="stable") if abs(z[place]) > CLEAR]
    words = []
    for place in clear[:MAX_WORDS]:
        name = names[place]
        low, high = _WORDS.get(name, (f"low {name}", f"high {name}"))
        words.append(high if z[place] > 0 else low)
    return ", ".join(words) or "like the average run"


def archetype_frame(evidence: Evidence, found: Archetypes) -> pl.DataFrame:
    """One row an archetype: description, runs, success and mean features."""
    sample = evidence.sample
    z = z_scores(sample.features)
    features = pl.DataFrame(sample.features, schema=list(sample.names)).fill_nan(None)
    rows: list[dict[str, Any]] = []
    for number in range(found.k):
        own = found.number == number
        rows.append(
            {
                "archetype": number + 1,
                "description": describe(z[own].mean(axis=0), sample.names),
                "n_runs": int(own.sum()),
                "success_rate": float(sample.success[own].mean()),
                **features.filter(pl.Series(own)).mean().row(0, named=True),
            }
        )
    return pl.DataFrame(rows)


def shares_frame(sample: Sample, found: Archetypes) -> pl.DataFrame:
    """One row an archetype and system: share of the archetype's runs, and of the system's."""
    counts = np.zeros((found.k, len(sample.systems)))
    np.add.at(counts, (found.number, sample.system), 1.0)
    return pl.DataFrame(
        [
            {
                "archetype": number + 1,
                "system": name,
                "n_runs": int(counts[number, place]),
                "share": float(counts[number, place] / counts[number].sum()),
                "share_of_system": float(counts[number, place] / counts[:, place].sum()),
            }
            for number in range(found.k)
            for place, name in enumerate(sample.systems)
        ]
    )


def spread_frame(sample: Sample, found: Archetypes) -> pl.DataFrame:
    """One row a system: entropy over archetypes (1: evenly spread), and how tasks differ.

    ``other_dominant``: share of tasks with two or more runs whose most frequent archetype is not
    the system's own most frequent one. Ties go to the archetype that the system has more often.
    """
    rows = []
    for number, name in enumerate(sample.systems):
        own = sample.system == number
        counts = np.bincount(found.number[own], minlength=found.k)
        shares = counts[counts > 0] / counts.sum()
        entropy = float(-(shares * np.log(shares)).sum() / np.log(found.k))
        tasks, place = np.unique(sample.task[own], return_inverse=True)
        table = np.zeros((len(tasks), found.k))
        np.add.at(table, (place, found.number[own]), 1.0)
        repeated = table[table.sum(axis=1) > 1]
        dominant = (repeated + counts / (counts.sum() + 1.0)).argmax(axis=1)
        rows.append(
            {
                "system": name,
                "entropy": abs(entropy),
                "dominant": int(counts.argmax()) + 1,
                "dominant_share": float(counts.max() / counts.sum()),
                "other_dominant": float((dominant != counts.argmax()).mean())
                if len(repeated)
                else None,
                "n_tasks": len(repeated),
            }
        )
    return pl.DataFrame(rows, schema_overrides={"other_dominant": pl.Float64})


def entropy_against_bcm(spread: pl.DataFrame, bcm: dict[str, float | None]) -> float | None:
    """Spearman's correlation over systems of entropy and BCM; None of fewer than three systems."""
    known = spread.with_columns(
        bcm=pl.col("system").replace_strict(bcm, default=None, return_dtype=pl.Float64)
    ).drop_nulls("bcm")
    if known.height < 3 or known["entropy"].n_unique() < 2 or known["bcm"].n_unique() < 2:
        return None
    return float(spearmanr(known["entropy"].to_numpy(), known["bcm"].to_numpy()).statistic)


def map_frame(
    evidence: Evidence, found: Archetypes, *, kind: str = "pca", seed: int = 0
) -> pl.DataFrame:
    """Two coordinates of each run: principal components, or UMAP with the extra ``umap``.

    Signs of components are fixed so that each axis' largest loading is positive.
    """
    values = evidence.observed.values
    place = _umap(values, seed) if kind == "umap" else _pca(values)
    return evidence.sample.runs.select("run_id", "system", "task", "success").with_columns(
        x=pl.Series(place[:, 0]),
        y=pl.Series(place[:, 1]),
        archetype=pl.Series(found.number + 1),
    )


def _pca(values: FloatArray) -> FloatArray:
    centred = values - values.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = (
        axes[:2]
        * np.sign(axes[:2][np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    )
    place = centred @ axes.T
    return np.hstack([place, np.zeros((len(place), 2 - place.shape[1]))])


def _umap(values: FloatArray, seed: int) -> FloatArray:
    umap = require("umap", extra="umap")
    # with a seed one job is all it takes, and it warns unless it is told so
    made = umap.UMAP(
        random_state=seed, n_jobs=1, n_neighbors=min(N_NEIGHBOURS, max(2, len(values) - 1))
    )
    return np.asarray(made.fit_transform(values), dtype=np.float64)
