"""The exceptions of ethogram: one class a cause, one sentence a message.

::

    EthogramError
    ├── UsageError               an argument, option or expression that can't be taken   (exit 2)
    │   └── UnknownNameError     a name that no registry, column or system has
    ├── InputError               a file or folder that can't be read as what it claims   (exit 2)
    │   ├── MalformedTrajectoryError   looked like a trajectory and is broken
    │   ├── AmbiguousFormatError       two formats claim one file
    │   ├── ArchiveLimitError          an archive larger than the limits on strangers' files
    │   ├── OutcomeError               outcomes that can't be joined without guessing
    │   └── CohortError                a folder that is not a cohort, or of another schema
    ├── NotEnoughDataError       a figure that these runs can't give
    ├── JudgeError               a judge that can't be asked, or stopped answering       (exit 2)
    └── MissingDependencyError   an optional package that is not installed

A message says where, what was allowed and what was found, so that the reader can mend it without
opening our code.
"""


class EthogramError(Exception):
    """Whatever ethogram raises on purpose."""


class UsageError(EthogramError, ValueError):
    """An argument, an option or an expression that can't be taken."""


class UnknownNameError(UsageError):
    """A name that is not among the known ones; the message lists them, or the first ``most``."""

    def __init__(self, kind: str, name: str, known: "list[str]", most: int | None = None) -> None:
        shown = sorted(known)[:most]
        more = f", and {len(known) - len(shown):,} more" if len(known) > len(shown) else ""
        super().__init__(f"no {kind} is called {name!r}; known: {', '.join(shown) or 'none'}{more}")


class InputError(EthogramError, ValueError):
    """A file or folder that can't be read as what it claims to be."""


class MalformedTrajectoryError(InputError):
    """A file that looks like a trajectory of a known format and is broken."""


class AmbiguousFormatError(InputError):
    """Two formats claim the same file; the user must name one."""


class ArchiveLimitError(InputError):
    """An archive that exceeds the limits under which strangers' archives are read."""


class OutcomeError(InputError):
    """Outcomes that can't be joined to runs without guessing."""


class CohortError(InputError):
    """A folder that is not a cohort, or one of another schema version."""


class NotEnoughDataError(EthogramError, ValueError):
    """A figure that these runs can't give."""


class JudgeError(EthogramError, ValueError):
    """A judge that can't be asked, or that stopped answering; what it answered is kept."""


class MissingDependencyError(EthogramError, ImportError):
    """An optional package that is not installed; the message says how to get it."""
