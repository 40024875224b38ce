"""Values that calls are given and results return, and whether a text names one.

A value is a whole scalar leaf: strings trimmed with their case kept, numbers by value. Nothing is
parsed inside strings, and keys are not values. Booleans, null, whatever is shorter than three
characters and a listed set of tokens say nothing of where a value comes from and are dropped.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final, TypeAlias

import msgspec

Value: TypeAlias = str | int | float
"""A leaf. Text never equals a number, and 1 equals 1.0."""

MIN_CHARS: Final = 3
_WORDS: Final = """
true false yes no on off none null nil nan undefined unknown n/a na tbd todo default any all
other empty
ok okay done success successful succeeded fail failed failure error errors warning exception
pending processing processed in_progress completed complete cancelled canceled delivered
available unavailable active inactive enabled disabled open closed started stopped valid invalid
accepted rejected approved denied confirmed
string number integer float boolean bool object array list dict
placeholder example test xxx
"""
UNINFORMATIVE: Final = frozenset(_WORDS.split())
"""Markers of truth, words for a state, names of types and placeholders, in lower case: they turn up
in arguments and results for no common reason."""

_WORD: Final = re.compile(r"\w+")
"""`str.isalnum` and the underscore, as `names_value` has it."""
_SPACED: Final = "".join(c if _WORD.fullmatch(c) else " " for c in map(chr, range(128)))
"""What stands for each ASCII character when all that is in no word becomes a space."""

LONG: Final = 100
"""Tokens of more characters are looked for by their beginnings."""

MAX_DEPTH: Final = 200
"""Structures nested deeper than this are not looked into."""


def leaves(structure: Any) -> Iterator[Value]:
    """Yield the scalar leaves of decoded JSON; strings trimmed, booleans and null left out.

    Examples
    --------
    >>> list(leaves({"id": " A1 ", "seats": [2, {"price": 1.5}], "paid": True, "note": None}))
    ['A1', 2, 1.5]
    """
    stack = [(structure, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, str):
            yield node.strip()
        elif isinstance(node, dict | list):
            if depth < MAX_DEPTH:
                inner = list(node.values() if isinstance(node, dict) else node)
                stack.extend((each, depth + 1) for each in reversed(inner))
        elif node is not None and not isinstance(node, bool):
            yield node


def leaf_set(structure: Any) -> set[Value]:
    """The different leaves that `leaves` yields, in a third of its time.

    Examples
    --------
    >>> leaf_set({"id": " A1 ", "more": ["A1", {"id": "A1"}], "paid": True})
    {'A1'}
    """
    found: set[Value] = set()
    level = [structure]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is str:
                found.add(node.strip())
            elif kind is dict:
                inner.extend(node.values())
            elif kind is list:
                inner.extend(node)
            elif kind is not bool and node is not None:
                found.add(node)
        if not inner:
            break
        level = inner
    return found


def written(value: Value) -> str:
    """The shortest decimal text of a number; text as it is.

    Examples
    --------
    >>> written(120.0), written(1.50), written("1.50")
    ('120', '1.5', '1.50')
    """
    if not isinstance(value, float):
        return str(value)
    # no exponent: a person writes 0.00001, and length counts digits
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def informative(value: Value) -> bool:
    """Whether finding a value again says that it was taken from there.

    Examples
    --------
    >>> informative("W12"), informative("NY"), informative("Pending"), informative(100)
    (True, False, False, True)
    """
    text = written(value)
    return len(text) >= MIN_CHARS and text.lower() not in UNINFORMATIVE


def decoded(text: str | None) -> tuple[bool, Any]:
    """Whether a text is JSON, and what it holds.

    Examples
    --------
    >>> decoded('{"a": 1}'), decoded("not json"), decoded(None)
    ((True, {'a': 1}), (False, None), (False, None))
    """
    if text is None:
        return False, None
    try:
        return True, msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False, None


def argument_leaves(arguments: str | None) -> list[Value]:
    """Leaves of a call's arguments; a text that is not JSON is a single leaf.

    Examples
    --------
    >>> argument_leaves('{"ids": ["a1b", 7]}'), argument_leaves("rm {"), argument_leaves(None)
    (['a1b', 7], ['rm {'], [])
    """
    is_json, structure = decoded(arguments)
    if is_json:
        return list(leaves(structure))
    return [arguments.strip()] if arguments and arguments.strip() else []


def names_value(text: str, value: Value) -> bool:
    """Whether a text holds a value as a whole token: bounded by no letter, digit or underscore.

    Examples
    --------
    >>> names_value("cancel #W12, please", "#W12"), names_value("EHGLP31", "EHGLP3")
    (True, False)
    """
    token = written(value)
    return token in text and any(
        not (start and _in_word(text[start - 1]))
        and not (start + len(token) < len(text) and _in_word(text[start + len(token)]))
        for start in _places(text, token)
    )


def _places(text: str, token: str) -> Iterator[int]:
    """Where a text holds a token; of a long one, only where no word runs into it."""
    if len(token) <= LONG:
        start = text.find(token)
        while start >= 0:
            yield start
            start = text.find(token, start + 1)
        return
    # each `find` prepares itself anew for a long token, which may begin at every second character
    for match in re.finditer(rf"(?<!\w)(?={re.escape(token[:LONG])})", text):
        if text.startswith(token, match.start()):
            yield match.start()


def words_of(text: str) -> list[str]:
    """The runs of letters, digits and underscores in a text, in order.

    Examples
    --------
    >>> words_of("cancel #W12, please")
    ['cancel', 'W12', 'please']
    """
    # twice as fast as the expression, where most texts are ASCII
    return text.translate(_SPACED).split() if text.isascii() else _WORD.findall(text)


class Tokens:
    """Written values, of which many are looked for in a text at once.

    A text names a value of one word if the word is among the text's words. Any other value can only
    be named where all its words are among them, so that few texts have to be searched.

    Parameters
    ----------
    tokens : iterable of str
        The values as they are written.

    Examples
    --------
    >>> tokens = Tokens(["W12", "src/app.py", "app"])
    >>> text = "see src/app.py of W123"
    >>> sorted(tokens.named_in(text, words_of(text)))
    ['app', 'src/app.py']
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._longer: dict[str, list[tuple[str, frozenset[str]]]] = {}
        self._wordless: list[str] = []
        words_by_token = {token: words_of(token) for token in tokens}
        # a token is kept under its rarest word: one that all have would bring all to every text
        self._parts = Counter(word for words in words_by_token.values() for word in set(words))
        for token, words in words_by_token.items():
            if words == [token]:
                self._words.add(token)
            elif words:
                rarest = min(words, key=self._parts.__getitem__)
                self._longer.setdefault(rarest, []).append((token, frozenset(words)))
            else:
                self._wordless.append(token)

    def named_in(self, text: str, words: Iterable[str]) -> Iterator[str]:
        """Yield those that a text with these words names, as `names_value` has it."""
        found = self._parts.keys() & set(words)
        yield from self._words & found
        for word in self._longer.keys() & found:
            for token, parts in self._longer[word]:
                if parts <= found and names_value(text, token):
                    yield token
        for token in self._wordless:
            if names_value(text, token):
                yield token


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
