"""Prompts keep their structure, whatever the texts say that are put into them."""

import json
import re
from importlib.resources import files
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging.injections import INJECTIONS

from ethogram.errors import UnknownNameError, UsageError
from ethogram.judging.dependencies import dependency_question
from ethogram.judging.fence import as_data, token_for, unused
from ethogram.judging.prompt import Rendered, load_prompt, prompt_names, render, schema_for
from ethogram.judging.rehearsal import STAND_INS
from ethogram.results.judges import DependencyQuestion, Question
from ethogram.results.questions import (
    failure_question,
    goal_question,
    replies_question,
    same_goals_question,
    similarity_question,
    stages_question,
)  # fmt: skip

STAGES = {"look": "reading what is there", "act": "changing it"}


def questions(text: str) -> list[Question[Any]]:
    """Every question there is, with a text in each of its parts."""
    candidate = DependencyQuestion(
        run_id="r",
        source=0,
        target=1,
        source_tool=text,
        target_tool=text,
        value=text,
        result=text,
        told=(text, text),
    )
    return [
        stages_question([text, text], STAGES, task=text),
        similarity_question(text, text, stage=text),
        replies_question(text, text),
        dependency_question(candidate),
        failure_question(text, task=text, reference=text),
        failure_question(text, task=text, reference=text, submission_first=True),
        goal_question(text, task=text),
        same_goals_question([text, text], task=text),
    ]


def outline(rendered: Rendered) -> tuple[str, list[str]]:
    """A prompt without its data and without its token; and the data, as they lie between fences."""
    fence = re.escape(rendered.token)
    block = re.compile(
        rf"^\[data {fence}: ([\w ]+)\]\n(.*?)\n\[end of data {fence}\]$", re.DOTALL | re.MULTILINE
    )
    data = [found[2] for found in block.finditer(rendered.text)]
    bare = block.sub(lambda found: f"<{found[1]}>", rendered.text)
    return bare.replace(rendered.token, "TOKEN"), data


def test_there_is_a_question_for_every_prompt() -> None:
    assert sorted(question.prompt for question in questions("x")) == prompt_names()
    assert {question.answer for question in questions("x")} == set(STAND_INS)


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_no_text_changes_a_prompt_s_structure(text: str) -> None:
    for plain, odd in zip(questions("plain"), questions(text), strict=True):
        bare, data = outline(render(odd))

        assert bare == outline(render(plain))[0]
        whole = [part for part in odd.parts.values() if part is not None]
        flat = [text for part in whole for text in ([part] if isinstance(part, str) else part)]
        assert sorted(data) == sorted(as_data(text) for text in flat)


@given(text=st.text(min_size=1), other=st.text(min_size=1))
def test_no_two_texts_change_a_prompt_s_structure(text: str, other: str) -> None:
    bare, data = outline(render(replies_question(text, other)))

    assert bare == outline(render(replies_question("a", "b")))[0]
    assert data == [as_data(text), as_data(other)]


def test_a_text_that_holds_another_prompt_s_fence_does_not_close_its_own() -> None:
    first = render(replies_question("a", "b"))
    second = render(replies_question(first.text, first.token))

    assert first.token != second.token
    assert second.token not in first.text
    assert outline(second)[1] == [first.text, first.token]


def test_a_token_that_occurs_is_lengthened_and_then_replaced() -> None:
    digest = "0123456789abcdef"

    assert unused(digest, [digest[:12]]) == digest[:13]
    assert unused(digest, ["0123456789ABCDE!"]) == digest[:16]
    assert unused(digest, [digest]) not in digest


def test_the_token_hangs_on_every_text_and_on_their_borders() -> None:
    tokens = [token_for(texts) for texts in (["ab", "c"], ["a", "bc"], ["abc"], ["ab", "d"])]

    assert len(set(tokens)) == 4


def test_the_same_question_is_put_in_the_same_words() -> None:
    assert [render(q).text for q in questions("x")] == [render(q).text for q in questions("x")]


def test_what_acts_on_a_terminal_is_made_visible() -> None:
    rendered = render(replies_question("a\x1b[2J\u202eb\r\nc\rd\ud800", "-"))

    assert outline(rendered)[1][0] == "a␛[2J�b\nc\nd�"
    assert rendered.text.encode()


