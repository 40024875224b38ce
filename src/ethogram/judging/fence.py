"""Fences around strangers' texts: lines that no text inside can hold.

A fence carries a token that is made from the texts themselves and is checked against them. Whoever
wrote a text can't close its fence, and the same texts are always fenced in the same way, so that
an answer is found again in the cache.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from ethogram.results.printable import printable

SHORTEST: Final = 12
"""Hex digits of a token, unless they occur in a text."""


def as_data(text: str) -> str:
    """A stranger's text as it goes into a prompt: one kind of line end, nothing that acts.

    Control characters, marks of direction and invisible characters become visible ones.
    """
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def token_for(texts: Sequence[str]) -> str:
    """A word for the fences around texts that stands in none of them.

    Examples
    --------
    >>> token_for(["one", "two"]) == token_for(["one", "two"]) != token_for(["one"])
    True
    """
    whole = hashlib.sha256()
    for text in texts:
        whole.update(f"{len(text)}:".encode() + text.encode())
    return unused(whole.hexdigest(), texts)


def unused(digest: str, texts: Iterable[str]) -> str:
    """The shortest beginning of a hex digest that occurs in no text; then of the digest's digest.

    Examples
    --------
    >>> unused("0123456789abcdef", ["..."])
    '0123456789ab'
    >>> unused("0123456789abcdef", ["0123456789ABC"])
    '0123456789abcd'
    """
    folded = [text.casefold() for text in texts]
    while True:
        for length in range(SHORTEST, len(digest) + 1):
            token = digest[:length]
            if not any(token in text for text in folded):
                return token
        digest = hashlib.sha256(digest.encode()).hexdigest()


def fenced(name: str, text: str, token: str) -> str:
    """A text between its fences, under its name.

    >>> print(fenced("task", "Mend it.", "0123456789ab"))
    [data 0123456789ab: task]
    Mend it.
    [end of data 0123456789ab]
    """
    return f"[data {token}: {name}]\n{text}\n[end of data {token}]"
