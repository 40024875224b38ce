"""Mappings and records in short form, for tests."""

import json
from pathlib import Path
from typing import Any

from ethogram.formats.base import Source
from ethogram.formats.mapping import Mapping
from ethogram.formats.mapping_parse import parse
from ethogram.trajectory import Problem, Trajectory

STEPS = '[steps]\nlist = "steps"\naction = "do"\n'


def mapping(text: str = "", steps: str = STEPS) -> Mapping:
    return Mapping(parse(text + "\n" + steps, source="conf/m.toml"))


def source(value: Any, name: str = "runs/a.json") -> Source:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Source(name, content=content)


def lines(*values: Any, name: str = "runs/a.jsonl") -> Source:
    return Source(name, content="\n".join(json.dumps(value) for value in values).encode())


def read(made: Mapping, value: Any, name: str = "runs/a.json") -> list[Trajectory | Problem]:
    return list(made.read(value if isinstance(value, Source) else source(value, name)))


def runs(made: Mapping, value: Any, name: str = "runs/a.json") -> list[Trajectory]:
    """Runs of a file that must hold nothing else and show nothing odd."""
    found = read(made, value, name)
    good = [run for run in found if isinstance(run, Trajectory) and not run.problems]
    assert good == found
    return good


def one(text: str, value: Any, steps: str = STEPS, name: str = "runs/a.json") -> Trajectory:
    (run,) = runs(mapping(text, steps), value, name)
    return run


EXAMPLES = Path(__file__).parent.parent / "examples" / "mappings"
