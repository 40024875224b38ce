"""From a model's words to an answer, or the reason why they are none."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec

from ethogram.errors import JudgeError
from ethogram.results.answers import GoalGroups, Stages
from ethogram.results.judges import Question

T = TypeVar("T", bound=msgspec.Struct)

LONGEST: Final = 50_000
"""Characters; no answer that was asked for is near as long."""
_BRACES: Final = 200
"""Places at which an object is looked for: each costs a look at the rest of the text."""
_THOUGHT: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BLOCK: Final = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.DOTALL)
_DECODER: Final = json.JSONDecoder()


class UnfitAnswerError(JudgeError):
    """An answer that is not of the form that was asked for."""


def parse(text: str, question: Question[T]) -> T:
    """Read an answer.

    The whole text is one JSON object of the question's schema; thoughts before it and a code block
    around it are taken off. Failing that the text may hold such an object among other words, but
    only one: where it holds several that differ, nobody can say which of them is meant. One that
    stands word for word in the material is a quotation and no answer.

    Raises
    ------
    UnfitAnswerError
        If the text holds no such object, or several.
    """
    if len(text) > LONGEST:
        raise UnfitAnswerError(f"longer than {LONGEST:,} characters")
    bare = _THOUGHT.sub("", text).strip()
    if block := _BLOCK.match(bare):
        bare = block[1].strip()
    try:
        return _decoded(bare, question)
    except UnfitAnswerError as err:
        found = list(dict.fromkeys(_fitting(bare, question)))
        if len(found) == 1:
            return found[0]
        raise UnfitAnswerError("several answers that differ" if found else str(err)) from None


def _fitting(text: str, question: Question[T]) -> Iterator[T]:
    for written in _objects(text):
        if _is_quoted(written, question):
            continue
        try:
            yield _decoded(written, question)
        except UnfitAnswerError:
            continue


def _is_quoted(written: str, question: Question[Any]) -> bool:
    parts = (part for part in question.parts.values() if part is not None)
    return any(written in (part if isinstance(part, str) else "\n".join(part)) for part in parts)


def _objects(text: str) -> Iterator[str]:
    """The JSON objects in a text that lie in no other one."""
    place = text.find("{")
    for _ in range(_BRACES):
        if place < 0:
            return
        try:
            _, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield text[place:end]
        place = text.find("{", end)


def _decoded(text: str, question: Question[T]) -> T:
    try:
        value = msgspec.json.decode(text.encode(), type=question.answer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as err:
        raise UnfitAnswerError(str(err)) from None
    _check_once(text)
    if isinstance(value, Stages | GoalGroups):
        _check_items(value, question)
    return value


def _check_once(text: str) -> None:
    """Refuse an object that says the same thing twice: the second might be a stranger's."""

    def pairs(found: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in found]
        if len(set(names)) < len(names):
            raise UnfitAnswerError("a field stands there twice")

    json.loads(text, object_pairs_hook=pairs)


def _check_items(value: Stages | GoalGroups, question: Question[Any]) -> None:
    asked = len(question.parts.get("items") or ())
    given = sorted(each.item for each in value.items)
    if given != list(range(1, asked + 1)):
        raise UnfitAnswerError(f"asked for items 1 to {asked}, each once; got {given[:20]}")
    if isinstance(value, Stages):
        odd = [each.stage for each in value.items if each.stage not in question.choices]
        if odd:
            raise UnfitAnswerError(f"no stage is called {odd[0]!r}")
