"""Reading speed and memory, beside ``json.loads`` over the same bytes in the same run.

Every measurement runs in a process of its own, so its peak memory is its own; measurements of one
set alternate, so that a busy machine slows them alike, and the fastest of each is shown::

    python benchmarks/read.py                      generated files, the second twice the first
    python benchmarks/read.py runs/ more/*.json    real files
"""

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

GENERATED: Final = "{} generated runs"
METHODS: Final = ("json.loads", "read, 1 process", "read, 2 processes")
WORKERS: Final = {"read, 1 process": 1, "read, 2 processes": 2}


def generate(folder: Path, n_runs: int, bytes_a_run: int) -> None:
    """Write files of simulated mini-SWE-agent runs."""
    from ethogram.formats.mini_swe_agent_write import write  # noqa: PLC0415  only this child
    from ethogram.simulate.bulk import bulk  # noqa: PLC0415

    write(bulk(n_runs, bytes_a_run=bytes_a_run), folder)


def parse_json(paths: Sequence[Path]) -> int:
    """Parse every file with the standard library; a JSONL file by its lines. Give the files."""
    for path in paths:
        content = path.read_bytes()
        try:
            json.loads(content)
        except ValueError:
            for line in content.splitlines():
                json.loads(line)
    return len(paths)


def read_cohort(roots: Sequence[str], workers: int, folder: Path) -> int:
    """Read the files into a cohort on disk, with labels. Give the runs."""
    from ethogram.ingest.api import read  # noqa: PLC0415  imported before, see `measure`
    from ethogram.ingest.pool import worker_pool  # noqa: PLC0415

    with worker_pool(workers) as pool:
        return read(*roots, out=folder, executor=pool, workers=workers).runs.height


def files_under(roots: Sequence[str]) -> list[Path]:
    """Every JSON-like file of the roots."""
    found: list[Path] = []
    for root in map(Path, roots):
        inside = sorted(path for path in root.rglob("*") if path.is_file())
        found += inside if root.is_dir() else [root]
    return [path for path in found if path.suffix in {".json", ".jsonl", ".traj"}]


def measure(method: str, roots: Sequence[str]) -> dict[str, float]:
    """Time and peak memory of one method, without what importing costs; runs in a child."""
    if method in WORKERS:
        importlib.import_module("ethogram.ingest.pool")
        tuple(importlib.import_module("ethogram.formats").FORMATS)  # imports the readers
    paths = files_under(roots)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        if method in WORKERS:
            n = read_cohort(roots, WORKERS[method], Path(folder) / "cohort")
        else:
            n = parse_json(paths)
        seconds = time.perf_counter() - start
    peaks = [
        resource.getrusage(who).ru_maxrss / 1024
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return {"seconds": seconds, "peak_mb": max(peaks), "n": n}


def in_child(*arguments: str) -> dict[str, float]:
    """Run this file with arguments and take what it prints."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout or "{}")
    return found


def compare(name: str, roots: Sequence[str], repeats: int) -> None:
    """Measure every method on one set of files and print a line each."""
    size = sum(path.stat().st_size for path in files_under(roots))
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeats):
        for method in METHODS:
            found = in_child("--measure", method, *roots)
            if method not in best or found["seconds"] < best[method]["seconds"]:
                best[method] = found
    base = best[METHODS[0]]["seconds"]
    print(f"\n{name}: {size / 1e6:.1f} MB, {best[METHODS[1]]['n']:.0f} runs")
    for method, found in best.items():
        print(
            f"  {method:18} {found['seconds']:7.2f} s  {found['seconds'] / base:5.2f} x json.loads"
            f"  peak {found['peak_mb']:5.0f} MB a process"
        )


def file_sets(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Name and roots of each set: the given paths, else two generated ones."""
    if options.paths:
        yield ", ".join(options.paths)[:60], options.paths
        return
    for n_runs in (options.runs, 2 * options.runs):
        folder = scratch / str(n_runs)
        in_child("--generate", str(folder), str(n_runs), str(options.bytes_a_run))
        yield GENERATED.format(n_runs), [str(folder)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--bytes-a-run", type=int, default=250_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--generate", action="store_true", help=argparse.SUPPRESS)
    options: Any = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(options.measure, options.paths)))
    elif options.generate:
        folder, n_runs, size = options.paths
        generate(Path(folder), int(n_runs), int(size))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            for name, roots in file_sets(options, Path(scratch)):
                compare(name, roots, options.repeats)


if __name__ == "__main__":
    main()
