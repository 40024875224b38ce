"""A format as plain as can be, its rival and its failures, for tests of what reads files.

A file is JSONL; a line is a run: ``{"toy": 1, "task": ..., "actions": [...]}`` with whatever
`ethogram.simulate.build.run` takes. ``raise`` fails in the reader.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ethogram.errors import MalformedTrajectoryError
from ethogram.formats.base import Format, Probe, Source
from ethogram.simulate.build import run
from ethogram.trajectory import Problem, Trajectory


def sniff(probe: Probe) -> bool:
    return probe.head.lstrip().startswith(b'{"toy"')


def sniff_rival(probe: Probe) -> bool:
    return b'"rival"' in probe.head


def declares(probe: Probe) -> bool:
    return b'"format": "declared"' in probe.head


def never(probe: Probe) -> bool:
    return False


def fail(probe: Probe) -> bool:
    if b"stumble" in probe.head:
        raise AttributeError("stumbled")
    return False


def read(source: Source) -> Iterator[Trajectory | Problem]:
    for number, line in source.lines():
        try:
            values = json.loads(line)
        except ValueError as err:
            yield Problem(reason=f"{source.name}:{number}: {err}", record=f"line {number}")
            continue
        yield from _runs(values, f"line {number}")


def _runs(values: dict[str, Any], record: str) -> Iterator[Trajectory | Problem]:
    if values.get("raise"):
        raise {
            "malformed": MalformedTrajectoryError("x"),
            "zero": ZeroDivisionError("x"),
            "disk": OSError(5, "Input/output error"),
        }[values["raise"]]
    given = {
        name: value for name, value in values.items() if name not in {"toy", "rival", "format"}
    }
    made = run(given.pop("actions", ["ls"]), **{"record": record, "native_id": None, **given})
    yield made


TOY: Final = Format("toy", sniff=sniff, read=read, about="For tests.")
RIVAL: Final = Format("rival", sniff=sniff_rival, read=read, about="Claims files of others.")
DECLARED: Final = Format("declared", sniff=never, declares=declares, read=read, about="Says so.")
STUMBLING: Final = Format("stumbling", sniff=fail, read=read, about="Fails to recognise.")


def line(**values: Any) -> str:
    """One run of a toy file."""
    return json.dumps({"toy": 1, **values})


def write(path: Path, *runs: dict[str, Any]) -> Path:
    """Write a toy file; its folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line(**values)}\n" for values in runs), encoding="utf-8")
    return path


def write_all(folder: Path, names: Sequence[str]) -> Path:
    """Write toy files of one run each; the run's task is called like its file."""
    for name in names:
        write(folder / name, {"task": name})
    return folder
