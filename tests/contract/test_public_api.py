"""Promises about every name that users may import, whatever is added later."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import ethogram

HEAVY = ("polars", "numpy", "scipy", "msgspec", "altair", "vl_convert", "jinja2", "typer", "rich")
HEAVY_FOR_CLI = ("scipy", "altair", "vl_convert", "jinja2", "sklearn", "lightgbm", "pandas")
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(ethogram.__path__, "ethogram.")
    if not module.name.endswith("__main__")
)
PACKAGES = ["ethogram", *MODULES]


def listed(name: str) -> list[str]:
    return list(getattr(importlib.import_module(name), "__all__", ()))


def alone(code: str) -> list[str]:
    """Words that a fresh interpreter prints; it knows the names of all modules as arguments."""
    command = [sys.executable, "-c", code, *MODULES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[-500:]) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize("module", PACKAGES)
def test_the_list_of_public_names_is_sorted_and_has_no_name_twice(module: str) -> None:
    def constants_classes_functions(name: str) -> tuple[bool, bool, str]:
        return not name.isupper(), not name[0].isupper(), name

    assert listed(module) == sorted(set(listed(module)), key=constants_classes_functions)


@pytest.mark.parametrize("module", [name for name in PACKAGES if listed(name)])
def test_every_public_name_can_be_imported_and_is_documented(module: str) -> None:
    package = importlib.import_module(module)
    for name in listed(module):
        value = getattr(package, name)

        assert not isinstance(value, ModuleType), name
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.getdoc(value), name


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is_for(module: str) -> None:
    assert importlib.import_module(module).__doc__


def test_no_module_puts_itself_in_the_place_of_a_public_name() -> None:
    code = """
import importlib, sys, types, ethogram
before = {name: getattr(ethogram, name) for name in ethogram.__all__}
modules = sys.argv[1:]
for module in modules:
    importlib.import_module(module)
for module in ["ethogram", *modules]:
    package = importlib.import_module(module)
    for name in getattr(package, "__all__", ()):
        if isinstance(getattr(package, name), types.ModuleType):
            print(module, name)
print(*[name for name, value in before.items() if getattr(ethogram, name) is not value])
"""

    assert alone(code) == []


def test_the_public_names_are_the_ones_that_are_shown() -> None:
    assert set(ethogram.__all__) <= set(dir(ethogram))
    with pytest.raises(AttributeError, match="module 'ethogram' has no attribute 'no_such_name'"):
        _ = ethogram.no_such_name


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = set(alone("import ethogram, sys; print(*sys.modules)"))

    assert "ethogram" in loaded
    assert not loaded & set(HEAVY)
    assert [name for name in loaded if name.startswith("ethogram.")] == []


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    loaded = set(alone("import ethogram.cli, sys; print(*sys.modules)"))

    assert not loaded & set(HEAVY_FOR_CLI)


def test_nothing_is_printed_and_nothing_written_on_import() -> None:
    code = "import importlib, sys\nfor m in sys.argv[1:]: importlib.import_module(m)"

    assert alone(code) == []
