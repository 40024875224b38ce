"""Where a result comes from: enough to make it again."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ethogram.registry import package_version


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Versions, seed, parameters and the digest of the cohort that a result was computed from."""

    measure: str
    measure_version: int
    package_version: str = msgspec.field(default_factory=package_version)
    cohort_digest: str
    labels_digest: str | None = None
    seed: int | None = None
    parameters: Mapping[str, Any] = {}
    reference: str | None = None
    """The paper the measure comes from."""
