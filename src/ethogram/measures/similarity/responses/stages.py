"""Stages of a task, in which what two runs say is compared: taxonomies as TOML files.

::

    about = "What kind of work this is"

    [stages]
    name = "What belongs to it, in a sentence."
"""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from ethogram.cohort import Cohort
from ethogram.errors import InputError, UnknownNameError
from ethogram.user_files import read_regular, reason_of

CUSTOMER_SERVICE: Final = "customer_service"
CODING: Final = "coding"
SUFFIX: Final = ".toml"


class Taxonomy(msgspec.Struct, frozen=True, kw_only=True):
    """Stages that the items of a run are sorted into.

    Attributes
    ----------
    name : str
        A shipped taxonomy's name, or that of the user's file.
    about : str
        What kind of work it is for.
    stages : mapping of str to str
        Name of each stage to what belongs to it, in order.
    """

    name: str
    about: str
    stages: Mapping[str, str]


def taxonomy_names() -> list[str]:
    """Names of the taxonomies that ship."""
    folder = files("ethogram.measures.similarity.responses").joinpath("stages")
    names = (path.name for path in folder.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def default_taxonomy(cohort: Cohort) -> Taxonomy:
    """That of customer service where agents reply to somebody, else that of coding."""
    replies = cohort.steps.filter(
        pl.col("event").cast(pl.String) == "reply", ~pl.col("scripted").fill_null(value=False)
    )
    talks = replies.select(pl.len()).collect().item() > 0
    return load_taxonomy(CUSTOMER_SERVICE if talks else CODING)


def load_taxonomy(name: str | Path) -> Taxonomy:
    """A taxonomy that ships, by its name, or the user's own, by the path of its file.

    Raises
    ------
    UnknownNameError
        If no taxonomy is called so and it is no path of a TOML file.
    InputError
        If the file can't be read, or is no taxonomy.
    """
    if str(name) in taxonomy_names():
        resource = files("ethogram.measures.similarity.responses").joinpath(
            "stages", f"{name}{SUFFIX}"
        )
        return _parse(str(name), resource.read_bytes(), where=f"{name}{SUFFIX}")
    path = Path(name)
    if path.suffix != SUFFIX:
        raise UnknownNameError("taxonomy of stages", str(name), taxonomy_names())
    try:
        return _parse(path.stem, read_regular(path), where=str(path))
    except OSError as err:
        raise InputError(f"{path}: can't be read: {reason_of(err)}") from err


def _parse(name: str, written: bytes, *, where: str) -> Taxonomy:
    try:
        fields = tomllib.loads(written.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as err:
        raise InputError(f"{where}: no TOML: {err}") from None
    unknown = sorted(fields.keys() - {"about", "stages"})
    if unknown:
        raise InputError(f"{where}: a taxonomy has about and [stages]; got {', '.join(unknown)}")
    about = fields.get("about", "")
    if not isinstance(about, str):
        raise InputError(f"{where}: about must be a text, got {about!r}")
    return Taxonomy(name=name, about=about, stages=_stages(fields.get("stages"), where=where))


def _stages(stages: Any, *, where: str) -> dict[str, str]:
    if not isinstance(stages, dict) or not stages:
        raise InputError(f"{where}: needs a table [stages] with one stage or more")
    for stage, about in stages.items():
        if not isinstance(about, str) or not about.strip() or not stage.strip():
            raise InputError(
                f"{where}: each stage needs a name and a sentence on what belongs to it; "
                f"got {stage!r} = {about!r}"
            )
    return {stage: " ".join(about.split()) for stage, about in stages.items()}
