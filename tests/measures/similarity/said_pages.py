"""Writes into ``docs/explanation/style.md`` and ``rps.md`` what their tables show.

``ETHOGRAM_SHARED=... python tests/measures/similarity/said_pages.py`` writes the blocks between the
markers anew; ``test_said_pages.py`` fails when they no longer show what is measured.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import polars as pl
from measures.similarity.scripted_judge import ScriptedJudge
from measures.similarity.tau2_page import FIVE, five_systems, read_tau2, table
from measures.variance import mehta_page

from ethogram.cohort import Cohort
from ethogram.cohort.cohort import concat
from ethogram.ingest import from_trajectories
from ethogram.ingest.api import read
from ethogram.judging.opening import open_judges, rehearsals
from ethogram.judging.settings import JudgeSettings
from ethogram.judging.tally import Plan
from ethogram.measures.similarity.field.matrix import similarity_table
from ethogram.measures.similarity.responses.blocks import Staged
from ethogram.measures.similarity.responses.scoring import score, score_replies, stage_runs
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.style.checks import style_checks
from ethogram.measures.similarity.style.compare import LABELS, compare_styles, style_of
from ethogram.measures.similarity.style.speech import speeches
from ethogram.measures.similarity.style.stylometry import features
from ethogram.results.table import Table
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event

ROOT: Final = Path(__file__).parents[3]
STYLE: Final = ROOT / "docs" / "explanation" / "style.md"
RPS: Final = ROOT / "docs" / "explanation" / "rps.md"


def airline_with_trials(shared: Path, tau2: Cohort) -> tuple[Cohort, Sample]:
    """tau-bench's four trials beside tau2-bench, whose airline tasks go back to the same ones.

    Their texts differ, so that as a cohort they are other tasks: here equal ids are taken as equal.
    """
    trials = read(shared / "data" / "tau-bench")
    cohort = concat([trials, tau2.filter('benchmark == "tau2-bench/airline"')])
    rows = cohort.joined.with_columns(task="task_id").sort("system", "task", "trial", "run_id")
    return cohort, Sample(rows.select("run_id", "system", "task", "success"), rows.head(0))


def checks_of(cohort: Cohort, sample: Sample) -> Table:
    """The AUC of style on a cohort."""
    runs = [features(each) for each in speeches(cohort, sample.runs["run_id"].to_list())]
    return style_checks(cohort, sample, compare_styles(runs, sample))


def style_blocks(shared: Path, folder: Path) -> dict[str, str]:
    """The blocks of the page on style."""
    tau2 = read_tau2(shared, folder / "tau2")
    five = five_systems(tau2)
    sample = sample_of(five)
    mehta = mehta_page.read_runs(shared, folder / "mehta")
    checks = {
        "five systems, tau2-bench airline": checks_of(five, sample),
        "airline, with four trials of gpt-4o": checks_of(*airline_with_trials(shared, tau2)),
        "Mehta's three coding agents": checks_of(mehta, sample_of(mehta)),
    }
    return {"pairs": _pairs(five, sample), "checks": _checks(checks)}


def _pairs(cohort: Cohort, sample: Sample) -> str:
    frame = similarity_table(style_of(cohort, sample).scores).frame
    pairs = frame.filter(name="style_similarity").sort("value", descending=True)
    lines = []
    for first, second in pairs.select("first", "second").iter_rows():
        rows = frame.filter(first=first, second=second)
        cells = [_shown(rows.filter(name=name)) for name in LABELS]
        lines.append([f"{FIVE[first]} – {FIVE[second]}", *cells])
    return table(["pair", *LABELS.values()], lines)


def _checks(checks: dict[str, Table]) -> str:
    lines = []
    for about, found in checks.items():
        for comparison in found.frame["comparison"].unique(maintain_order=True):
            rows = found.frame.filter(comparison=comparison)
            cells = [_shown(rows.filter(measure=label)) for label in LABELS.values()]
            lines.append([about, comparison, *cells])
    return table(["cohort", "pairs of runs", *LABELS.values()], lines)


def _shown(rows: pl.DataFrame) -> str:
    row = rows.row(0, named=True)
    if row["value"] is None:
        return "not validated here"
    return f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def rps_blocks(shared: Path, folder: Path) -> dict[str, str]:
    """The blocks of the page on RPS."""
    return {"cost": _cost(five_systems(read_tau2(shared, folder / "tau2"))), "blocks": _blocks()}


def _cost(cohort: Cohort) -> str:
    heads = ["asked for", "calls", "input tokens", "output tokens"]
    return table(heads, list(_cost_lines(cohort)))


def _cost_lines(cohort: Cohort) -> Iterator[Sequence[str]]:
    sample = sample_of(cohort)
    with tempfile.TemporaryDirectory() as folder:
        settings = JudgeSettings(model="any", cache=Path(folder) / "none.sqlite")
        (judge,) = rehearsals(open_judges(settings))
        plans = [judge.plan]
        runs = stage_runs(cohort, sample, judge)
        plans.append(judge.plan)
        for step in (score, score_replies, lambda *given: score(*given, stages=False)):
            step(runs, judge)
            plans.append(judge.plan)
    names = ["stages, once a run", "RPS, a sample", "RSE, a sample", "whole runs, a sample"]
    for name, (before, after) in zip(names, pairwise(plans), strict=True):
        yield [name, *_spent(before, after)]
    yield ["stages and RPS", *_spent(plans[0], plans[2])]


def _spent(before: Plan, after: Plan) -> list[str]:
    used, first = after.usage, before.usage
    return [
        f"{after.calls - before.calls:,}",
        _thousands(used.input_tokens - first.input_tokens),
        _thousands(used.output_tokens - first.output_tokens),
    ]


def _thousands(tokens: int) -> str:
    return f"{tokens / 1e6:.2f} million"


WARM: Final = (
    ("elicitation", "Oh no, that's a pity! Could you tell me the number of your parcel?"),
    ("execution", "Great, thanks! Let me look that up."),
    ("notification", "Good news, it's in town! It'll be with you tomorrow before noon."),
    ("verification", "Shall I change it to your office, then?"),
    ("notification", "All done! Have a lovely day!"),
)
FORMAL: Final = (
    ("elicitation", "Certainly. Please provide the number of the parcel."),
    (
        "notification",
        "Here is the status of your parcel:\n- **Place:** sorting centre\n- **Arrival:** tomorrow",
    ),
    (
        "verification",
        "I can change the address as follows:\n- **New address:** your office\n\n"
        "Please confirm (yes/no).",
    ),
    ("notification", "The address has been changed. Is there anything else?"),
)
STAGE_OF: Final = {text: stage for stage, text in (*WARM, *FORMAL)}


def example_cohort() -> Cohort:
    """One pair of runs, written by hand."""
    return from_trajectories(
        run(_talk(said), system=name, task="parcel")
        for name, said in (("warm", WARM), ("formal", FORMAL))
    )


def example() -> Staged:
    """The pair in the stages of customer service."""
    cohort = example_cohort()
    judge = ScriptedJudge(stage=lambda item, _: next(s for t, s in STAGE_OF.items() if t in item))
    return stage_runs(cohort, sample_of(cohort), judge)


def _talk(said: Sequence[tuple[str, str]]) -> Iterator[Event]:
    """A run: it looks the parcel up once it has the number, and changes it after a go-ahead."""
    before = None
    for turn, (stage, text) in enumerate(said):
        if before == "verification":
            yield user("Yes.")
            yield _call("redirect", "ok", turn)
        if before == "elicitation":
            yield user("P-17.")
            yield _call("find_parcel", '{"place": "sorting centre"}', turn, _beside(stage, text))
        if stage != "execution":
            yield reply(text, turn=turn)
        before = stage


def _beside(stage: str, text: str) -> str | None:
    return text if stage == "execution" else None


def _call(tool: str, result: str, turn: int, text: str | None = None) -> Event:
    call = f'{tool}({{"id": "P-17"}})'
    return action(call, tool=tool, observation=result, turn=turn, text=text)


def _blocks() -> str:
    runs = example()
    blocks = runs.blocks()
    lines = [
        [
            stage,
            *(
                _cell(found[stage].text) if stage in found else "–"
                for found in (
                    blocks[place] for place in (runs.pairs[0].first, runs.pairs[0].second)
                )
            ),
        ]
        for stage in runs.taxonomy.stages
    ]
    names = [runs.sample.systems[runs.sample.system[place]] for place in runs.pairs[0][1:]]
    return table(["stage", *names], lines).replace("---:", "---")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("**", "\\*\\*").replace("\n", "<br>")


def with_blocks(page: str, made: dict[str, str]) -> str:
    """The page with other blocks between its markers."""
    for name, text in made.items():
        begin = f"<!-- {name}: made by tests/measures/similarity/said_pages.py -->\n"
        start = page.index(begin) + len(begin)
        page = f"{page[:start]}\n{text}\n{page[page.index(f'<!-- /{name} -->', start) :]}"
    return page


def main() -> None:
    """Write the blocks of both pages."""
    shared = Path(os.environ["ETHOGRAM_SHARED"])
    for page, make in ((STYLE, style_blocks), (RPS, rps_blocks)):
        with tempfile.TemporaryDirectory() as folder:
            made = make(shared, Path(folder))
        page.write_text(with_blocks(page.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
