"""Files that the user names: small ones read whole, and what to say of one that can't be read."""

import errno
from pathlib import Path


def read_regular(path: str | Path) -> bytes:
    """All bytes of a regular file.

    Raises
    ------
    OSError
        If the file can't be read; also for a pipe or a device, which might never end.
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "a pipe or a device, not a file", str(path))
    return path.read_bytes()


def reason_of(error: Exception) -> str:
    """What went wrong, for a sentence that names the file: without Python's number and path.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "kinds.toml"))
    'No such file or directory'
    >>> reason_of(EOFError())
    'EOFError'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
