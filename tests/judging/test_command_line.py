"""``ethogram judge`` as people type it: exit codes, sentences, and no key anywhere."""

import json
import traceback
from pathlib import Path

import pytest
from command_line import Answer, Ethogram
from judging.asking import KEY, MODEL, by_content, judge_of, numbered, scores, settings_for
from judging.server import Reply, Scripted, error, serving

from ethogram.cli import main
from ethogram.cli.judge_options import judge_options, sitting
from ethogram.errors import JudgeError, UsageError
from ethogram.judging import Budget, JudgeSettings, open_judges
from ethogram.judging.settings import default_cache

DERIVED = json.dumps({"reason": "only the result tells the number", "derived": True})


@pytest.fixture
def ethogram(capsys: pytest.CaptureFixture[str]) -> Ethogram:
    def call(*arguments: str | Path) -> Answer:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


def check(server: Scripted, *more: str) -> list[str]:
    return ["judge", "check", "--judge-model", MODEL, "--judge-url", server.url, *more]


def test_check_asks_one_question_and_says_what_it_took(ethogram: Ethogram) -> None:
    with serving(lambda *_: Reply(DERIVED)) as server:
        first = ethogram(*check(server))
        second = ethogram(*check(server))
    code, out, err = first

    assert (code, out) == (
        0,
        f"{MODEL} answers in the form that was asked for, and rightly.\n",
    )
    assert "calls to make 1" in err
    assert "answered now 1" in err
    assert second == first
    assert len(server.requests) == 2
    assert not default_cache().exists()


def test_check_says_that_a_judge_is_wrong_or_gives_no_answer(ethogram: Ethogram) -> None:
    with serving(lambda *_: Reply(DERIVED.replace("true", "false"))) as server:
        assert "wrongly" in ethogram(*check(server))[1]
    with serving(lambda *_: Reply("What?")) as server:
        _, out, err = ethogram(*check(server))

    assert out == f"{MODEL} gave no answer that fits.\n"
    assert "no fitting answer 1" in err


def test_a_dry_run_prints_calls_tokens_and_cost_and_asks_nobody(ethogram: Ethogram) -> None:
    with serving(by_content) as server:
        code, out, err = ethogram(*check(server, "--dry-run", "--second-judge", "my-own"))

    assert (code, err, server.requests) == (0, "", [])
    known, estimated, unknown = out.splitlines()
    assert "calls to make 1" in known
    assert "by prices of 20" in known
    assert estimated.startswith("Tokens are estimated")
    assert "at a price that is not known" in unknown


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "refuses the key in the environment"),
        (error(404, "no such model"), f"knows no model '{MODEL}'"),
    ],
)
def test_a_wrong_key_and_an_unknown_model_are_told_in_a_sentence(
    reply: Reply, sentence: str, ethogram: Ethogram
) -> None:
    with serving(lambda *_: reply) as server:
        code, out, err = ethogram(*check(server))

    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]
    assert KEY not in err


def test_without_a_key_openai_is_not_asked(
    ethogram: Ethogram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ETHOGRAM_JUDGE_KEY")
    code, out, err = ethogram("judge", "check", "--judge-model", MODEL)

    assert (code, out) == (2, "")
    assert err.startswith("ethogram: no key for api.openai.com")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "name the judge with --judge-model"),
        (["--judge-url", "http://localhost:1/v1"], "--judge-url: name the judge with"),
        (["--judge-model", "m", "--judge-budget", "lots"], "calls such as 500 or dollars"),
        (["--judge-model", "m", "--judge-budget", "$1"], "the price of 'm' is not known"),
        (["--judge-model", "m", "--judge-temperature", "hot"], "a number from 0 to 2 or 'server'"),
        (["--judge-model", "m", "--judge-temperature", "3"], "must be from 0 to 2, got 3"),
        (["--judge-model", "m", "--judge-url", "localhost"], "must look like http://"),
        (["--judge-model", "m", "--second-judge", "m"], "must be another model than m"),
    ],
)
def test_options_that_make_no_sense_are_told_in_a_sentence(
    options: list[str], sentence: str, ethogram: Ethogram
) -> None:
    code, out, err = ethogram("judge", "check", *options)

    assert (code, out) == (2, "")
    assert sentence in err


def test_a_password_in_the_address_is_refused_and_not_repeated(ethogram: Ethogram) -> None:
    code, _, err = ethogram(
        "judge", "check", "--judge-model", "m", "--judge-url", "https://me:hunter2@host/v1"
    )

    assert code == 2
    assert "user and password" in err
    assert "hunter2" not in err


def test_answers_travel_as_json_lines(tmp_path: Path, ethogram: Ethogram) -> None:
    with serving(by_content) as server:
        found = scores(judge_of(server, tmp_path), 5)
        here, there = tmp_path / "judge.sqlite", tmp_path / "there.sqlite"
        exported = ethogram("judge", "export", tmp_path / "a.jsonl", "--judge-cache", here)
        imported = ethogram("judge", "import", tmp_path / "a.jsonl", "--judge-cache", there)
        printed = ethogram("judge", "export", "-", "--judge-cache", there)
        offline = judge_of(server, tmp_path, cache=there, offline=True)

        assert scores(offline, 5) == found
    assert exported == (0, "", f"5 answers in {tmp_path / 'a.jsonl'}\n")
    assert imported[0] == 0
    assert "5 answers added, 0 were there" in imported[2]
    assert printed == (0, (tmp_path / "a.jsonl").read_text("utf-8"), "")


