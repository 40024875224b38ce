"""Archives of every kind, made on the spot."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import zstandard

TAR_MODES = {
    ".tar": "w",
    ".tar.gz": "w:gz",
    ".tgz": "w:gz",
    ".tar.bz2": "w:bz2",
    ".tar.xz": "w:xz",
    ".txz": "w:xz",
    ".tar.zst": "w",
    ".zip": "",
}
KINDS = tuple(TAR_MODES)

Files = Mapping[str, bytes]


def tar_bytes(files: Files, mode: str = "w", extra: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    """A tar with these files and, at its beginning, these members without content."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as tar:  # type: ignore[call-overload]
        for info in extra:
            tar.addfile(info)
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mtime = 1_700_000_000
            tar.addfile(info, io.BytesIO(content))
    return written.getvalue()


def zip_bytes(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return written.getvalue()


def pack(path: Path, files: Files) -> Path:
    """Write an archive of the kind that its name says."""
    suffix = next(kind for kind in KINDS if path.name.endswith(kind))
    content = zip_bytes(files) if suffix == ".zip" else tar_bytes(files, TAR_MODES[suffix])
    if suffix == ".tar.zst":
        content = zstandard.ZstdCompressor().compress(content)
    path.write_bytes(content)
    return path


def squeeze(content: bytes, suffix: str) -> bytes:
    """Pack bytes as a suffix says."""
    pack_with: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": lambda given: zstandard.ZstdCompressor().compress(given),
    }
    return pack_with[suffix](content)


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """A link within a tar."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info
