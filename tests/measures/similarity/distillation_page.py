"""Simulated distillation, and the page ``docs/explanation/distillation.md`` that shows it.

``python tests/measures/similarity/distillation_page.py`` writes the page anew (some minutes);
``test_distillation.py`` fails when it no longer shows what is measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.graph import ActionGraph, action_graph
from ethogram.measures.similarity.habits import habits
from ethogram.measures.similarity.nodes import in_pool, s_node, tool_use
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.vectors import dependency_vector, sequence_vector
from ethogram.simulate import ToolSystem, draw_system, simulate_tools, student_of
from ethogram.stats.arrays import FloatArray
from ethogram.stats.graph_edit import LabelledGraph, graph_edit_similarity
from ethogram.stats.intervals import Interval
from ethogram.stats.task_intervals import mean_interval

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "explanation" / "distillation.md"
TEMPLATE: Final = Path(__file__).with_name("distillation_page.md")

N_SEEDS: Final = 50
WEIGHTS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
CANDIDATES: Final = ("base", *(f"student {weight:g}" for weight in WEIGHTS))
TOWARD: Final = ("teacher", "control")
FIGURES: Final = ("s_node", "s_seq", "s_dep", "ags", "ged")
LABELS: Final = dict(zip(FIGURES, ("S_node", "S_seq", "S_dep", "AGS", "GED"), strict=True))
PRINTED: Final = {
    "s_node": ("+0.05", "-0.17"),
    "s_seq": ("+0.08", "-0.14"),
    "s_dep": ("+0.27", "+0.16"),
    "ags": ("+0.13", "-0.05"),
    "ged": ("+0.23", "+0.20"),
}
"""Changes of Tables 3 and 8 of Yang et al. 2026, toward the teacher and the control."""
GED_TASKS: Final = 10
"""The first tasks, two of each errand: exact distances take most of the time."""
GED_OF: Final = (0, 1, 5)
"""Candidates whose graphs are compared: base, and the students of weights 0 and 1."""

_LABELER: Final = default_labeler()


@dataclass(frozen=True)
class Setting:
    """What a simulated experiment is like."""

    about: str
    n_tasks: int = 20
    n_more: int = 3
    """Further systems in the pool."""
    kin: float = 0.5
    """Share of the base's habits in the control's, as the published base was nearer to the control
    than to the teacher."""
    coincide: float = 0.0
    """Share of the teacher's habits in the control's."""
    order_weight: float | None = None
    """Weight of habits other than optional tools; None: the same."""
    skills: tuple[float, float, float] = (0.2, 0.7, 0.8)
    """Success of the base, of the student whatever its weight, and of teacher and control."""


MAIN: Final = Setting("as above")
VARIANTS: Final = (
    MAIN,
    Setting("control drawn independently of the base", kin=0.0),
    Setting("control has half the teacher's habits", kin=0.0, coincide=0.5),
    Setting("only optional tools are learnt", order_weight=0.0),
    Setting("student succeeds no more than the base", skills=(0.2, 0.2, 0.8)),
    Setting("base succeeds at 35 %", skills=(0.35, 0.7, 0.8)),
    Setting("5 tasks", n_tasks=5),
    Setting("pool of three", n_more=0),
)


def systems_of(setting: Setting, seed: int) -> list[ToolSystem]:
    """Teacher, control and others, then base and students; habits are drawn anew for each seed."""
    before, after, able = setting.skills
    base = draw_system("base", seed=seed, skill=before)
    teacher = draw_system("teacher", seed=seed, skill=able)
    own = draw_system("control", seed=seed, skill=able)
    near_base = student_of(own, base, setting.kin)
    control = student_of(near_base, teacher, setting.coincide, name="control")
    students = [
        student_of(base, teacher, weight, name=name, skill=after, order_weight=setting.order_weight)
        for weight, name in zip(WEIGHTS, CANDIDATES[1:], strict=True)
    ]
    more = [draw_system(f"other {n}", seed=seed) for n in range(setting.n_more)]
    return [teacher, control, *more, base, *students]


def one_seed(setting: Setting, seed: int, *, ged: bool = False) -> FloatArray:
    """Similarities of one experiment: (candidates, directions, figures); NaN where there is none.

    Each candidate stands in a pool of its own with teacher, control and the others, as before and
    after a distillation.
    """
    runs = simulate_tools(systems_of(setting, seed), n_tasks=setting.n_tasks, seed=seed)
    cohort = from_trajectories(runs, labeler=_LABELER)
    sample = sample_of(cohort)
    calls = list(run_calls(cohort, sample.runs["run_id"].to_list()))
    graphs = [action_graph(run) for run in calls]
    use = tool_use(sample, [run.names for run in calls])
    order = habits("s_seq", np.array([sequence_vector(g) for g in graphs]), sample).scores
    depends = habits("s_dep", np.array([dependency_vector(g) for g in graphs]), sample).scores
    constant = [name for name in sample.systems if name not in CANDIDATES]
    found = np.full((len(CANDIDATES), len(TOWARD), len(FIGURES)), np.nan)
    for place, name in enumerate(CANDIDATES):
        nodes = s_node(use, in_pool(sample, [*constant, name]))
        for direction, other in enumerate(TOWARD):
            pair = sample.systems.index(name), sample.systems.index(other)
            parts = [_mean(scores.values[pair]) for scores in (nodes, order, depends)]
            found[place, direction, :4] = [*parts, np.mean(parts)]
            if ged and place in GED_OF:
                found[place, direction, 4] = _ged(sample, graphs, name, other)
    return found


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _ged(sample: Sample, graphs: Sequence[ActionGraph], name: str, other: str) -> float:
    """Mean graph edit similarity of two systems over the first tasks."""
    at = {
        (system, task): graph
        for (system, task), graph in zip(
            sample.runs.select("system", "task").iter_rows(), graphs, strict=True
        )
    }
    tasks = sorted(sample.tasks, key=lambda task: int(task.rpartition("-")[2]))[:GED_TASKS]
    pairs = [(at[name, task], at[other, task]) for task in tasks]
    return float(np.mean([graph_edit_similarity(_plain(a), _plain(b)) for a, b in pairs]))


def _plain(graph: ActionGraph) -> LabelledGraph:
    return LabelledGraph(graph.names, graph.edges)


def study(setting: Setting, *, ged: bool = False, n_seeds: int = N_SEEDS) -> FloatArray:
    """Similarities of many experiments: (seeds, candidates, directions, figures)."""
    return np.array([one_seed(setting, seed, ged=ged) for seed in range(n_seeds)])


def change(found: FloatArray, before: str, after: str) -> FloatArray:
    """How far similarities rise from a candidate to another: (seeds, directions, figures)."""
    place = CANDIDATES.index
    return np.asarray(found[:, place(after)] - found[:, place(before)])


def slopes(found: FloatArray) -> FloatArray:
    """Least-squares rise of similarities a unit of weight: (seeds, directions, figures)."""
    weights = np.array(WEIGHTS) - np.mean(WEIGHTS)
    return np.asarray(np.einsum("swdf,w->sdf", found[:, 1:], weights) / (weights @ weights))


def over_seeds(values: FloatArray) -> Interval:
    """Mean over seeds with its interval of 95 %; seeds without a value are left out."""
    return mean_interval(values[~np.isnan(values)])


def shows(rise: FloatArray) -> FloatArray:
    """Share of seeds, by figure, that rise toward the teacher and not toward the control."""
    return np.asarray(np.mean((rise[:, 0] > 0) & (rise[:, 1] <= 0), axis=0))


def page(found: FloatArray, variants: Sequence[FloatArray]) -> str:
    """The page, with every table filled in."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, rows in {
        "levels": _levels(found),
        "changes": _changes(found),
        "variants": _variants(variants),
    }.items():
        text = text.replace(f"{{{{{name}}}}}", "\n".join(f"| {' | '.join(row)} |" for row in rows))
    return text


