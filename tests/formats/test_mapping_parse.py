"""A mistake in a mapping file is one sentence: file, key, what is allowed, what was found."""

from pathlib import Path

import pytest
from mapping_files import EXAMPLES

from ethogram.errors import UsageError
from ethogram.formats.mapping import OutcomeTemplate, load_mapping
from ethogram.formats.mapping_parse import parse

STEPS = '[steps]\nlist = "s"\naction = "a"\n'
OUTCOMES = '[outcomes]\npath = "{short}-run{trial}.json"\n'


def fault(text: str, *, steps: str = STEPS) -> str:
    with pytest.raises(UsageError) as caught:
        parse(f"{text}\n{steps}", source="conf/m.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        pytest.param("nam = 'x'", "nam", ["did you mean 'name'?"], id="top"),
        pytest.param(
            "[file]", "file", ["did you mean 'files'?", "allowed: about, files"], id="table"
        ),
        pytest.param("[files]\nrun = 'x'", "files.run", ["did you mean 'runs'?"], id="files"),
        pytest.param("[run]\ntask = 'x'", "run.task", ["'task_id'", "benchmark"], id="run"),
        pytest.param("[run]\nmodel = { feild = 'x' }", "run.model.feild", ["'field'"], id="where"),
        pytest.param("[run]\nzzz = 'x'", "run.zzz", ["no such key; allowed: "], id="nothing near"),
        pytest.param(OUTCOMES + "fild = 'x'", "outcomes.fild", ["'fields'"], id="outcomes"),
    ],
)
def test_an_unknown_key_is_named_with_the_one_that_was_meant(
    text: str, key: str, words: list[str]
) -> None:
    found = fault(text)

    assert found.startswith(f"conf/m.toml: {key}: no such key")
    assert all(word in found for word in words)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = 5", "name: must be a text, found 5"),
        ("files = 5", "files: must be a table, found 5"),
        ("[files]\nkeys = [1]", "files.keys: must be a list of texts, found [1]"),
        ("[files]\nlines = 'run'", "files.lines: must be one of runs, steps; found 'run'"),
        ("[files]\nlines = 'steps'\nruns = 'x'", "files.runs: a file whose lines are steps"),
        ("[files]\npath = '{a.json'", "files.path: template '{a.json': a '{' without its partner"),
        ("[files]\npath = '{a b}.json'", "{a b} is not a name"),
        ("[run]\nmodel = 5", "run.model: must be a path or a table"),
        ("[run]\nmodel = ''", "run.model: a path is names with single dots between, found ''"),
        ("[run]\nmodel = 'a..b'", "run.model: a path is names with single dots between"),
        ("[run]\nmodel = '^a'", "run.model: a path up is written ^.name, found '^a'"),
        ("[run]\nmodel = {}", "run.model: needs exactly one of field, const"),
        ("[run]\nmodel = { field = 'a', const = 1 }", "found field and const"),
        ("[run]\nmodel = { field = [] }", "run.model.field: must be a path or a list of paths"),
        ("[run]\nmodel = { field = 'a', scale = 'b' }", "run.model.scale: must be a number"),
        ("[run]\nmodel = { field = 'a', scale = true }", "run.model.scale: must be a number"),
        ("[run]\nmodel = { field = 'a', others = 'x' }", "must be one of warn, keep, null"),
        ("[run]\nmodel = { field = 'a', equals = 1 }", "run.model.equals: only one of equals"),
        ("[run]\nsuccess = { field = 'a', at_least = 'b' }", "at_least: must be a number"),
        ("[run]\nsuccess = { field = 'a', contains = 1 }", "contains: must be a text, found 1"),
        ("[run]\nsuccess = { field = 'a', at_least = 1, equals = 1 }", "only one of"),
        ("[run]\nmodel = { capture = 'x' }", "run.model.capture: files.path has no {x}"),
        ("[run.settings]\nx = { capture = 'x' }", "run.settings.x.capture: files.path has no {x}"),
        ("outcomes = 5", "outcomes: must be a table or a list"),
        ("[outcomes]", "outcomes.path: is missing"),
        ("[outcomes]\npath = '../r.csv'", "outcomes.path: must lie below the folder that is read"),
        ("[outcomes]\npath = 'a/../../r.csv'", "found 'a/../../r.csv'"),
        ("[outcomes]\npath = '/etc/{task_id}.csv'", "neither absolute nor with '..'"),
        ("[outcomes]\npath = 'C:{task_id}.csv'", "neither absolute nor with '..'"),
        ("[outcomes]\npath = 'a\\..\\r.csv'", "neither absolute nor with '..'"),
        (OUTCOMES, "outcomes.fields.short: is missing: which of system, model"),
        (OUTCOMES + "fields = { short = 'name' }", "fields.short: must be one of system"),
        (
            OUTCOMES + "fields = { x = 'system' }",
            "no such capture in path; there are: short, trial",
        ),
        (OUTCOMES + "[outcomes.values.x]\na = 'b'", "outcomes.values.x: no such key"),
        (OUTCOMES + "[outcomes.values.short]\na = 1", "values.short.a: must be a text, found 1"),
        ("a = ", "not TOML"),
    ],
)
def test_what_is_wrong_is_said(text: str, sentence: str) -> None:
    found = fault(text)

    assert found.startswith("conf/m.toml: ")
    assert sentence in found


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ("", "steps.list: is missing"),
        ("[steps]\nlist = 's'", "steps.action: is missing"),
        ("[steps]\nlist = 's'\nshape = 'talk'", "steps.shape: must be one of steps, chat"),
        ("[steps]\nlist = 's'\nshape = 'chat'\naction = 'a'", "steps.action: no such key"),
        ("[steps]\nlist = 's'\naction = 'a'\ncommands = { x = 1 }", "steps.commands.x: must be"),
    ],
)
def test_steps_must_say_where_actions_lie(steps: str, sentence: str) -> None:
    assert sentence in fault("", steps=steps)


def test_a_file_that_is_not_there_is_a_mistake_of_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        load_mapping(tmp_path / "none.toml")


def test_a_file_that_is_no_text_is_a_mistake_of_use(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match=r"m\.toml"):
        load_mapping(path)


@pytest.mark.parametrize("path", ["a..b/r.csv", "x.tar::a/r.csv", "./r.csv", "**/{trial}...csv"])
def test_dots_in_a_name_of_a_report_climb_nowhere(path: str) -> None:
    (outcome,) = parse(f'[outcomes]\npath = "{path}"\n{STEPS}', source="m.toml").outcomes

    assert outcome.path == path


def test_outcomes_are_plain_values() -> None:
    text = OUTCOMES + "fields = { short = 'system' }\n[outcomes.values.short]\na = 'A 1'\n"

    (outcome,) = parse(text + STEPS, source="m.toml").outcomes

    assert outcome == OutcomeTemplate(
        path="{short}-run{trial}.json",
        values={"short": {"a": "A 1"}},
        fields={"short": "system", "trial": "trial"},
    )
    assert outcome.match("x/a-run2.json") == {"system": "A 1", "trial": "2"}
    assert outcome.match("x/b-run2.json") == {"system": "b", "trial": "2"}
    assert outcome.match("x/b.json") is None


def test_there_may_be_several_kinds_of_reports() -> None:
    text = '[[outcomes]]\npath = "{system}.json"\n[[outcomes]]\npath = "{task_id}.csv"\n'

    assert [o.path for o in parse(text + STEPS, source="m.toml").outcomes] == [
        "{system}.json",
        "{task_id}.csv",
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_a_mapping(path: Path) -> None:
    assert load_mapping(path).format().about
