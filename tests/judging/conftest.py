from pathlib import Path

import pytest
from judging.asking import KEY


@pytest.fixture(autouse=True)
def _no_home_and_no_keys_but_the_test_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ETHOGRAM_SECOND_JUDGE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ETHOGRAM_JUDGE_KEY", KEY)
    monkeypatch.setenv("ETHOGRAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
