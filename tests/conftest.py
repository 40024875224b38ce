"""Fixtures of all tests: the real data outside the repository, and nothing from the network."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

ROOT = Path(__file__).parent.parent
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real trajectories and published figures; the test is skipped where it is absent."""
    folder = Path(os.environ.get("ETHOGRAM_SHARED", ROOT.parent / "shared")).resolve()
    if folder.is_dir():
        return folder
    message = f"no real data at {folder}; ETHOGRAM_SHARED names the folder"
    if os.environ.get("ETHOGRAM_REQUIRE_SHARED"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6} and address[0] not in LOOPBACK:
            pytest.fail(f"a test tried to reach {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
