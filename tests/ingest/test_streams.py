import bz2
import gzip
import io
import lzma
from collections.abc import Callable

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import ArchiveLimitError
from ethogram.ingest import streams
from ethogram.ingest.streams import BROKEN, Limited, unpack, unpacked

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: zstandard.ZstdCompressor().compress(content),
}
NOISE = np.random.default_rng(0).bytes(300_000)


@pytest.fixture(params=list(PACK))
def pack(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    return PACK[request.param]


@pytest.mark.parametrize("content", [b"", b"x", NOISE, b"a" * 5_000_000], ids=len)
def test_what_is_packed_is_unpacked_by_content(
    pack: Callable[[bytes], bytes], content: bytes
) -> None:
    assert unpack(pack(content), "f") == content


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f", NOISE])
def test_what_is_not_packed_is_left_as_it_is(content: bytes) -> None:
    assert unpack(content, "f") == content


def test_several_streams_one_after_the_other_are_one(pack: Callable[[bytes], bytes]) -> None:
    assert unpack(pack(b"one ") + pack(NOISE) + pack(b" two"), "f") == b"one " + NOISE + b" two"


@pytest.mark.parametrize("share", [0.3, 0.999])
def test_what_is_cut_short_is_never_taken_as_whole(
    pack: Callable[[bytes], bytes], share: float
) -> None:
    packed = pack(NOISE)

    with pytest.raises(BROKEN):
        unpack(packed[: int(len(packed) * share)], "f")


def test_what_is_damaged_is_an_error_of_the_listed_ones(pack: Callable[[bytes], bytes]) -> None:
    packed = bytearray(pack(NOISE))
    packed[len(packed) // 2 : len(packed) // 2 + 400] = b"damaged!" * 50
    try:
        unpacked_anyway = unpack(bytes(packed), "f")
    except BROKEN:
        return
    assert unpacked_anyway != NOISE  # zstd writes no checksum unless it is asked to


@given(sizes=st.lists(st.integers(0, 9_000), max_size=30))
def test_a_stream_may_be_read_in_any_portions(sizes: list[int]) -> None:
    content = NOISE[:20_000] + bytes(20_000)
    packed = PACK["zst"](content[:30_000]) + PACK["zst"](content[30_000:])
    stream = Limited(unpacked(io.BytesIO(packed)), "f", len(packed), 10**6)
    parts = [stream.read(size) for size in sizes]

    assert [len(p) for p in parts[:4]] == sizes[:4]
    assert b"".join(parts) + stream.read() == content
    assert stream.total == len(content)


def test_what_comes_before_a_break_is_given(pack: Callable[[bytes], bytes]) -> None:
    content = np.random.default_rng(1).bytes(1_200_000)
    packed = pack(content)[:-200_000]
    stream = Limited(unpacked(io.BytesIO(packed)), "f", len(packed), 10**9)
    parts: list[bytes] = []
    with pytest.raises(BROKEN):
        parts.extend(iter(lambda: stream.read(50_000), b""))

    whole = b"".join(parts)
    assert content.startswith(whole)
    assert len(whole) > 300_000


def test_a_file_that_unpacks_to_too_much_is_refused(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_MEMBER_BYTES", 1_000_000)

    assert len(unpack(pack(bytes(1_000_000)), "f")) == 1_000_000
    with pytest.raises(ArchiveLimitError, match="f: unpacks to over 1,000,000 bytes, the limit"):
        unpack(pack(bytes(1_000_001)), "f")


def test_a_ratio_that_no_text_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FREE_BYTES", 100_000)
    packed = lzma.compress(bytes(5_000_000))

    with pytest.raises(ArchiveLimitError, match="allowed: 1,000 times as much"):
        unpack(packed, "f")
    assert len(unpack(lzma.compress(bytes(100_000)), "f")) == 100_000


def test_a_bomb_is_stopped_long_before_its_end() -> None:
    given_out = 0

    class Endless:
        def read1(self, size: int = -1, /) -> bytes:
            nonlocal given_out
            given_out += size
            return bytes(size)

    with pytest.raises(ArchiveLimitError):
        Limited(Endless(), "f", on_disk=10, limit=2**40).read()
    assert given_out < streams.RATIO_FREE_BYTES + 2 * 2**20
