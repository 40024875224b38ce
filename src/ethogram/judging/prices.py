"""What models cost: a table with its date, and the user's own laid over it."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from ethogram.errors import UsageError
from ethogram.user_files import read_regular

_PerMillion = Annotated[float, msgspec.Meta(ge=0)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dollars for a million tokens."""

    input: _PerMillion
    output: _PerMillion


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of prices."""

    date: str
    """When they were looked up."""
    models: dict[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of a model under exactly this name; None: not known."""
        return self.models.get(model)


def load_prices(own: Path | None = None) -> Prices:
    """The package's table; with a user's file, that one laid over it.

    Raises
    ------
    UsageError
        If the file is no table of prices.
    """
    shipped = files("ethogram.judging").joinpath("prices.toml").read_bytes()
    table = msgspec.convert(tomllib.loads(shipped.decode()), Prices)
    if own is None:
        return table
    try:
        added = msgspec.convert(tomllib.loads(read_regular(own).decode()), Prices)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as err:
        raise UsageError(
            f"{own}: not a table of prices ('date = \"2026-01-31\"', then "
            f'[models."NAME"] with input and output): {err}'
        ) from None
    return Prices(
        date=f"{table.date}, {own.name} of {added.date}", models=table.models | added.models
    )
