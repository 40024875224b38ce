"""An OpenAI-compatible server on loopback that answers as a script tells it."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

HANG_SECONDS: Final = 20.0
"""The longest that a request is left without an answer."""


@dataclass(frozen=True)
class Reply:
    """What the server does with one request."""

    content: str | None = None
    """The model's words, in a completion like those of the real thing."""
    status: int = 200
    body: bytes | None = None
    """Sent as it is, in the place of a completion."""
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    cut: bool = False
    """Close the connection in the middle of the answer."""


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI words it."""
    body = {"error": {"message": message, "type": "test", "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps(body).encode(), headers=named)


Script = Callable[[dict[str, Any], int], Reply]
"""From a request and its number, from 0, to what is done with it."""


class _QuietServer(ThreadingHTTPServer):
    """Threads of a server outlive their test: what they print would stand in another one's."""

    def handle_error(self, *_: Any) -> None:
        """Say nothing of a connection that broke."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*_)


class Scripted:
    """A running server with what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.most_at_once = 0
        self._now = 0
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.http = _QuietServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The words of each request."""
        return [str(request["messages"][0]["content"]) for request in self.requests]

    def enter(self, request: dict[str, Any], key: str) -> Reply:
        with self.lock:
            number = len(self.requests)
            self.requests.append(request)
            self.keys.append(key)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        return self.script(request, number)

    def leave(self) -> None:
        with self.lock:
            self._now -= 1


def _handler(scripted: Scripted) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = json.loads(self.rfile.read(length))
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            try:
                self._give(scripted.enter(request, key), request)
            finally:
                scripted.leave()

        def _give(self, reply: Reply, request: dict[str, Any]) -> None:
            if reply.hang:
                scripted.stopped.wait(HANG_SECONDS)
                self.close_connection = True
                return
            body = reply.body if reply.body is not None else completion(reply.content, request)
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            try:
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if reply.cut else body)
            except ConnectionError:  # whoever asked has gone: that is what some tests are about
                self.close_connection = True
                return
            self.close_connection = reply.cut

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def completion(content: str | None, request: dict[str, Any]) -> bytes:
    """A chat completion; a token is a word here."""
    words = len(str(request["messages"][0]["content"]).split())
    return json.dumps(
        {
            "id": "c-1",
            "object": "chat.completion",
            "created": 0,
            "model": f"{request['model']}-2026-01-31",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": content},
                }
            ],
            "usage": {
                "prompt_tokens": words,
                "completion_tokens": 7,
                "total_tokens": words + 7,
            },
        }
    ).encode()


@contextmanager
def serving(script: Script) -> Iterator[Scripted]:
    """Run a server while the test asks it."""
    scripted = Scripted(script)
    thread = threading.Thread(target=scripted.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield scripted
    finally:
        scripted.stopped.set()
        scripted.http.shutdown()
        thread.join(HANG_SECONDS)
        scripted.http.server_close()
