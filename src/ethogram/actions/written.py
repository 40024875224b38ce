"""Files that an action writes: whether it runs them, too, and what for."""

import re
from typing import Final

import msgspec

from ethogram.actions.heredoc import PLACEHOLDER_START, lift

MAX_CHARS: Final = 100_000
"""A text that is longer is not taken for a draft."""
MAX_REST: Final = 1_000
"""Nor is one that does more than this besides writing its file: hardly another is like it."""
_NAME: Final = r"(\w[\w-]*)(\.\w+)"
_DRAFT: Final = re.compile(rf"cat (?:>[ ]?{_NAME} __heredoc_0__|__heredoc_0__ >[ ]?{_NAME})\n")
_MARK: Final = "\0"
_NOT_ALONE: Final = re.compile(r"\S\0|\0\S|(?<!\S)-\S*\s+\0")
"""The name is a part of a word, or the value of an option, which may take it for code."""
# A name in quotes is a part of a text, which may be code.
_OUTSIDE: Final = re.compile(r"""(?:[^'"\\]|\\.|'[^'\0]*'|"(?:[^"\\\0]|\\.)*")*+""", re.DOTALL)


class Written(msgspec.Struct, gc=False):
    """A file that an action writes by redirection, with what goes into it where that is known."""

    path: str
    content: str | None


def mentions(words: list[str], path: str) -> bool:
    """Tell whether a command line names a file, its folder or its module.

    Parameters
    ----------
    words : list of str
        The words of a command that executes or builds something; code given to an interpreter is
        one of them.
    path : str
        The file that was written.

    Examples
    --------
    >>> mentions(["sphinx-build", "docs", "out"], "docs/index.rst")
    True
    >>> mentions(["python", "-m", "pkg.check"], "src/pkg/check.py")
    True
    """
    plain = path.removeprefix("./")
    name = plain[plain.rfind("/") + 1 :]
    stem = name.rpartition(".")[0] or name
    module = plain.rpartition(".")[0].replace("/", ".")
    return any(
        name in word or (stem in word and _is_word(stem, word)) or _holds(word, plain, module)
        for word in words
    )


def _is_word(stem: str, text: str) -> bool:
    return re.search(rf"(?<![\w/-]){re.escape(stem)}(?![\w/-])", text) is not None


def _holds(word: str, path: str, module: str) -> bool:
    """Tell whether a word names a folder that holds the file, or the end of its module's name."""
    folder = word.removeprefix("./").rstrip("/")
    if folder in {"", "."}:
        return folder == "." and not path.startswith("/")
    return path.startswith(folder + "/") or module.endswith("." + folder)


class Draft(msgspec.Struct, frozen=True, gc=False):
    """A text that writes one file from a here-document and then does something, mostly with it."""

    file: Written
    rest: str
    """What it then does, with a mark where the file's name stands."""


def draft(text: str) -> Draft | None:
    r"""Take a text for a draft; None if it is none, or names its file in another way too.

    Examples
    --------
    >>> draft("cat > a.py <<E\nx = 1\nE\npython a.py").file
    Written(path='a.py', content='x = 1')
    >>> draft("cat > a.py <<E\nx = 1\nE\npython -m a") is None
    True
    """
    if len(text) > MAX_CHARS or not text.startswith("cat ") or _MARK in text:
        return None
    lifted, bodies = lift(text)
    match = _DRAFT.match(lifted)
    if match is None or len(bodies) != 1 or len(lifted) > MAX_REST:
        return None
    stem, suffix = filter(None, match.groups())
    rest = lifted[match.end() :].replace(stem + suffix, _MARK)
    if stem in rest or PLACEHOLDER_START in rest:
        return None
    if _NOT_ALONE.search(rest) or (_MARK in rest and not _OUTSIDE.fullmatch(rest)):
        return None
    return Draft(Written(stem + suffix, bodies[0]), rest)
