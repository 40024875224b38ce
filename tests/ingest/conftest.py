import pytest

from ethogram.formats import Format
from ethogram.ingest import read
from ethogram.registry import Registry


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only toy formats are known."""
    names = ("toy", "rival", "declared", "stumbling")
    registry: Registry[Format] = Registry(
        "format", {name: f"toy_formats:{name.upper()}" for name in names}, group="ethogram.none"
    )
    monkeypatch.setattr(read, "FORMATS", registry)
