"""Settings as files write them, made fit to be kept and compared."""

import re
from typing import Any, Final

_MACHINE: Final = frozenset({"api_base", "base_url", "api_version", "timeout", "num_retries"})
_SECRET: Final = re.compile(r"key|token|secret|passw|auth|credential", re.IGNORECASE)


def public(value: Any) -> Any:
    """Model arguments without servers' addresses and without secrets, at any depth.

    A field whose name speaks of a key, token, secret or password is dropped unless its value is a
    number: ``max_tokens`` is a setting and no secret.

    Examples
    --------
    >>> public({"api_key": "sk-1", "max_tokens": 9, "extra": {"auth_token": "x", "top_k": 2}})
    {'max_tokens': 9, 'extra': {'top_k': 2}}
    """
    if isinstance(value, dict):
        return {
            key: public(inner)
            for key, inner in value.items()
            if key not in _MACHINE and (isinstance(inner, int | float) or not _SECRET.search(key))
        }
    return [public(inner) for inner in value] if isinstance(value, list) else value


def recorded(value: dict[str, Any]) -> dict[str, Any]:
    """Fields that hold something: neither null nor an empty object or list.

    Examples
    --------
    >>> recorded({"a": None, "b": [], "c": 0, "d": False})
    {'c': 0, 'd': False}
    """
    return {key: inner for key, inner in value.items() if not _is_nothing(inner)}


def without_nulls(value: Any) -> Any:
    """Drop what is null or empty at any depth: later versions of a tool write more such fields.

    Examples
    --------
    >>> without_nulls({"a": None, "b": [], "c": {"d": 1}})
    {'c': {'d': 1}}
    """
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, inner in value.items():
        if isinstance(inner, dict | list):
            inner = without_nulls(inner)  # noqa: PLW2901  most values are plain and need no call
            if not inner:
                continue
        if inner is not None:
            kept[key] = inner
    return kept


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, dict | list) and not value)
