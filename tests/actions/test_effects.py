"""Effects: every tool of the two benchmarks is in the table, guesses are marked, files win."""

import json
import pickle
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from ethogram.actions.effects import (
    EFFECTS,
    EffectTables,
    effect_of_kind,
    kind_of_effect,
    load_effects,
)
from ethogram.actions.kinds import KINDS, Kind
from ethogram.cohort import schema
from ethogram.errors import UsageError

TABLES = load_effects()
TABLE_5 = {
    "read": (
        "get_reservation_details get_user_details list_all_airports search_direct_flight"
        " search_onestop_flight find_user_id_by_email find_user_id_by_name_zip get_order_details"
        " get_product_details list_all_product_types get_customer_by_phone get_customer_by_id"
        " get_customer_by_name get_details_by_id get_bills_for_customer get_data_usage"
    ),
    "write": (
        "book_reservation cancel_reservation send_certificate update_reservation_baggages"
        " update_reservation_flights update_reservation_passengers cancel_pending_order"
        " exchange_delivered_order_items modify_pending_order_address modify_pending_order_items"
        " modify_pending_order_payment modify_user_address return_delivered_order_items"
        " suspend_line resume_line send_payment_request enable_roaming disable_roaming refuel_data"
    ),
    "none": "calculate transfer_to_human_agents",
}


@pytest.mark.parametrize("effect", list(TABLE_5))
def test_the_table_agrees_with_table_5_of_yang_et_al(effect: str) -> None:
    tools = TABLE_5[effect].split()

    assert {tool: TABLES.effect_of_tool(tool) for tool in tools} == dict.fromkeys(
        tools, (effect, "table")
    )


@pytest.mark.parametrize(
    ("tool", "effect"),
    [
        pytest.param("get_flight_status", "read", id="a read that only tau2-bench has"),
        pytest.param("think", "none", id="thinking changes nothing"),
        pytest.param("check_status_bar", "read", id="the user's phone is looked at"),
        pytest.param("reboot_device", "write", id="the user's phone is changed"),
        pytest.param("run_speed_test", "read", id="a test of the phone only looks"),
    ],
)
def test_tools_beyond_table_5_are_in_the_table(tool: str, effect: str) -> None:
    assert TABLES.effect_of_tool(tool) == (effect, "table")


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        pytest.param("get_weather", ("read", "guessed"), id="snake case"),
        pytest.param("createTicket", ("write", "guessed"), id="camel case"),
        pytest.param("SendMail", ("write", "guessed"), id="pascal case"),
        pytest.param("mcp__mail__search_inbox", ("read", "guessed"), id="namespace of MCP"),
        pytest.param("mail.search", ("read", "guessed"), id="dotted namespace"),
        pytest.param("airline.book_reservation", ("write", "table"), id="known in a namespace"),
        pytest.param("getaway", (None, None), id="a verb is a whole word"),
        pytest.param("frobnicate", (None, None), id="unknown"),
        pytest.param("", (None, None), id="empty name"),
        pytest.param("42", (None, None), id="no word"),
    ],
)
def test_the_first_word_of_an_unknown_tool_is_a_guess(tool: str, expected: Any) -> None:
    assert TABLES.effect_of_tool(tool) == expected


def test_effects_of_kinds_follow_the_published_rule() -> None:
    assert {kind: effect_of_kind(kind) for kind in KINDS} == {
        "explore": "read",
        "understand": "read",
        "edit": "write",
        "verify": "none",
        "other": "none",
    }


def test_kinds_of_effects_follow_the_published_rule() -> None:
    assert {effect: kind_of_effect(effect) for effect in (*EFFECTS, None)} == {
        "read": "understand",
        "write": "edit",
        "none": "other",
        None: "other",
    }


def test_an_effect_survives_the_way_over_its_kind() -> None:
    assert [effect_of_kind(kind_of_effect(effect)) for effect in EFFECTS] == list(EFFECTS)


