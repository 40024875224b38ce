"""A mapping reads somebody's own records: where runs and fields lie, and what they become."""

import json
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapping_files import lines, mapping, one, read, runs, source

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Probe, Source
from ethogram.formats.digest import digest
from ethogram.trajectory import Problem, Trajectory

RUN = {"steps": [{"do": "ls"}]}


def doing(*actions: str) -> dict[str, Any]:
    return {"steps": [{"do": action} for action in actions]}


def actions(run: Trajectory | Problem) -> list[str | None]:
    assert isinstance(run, Trajectory)
    return [event.action for event in run.actions]


def places(found: list[Trajectory | Problem]) -> list[str | None]:
    return [item.record for item in found]


def test_a_file_is_a_run() -> None:
    (run,) = runs(mapping(), doing("ls", "id"))

    assert (actions(run), run.record) == (["ls", "id"], None)


def test_a_list_is_a_list_of_runs() -> None:
    found = runs(mapping(), [doing("ls"), doing("id")])

    assert [actions(run) for run in found] == [["ls"], ["id"]]
    assert [run.record for run in found] == ["0", "1"]


def test_a_line_is_a_run() -> None:
    found = runs(mapping(), lines(doing("ls"), doing("id")))

    assert [(run.record, actions(run)) for run in found] == [
        ("line 1", ["ls"]),
        ("line 2", ["id"]),
    ]


def test_lines_can_be_asked_for_whatever_the_name() -> None:
    made = mapping('[files]\nlines = "runs"')

    assert len(runs(made, lines(RUN, RUN, name="a.log"))) == 2


def test_a_broken_line_loses_itself_only() -> None:
    content = b'{"steps": [{"do": "ls"}]}\n{"steps": [{"do"\n{"steps": [{"do": "id"}]}'

    found = read(mapping(), source(content, "a.jsonl"))

    assert [isinstance(item, Problem) for item in found] == [False, True, False]
    assert places(found) == ["line 1", "line 2", "line 3"]


def test_lines_can_be_the_steps_of_one_run() -> None:
    made = mapping(
        '[files]\nlines = "steps"\n[run]\ntask_id = "lines.0.task"',
        """
        [steps]
        action = "do"
        event = { field = "is", values = { go = "action", head = "skip" } }
        """,
    )

    (run,) = runs(made, lines({"is": "head", "task": "t"}, {"is": "go", "do": "ls"}))

    assert (run.task.task_id, actions(run)) == ("t", ["ls"])


def test_a_run_of_which_a_line_is_broken_is_no_run() -> None:
    made = mapping('[files]\nlines = "steps"', '[steps]\naction = "do"')

    (found,) = read(made, source(b'{"do": "ls"}\n{"do": ', "a.jsonl"))

    assert isinstance(found, Problem)
    assert (found.severity, found.record) == ("error", "line 2")


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        pytest.param("runs", {"runs": [RUN, RUN]}, ["runs.0", "runs.1"], id="a list"),
        pytest.param("runs", {"runs": RUN}, ["runs"], id="one run in an object"),
        pytest.param("a.runs", {"a": {"runs": [RUN]}}, ["a.runs.0"], id="deeper"),
        pytest.param(
            "tasks.*.runs",
            {"tasks": [{"runs": [RUN]}, {"runs": [RUN, RUN]}]},
            ["tasks.0.runs.0", "tasks.1.runs.0", "tasks.1.runs.1"],
            id="lists in a list",
        ),
        pytest.param(
            "by_id.*", {"by_id": {"x": RUN, "y": RUN}}, ["by_id.x", "by_id.y"], id="by key"
        ),
        pytest.param("*", {"x": RUN, "y": RUN}, ["x", "y"], id="the whole file by key"),
    ],
)
def test_runs_are_found_where_the_path_says(path: str, value: Any, expected: list[str]) -> None:
    assert [run.record for run in runs(mapping(f'[files]\nruns = "{path}"'), value)] == expected


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        pytest.param({}, "error", id="missing"),
        pytest.param({"runs": None}, "error", id="null"),
        pytest.param({"runs": []}, "note", id="empty"),
        pytest.param({"runs": [None]}, "error", id="no object"),
        pytest.param({"runs": [{"steps": {}}]}, "error", id="steps are no list"),
        pytest.param({"runs": [{}]}, "error", id="no steps"),
    ],
)
def test_no_runs_where_the_path_says_is_said(value: Any, severity: str) -> None:
    (problem,) = read(mapping('[files]\nruns = "runs"'), value)

    assert isinstance(problem, Problem)
    assert problem.severity == severity


