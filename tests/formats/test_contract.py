"""What every format promises, over everything that is registered.

A format belongs here with two or three samples of its own; one that has none fails.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import mini_swe_agent_files
import msgspec
import pytest
import swe_agent_files
import tau2_files
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats import FORMATS
from ethogram.formats.base import Format, Probe, Source
from ethogram.trajectory import Problem, Trajectory

_TAU: Final = {
    "task_id": 1,
    "reward": 1.0,
    "info": {"task": {"instruction": "Ask."}},
    "traj": [{"role": "assistant", "content": "Hello"}],
    "trial": 0,
}
_SUITE: Final = {
    "model_path": "m",
    "user_model_path": "u",
    "benchmark_name": "tau2-bench",
    "messages": [{"role": "assistant", "content": "Hello"}],
    "eval_result": {"score": 1.0},
    "meta": {"id": "1"},
}
SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "mini-swe-agent": mini_swe_agent_files.samples(),
    "swe-agent": {"a.traj": swe_agent_files.traj(), "b.traj": {"history": []}},
    "tau-bench": {"gpt-4o-airline.json": [_TAU, _TAU]},
    "tau2-bench": {
        "results.json": tau2_files.results(tau2_files.simulation()),
        "s1.json": tau2_files.simulation(),
    },
    "agent-suite": {"m.jsonl": _SUITE},
}
FILES: Final = [
    pytest.param(FORMATS.get(name), file, value, id=f"{name}: {file}")
    for name, files in SAMPLES.items()
    for file, value in files.items()
]
PLAIN: Final = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats()
JSON: Final = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner)
)


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def tolerant(file_format: Format, content: bytes, name: str) -> list[Trajectory | Problem]:
    """Read to the end; a broken file may be refused, and nothing else may be raised."""
    source = Source(name, content=content)
    file_format.sniff(Probe(source))
    found, refusal = [], name
    try:
        found = list(file_format.read(source))
    except MalformedTrajectoryError as err:
        refusal = str(err)
    assert name in refusal
    for item in found:
        plain = msgspec.to_builtins(item)
        msgspec.convert(plain, type(item))  # every field is of its type
        if file_format.typed_events:
            json.dumps(plain, ensure_ascii=False).encode()  # and every text is Unicode
    return found


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for key, inner in enumerate(value):
            yield from paths_of(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def test_every_format_has_samples_here() -> None:
    assert set(SAMPLES) == set(FORMATS.names())


@pytest.mark.parametrize("name", FORMATS.names())
def test_a_format_says_what_it_is(name: str) -> None:
    file_format = FORMATS.get(name)

    assert file_format.name == name
    assert file_format.about.endswith(".")
    assert file_format.docs_url.startswith("https://")
    assert file_format.left_out


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_samples_are_claimed_by_their_format_alone(
    file_format: Format, file: str, value: Any
) -> None:
    probe = Probe(Source(file, content=encoded(value)))

    assert [f.name for f in FORMATS if f.sniff(probe)] == [file_format.name]


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_a_truncated_sample_is_claimed_by_no_other_format(
    file_format: Format, file: str, value: Any
) -> None:
    content = encoded(value)
    probes = [
        Probe(Source(file, content=content[:end]))
        for end in range(0, len(content), len(content) // 10)
    ]

    assert {f.name for probe in probes for f in FORMATS if f.sniff(probe)} <= {file_format.name}


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_reading_twice_gives_the_same_and_nothing_is_made_before_it_is_asked_for(
    file_format: Format, file: str, value: Any
) -> None:
    source = Source(file, content=encoded(value))
    first = iter(file_format.read(source))

    assert not isinstance(first, list)
    assert [*first] == list(file_format.read(source))


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_a_file_on_disk_reads_like_one_in_memory(
    file_format: Format, file: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.write_bytes(b"\xef\xbb\xbf" + encoded(value))
    on_disk = Source(file, path=path)

    assert file_format.sniff(Probe(on_disk))
    assert list(file_format.read(on_disk)) == tolerant(file_format, encoded(value), file)


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
@pytest.mark.parametrize(
    "content",
    [b"", b" ", b"\x00\xff\xfe", b"[" * 100_000, b"{" * 100_000, b"[]", b"{}", b"null", b"[null]"],
)
def test_a_file_of_anything_is_refused_or_a_problem(
    file_format: Format, file: str, value: Any, content: bytes
) -> None:
    assert isinstance(tolerant(file_format, content, file), list)


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_a_file_cut_anywhere_gives_no_run_that_is_not_whole(
    file_format: Format, file: str, value: Any
) -> None:
    content = encoded(value)
    for end in range(1, len(content), 1 + len(content) // 50):
        found = tolerant(file_format, content[:end], file)
        assert not any(isinstance(item, Trajectory) for item in found)


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_value_of_a_wrong_type_raises_anything_else(
    file_format: Format, file: str, value: Any, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(list(paths_of(value))))
    changed = replaced(value, path, data.draw(JSON))

    assert isinstance(tolerant(file_format, encoded(changed), file), list)


@pytest.mark.parametrize(("file_format", "file", "value"), FILES)
def test_half_a_surrogate_pair_in_any_text_raises_nothing_else(
    file_format: Format, file: str, value: Any
) -> None:
    for path in paths_of(value):
        broken = replaced(value, path, "\ud83d half a pair")

        assert isinstance(tolerant(file_format, encoded(broken), file), list)
