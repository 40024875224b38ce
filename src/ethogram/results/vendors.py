"""Whose model it is, by its name: a judge may favour its own kin, and texts name their makers."""

import re
from collections.abc import Iterable
from typing import Final

import polars as pl

_BRANDS: Final = (
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


def vendor_of(model: str) -> str | None:
    """Who makes a model, by its name; None where the name doesn't tell.

    A model distilled into another one's weights bears two names; the one of the weights' maker is
    mostly the later, so that the last name counts.

    >>> vendor_of("openrouter/anthropic/claude-sonnet-4-5"), vendor_of("my-model")
    ('Anthropic', None)
    >>> vendor_of("DeepSeek-R1-Distill-Qwen-14B"), vendor_of("o3-mini")
    ('Qwen', 'OpenAI')
    """
    found = _found(model)
    return max(found)[1] if found else None


def brands_in(model: str) -> list[str]:
    """The brands that a model's name holds, as they are written there in small letters.

    >>> brands_in("openrouter/anthropic/claude-sonnet-4-5"), brands_in("my-model")
    (['claude'], [])
    """
    return [brand for _, _, brand in sorted(_found(model))]


def _found(model: str) -> list[tuple[int, str, str]]:
    """Where each brand stands in a name, whose it is, and how it is written."""
    name = model.lower()
    return [
        (match.start(), vendor, match[0])
        for vendor, rule in _BRANDS
        for match in re.finditer(rule, name)
    ]


def kin_warning(judge: str, systems: pl.DataFrame) -> str | None:
    """A sentence where models of the judge's maker are among the judged.

    Parameters
    ----------
    judge : str
        Name of the judge's model.
    systems : polars.DataFrame
        ``system``, ``model`` and ``family`` of those that are judged.

    Returns
    -------
    str or None
        None where there are none, or the judge's maker is not known.
    """
    vendor = vendor_of(judge)
    if vendor is None:
        return None
    kin = sorted(set(_kin(vendor, systems.select("system", "model", "family").iter_rows())))
    if not kin:
        return None
    return (
        f"The judge {judge} is of the same family ({vendor}) as {', '.join(kin)}: it may judge "
        "its own kin more kindly than others. A second judge of another family shows how far."
    )


def _kin(vendor: str, rows: Iterable[tuple[str, str | None, str | None]]) -> Iterable[str]:
    for system, model, recorded in rows:
        if vendor in {recorded, vendor_of(model or system)}:
            yield system
