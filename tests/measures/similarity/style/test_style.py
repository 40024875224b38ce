"""Style similarity: by its definition, by invariants, on speakers of known habits, on real runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from measures.similarity.speakers import SPEAKERS, TERSE, WARM, Speaker, talk
from measures.variance import mehta_page

from ethogram.cohort import Cohort
from ethogram.cohort.cohort import concat
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.ingest.api import read
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.measures.similarity.style.checks import (
    NO_OTHER_TASK,
    NOT_VALIDATED,
    OTHER_TASKS,
    SAME_TASK,
    style_checks,
)
from ethogram.measures.similarity.style.compare import (
    DIMENSIONS,
    ENGLISH,
    NO_DIFFERENCE,
    NO_TEXT,
    STYLE,
    TOO_SHORT,
    Style,
    compare_styles,
    style_of,
    style_scores,
)
from ethogram.measures.similarity.style.speech import speeches
from ethogram.measures.similarity.style.stylometry import Features, Speech, features
from ethogram.measures.similarity.task_scores import TaskScores
from ethogram.results.table import Table
from ethogram.simulate.build import reply, run, user
from ethogram.stats.arrays import FloatArray
from ethogram.trajectory import Trajectory

LABELER = default_labeler()


def cohort_of(runs: Sequence[Trajectory]) -> Cohort:
    return from_trajectories(runs, labeler=LABELER)


def sampled(runs: Sequence[Trajectory]) -> tuple[Cohort, Sample, Style]:
    cohort = cohort_of(runs)
    sample = sample_of(cohort)
    return cohort, sample, style_of(cohort, sample)


def by_name(scores: Sequence[TaskScores]) -> dict[str, TaskScores]:
    return {each.name: each for each in scores}


def auc_of(table: Table, comparison: str, measure: str = "Style") -> float:
    rows = table.frame.filter(comparison=comparison, measure=measure)
    return float(rows["value"].item())


def said(system: str, *texts: str, task: str = "t1", trial: int = 0) -> Trajectory:
    steps = [each for text in texts for each in (user("?"), reply(text))]
    return run(steps, system=system, task=task, trial=trial)


def naive_vector(runs: Sequence[Features], place: int, blocks: Sequence[str]) -> list[float]:
    """A run's deviations, feature by feature, from the definition."""
    found = []
    for block in blocks:
        rows = [each.blocks[block] for each in runs]
        names = sorted({name for row in rows for name in row})
        kept = []
        for name in names:
            rates = [row.get(name, 0.0) for row in rows]
            n_with = sum(rate != 0 for rate in rates)
            if n_with / len(rows) >= 0.05 and np.std(rates) > 1e-12:
                deviation = float((rates[place] - np.mean(rates)) / np.std(rates))
                kept.append(min(max(deviation, -3), 3))
        found += [each / len(kept) ** 0.5 for each in kept]
    return found


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    return float(np.dot(first, second) / np.linalg.norm(first) / np.linalg.norm(second))


def test_scores_are_means_of_cosines_over_pairs_of_runs() -> None:
    cohort, sample, style = sampled(list(talk(n_tasks=3, n_runs=3)))
    runs = [features(each) for each in speeches(cohort, sample.runs["run_id"].to_list())]
    found = by_name(style.scores)
    expected: dict[str, list[FloatArray]] = {}
    for name, blocks in DIMENSIONS.items():
        vectors = [naive_vector(runs, place, blocks) for place in range(len(runs))]
        alike = np.array([[(1 + cosine(a, b)) / 2 for a in vectors] for b in vectors])
        expected[name] = [alike]
    expected[STYLE] = [np.mean([each[0] for each in expected.values()], axis=0)]
    for name, (alike,) in expected.items():
        for task in range(3):
            first = np.flatnonzero((sample.system == 0) & (sample.task == task))
            second = np.flatnonzero((sample.system == 1) & (sample.task == task))
            others = np.flatnonzero((sample.system == 0) & (sample.task != task))
            across = alike[np.ix_(first, second)].mean()
            upper = alike[np.ix_(first, first)][np.triu_indices(3, 1)].mean()

            assert found[name].values[0, 1, task] == pytest.approx(across)
            assert found[name].repeats[0, task] == pytest.approx(upper)
            unlike = found[name].unlike
            assert unlike is not None
            assert unlike[0, task] == pytest.approx(alike[np.ix_(first, others)].mean())


