import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from archive_files import KINDS, link, pack, tar_bytes, zip_bytes

from ethogram.ingest import streams
from ethogram.ingest.archives import Member, is_archive, read_archive
from ethogram.trajectory import Problem

FILES = {"a/one.json": b"1" * 700, "a/b/two.json": b"22", "three": b""}
NOISE = np.random.default_rng(0).bytes(100_000)


def read(path: Path, part: str = "") -> tuple[dict[str, bytes], list[Problem]]:
    items = list(read_archive(path, "X", part))
    members = {i.source.name: i.source.read() for i in items if isinstance(i, Member)}
    return members, [i for i in items if isinstance(i, Problem)]


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    (tmp_path / name).write_bytes(content)
    return tmp_path / name


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_archive_is_read_in_place(tmp_path: Path, kind: str) -> None:
    path = pack(tmp_path / f"x{kind}", FILES)

    assert is_archive(path)
    assert read(path) == ({f"X::{name}": content for name, content in FILES.items()}, [])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["x.json", "tar", "x.json.gz", "x.zst", "x.tar.json"])
def test_other_files_are_no_archives(name: str) -> None:
    assert not is_archive(Path(name))


def test_an_archive_is_unpacked_by_content_whatever_its_suffix(tmp_path: Path) -> None:
    assert read(written(tmp_path, "x.tar.gz", tar_bytes(FILES, "w:xz")))[0].keys() == {
        f"X::{name}" for name in FILES
    }


def test_a_zip_may_be_packed_with_zstd(tmp_path: Path) -> None:
    import zipfile_zstd  # noqa: F401

    path = written(tmp_path, "x.zip", zip_bytes(FILES, 93))

    assert read(path) == ({f"X::{name}": content for name, content in FILES.items()}, [])


@pytest.mark.parametrize("kind", [".tar.xz", ".zip"])
@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("a", {"a/one.json", "a/b/two.json"}),
        ("a/", {"a/one.json", "a/b/two.json"}),
        ("a/b/", {"a/b/two.json"}),
        ("three", {"three"}),
        ("/a/b/two.json", {"a/b/two.json"}),
    ],
)
def test_a_part_holds_what_lies_at_or_below_it(
    tmp_path: Path, kind: str, part: str, expected: set[str]
) -> None:
    members, problems = read(pack(tmp_path / f"x{kind}", FILES), part)

    assert members.keys() == {f"X::{name}" for name in expected}
    assert problems == []


@pytest.mark.parametrize("part", ["b", "a/one", "thre", "../a"])
def test_a_part_that_is_not_there_is_said(tmp_path: Path, part: str) -> None:
    members, problems = read(pack(tmp_path / "x.tar", FILES), part)

    assert members == {}
    assert [p.reason for p in problems] == [f"X: no file of the archive lies at or below {part!r}"]


def test_names_that_leave_the_archive_are_only_names(tmp_path: Path) -> None:
    files = {"../../evil.json": b"1", "/etc/evil": b"2", "./a": b"3"}
    for kind in (".tar", ".zip"):
        members, problems = read(pack(tmp_path / f"x{kind}", files))

        assert members == {"X::../../evil.json": b"1", "X::/etc/evil": b"2", "X::a": b"3"}
        assert problems == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.tar", "x.zip"]


def test_links_and_devices_are_not_followed(tmp_path: Path) -> None:
    extra = (
        link("l", "/etc/passwd"),
        link("h", "/etc/passwd", tarfile.LNKTYPE),
        link("fifo", "", tarfile.FIFOTYPE),
        link("device", "", tarfile.CHRTYPE),
    )
    path = written(tmp_path, "x.tar", tar_bytes({"a": b"1"}, extra=extra))

    assert read(path) == ({"X::a": b"1"}, [])


def test_a_link_in_a_zip_is_not_read_as_a_file(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("l.json")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("a", "1")

    assert read(written(tmp_path, "x.zip", packed.getvalue())) == ({"X::a": b"1"}, [])


def test_hidden_members_are_left_out_as_in_folders(tmp_path: Path) -> None:
    files = {"a/._one.json": b"x", "__MACOSX/a": b"x", ".git/x": b"x", "a/one": b"1"}
    for kind in (".tar", ".zip"):
        assert read(pack(tmp_path / f"x{kind}", files))[0] == {"X::a/one": b"1"}
    assert read(pack(tmp_path / "x.tar", files), ".git/")[0] == {"X::.git/x": b"x"}


def test_a_member_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "x.tar", tar_bytes({os.fsdecode(b"a\xff"): b"1"}))

    assert read(path)[0] == {"X::a\\udcff": b"1"}


@pytest.mark.parametrize("kind", [".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"])
def test_of_an_archive_cut_short_the_members_before_the_break_are_kept(
    tmp_path: Path, kind: str
) -> None:
    path = pack(tmp_path / f"x{kind}", {"a": NOISE, "b": NOISE[::-1]})
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.9)])
    members, problems = read(path)

    if kind != ".tar.bz2":  # its blocks are so large that all is lost with the last one
        assert members == {"X::a": NOISE}
    assert len(problems) == 1
    assert "broken or cut short after" in problems[0].reason
    assert problems[0].severity == "error"


def test_a_tar_that_ends_between_two_members_is_not_taken_as_whole(tmp_path: Path) -> None:
    whole = tar_bytes({"a": b"1" * 512, "b": b"2" * 512})
    members, problems = read(written(tmp_path, "x.tar", whole[:1024]))

    assert members == {"X::a": b"1" * 512}
    assert [(p.reason, p.severity) for p in problems] == [
        ("X: the archive has no end mark: it may be cut short", "warning")
    ]