def test_one_bad_run_loses_no_other() -> None:
    found = read(mapping('[files]\nruns = "runs"'), {"runs": [RUN, {"steps": 5}, RUN]})

    assert [isinstance(item, Problem) for item in found] == [False, True, False]


def test_only_the_records_that_are_runs_are_read() -> None:
    made = mapping('[files]\nonly = { field = "is", equals = "run" }')

    found = runs(made, [{"is": "head"}, {"is": "run", **RUN}, {"steps": 5}])

    assert [run.record for run in found] == ["1"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        pytest.param('"a.b"', "deep", id="path"),
        pytest.param('"list.0"', "first", id="first entry"),
        pytest.param('"list.-1"', "last", id="last entry"),
        pytest.param('"list.5"', None, id="beyond the end"),
        pytest.param('"list.x"', None, id="a key of a list"),
        pytest.param("'dotted\\.key'", "dot", id="key with a dot"),
        pytest.param('"^.outer"', "outside", id="one level up"),
        pytest.param('"^^.outer"', None, id="above the file"),
        pytest.param('{ field = ["none", "a.b"] }', "deep", id="first that is there"),
        pytest.param('{ field = ["null", "a.b"] }', "deep", id="null is not there"),
        pytest.param('{ const = "c" }', "c", id="constant"),
        pytest.param('{ capture = "part" }', "v2", id="capture"),
        pytest.param("{ counted_from = 1 }", "2", id="position"),
        pytest.param("{ entry_key = true }", None, id="no key in a list"),
        pytest.param('"number"', "7", id="a number as text"),
        pytest.param('"a"', '{"b":"deep"}', id="an object as text"),
    ],
)
def test_where_a_value_lies(where: str, expected: str | None) -> None:
    record = {
        **RUN,
        "a": {"b": "deep"},
        "list": ["first", "last"],
        "dotted.key": "dot",
        "null": None,
        "number": 7,
    }
    text = f'[files]\npath = "{{part}}/*.json"\nruns = "runs"\n[run]\ntask_id = {where}'

    found = runs(mapping(text), {"outer": "outside", "runs": [RUN, record]}, "x/v2/a.json")

    assert found[1].task.task_id == expected


def test_the_key_of_an_entry_can_be_its_task() -> None:
    made = mapping(
        '[files]\nruns = "*.runs"\n[run]\ntask_id = "^.id"\nnative_id = { entry_key = true }'
    )

    first, second = runs(
        made, {"x": {"id": "X", "runs": {"steps": [{"do": "ls"}]}}, "y": {"runs": [RUN]}}
    )

    assert [(run.task.task_id, run.native_id) for run in (first, second)] == [
        ("X", "x"),
        (None, None),
    ]


def test_levels_are_objects_not_lists() -> None:
    made = mapping('[files]\nruns = "tasks.*.runs"\n[run]\ntask_id = "^.id"\nmodel = "^^.model"')

    (run,) = runs(made, {"model": "m", "tasks": [{"id": "t", "runs": [RUN]}]})

    assert (run.task.task_id, run.system.model) == ("t", "m")


def test_steps_can_look_up_to_the_run_and_beyond() -> None:
    steps = '[steps]\nlist = "steps"\naction = "do"\ntool = "^.tool"\nobservation = "^^.seen"'

    run = one('[files]\nruns = "runs"', {"seen": "s", "runs": [{"tool": "t", **RUN}]}, steps)

    assert [(e.tool, e.observation) for e in run.actions] == [("t", "s")]


@pytest.mark.parametrize(
    ("field", "written", "read_as"),
    [
        ("temperature", "0.5", 0.5),
        ("temperature", True, None),
        ("temperature", "warm", None),
        ("trial", 3.0, 3),
        ("trial", "12", 12),
        ("trial", 3.5, None),
        ("success", True, True),
        ("success", 0, False),
        ("success", 1.0, True),
        ("success", "yes", None),
        ("success", [], None),
        ("started_at", "1970-01-01T00:01:00+00:00", 60.0),
        ("started_at", 1_700_000_000_000, 1.7e9),
        ("started_at", "soon", None),
        ("ending", "limit", "limit"),
        ("ending", "exploded", None),
        ("task_id", 7, "7"),
    ],
)
def test_kinds_of_fields(field: str, written: Any, read_as: Any) -> None:
    (run,) = read(mapping(f'[run]\n{field} = "x"'), {"x": written, **RUN})

    assert isinstance(run, Trajectory)
    homes = (run, run.system, run.task, run.outcome, run.usage)
    (home,) = [home for home in homes if hasattr(home, field)]
    assert getattr(home, field) == read_as
    assert [problem.field for problem in run.problems] == (
        [f"run.{field}"] if read_as is None else []
    )