@pytest.mark.parametrize(
    ("tool", "kind", "origin", "expected"),
    [
        pytest.param(None, "edit", "table", ("write", "table"), id="a command follows its kind"),
        pytest.param(None, "other", "guessed", (None, None), id="an unknown command has none"),
        pytest.param("think", "edit", "table", ("none", "table"), id="the table of tools first"),
        pytest.param("bash", "verify", "rule", ("none", "rule"), id="a shell by its command"),
        pytest.param("update_plan", "other", "table", ("none", "table"), id="kind before verb"),
        pytest.param("update_x", "other", "guessed", ("write", "guessed"), id="verb at last"),
    ],
)
def test_the_effect_of_an_action_prefers_what_is_known(
    tool: str | None, kind: Kind, origin: Any, expected: Any
) -> None:
    assert TABLES.effect_of_action(tool, kind, origin) == expected


def test_a_users_file_adds_and_replaces(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('[tools]\nthink = "read"\nfrob = "write"\n[verbs]\nfrob = "none"\n', "utf-8")
    tables = load_effects(mine)

    assert tables.effect_of_tool("think") == ("read", "table")
    assert tables.effect_of_tool("frob") == ("write", "table")
    assert tables.effect_of_tool("frob_all") == ("none", "guessed")
    assert tables.effect_of_tool("get_user_details") == ("read", "table")


def test_the_digest_depends_on_the_contents_only(tmp_path: Path) -> None:
    same, other = tmp_path / "same.toml", tmp_path / "other.toml"
    same.write_text('[tools]\nthink = "none"\n', "utf-8")
    other.write_text('[tools]\nthink = "write"\n', "utf-8")

    assert load_effects(same).digest == TABLES.digest
    assert load_effects(other).digest != TABLES.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            '[tools]\nx = "reads"\n', r"tools\.x must be one of read, write, none", id="effect"
        ),
        pytest.param('[toools]\nx = "read"\n', "'toools' must be one of", id="table"),
        pytest.param('tools = "read"\n', "'tools' must be one of", id="no table"),
        pytest.param("[tools\n", "not TOML", id="syntax"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(UsageError, match=rf"mine\.toml.*{said}"):
        load_effects(path)


def test_an_absent_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.toml"):
        load_effects(tmp_path / "absent.toml")


def test_tables_are_frozen_and_go_to_a_worker() -> None:
    with pytest.raises(AttributeError):
        TABLES.tools = {}  # type: ignore[misc]
    back: EffectTables = pickle.loads(pickle.dumps(TABLES))  # noqa: S301, TID251

    assert back.digest == TABLES.digest


def test_effects_and_kinds_are_those_of_the_schema() -> None:
    assert EFFECTS == schema.EFFECTS
    assert get_args(Kind) == schema.KINDS


@pytest.mark.shared
def test_no_tool_of_the_real_data_is_guessed(shared: Path) -> None:
    called: set[str] = set()
    for path in (shared / "data" / "tau2-bench").glob("*.json"):
        for simulation in msgspec.json.decode(path.read_bytes())["simulations"]:
            for message in simulation["messages"]:
                called |= {call["name"] for call in message.get("tool_calls") or []}
    for path in (shared / "data" / "tau-bench").glob("*.json"):
        for row in msgspec.json.decode(path.read_bytes()):
            for message in row["traj"]:
                called |= {call["function"]["name"] for call in message.get("tool_calls") or []}

    assert {TABLES.effect_of_tool(tool)[1] for tool in called} == {"table"}
    assert len(called) == 63


@pytest.mark.shared
def test_the_table_agrees_with_the_published_one(shared: Path) -> None:
    (path,) = (shared / "reference").glob("*agentecho.json")
    published = json.loads(path.read_text("utf-8"))["tools"]

    for domain in ("airline", "retail", "telecom"):
        for effect, tools in published[domain].items():
            assert {TABLES.effect_of_tool(tool) for tool in tools} == {(effect, "table")}
    assert {TABLES.effect_of_tool(tool) for tool in published["generic"]} == {("none", "table")}
