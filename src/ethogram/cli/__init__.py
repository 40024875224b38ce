"""The command line: parse, call one library function, show."""

from ethogram.cli.app import main

__all__ = ["main"]
