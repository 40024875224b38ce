"""The system of a mini-SWE-agent file: what of its configuration decides sameness."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ethogram.formats.digest import digest
from ethogram.formats.mini_swe_agent_shapes import LEFT_OUT, Config, Info
from ethogram.formats.settings import public
from ethogram.trajectory import System

SCAFFOLD: Final = "mini-swe-agent"


def system_of(info: Info, config: Config) -> System:
    """Scaffold, model and settings; a value that is not of its kind is not recorded.

    A limit of 0 is none. The templates of the prompts make the digest of the prompts; other
    templates stand in the settings by their digests.
    """
    agent, model = config.agent or {}, config.model or {}
    arguments = model.get("model_kwargs")
    arguments = arguments if isinstance(arguments, dict) else {}
    prompts = [agent.get("system_template"), agent.get("instance_template")]
    name, step_limit = model.get("model_name"), _number(agent.get("step_limit"))
    return System(
        scaffold=SCAFFOLD,
        scaffold_version=info.mini_version,
        model=name if isinstance(name, str) else None,
        temperature=_number(arguments.get("temperature")),
        step_limit=int(step_limit) if step_limit else None,
        cost_limit=_number(agent.get("cost_limit")) or None,
        prompt_digest=digest(prompts) if any(prompts) else None,
        settings=_settings(config, arguments),
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _settings(config: Config, arguments: Mapping[str, Any]) -> dict[str, Any]:
    environment = dict(config.environment or {})
    if "env" in environment:
        environment["env"] = public(environment["env"])
    sections = {
        "agent": _kept("agent", config.agent or {}, config.agent_type),
        "model": _kept("model", config.model or {}, config.model_type),
        "model_kwargs": _kept("model_kwargs", public(dict(arguments)), None),
        "environment": _kept("environment", environment, config.environment_type),
    }
    return {name: section for name, section in sections.items() if section}


def _kept(section: str, values: Mapping[str, Any], class_path: str | None) -> dict[str, Any]:
    """Leave out what `LEFT_OUT` lists, and the class's module, which moves between versions."""
    written = {**values, "class": class_path.rpartition(".")[2] if class_path else None}
    return {
        key: _template_digest(value) if key.endswith("_template") else value
        for key, value in written.items()
        if key not in LEFT_OUT[section] and value is not None
    }


def _template_digest(template: Any) -> str:
    return _digest_of_text(template) if isinstance(template, str) else digest(template)


_digest_of_text: Final = lru_cache(64)(digest)
"""Thousands of files hold the same few templates."""
