"""JSON from strangers: decoded into typed values, with sentences for what is wrong.

`decode` is msgspec with three additions. Python writes NaN and Infinity, which are not JSON: such a
file is read all the same, each of them as None and counted. It also writes half a surrogate pair,
which no text can hold: read as U+FFFD and counted. And whatever fails, fails with one sentence that
says where: truncated, nested too deeply, or not what the format says.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Source
from ethogram.trajectory import Problem

T = TypeVar("T")

_CUT: Final = re.compile(
    r"u[0-9a-fA-F]{0,4}|[-.]|[eE][-+]?|tr?u?|fa?l?s?|nu?l?|Na?|-?In?f?i?n?i?t?"
)
"""What may be left of an escape, a number or a literal that was cut in the middle."""

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
        Warnings for numbers that are not finite (None in the value) and for characters that are
        none (U+FFFD in the value).

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

    def finite(written: str) -> float | None:
        value = float(written)
        if math.isfinite(value):
            return value
        found.append(written)
        return None

    try:
        loose = json.loads(text, parse_constant=finite, parse_float=finite)
    except RecursionError as err:
        raise MalformedTrajectoryError(f"{place}: nested too deeply to be a trajectory") from err
    except ValueError as err:
        raise MalformedTrajectoryError(f"{place}: {_what_is_wrong(text, err)}") from error
    clean, n_replaced = _without_surrogates(json.dumps(loose, ensure_ascii=False))
    try:
        value = decoder.decode(clean)
    except msgspec.DecodeError as err:
        raise MalformedTrajectoryError(f"{place}: {err}") from err
    names = ", ".join(sorted(set(found)))
    problems = (
        (f"numbers that are not finite ({names}) were read as missing", len(found)),
        ("characters that are half a surrogate pair were read as U+FFFD", n_replaced),
    )
    return value, [
        Problem(reason=reason, severity="warning", count=count)
        for reason, count in problems
        if count
    ]


def _without_surrogates(text: str) -> tuple[str, int]:
    clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return clean, clean.count("\ufffd") - text.count("\ufffd")


def _what_is_wrong(text: bytes, error: ValueError) -> str:
    if not text.strip():
        return "the file is empty"
    if _is_cut(error):
        return f"truncated: the JSON text ends after {len(text):,} bytes before it is complete"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text: byte {error.start} is 0x{text[error.start]:02x}"
    if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
        return f"more than one JSON value: a second one begins at character {error.pos:,}"
    return f"not JSON: {error}"


def _is_cut(error: ValueError) -> bool:
    """Whether what came before the error is the beginning of a JSON text."""
    if isinstance(error, UnicodeDecodeError):
        return error.reason == "unexpected end of data"
    if not isinstance(error, json.JSONDecodeError):
        return False
    rest = error.doc[error.pos :].rstrip()
    return not rest or error.msg.startswith("Unterminated string") or bool(_CUT.fullmatch(rest))


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
    """JSON text with sorted keys and no spaces: equal values, equal text.

    >>> canonical({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return msgspec.json.encode(value, order="deterministic").decode()