@pytest.mark.parametrize(
    ("others", "ending", "problems"), [("warn", None, 1), ("null", None, 0), ("keep", "limit", 0)]
)
def test_what_becomes_of_a_value_that_is_not_listed(
    others: str, ending: str | None, problems: int
) -> None:
    text = f'[run]\nending = {{ field = "x", values = {{ a = "completed" }}, others = "{others}" }}'

    (run,) = read(mapping(text), {"x": "limit", **RUN})

    assert isinstance(run, Trajectory)
    assert (run.outcome.ending, run.outcome.ending_raw) == (ending, "limit")
    assert len(run.problems) == problems


@pytest.mark.parametrize(
    ("written", "ending"),
    [("done", "completed"), ("RateLimitError: 429", "infra_error"), ("step limit", "limit")],
)
def test_values_come_before_parts_and_parts_in_their_order(written: str, ending: str) -> None:
    text = """
    [run.ending]
    field = "x"
    values = { done = "completed" }
    containing = { RateLimit = "infra_error", limit = "limit", o = "gave_up" }
    """

    assert one(text, {"x": written, **RUN}).outcome.ending == ending


def test_numbers_and_truths_are_listed_as_text() -> None:
    text = '[run]\nsuccess = { field = "x", values = { 1 = false, true = true } }'

    assert one(text, {"x": 1, **RUN}).outcome.success is False
    assert one(text, {"x": True, **RUN}).outcome.success is True


def test_a_comparison_makes_a_success_and_is_its_rule() -> None:
    text = '[run]\nsuccess = { field = "reward", at_least = 1 }'

    passed, failed = (one(text, {"reward": reward, **RUN}).outcome for reward in (1.0, 0.9))

    assert (passed.success, failed.success) == (True, False)
    assert (passed.rule, passed.source) == ("reward >= 1", "runs/a.json")


def test_a_success_without_a_record_is_unknown_not_a_failure() -> None:
    text = '[run]\nsuccess = { field = "reward", at_least = 1 }'

    outcome = one(text, RUN).outcome

    assert (outcome.success, outcome.source, outcome.rule) == (None, None, None)


def test_a_duration_is_recorded_or_the_time_between_start_and_end() -> None:
    text = '[run]\nstarted_at = "a"\nended_at = "b"\nduration_s = { field = "ms", scale = 0.001 }'

    assert one(text, {"a": 10, "b": 12.5, **RUN}).usage.duration_s == 2.5
    assert one(text, {"a": 10, "b": 12.5, "ms": 500, **RUN}).usage.duration_s == 0.5
    assert one(text, {"a": 10, **RUN}).usage.duration_s is None


def test_settings_and_extra_have_names_of_the_users_own() -> None:
    text = '[run]\nmodel = "m"\n[run.settings]\ntop_p = "p"\nnone = "n"\n[run.extra]\nhost = "h"'

    run = one(text, {"m": "x", "p": 0.5, "h": {"a": 1}, **RUN})

    assert (run.system.settings, run.extra) == ({"top_p": 0.5}, {"host": {"a": 1}})


def test_a_task_is_known_by_its_prompt_and_reference() -> None:
    text = '[run]\nprompt = "q"\nreference = "a"\ntask_id = "id"'

    with_both = one(text, {"q": " Why? ", "a": "42", "id": "o__r-1", **RUN}).task
    with_prompt = one(text, {"q": "Why?", **RUN}).task

    assert with_prompt.digest == digest("Why?") != with_both.digest
    assert (with_both.prompt, with_both.cluster) == ("Why?", "o/r")
    assert one(text, RUN).task.digest is None


def test_steps_that_are_no_actions_are_an_error_of_the_mapping() -> None:
    (problem,) = read(mapping(), {"steps": [{"did": "ls"}, {"did": "id"}]})

    assert isinstance(problem, Problem)
    assert problem.severity == "error"
    assert "2 steps at 'steps'" in problem.reason


def test_a_run_without_steps_is_a_run_without_actions() -> None:
    assert one("", {"steps": []}).events == ()


def test_numbers_that_are_not_finite_are_missing_and_said() -> None:
    content = b'{"cost": NaN, "steps": [{"do": "ls"}]}'

    (run,) = read(mapping('[run]\ncost_usd = "cost"'), source(content))

    assert isinstance(run, Trajectory)
    assert run.usage.cost_usd is None
    assert ["not finite" in problem.reason for problem in run.problems] == [True]


