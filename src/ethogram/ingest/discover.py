"""What the user names -> files to read: paths, folders, globs, archives and parts of archives."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Final

from ethogram.cohort.storage import INDEX, is_cohort
from ethogram.errors import InputError
from ethogram.formats.base import Source
from ethogram.ingest.archives import HIDDEN, is_archive, read_archive
from ethogram.trajectory import Problem, Severity
from ethogram.user_files import reason_of

SEPARATOR: Final = "::"
_GLOB: Final = frozenset("*?[")


@dataclass(frozen=True)
class Root:
    """One thing that the user named, resolved: a file, a folder, an archive or a part of one."""

    path: Path
    part: str = ""

    @property
    def name(self) -> str:
        """As it is printed."""
        name = printable(self.path)
        return f"{name}{SEPARATOR}{self.part}" if self.part else name


@dataclass(frozen=True)
class Listing:
    """The files of a root, archives included, and what of it can't be read."""

    root: Root
    files: tuple[Path, ...]
    n_bytes: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Found:
    """A file to be read."""

    source: Source
    size: int
    """Bytes of the file; of an archive's member, unpacked."""
    modified_ns: int
    relative: str
    """Path below the folder that the user named, for layouts; as named if it is no folder."""
    on_disk: int = 0
    """Bytes on disk that are done with when this file is read, for progress."""


def printable(path: str | Path) -> str:
    """A path as text; bytes of its name that are no text are written as numbers."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def resolve_roots(paths: Iterable[str | Path]) -> list[Root]:
    """Resolve what the user named.

    Raises
    ------
    InputError
        If a path does not exist, a glob finds nothing, or a part is not one of an archive.
    """
    roots: list[Root] = []
    for given in paths:
        roots += _resolved(str(given))
    for root in roots:
        if root.part and not is_archive(root.path):
            raise InputError(f"{root.name}: {root.path} is not an archive and has no parts")
        if is_cohort(root.path):
            raise InputError(
                f"{root.name}: is a cohort already, made by an earlier read; name the trajectories"
            )
    return list(dict.fromkeys(roots))


def _resolved(text: str) -> list[Root]:
    whole = Path(text).expanduser()
    if whole.exists():
        if not (whole.is_file() or whole.is_dir()):
            raise InputError(f"{text}: neither a file nor a folder, but a pipe or a device")
        return [Root(whole)]
    place, _, part = text.partition(SEPARATOR)
    path = Path(place).expanduser()
    if part and path.exists():
        return [Root(path, part)]
    if _GLOB & set(place):
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
        if not matches:
            raise InputError(f"{text}: no file matches")
        return [Root(Path(match), part) for match in matches]
    raise InputError(f"{text}: no such file or folder")


def list_files(root: Root, *, leave_out: Path | None = None) -> Listing:
    """Files below a root, archives included, sorted.

    Hidden files and folders, cohorts, and the folder that is written to are left out. Links to
    files are followed, links to folders are not: they can run in circles.

    Parameters
    ----------
    root : Root
        What the user named.
    leave_out : Path, optional
        A folder that is no input.
    """
    if not root.path.is_dir():
        return Listing(root, (root.path,), root.path.stat().st_size)
    walk = _Walk(leave_out.resolve() if leave_out else None)
    walk.below(str(root.path))
    files = tuple(sorted(map(Path, walk.files), key=attrgetter("parts")))
    return Listing(root, files, walk.n_bytes, tuple(walk.problems))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


@dataclass
class _Walk:
    """Looks into every folder once.

    Of an entry it asks only what the listing of its folder leaves open: a question to the file
    system costs as much as reading a small file.
    """

    leave_out: Path | None
    files: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    n_bytes: int = 0

    def below(self, top: str) -> None:
        """Go through a folder, and those that it holds, in the order of their names."""
        to_do = [top]
        while to_do:
            entries = self._entries(folder := to_do.pop())
            names = {entry.name for entry in entries}
            if folder != top and INDEX in names and is_cohort(Path(folder)):
                self._say(folder, "a cohort, made by an earlier read: not read as input", "note")
                continue
            inner = []
            for entry in entries:
                if entry.name.startswith(HIDDEN):
                    continue
                if _is_folder(entry):
                    inner += [entry.path] if self._enters(entry) else []
                else:
                    self._file(entry)
            to_do += reversed(inner)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=attrgetter("name"))
        except OSError as err:
            self._say(folder, f"can't be read: {reason_of(err)}", "error")
            return []

    def _enters(self, folder: os.DirEntry[str]) -> bool:
        if folder.is_symlink():
            what = "a link to a folder: not followed; name the folder itself"
            self._say(folder.path, what, "warning")
            return False
        # No link leads here, so a folder of another name is another one: resolving costs a look at
        # every folder above it.
        left_out = self.leave_out
        return (
            left_out is None
            or folder.name != left_out.name
            or Path(folder.path).resolve() != left_out
        )

    def _file(self, file: os.DirEntry[str]) -> None:
        try:
            status = file.stat()
        except OSError as err:
            self._say(file.path, f"can't be read: {reason_of(err)}", "warning")
            return
        if stat.S_ISREG(status.st_mode):
            self.files.append(file.path)
            self.n_bytes += status.st_size

    def _say(self, path: str, what: str, severity: Severity) -> None:
        name = printable(Path(path))  # as files are named: without the `./` of the folder `.`
        self.problems.append(Problem(reason=f"{name}: {what}", source=name, severity=severity))


def total_bytes(paths: Iterable[str | Path]) -> int:
    """Bytes on disk that a read of some paths will go through."""
    return sum(list_files(root).n_bytes for root in resolve_roots(paths))


def walk(root: Root, path: Path) -> Iterator[Found | Problem]:
    """The file itself, or the members of an archive, one after the other.

    What is wrong with an archive is a Problem; its readable members are yielded all the same.
    """
    relative = _relative(root, path)
    if not is_archive(path):
        status = path.stat()
        source = Source(printable(path), path)
        yield Found(source, status.st_size, status.st_mtime_ns, relative, status.st_size)
        return
    name = printable(path)
    part = root.part if path == root.path else ""
    for member in read_archive(path, name, part):
        if isinstance(member, Problem):
            yield member
            continue
        inner = member.source.name.removeprefix(f"{name}{SEPARATOR}")
        yield Found(
            member.source,
            member.size,
            member.modified_ns,
            f"{relative}/{inner}",
            member.on_disk,
        )


def _relative(root: Root, path: Path) -> str:
    below = path.parts[len(root.path.parts) :]
    return printable(Path(*below) if below else path)
