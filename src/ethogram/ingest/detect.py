"""Which format is this file? By its content, and never by a guess between two."""

from collections.abc import Sequence

from ethogram.errors import AmbiguousFormatError
from ethogram.formats.base import Format, Probe


def detect(probe: Probe, formats: Sequence[Format]) -> Format | None:
    """The one format that claims a file, or None.

    A file that names its own format is of that format. Otherwise every format's ``sniff`` is asked.

    Raises
    ------
    AmbiguousFormatError
        If more than one format claims the file.
    """
    declared = [f for f in formats if f.declares is not None and f.declares(probe)]
    claims = declared or [f for f in formats if f.sniff(probe)]
    if len(claims) > 1:
        raise AmbiguousFormatError(
            f"{probe.source.name}: could be {' or '.join(f.name for f in claims)}; "
            f"say which with --format"
        )
    return claims[0] if claims else None
