"""What is in a cache of answers, as a result."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import polars as pl

from ethogram.judging.budget import Usage, cost
from ethogram.judging.cache import Cache, Entry
from ethogram.judging.prices import load_prices
from ethogram.judging.prompt import load_prompt
from ethogram.results.provenance import Provenance
from ethogram.results.result import Result
from ethogram.results.table import Column, Table

_SCHEMA: Final = {
    "model": pl.String,
    "prompt": pl.String,
    "prompt_version": pl.Int64,
    "temperature": pl.Float64,
    "n_answers": pl.Int64,
    "n_samples": pl.Int64,
    "input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "cost_usd": pl.Float64,
}
_COLUMNS: Final = (
    Column("model", "model"),
    Column("prompt", "prompt"),
    Column("prompt_version", "version"),
    Column("temperature", "temperature", "", "null: left to the server"),
    Column("n_answers", "answers"),
    Column("n_samples", "samples", "", "most answers to the same question"),
    Column("input_tokens", "input tokens", "tokens"),
    Column("output_tokens", "output tokens", "tokens"),
    Column("cost_usd", "cost", "usd", "null where the price is not known"),
)
_Key = tuple[str, str, int, float | None]


def inventory(cache: Cache) -> Result:
    """How many answers of which model to which prompt a cache holds, and what they cost."""
    prices = load_prices()
    groups: dict[_Key, list[Entry]] = defaultdict(list)
    with cache.session(make=False) as session:
        for entry in session.entries():
            groups[_key(entry)].append(entry)
    rows = []
    for key in sorted(groups, key=str):
        usage = _usage(groups[key])
        dollars = cost(usage, prices.of(key[0]))
        samples = max(entry.sample for entry in groups[key]) + 1
        tokens = (usage.input_tokens, usage.output_tokens)
        rows.append((*key, len(groups[key]), samples, *tokens, dollars))
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    about = f"Costs by prices of {prices.date}."
    return Result(
        kind="judge",
        tables={"answers": Table("answers", "Answers in the cache", frame, _COLUMNS, about)},
        notes=(),
        provenance=Provenance(measure="judge", measure_version=1, cohort_digest=""),
        summary=(f"{frame['n_answers'].sum():,} answers in {cache.path}.",),
    )


def _key(entry: Entry) -> _Key:
    temperature = entry.parameters.get("temperature")
    known = float(temperature) if isinstance(temperature, int | float) else None
    return entry.model, entry.prompt, entry.prompt_version, known


def _usage(entries: Iterable[Entry]) -> Usage:
    return sum(
        (
            Usage(
                input_tokens=entry.input_tokens or 0,
                output_tokens=entry.output_tokens or 0,
            )
            for entry in entries
        ),
        Usage(),
    )


def prompt_text(name: str) -> str:
    """A prompt with its version and its schema, as people read it.

    Raises
    ------
    UnknownNameError
        If no prompt is called so.
    """
    prompt = load_prompt(name)
    schema = json.dumps(prompt.schema, indent=2, ensure_ascii=False)
    return f"{prompt.name}, version {prompt.version}: {prompt.about}\n\n{prompt.body}\n\n{schema}"