@pytest.mark.parametrize("size", [512, 2**18 - 512, 2**18, 2**20])
def test_the_end_mark_is_found_wherever_it_lies(tmp_path: Path, size: int) -> None:
    path = written(tmp_path, "x.tar", tar_bytes({"a": bytes(size)})[: size + 1024])

    assert read(path) == ({"X::a": bytes(size)}, [])


def test_a_tar_damaged_between_two_members_says_that_more_was_lost(tmp_path: Path) -> None:
    content = bytearray(tar_bytes({"a": b"1", "b": b"2", "c": b"3"}))
    content[1024:1536] = b"damage!!" * 64
    members, problems = read(written(tmp_path, "x.tar", bytes(content)))

    assert members == {"X::a": b"1"}
    assert [p.reason for p in problems] == [
        "X: the archive is damaged at byte 1,024: what follows is not read"
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"", b"no archive", NOISE[:5_000]], ids=len)
def test_what_is_no_archive_at_all_is_one_problem(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    members, problems = read(written(tmp_path, f"x{kind}", content))

    assert members == {}
    assert len(problems) == 1
    assert problems[0].reason.startswith("X: the archive is broken or cut short after 0")


def test_a_bad_member_of_a_zip_loses_none_of_the_others(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"a": b"1" * 50, "b": b"2" * 50, "c": b"3"}, zipfile.ZIP_STORED))
    content[content.index(b"2" * 50)] = ord("x")
    members, problems = read(written(tmp_path, "x.zip", bytes(content)))

    assert members.keys() == {"X::a", "X::c"}
    assert [(p.source, "can't be read: Bad CRC-32" in p.reason) for p in problems] == [
        ("X::b", True)
    ]


def test_an_encrypted_member_of_a_zip_is_said(tmp_path: Path) -> None:
    content = bytearray(zip_bytes({"a": b"1", "b": b"2"}))
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(mark) + offset] |= 1
    members, problems = read(written(tmp_path, "x.zip", bytes(content)))

    assert members == {"X::b": b"2"}
    assert "encrypted" in problems[0].reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_over_the_limit_is_left_out_and_said(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_MEMBER_BYTES", 1_000)
    path = pack(tmp_path / f"x{kind}", {"a": b"1", "big": bytes(1_001), "b": b"2"})
    members, problems = read(path)

    assert members == {"X::a": b"1", "X::b": b"2"}
    assert [(p.source, p.reason) for p in problems] == [
        ("X::big", "X::big: unpacks to over 1,000 bytes, the limit")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_over_the_limit_ends_there(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_TOTAL_BYTES", 600_000)
    path = pack(tmp_path / f"x{kind}", {name: bytes(300_000) for name in "abc"})
    members, problems = read(path)

    assert set(members) < {"X::a", "X::b", "X::c"}
    assert [p.reason.partition(";")[0] for p in problems] == [
        "X: unpacks to over 600,000 bytes, the limit"
    ]


def test_a_bomb_in_a_header_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FREE_BYTES", 2**18)
    header = link("x", "", tarfile.GNUTYPE_LONGNAME)
    header.size = 2**33
    bomb = lzma.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(2**23))
    members, problems = read(written(tmp_path, "x.tar.xz", bomb))

    assert members == {}
    assert ["times as much" in p.reason for p in problems] == [True]


def test_a_sparse_member_counts_by_its_real_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_MEMBER_BYTES", 2**20)
    info = link("hole", "", tarfile.GNUTYPE_SPARSE)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[483:495] = b"%011o\0" % 2**32
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    members, problems = read(written(tmp_path, "x.tar", bytes(header) + bytes(1024)))

    assert members == {}
    assert ["unpacks to over" in p.reason for p in problems] == [True]


@pytest.mark.parametrize("mtime", ["nan", "inf", "-1e300", "1e300"])
def test_a_nonsense_time_loses_nothing(tmp_path: Path, mtime: str) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("a")
        info.size, info.pax_headers = 1, {"mtime": mtime}
        tar.addfile(info, io.BytesIO(b"1"))
    path = written(tmp_path, "x.tar", packed.getvalue())

    assert read(path) == ({"X::a": b"1"}, [])
    assert [i.modified_ns for i in read_archive(path, "X") if isinstance(i, Member)] == [0]


def test_a_member_has_a_time_and_a_size_by_which_it_is_known_again(tmp_path: Path) -> None:
    for kind in (".tar.gz", ".zip"):
        path = pack(tmp_path / f"x{kind}", {"a": b"1"})
        before = [(m.modified_ns, m.size) for m in read_archive(path, "X") if isinstance(m, Member)]
        again = [(m.modified_ns, m.size) for m in read_archive(path, "X") if isinstance(m, Member)]
        pack(path, {"a": b"2"})
        after = [(m.modified_ns, m.size) for m in read_archive(path, "X") if isinstance(m, Member)]

        assert before == again
        assert (before != after) == (kind == ".zip")  # a tar member's time is all there is


def test_the_bytes_on_disk_add_up_to_the_archive(tmp_path: Path) -> None:
    path = pack(tmp_path / "x.tar.xz", dict.fromkeys("abc", NOISE))
    spent = [m.on_disk for m in read_archive(path, "X") if isinstance(m, Member)]

    assert 0.9 * path.stat().st_size < sum(spent) <= path.stat().st_size


def test_random_damage_is_never_more_than_problems(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for kind in (".tar", ".tar.gz", ".tar.zst", ".zip"):
        path = pack(tmp_path / f"x{kind}", {f"f{i}": NOISE[: 50 * i] for i in range(20)})
        whole = path.read_bytes()
        for _ in range(40):
            broken = bytearray(whole)
            for place in rng.integers(len(broken), size=rng.integers(1, 9)):
                broken[place] = rng.integers(256)
            path.write_bytes(bytes(broken))
            read(path)
