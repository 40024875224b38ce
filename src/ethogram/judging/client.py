"""The openai SDK against any OpenAI-compatible server, and what its errors mean.

A failure that concerns one question is an `ItemError`: the question stays without an answer and is
counted. A failure that will meet every question is a `JudgeError` and ends the asking. No error
carries the SDK's own as its cause, because requests, with their key, hang on those.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ethogram.errors import JudgeError
from ethogram.judging.budget import Usage
from ethogram.judging.keys import NO_KEY, key_from, place_of, without_key
from ethogram.registry import require
from ethogram.results.printable import printable_name

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

LONGEST_WAIT: Final = 120.0
"""Seconds; the longest that the SDK waits before it sends a question again."""
REFUSED: Final = "refused"
_SAID: Final = 300
"""Characters of a server's message that are repeated."""
_OUT_OF_MONEY: Final = ("insufficient_quota", "billing_hard_limit_reached")
_TEMPERATURE_HINT: Final = "; --judge-temperature server leaves the temperature to the server"


class ItemError(JudgeError):
    """One question could not be answered; others may be."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """What tables count it under."""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What a server wrote."""

    text: str
    usage: Usage | None
    model: str | None


class Server:
    """A model behind an address.

    Parameters
    ----------
    model : str
        The model's name, as the server knows it.
    url : str
        Base address, ``http://localhost:8000/v1``.
    keys : tuple of str
        Variables of the environment, of which the first that is set holds the key.
    temperature : float or None
        None leaves it to the server.
    timeout : float
        Seconds that the server may be silent.
    retries : int
        How often the SDK sends a question again.
    """

    def __init__(
        self,
        model: str,
        url: str,
        *,
        keys: tuple[str, ...],
        temperature: float | None,
        timeout: float,
        retries: int,
    ) -> None:
        self.model = model
        self.url = url
        self.place = place_of(url)
        self.plain = False
        """Whether the server refused a JSON schema; it is then asked without one."""
        self._keys = keys
        self._temperature = temperature
        self._timeout = timeout
        self._retries = retries

    @asynccontextmanager
    async def connection(self) -> AsyncIterator["Connection"]:
        """Open connections to the server; they are closed whatever happens.

        Raises
        ------
        MissingDependencyError
            If the SDK is not installed.
        JudgeError
            If the server wants a key and the environment gives none.
        """
        key = self.key()
        openai = require("openai", extra="judge")
        async with openai.AsyncOpenAI(
            api_key=key or NO_KEY,
            base_url=self.url,
            timeout=self._timeout,
            max_retries=self._retries,
        ) as client:
            yield Connection(self, client, key)

    def key(self) -> str | None:
        """The key for this server; None for one that wants none.

        Raises
        ------
        JudgeError
            If the server is known to want one.
        """
        key = key_from(self._keys)
        if key is None and self.place == "api.openai.com":
            raise JudgeError(
                f"no key for {self.place}: put it into the environment as {self._keys[0]}, or "
                "name another server with --judge-url (a local one needs no key)"
            )
        return key

    def request(self, text: str, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        """What is sent for a question."""
        sent: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": text}],
        }
        if self._temperature is not None:
            sent["temperature"] = self._temperature
        if not self.plain:
            wanted = {"name": name, "strict": True, "schema": schema}
            sent["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return sent

    @property
    def patience(self) -> float:
        """Seconds after which a question is given up even if bytes still trickle in."""
        return (self._timeout + LONGEST_WAIT) * (self._retries + 1)


class Connection:
    """An open client; `Server.connection` makes it."""

    def __init__(self, server: Server, client: "AsyncOpenAI", key: str | None) -> None:
        self._server = server
        self._client = client
        self._key = key

    async def complete(self, text: str, schema: Mapping[str, Any], name: str) -> Completion:
        """Ask once; without a schema where the server refuses schemas.

        Raises
        ------
        ItemError
            If this question got no answer.
        JudgeError
            If no question will get one.
        """
        refused = None
        if not self._server.plain:
            try:
                return await self._send(self._server.request(text, schema, name))
            except _RefusedError as err:
                refused = err
        bare = self._server.request(text, schema, name)
        bare.pop("response_format", None)
        try:
            completion = await self._send(bare)
        except _RefusedError as err:
            raise ItemError(REFUSED, str(err)) from None
        if refused is not None:
            self._server.plain = True
        return completion

    async def _send(self, request: dict[str, Any]) -> Completion:
        from openai import (  # noqa: PLC0415  an extra
            APIConnectionError,
            APIResponseValidationError,
            APIStatusError,
            APITimeoutError,
        )

        try:
            async with asyncio.timeout(self._server.patience):
                answer = await self._client.chat.completions.create(**request)
            return self._read(answer)
        except (APITimeoutError, TimeoutError):
            raise ItemError("no answer in time", self._says("did not answer in time")) from None
        except APIStatusError as err:
            raise self._meaning(err) from None
        except APIConnectionError as err:
            cause = type(err.__cause__).__name__ if err.__cause__ else "no connection"
            raise ItemError("no connection", self._says(f"can't be reached: {cause}")) from None
        except (APIResponseValidationError, ValueError, TypeError, AttributeError) as err:
            # An answer that is no JSON, or JSON of another kind than the interface promises.
            message = self._says(f"sent what is no answer ({type(err).__name__})")
            raise ItemError("no answer", message) from None

    def _read(self, answer: Any) -> Completion:
        """What a server sent; the SDK builds its values without looking at what is in them."""
        if isinstance(answer, str) or not answer.choices:
            raise ItemError("no answer", self._says("sent an answer without content"))
        usage = _usage(answer.usage)
        model = answer.model if isinstance(answer.model, str) else None
        return Completion(
            text=self._clean(answer.choices[0].message.content or ""),
            usage=usage,
            model=model and printable_name(self._clean(model)),
        )

    def _meaning(self, err: "APIStatusError") -> JudgeError:
        """What an error of HTTP says about this question, or about all of them."""
        said = self._said(err)
        if err.status_code == 401:
            known = "the key in the environment" if self._key else "a request without a key"
            return JudgeError(
                self._says(f"refuses {known} (401{said}); keys are read from ETHOGRAM_JUDGE_KEY")
            )
        if err.status_code == 404:
            return JudgeError(
                self._says(
                    f"knows no model {self._server.model!r}, or the address is not the one that "
                    f"ends in /v1 (404{said})"
                )
            )
        if err.status_code in {402, 403} or err.code in _OUT_OF_MONEY:
            return JudgeError(self._says(f"does not let us ask ({err.status_code}{said})"))
        if err.status_code in {400, 413, 422}:
            hint = _TEMPERATURE_HINT if "temperature" in said else ""
            return _RefusedError(self._says(f"refuses a question ({err.status_code}{said}){hint}"))
        if err.status_code == 429:
            hint = "; --judge-concurrency asks fewer at once"
            return ItemError("too many requests", self._says(f"is overrun (429{said}){hint}"))
        return ItemError("server error", self._says(f"fails ({err.status_code}{said})"))

    def _said(self, err: "APIStatusError") -> str:
        body = err.body
        said = body.get("message") if isinstance(body, Mapping) else None
        if not isinstance(said, str) or not said:
            return ""
        return f": {printable_name(self._clean(said))[:_SAID]}"

    def _says(self, what: str) -> str:
        return f"judge {self._server.model} at {self._server.place} {what}"

    def _clean(self, text: str) -> str:
        return without_key(text, self._key)


def _usage(told: Any) -> Usage | None:
    """Tokens, if the server counts them."""
    counts = [getattr(told, name, None) for name in ("prompt_tokens", "completion_tokens")]
    given, written = [count if isinstance(count, int) and count >= 0 else None for count in counts]
    if given is None or written is None:
        return None
    return Usage(input_tokens=given, output_tokens=written)


class _RefusedError(JudgeError):
    """The server takes no such request: perhaps not this question, perhaps no schema."""
