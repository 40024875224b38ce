"""Files that hold many runs in one JSON text: one broken run must not lose the others."""

from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.json_text import decode
from ethogram.trajectory import Problem

T = TypeVar("T")
R = TypeVar("R")

_LOOSE: Final = msgspec.json.Decoder(Any)


def decode_or_loose(
    text: bytes, decoder: msgspec.json.Decoder[T], *, place: str
) -> tuple[T | Any, list[Problem]]:
    """Decode a text into the decoder's type, or into plain values if some part doesn't fit it.

    The plain values are for `each_record`, which finds the part that doesn't fit. Only a broken
    file pays for the second decoding.

    Raises
    ------
    MalformedTrajectoryError
        If the text is no JSON at all.
    """
    try:
        return decode(text, decoder, place=place)
    except MalformedTrajectoryError:
        return decode(text, _LOOSE, place=place)


def each_record(
    records: list[Any], shape: type[R], *, name: str
) -> Iterator[tuple[int, R | Problem]]:
    """Yield each record with its position, as its shape or as the Problem that it isn't.

    Parameters
    ----------
    records : list
        Decoded records, or plain values.
    shape : type
        What a record must be.
    name : str
        What a record is called in ``Problem.record``, for example ``simulation``.
    """
    for position, record in enumerate(records):
        if isinstance(record, shape):
            yield position, record
            continue
        try:
            yield position, msgspec.convert(record, shape)
        except msgspec.ValidationError as err:
            yield position, Problem(reason=f"not a {name}: {err}", record=f"{name} {position}")
