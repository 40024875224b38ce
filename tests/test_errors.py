import inspect
import re

import pytest

from ethogram import errors
from ethogram.errors import EthogramError, UnknownNameError

CLASSES = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, EthogramError)
]


def test_the_tree_that_is_drawn_is_the_tree_that_there_is() -> None:
    drawn: list[tuple[str, str]] = []
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ((?:│   |    )*(?:[├└]── )?)(\w+Error)\b", line)
        if found:
            depth = len(found[1]) // 4
            above = [*above[:depth], found[2]]
            drawn.append((found[2], above[depth - 1] if depth else "Exception"))

    assert dict(drawn) == {cls.__name__: cls.__bases__[0].__name__ for cls in CLASSES}
    assert len(drawn) == len(CLASSES)


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_says_what_it_is_for_and_refines_one_of_python_s(
    error: type[EthogramError],
) -> None:
    assert error.__doc__
    if error is not EthogramError:
        assert issubclass(error, ValueError | ImportError)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    assert (
        str(UnknownNameError("format", "x", ["b", "a"])) == "no format is called 'x'; known: a, b"
    )
    assert str(UnknownNameError("format", "x", [])) == "no format is called 'x'; known: none"
