"""Makes ``docs/explanation/mehta-2026.md`` from the data: what is printed beside what is measured.

``ETHOGRAM_SHARED=... python tests/measures/variance/mehta_page.py`` writes the page anew;
``test_mehta_page.py`` fails when it no longer shows what is measured.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from ethogram.cohort import Cohort
from ethogram.ingest.api import read
from ethogram.measures.variance import variance
from ethogram.measures.variance.pairs import FISHER, UNPAIRED
from ethogram.results.numbers import show_number
from ethogram.results.result import Result
from ethogram.stats.sequences import divergence_step

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "explanation" / "mehta-2026.md"
TEMPLATE: Final = Path(__file__).with_name("mehta_page.md")
MAPPING: Final = ROOT / "examples" / "mappings" / "consistency_amplifies.toml"

SYSTEMS: Final = {
    "claude": "claude-sonnet-4-5-20250929",
    "gpt5": "openai-gpt-5",
    "llama": "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo",
}
NAMES: Final = {"claude": "Claude", "gpt5": "GPT-5", "llama": "Llama"}
PAIRS: Final = (("gpt5", "claude"), ("gpt5", "llama"), ("claude", "llama"))
KINDS: Final = ("explore", "understand", "edit", "verify", "other")

FIRST_WORD_KINDS: Final[Mapping[str, str]] = {
    word: kind
    for kind, words in {
        "explore": "ls find",
        "understand": "cat head tail less nl awk grep",
        "edit": "sed ed perl echo",
        "verify": "python pytest",
    }.items()
    for word in words.split()
}
"""A first-word rule that gives the printed divergence; everything else is other."""


def read_runs(shared: Path, out: Path) -> Cohort:
    """The authors' 150 runs."""
    return read(shared / "data" / "consistency-amplifies", mapping=MAPPING, out=out)


def printed_figures(shared: Path) -> dict[str, Any]:
    """What the paper prints."""
    path = shared / "reference" / "seed_002_consistency_amplifies.json"
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def first_word_kinds(cohort: Cohort) -> pl.DataFrame:
    """``model, task, run_id, action_index, kind`` of every action by the first word of its text."""
    names = {system: model for model, system in SYSTEMS.items()}
    return (
        cohort.steps.filter(pl.col("action_index").is_not_null())
        .select(
            "run_id",
            "action_index",
            refused=pl.col("action").str.starts_with("[ERROR]"),
            kind=pl.col("action")
            .str.strip_chars()
            .str.extract(r"^(\S+)")
            .replace_strict(FIRST_WORD_KINDS, default="other"),
        )
        .collect()
        .join(cohort.joined.select("run_id", "system", "task"), on="run_id")
        .with_columns(model=pl.col("system").replace_strict(names))
        .sort("run_id", "action_index")
    )


def first_word_divergence(cohort: Cohort) -> dict[str, dict[str, float]]:
    """Divergence of the first-word kinds; refused replies are skipped."""
    runs = (
        first_word_kinds(cohort)
        .filter(~pl.col("refused"))
        .group_by("model", "task", "run_id", maintain_order=True)
        .agg("kind")
    )
    found: dict[str, dict[str, float]] = {}
    for model in SYSTEMS:
        groups = runs.filter(model=model).group_by("task").agg("kind")["kind"].to_list()
        steps = np.array([divergence_step(kinds) for kinds in groups], dtype=np.float64)
        found[model] = {
            "mean": float(steps.mean()),
            "median": float(np.median(steps)),
            "at_step_1": float(np.mean(steps == 1)),
            "by_step_5": float(np.mean(steps <= 5)),
        }
    return found


