"""Style similarity: how alike two systems word, lay out and order what they say, without a model.

Not RPS: no judge reads anything here. Three dimensions, of the same names as RPS has, compared by
published stylometric features (`ethogram.measures.similarity.style.stylometry`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.cohort import Cohort
from ethogram.measures.similarity.sample import Sample
from ethogram.measures.similarity.style.speech import speeches
from ethogram.measures.similarity.style.stylometry import Features, features, most_frequent
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.stats.arrays import BoolArray, FloatArray

STYLE: Final = "style_similarity"
DIMENSIONS: Final[Mapping[str, Sequence[str]]] = {
    "style_wording": ("function words", "persons", "contractions", "punctuation", "openings"),
    "style_structure": ("lengths", "formatting"),
    "style_alignment": ("acts",),
}
"""Blocks of features that each dimension compares; every block weighs the same within it."""
OTHER_LANGUAGES: Final = ("trigrams", "punctuation", "openings")
"""Blocks of wording where the pool is not in English."""
LABELS: Final = {
    STYLE: "Style",
    "style_wording": "Wording",
    "style_structure": "Structure",
    "style_alignment": "Order of acts",
}
ABOUT: Final = {
    STYLE: "Mean of wording, structure and order of acts. 0.5: as alike as any two runs.",
    "style_wording": "Function words, persons, contractions, punctuation and openings.",
    "style_structure": "Lengths of sentences and texts, lists, headings, bold and other layout.",
    "style_alignment": "Which act follows which: asking, confirming, announcing, reporting, calls.",
}
MOST: Final = 300
"""Features of a block, the most frequent of the pool."""
LEAST_SHARE: Final = 0.05
"""Share of the pool's runs that a feature must occur in."""
CLIP: Final = 3.0
"""Deviations: no single feature may outweigh the others."""
FEWEST_WORDS: Final = 20
"""Words that a run needs for its wording to be compared: of fewer, frequencies say nothing."""
ENGLISH: Final = 0.2
"""Share of function words below which a run's words are mostly not on the list."""
FOREIGN: Final = 0.1
"""Share of such runs above which the whole pool is compared by characters."""
NO_TEXT: Final = "no run has a text of the agent"
TOO_SHORT: Final = f"no run has {FEWEST_WORDS} words of the agent"
NO_DIFFERENCE: Final = "nothing tells the runs of this pool apart"


@dataclass(frozen=True)
class Style:
    """Style of every run of a sample, and the scores made of it.

    Attributes
    ----------
    scores : tuple of TaskScores
        ``style``, ``style_wording``, ``style_structure``, ``style_alignment``.
    vectors : mapping of str to ndarray of shape (n_runs, n_features)
        By score, what scalar products are taken of: of length 1, of length 0 for a run like the
        pool's mean, NaN for one without style. No columns where the score can't be had.
    notes : tuple of str
        What must not go unsaid.
    """

    scores: tuple[TaskScores, ...]
    vectors: Mapping[str, FloatArray]
    notes: tuple[str, ...] = ()


def style_scores(cohort: Cohort, sample: Sample) -> list[TaskScores]:
    """``style`` and its three parts, of every pair of systems at every task (see `style_of`)."""
    return list(style_of(cohort, sample).scores)


def style_of(cohort: Cohort, sample: Sample) -> Style:
    """Compare the styles of a cohort's runs.

    Parameters
    ----------
    cohort : Cohort
        With its texts.
    sample : Sample
        The runs: the pool that features are scaled by.
    """
    run_ids = sample.runs["run_id"].to_list()
    runs = [features(each) for each in speeches(cohort, run_ids)]
    if not in_english(runs):
        runs = [features(each, characters=True) for each in speeches(cohort, run_ids)]
    return compare_styles(runs, sample)


