"""``ethogram variance --interpret`` with the real client, against a server on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Ethogram
from judging.asking import KEY, MODEL
from judging.injections import INJECTIONS
from judging.server import Reply, Scripted, error, serving
from measures.variance.failure_judge import cohort_of, failing

SUBMISSIONS: dict[str, list[str | None]] = {
    "t1": ["warn once", "warn twice"],
    "t2": ["mend it badly", "mend it worse", "ok"],
    "t3": ["", None],
}


@pytest.fixture(autouse=True)
def _keys_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ETHOGRAM_SECOND_JUDGE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ETHOGRAM_JUDGE_KEY", KEY)
    monkeypatch.setenv("ETHOGRAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def judged(request: dict[str, Any], _: int) -> Reply:
    """Warnings are misreadings; each submission has its own goal, all goals are the same."""
    prompt = request["messages"][0]["content"]
    name = request["response_format"]["json_schema"]["name"]
    if name == "goal":
        return Reply(json.dumps({"goal": "to warn" if "warn" in prompt else "to mend"}))
    if name == "same_goals":
        items = [{"item": place, "group": 1} for place in (1, 2)]
        return Reply(json.dumps({"items": items}))
    word = "interpretation" if "warn" in prompt else "execution"
    return Reply(json.dumps({"reason": "so it is", "goal": "x", "error": word}))


@pytest.fixture
def server() -> Iterator[Scripted]:
    with serving(judged) as running:
        yield running


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "c"
    cohort_of(failing(SUBMISSIONS)).save(folder)
    return folder


def asked(server: Scripted, runs: Path, *more: str) -> list[str]:
    judge = ["--judge-model", MODEL, "--judge-url", server.url]
    return ["variance", str(runs), "--interpret", *judge, *more]


def values(out: str) -> dict[str, float | None]:
    rows = json.loads(out)["tables"]["interpretation"]["rows"]
    return {row["name"]: row["value"] for row in rows}


def test_failures_are_judged_once_and_the_same_command_asks_nothing_more(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    code, out, err = ethogram(*asked(server, runs, "--json"))
    again = ethogram(*asked(server, runs, "--json"))

    assert (code, again[0]) == (0, 0)
    assert again[1] == out
    assert values(out) == {
        "interpretation_errors": 0.5,
        "execution_errors": 0.5,
        "unclear_failures": 0.0,
        "consistent_wrong_interpretation": 0.5,
        "consistent_wrong_tasks": 1.0,
        "equal_submissions_tasks": 0.0,
    }
    # two a failed run in both orders, one a goal; two equal goals are the same in both orders
    assert len(server.requests) == 4 * 2 + 4 + 2
    assert "answered now 14, from the cache 0, without an answer 0" in err
    assert "answered now 0, from the cache 14" in again[2]
    assert KEY not in out + err


def test_people_read_shares_agreement_and_what_was_left_out(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    _, out, _ = ethogram(*asked(server, runs))

    assert "Why runs fail, by a judge" in out
    assert "Does the judge agree with itself?" in out
    assert "no submission recorded 1, empty submission 1, of 6." in " ".join(out.split())
    assert f"ours: by the judge {MODEL} 50.0 % of 4 failed runs misread" in " ".join(out.split())


def test_a_dry_run_counts_what_the_real_one_asks(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    code, out, err = ethogram(*asked(server, runs, "--dry-run"))

    assert (code, err, server.requests) == (0, "", [])
    # goals are not known yet: the two of a task are taken for different ones
    assert "calls to make 16" in out
    assert "input tokens" in out
    assert "$" in out
    assert "Why runs fail" not in out


def test_a_dry_run_counts_the_second_judge_s_readings_and_every_sample(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    """Readings and groupings twice, goals once; the second judge reads alone."""
    more = ["--dry-run", "--judge-samples", "2", "--second-judge", "other"]
    _, out, _ = ethogram(*asked(server, runs, *more))

    assert f"Judge {MODEL} at 127.0.0.1" in out
    assert "calls to make 28" in out
    assert "Judge other at 127.0.0.1" in out
    assert "calls to make 16" in out


def test_offline_what_is_missing_is_counted(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    code, out, err = ethogram(*asked(server, runs, "--judge-offline", "--json"))

    assert (code, server.requests) == (0, [])
    assert "not in the cache 12" in err
    assert values(out)["interpretation_errors"] is None
    notes = " ".join(json.loads(out)["notes"])
    assert "why a run failed 4 of 4, the same in the opposite order 4 of 4, the goal" in notes


def test_a_budget_ends_the_asking_and_the_figures_say_what_is_missing(
    server: Scripted, runs: Path, ethogram: Ethogram
) -> None:
    code, out, err = ethogram(
        *asked(server, runs, "--judge-budget", "8", "--judge-concurrency", "1", "--json")
    )

    assert code == 2
    assert len(server.requests) == 8
    assert values(out)["interpretation_errors"] == 0.5
    assert values(out)["consistent_wrong_tasks"] is None
    assert "The budget of 8 calls is reached" in err


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "refuses the key in the environment"),
        (error(404, "no such model"), f"knows no model '{MODEL}'"),
    ],
)
def test_a_wrong_key_and_an_unknown_model_are_told_in_a_sentence(
    reply: Reply, sentence: str, runs: Path, ethogram: Ethogram
) -> None:
    with serving(lambda *_: reply) as server:
        code, out, err = ethogram(*asked(server, runs))

    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]
    assert KEY not in err


def test_without_a_key_nobody_is_asked(
    runs: Path, ethogram: Ethogram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ETHOGRAM_JUDGE_KEY")
    code, out, err = ethogram("variance", runs, "--interpret", "--judge-model", MODEL)

    assert (code, out) == (2, "")
    assert err.startswith("ethogram: no key for api.openai.com")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--interpret"], "--interpret: name the judge with --judge-model"),
        (["--judge-model", MODEL], "--judge-model: a judge is asked nothing here without"),
        (
            ["--interpret", "--judge-model", MODEL, "--judge-temperatures", "0.5"],
            "--judge-temperatures: --interpret asks at one",
        ),
        (["--dry-run"], "--dry-run: name the judge with --judge-model"),
    ],
)
def test_options_that_make_no_sense_are_told_in_a_sentence(
    options: list[str], sentence: str, runs: Path, ethogram: Ethogram
) -> None:
    code, out, err = ethogram("variance", runs, *options)

    assert (code, out) == (2, "")
    assert sentence in err


STORABLE = {name: text for name, text in INJECTIONS.items() if text.strip()}
STORABLE.pop("half a pair")  # no file in UTF-8 holds it


def test_what_a_submission_orders_changes_nothing_that_is_parsed(
    server: Scripted, tmp_path: Path, ethogram: Ethogram
) -> None:
    """Each injection stands in a submission, in a task and in a reference."""
    texts = [f"warn {text}" for text in STORABLE.values()]
    made = [
        each
        for place, text in enumerate(texts)
        for each in failing({f"t{place}": [text]}, prompt=text, reference=text)
    ]
    cohort_of(made).save(tmp_path / "c")
    code, out, _ = ethogram(*asked(server, tmp_path / "c", "--json"))
    rows = json.loads(out)["tables"]["interpretations"]["rows"]

    assert code == 0
    assert {row["verdict"] for row in rows} == {"interpretation"}
    assert {row["goal"] for row in rows} == {"to warn"}
    assert len(rows) == len(texts)
