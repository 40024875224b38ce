"""Name -> object, imported on use; third parties register through entry points.

A registry maps a short name to a dotted path ``package.module:attribute``. Nothing is imported
until the name is asked for, so listing the names is free and ``import ethogram`` stays light. A
third party adds names through an entry point group (for example ``ethogram.formats``); built-in
names win over foreign ones of the same name, and asking for an unknown name lists the known ones.
"""

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points, version
from types import ModuleType
from typing import Final, Generic, TypeVar

from ethogram.errors import MissingDependencyError, UnknownNameError

T = TypeVar("T")

PACKAGE: Final = "ethogram"


@cache
def package_version() -> str:
    """Version of the installed package."""
    return version(PACKAGE)


def resolve(path: str) -> object:
    """Import the object that ``package.module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional package or say which extra brings it.

    Parameters
    ----------
    module : str
        Dotted name of the module.
    extra : str
        The extra of this package that installs it.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as err:
        raise MissingDependencyError(
            f"this needs the package {module.partition('.')[0]!r}, which is not installed: "
            f"pip install '{PACKAGE}[{extra}]'"
        ) from err


class Registry(Generic[T]):
    """Names of one kind of object, each imported when it is first asked for.

    Parameters
    ----------
    kind : str
        What the objects are, as it stands in error messages ("format", "measure").
    builtin : mapping of str to str
        Name to dotted path.
    group : str
        Entry point group through which third parties add names.
    """

    def __init__(self, kind: str, builtin: Mapping[str, str], *, group: str) -> None:
        self._kind = kind
        self._builtin = dict(builtin)
        self._group = group

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Name -> dotted path; asks every installed package, which takes a while, so once."""
        foreign = {point.name: point.value for point in entry_points(group=self._group)}
        return {**foreign, **self._builtin}

    def names(self) -> list[str]:
        """Every known name: built-in ones in their order, then foreign ones."""
        return self._in_order()

    def _in_order(self) -> list[str]:
        return [*self._builtin, *sorted(name for name in self._paths if name not in self._builtin)]

    def get(self, name: str) -> T:
        """Import and return the object called ``name``."""
        if name not in self._paths:
            raise UnknownNameError(self._kind, name, self.names())
        return resolve(self._paths[name])  # type: ignore[return-value]

    def __iter__(self) -> Iterator[T]:
        return (resolve(self._paths[name]) for name in self._in_order())  # type: ignore[misc]

    def __contains__(self, name: object) -> bool:
        return name in self._paths
