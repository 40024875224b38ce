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
    """The alphabet that fits a cohort: kind where shell or editor actions dominate, else tool.

    An action counts as one of those if it is a bare command, if a command was found in a tool's
    call, or if it is a tool whose kind is listed and not ``other``. Without labels and tools the
    whole text is all there is.

    Parameters
    ----------
    actions : polars.LazyFrame
        Rows of ``steps`` that are the agent's actions.
    """
    by_shell_or_editor = (
        pl.col("tool").is_null()
        | (pl.col("head") != pl.col("tool"))
        | (pl.col("kind_origin").is_in(["table", "rule"]) & (pl.col("kind") != "other"))
    )
    counts: dict[str, Any] = (
        actions.select(
            labelled=pl.col("kind").is_not_null().mean(),
            workshop=(by_shell_or_editor & pl.col("kind").is_not_null()).mean(),
            tools=pl.col("tool").is_not_null().mean(),
        )
        .collect()
        .row(0, named=True)
    )
    if (counts["workshop"] or 0) > 0.5:
        return "kind"
    if (counts["tools"] or 0) > 0.5:
        return "tool"
    return "kind" if (counts["labelled"] or 0) > 0.5 else "action"
