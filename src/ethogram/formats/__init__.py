"""Readers of trajectory files, one file a format."""

from typing import Final

from ethogram.formats.base import Format, Probe, Source
from ethogram.registry import Registry

FORMATS: Final[Registry[Format]] = Registry(
    "format",
    {
        "mini-swe-agent": "ethogram.formats.mini_swe_agent:FORMAT",
        "swe-agent": "ethogram.formats.swe_agent:FORMAT",
        "tau-bench": "ethogram.formats.tau_bench:FORMAT",
        "tau2-bench": "ethogram.formats.tau2_bench:FORMAT",
        "agent-suite": "ethogram.formats.agent_suite:FORMAT",
    },
    group="ethogram.formats",
)

__all__ = ["FORMATS", "Format", "Probe", "Source"]
