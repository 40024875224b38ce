"""JSON from strangers: decoded into typed values, with sentences for what is wrong.

`decode` is msgspec with two additions. Python writes NaN and Infinity, which are not JSON: such a
file is read all the same, each of them as None and counted. And whatever fails, fails with one
sentence that says where: truncated, nested too deeply, or not what the format says.
"""

import json
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Source
from ethogram.trajectory import Problem

T = TypeVar("T")

BOM: Final = b"\xef\xbb\xbf"


def decode(text: bytes, decoder: msgspec.json.Decoder[T], *, place: str) -> tuple[T, list[Problem]]:
    """Decode one JSON text into the decoder's type.

    Parameters
    ----------
    text : bytes
        A whole JSON text; a byte order mark is dropped.
    decoder : msgspec.json.Decoder
        Made once a format; its type lists the needed fields only, all others are skipped unread.
    place : str
        File (and line or record), for messages.

    Returns
    -------
    value : T
        The decoded value.
    problems : list of Problem
        A warning for numbers that are not finite; they are None in the value.

    Raises
    ------
    MalformedTrajectoryError
        If the text is truncated, nested too deeply, not JSON or not of the type.
    """
    text = text.removeprefix(BOM)
    try:
        return decoder.decode(text), []
    except msgspec.ValidationError as err:
        raise MalformedTrajectoryError(f"{place}: {err}") from err
    except RecursionError as err:
        raise MalformedTrajectoryError(f"{place}: nested too deeply to be a trajectory") from err
    except (msgspec.DecodeError, UnicodeDecodeError) as err:
        return _decode_leniently(text, decoder, place, err)


def _decode_leniently(
    text: bytes, decoder: msgspec.json.Decoder[T], place: str, error: Exception
) -> tuple[T, list[Problem]]:
    found: list[str] = []

    def not_finite(name: str) -> None:
        found.append(name)

    try:
        loose = json.loads(text, parse_constant=not_finite)
    except RecursionError as err:
        raise MalformedTrajectoryError(f"{place}: nested too deeply to be a trajectory") from err
    except ValueError as err:
        raise MalformedTrajectoryError(f"{place}: {_what_is_wrong(text, err)}") from error
    try:
        value = msgspec.convert(loose, decoder.type)
    except msgspec.ValidationError as err:
        raise MalformedTrajectoryError(f"{place}: {err}") from err
    names = ", ".join(sorted(set(found)))
    problem = Problem(
        reason=f"numbers that are not finite ({names}) were read as missing",
        severity="warning",
        count=len(found),
    )
    return value, [problem] if found else []


def _what_is_wrong(text: bytes, error: ValueError) -> str:
    if not text.strip():
        return "the file is empty"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text: byte {error.start} is 0x{text[error.start]:02x}"
    position = getattr(error, "pos", None)
    if position is not None and position >= len(text.decode("utf-8", "replace").rstrip()) - 1:
        return f"truncated: the JSON text ends after {len(text):,} bytes before it is complete"
    if str(error).startswith("Unterminated string"):
        return f"truncated: the JSON text ends after {len(text):,} bytes inside a string"
    if str(error).startswith("Extra data"):
        return f"more than one JSON value: a second one begins at character {position:,}"
    return f"not JSON: {error}"


def decode_lines(
    source: Source, decoder: msgspec.json.Decoder[T]
) -> Iterator[tuple[int, T | Problem, list[Problem]]]:
    """Decode a JSONL file a line at a time; a broken line is a Problem and loses no other.

    Yields
    ------
    number : int
        1-based number of the line.
    value : T or Problem
        What the line holds.
    problems : list of Problem
        Warnings about the line.
    """
    for number, line in source.lines():
        try:
            value, problems = decode(line, decoder, place=f"{source.name}:{number}")
        except MalformedTrajectoryError as err:
            yield number, Problem(reason=str(err), record=f"line {number}"), []
        else:
            yield number, value, problems


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces: equal values, equal text."""
    return msgspec.json.encode(value, order="deterministic").decode()
