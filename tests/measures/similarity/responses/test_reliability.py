"""What is said of a judge beside its scores: agreement, people, temperatures, kin, the ablation."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from measures.similarity.scripted_judge import Scores, ScriptedJudge, noisy
from measures.similarity.speakers import SPEAKERS, talk

from ethogram.errors import InputError, UsageError
from ethogram.ingest import from_trajectories
from ethogram.measures.similarity.responses.ablation import (
    NO_CASE,
    alignment_ablation,
    within_case_sd,
)
from ethogram.measures.similarity.responses.blocks import Staged
from ethogram.measures.similarity.responses.human_labels import (
    label_sheet,
    read_labels,
    with_people,
)
from ethogram.measures.similarity.responses.reliability import (
    agreement,
    reliability_table,
    retest,
    two_judges,
    two_orders,
)
from ethogram.measures.similarity.responses.scoring import Judged, score, stage_runs
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.responses.temperatures import (
    ranking_holds,
    stability,
    temperature_table,
)
from ethogram.measures.similarity.sample import sample_of
from ethogram.results.estimate import Estimate
from ethogram.results.judges import Question
from ethogram.results.ratings import CONSTANT, NO_ITEM, Ratings
from ethogram.simulate.build import reply, run, user

STAGES = Taxonomy(name="two", about="", stages={"one": "First.", "two": "Second."})
N_TASKS = 8


def runs_of(systems: str = "ab", n_tasks: int = N_TASKS) -> Staged:
    """Each run says one thing in stage one: its system and the number of its task."""
    cohort = from_trajectories(
        run([user("?"), reply(f"<one> {name}{task}")], system=name, task=f"t{task}")
        for name in systems
        for task in range(n_tasks)
    )
    return stage_runs(cohort, sample_of(cohort), ScriptedJudge(), taxonomy=STAGES)


def overall(
    by: Callable[[int, int, bool], int], *, samples: int = 1, name: str = "j"
) -> ScriptedJudge:
    """Scores by task, sample and whether the block of ``a`` is shown first."""

    def scores(question: Question[Any]) -> Scores:
        first = str(question.parts["first"])
        found = by(int(first[-1]), question.sample, "a" in first.rpartition(" ")[2])
        return (1, 1, 1, found)

    return ScriptedJudge(scores, samples=samples, name=name)


def figures(ratings: Ratings) -> dict[str, Estimate]:
    return {each.name: each for each in agreement(ratings)}


def test_two_judges_agree_as_counted_by_hand() -> None:
    """Scores 1 2 3 4 5 1 2 3 of one, one more where the task is even, up to 5, of the other."""
    runs = runs_of()
    first = score(runs, overall(lambda task, *_: task % 5 + 1))
    second = score(runs, overall(lambda task, *_: min(5, task % 5 + 1 + (task % 2 == 0))))
    found = figures(two_judges(first, second))
    one = np.array([1, 2, 3, 4, 5, 1, 2, 3])
    other = np.array([2, 2, 4, 4, 5, 1, 3, 3])
    expected = np.mean([(a - b) ** 2 for a in one for b in other])

    assert found["exact"].value == pytest.approx(5 / 8)
    assert found["within_one"].value == 1
    assert found["gap"].value == pytest.approx(3 / 8)
    assert found["kappa"].value == pytest.approx(1 - np.mean((one - other) ** 2) / expected)
    assert found["pearson"].value == pytest.approx(np.corrcoef(one, other)[0, 1])
    for each in found.values():
        assert (each.n_tasks, each.n_runs) == (8, 16)
        assert each.value is not None
        assert each.low is not None
        assert each.high is not None
        assert each.low <= each.value <= each.high


def test_only_what_both_judges_answered_is_compared() -> None:
    runs = runs_of()
    judge = ScriptedJudge(lambda q: None if "3" in str(q.parts["first"]) else (1, 1, 1, 2))
    found = two_judges(score(runs, ScriptedJudge()), score(runs, judge))

    assert found.n_tasks == N_TASKS - 1
    assert len(found.first) == 2 * (N_TASKS - 1)


def test_position_bias_is_the_gap_between_the_two_orders() -> None:
    found = figures(
        two_orders(score(runs_of(), overall(lambda task, _, a_first: 2 + task % 2 + 2 * a_first)))
    )

    assert found["exact"].value == found["within_one"].value == 0
    assert found["gap"].value == 2
    assert found["pearson"].value == pytest.approx(1)


def test_retest_compares_the_first_two_answers_to_a_question() -> None:
    judged = score(
        runs_of(), overall(lambda task, sample, _: (3, 4, 1)[sample] - task % 2, samples=3)
    )
    found = retest(judged)

    assert len(found.first) == 2 * N_TASKS
    assert set(found.second - found.first) == {1}


def test_a_judge_that_gives_everything_one_score_has_no_kappa_and_no_correlation() -> None:
    found = figures(two_orders(score(runs_of(), ScriptedJudge())))

    assert found["kappa"].reason == found["pearson"].reason == CONSTANT
    assert found["exact"].value == 1


def test_without_a_second_rating_each_figure_says_so() -> None:
    found = figures(retest(score(runs_of(), ScriptedJudge())))

    assert {each.reason for each in found.values()} == {NO_ITEM}
    assert {each.n_runs for each in found.values()} == {0}


def test_few_tasks_give_no_interval() -> None:
    judged = score(runs_of(n_tasks=3), overall(lambda task, _, a_first: 1 + task + a_first))

    assert all(
        each.low is None and "too few" in each.method
        for each in figures(two_orders(judged)).values()
    )


def test_the_table_has_a_row_a_comparison_dimension_and_figure() -> None:
    judged = score(runs_of(), ScriptedJudge())
    table = reliability_table(
        {"two orders": [(each, two_orders(judged, each)) for each in ("overall", "style")]}
    )

    assert table.frame.height == 2 * 5
    assert table.across == "name"


def _labels(path: Path, rows: Sequence[Sequence[object]], header: str) -> Path:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_people_s_labels_are_compared_in_either_order_of_the_runs(tmp_path: Path) -> None:
    """The judge's 3.5 counts as 4."""
    judged = score(runs_of(), overall(lambda task, _, a_first: 3 + (a_first and task == 0)))
    pairs = judged.frame.unique("pair").sort("task").select("first_run", "second_run").rows()
    rows: list[list[object]] = [[*pairs[0], "one", 4, "x"], [*pairs[0], "one", 5, "y"]]
    rows += [
        [*reversed(pairs[1]), "one", 3, "x"],
        [*pairs[2], "two", 1, "x"],
        ["?", "?", "one", 1, "x"],
    ]
    path = _labels(tmp_path / "people.csv", rows, "first_run,second_run,stage,overall,rater")
    found = with_people(judged, read_labels(path))

    assert sorted(zip(found.first, found.second, strict=True)) == [(3, 3), (4, 4), (4, 5)]
    assert (found.n_tasks, found.n_runs) == (2, 4)
    assert len(with_people(judged, read_labels(path), "style").first) == 0


