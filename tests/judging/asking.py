"""What tests of judges share: questions, answers that fit them, a judge of a server."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import msgspec
from judging.server import Reply, Scripted

from ethogram.judging import JudgeSettings, LlmJudge, open_judges
from ethogram.results.answers import ReplyScore
from ethogram.results.judges import Question
from ethogram.results.questions import replies_question

KEY: Final = "sk-test-0123456789abcdef0123456789abcdef"
MODEL: Final = "gpt-4o-mini"


def numbered(count: int) -> list[Question[ReplyScore]]:
    """Questions that all differ."""
    return [replies_question(f"Sure, case {n}.", f"Case {n}, certainly.") for n in range(count)]


def fitting(score: int = 4) -> str:
    """An answer to any of them."""
    return json.dumps({"reason": "alike", "score": score})


def by_content(request: dict[str, Any], _: int) -> Reply:
    """A judge whose score hangs on the question's words alone."""
    words = str(request["messages"][0]["content"]).encode()
    return Reply(fitting(hashlib.sha256(words).digest()[0] % 5 + 1))


def settings_for(server: Scripted, tmp_path: Path, **changes: Any) -> JudgeSettings:
    """Settings under which a test asks a server."""
    settings = JudgeSettings(
        model=MODEL, url=server.url, cache=tmp_path / "judge.sqlite", timeout=5.0, retries=2
    )
    return msgspec.structs.replace(settings, **changes)


def judge_of(server: Scripted, tmp_path: Path, **changes: Any) -> LlmJudge:
    """A judge that asks a server."""
    (judge,) = open_judges(settings_for(server, tmp_path, **changes))
    return judge


def scores(judge: LlmJudge, count: int) -> list[int | None]:
    """The judge's scores for the numbered questions."""
    return [None if each is None else each.value.score for each in judge.ask(numbered(count))]
