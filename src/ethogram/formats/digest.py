"""What identifies a task: the digest of what a file says of it, and its repository."""

import hashlib
import re
from typing import Any, Final

import msgspec

DIGEST_LENGTH: Final = 16

_SWE_BENCH_ID: Final = re.compile(r"([\w.-]+?)__([\w.-]+)-\d+")


def digest(value: Any) -> str:
    """Digest of what a file says of a task (or of a prompt): equal content, equal digest.

    Parameters
    ----------
    value : Any
        Anything that JSON can hold; the order of keys doesn't matter, the order of lists does.

    Returns
    -------
    str
        The first 16 hexadecimal digits of the SHA-256 of the value's canonical JSON.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    >>> digest("Fix it.") == digest("Fix it!")
    False
    """
    encoded = msgspec.json.encode(value, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:DIGEST_LENGTH]


def repository(task_id: str | None) -> str | None:
    """Repository of a task id in the form that SWE-bench uses; None for any other id.

    Examples
    --------
    >>> repository("pylint-dev__astroid-1196")
    'pylint-dev/astroid'
    >>> repository("airline-7") is None
    True
    """
    match = _SWE_BENCH_ID.fullmatch(task_id or "")
    return f"{match[1]}/{match[2]}" if match else None
