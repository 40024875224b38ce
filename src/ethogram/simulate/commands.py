"""The shell commands that simulated systems type, and what the shell answers.

A command's text is drawn; its kind is not: every template of a kind does what the kind says, which
a test holds against the real labels. The projects, files and names are made up.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from ethogram.actions.kinds import Kind

_TEMPLATES: Final[Mapping[Kind, Mapping[str, tuple[str, ...]]]] = {
    "explore": {
        "ls": ("ls -la", "ls {folder}", "ls -la {folder}/{word}"),
        "find": (
            "find . -name '*{word}*.py'",
            "find {folder} -type f -name '*.py' -newer setup.py",
            "find {folder} -name '{word}.py'",
        ),
        "grep": (
            "grep -rn '{name}' {folder}",
            "grep -rln 'def {name}' --include='*.py' .",
            "grep -n '{name}' {file} {test}",
        ),
    },
    "understand": {
        "cat": ("cat {file}", "cat {test}", "cat -n {file}"),
        "sed": ("sed -n '{line},{end}p' {file}", "sed -n '{line},{end}p' {test}"),
        "head": ("head -n {end} {file}", "head -{line} {test}"),
        "git": ("git log --oneline -{line} -- {file}", "git show HEAD~{line} -- {file}"),
    },
    "edit": {
        "sed": (
            "sed -i '{line}s/{name}/{other}/' {file}",
            "sed -i '{line},{end}s/return None/return {other}/' {file}",
        ),
        "cat": (
            "cat > {folder}/{word}_{other}.py <<'EOF'\ndef {other}(value):\n    return value\nEOF",
        ),
        "python": (
            "python - <<'EOF'\nfrom pathlib import Path\n\npath = Path('{file}')\n"
            "text = path.read_text()\n"
            "path.write_text(text.replace('{name}', '{other}', {line}))\nEOF",
        ),
    },
    "verify": {
        "python": (
            "python -m pytest {test} -q",
            "python -m pytest {test} -k {name} -x",
            "python -m unittest tests.test_{word}",
        ),
        "pytest": ("pytest {test} -q", "pytest tests -k '{name} or {other}'"),
    },
    "other": {
        "rm": ("rm -f {word}_{line}.log", "rm -rf build/{word}"),
        "git": ("git add {file}",),
        "pip": ("pip install -e .", "pip install --quiet {word}-{other}"),
        "mkdir": ("mkdir -p build/{word}_{line}",),
    },
}
SUBMIT: Final = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"

_WORDS: Final = (
    "anchor", "basket", "candle", "drawer", "easel", "funnel", "gasket", "hinge", "inkwell",
    "jigsaw", "kettle", "ladder", "mallet", "needle", "oven", "pulley", "quill", "ribbon",
    "spindle", "trowel", "urn", "valve", "wicker", "yarn",
)  # fmt: skip
_VERBS: Final = (
    "align", "bind", "carve", "drain", "etch", "fold", "glaze", "hoist", "knit", "lift", "mend",
    "polish", "sift", "temper", "weave",
)  # fmt: skip
_PROJECTS: Final = ("orchard", "lantern", "tannery", "quarry", "bakery", "foundry", "cooperage")

_THOUGHTS: Final[Mapping[Kind, str]] = {
    "explore": "I need to know where {name} is used.",
    "understand": "Let me read how {word} works.",
    "edit": "I change {name} so that it keeps the {word}.",
    "verify": "Let me see whether the tests of {word} pass.",
    "other": "A little tidying up first.",
}
_ANSWERS: Final[Mapping[Kind, str]] = {
    "explore": "{file}\n{test}\n{folder}/{word}_{other}.py",
    "understand": (
        "def {name}(value):\n    if value is None:\n        return None\n"
        "    return {other}(value)\n"
    ),
    "edit": "",
    "verify": "....                               [100%]\n{line} passed in 0.{end}s",
    "other": "",
}
_FAILED: Final = (
    "F...                               [100%]\n"
    "FAILED {test}::test_{name} - AssertionError\n1 failed, {line} passed in 0.{end}s"
)


class Setting(msgspec.Struct, frozen=True):
    """What a task is about: the names that its commands use."""

    project: str
    words: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def file(self) -> str:
        """File with the fault."""
        return f"src/{self.project}/{self.words[0]}.py"

    @property
    def prompt(self) -> str:
        """Statement of the task."""
        return (
            f"`{self.names[0]}` in `{self.file}` loses the {self.words[1]} when its argument is "
            f"empty. It should return what `{self.names[1]}` returns. Mend it; the tests may not "
            "be changed."
        )


def setting(number: int, rng: np.random.Generator) -> Setting:
    """Draw the setting of a task."""
    words = rng.choice(_WORDS, size=6, replace=False).tolist()
    names = [f"{verb}_{word}" for verb, word in zip(rng.choice(_VERBS, 5), words, strict=False)]
    return Setting(_PROJECTS[number % len(_PROJECTS)], tuple(words), tuple(names))


class Typed(msgspec.Struct, frozen=True):
    """A command with the words that go with it."""

    command: str
    thought: str
    answer: str
    exit_code: int


def type_command(
    kind: Kind,
    heads: Mapping[str, float],
    about: Setting,
    rng: np.random.Generator,
    *,
    prefix: str = "",
    failing: float = 0.0,
) -> Typed:
    """Draw a command of a kind.

    Parameters
    ----------
    kind : Kind
        What it does.
    heads : mapping of str to float
        Programs with their probabilities, which sum to 1.
    about : Setting
        What the task is about.
    rng : numpy.random.Generator
    prefix : str
        Put before the command.
    failing : float
        Probability that it ends with exit code 1, if it verifies.
    """
    head = _pick(rng, tuple(heads), tuple(heads.values()))
    template = _pick(rng, _TEMPLATES[kind][head])
    words = _words(about, rng)
    failed = kind == "verify" and rng.random() < failing
    answer = _FAILED if failed else _ANSWERS[kind]
    return Typed(
        prefix + template.format(**words),
        _THOUGHTS[kind].format(**words),
        answer.format(**words),
        int(failed),
    )


def patch(about: Setting, rng: np.random.Generator) -> str:
    """Draw a patch of the file with the fault."""
    words = _words(about, rng)
    return (
        f"diff --git a/{about.file} b/{about.file}\n--- a/{about.file}\n+++ b/{about.file}\n"
        f"@@ -{words['line']},3 +{words['line']},3 @@ def {about.names[0]}(value):\n"
        f"-        return None\n+        return {words['other']}({words['word']})\n"
    )


def _pick(
    rng: np.random.Generator, items: tuple[str, ...], odds: tuple[float, ...] | None = None
) -> str:
    """Draw an item; `Generator.choice` takes ten times as long for so few."""
    place = rng.random()
    if odds is None:
        return items[int(place * len(items))]
    for item, share in zip(items, odds, strict=True):
        place -= share
        if place < 0:
            return item
    return items[-1]


def _words(about: Setting, rng: np.random.Generator) -> dict[str, str | int]:
    word = _pick(rng, about.words)
    line = int(rng.integers(2, 60))
    return {
        "folder": f"src/{about.project}",
        "file": f"src/{about.project}/{word}.py",
        "test": f"tests/test_{word}.py",
        "word": word,
        "name": _pick(rng, about.names),
        "other": _pick(rng, about.names),
        "line": line,
        "end": line + int(rng.integers(5, 40)),
    }
