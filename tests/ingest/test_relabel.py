from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ethogram.cohort import Cohort, concat, storage
from ethogram.errors import CohortError, UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.ingest.relabel import relabel, relabelled
from ethogram.simulate.build import action, reply, run

STEPS: list[Any] = [
    "cat f.py",
    "ls",
    action("cat x y", refused=True),
    action(None, tool="cat", arguments="{}", arguments_state="object"),
    reply("cat"),
]


@pytest.fixture
def cohort(tmp_path: Path) -> Cohort:
    made = from_trajectories([run(STEPS), run(["cat f.py"], trial=1)], labeler=default_labeler())
    return made.save(tmp_path / "c")


@pytest.fixture
def kinds(tmp_path: Path) -> Path:
    (tmp_path / "kinds.toml").write_text('[commands]\ncat = "verify"\n', "utf-8")
    return tmp_path / "kinds.toml"


def labels(cohort: Cohort) -> list[tuple[Any, ...]]:
    columns = ("action", "kind", "kind_origin", "head", "effect")
    return cohort.steps.sort("run_id", "index").select(columns).collect().rows()


def test_what_is_still_a_guess_is_said(tmp_path: Path) -> None:
    made = from_trajectories([run(["frobnicate x", "ls"])]).save(tmp_path / "c")
    assert made.folder is not None
    result = relabel(made.folder, default_labeler())

    assert ["1 of 2 actions" in note and "(frobnicate)" in note for note in result.notes] == [True]


def test_the_same_tables_change_nothing(cohort: Cohort) -> None:
    assert cohort.folder is not None
    before, steps = labels(cohort), cohort.steps.collect()
    result = relabel(cohort.folder, default_labeler())
    after = Cohort.open(cohort.folder)

    assert labels(after) == before
    assert after.steps.collect().equals(steps)
    assert after.digest == cohort.digest
    assert result.summary == ("0 of 5 actions have another kind than before.",)


def test_other_tables_change_the_labels_and_say_how_many(cohort: Cohort, kinds: Path) -> None:
    assert cohort.folder is not None
    labeler = default_labeler(kinds=[kinds])
    result = relabel(cohort.folder, labeler)
    after = Cohort.open(cohort.folder)

    assert after.labels_digest == labeler.digest != cohort.labels_digest
    assert result.to_frame("changes").rows() == [("understand", "verify", 2)]
    commands = after.steps.filter(pl.col("action") == "cat f.py").collect()
    assert commands["kind"].to_list() == ["verify"] * 2


def test_what_was_refused_stays_refused(cohort: Cohort, kinds: Path) -> None:
    assert cohort.folder is not None
    relabel(cohort.folder, default_labeler(kinds=[kinds]))
    steps = Cohort.open(cohort.folder).steps.filter(pl.col("action") == "cat x y").collect()

    assert steps.select("kind", "kind_origin", "effect").rows() == [("other", "recorded", "none")]


def test_everything_but_the_labels_stays(cohort: Cohort, kinds: Path) -> None:
    assert cohort.folder is not None
    kept = pl.exclude("kind", "kind_origin", "head", "effect", "effect_origin")
    before = cohort.steps.select(kept).sort("run_id", "index").collect()
    relabel(cohort.folder, default_labeler(kinds=[kinds]))
    after = Cohort.open(cohort.folder)

    assert after.steps.select(kept).sort("run_id", "index").collect().equals(before)
    assert after.runs.equals(cohort.runs)


def test_a_relabelling_that_is_killed_leaves_the_former_state(
    cohort: Cohort, kinds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cohort.folder is not None
    relabel(cohort.folder, default_labeler())  # so that the parts have a relabelling's names
    before = labels(Cohort.open(cohort.folder))

    def die(*_: Any) -> None:
        raise SystemError

    with monkeypatch.context() as patch:
        patch.setattr("ethogram.ingest.relabel.write_index", die)
        with pytest.raises(SystemError):
            relabel(cohort.folder, default_labeler(kinds=[kinds]))

    assert labels(Cohort.open(cohort.folder)) == before
    relabel(cohort.folder, default_labeler())
    listed = {n for ns in storage.read_index(cohort.folder).tables.values() for n in ns}
    found = cohort.folder.rglob("*.parquet")
    assert {p.relative_to(cohort.folder).as_posix() for p in found} == listed


def test_cohorts_with_different_labels_are_not_put_together_until_they_are_relabelled(
    cohort: Cohort, kinds: Path, tmp_path: Path
) -> None:
    labeler = default_labeler(kinds=[kinds])
    other = from_trajectories([run(["ls"], task="t2")], labeler=labeler)

    with pytest.raises(UsageError, match="ethogram relabel"):
        concat([cohort, other])
    relabel(tmp_path / "c", labeler)
    assert concat([Cohort.open(tmp_path / "c"), other]).runs.height == 3


def test_only_cohorts_are_relabelled(tmp_path: Path) -> None:
    with pytest.raises(CohortError, match="not a cohort"):
        relabel(tmp_path, default_labeler())


def test_a_cohort_in_hand_is_relabelled_and_the_saved_one_stays(
    cohort: Cohort, kinds: Path
) -> None:
    labeler = default_labeler(kinds=[kinds])
    found = relabelled(cohort, labeler)
    saved = Cohort.open(str(cohort.folder))
    relabel(str(cohort.folder), labeler)

    assert found.labels_digest == labeler.digest
    assert saved.labels_digest == cohort.labels_digest != labeler.digest
    assert_frame_equal(
        found.steps.sort("run_id", "index").collect(),
        Cohort.open(str(cohort.folder)).steps.sort("run_id", "index").collect(),
    )
