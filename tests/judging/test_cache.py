"""Answers are found by what was asked, survive, and travel."""

import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.errors import InputError
from ethogram.judging.cache import Cache, Entry, address_of, digest_of
from ethogram.judging.exchange import export_answers, import_answers, lines
from ethogram.judging.settings import default_cache

DECIDED: dict[str, Any] = {
    "model": "m",
    "prompt": "replies",
    "prompt_version": 1,
    "question": digest_of("How alike?"),
    "parameters": {"temperature": 0.0},
    "sample": 0,
}


def entry(answer: str = '{"score": 4}', **changes: Any) -> Entry:
    decided = {**DECIDED, **changes}
    return Entry(address=address_of(**decided), answer=answer, **decided)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "deep" / "judge.sqlite")


def test_an_answer_is_found_by_what_was_asked(cache: Cache) -> None:
    kept = msgspec.structs.replace(entry(), input_tokens=5, answered_by="m-2026")
    with cache.session() as session:
        assert session.add(kept) == kept
    with cache.session() as session:
        assert session.find([kept.address, entry(sample=1).address]) == {kept.address: kept}


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"prompt": "goal"},
        {"prompt_version": 2},
        {"question": digest_of("How alike? ")},
        {"parameters": {"temperature": 0.5}},
        {"parameters": {"temperature": None}},
        {"parameters": {}},
        {"sample": 1},
    ],
)
def test_whatever_decides_an_answer_changes_its_address(change: dict[str, Any]) -> None:
    assert entry(**change).address != entry().address


def test_the_order_of_parameters_decides_nothing() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}

    assert entry(parameters=one).address == entry(parameters=other).address


def test_an_address_stays_the_same_from_version_to_version() -> None:
    """Caches that are handed on would be worthless otherwise."""
    assert entry().address == "53f7a56d470aad92e076dedd80dbe1c883c7c7f3ca1243110457de893bbe27f0"


def test_the_first_answer_stays(cache: Cache) -> None:
    with cache.session() as session:
        session.add(entry("first"))

        assert session.add(entry("second")).answer == "first"


def test_more_addresses_than_one_query_takes(cache: Cache) -> None:
    some = [entry(sample=sample) for sample in range(1_234)]
    with cache.session() as session:
        for each in some:
            session.add(each)

        assert session.find([each.address for each in some]) == {
            each.address: each for each in some
        }


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from judging.test_cache import entry
from ethogram.judging.cache import Cache
with Cache(Path(sys.argv[1])).session() as session:
    for sample in range(50):
        session.add(entry(sys.argv[2], sample=sample))
