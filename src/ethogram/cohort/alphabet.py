"""What an action counts as when sequences are compared: its kind, head, tool or whole text."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import polars as pl

from ethogram.errors import UnknownNameError

Alphabet = Literal["kind", "head", "tool", "action"]

NOTHING: Final = "(none)"
"""Symbol of an action whose label or text is not there; such actions equal each other."""
COMMAND: Final = "(command)"
"""Symbol of a bare command in the alphabet of tools."""

WORKSHOP_SHARE: Final = 0.2
"""Share of unmistakable shell work above which the alphabet is that of kinds."""

_SYMBOLS: Final[Mapping[str, pl.Expr]] = {
    "kind": pl.col("kind").cast(pl.String),
    "head": pl.col("head"),
    "tool": pl.when(pl.col("tool").is_null() & pl.col("action").is_not_null())
    .then(pl.lit(COMMAND))
    .otherwise(pl.col("tool")),
    "action": pl.col("action"),
}
ALPHABETS: Final = tuple(_SYMBOLS)


def symbol(alphabet: str) -> pl.Expr:
    """Symbol of an action in an alphabet, over the columns of ``steps``.

    Raises
    ------
    UnknownNameError
        If there is no such alphabet.
    """
    if alphabet not in _SYMBOLS:
        raise UnknownNameError("alphabet", alphabet, list(ALPHABETS))
    return _SYMBOLS[alphabet].fill_null(NOTHING)


def choose_alphabet(actions: pl.LazyFrame) -> Alphabet:
    """The alphabet that fits a cohort: kind where agents work in a shell or editor, else tool.

    Bare commands, commands found in a tool's call, and tools that search or test give such work
    away; tools that read or edit don't, for so do those of a flight desk. One action in five is
    enough. Without labels and tools the whole text is all there is.

    Parameters
    ----------
    actions : polars.LazyFrame
        Rows of ``steps`` that are the agent's actions.
    """
    in_shell = pl.col("tool").is_null() | (pl.col("head") != pl.col("tool"))
    searches_or_tests = pl.col("kind").cast(pl.String).is_in(["explore", "verify"])
    shares: dict[str, Any] = (
        actions.select(
            labelled=pl.col("kind").is_not_null().mean(),
            workshop=((in_shell | searches_or_tests) & pl.col("kind").is_not_null()).mean(),
            tools=pl.col("tool").is_not_null().mean(),
        )
        .collect()
        .row(0, named=True)
    )
    if (shares["workshop"] or 0) > WORKSHOP_SHARE:
        return "kind"
    if (shares["tools"] or 0) > 0.5:
        return "tool"
    return "kind" if (shares["labelled"] or 0) > 0.5 else "action"