def compare_styles(runs: Sequence[Features], sample: Sample) -> Style:
    r"""Cosine Delta of every pair of systems at every task, dimension by dimension.

    Each feature becomes a deviation from the pool's mean in standard deviations (all runs of the
    sample count the same), cut at 3; blocks are weighted by one over the root of their number of
    features; a dimension's deviations side by side are the run's vector ``z``. Two runs score ``(1
    + cos(z_a, z_b)) / 2``, from 0 to 1; with repeats a task's score is the mean over pairs of runs.
    ``style`` is the mean of the three dimensions.

    Parameters
    ----------
    runs : sequence of Features
        In the order of the sample's runs.
    sample : Sample
        The runs.

    Returns
    -------
    Style
        0.5 is what two runs of the pool have that have nothing more in common than any two. Runs of
        equal features score 1; a run that is the pool's mean in every feature scores 0.5 with all.
        A run with fewer than 20 words has no wording, without a word no structure, one that neither
        speaks nor calls no order of acts: NaN. A dimension is NaN throughout, with a reason, where
        no run has it, or all are the same; then ``style`` is, too.

    Notes
    -----
    The score depends on the pool: with two systems, the deviations of one are about the opposite of
    the other's, so that any two differ. Add systems to have something to be alike against.

    References
    ----------
    Burrows (2002), Delta; Smith and Aldridge (2011) and Evert et al. (2017), its cosine.
    """
    dimensions = dict(DIMENSIONS)
    if not in_english(runs):
        dimensions["style_wording"] = OTHER_LANGUAGES
    found = {name: _vectors(runs, blocks) for name, blocks in dimensions.items()}
    vectors = {STYLE: _together(list(found.values())), **found}
    reasons = {name: _reason(found[name], runs, name) for name in found}
    first = next((f"{name}: {why}" for name, why in reasons.items() if why), None)
    scores = tuple(
        scores_of(name, vectors[name], sample, reason=first if name == STYLE else reasons[name])
        for name in vectors
    )
    return Style(scores, vectors, _notes(runs))


def in_english(runs: Sequence[Features]) -> bool:
    """Whether wording can be compared by the list of English function words."""
    foreign, n = _foreign(runs)
    return foreign <= FOREIGN * n


def _foreign(runs: Sequence[Features]) -> tuple[int, int]:
    """Runs few of whose words are on the list, and runs with enough words to tell."""
    known = [run.known for run in runs if run.n_words >= FEWEST_WORDS and run.known is not None]
    return sum(share < ENGLISH for share in known), len(known)


def _notes(runs: Sequence[Features]) -> tuple[str, ...]:
    return (*_notes_on_language(runs), *_notes_on_length(runs))


def _notes_on_language(runs: Sequence[Features]) -> Iterator[str]:
    foreign, n = _foreign(runs)
    if not foreign:
        return
    these = f"In {foreign:,} of {n:,} runs few words are on the list of English function words"
    if in_english(runs):
        yield f"{these}; their wording is compared by that list all the same."
    else:
        yield (
            f"{these}: wording is compared by characters in threes, punctuation and openings, and "
            "the order of acts knows questions and calls only."
        )


def _notes_on_length(runs: Sequence[Features]) -> Iterator[str]:
    short = sum(run.n_words < FEWEST_WORDS for run in runs)
    if short:
        yield (
            f"In {short:,} of {len(runs):,} runs the agent says fewer than {FEWEST_WORDS} words: "
            "they have no wording, and so no style."
        )


def _vectors(runs: Sequence[Features], blocks: Iterable[str]) -> FloatArray:
    """Unit vectors of deviations, shape (n_runs, n_features); NaN rows for runs without."""
    blocks = tuple(blocks)
    there = np.array([any(run.blocks.get(name) for name in blocks) for run in runs], dtype=bool)
    if "acts" not in blocks:
        fewest = FEWEST_WORDS if "openings" in blocks else 1
        there &= np.array([run.n_words >= fewest for run in runs], dtype=bool)
    chosen = [run for run, has in zip(runs, there, strict=True) if has]
    if not chosen:
        return np.full((len(runs), 0), np.nan)
    parts = [_deviations([run.blocks.get(name, {}) for run in chosen]) for name in blocks]
    rows = np.hstack(parts)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made = np.full((len(runs), rows.shape[1]), np.nan)
    made[there] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return made


