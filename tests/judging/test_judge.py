"""The real client over HTTP against a server that does what servers do."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from judging.asking import (
    KEY,
    MODEL,
    by_content,
    fitting,
    judge_of,
    numbered,
    scores,
    settings_for,
)
from judging.server import HANG_SECONDS, Reply, completion, error, serving

from ethogram.errors import JudgeError, MissingDependencyError
from ethogram.judging import open_judges
from ethogram.judging.prompt import render
from ethogram.results.judges import ask_samples


def test_every_question_is_answered_in_its_place(tmp_path: Path) -> None:
    with serving(by_content) as server:
        judge = judge_of(server, tmp_path)
        first = scores(judge, 20)
        again = scores(judge_of(server, tmp_path, concurrency=1), 20)

    assert None not in first
    assert len(set(first)) > 1
    assert again == first
    assert len(server.requests) == 20
    assert judge.tally.answered == 20
    assert set(server.keys) == {KEY}


def test_the_request_holds_model_schema_temperature_and_the_prompt(tmp_path: Path) -> None:
    with serving(by_content) as server:
        scores(judge_of(server, tmp_path), 1)
        scores(judge_of(server, tmp_path, temperature=None), 1)
    with_temperature, without = server.requests
    rendered = render(numbered(1)[0])

    assert with_temperature == {
        "model": MODEL,
        "messages": [{"role": "user", "content": rendered.text}],
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "replies", "strict": True, "schema": rendered.schema},
        },
    }
    assert "temperature" not in without


def test_no_more_questions_are_out_than_wanted(tmp_path: Path) -> None:
    together = threading.Barrier(3)

    def script(request: dict[str, Any], number: int) -> Reply:
        together.wait(HANG_SECONDS)  # passes only when three are there
        return by_content(request, number)

    with serving(script) as server:
        scores(judge_of(server, tmp_path, concurrency=3), 30)

    assert server.most_at_once == 3


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    with serving(by_content) as server:
        judge = judge_of(server, tmp_path)
        question = numbered(1)[0]
        answers = judge.ask([question, question, question])

    assert len(server.requests) == 1
    assert answers[0] == answers[1] == answers[2] != None  # noqa: E711


def test_samples_are_asked_one_by_one(tmp_path: Path) -> None:
    with serving(lambda _, number: Reply(fitting(number + 1))) as server:
        judge = judge_of(server, tmp_path, samples=3, concurrency=1)
        answers = ask_samples(judge, numbered(1))

    assert [[each and each.score for each in some] for some in answers] == [[1, 2, 3]]


def test_too_many_requests_and_server_errors_are_sent_again(tmp_path: Path) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        if number == 0:
            return error(429, "slow down", retry_after="0.05")
        if number == 1:
            return error(500, "oops", retry_after="0.05")
        return by_content(request, number)

    with serving(script) as server:
        judge = judge_of(server, tmp_path)

        assert None not in scores(judge, 1)
    assert len(server.requests) == 3
    assert judge.tally.missing.total() == 0


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        pytest.param(error(429, "slow down", retry_after="0.01"), "too many requests", id="429"),
        pytest.param(error(500, "oops", retry_after="0.01"), "server error", id="500"),
        pytest.param(error(400, "too long"), "refused", id="400"),
        pytest.param(Reply(hang=True), "no answer in time", id="hangs"),
        pytest.param(Reply(fitting(), cut=True), "no connection", id="cut connection"),
        pytest.param(Reply(body=b'{"choices": [{"mess'), "no answer", id="malformed JSON"),
        pytest.param(Reply(body=b"<html>"), "no answer", id="no JSON"),
        pytest.param(Reply(body=b'{"choices": []}'), "no answer", id="no choices"),
        pytest.param(Reply(body=b'{"choices": 5}'), "no answer", id="odd choices"),
        pytest.param(Reply("not a score"), "no fitting answer", id="words"),
        pytest.param(Reply(None), "no fitting answer", id="no words"),
        pytest.param(Reply('{"reason": "x", "score": 6}'), "no fitting answer", id="out of range"),
        pytest.param(Reply('{"score": 4}'), "no fitting answer", id="a field missing"),
    ],
)
def test_what_goes_wrong_with_one_question_leaves_the_others_alone(
    bad: Reply, reason: str, tmp_path: Path
) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        odd = "case 3." in request["messages"][0]["content"]
        return bad if odd else by_content(request, number)

    with serving(script) as server:
        judge = judge_of(server, tmp_path, timeout=0.5, retries=1)
        found = scores(judge, 8)

    assert [place for place, score in enumerate(found) if score is None] == [3]
    assert dict(judge.tally.missing) == {reason: 1}
    assert judge.tally.answered == 7


def test_an_answer_that_does_not_fit_is_asked_for_again_once(tmp_path: Path) -> None:
    with serving(lambda _, n: Reply("Hm, four." if n == 0 else fitting(4))) as server:
        judge = judge_of(server, tmp_path)

        assert scores(judge, 1) == [4]
    assert judge.tally.again == 1
    first, second = server.prompts
    assert second.startswith(first)
    assert "did not fit" in second.removeprefix(first)


def test_an_answer_that_never_fits_is_asked_for_twice_in_all(tmp_path: Path) -> None:
    with serving(lambda *_: Reply("Hm.")) as server:
        judge = judge_of(server, tmp_path)

        assert scores(judge, 1) == [None]
    assert len(server.requests) == 2


def test_a_server_that_refuses_schemas_is_asked_without(tmp_path: Path) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        if "response_format" in request:
            return error(400, "response_format is not supported")
        return by_content(request, number)

    with serving(script) as server:
        judge = judge_of(server, tmp_path, concurrency=1)

        assert None not in scores(judge, 5)
    assert sum("response_format" in request for request in server.requests) == 1
    assert "The server refuses JSON schemas; it was asked without." in judge.tally.sentences()
    assert judge.tally.missing.total() == 0


def test_a_server_that_ignores_the_schema_is_understood(tmp_path: Path) -> None:
    wordy = f"<think>Is it {{'score': 1}}?</think>\nHere you are:\n```json\n{fitting(2)}\n```"
    with serving(lambda *_: Reply(wordy)) as server:
        assert scores(judge_of(server, tmp_path), 2) == [2, 2]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (error(401, "Incorrect API key provided"), r"refuses the key in the environment \(401"),
        (error(404, "The model does not exist"), r"knows no model 'gpt-4o-mini'.*404"),
        (error(402, "Insufficient balance"), r"does not let us ask \(402: Insufficient balance\)"),
        (error(403, "Country not supported"), r"does not let us ask \(403"),
        (error(429, "Quota", code="insufficient_quota", retry_after="0.01"), "does not let us ask"),
    ],
)
def test_what_would_meet_every_question_ends_the_asking_with_a_sentence(
    reply: Reply, sentence: str, tmp_path: Path
) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        return by_content(request, number) if number < 3 else reply

    with serving(script) as server:
        with pytest.raises(JudgeError, match=sentence):
            scores(judge_of(server, tmp_path, concurrency=1), 50)
        asked = len(server.requests)
        kept = judge_of(server, tmp_path, offline=True)
        found = scores(kept, 50)

    assert asked <= 3 + 3
    assert sum(score is not None for score in found) == 3


def test_a_server_that_is_down_is_not_asked_to_the_end(tmp_path: Path) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        return by_content(request, number) if number < 10 else error(503, "overloaded")

    with serving(script) as server:
        judge = judge_of(server, tmp_path, retries=0)
        with pytest.raises(JudgeError, match=r"503: overloaded.*The last 8 questions failed"):
            scores(judge, 500)

        assert len(server.requests) < 40
    assert judge.tally.answered == 10


def test_nobody_at_the_address(tmp_path: Path) -> None:
    with serving(by_content) as server:
        gone = settings_for(server, tmp_path, retries=0)
    (judge,) = open_judges(gone)
    with pytest.raises(JudgeError, match=r"at 127.0.0.1:\d+ can't be reached"):
        judge.ask(numbered(20))


def test_openai_without_a_key_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ETHOGRAM_JUDGE_KEY")
    with serving(by_content) as server:
        (judge,) = open_judges(settings_for(server, tmp_path, url=None))
        with pytest.raises(JudgeError, match=r"no key for api.openai.com: .*ETHOGRAM_JUDGE_KEY"):
            judge.ask(numbered(1))


def test_a_local_server_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ETHOGRAM_JUDGE_KEY")
    with serving(by_content) as server:
        assert None not in scores(judge_of(server, tmp_path), 1)
    assert server.keys == ["none"]


def test_a_key_that_can_not_stand_in_a_header_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ETHOGRAM_JUDGE_KEY", "sk-with a\nbreak")
    with serving(by_content) as server, pytest.raises(JudgeError, match="characters") as raised:
        scores(judge_of(server, tmp_path), 1)

    assert "sk-with" not in str(raised.value)


def test_a_second_judge_on_its_own_server_does_not_get_the_first_one_s_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-0123456789")
    with serving(by_content) as server, serving(lambda *_: Reply(fitting(5))) as other:
        settings = settings_for(server, tmp_path, second=f"llama@{other.url}")
        first, second = open_judges(settings)

        assert None not in scores(first, 3)
        assert scores(second, 3) == [5, 5, 5]
    assert set(other.keys) == {"none"}
    assert {request["model"] for request in other.requests} == {"llama"}
    assert first.tally.answered == second.tally.answered == 3


def test_failures_among_answers_end_nothing(tmp_path: Path) -> None:
    def script(request: dict[str, Any], number: int) -> Reply:
        return error(500, "oops") if number % 2 else by_content(request, number)

    with serving(script) as server:
        judge = judge_of(server, tmp_path, retries=0, concurrency=1)
        found = scores(judge, 60)

    assert [score is None for score in found] == [False, True] * 30


def test_offline_answers_from_the_cache_and_counts_the_rest(tmp_path: Path) -> None:
    with serving(by_content) as server:
        online = scores(judge_of(server, tmp_path), 4)
        asked = len(server.requests)
        judge = judge_of(server, tmp_path, offline=True)
        offline = scores(judge, 6)

        assert len(server.requests) == asked
    assert offline == [*online, None, None]
    assert judge.tally.missing == {"not in the cache": 2}


def test_offline_makes_no_file(tmp_path: Path) -> None:
    with serving(by_content) as server:
        assert scores(judge_of(server, tmp_path, offline=True), 1) == [None]
    assert not (tmp_path / "judge.sqlite").exists()


def test_other_temperatures_models_and_samples_are_other_answers(tmp_path: Path) -> None:
    with serving(by_content) as server:
        for change in ({}, {"temperature": 1.0}, {"temperature": None}, {"model": "o3"}):
            scores(judge_of(server, tmp_path, **change), 1)
        scores(judge_of(server, tmp_path, temperature=0), 1)

    assert len(server.requests) == 4


def test_a_judge_can_be_asked_from_a_notebook_s_loop(tmp_path: Path) -> None:
    with serving(by_content) as server:

        async def cell() -> list[int | None]:
            return scores(judge_of(server, tmp_path), 3)

        assert None not in asyncio.run(cell())


def test_errors_pass_from_a_notebook_s_loop(tmp_path: Path) -> None:
    with serving(lambda *_: error(401, "no")) as server:

        async def cell() -> list[int | None]:
            return scores(judge_of(server, tmp_path), 3)

        with pytest.raises(JudgeError, match="401"):
            asyncio.run(cell())


def test_a_server_that_cuts_prompts_in_silence_is_told(tmp_path: Path) -> None:
    def cuts(request: dict[str, Any], number: int) -> Reply:
        body = json.loads(completion(fitting(), request))
        body["usage"] = {"prompt_tokens": 64, "completion_tokens": 7, "total_tokens": 71}
        return Reply(body=json.dumps(body).encode())

    with serving(cuts) as server, serving(by_content) as honest:
        judge = judge_of(server, tmp_path)
        scores(judge, 2)
        whole = judge_of(honest, tmp_path, cache=tmp_path / "whole.sqlite")
        scores(whole, 2)

    assert (judge.tally.cut, whole.tally.cut) == (2, 0)
    assert "seems to have cut" in " ".join(judge.tally.sentences())
    assert "seems to have cut" not in " ".join(whole.tally.sentences())


def test_without_the_sdk_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with (
        serving(by_content) as server,
        pytest.raises(MissingDependencyError, match=r"pip install 'ethogram\[judge\]'"),
    ):
        scores(judge_of(server, tmp_path), 1)


def test_the_sdk_is_loaded_only_to_ask() -> None:
    code = "import ethogram.judging, ethogram.cli.judge, sys; sys.exit('openai' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_server_that_is_overrun_is_told_with_what_helps(tmp_path: Path) -> None:
    with (
        serving(lambda *_: error(429, "slow down", retry_after="0.01")) as server,
        pytest.raises(JudgeError, match=r"429: slow down\); --judge-concurrency"),
    ):
        scores(judge_of(server, tmp_path, retries=1), 20)
