"""Files that an action writes: whether it runs them, too, and what for."""

import re

import msgspec


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
