from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ethogram.cohort import Cohort, concat
from ethogram.cohort.cohort import task_key
from ethogram.cohort.schema import TABLES, empty
from ethogram.errors import UsageError
from ethogram.ingest import from_trajectories
from ethogram.simulate.build import action, repeats, reply, run
from ethogram.trajectory import Trajectory, Usage


def made(*trajectories: Trajectory) -> Cohort:
    return from_trajectories(trajectories)


def frames(cohort: Cohort) -> dict[str, pl.DataFrame]:
    """All six tables in an order that does not depend on how they were stored."""
    return {
        "runs": cohort.runs.sort("run_id"),
        "systems": cohort.systems.sort("system_id"),
        "tasks": cohort.tasks.sort("benchmark", "task_id", "digest"),
        "problems": cohort.problems,
        "steps": cohort.steps.sort("run_id", "index").collect(),
        "texts": cohort.texts.sort("ref").collect(),
    }


FULL = run(
    [
        action("ls", tool="bash", exit_code=0, timestamp=1.5, observation="a\nb", thought="hm"),
        action(None, refused=True, is_error=True, error_origin="recorded"),
        reply("done"),
    ],
    score=0.5,
    scores=(("reward", 0.5, None), ("judge", None, "C")),
    ending="limit",
    limit_kind="steps",
    temperature=0.1,
    settings={"a": {"b": [1, None]}},
    usage=Usage(started_at=0.25, duration_s=2.0, input_tokens=2**40, cost_usd=0.1),
    submission="diff",
    prompt="do it",
    digest="d",
    cluster="repo",
    extra={"x": [1]},
)


@pytest.mark.parametrize("table", list(TABLES))
def test_every_column_keeps_its_type_and_values_through_a_file(tmp_path: Path, table: str) -> None:
    cohort = made(FULL, run(["ls"], success=None, benchmark=None, trial=1))
    saved = cohort.save(tmp_path / "c")

    frame = frames(saved)[table]
    assert dict(frame.schema) == dict(TABLES[table])
    assert frame.equals(frames(cohort)[table])


def test_a_cohort_without_runs_can_be_saved_and_opened(tmp_path: Path) -> None:
    saved = made().save(tmp_path / "c")

    assert all(frame.equals(empty(table)) for table, frame in frames(saved).items())
    assert saved.digest == made().digest


def test_a_filtered_cohort_saves_only_what_it_holds(tmp_path: Path) -> None:
    cohort = made(
        run([action("ls", observation="one")], task="t1", prompt="first"),
        run([action("ls", observation="two")], task="t2", prompt="second"),
    )
    saved = cohort.filter('task_id == "t1"').save(tmp_path / "c")

    assert saved.steps.collect().height == 1
    assert sorted(saved.texts.collect()["text"]) == ["first", "one"]
    assert saved.tasks["task_id"].to_list() == ["t1"]


def test_without_texts_only_the_texts_are_missing(tmp_path: Path) -> None:
    cohort = made(FULL)
    saved = cohort.save(tmp_path / "c", texts=False)

    expected = {**frames(cohort), "texts": empty("texts")}
    assert all(frame.equals(expected[table]) for table, frame in frames(saved).items())


def test_saving_keeps_that_the_read_was_interrupted(tmp_path: Path) -> None:
    incomplete = Cohort(**{**vars(made(FULL)), "complete": False})

    assert not incomplete.save(tmp_path / "c").complete


def test_a_cohort_can_replace_itself_on_disk(tmp_path: Path) -> None:
    cohort = made(run(["ls"], task="t1"), run(["ls"], task="t2")).save(tmp_path / "c")
    saved = cohort.filter('task_id == "t1"').save(tmp_path / "c")

    assert saved.steps.collect().height == 1
    assert frames(saved).keys() == frames(Cohort.open(tmp_path / "c")).keys()


def test_filtering_leaves_no_system_and_no_task_behind() -> None:
    cohort = made(
        run(["ls"], task="t1", system="a"),
        run(["ls", "cat"], task="t2", system="b"),
        run(["ls"], task="t2", system="b", benchmark=None),
    )
    kept = cohort.filter('system == "b"', "benchmark is None")

    assert kept.runs.height == kept.tasks.height == kept.systems.height == 1
    assert kept.tasks["benchmark"].to_list() == [None]
    assert kept.steps.collect().height == 1


def test_a_filter_takes_expressions_too_and_several_must_all_hold() -> None:
    cohort = made(*repeats([["a"], ["a", "b"], ["a", "b", "c"]]))

    assert cohort.filter(pl.col("n_actions") > 1, "n_actions < 3").runs["trial"].to_list() == [1]
    assert cohort.filter().runs.height == 3


def test_an_expression_over_an_unknown_column_is_refused() -> None:
    with pytest.raises(UsageError, match=r"where: .*nothing_such"):
        made(FULL).filter(pl.col("nothing_such"))


