"""Write docs/reference from the code; with --check, fail if a page is out of date."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import msgspec

import ethogram
from ethogram import errors
from ethogram.actions import failures
from ethogram.actions.effects import load_effects
from ethogram.actions.kinds import load_kinds
from ethogram.cli.app import command_words
from ethogram.cohort import schema
from ethogram.formats import FORMATS, mini_swe_agent_shapes, swe_agent, tau2_bench, tau_bench
from ethogram.measures.consistency import catalogue as consistency
from ethogram.measures.similarity import catalogue as similarity
from ethogram.measures.similarity.said_catalogue import SAID_CATALOGUE
from ethogram.measures.variance import catalogue as variance
from ethogram.results.schema import result_schema

ROOT: Final = Path(__file__).parent.parent
REFERENCE: Final = ROOT / "docs" / "reference"
ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
"""Where a default that is a function lies in memory: different each time."""
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
    for words in command_words():
        page += f"\n## ethogram {' '.join(words)}\n\n```\n{help_of(*words)}\n```\n"
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
    """The measures, from their catalogues."""
    page = f"{NOTE}# Measures\n"
    for name, catalogue in (
        ("variance", variance),
        ("consistency", consistency),
        ("similarity", similarity),
    ):
        page += f"\n## {name}\n\n{_measures(list(catalogue.CATALOGUE.values()))}"
    page += f"\nOf what is said (`--rps`):\n\n{_measures(list(SAID_CATALOGUE.values()))}"
    return page


def _measures(measures: list[Any]) -> str:
    header = ("name", "what", "unit", "formula", "higher means", "source")
    page = f"| {' | '.join(header)} |\n|{'---|' * len(header)}\n"
    for measure in measures:
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
        signature = ADDRESS.sub("", signature)
        page += f"\n## {name}\n\n```\n{name}{signature}\n\n{inspect.getdoc(value)}\n```\n"
    return page


def schema_page() -> str:
    """The JSON schema of every result."""
    return json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n"


ENDING_TABLES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "mini-swe-agent: exit status": (
        "`LimitsExceeded` is a limit of steps or of cost, whichever is spent.",
        {
            raw: (ending, mini_swe_agent_shapes.LIMIT_KINDS.get(raw))
            for raw, ending in mini_swe_agent_shapes.ENDINGS.items()
        },
    ),
    "swe-agent: exit status": ("`submitted (X)` ends as X does.", swe_agent.ENDINGS),
    "tau2-bench: termination reason": (
        "AgentSuite's dumps use the same words as their finish reason.",
        tau2_bench.ENDINGS,
    ),
    "tau-bench: last message": (
        "What the last message, of the user or of a tool, says or is called.",
        tau_bench.LAST_WORDS,
    ),
    "tau-bench: class of the error": (
        "Where the runner recorded an error instead. Any other class is `infra_error`.",
        tau_bench.ERRORS,
    ),
}
"""Heading -> remark, and the words of a reader with their ending (and kind of limit)."""


def endings_page() -> str:
    """What each reader makes of the words that its files end with."""
    page = f"{NOTE}# Endings\n\nWhat they mean: {_explained('errors-and-endings')}.\n"
    for heading, (remark, table) in ENDING_TABLES.items():
        page += f"\n## {heading}\n\n{remark}\n\n| recorded | ending | limit |\n|---|---|---|\n"
        for raw, found in table.items():
            ending, limit = (found, None) if isinstance(found, str) else found
            page += f"| `{raw}` | {ending} | {limit or ''} |\n"
    return page


def error_rules_page() -> str:
    """How observations tell errors."""
    asks = _words(sorted(failures.ANSWERS_BY_EXIT_CODE))
    page = (
        f"{NOTE}# Error rules\n\nWhen they are asked: {_explained('errors-and-endings')}.\n\n"
        f"Programs whose exit code 1 is an answer and no error: {asks}.\n"
    )
    rules = {**failures.TEXT_RULES, "any other format": failures.GENERIC}
    for name, rule in rules.items():
        otherwise = "no error" if rule.decides else "not known"
        page += f"\n## {name}\n\n"
        for what, pattern in (("The exit code", rule.exit_code), ("An error", rule.error)):
            page += f"{what}:\n\n```\n{pattern}\n```\n\n" if pattern else ""
        page += f"Neither: {otherwise}.\n"
    return page


def labels_page() -> str:
    """The tables of kinds and of effects, as they ship."""
    kinds, effects = load_kinds(), load_effects()
    head = takewhile(lambda line: line.startswith("#"), _shipped("kinds.toml").splitlines())
    fields = "\n".join(line[2:] for line in head)
    page = (
        f"{NOTE}# Labels: the tables that ship\n\nHow they are used: {_explained('kinds')}; how to "
        "lay yours over them: [extend the labels](../how-to/extend-the-labels.md).\n\n"
        f"```\n{fields}\n```\n"
    )
    for name in ("commands", "tools", "wrappers", "shells", "interpreters"):
        page += f"\n## {name}\n{_entries(getattr(kinds, name))}"
    for name in ("setup", "submits"):
        page += f"\n## {name}\n\n{_details(getattr(kinds, name))}\n"
    page += "\n## languages\n"
    for name, rule in kinds.languages.items():
        shown = msgspec.to_builtins(rule)
        lines = (f"{key}\n{_lines(value)}" for key, value in shown.items() if value)
        page += f"\n### {name}\n\n```\n{''.join(lines)}```\n"
    for name in ("tools", "verbs"):
        page += f"\n## effects: {name}\n\n{_grouped(getattr(effects, name), 'effect')}"
    return page


def _shipped(name: str) -> str:
    return files("ethogram.actions").joinpath(name).read_text("utf-8")


def _explained(page: str) -> str:
    return f"[explanation](../explanation/{page}.md)"


def _lines(value: Any) -> str:
    return "".join(f"  {line}\n" for line in ([value] if isinstance(value, str) else value))


def _entries(table: Mapping[str, Any]) -> str:
    """Entries that are a bare kind, kind by kind; then the others, one a row."""
    details = {name: _details(rule) for name, rule in table.items()}
    bare = {
        name: table[name].kind for name, text in details.items() if not text and _kind(table[name])
    }
    page = f"\n{_grouped(bare, 'kind')}" if bare else ""
    rows = "".join(
        f"| `{name}` | {_kind(table[name])} | {_cell(text)} |\n"
        for name, text in details.items()
        if name not in bare
    )
    return page + f"\n| name | kind | more |\n|---|---|---|\n{rows}"


def _kind(rule: msgspec.Struct) -> str:
    return getattr(rule, "kind", "")


def _grouped(words: Mapping[str, str], heading: str) -> str:
    page = f"| {heading} | names |\n|---|---|\n"
    for group in dict.fromkeys(words.values()):
        page += f"| {group} | {_words(word for word in words if words[word] == group)} |\n"
    return page


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"`{_cell(word)}`" for word in words)


def _details(rule: msgspec.Struct) -> str:
    """Whatever an entry says besides its kind."""
    fields = {name: getattr(rule, name) for name in rule.__struct_fields__ if name != "kind"}
    return "; ".join(f"*{name}* {_value(value)}" for name, value in fields.items() if value)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"`{key}` {_value(each)}" for key, each in value.items())
    if isinstance(value, msgspec.Struct):
        return f"{_kind(value)} ({_details(value)})"
    if isinstance(value, frozenset | tuple):
        return _words(sorted(value) if isinstance(value, frozenset) else value)
    return "yes" if value is True else str(value)


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "cli.md": cli_page,
    "formats.md": formats_page,
    "cohort.md": cohort_page,
    "measures.md": measures_page,
    "errors.md": errors_page,
    "endings.md": endings_page,
    "error-rules.md": error_rules_page,
    "labels.md": labels_page,
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
