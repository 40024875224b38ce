"""What the user names -> files to read: paths, folders, globs, archives and parts of archives."""

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ethogram.errors import InputError
from ethogram.formats.base import Source
from ethogram.ingest.archives import is_archive, read_archive

SEPARATOR: Final = "::"
_HIDDEN: Final = (".", "__MACOSX")
_GLOB: Final = frozenset("*?[")


@dataclass(frozen=True)
class Root:
    """One thing that the user named, resolved: a file, a folder, an archive or a part of one."""

    path: Path
    part: str = ""

    @property
    def name(self) -> str:
        """As it is printed."""
        return f"{self.path}{SEPARATOR}{self.part}" if self.part else str(self.path)


@dataclass(frozen=True)
class Found:
    """A file to be read."""

    source: Source
    size: int
    modified_ns: int
    root: Root

    @property
    def relative(self) -> str:
        """Path below the root that the user named, for layouts and mappings."""
        name = self.source.name
        base = str(self.root.path)
        if self.source.path is None:
            return name.partition(SEPARATOR)[2]
        if self.root.path.is_dir():
            return name.removeprefix(base).lstrip("/")
        return Path(name).name


def resolve_roots(paths: Iterable[str | Path]) -> list[Root]:
    """Resolve what the user named.

    Raises
    ------
    InputError
        If a path does not exist, or a glob finds nothing.
    """
    roots: list[Root] = []
    for given in paths:
        text = str(given)
        place, _, part = text.partition(SEPARATOR)
        path = Path(place).expanduser()
        if path.exists():
            roots.append(Root(path, part))
        elif _GLOB & set(place):
            matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
            if not matches:
                raise InputError(f"{text}: no file matches")
            roots += [Root(Path(match), part) for match in matches]
        else:
            raise InputError(f"{text}: no such file or folder")
    return list(dict.fromkeys(roots))


def list_files(root: Root) -> list[Path]:
    """Files below a root, archives included, sorted; hidden ones are left out."""
    if not root.path.is_dir():
        return [root.path]
    folder = root.path
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(p.startswith(_HIDDEN) for p in path.relative_to(folder).parts)
    )


def total_bytes(roots: Iterable[Root]) -> int:
    """Bytes on disk that a read will go through, for progress and for the size of batches."""
    return sum(path.stat().st_size for root in roots for path in list_files(root))


def walk(root: Root, path: Path) -> Iterator[Found]:
    """The file itself, or the members of an archive, one after the other.

    Raises
    ------
    InputError
        If an archive is broken; the members before the break have been yielded.
    """
    if is_archive(path):
        part = root.part if path == root.path else ""
        for member in read_archive(path, str(path), part):
            yield Found(member.source, member.size, member.modified_ns, root)
        return
    stat = path.stat()
    yield Found(Source(str(path), path), stat.st_size, stat.st_mtime_ns, root)
