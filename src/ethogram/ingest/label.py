"""Labels of an event, put together: kind and head, effect, error."""

from typing import Protocol

import msgspec

from ethogram.trajectory import Event, Origin


class EventLabels(msgspec.Struct, frozen=True, gc=False):
    """What the label tables say of one event; None where they say nothing."""

    head: str | None = None
    kind: str | None = None
    kind_origin: Origin | None = None
    effect: str | None = None
    effect_origin: Origin | None = None
    is_error: bool | None = None
    error_origin: Origin | None = None


class EventLabeler(Protocol):
    """What turns events into labels; made once a worker."""

    @property
    def digest(self) -> str:
        """Digest of the tables: results with different digests refuse to be compared."""

    def label(self, event: Event, format_name: str) -> EventLabels:
        """Label one event of a run that was read from the given format."""
