"""Write docs/reference from the code; with --check, fail if a page is out of date."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import ethogram
from ethogram import errors
from ethogram.cli.app import COMMANDS
from ethogram.cohort import schema
from ethogram.formats import FORMATS
from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.results.schema import result_schema

ROOT: Final = Path(__file__).parent.parent
REFERENCE: Final = ROOT / "docs" / "reference"
NOTE: Final = "<!-- Made by tools/generate_docs.py; edit the code instead. -->\n\n"


def help_of(*command: str) -> str:
    """What ``ethogram COMMAND --help`` prints, at a fixed width."""
    environment = {**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    words = [sys.executable, "-m", "ethogram", *command, "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def cli_page() -> str:
    """The command line, command by command."""
    page = f"{NOTE}# Command line\n\n```\n{help_of()}\n```\n"
    for name in COMMANDS:
        page += f"\n## ethogram {name}\n\n```\n{help_of(name)}\n```\n"
    return page


def formats_page() -> str:
    """The formats that are read."""
    page = f"{NOTE}# Formats\n\nA file's format is found by its content; `--format NAME` says it.\n"
    for form in FORMATS:
        page += f"\n## {form.name}\n\n{form.about}\n"
        if form.left_out:
            page += f"\nLeft out of the settings that tell two systems apart: {form.left_out}\n"
        if form.docs_url:
            page += f"\nDescribed in <{form.docs_url}>.\n"
    return page + "\nYour own logs: see [map your own logs](../how-to/map-your-own-logs.md).\n"


def cohort_page() -> str:
    """The tables of a cohort."""
    page = f"{NOTE}# Cohort: the six tables\n\n{inspect.getdoc(schema)}\n"
    for table, columns in schema.TABLES.items():
        page += f"\n## {table}\n\n| column | type |\n|---|---|\n"
        page += "".join(f"| `{name}` | {_type(dtype)} |\n" for name, dtype in columns.items())
    return page


def _type(dtype: object) -> str:
    text = str(dtype() if inspect.isclass(dtype) else dtype)
    return _cell(text.replace("categories=", ""))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def measures_page() -> str:
    """The measures, from their catalogue."""
    header = ("name", "what", "unit", "formula", "higher means", "source")
    page = f"{NOTE}# Measures\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}\n"
    for measure in CATALOGUE.values():
        formula = f"${measure.formula}$" if measure.formula else ""
        cells = (
            f"`{measure.name}`",
            measure.label,
            measure.unit,
            formula,
            measure.higher_means or "",
            measure.reference or "",
        )
        page += f"| {' | '.join(map(_cell, cells))} |\n"
    return page


def errors_page() -> str:
    """The exceptions."""
    return f"{NOTE}# Errors\n\n```\n{inspect.getdoc(errors)}\n```\n"


def api_page() -> str:
    """The public names of the library."""
    page = f"{NOTE}# Library\n\n```python\nimport ethogram as eg\n```\n"
    for name in ethogram.__all__:
        value = getattr(ethogram, name)
        signature = str(inspect.signature(value)) if callable(value) else ""
        page += f"\n## {name}\n\n```\n{name}{signature}\n\n{inspect.getdoc(value)}\n```\n"
    return page


def schema_page() -> str:
    """The JSON schema of every result."""
    return json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n"


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "cli.md": cli_page,
    "formats.md": formats_page,
    "cohort.md": cohort_page,
    "measures.md": measures_page,
    "errors.md": errors_page,
    "library.md": api_page,
    "result.schema.json": schema_page,
}


def main() -> int:
    """Write the pages, or say which are out of date."""
    check = "--check" in sys.argv[1:]
    stale = []
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{'out of date' if check else 'written'}: docs/reference/{name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
