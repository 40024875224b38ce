"""What must be read with single figures and with the tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ethogram.measures.variance.catalogue import CATALOGUE
from ethogram.measures.variance.lists import listed
from ethogram.measures.variance.pairs import POOLED
from ethogram.results.estimate import Estimate, Test
from ethogram.results.numbers import show_number

_RECORDED: Final = "runs that record it"
_OVER: Final[Mapping[str, str]] = {
    "pre_edit_share": "runs with an edit",
    "nonempty_submissions": "runs that record whether they submit",
    "tokens_mean": _RECORDED,
    "cost_mean": _RECORDED,
    "duration_mean": _RECORDED,
}
"""Figures over some of the runs only, which their names don't say.

What lacks repeats or outcomes is said for all at once.
"""


def partial_figures(estimates: Mapping[str, Sequence[Estimate]]) -> Iterator[str]:
    """Sentences, one a figure that leaves runs out: which runs it is over, and how many are not."""
    for name, over in _OVER.items():
        parts = [
            f"{system} {estimate.n_excluded:,} of {estimate.n_runs + estimate.n_excluded:,} runs"
            for system, each in estimates.items()
            for estimate in each
            if estimate.name == name and estimate.value is not None and estimate.n_excluded
        ]
        if parts:
            yield f"{CATALOGUE[name].label}: over {over}; left out: {listed(parts)}."


def unpaired_beside_paired(tests: Sequence[Test]) -> Iterator[str]:
    """Why the t that Mehta 2026 prints is another one, with both effects of each pair."""
    cvs = {(t.first, t.second, t.effect_name): t for t in tests if t.name == "cv_actions"}
    pairs = []
    for (first, second, name), pooled in cvs.items():
        paired = cvs.get((first, second, "Cohen's d_z"))
        if name == POOLED and pooled.statistic is not None and paired and paired.statistic:
            d_z, d = show_number(paired.effect), show_number(pooled.effect)
            t, unpaired = (f"{test.statistic:.2f}" for test in (paired, pooled))
            pairs.append(f"{first} vs {second} d_z {d_z}, pooled d {d}; t {t}, unpaired {unpaired}")
    if pairs:
        yield (
            "CV of actions: Mehta 2026 prints the unpaired t under the name of the paired test. "
            "It divides the same difference by the spread between tasks, the paired t by the "
            "spread of the differences within tasks; the paired one fits shared tasks. Both "
            f"effects: {listed(pairs, ' / ')}."
        )