def test_the_order_of_runs_and_trials_changes_nothing() -> None:
    runs = list(talk(n_tasks=3))
    turned = [replace_trial(each, 1 - (each.trial or 0)) for each in reversed(runs)]
    one, other = (style_scores(c, sample_of(c)) for c in (cohort_of(runs), cohort_of(turned)))

    for first, second in zip(one, other, strict=True):
        assert np.allclose(first.values, second.values)
        assert np.allclose(first.repeats, second.repeats)


def replace_trial(each: Trajectory, trial: int) -> Trajectory:
    return msgspec.structs.replace(each, trial=trial)


LONG = "I have found your booking, and you can change it until the end of the day. It's no trouble."
OTHER = (
    "No. However late they come, we are not going to send them away; so it was promised to us all!"
)


def test_runs_of_equal_texts_score_one() -> None:
    texts = ["Thank you. I'll look.", LONG]
    runs = [said("a", *texts), said("b", *texts), said("c", "No.", OTHER)]
    _, _, style = sampled(runs)

    for each in style.scores:
        assert each.values[0, 1, 0] == pytest.approx(1)
        assert each.values[0, 2, 0] < 0.5


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"short": 0.95}, "style_wording"),
        ({"opening": "Right"}, "style_wording"),
        ({"lists": 0.95}, "style_structure"),
        ({"asks_first": 0.95}, "style_alignment"),
    ],
)
def test_a_habit_moves_the_dimension_it_belongs_to_most(changed: dict[str, Any], name: str) -> None:
    plain = Speaker("plain", "Okay")
    more = [plain, replace(plain, name="same"), replace(plain, name="other", **changed)]
    _, _, style = sampled(list(talk(more, n_tasks=20)))
    lost = {
        each.name: np.nanmean(each.values[1, 2] - each.values[0, 1])
        for each in style.scores
        if each.name != STYLE
    }

    assert max(lost, key=lambda dimension: lost[dimension]) == name


def test_speakers_of_known_style_are_told_apart() -> None:
    cohort, sample, style = sampled(list(talk(n_tasks=10, n_runs=3)))
    checks = style_checks(cohort, sample, style)

    for comparison in (SAME_TASK, OTHER_TASKS):
        assert auc_of(checks, comparison) > 0.95


def test_speakers_of_one_style_are_not_told_apart() -> None:
    copies = [replace(WARM, name=f"copy {number}") for number in range(4)]
    cohort, sample, style = sampled(list(talk(copies, n_tasks=20, n_runs=3)))
    checks = style_checks(cohort, sample, style)

    for row in checks.frame.iter_rows(named=True):
        assert abs(row["value"] - 0.5) < 0.05


def test_a_student_is_more_like_its_teacher() -> None:
    half = Speaker("student", WARM.opening, short=0.6, exclaims=0.5, announces=0.5)
    _, sample, style = sampled(list(talk([*SPEAKERS, half], n_tasks=10)))
    scores = by_name(style.scores)[STYLE]
    at = sample.systems.index
    toward = {each.name: np.mean(scores.values[at("student"), at(each.name)]) for each in SPEAKERS}

    assert toward["warm"] > max(toward["terse"], toward["formal"]) + 0.1


def test_runs_without_style_are_not_counted_behind_its_auc() -> None:
    runs = [*talk(n_tasks=7), *(said("mute", "Ok.", task=f"task-{n:02d}") for n in range(7))]
    cohort, sample, style = sampled(runs)
    rows = style_checks(cohort, sample, style).frame.filter(comparison=SAME_TASK)

    assert rows.filter(measure="Style").select("n_runs", "n_excluded").row(0) == (42, 7)
    assert rows.filter(measure="Order of acts").select("n_runs", "n_excluded").row(0) == (49, 0)


def test_without_repeats_only_other_tasks_validate() -> None:
    cohort, sample, style = sampled(list(talk(n_tasks=8, n_runs=1)))
    checks = style_checks(cohort, sample, style)

    same = checks.frame.filter(comparison=SAME_TASK)
    assert set(same["reason"]) == {NOT_VALIDATED}
    assert same["value"].is_null().all()
    assert auc_of(checks, OTHER_TASKS) > 0.9


def test_one_task_without_repeats_validates_nothing() -> None:
    cohort, sample, style = sampled(list(talk(n_tasks=1, n_runs=1)))
    checks = style_checks(cohort, sample, style)

    assert set(checks.frame["reason"]) == {NOT_VALIDATED, NO_OTHER_TASK}


