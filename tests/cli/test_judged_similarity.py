"""``ethogram similarity --rps`` against a scripted server on loopback, and without a judge."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import Ethogram
from judging.asking import KEY, MODEL
from judging.server import Reply, Scripted, error, serving

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.simulate import draw_system, simulate_tools


@pytest.fixture(autouse=True)
def _no_home_and_no_key_but_the_test_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ETHOGRAM_SECOND_JUDGE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ETHOGRAM_JUDGE_KEY", KEY)
    monkeypatch.setenv("ETHOGRAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "shop"
    systems = [draw_system(name, seed=1) for name in ("amber", "basalt", "cobalt")]
    made = simulate_tools(systems, n_tasks=2, seed=1)
    from_trajectories(made, labeler=default_labeler()).save(folder)
    return folder


def judge(request: dict[str, Any], _: int) -> Reply:
    """Stages in turn; scores and derivations that hang on the question's words alone."""
    schema = request["response_format"]["json_schema"]["schema"]
    words = str(request["messages"][0]["content"])
    number = hashlib.sha256(words.encode()).digest()[0]
    if "items" in schema["properties"]:
        stages = schema["properties"]["items"]["items"]["properties"]["stage"]["enum"]
        items = re.findall(r"^\[data \w+: item (\d+)\]$", words, re.MULTILINE)
        found = [{"item": int(item), "stage": stages[int(item) % 2]} for item in items]
        return Reply(json.dumps({"items": found}))
    answer: dict[str, Any] = {"reason": "as it seems"}
    for name, property_ in schema["properties"].items():
        if name != "reason":
            is_score = property_["type"] == "integer"
            answer[name] = number % 5 + 1 if is_score else bool(number % 2)
    return Reply(json.dumps(answer))


def asking(server: Scripted, shop: Path, *more: str) -> list[str | Path]:
    named = ["--judge-model", MODEL, "--judge-url", server.url]
    return ["similarity", shop, "--no-ged", *named, *more]


def test_without_a_judge_there_is_style_and_what_a_judge_would_add(
    ethogram: Ethogram, shop: Path
) -> None:
    code, out, err = ethogram("similarity", shop, "--no-ged", "--rps", "--json")
    found = json.loads(out)

    assert (code, err) == (0, "")
    assert "style" in found["tables"]
    assert not any(name.startswith("rps") for name in found["tables"])
    assert any("RPS needs a judge (--judge-model)" in note for note in found["notes"])


def test_a_judge_is_asked_once_and_its_answers_are_kept(ethogram: Ethogram, shop: Path) -> None:
    with serving(judge) as server:
        code, out, _ = ethogram(*asking(server, shop, "--rps", "--json"))
        asked = len(server.requests)
        again = ethogram(*asking(server, shop, "--rps", "--json"))
        offline = ethogram(*asking(server, shop, "--rps", "--json", "--judge-offline"))
        n_requests = len(server.requests)
    found = json.loads(out)

    assert code == 0
    assert {"rps", "rps_stages", "rps_coverage", "reliability"} <= set(found["tables"])
    assert asked > 10
    assert n_requests == asked
    assert json.loads(again[1]) == json.loads(offline[1]) == found
    assert KEY not in out
    assert found["provenance"]["parameters"]["words"] == MODEL


def test_scores_at_several_temperatures_stand_beside_each_other(
    ethogram: Ethogram, shop: Path
) -> None:
    with serving(judge) as server:
        more = ("--rps", "--json", "--judge-temperatures", "0.7,1")
        code, out, _ = ethogram(*asking(server, shop, *more))
        temperatures = {request["temperature"] for request in server.requests}
    found = json.loads(out)["tables"]

    assert code == 0
    assert temperatures == {0.0, 0.7, 1.0}
    assert found["temperatures"]["rows"]


def test_a_dry_run_asks_nobody_and_prints_no_figure(ethogram: Ethogram, shop: Path) -> None:
    with serving(judge) as server:
        code, out, _ = ethogram(*asking(server, shop, "--rps", "--dry-run"))

    assert code == 0
    assert not server.requests
    assert "calls to make" in out
    assert "How alike systems are" not in out


def test_a_budget_ends_the_asking_with_a_sentence_and_keeps_the_figures(
    ethogram: Ethogram, shop: Path
) -> None:
    with serving(judge) as server:
        code, out, err = ethogram(*asking(server, shop, "--rps", "--judge-budget", "8"))

    assert code == 2
    assert len(server.requests) == 8
    assert "How alike systems are" in out
    assert "budget" in err


def test_the_judge_can_take_the_place_of_the_rule_for_dependencies(
    ethogram: Ethogram, shop: Path
) -> None:
    with serving(judge) as server:
        code, out, _ = ethogram(*asking(server, shop, "--judge-dependencies", "--json"))
    _, by_rule, _ = ethogram("similarity", shop, "--no-ged", "--json")
    found = json.loads(out)

    assert code == 0
    assert server.requests
    assert found["provenance"]["parameters"]["judge"]
    assert found["tables"]["habits"] != json.loads(by_rule)["tables"]["habits"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--judge-model", MODEL], "say what to judge, with --rps or --judge-dependencies"),
        (["--judge-dependencies"], "name the judge with --judge-model"),
        (["--rps", "--judge-offline"], "name the judge with --judge-model"),
        (["--rps", "--judge-model", MODEL, "--judge-temperatures", "0"], "must differ"),
        (["--rps", "--judge-model", MODEL, "--judge-temperatures", "hot"], "with commas"),
        (["--rps", "--judge-model", MODEL, "--stages", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_wrong_options_are_a_sentence(
    ethogram: Ethogram, shop: Path, options: list[str], says: str
) -> None:
    code, out, err = ethogram("similarity", shop, "--no-ged", *options)

    assert (code, out) == (2, "")
    assert says in err


def test_a_refused_key_and_an_unknown_model_are_a_sentence_without_the_key(
    ethogram: Ethogram, shop: Path
) -> None:
    for reply, says in (
        (error(401, f"Incorrect API key provided: {KEY}"), "refuses the key"),
        (error(404, "no such model"), f"knows no model '{MODEL}'"),
    ):
        with serving(lambda *_, reply=reply: reply) as server:
            code, out, err = ethogram(*asking(server, shop, "--rps"))

        assert (code, out) == (2, "")
        assert says in err
        assert KEY not in err