@pytest.mark.parametrize(
    "content", [b"", b'{"steps": [', b"\x00", b'{"steps": []} {}', b"[" * 10_000]
)
def test_a_broken_file_is_one_error(content: bytes) -> None:
    with pytest.raises(MalformedTrajectoryError, match=r"runs/a\.json"):
        read(mapping(), source(content))


@pytest.mark.parametrize(
    ("text", "value", "name", "taken"),
    [
        pytest.param("", RUN, "a.json", True, id="the list of steps"),
        pytest.param("", {"other": []}, "a.json", False, id="no list of steps"),
        pytest.param("", [RUN], "a.json", True, id="a list of runs"),
        pytest.param('[files]\nruns = "runs"', {"runs": []}, "a.json", True, id="the list of runs"),
        pytest.param('[files]\nruns = "runs"', RUN, "a.json", False, id="no list of runs"),
        pytest.param('[files]\nkeys = ["id"]', RUN, "a.json", False, id="a key is missing"),
        pytest.param('[files]\nkeys = ["id"]', {"id": 1}, "a.json", True, id="the key is there"),
        pytest.param('[files]\npath = "x/{a}.json"', RUN, "x/1.json", True, id="path"),
        pytest.param('[files]\npath = "x/{a}.json"', RUN, "y/1.json", False, id="other path"),
        pytest.param('[files]\npath = "x/{a}.json"', RUN, "t.tar::x/1.json", True, id="archive"),
        pytest.param("", 7, "a.json", False, id="a number"),
    ],
)
def test_which_files_are_taken(text: str, value: Any, name: str, taken: bool) -> None:
    assert mapping(text).sniff(Probe(source(value, name))) is taken


def test_a_mapping_and_its_format_travel_to_other_processes() -> None:
    made = mapping('name = "mine"\n[run]\ntask_id = { field = "x", values = { a = "b" } }')

    there = pickle.loads(pickle.dumps(made.format()))  # noqa: S301, TID251  our own

    assert there.name == "mine"
    assert there.sniff(Probe(source(RUN)))
    assert there.declares(Probe(source(RUN)))
    assert list(there.read(source({"x": "a", **RUN}))) == read(made, {"x": "a", **RUN})


def test_runs_are_read_one_at_a_time() -> None:
    reading = mapping().read(lines(RUN, {"steps": 5}, RUN))

    assert isinstance(next(reading), Trajectory)
    assert isinstance(next(reading), Problem)


def test_the_name_is_the_files_unless_it_says_another() -> None:
    assert (mapping().name, mapping('name = "mine"').name) == ("m", "mine")


PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["x", "1", "limit"])
)
KEYS = st.sampled_from(
    ["a", "b", "steps", "do", "role", "content", "tool_calls", "function", "name"]
)
ANYTHING = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.lists(
    st.fixed_dictionaries({"steps": st.lists(ANYTHING, max_size=4), "a": ANYTHING, "b": ANYTHING}),
    max_size=2,
)
EVERYTHING = """
[files]
runs = "*"

[run]
temperature = "a"
trial = "b"
success = "a.b"
ending = "a.a"
started_at = "b.a"
prompt = "^.a"
settings.s = "a"
"""
SHAPES = {
    "steps": """
        action = "do"
        tool = "name"
        arguments = "a"
        observation = "content"
        exit_code = "b"
        is_error = { field = "b", contains = "x" }
        timestamp = "a.b"
        turn = "a"
        call_id = "b"
        """,
    "chat": 'timestamp = "a"\ninput_tokens = "b"\nis_error = "name"',
}


@pytest.mark.parametrize("shape", list(SHAPES))
@given(value=ANYTHING | RECORDS)
def test_whatever_a_file_holds_it_becomes_runs_or_problems_of_the_declared_types(
    shape: str, value: Any
) -> None:
    made = mapping(EVERYTHING, f'[steps]\nlist = "steps"\nshape = "{shape}"\n{SHAPES[shape]}')

    for item in read(made, json.loads(json.dumps(value))):
        msgspec.convert(msgspec.to_builtins(item), type(item))


def test_a_file_on_disk_reads_like_one_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(source(doing("ls", "id")).read())

    on_disk = Source(str(path), path)
    assert mapping().sniff(Probe(on_disk))
    assert list(mapping().read(on_disk)) == read(mapping(), doing("ls", "id"))
