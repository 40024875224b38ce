"""What the pages tell people to type is typed here: every command and every line of code runs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (
    "docs/tutorials/first-answer.md",
    "docs/how-to/join-outcomes.md",
    "docs/how-to/name-systems.md",
    "docs/how-to/extend-the-labels.md",
    "docs/how-to/use-a-judge.md",
    "docs/how-to/draw-action-graphs.md",
)
BLOCK: Final = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK: Final = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the pages are followed, one after the other."""
    return tmp_path_factory.mktemp("pages")


def _run(command: list[str], folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )

    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def _write_table(folder: Path) -> None:
    """The CSV that a page takes for given: one row a run of the demo."""
    runs = sorted((folder / "demo/trajectories").rglob("*.traj.json"))
    rows = [f"{run.relative_to(folder / 'demo/trajectories')},yes" for run in runs]
    (folder / "results.csv").write_text("\n".join(["file,passed", *rows]) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_page_can_be_followed(page: str, folder: Path) -> None:
    if (folder / "demo").is_dir():
        _write_table(folder)
    for language, name, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if name:
            (folder / name).write_text(text, encoding="utf-8")
        elif language == "sh":
            _run(["bash", "-e", "-c", text], folder)
        elif language == "python":
            _run([sys.executable, "-c", text], folder)


def _markdown() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", _markdown(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_index_links_every_page() -> None:
    docs = ROOT / "docs"
    linked = {(docs / target).resolve() for target in LINK.findall(_text(docs / "index.md"))}
    pages = {path.resolve() for path in docs.rglob("*") if path.suffix in {".md", ".json"}}

    assert pages - linked == {(docs / "index.md").resolve()}
    assert "](docs/index.md)" in _text(ROOT / "README.md")


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150