def test_auc_by_counting_pairs_is_the_auc_shown() -> None:
    cohort, sample, style = sampled(list(talk([TERSE, replace(TERSE, name="b")], n_tasks=7)))
    alike = style.vectors[STYLE] @ style.vectors[STYLE].T
    shares = []
    for task in range(7):
        here = [place for place in range(len(sample.task)) if sample.task[place] == task]
        pairs = [(i, j) for i in here for j in here if i < j]
        one = [alike[i, j] for i, j in pairs if sample.system[i] == sample.system[j]]
        two = [alike[i, j] for i, j in pairs if sample.system[i] != sample.system[j]]
        shares.append(np.mean([[(a > b) + (a == b) / 2 for a in one] for b in two]))

    assert auc_of(style_checks(cohort, sample, style), SAME_TASK) == pytest.approx(np.mean(shares))


def test_across_tasks_a_run_meets_only_tasks_that_its_system_ran_too() -> None:
    """Counted pair by pair, with a system that lacks most tasks."""
    runs = [each for each in talk(n_tasks=5) if each.system.name != "warm" or each.trial == 0]
    runs = [
        each for each in runs if each.system.name != "warm" or str(each.task.task_id) <= "task-01"
    ]
    cohort, sample, style = sampled(runs)
    alike = style.vectors[STYLE] @ style.vectors[STYLE].T
    ran = set(zip(sample.system.tolist(), sample.task.tolist(), strict=True))
    places = range(len(sample.task))
    shares = []
    for task in range(5):
        pairs = [
            (i, j)
            for i in places
            for j in places
            if sample.task[i] == task != sample.task[j]
            and (sample.system[i], sample.task[j]) in ran
        ]
        one = [alike[i, j] for i, j in pairs if sample.system[i] == sample.system[j]]
        two = [alike[i, j] for i, j in pairs if sample.system[i] != sample.system[j]]
        shares.append(np.mean([[(a > b) + (a == b) / 2 for a in one] for b in two]))

    assert auc_of(style_checks(cohort, sample, style), OTHER_TASKS) == pytest.approx(
        np.mean(shares)
    )


def test_runs_without_a_text_have_no_style() -> None:
    silent = run(["ls", "cat x"], system="c")
    runs = [said("a", LONG), said("b", OTHER), silent]
    _, sample, style = sampled(runs)
    scores = by_name(style.scores)
    c = sample.systems.index("c")

    for name in (STYLE, "style_wording", "style_structure"):
        assert np.isnan(scores[name].values[c]).all()
    assert not np.isnan(scores["style_alignment"].values[0, c]).any()
    assert np.isnan(style.vectors[STYLE][2]).all()


def test_runs_of_few_words_have_layout_but_no_wording_and_are_counted() -> None:
    stop = said("c", "###STOP###")
    _, _, style = sampled([said("a", LONG), said("b", OTHER), stop])
    scores = by_name(style.scores)

    assert np.isnan(scores["style_wording"].values[0, 2]).all()
    assert np.isnan(scores[STYLE].values[0, 2]).all()
    assert not np.isnan(scores["style_structure"].values[0, 2]).any()
    assert style.notes == (
        "In 1 of 3 runs the agent says fewer than 20 words: they have no wording, and so no style.",
    )


def test_a_word_too_few_is_too_few() -> None:
    just, short = " ".join(["word"] * 20), " ".join(["word"] * 19)
    _, _, style = sampled([said("a", just), said("b", short), said("c", OTHER)])
    wording = by_name(style.scores)["style_wording"].values

    assert not np.isnan(wording[0, 2]).any()
    assert np.isnan(wording[1]).all()


def test_a_cohort_without_texts_says_so() -> None:
    _, _, style = sampled([run(["ls"], system="a"), run(["cat x"], system="b")])
    scores = by_name(style.scores)

    assert scores["style_wording"].reason == NO_TEXT
    assert scores["style_alignment"].reason is None
    assert scores[STYLE].reason == f"style_wording: {NO_TEXT}"
    assert np.isnan(scores[STYLE].values).all()


def test_where_all_say_little_there_is_no_wording() -> None:
    _, _, style = sampled([said("a", "Yes."), said("b", "Not quite yet!")])

    assert by_name(style.scores)["style_wording"].reason == TOO_SHORT


def test_where_all_runs_are_the_same_nothing_is_told_apart() -> None:
    cohort, sample, style = sampled([said("a", LONG), said("b", LONG)])

    assert {each.reason for each in style.scores if each.name != STYLE} == {NO_DIFFERENCE}
    assert style_checks(cohort, sample, style).frame["reason"].str.contains(NO_DIFFERENCE).all()