def page(cohort: Cohort, printed: Mapping[str, Any]) -> str:
    """The page, with every table filled in."""
    result = variance(cohort)
    tables = {
        "exact": _exact(result, printed),
        "cv_tests": _cv_tests(result, printed),
        "fisher": _fisher(result, printed),
        "phases": _phases(result, printed, first_word_kinds(cohort)),
        "divergence": _divergence(result, printed, first_word_divergence(cohort)),
        "icc": _value(result, "icc1", "claude", 2),
        "first_actions": _first_actions(result, printed),
        "failures": _failures(result, printed),
        "wrong": _consistent_wrong(result, printed),
        "correlations": _correlations(result, printed),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, table in tables.items():
        text = text.replace(f"{{{{{name}}}}}", table)
    return text


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _both(printed: float | str, ours: str) -> str:
    return f"{printed} / {ours}"


def _value(result: Result, name: str, model: str, digits: int, **keys: str) -> str:
    value = result.estimate(name, system=SYSTEMS[model], **keys).value
    return "–" if value is None else f"{value:.{digits}f}"


def _percent(result: Result, name: str, model: str, digits: int = 1, **keys: str) -> str:
    value = result.estimate(name, system=SYSTEMS[model], **keys).value
    return "–" if value is None else f"{100 * value:.{digits}f}"


def _exact(result: Result, printed: Mapping[str, Any]) -> str:
    tasks = result.to_frame("tasks")

    def total(column: str, model: str) -> str:
        return str(tasks.filter(system=SYSTEMS[model])[column].sum())

    measured = {
        "mean_cv_percent": {m: _value(result, "cv_actions_mean", m, 1) for m in SYSTEMS},
        "mean_steps": {m: _value(result, "actions_mean", m, 1) for m in SYSTEMS},
        "resolved_runs": {m: total("successes", m) for m in SYSTEMS},
        "valid_patches": {m: total("n_submitted", m) for m in SYSTEMS},
        "unique_sequences_percent": {
            m: _percent(result, "unique_sequences", m, 0) for m in SYSTEMS
        },
    }
    labels = {
        "mean_cv_percent": "CV of actions, mean over tasks, %",
        "mean_steps": "actions per run",
        "resolved_runs": "runs resolved of 50",
        "valid_patches": "runs with a patch of 50",
        "unique_sequences_percent": "unique sequences, %",
    }
    return _table(
        ["printed / measured", *NAMES.values()],
        [
            [label, *(_both(printed[key][m], measured[key][m]) for m in SYSTEMS)]
            for key, label in labels.items()
        ],
    )


def _test(result: Result, name: str, method: str, pair: tuple[str, str]) -> tuple[Any, int]:
    names = tuple(SYSTEMS[model] for model in pair)
    for test in result.tests(name=name, method=method):
        if (test.first, test.second) == names:
            return test, 1
        if (test.second, test.first) == names:
            return test, -1
    raise LookupError(f"no {method} between {pair}")


def _cv_tests(result: Result, printed: Mapping[str, Any]) -> str:
    rows = []
    for pair in PAIRS:
        shown = printed["cv_tests_as_printed"]["_vs_".join(pair)]
        unpaired, sign = _test(result, "cv_actions", UNPAIRED, pair)
        paired, _ = _test(result, "cv_actions", "paired t", pair)
        flips, _ = _test(result, "cv_actions", "paired sign-flip permutation", pair)
        rows.append(
            [
                f"{NAMES[pair[0]]} – {NAMES[pair[1]]}",
                f"t(9) = {shown['t']}, p {_equals(shown['p'])}, d = {shown['d']}",
                f"t(18) = {sign * unpaired.statistic:.2f}, p {_p(unpaired.p_value)}, "
                f"d = {sign * unpaired.effect:.2f}",
                f"t(9) = {sign * paired.statistic:.2f}, p {_p(paired.p_value)}, "
                f"d_z = {sign * paired.effect:.2f}",
                f"p {_p(flips.p_value)}",
            ]
        )
    return _table(["CV of actions", "printed", "unpaired t", "paired t", "sign flips"], rows)


def _p(value: float) -> str:
    return _equals(show_number(value, "p"))


def _equals(shown: float | str) -> str:
    text = str(shown)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def _fisher(result: Result, printed: Mapping[str, Any]) -> str:
    rows = []
    for pair in PAIRS:
        shown = printed["accuracy_fisher"]["_vs_".join(pair)]
        fisher, sign = _test(result, "success_rate", FISHER, pair)
        flips, _ = _test(result, "success_rate", "paired sign-flip permutation", pair)
        rows.append(
            [
                f"{NAMES[pair[0]]} – {NAMES[pair[1]]}",
                f"{shown['odds_ratio']:.2f}, p {_p(shown['p'])}",
                f"{fisher.effect**sign:.2f}, p {_p(fisher.p_value)}",
                f"{100 * sign * flips.difference:+.0f} points, p {_p(flips.p_value)}, "
                f"adjusted {_p(flips.p_adjusted)}",
            ]
        )
    heads = ["success", "odds ratio, printed", "measured (runs)", "sign flips (tasks)"]
    return _table(heads, rows)


def _phases(result: Result, printed: Mapping[str, Any], first_word: pl.DataFrame) -> str:
    shown = printed["phases_percent"]
    shares = {
        (model, kind): 100
        * float(np.mean(first_word.filter(model=model)["kind"].to_numpy() == kind))
        for model in SYSTEMS
        for kind in KINDS
    }
    rows = [
        [
            f"{kind}, % of actions",
            *(
                f"{shown[m][kind.upper()]} / {shares[m, kind]:.1f} / "
                f"{_percent(result, 'phase_share', m, kind=kind)}"
                for m in SYSTEMS
            ),
        ]
        for kind in KINDS
    ]
    rows.append(
        [
            "before the first edit, % of a run",
            *(
                f"{shown[m]['pre_edit']} / – / {_percent(result, 'pre_edit_share', m)}"
                for m in SYSTEMS
            ),
        ]
    )
    rows.append(
        [
            "CV of the number of exploring actions, %",
            *(
                f"{printed['explore_cv_percent'].get(m, 'not printed')} / – / "
                f"{_value(result, 'phase_cv', m, 0, kind='explore')}"
                for m in SYSTEMS
            ),
        ]
    )
    return _table(["printed / first-word rule / measured", *NAMES.values()], rows)


def _divergence(
    result: Result, printed: Mapping[str, Any], first_word: Mapping[str, Mapping[str, float]]
) -> str:
    rows = []
    for label, key, name, is_share in (
        ("mean step", "mean", "divergence_mean", False),
        ("median step", "median", "divergence_median", False),
        ("parted at step 1, %", "at_step_1", "diverged_by_1", True),
        ("parted by step 5, %", "by_step_5", "diverged_by_5", True),
    ):
        cells = []
        for model in SYSTEMS:
            shown, word = printed["divergence_step"][model][key], first_word[model][key]
            ours = _percent(result, name, model, 0) if is_share else _value(result, name, model, 1)
            by = 100 if is_share else 1
            digits = 0 if is_share else 1
            cells.append(f"{by * shown:.{digits}f} / {by * word:.{digits}f} / {ours}")
        rows.append([label, *cells])
    rows.append(
        [
            "coherence afterwards",
            *(f"– / – / {_value(result, 'coherence', model, 2)}" for model in SYSTEMS),
        ]
    )
    return _table(["printed / first-word rule / measured", *NAMES.values()], rows)


def _first_actions(result: Result, printed: Mapping[str, Any]) -> str:
    frame = result.to_frame("first_actions")

    def share(model: str, head: str) -> str:
        rows = frame.filter(system=SYSTEMS[model], head=head)
        return f"{100 * rows['share'].sum():.0f}"

    return _table(
        ["first command, % of runs: printed / measured", *NAMES.values()],
        [
            [
                f"`{head}`",
                *(_both(printed["first_action_percent"][m][head], share(m, head)) for m in SYSTEMS),
            ]
            for head in ("find", "ls", "grep", "cat")
        ],
    )


def _failures(result: Result, printed: Mapping[str, Any]) -> str:
    frame = result.to_frame("failure_modes")
    modes = {
        "WRONG_FIX": "wrong_result",
        "EMPTY_PATCH": "empty_submission",
        "LOOP_DEATH": "loop",
    }

    def count(model: str, mode: str) -> str:
        return str(frame.filter(system=SYSTEMS[model], mode=mode)["n_runs"].sum())

    return _table(
        ["failed runs: printed / measured", *NAMES.values()],
        [
            [
                f"`{mode}`",
                *(_both(printed["failure_modes"][m][theirs], count(m, mode)) for m in SYSTEMS),
            ]
            for theirs, mode in modes.items()
        ],
    )


def _consistent_wrong(result: Result, printed: Mapping[str, Any]) -> str:
    claude = printed["consistent_wrong"]["claude"]
    shown = {"claude": f"{100 * claude['consistent_wrong_runs'] / claude['failed_runs']:.0f}"}
    return _table(
        ["printed / measured", *NAMES.values()],
        [
            [
                "failed runs on never solved tasks, %",
                *(
                    _both(
                        shown.get(m, "not printed"),
                        _percent(result, "failed_runs_on_never_solved", m, 0),
                    )
                    for m in SYSTEMS
                ),
            ],
            [
                "likeness of the patches there, %",
                *(
                    _both("not printed", _percent(result, "submission_similarity", m, 0))
                    for m in SYSTEMS
                ),
            ],
        ],
    )


def _correlations(result: Result, printed: Mapping[str, Any]) -> str:
    rows = []
    for model, system in SYSTEMS.items():
        ours = result.to_frame("correlations").row(
            by_predicate=pl.col("scope") == system, named=True
        )
        shown = printed["within_model_cv_accuracy_r"][model]
        rows.append(
            [
                NAMES[model],
                f"{shown['r']:+.2f} (p = {shown['p']})",
                f"{ours['value']:+.2f} [{ours['low']:+.2f}, {ours['high']:+.2f}] "
                f"(p {_p(ours['p_value'])})",
            ]
        )
    return _table(["CV against accuracy over tasks", "printed", "measured"], rows)


def main() -> None:
    """Write the page."""
    shared = Path(os.environ["ETHOGRAM_SHARED"])
    with tempfile.TemporaryDirectory() as folder:
        text = page(read_runs(shared, Path(folder) / "cohort"), printed_figures(shared))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
