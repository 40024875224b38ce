"""Labels of an event, put together: kind and head, effect, error."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Protocol

import msgspec

from ethogram.actions.effects import Effect, EffectTables, kind_of_effect, load_effects
from ethogram.actions.failures import error_of
from ethogram.actions.kinds import Kind, KindTables, load_kinds
from ethogram.actions.label import Labeler
from ethogram.cohort.ids import digest_of
from ethogram.ingest.collector import heap_set_aside
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


NO_LABELS = EventLabels()
_TOOLS: Final = 4_096
"""Combinations of tool and kind whose effect a labeler remembers."""


class TableLabeler:
    """Labels by the tables of kinds and effects and by the rules for errors.

    Parameters
    ----------
    kinds : KindTables
        What commands and tools do.
    effects : EffectTables
        What tools do to the world.
    """

    def __init__(self, kinds: KindTables, effects: EffectTables) -> None:
        self._kinds = kinds
        self._effects = effects
        self._own = threading.local()  # a Labeler is not to be shared between threads
        self._effect = lru_cache(_TOOLS)(self._kind_and_effect)

    @cached_property
    def digest(self) -> str:
        """Digest of both tables."""
        return digest_of([self._kinds.digest, self._effects.digest])

    def __reduce__(self) -> tuple[Callable[[bytes], "TableLabeler"], tuple[bytes]]:
        return _unpacked, (msgspec.json.encode((self._kinds, self._effects)),)

    def _labeler(self) -> Labeler:
        found: Labeler | None = getattr(self._own, "labeler", None)
        if found is None:
            found = self._own.labeler = Labeler(self._kinds)
        return found

    def label(self, event: Event, format_name: str) -> EventLabels:
        """Label one event of a run that was read from the given format."""
        if event.event != "action":
            return NO_LABELS
        is_error, error_origin = error_of(event, format_name)
        if event.refused:  # nothing was done
            return EventLabels(
                head=event.tool,
                kind="other",
                kind_origin="recorded",
                effect="none",
                effect_origin="recorded",
                is_error=True,
                error_origin="recorded",
            )
        label = self._labeler().label_action(event)
        return EventLabels(
            label.head,
            *self._effect(event.tool, label.kind, label.kind_origin),
            is_error,
            error_origin,
        )

    def _kind_and_effect(
        self, tool: str | None, kind: Kind, origin: Origin
    ) -> tuple[Kind, Origin, Effect | None, Origin | None]:
        """Kind and effect, with their origins, of a tool's call or a command of a kind."""
        effect, effect_origin = self._effects.effect_of_action(tool, kind, origin)
        if origin == "guessed" and tool is not None:
            # the tool of a tool agent: its kind follows its effect
            kind, origin = kind_of_effect(effect), effect_origin or "guessed"
        return kind, origin, effect, effect_origin


@lru_cache(2)
def _unpacked(tables: bytes) -> TableLabeler:
    """The labeler of these tables; a worker makes it once, not once a batch."""
    return TableLabeler(*msgspec.json.decode(tables, type=tuple[KindTables, EffectTables]))


def default_labeler(
    *, kinds: Sequence[str | Path] = (), effects: Sequence[str | Path] = ()
) -> TableLabeler:
    """The package's label tables, extended by the user's TOML files.

    Parameters
    ----------
    kinds, effects : sequence of path
        Files laid over the package's tables, the last wins.
    """
    with heap_set_aside():  # reading the tables makes enough objects to set off a full search
        return TableLabeler(load_kinds(*kinds), load_effects(*effects))