def test_secrets_in_a_text_are_taken_out() -> None:
    key = "sk-ant-" + "a1" * 20
    rendered = render(stages_question([f"export KEY={key}"], STAGES, task=key))

    assert key not in rendered.text
    assert rendered.text.count("[redacted: anthropic_key]") == 2


def test_nothing_recorded_is_said_and_not_left_out() -> None:
    text = render(failure_question("", task=None)).text

    assert text.count("(none recorded)") == 2
    assert "(empty)" in text
    assert "(none)" in render(same_goals_question([], task=None)).text


def test_the_reversed_question_about_a_failure_differs_in_its_order_alone() -> None:
    one, other = load_prompt("failure"), load_prompt("failure_reversed")
    paragraphs = [prompt.body.split("\n\n") for prompt in (one, other)]

    assert sorted(paragraphs[0]) == sorted(paragraphs[1])
    assert one.parts == tuple(reversed(other.parts))
    assert (one.schema, one.version) == (other.schema, other.version)


@pytest.mark.parametrize("name", prompt_names())
def test_prompts_say_what_data_are_and_how_to_answer(name: str) -> None:
    prompt = load_prompt(name)

    assert prompt.version >= 1
    assert prompt.answer_tokens > 0
    assert prompt.body.count("{{data}}") == prompt.body.count("{{answer}}") == 1
    assert prompt.body.index("{{data}}") < min(
        prompt.body.index(f"{{{{{part}}}}}") for part in prompt.parts
    )
    assert prompt.body.endswith("{{answer}}")
    assert len(set(prompt.parts)) == len(prompt.parts)


def test_every_prompt_has_its_schema_beside_it() -> None:
    found = {path.name for path in files("ethogram.judging").joinpath("prompts").iterdir()}

    assert found == {f"{name}.{ending}" for name in prompt_names() for ending in ("md", "json")}


@pytest.mark.parametrize("question", questions("x"), ids=lambda question: str(question.prompt))
def test_schema_and_struct_let_in_the_same(question: Question[Any]) -> None:
    schema = schema_for(load_prompt(question.prompt), question.choices)
    jsonschema.Draft202012Validator.check_schema(schema)
    good = json.loads(msgspec.json.encode(STAND_INS[question.answer](question)))
    jsonschema.validate(good, schema)
    for bad in _damaged(good):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode(bad), type=question.answer)


def _damaged(good: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer with a field too many, a field too few, and each value of another kind."""
    fewer = [{k: v for k, v in good.items() if k != name} for name in good]
    others = [{**good, name: value} for name in good for value in (None, 0, 6, 2.5, "no", [1])]
    fits = [name for name, value in good.items() if isinstance(value, str) and name != "error"]
    fine = [{**good, name: "no"} for name in fits]
    return [{**good, "more": 1}, *fewer, *(each for each in others if each not in fine)]


@pytest.mark.parametrize("question", questions("x"), ids=lambda question: str(question.prompt))
def test_schemas_are_of_the_strict_kind(question: Question[Any]) -> None:
    """Servers take a schema as strict only if every object lists all its fields and no other.

    Ranges and lengths are words that not every server knows; an enumeration is known to all.
    """
    found = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            found.append(node)
            for value in node.values():
                walk(value)

    walk(render(question).schema)
    known = {"type", "properties", "required", "additionalProperties", "items", "enum"}
    words = {word for node in found if isinstance(node.get("type"), str) for word in node}
    objects = [node for node in found if node.get("type") == "object"]

    assert objects
    assert words <= known | {"description"}
    for node in objects:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
        assert next(iter(node["properties"])) in {"reason", "items", "goal", "item"}


def test_a_question_must_have_the_parts_of_its_prompt() -> None:
    question = msgspec.structs.replace(replies_question("a", "b"), parts={"first": "a"})
    with pytest.raises(UsageError, match="prompt 'replies' has the parts first, second; got first"):
        render(question)
    with pytest.raises(UnknownNameError, match=r"no prompt is called '\.\./x'"):
        load_prompt("../x")


def test_choices_stand_in_the_schema() -> None:
    schema = render(stages_question(["x"], {'a "quoted" one': "", "b": ""})).schema

    assert schema["properties"]["items"]["items"]["properties"]["stage"]["enum"] == [
        'a "quoted" one',
        "b",
    ]