@pytest.mark.parametrize("text", ["Ok", "🎉", "```\nx = 1\n```", "?", "好的。谢谢！", f"🎉 {LONG}"])
def test_odd_texts_are_compared_or_left_out_without_a_warning(text: str) -> None:
    runs = [said("a", text), said("b", LONG), said("c", OTHER)]
    _, _, style = sampled(runs)

    for each in style.scores:
        known = each.values[~np.isnan(each.values)]
        assert ((known >= 0) & (known <= 1)).all()


GERMAN = {
    "förmlich": [
        "Gern habe ich Ihre Buchung geprüft und die Daten gefunden.",
        "Bitte bestätigen Sie die Änderung, damit ich sie für Sie vornehmen kann.",
    ],
    "locker": [
        "Alles klar, hab deine Buchung gefunden, das geht ja schnell!",
        "Passt das so für dich, oder willst du lieber was anderes?",
        "Super, dann ist das erledigt!",
    ],
    "knapp": [
        "Buchung gefunden; Änderung möglich; Gebühr laut Tarif: dreißig Euro.",
        "Betrag: siehe Rechnung; Eingang: morgen; Rückfragen: jederzeit; Dauer: etwa zwei Tage.",
    ],
}
CHINESE = {
    "正式": ["您好，已为您查询到预订信息，请您确认是否需要更改。", "如需帮助，请随时与我们联系。"],
    "随意": ["好嘞，找到啦！你看这样行不行？", "搞定啦！还要我帮你看看别的吗？随时说哈！"],
}


@pytest.mark.parametrize("spoken", [GERMAN, CHINESE])
def test_other_languages_are_compared_by_characters_and_told_apart(
    spoken: dict[str, list[str]],
) -> None:
    runs = [
        said(name, *np.random.default_rng(task).permutation(texts), task=f"t{task}", trial=trial)
        for name, texts in spoken.items()
        for task in range(6)
        for trial in range(2)
    ]
    cohort, sample, style = sampled(runs)
    checks = style_checks(cohort, sample, style)

    n = len(runs)
    assert f"In {n} of {n} runs few words are on the list" in style.notes[0]
    assert "characters in threes" in style.notes[0]
    assert auc_of(checks, SAME_TASK, "Wording") > 0.9


def test_a_few_foreign_runs_leave_the_pool_with_words() -> None:
    runs = [*talk(n_tasks=10), said("odd", *GERMAN["locker"], task="task-00")]
    _, _, style = sampled(runs)

    assert style.notes == (
        "In 1 of 61 runs few words are on the list of English function words; their wording is "
        "compared by that list all the same.",
    )


def test_a_run_without_english_words_is_told_by_its_share() -> None:
    assert (features(Speech(("Alles klar, erledigt!",))).known or 0) < ENGLISH
    assert (features(Speech(("I have it for you.",))).known or 0) > ENGLISH


@pytest.mark.shared
def test_repeats_of_three_coding_agents_are_told_apart(shared: Path, tmp_path: Path) -> None:
    """Mehta's runs: ten tasks, five runs each."""
    cohort = mehta_page.read_runs(shared, tmp_path / "cohort")
    sample = sample_of(cohort)
    checks = style_checks(cohort, sample, style_of(cohort, sample))

    for measure in ("Style", "Wording", "Structure", "Order of acts"):
        assert auc_of(checks, SAME_TASK, measure) > 0.9
    assert auc_of(checks, OTHER_TASKS) > 0.95


@pytest.mark.shared
def test_four_trials_of_one_model_are_told_from_other_models(shared: Path) -> None:
    """tau-bench's four trials beside tau2-bench, whose airline tasks go back to the same ones."""
    trials = read(shared / "data" / "tau-bench")
    others = read(shared / "data" / "tau2-bench").filter(
        pl.col("benchmark") == "tau2-bench/airline"
    )
    cohort = concat([trials, others])
    rows = cohort.joined.with_columns(task="task_id").sort("system", "task", "trial", "run_id")
    sample = Sample(rows.select("run_id", "system", "task", "success"), rows.head(0))
    runs = [features(each) for each in speeches(cohort, sample.runs["run_id"].to_list())]
    checks = style_checks(cohort, sample, compare_styles(runs, sample))

    low = checks.frame.filter(comparison=SAME_TASK, measure="Style")["low"].item()
    assert low > 0.6