def test_bad_lines_are_named_and_lose_nothing_else(tmp_path: Path, ethogram: Ethogram) -> None:
    with serving(by_content) as server:
        scores(judge_of(server, tmp_path), 3)
    file, there = tmp_path / "a.jsonl", tmp_path / "there.sqlite"
    ethogram("judge", "export", file, "--judge-cache", tmp_path / "judge.sqlite")
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([lines[0], "{", *lines[1:], '{"schema": 1}', ""]), "utf-8")
    code, out, err = ethogram("judge", "import", file, "--judge-cache", there)

    assert (code, out) == (2, "")
    assert "3 answers added" in err
    assert "2 lines are no answers" in err
    assert f"{file}, line 2: no answer of a judge" in err
    assert f"{file}, line 5: no answer of a judge" in err


def test_show_counts_answers_and_prints_prompts(tmp_path: Path, ethogram: Ethogram) -> None:
    with serving(by_content) as server:
        scores(judge_of(server, tmp_path), 3)
    cache = tmp_path / "judge.sqlite"
    code, out, err = ethogram("judge", "show", "--judge-cache", cache, "--json")
    (row,) = json.loads(out)["tables"]["answers"]["rows"]

    assert (code, err) == (0, "")
    assert (row["model"], row["prompt"], row["n_answers"]) == (MODEL, "replies", 3)
    assert (row["n_samples"], row["temperature"], row["output_tokens"]) == (1, 0.0, 21)
    assert row["cost_usd"] == pytest.approx(
        (row["input_tokens"] * 0.15 + 21 * 0.60) / 1e6, rel=1e-12
    )
    assert "replies, version 1" in ethogram("judge", "show", "replies")[1]
    assert ethogram("judge", "show", "riddle")[0] == 2


def test_show_of_a_cache_that_is_none(tmp_path: Path, ethogram: Ethogram) -> None:
    (tmp_path / "notes").write_text("no database at all, but long enough to look at", "utf-8")
    code, _, err = ethogram("judge", "show", "--judge-cache", tmp_path / "notes")

    assert code == 2
    assert "can't be used as a cache of answers" in err
    assert "0 answers" in ethogram("judge", "show", "--judge-cache", tmp_path / "none")[1]
    assert not (tmp_path / "none").exists()


def test_a_budget_that_is_reached_ends_with_its_sentence_and_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(by_content) as server:
        with sitting(settings_for(server, tmp_path, budget=Budget(calls=2))) as bench:
            found = bench.first.ask(numbered(5))
        code = bench.tell()
    err = capsys.readouterr().err

    assert code == 2
    assert sum(answer is not None for answer in found) == 2
    assert "The budget of 2 calls is reached" in err
    assert "Without an answer: budget reached 3." in err
    assert bench.second is None


def test_what_was_answered_before_an_error_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(request: dict[str, object], number: int) -> Reply:
        return by_content(request, number) if number < 3 else error(402, "no money left")

    with serving(script) as server:
        settings = settings_for(server, tmp_path, concurrency=1)
        with pytest.raises(JudgeError, match="no money left"), sitting(settings) as bench:
            bench.first.ask(numbered(6))

    assert f"Judge {MODEL}: answers that are kept: 3." in capsys.readouterr().err


def test_the_options_fill_the_settings(tmp_path: Path) -> None:
    filled = judge_options(
        judge_model="a",
        judge_url="http://localhost:1/v1",
        judge_samples=3,
        judge_temperature="server",
        judge_budget="$2",
        judge_offline=True,
        judge_cache=tmp_path / "c",
        second_judge="b",
        dry_run=True,
    )

    assert filled == JudgeSettings(
        model="a",
        url="http://localhost:1/v1",
        second="b",
        samples=3,
        temperature=None,
        budget=Budget(dollars=2.0),
        offline=True,
        dry_run=True,
        cache=tmp_path / "c",
    )
    assert judge_options() is None


def test_no_key_appears_in_anything_that_is_written_or_raised(
    tmp_path: Path,
    ethogram: Ethogram,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    echo = json.dumps({"reason": f"your key is {KEY}", "score": 3})

    def script(request: dict[str, object], number: int) -> Reply:
        return Reply(echo) if number < 3 else error(401, f"Incorrect API key provided: {KEY}.")

    with serving(script) as server:
        (judge,) = open_judges(settings_for(server, tmp_path, concurrency=1))
        with pytest.raises(JudgeError) as raised:
            judge.ask(numbered(6))
    cache = tmp_path / "judge.sqlite"
    _, exported, told = ethogram("judge", "export", "-", "--judge-cache", cache)
    _, shown, _ = ethogram("judge", "show", "--judge-cache", cache, "--json")
    said = capsys.readouterr()
    trace = "".join(traceback.format_exception(raised.value))
    texts = [exported, told, shown, said.out, said.err, trace, repr(raised.value), caplog.text]
    texts += [repr(judge.settings), repr(judge.tally), repr(vars(judge.server))]

    assert server.keys[0] == KEY
    assert exported.count("[key]") == 3
    assert raised.value.__cause__ is None
    assert [text for text in texts if KEY in text] == []
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert cache in files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_usage_errors_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="--dry-run: name the judge"):
        judge_options(dry_run=True)
