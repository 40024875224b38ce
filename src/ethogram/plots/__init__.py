"""Plots of results: a pure data function, an Altair chart and a caption each."""

from typing import Final

from ethogram.plots.plot import Plot
from ethogram.registry import Registry

PLOTS: Final[Registry[Plot]] = Registry(
    "plot",
    {
        "cv_dots": "ethogram.plots.cv_dots:PLOT",
        "solved": "ethogram.plots.solved:PLOT",
        "task_accuracy": "ethogram.plots.task_accuracy:PLOT",
        "pass_k": "ethogram.plots.pass_k:PLOT",
        "divergence": "ethogram.plots.divergence:PLOT",
        "phases": "ethogram.plots.phases:PLOT",
        "failure_modes": "ethogram.plots.failure_modes:PLOT",
        "step_counts": "ethogram.plots.step_counts:PLOT",
        "step_distribution": "ethogram.plots.step_distribution:PLOT",
        "cv_accuracy": "ethogram.plots.cv_accuracy:PLOT",
        "steps_cv": "ethogram.plots.steps_cv:PLOT",
        "ribbons": "ethogram.plots.ribbons:PLOT",
        "bcm_success": "ethogram.plots.bcm_success:PLOT",
        "bcm_scales": "ethogram.plots.bcm_scales:PLOT",
        "bcm_controls": "ethogram.plots.bcm_controls:PLOT",
        "archetype_map": "ethogram.plots.archetype_map:PLOT",
        "bcm_difficulty": "ethogram.plots.bcm_difficulty:PLOT",
        "bcm_sensitivity": "ethogram.plots.bcm_sensitivity:PLOT",
        "similarity_matrix": "ethogram.plots.similarity_matrix:PLOT",
        "similarity_pairs": "ethogram.plots.similarity_pairs:PLOT",
        "words_and_tools": "ethogram.plots.words_and_tools:PLOT",
        "action_graphs": "ethogram.plots.action_graphs:PLOT",
        "monitor_curves": "ethogram.plots.monitor_curves:PLOT",
    },
    group="ethogram.plots",
)

__all__ = ["PLOTS", "Plot"]