def _heads(*heads: str) -> list[Sequence[str]]:
    return [heads, ["---", *["---:"] * (len(heads) - 1)]]


def _levels(found: FloatArray) -> Iterator[Sequence[str]]:
    yield from _heads("", *(LABELS[figure] for figure in FIGURES))
    for place, name in enumerate(CANDIDATES):
        cells = found[:, place].mean(axis=0)
        yield [name.replace("student", "student, weight"), *(_two(*pair) for pair in cells.T)]


def _two(toward_teacher: float, toward_control: float) -> str:
    if np.isnan(toward_teacher):
        return "–"
    return f"{toward_teacher:.2f} / {toward_control:.2f}"


def _changes(found: FloatArray) -> Iterator[Sequence[str]]:
    yield from _heads(
        "",
        "base to student 1, teacher",
        "control",
        "printed, teacher",
        "control",
        "weight 0 to 1, teacher",
        "control",
        "in single seeds",
    )
    whole = change(found, "base", "student 1")
    weight = change(found, "student 0", "student 1")
    for place, figure in enumerate(FIGURES):
        yield [
            LABELS[figure],
            *_intervals(whole[:, :, place]),
            *(text.replace("-", "−") for text in PRINTED[figure]),
            *_intervals(weight[:, :, place]),
            f"{100 * shows(whole)[place]:.0f} %",
        ]


def _intervals(rise: FloatArray) -> list[str]:
    return [_signed(over_seeds(rise[:, direction])) for direction in range(len(TOWARD))]


def _signed(interval: Interval) -> str:
    text = f"{interval.estimate:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"
    return text.replace("-", "−")


def _variants(variants: Sequence[FloatArray]) -> Iterator[Sequence[str]]:
    yield from _heads(
        "AGS", "base to student 1, teacher", "control", "weight 0 to 1, teacher", "control", "seeds"
    )
    ags = FIGURES.index("ags")
    for setting, found in zip(VARIANTS, variants, strict=True):
        whole = change(found, "base", "student 1")
        weight = change(found, "student 0", "student 1")
        yield [
            setting.about,
            *_intervals(whole[:, :, ags]),
            *_intervals(weight[:, :, ags]),
            f"{100 * shows(whole)[ags]:.0f} %",
        ]


def measured() -> tuple[FloatArray, list[FloatArray]]:
    """Everything that the page shows."""
    found = study(MAIN, ged=True)
    return found, [found, *(study(setting) for setting in VARIANTS[1:])]


if __name__ == "__main__":
    PAGE.write_text(page(*measured()), encoding="utf-8")
