"""Where a result comes from: enough to make it again."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ethogram.registry import package_version


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Versions, seed, parameters and the digest of the cohort that a result was computed from."""

    measure: str
    measure_version: int
    package_version: str
    cohort_digest: str
    labels_digest: str | None = None
    seed: int | None = None
    parameters: Mapping[str, Any] = {}
    reference: str | None = None
    """The paper the measure comes from."""


def provenance(
    measure: str,
    measure_version: int,
    *,
    cohort_digest: str,
    labels_digest: str | None = None,
    seed: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    reference: str | None = None,
) -> Provenance:
    """Provenance of a result that this installation computes now."""
    return Provenance(
        measure=measure,
        measure_version=measure_version,
        package_version=package_version(),
        cohort_digest=cohort_digest,
        labels_digest=labels_digest,
        seed=seed,
        parameters=dict(parameters or {}),
        reference=reference,
    )
