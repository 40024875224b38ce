"""The whole measure: limit cases end in sentences, and the result is a value."""

import json

import pytest

from ethogram.errors import UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures import MEASURES
from ethogram.measures.variance import variance
from ethogram.results.result import Result
from ethogram.results.show import to_html, to_text
from ethogram.simulate.build import repeats, run
from ethogram.trajectory import Trajectory


def measured(*trajectories: Trajectory, **options: object) -> Result:
    return variance(from_trajectories(trajectories), **options)  # type: ignore[arg-type]


def several() -> list[Trajectory]:
    return [
        made
        for system, extra in (("a", 0), ("b", 3))
        for task in range(7)
        for made in repeats(
            [["x"] * (task + 2), ["x"] * (task + 3 + extra), ["y"]],
            successes=[True, task % 2 == 0, task > 4 + extra],
            task=f"t{task}",
            system=system,
        )
    ]


@pytest.mark.parametrize(
    "trajectories",
    [
        pytest.param([], id="nothing"),
        pytest.param([run(["x"])], id="one-run"),
        pytest.param([run([], success=None)], id="a-run-without-an-action"),
        pytest.param(repeats([["x"], ["x"], ["x"]]), id="identical-runs"),
        pytest.param([run(ending="infra_error")], id="infrastructure-errors-only"),
        pytest.param([run(["x"], task_id=None)], id="no-task-id"),
        pytest.param([run(["x"], benchmark=None)], id="no-benchmark"),
        pytest.param(
            [*repeats([["x"], ["y"]], system="a"), run(["x"], system="b")],
            id="one-system-without-repeats",
        ),
    ],
)
def test_limit_cases_give_a_result_that_can_be_shown_and_saved(
    trajectories: list[Trajectory],
) -> None:
    result = measured(*trajectories)

    assert to_text(result)
    assert to_html(result)
    assert json.loads(json.dumps(result.to_dict()))["notes"] == list(result.notes)
    assert result.notes


def test_a_result_survives_json() -> None:
    result = variance(from_trajectories(several(), labeler=default_labeler()))

    again = Result.from_dict(json.loads(json.dumps(result.to_dict())))

    assert again.summary == result.summary
    assert again.estimate("accuracy", system="a") == result.estimate("accuracy", system="a")
    assert again.tests() == result.tests()


def test_an_empty_cohort_says_that_there_is_nothing() -> None:
    assert measured().notes[0] == "There are no runs to measure."
    assert measured().summary == ()


def test_a_task_with_one_run_among_others_is_counted() -> None:
    result = measured(*repeats([["x"], ["y"]], task="t1"), run(["x"], task="t2"))

    assert "repeats at k = 2: a 1 task (1 run)." in " ".join(result.notes)
    assert result.estimate("cv_actions_mean", system="a").n_tasks == 1


def test_one_seed_gives_one_result() -> None:
    there, back = (measured(*several(), seed=1).to_dict() for _ in range(2))

    assert there == back


def test_the_order_of_the_trajectories_does_not_matter() -> None:
    there = measured(*several())
    back = measured(*reversed(several()))

    assert there.summary == back.summary
    assert there.to_frame("tests").equals(back.to_frame("tests"))


def test_figures_of_a_system_do_not_depend_on_who_stands_beside_it() -> None:
    alone = measured(*(t for t in several() if t.system.name == "a"))
    beside = measured(*several())

    for name in ("cv_actions_mean", "accuracy", "flip_rate", "icc1", "unique_sequences"):
        assert alone.estimate(name, system="a") == beside.estimate(name, system="a")


def test_parameters_and_source_stand_in_the_provenance() -> None:
    provenance = measured(*several(), seed=3).provenance

    assert provenance.seed == 3
    assert provenance.reference == "Mehta 2026"
    assert provenance.parameters["k_runs"] == 3


@pytest.mark.parametrize("options", [{"k": 1}, {"level": 2.0}, {"by": "colour"}])
def test_arguments_that_cannot_be_taken_are_usage_errors(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        measured(*several(), **options)


def test_levels_are_measured_each_by_itself_and_their_range_stands_beside_the_gap() -> None:
    runs = [
        *repeats([["x"] * 8, ["x"] * 12], system="a", task="t1", cluster="easy"),
        *repeats([["x"] * 10, ["x"] * 10], system="a", task="t2", cluster="hard"),
        *repeats([["x"] * 9, ["x"] * 11], system="b", task="t1", cluster="easy"),
    ]
    result = measured(*runs, by="cluster")

    def cv(level: str, system: str) -> float | None:
        return result.estimate("cv_actions_mean", at_level=level, system=system).value

    assert cv("easy", "a") == pytest.approx(28.284271)
    assert cv("hard", "a") == 0.0
    ranges = result.to_frame("ranges").filter(system="a", name="cv_actions_mean").row(0, named=True)
    assert ranges["range"] == pytest.approx(28.284271)
    assert ranges["smallest_gap"] == pytest.approx(28.284271 / 2)


def test_tables_describe_the_columns_that_they_show() -> None:
    result = measured(*several())

    for table in result.tables.values():
        assert table.title
        for column in table.columns:
            assert column.label
    assert result.to_frame("systems")["label"].null_count() == 0


def test_equal_ids_of_different_tasks_are_counted_and_not_compared() -> None:
    result = measured(
        *repeats([["x"], ["y"]], system="a", digest="one"),
        *repeats([["x"], ["y"]], system="b", digest="two"),
    )

    assert any("1 task id stands for different tasks" in note for note in result.notes)
    assert {test.n_tasks for test in result.tests()} == {0}


def test_the_measure_is_found_by_name() -> None:
    assert MEASURES.get("variance") is variance