def test_the_digest_is_that_of_what_is_in_it_whatever_the_order() -> None:
    a, b = run(["ls"], task="t1"), run(["ls"], task="t2")

    assert made(a, b).digest == made(b, a).digest
    assert made(a, b).digest != made(a).digest
    assert made(a).digest != made(run(["ls"], task="t1", success=False)).digest


def test_identical_repeats_stay_apart() -> None:
    cohort = made(*repeats([["ls"]] * 3))

    assert cohort.runs.height == 3
    assert cohort.runs["run_id"].n_unique() == 3


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([("b", "t", None)], ["b::t"], id="no-digest"),
        pytest.param([(None, "t", "x")], ["t"], id="no-benchmark"),
        pytest.param([("b", "t", "x"), ("b", "t", "x")], ["b::t"] * 2, id="equal-digests"),
        pytest.param(
            [("b", "t", "x"), ("b", "t", "y")], ["b::t#x", "b::t#y"], id="other-digest-other-task"
        ),
        pytest.param(
            [("b", "t", "x"), ("b", "t", None)], ["b::t"] * 2, id="missing-joins-the-only-one"
        ),
        pytest.param(
            [("b", "t", "x"), ("b", "t", "y"), ("b", "t", None)],
            ["b::t#x", "b::t#y", "b::t#?"],
            id="missing-stays-apart-from-several",
        ),
        pytest.param(
            [(None, "t", "x"), ("b", "t", "y")],
            ["t", "b::t"],
            id="no-benchmark-is-a-group-of-its-own",
        ),
        pytest.param(
            [(None, "t", "x"), (None, "t", "y")], ["t#x", "t#y"], id="digests-without-benchmark"
        ),
        pytest.param([("b", None, "x"), ("b", None, None)], [None, None], id="no-task"),
    ],
)
def test_the_key_of_a_task(
    rows: list[tuple[str | None, str | None, str | None]], expected: list[str | None]
) -> None:
    runs = pl.DataFrame(
        rows,
        schema=dict.fromkeys(("benchmark", "task_id", "task_digest"), pl.String),
        orient="row",
    )

    assert task_key(runs).to_list() == expected


def test_runs_are_joined_with_their_system_and_the_cluster_of_their_task() -> None:
    cohort = made(
        run(["ls"], system="a", model="m", temperature=0.5, cluster="repo"),
        run(["ls"], system="b", task="t2", benchmark=None, cluster="other"),
        run(["ls"], system="b", task="t3"),
    )
    columns = ["system", "model", "temperature", "cluster", "task"]

    assert cohort.joined.select(columns).sort("task").rows() == [
        ("a", "m", 0.5, "repo", "bench::t1"),
        ("b", None, None, None, "bench::t3"),
        ("b", None, None, "other", "t2"),
    ]


def test_concat_keeps_a_run_that_is_in_both_once() -> None:
    a, b, c = (run(["ls"], task=f"t{i}") for i in range(3))
    both = concat([made(a, b), made(b, c)])

    assert both.runs.height == both.tasks.height == both.steps.collect().height == 3
    assert both.systems.height == 1


def test_concat_of_one_is_the_same() -> None:
    cohort = made(FULL)

    assert all(f.equals(frames(cohort)[t]) for t, f in frames(concat([cohort])).items())
    assert concat([cohort]).digest == cohort.digest


def test_concat_names_systems_by_what_differs_among_all(tmp_path: Path) -> None:
    def one(temperature: float) -> Cohort:
        return made(run(["ls"], name=None, model="m", temperature=temperature, native_id=None))

    cold, hot = one(0.0), one(1.0).save(tmp_path / "hot")

    assert cold.systems["system"].to_list() == hot.systems["system"].to_list() == ["m"]
    assert concat([cold, hot]).systems["system"].to_list() == [
        "m (temperature=0)",
        "m (temperature=1)",
    ]


def test_concat_takes_filtered_cohorts_as_they_are() -> None:
    cohort = made(*repeats([["a"], ["a", "b"]]))
    both = concat([cohort.filter("trial == 0"), made(run(["x"], task="t9"))])

    assert both.runs.height == 2
    assert both.steps.collect()["action"].sort().to_list() == ["a", "x"]


def test_concat_refuses_labels_made_by_different_tables() -> None:
    def labelled(digest: str | None) -> Cohort:
        return Cohort(**{**vars(made(FULL)), "labels_digest": digest})

    with pytest.raises(UsageError, match=r"by different tables .*relabel"):
        concat([labelled("x"), labelled("y")])
    with pytest.raises(UsageError, match="no cohort given"):
        concat([])


def test_a_text_that_occurs_often_is_kept_once() -> None:
    steps: list[Any] = [action("ls", observation="same", thought="same")] * 3
    cohort = made(*repeats([steps] * 2, prompt="same"))

    assert cohort.texts.collect()["text"].to_list() == ["same"]
    assert concat([cohort, cohort]).texts.collect().height == 1
