"""Values that no table can hold: numbers too large for their column, text that is no Unicode.

Both occur in strangers' files (an exit code of 2**32 - 1, half a surrogate pair). Such a number is
read as missing and counted, such a text keeps all but the broken characters.
"""

import math
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np

from ethogram.trajectory import Event, Problem, System, Trajectory, Usage


def _plain(value: Any) -> Any:
    """A value of Python's own for one of a derived type, such as numpy's."""
    if isinstance(value, np.generic):
        return value.item()
    kind = next((kind for kind in (str, int, float) if isinstance(value, kind)), None)
    if kind is None:
        raise TypeError(f"values of type {type(value).__name__} can't be kept")
    return kind(value)


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_plain)
_DECODER: Final = msgspec.msgpack.Decoder(Trajectory)
_INT32: Final = 2**31
_LARGEST: Final = 2**48
"""More tokens than any run has; sums of fewer fit their column."""
_SMALL: Final[Mapping[type, tuple[str, ...]]] = {
    Trajectory: ("trial",),
    Event: ("turn", "exit_code"),
    System: ("step_limit",),
}
"""Struct -> fields whose column has 32 bits; all other whole numbers stay below `_LARGEST`."""
_LARGE: Final = ("input_tokens", "output_tokens")
"""The whole numbers of an event whose columns have 64 bits."""
_TOKENS: Final = tuple(name for name in Usage.__struct_fields__ if name.endswith("_tokens"))


def tidy(trajectory: Trajectory, *, typed_events: bool = False) -> Trajectory:
    """The trajectory itself, or one in which everything fits its column.

    What had to be left out is added to its problems.

    Parameters
    ----------
    trajectory : Trajectory
        What a reader yielded.
    typed_events : bool
        Whether its format promises typed events (`Format.typed_events`): then only the numbers of
        events are looked at, which spares a copy of all the texts.
    """
    if _is_tidy(trajectory, typed_events=typed_events):
        return trajectory
    cleaner = _Cleaner()
    cleaned: Trajectory = cleaner.struct(trajectory)
    problems = [
        Problem(
            reason=f"{field}: whole numbers that are too large were read as missing",
            record=cleaned.record,
            field=field,
            severity="warning",
            count=count,
        )
        for field, count in cleaner.left_out.items()
    ]
    return msgspec.structs.replace(cleaned, problems=(*cleaned.problems, *problems))


def _is_tidy(trajectory: Trajectory, *, typed_events: bool) -> bool:
    """A quick look, with the encoder, which refuses broken text and numbers of over 64 bits.

    Raises
    ------
    msgspec.ValidationError
        If a reader, perhaps a third party's, has put a value of another type into a field.
    """
    try:
        looked_at = msgspec.structs.replace(trajectory, events=()) if typed_events else trajectory
        _DECODER.decode(_ENCODER.encode(looked_at))
    except (UnicodeEncodeError, OverflowError):
        return False
    small = {trajectory.trial, trajectory.system.step_limit}
    large = {getattr(trajectory.usage, name) for name in _TOKENS}
    for name in _SMALL[Event]:
        small.update(map(attrgetter(name), trajectory.events))
    for name in _LARGE:
        large.update(map(attrgetter(name), trajectory.events))
    return _all_below(_INT32, small) and _all_below(_LARGEST, large)


def _all_below(limit: int, numbers: set[int | None]) -> bool:
    known = [number for number in numbers if number is not None]
    return not known or (min(known) >= -limit and max(known) < limit)


class _Cleaner:
    def __init__(self) -> None:
        self.left_out: dict[str, int] = {}

    def struct(self, value: Any) -> Any:
        small = _SMALL.get(type(value), ())
        changes = {}
        for name in value.__struct_fields__:
            limit = _INT32 if name in small else _LARGEST
            changes[name] = self._value(getattr(value, name), name, limit)
        return msgspec.structs.replace(value, **changes)

    def _value(self, value: Any, name: str, limit: float) -> Any:
        if isinstance(value, str):
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(value, name, limit)
        if isinstance(value, tuple | list):
            return type(value)(self._value(inner, name, limit) for inner in value)
        if isinstance(value, Mapping):  # becomes JSON, where numbers have no limit
            return {
                self._value(str(key), name, math.inf): self._value(inner, name, math.inf)
                for key, inner in value.items()
            }
        return self.struct(value) if isinstance(value, msgspec.Struct) else value

    def _number(self, value: int, name: str, limit: float) -> int | None:
        if -limit <= value < limit:
            return value
        self.left_out[name] = self.left_out.get(name, 0) + 1
        return None