def _deviations(blocks: Sequence[Mapping[str, float]]) -> FloatArray:
    names = list(most_frequent(blocks, MOST))
    rates = np.array([[block.get(name, 0.0) for name in names] for block in blocks])
    rates = rates.reshape(len(blocks), len(names))
    spread = rates.std(axis=0)
    often = (rates != 0).mean(axis=0) >= LEAST_SHARE
    kept = often & (spread > 1e-12)
    deviations = (rates[:, kept] - rates[:, kept].mean(axis=0)) / spread[kept]
    cut: FloatArray = np.clip(deviations, -CLIP, CLIP) / np.sqrt(max(1, int(kept.sum())))
    return cut


def _together(parts: Sequence[FloatArray]) -> FloatArray:
    """Vectors whose scalar product is the mean over the parts; none if a part has none."""
    if any(part.shape[1] == 0 for part in parts):
        return np.full((len(parts[0]), 0), np.nan)
    whole = np.hstack(parts) / np.sqrt(len(parts))
    return np.where(np.isnan(whole).any(axis=1, keepdims=True), np.nan, whole)


def _reason(vectors: FloatArray, runs: Sequence[Features], name: str) -> str | None:
    if vectors.shape[1]:
        return None
    most = max((run.n_words for run in runs), default=0)
    called = any(run.blocks.get("acts") for run in runs)
    if not (called if name == "style_alignment" else most):
        return NO_TEXT
    return TOO_SHORT if name == "style_wording" and most < FEWEST_WORDS else NO_DIFFERENCE


def scores_of(
    name: str, vectors: FloatArray, sample: Sample, *, reason: str | None = None
) -> TaskScores:
    """Mean of ``(1 + u_a . u_b) / 2`` over pairs of runs, by products of sums: no loop over pairs.

    Parameters
    ----------
    name : str
        ``style`` or one of `DIMENSIONS`.
    vectors : ndarray of shape (n_runs, n_features)
        Of length 1 at most; NaN: not defined. Without columns nothing is.
    sample : Sample
        The runs.
    reason : str, optional
        As in `TaskScores`.
    """
    defined = ~np.isnan(vectors).any(axis=1) & (vectors.shape[1] > 0)
    rows = np.where(defined[:, None], vectors, 0.0)
    squares = (rows**2).sum(axis=1)
    counted = sample.sums(np.column_stack([rows, squares, defined]))
    sums, own, n = counted[:, :, :-2], counted[:, :, -2], counted[:, :, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / np.where(n > 0, n, np.nan)[:, :, None]
        repeats = np.where(n > 1, ((sums**2).sum(axis=-1) - own) / (n * (n - 1)), np.nan)
    there = n > 0
    both = there[:, None] & there[None]
    values = np.where(both, np.einsum("itf,jtf->ijt", means, means), np.nan)
    return TaskScores(
        name=name,
        systems=sample.systems,
        tasks=sample.tasks,
        values=_share(values),
        repeats=_share(repeats),
        unlike=_share(_unlike(means, there)),
        runs=sample.n_runs,
        label=LABELS[name],
        about=ABOUT[name],
        reason=reason,
    )


def _share(cosines: FloatArray) -> FloatArray:
    """Cosines as shares of 1, without the noise of their last bits."""
    return np.clip((1 + cosines) / 2, 0.0, 1.0)


def _unlike(means: FloatArray, there: BoolArray) -> FloatArray:
    """Scalar product of each task's mean with the mean over the system's other tasks."""
    known = np.where(there[:, :, None], means, 0.0)
    total = known.sum(axis=1, keepdims=True)
    others = there.sum(axis=1)[:, None] - 1.0
    products = (known * (total - known)).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(there & (others > 0), products / others, np.nan)
