"""``ethogram formats``."""

from typing import Final

from ethogram.cli.options import AsCsv, AsJson
from ethogram.cli.output import emit

NAME: Final = "formats"


def command(*, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the formats that are read."""
    from ethogram.ingest.closing import formats_result

    emit(formats_result(), as_json=as_json, as_csv=as_csv)
