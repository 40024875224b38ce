"""What the name of a tau-bench results file says: strategy, models, temperature, domain.

The file itself names no model. Only names of the two known forms are read, and a model only if it
begins like a model: anything else is None, never a guess.
"""

import re
from typing import Final

import msgspec

DOMAINS: Final = ("airline", "retail")
MODEL_PREFIXES: Final = (
    "chatgpt|claude|command|deepseek|dbrx|gemini|gemma|glm|gpt|grok|haiku|jamba|kimi|llama|magistral"
    "|meta-llama|minimax|mistral|mixtral|nemotron|nova|o1|o3|o4|opus|phi|qwen|qwq|sonnet|yi"
)
"""How the names of models begin."""

_STRATEGIES: Final = "tool-calling|few-shot|react|act"
_USER_STRATEGIES: Final = "llm|react|verify|reflection|human"
_BY_RUNNER: Final = re.compile(
    rf"(?P<strategy>{_STRATEGIES})-(?P<model>.+)-(?P<temperature>(?:0|[1-9]\d*)(?:\.\d+)?(?:e-\d+)?)"
    rf"_range_-?\d+--?\d+_user-(?P<user>.+)-(?P<user_strategy>{_USER_STRATEGIES})_\d+"
)
"""The name that tau-bench's own runner gives."""
_BY_HAND: Final = re.compile(
    rf"(?P<model>(?:{MODEL_PREFIXES})[\w.:-]*?)[-_](?P<domain>{'|'.join(DOMAINS)})(?:[-_].*)?",
    re.IGNORECASE,
)
"""The names of the published files: ``gpt-4o-airline``."""
_DOMAIN: Final = re.compile(rf"(?:^|[-_.])({'|'.join(DOMAINS)})(?:[-_.]|$)", re.IGNORECASE)


class NameParts(msgspec.Struct, frozen=True):
    """What a name says; None where it says nothing."""

    strategy: str | None = None
    model: str | None = None
    temperature: float | None = None
    user_model: str | None = None
    user_strategy: str | None = None
    domain: str | None = None


def parse_name(name: str) -> NameParts:
    """Read the name of a results file, without its folder.

    Examples
    --------
    >>> parse_name("gpt-4o-airline.json").model
    'gpt-4o'
    >>> parse_name("results-airline.json").model is None
    True
    >>> parts = parse_name("tool-calling-grok-3-0.0_range_0--1_user-gpt-4o-llm_0921131646.json")
    >>> parts.strategy, parts.model, parts.temperature, parts.user_model
    ('tool-calling', 'grok-3', 0.0, 'gpt-4o')
    """
    stem = name.removesuffix(".json")
    domain = _domain(stem)
    if match := _BY_RUNNER.fullmatch(stem):
        return NameParts(
            strategy=match["strategy"],
            model=match["model"],
            temperature=float(match["temperature"]),
            user_model=match["user"],
            user_strategy=match["user_strategy"],
            domain=domain,
        )
    if match := _BY_HAND.fullmatch(stem):
        return NameParts(model=match["model"], domain=domain)
    return NameParts(domain=domain)


def _domain(stem: str) -> str | None:
    found = {name.lower() for name in _DOMAIN.findall(stem)}
    return found.pop() if len(found) == 1 else None
