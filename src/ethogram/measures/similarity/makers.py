"""Whose model it is, by its name: a judge may favour its own kin."""

import re
from collections.abc import Iterable
from typing import Final

import polars as pl

_FAMILIES: Final = (
    ("Anthropic", r"claude"),
    ("OpenAI", r"gpt|chatgpt|davinci|(?<![a-z])o[1345](?![a-z0-9])|codex"),
    ("Google", r"gemini|gemma|palm"),
    ("DeepSeek", r"deepseek"),
    ("Moonshot", r"kimi|moonshot"),
    ("ByteDance", r"doubao|(?<![a-z])seed-"),
    ("Qwen", r"qwen|qwq|tongyi"),
    ("Zhipu", r"(?<![a-z])glm|zhipu|chatglm"),
    ("Meta", r"llama"),
    ("Mistral", r"mi[sx]tral|codestral|devstral|magistral|ministral"),
    ("xAI", r"grok"),
    ("Cohere", r"command-[ar]|cohere|(?<![a-z])aya"),
    ("Microsoft", r"(?<![a-z])phi-?\d"),
    ("Amazon", r"(?<![a-z])nova-"),
    ("MiniMax", r"minimax|abab"),
)


def family_of(model: str) -> str | None:
    """Who makes a model, by its name; None where the name doesn't tell.

    A model distilled into another one's weights bears two names; the one of the weights' maker is
    mostly the later, so that the last name counts.

    >>> family_of("openrouter/anthropic/claude-sonnet-4-5"), family_of("my-model")
    ('Anthropic', None)
    >>> family_of("DeepSeek-R1-Distill-Qwen-14B"), family_of("o3-mini")
    ('Qwen', 'OpenAI')
    """
    name = model.lower()
    found = [
        (match.start(), family) for family, rule in _FAMILIES for match in re.finditer(rule, name)
    ]
    return max(found)[1] if found else None


def family_warning(judge: str, systems: pl.DataFrame) -> str | None:
    """A sentence where the judge's family is among the judged; None where it isn't, or isn't known.

    Parameters
    ----------
    judge : str
        Name of the judge's model.
    systems : polars.DataFrame
        ``system``, ``model`` and ``family`` of those that are judged.
    """
    family = family_of(judge)
    if family is None:
        return None
    kin = sorted(set(_kin(family, systems.select("system", "model", "family").iter_rows())))
    if not kin:
        return None
    return (
        f"The judge {judge} is of the same family ({family}) as {', '.join(kin)}: it may know its "
        "own manner better, and like it better, than that of others. A second judge of another "
        "family shows how far."
    )


def _kin(family: str, rows: Iterable[tuple[str, str | None, str | None]]) -> Iterable[str]:
    for system, model, recorded in rows:
        if family in {recorded, family_of(model or system)}:
            yield system
