"""Small files that the user names: tables, aliases, mappings."""

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