def test_labels_of_whole_runs_need_no_stage(tmp_path: Path) -> None:
    whole = score(runs_of(), ScriptedJudge(), stages=False)
    first, second = whole.frame.select("first_run", "second_run").row(0)
    path = _labels(tmp_path / "p.csv", [[first, second, 2]], "first_run,second_run,overall")

    assert with_people(whole, read_labels(path)).second.tolist() == [2]


def test_a_sheet_of_blocks_is_filled_in_and_read_back(tmp_path: Path) -> None:
    runs = runs_of()
    sheet = label_sheet(runs, n=5)
    path = tmp_path / "sheet.csv"
    sheet.with_columns(overall=pl.Series(["3", "2", "3", None, "5"])).write_csv(path)
    found = with_people(score(runs, ScriptedJudge()), read_labels(path))

    assert sheet.height == sheet.unique(["first_run", "second_run"]).height == 5
    assert sheet.equals(label_sheet(runs, n=5))
    assert not sheet.equals(label_sheet(runs, n=5, seed=1))
    assert label_sheet(runs, n=99).height == N_TASKS
    assert sheet["first_block"].str.starts_with("[reply] <one> ").all()
    assert sorted(found.second) == [2, 3, 3, 5]


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("first_run,overall", ["a", 3], "second_run missing"),
        ("first_run,second_run,overall", ["a", "b", 6], "row 1, overall: .* got '6'"),
        ("first_run,second_run,overall", ["a", "b", "good"], "row 1, overall: .* got 'good'"),
        ("first_run,second_run,overall,style", ["a", "b", 1, 0], "row 1, style"),
    ],
)
def test_what_is_no_label_is_refused_with_its_place(
    header: str, row: Sequence[object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        read_labels(_labels(tmp_path / "people.csv", [row], header))


def test_a_missing_file_of_labels_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.csv: can't be read"):
        read_labels(tmp_path / "gone.csv")


def test_scores_at_several_temperatures_have_their_range_and_ranks() -> None:
    runs = runs_of("abc", n_tasks=2)

    def at(shift: float) -> Judged:
        def scores(question: Question[Any]) -> Scores:
            pair = {str(question.parts[name])[-2] for name in ("first", "second")}
            task = int(str(question.parts["first"])[-1])
            level = {"ab": 4, "ac": 3, "bc": 1}["".join(sorted(pair))]
            return (1, 1, 1, level + (task == 0 and shift > 0))

        return score(runs, ScriptedJudge(scores))

    table = temperature_table({0.0: at(0), 1.0: at(1)})
    rows = table.frame.select("first", "second", "temperature", "score", "rank", "range").rows()

    assert rows == [
        ("a", "b", 0, 4, 1, 0.5),
        ("a", "b", 1, 4.5, 1, 0.5),
        ("a", "c", 0, 3, 2, 0.5),
        ("a", "c", 1, 3.5, 2, 0.5),
        ("b", "c", 0, 1, 3, 0.5),
        ("b", "c", 1, 1.5, 3, 0.5),
    ]
    assert ranking_holds(table) is True


def test_a_judge_is_asked_at_each_temperature_and_compared_with_itself() -> None:
    runs = runs_of()
    judges = {0.0: overall(lambda task, *_: 1 + task % 4, samples=2), 1.0: ScriptedJudge(samples=2)}
    temperatures, reliability = stability(runs, judges)
    first = temperatures.frame.row(0, named=True)

    assert first["score"] == 2.5
    assert 1 < first["low"] < 2.5 < first["high"] < 5
    assert reliability.frame["comparison"].unique(maintain_order=True).to_list() == [
        "asked twice at 0",
        "asked twice at 1",
    ]
    once = stability(runs, {0.0: ScriptedJudge(), 1.0: ScriptedJudge()})
    assert [table.name for table in once] == ["temperatures"]


def test_a_ranking_that_turns_round_does_not_hold() -> None:
    runs = runs_of("abc", n_tasks=1)

    def likes(pair: str) -> Judged:
        def scores(question: Question[Any]) -> Scores:
            both = {str(question.parts[name])[-2] for name in ("first", "second")}
            return (1, 1, 1, 5 if both == set(pair) else 2)

        return score(runs, ScriptedJudge(scores))

    assert ranking_holds(temperature_table({0.0: likes("ab"), 0.7: likes("bc")})) is False
    two = score(runs_of(n_tasks=1), ScriptedJudge())
    assert ranking_holds(temperature_table({0.0: two, 0.7: two})) is None


def test_only_pairs_scored_at_all_temperatures_count() -> None:
    runs = runs_of()
    missing = ScriptedJudge(lambda q: None if "3" in str(q.parts["first"]) else (3, 3, 3, 3))
    table = temperature_table({0.0: score(runs, ScriptedJudge()), 1.0: score(runs, missing)})

    assert set(table.frame["n_tasks"]) == {N_TASKS - 1}


def test_one_temperature_is_no_stability() -> None:
    judged = score(runs_of(), ScriptedJudge())
    with pytest.raises(UsageError, match="two temperatures or more"):
        temperature_table({0.0: judged})
    with pytest.raises(UsageError, match="same pairs of runs"):
        temperature_table({0.0: judged, 1.0: score(runs_of("abc"), ScriptedJudge())})


def stage_of(item: str, choices: Sequence[str]) -> str:
    """Some stage, by what is said."""
    marks = ("Let me look", "Shall I", "- ", "!")
    place = next((n for n, mark in enumerate(marks) if mark in item), len(item))
    return choices[place % len(choices)]


def spoken_runs(n_tasks: int = 40) -> Staged:
    cohort = from_trajectories(talk(SPEAKERS, n_tasks=n_tasks, n_runs=1))
    judge = ScriptedJudge(stage=stage_of)
    return stage_runs(cohort, sample_of(cohort), judge, taxonomy="customer_service")


def test_a_case_s_spread_is_that_of_its_repeated_scores() -> None:
    judged = score(
        runs_of(),
        overall(lambda task, sample, _: (1, 2, 5)[sample] - (sample > 1) * task % 2, samples=3),
    )
    found = within_case_sd(judged)

    assert set(found["n_samples"]) == {3}
    assert found.sort("task")["sd"].to_list()[:2] == pytest.approx(
        [np.std([1, 2, 5], ddof=1), np.std([1, 2, 4], ddof=1)]
    )


def test_the_ablation_is_the_ratio_of_mean_spreads() -> None:
    runs = runs_of()
    spread = score(runs, overall(lambda task, sample, _: 2 + sample * (1 + task % 2), samples=2))
    whole = score(runs, overall(lambda _, sample, __: 1 + 4 * sample, samples=2), stages=False)
    found = {
        row["name"]: row for row in alignment_ablation(spread, whole).frame.iter_rows(named=True)
    }
    one = 1 / 2**0.5

    assert found["within_sd_stages"]["value"] == pytest.approx(1.5 * one)
    assert found["within_sd_whole"]["value"] == pytest.approx(4 * one)
    reduction = found["sd_reduction"]
    assert reduction["value"] == pytest.approx(1 - 1.5 / 4)
    assert reduction["low"] < reduction["value"] < reduction["high"] < 1


def test_a_judge_that_wavers_more_over_long_blocks_wavers_less_stage_by_stage() -> None:
    """The published pattern (Table 6): a reduction of 44 to 55 %."""
    runs = spoken_runs()
    judge = ScriptedJudge(noisy, samples=3)
    table = alignment_ablation(score(runs, judge), score(runs, judge, stages=False))
    reductions = table.frame.filter(name="sd_reduction")

    assert reductions.height == 3
    assert (reductions["low"] > 0).all()


def test_the_ablation_needs_two_samples_and_the_same_runs() -> None:
    runs = runs_of()
    once = score(runs, ScriptedJudge())
    table = alignment_ablation(once, score(runs, ScriptedJudge(), stages=False))

    assert set(table.frame["reason"]) == {NO_CASE}
    with pytest.raises(UsageError, match="same pairs of runs"):
        alignment_ablation(once, score(runs_of("abc"), ScriptedJudge(), stages=False))


def test_a_steady_judge_has_no_spread_to_reduce() -> None:
    runs = runs_of()
    judge = ScriptedJudge(samples=2)
    table = alignment_ablation(score(runs, judge), score(runs, judge, stages=False))

    assert table.frame.filter(name="within_sd_whole")["value"].to_list() == [0]
    assert table.frame.filter(name="sd_reduction")["reason"].to_list() == [
        "no spread without stages"
    ]
