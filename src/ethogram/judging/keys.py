"""The key of a server: read from the environment, kept out of everything that is written."""

import os
from typing import Final
from urllib.parse import urlsplit

from ethogram.errors import JudgeError

FIRST: Final = ("ETHOGRAM_JUDGE_KEY", "OPENAI_API_KEY")
SECOND: Final = ("ETHOGRAM_SECOND_JUDGE_KEY",)
"""A second judge on a server of its own gets no key that was meant for another server."""
NO_KEY: Final = "none"
"""What is sent to servers that want no key; the SDK insists on sending one."""


def key_from(variables: tuple[str, ...]) -> str | None:
    """The first key that the environment gives.

    Raises
    ------
    JudgeError
        If it holds what can't stand in a header; the message doesn't show it.
    """
    for name in variables:
        key = os.environ.get(name, "").strip()
        if key:
            if not (key.isascii() and key.isprintable() and " " not in key):
                raise JudgeError(f"{name}: holds characters that no key has")
            return key
    return None


def without_key(text: str, key: str | None) -> str:
    """A text of the server, or one for it, without the key.

    >>> without_key("Incorrect key: abc12345", "abc12345")
    'Incorrect key: [key]'
    """
    return text.replace(key, "[key]") if key else text


def place_of(url: str) -> str:
    """A server as messages name it: without anything that could be a secret.

    >>> place_of("https://me:secret@host.example:8443/v1?token=x")
    'host.example:8443'
    """
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
