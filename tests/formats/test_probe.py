"""What a file may be recognised by."""

from pathlib import Path

import pytest

from ethogram.formats.base import HEAD_BYTES, Probe, Source


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (b'{"a": 1}', b"{"),
        (b' \t\r\n\x0b[{"a": 1}]', b"["),
        (b"\xef\xbb\xbf {", b"{"),
        (b"x = {}", b"x"),
        (b"", b""),
        (b"\n ", b""),
        (b" " * (HEAD_BYTES + 100) + b"{", b""),
    ],
    ids=["object", "list", "byte-order-mark", "program", "empty", "white-space", "far-away"],
)
def test_the_first_byte_that_is_not_white_space_is_found(
    tmp_path: Path, content: bytes, first: bytes
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)

    assert Probe(Source("a.json", path)).first_byte == first
    assert Probe(Source("a.json", content=content)).first_byte == first