"""


def test_processes_write_side_by_side(cache: Cache) -> None:
    here = [str(Path(__file__).parents[1])]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(cache.path), name, *here])
        for name in "abc"
    ]
    codes = [writer.wait(60) for writer in writers]
    with cache.session() as session:
        kept = list(session.entries())

    assert codes == [0, 0, 0]
    assert sorted(each.sample for each in kept) == list(range(50))


def test_threads_share_a_session(cache: Cache) -> None:
    with cache.session() as session:
        threads = [
            threading.Thread(
                target=lambda name=name: [session.add(entry(name, sample=s)) for s in range(40)]
            )
            for name in "abcd"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)

        assert len(list(session.entries())) == 40


def test_what_is_no_cache_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    before = foreign.read_bytes()
    with (
        pytest.raises(InputError, match="a database, but not a cache of answers"),
        Cache(foreign).session(),
    ):
        pass

    assert foreign.read_bytes() == before
    with pytest.raises(InputError, match="a folder or a device"), Cache(tmp_path).session():
        pass


def test_a_cache_of_a_later_version_is_refused(cache: Cache) -> None:
    with cache.session() as session:
        session._connection.execute("PRAGMA user_version = 9")
    with pytest.raises(InputError, match="version 9; this ethogram knows 1"), cache.session():
        pass


def test_a_row_changed_by_hand_is_told(cache: Cache) -> None:
    with cache.session() as session:
        session.add(entry())
        session._connection.execute("UPDATE answers SET parameters = 'x'")
        with pytest.raises(InputError, match="changed by hand"):
            list(session.entries())


def test_the_default_lies_in_the_user_s_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert default_cache() == tmp_path / "home" / "judge.sqlite"
    monkeypatch.delenv("ETHOGRAM_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache() == tmp_path / "xdg" / "ethogram" / "judge.sqlite"


def filled(path: Path, samples: list[int]) -> Cache:
    cache = Cache(path)
    with cache.session() as session:
        for sample in samples:
            session.add(entry(f'{{"score": {sample % 5 + 1}}}', sample=sample))
    return cache


def test_the_same_answers_give_the_same_file_in_whatever_order_they_came(tmp_path: Path) -> None:
    one = filled(tmp_path / "one.sqlite", [0, 1, 2, 3])
    other = filled(tmp_path / "other.sqlite", [3, 1, 0, 2])

    assert export_answers(one, tmp_path / "one.jsonl") == 4
    assert export_answers(other, tmp_path / "other.jsonl") == 4
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert [path.name for path in tmp_path.glob("*.part")] == []


@settings(max_examples=25)
@given(
    answer=st.text(),
    parameters=st.dictionaries(
        st.text(), st.none() | st.booleans() | st.text() | st.integers(-(2**53), 2**53)
    ),
)
def test_any_answer_comes_back_from_a_file_as_it_was(
    answer: str, parameters: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    cache, back = Cache(folder / "a.sqlite"), Cache(folder / "b.sqlite")
    with cache.session() as session:
        session.add(entry(answer, parameters=parameters))
    export_answers(cache, folder / "a.jsonl")

    assert import_answers(back, folder / "a.jsonl").added == 1
    assert list(lines(back)) == list(lines(cache))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda line: line[:-5], "no answer of a judge"),
        (lambda line: "null", "no answer of a judge"),
        (lambda line: "[" * 5_000, "no answer of a judge"),
        (lambda line: line.replace('"score', '"worse'), None),
        (lambda line: line.replace('"model":"m"', '"model":"n"'), "its address is not the digest"),
        (lambda line: line.replace('"sample":0', '"sample":1'), "its address is not the digest"),
        (lambda line: line.replace('"model"', '"modell"'), "no answer of a judge"),
        (lambda line: line.replace("judge/1", "judge/2"), "schema must be 'ethogram.judge/1'"),
        (lambda line: line + " " * 1_000_001, "longer than 1,000,000 bytes"),
    ],
)
def test_lines_that_are_no_answers_are_named(damage: Any, why: str | None, tmp_path: Path) -> None:
    (line,) = lines(filled(tmp_path / "a.sqlite", [0]))
    (good,) = lines(filled(tmp_path / "b.sqlite", [7]))
    file = tmp_path / "a.jsonl"
    file.write_text(f"\n{damage(line)}\n{good}\n", "utf-8")
    done = import_answers(Cache(tmp_path / "c.sqlite"), file)

    assert done.added == (1 if why else 2)
    assert [sentence.partition(": ")[0] for sentence in done.bad] == (
        [f"{file}, line 2"] if why else []
    )
    assert all(str(why) in sentence for sentence in done.bad)


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"schema": "\xff\xfe"}\n\x00\x01\n')

    assert len(import_answers(Cache(tmp_path / "c.sqlite"), file).bad) == 2


def test_what_the_cache_has_stays_and_differences_are_counted(tmp_path: Path) -> None:
    mine = filled(tmp_path / "mine.sqlite", [0, 1])
    theirs = Cache(tmp_path / "theirs.sqlite")
    with theirs.session() as session:
        session.add(entry("another", sample=0))
        session.add(entry('{"score": 2}', sample=1))
        session.add(entry("new", sample=2))
    export_answers(theirs, tmp_path / "theirs.jsonl")
    before = list(lines(mine))
    done = import_answers(mine, tmp_path / "theirs.jsonl")

    assert (done.added, done.known, done.differing, done.bad) == (1, 2, 1, ())
    assert set(before) < set(lines(mine))


def test_lines_hold_neither_words_of_the_question_nor_a_server(tmp_path: Path) -> None:
    (line,) = lines(filled(tmp_path / "a.sqlite", [0]))

    assert set(json.loads(line)) == {"schema", *Entry.__struct_fields__}
    assert "How alike" not in line


def test_only_files_are_imported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a file of answers"):
        import_answers(Cache(tmp_path / "c.sqlite"), tmp_path)
    with pytest.raises(FileNotFoundError):
        import_answers(Cache(tmp_path / "c.sqlite"), tmp_path / "none")
