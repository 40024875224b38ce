"""The features of a run: named Polars expressions over its actions, computed in one pass.

Twelve of them are those of Banerjee and Raichura 2026, table 1. A third party adds its own through
the entry point group ``ethogram.features``::

    WRITES = Feature("write_count", (pl.col("effect") == "write").mean(), "share of actions ...")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ethogram.cohort import Cohort
from ethogram.cohort.views import own_actions
from ethogram.errors import UsageError
from ethogram.registry import Registry


@dataclass(frozen=True)
class Feature:
    """One number a run.

    Parameters
    ----------
    name : str
        Column of the feature table.
    expression : polars.Expr
        Aggregates the actions of a run, in their order, to one number; over the columns of
        ``steps`` and over ``text``, a 64-bit hash of the action (only equality matters).
    about : str
        One sentence, in lower case.
    """

    name: str
    expression: pl.Expr
    about: str


_KIND: Final = pl.col("kind").cast(pl.String)


def _kind_share(name: str, kind: str) -> Feature:
    return Feature(name, _KIND.eq(kind).mean(), f"share of actions of the kind {kind}")


BANERJEE: Final = {
    feature.name: feature
    for feature in (
        Feature("total_steps", pl.len().cast(pl.Float64), "number of actions"),
        Feature(
            "mean_action_length",
            pl.col("action").str.len_chars().mean(),
            "mean number of characters of an action",
        ),
        Feature(
            "max_action_length",
            pl.col("action").str.len_chars().max().cast(pl.Float64),
            "largest number of characters of an action",
        ),
        _kind_share("file_search_count", "explore"),
        _kind_share("file_view_count", "understand"),
        _kind_share("file_edit_count", "edit"),
        _kind_share("test_execution_count", "verify"),
        Feature(
            "action_entropy",
            # abs: the entropy of a single text is -0.0
            pl.col("text").unique_counts().cast(pl.Float64).entropy(base=2, normalize=True).abs(),
            "Shannon entropy, in bits, of the distinct texts of actions",
        ),
        Feature(
            "unique_action_ratio",
            pl.col("text").n_unique() / pl.len(),
            "distinct texts of actions over the number of actions",
        ),
        Feature(
            "consecutive_repetition_max",
            pl.col("text").rle().struct.field("len").max().cast(pl.Float64),
            "longest run of equal actions, one after the other",
        ),
        Feature(
            "error_flag_count",
            pl.col("is_error").mean(),
            "share of actions whose observation reports an error",
        ),
        Feature(
            "step_velocity",
            # an action of no category is a state of its own, like `other`
            pl.when(_KIND.is_not_null().any()).then(
                _KIND.fill_null("other").ne(_KIND.fill_null("other").shift(1)).sum() / pl.len()
            ),
            "changes of kind between consecutive actions over the number of actions",
        ),
    )
}
"""Table 1 of Banerjee and Raichura 2026: what they call counts of categories and of errors are
shares, so that they don't say again how long a run is."""

FEATURES: Final[Registry[Feature]] = Registry(
    "feature",
    {name: "ethogram.measures.consistency.features:" + name.upper() for name in BANERJEE},
    group="ethogram.features",
)
"""Name -> Feature: the twelve, and whatever entry points add."""

DEFAULT: Final = tuple(BANERJEE)

GROUPS: Final = {
    "length": ("total_steps", "mean_action_length", "max_action_length"),
    "kinds": (
        "file_search_count",
        "file_view_count",
        "file_edit_count",
        "test_execution_count",
        "step_velocity",
    ),
    "variety": ("action_entropy", "unique_action_ratio", "consecutive_repetition_max"),
    "errors": ("error_flag_count",),
}
"""Features that say much the same, for leaving them out together."""


def __getattr__(name: str) -> Feature:
    """The twelve by their name in capitals, as the registry names them."""
    feature = BANERJEE.get(name.lower())
    if feature is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return feature


def chosen(features: Sequence[str | Feature]) -> list[Feature]:
    """Features by name, or as they are.

    Raises
    ------
    UnknownNameError
        If a name is not registered.
    UsageError
        If there are none, or two of one name.
    """
    found = [_named(each) if isinstance(each, str) else each for each in features]
    names = [feature.name for feature in found]
    if not found or len(set(names)) < len(names):
        raise UsageError(f"features must be one or more, each once; got {', '.join(names)}")
    return found


def _named(name: str) -> Feature:
    # asking the registry looks through all installed packages, and built-in names win in any case
    return BANERJEE.get(name) or FEATURES.get(name)


def feature_table(
    cohort: Cohort,
    features: Sequence[str | Feature] = DEFAULT,
    *,
    first: int | None = None,
    share: float | None = None,
) -> pl.DataFrame:
    """One row a run with actions, one column a feature; null where it can't be known.

    Parameters
    ----------
    cohort : Cohort
        Its steps are scanned once; only the columns that the features use are read.
    features : sequence of str or Feature
        Which ones.
    first : int, optional
        Only of the first actions of each run, so many.
    share : float, optional
        Only of the first actions of each run, this share of them (one at least).

    Returns
    -------
    polars.DataFrame
        ``run_id`` and the features, in the order of ``run_id``.
    """
    found = chosen(features)
    columns = {name for feature in found for name in feature.expression.meta.root_names()}
    needed = sorted(columns - {"text", "action"})
    texts = [
        *([pl.col("action").hash().alias("text")] if "text" in columns else []),
        *([pl.col("action")] if "action" in columns else []),
    ]
    actions = own_actions(cohort)
    if first is not None:
        actions = actions.filter(pl.col("action_index") < first)
    if share is not None:
        n = pl.col("action_index").max().over("run_id") + 1
        actions = actions.filter(pl.col("action_index") < (n * share).ceil())
    return (
        actions.select("run_id", "action_index", *(set(needed) - {"action_index"}), *texts)
        .sort("run_id", "action_index")
        .group_by("run_id", maintain_order=True)
        .agg(feature.expression.cast(pl.Float64).alias(feature.name) for feature in found)
        .collect(engine="streaming")
        .sort("run_id")
    )
