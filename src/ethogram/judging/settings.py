"""How a judge is asked: model, server, samples, budget, cache.

Keys are no settings. They are read from the environment when a server is spoken to and kept
nowhere, so that settings can be shown, saved and compared.
"""

import os
import re
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from ethogram.errors import UsageError
from ethogram.judging.budget import Budget

OPENAI_URL: Final = "https://api.openai.com/v1"
SERVER_S_TEMPERATURE: Final = "server"
_WITH_URL: Final = re.compile(r"(?P<model>.+?)@(?P<url>https?://.+)")


def default_cache() -> Path:
    """Where answers are kept: below ``ETHOGRAM_HOME``, or the user's folder for caches."""
    if home := os.environ.get("ETHOGRAM_HOME"):
        return Path(home) / "judge.sqlite"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "ethogram" / "judge.sqlite"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ethogram" / "judge.sqlite"


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How one judge, or two, are asked.

    Raises
    ------
    UsageError
        If a number is out of its range, an address is none, or both judges are the same
        model (the cache tells models apart, not servers).
    """

    model: str
    url: str | None = None
    """Base address of an OpenAI-compatible server, ``http://localhost:8000/v1``; None: OpenAI's."""
    second: str | None = None
    """Another judge for the same questions: ``MODEL``, or ``MODEL@URL`` on a server of its own."""
    samples: int = 1
    """Answers to the same question."""
    temperature: float | None = 0.0
    """None leaves it to the server: some models take no other than their own."""
    temperatures: tuple[float, ...] = ()
    """More temperatures at which the first judge is asked the same."""
    concurrency: int = 8
    """Questions that are out at the same time."""
    timeout: float = 120.0
    """Seconds that a server may be silent."""
    retries: int = 4
    """How often a question is sent again after 429, 5xx, silence or a cut connection."""
    budget: Budget = Budget()
    offline: bool = False
    """Answer from the cache alone."""
    dry_run: bool = False
    """Ask nobody; say what it would cost."""
    cache: Path = msgspec.field(default_factory=default_cache)
    prices: Path | None = None
    """TOML file with prices to use before the package's own."""

    def __post_init__(self) -> None:
        _at_least("samples", self.samples, 1)
        _at_least("concurrency", self.concurrency, 1)
        _at_least("retries", self.retries, 0)
        if not self.timeout > 0:
            raise UsageError(f"judge: timeout must be above 0 seconds, got {self.timeout}")
        _check_temperatures(self.temperature, self.temperatures)
        if not self.model.strip():
            raise UsageError("judge: the model has no name")
        check_url(self.url)
        if self.second is not None:
            model, url = split_model(self.second)
            check_url(url)
            if model == self.model:
                raise UsageError(f"judge: the second judge must be another model than {model}")


def split_model(text: str) -> tuple[str, str | None]:
    """A judge's model and, where one stands behind an ``@``, its server.

    >>> split_model("llama-3.3-70b@http://localhost:8000/v1")
    ('llama-3.3-70b', 'http://localhost:8000/v1')
    >>> split_model("claude-sonnet@20250929")
    ('claude-sonnet@20250929', None)
    """
    found = _WITH_URL.fullmatch(text)
    return (found["model"], found["url"]) if found else (text, None)


def parse_temperature(text: str) -> float | None:
    """A temperature, or None for the word ``server``.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if text == SERVER_S_TEMPERATURE:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"--judge-temperature: a number from 0 to 2 or {SERVER_S_TEMPERATURE!r}, got {text!r}"
        ) from None


def parse_temperatures(text: str | None) -> tuple[float, ...]:
    """Temperatures with commas between them; none without a text.

    Raises
    ------
    UsageError
        If one is no number.
    """
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(
            f"--judge-temperatures: numbers from 0 to 2 with commas, got {text!r}"
        ) from None


def _check_temperatures(first: float | None, others: tuple[float, ...]) -> None:
    every = (first, *others)
    for temperature in every:
        if temperature is not None and not 0 <= temperature <= 2:
            raise UsageError(f"judge: temperature must be from 0 to 2, got {temperature}")
    if len(set(every)) < len(every):
        raise UsageError(f"judge: temperatures must differ, got {first} and {others}")
    if first is None and others:
        raise UsageError("judge: further temperatures need one that is known to begin with")


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise UsageError(f"judge: {name} must be {least} or more, got {value}")


def check_url(url: str | None) -> None:
    """Refuse what is no address, without repeating a password that stands in it.

    Raises
    ------
    UsageError
        If it is none, or holds a user or a password.
    """
    if url is None:
        return
    try:
        parts = urlsplit(url)
        host, user, _ = parts.hostname, parts.username, parts.port
    except ValueError:
        raise UsageError("judge: the address of the server can't be read") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError("judge: the server's address must look like http://localhost:8000/v1")
    if user is not None or parts.password is not None:
        raise UsageError(
            f"judge: take user and password out of the address of {host}; a key goes into the "
            "environment, as ETHOGRAM_JUDGE_KEY"
        )
