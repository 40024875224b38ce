"""The result of similarity: its tables, its words, and what it can't be made of."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from ethogram.cohort import Cohort
from ethogram.errors import NotEnoughDataError, UnknownNameError, UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity import similarity
from ethogram.measures.similarity.catalogue import AGS_PARTS, CATALOGUE
from ethogram.results import Result
from ethogram.results.schema import result_schema
from ethogram.simulate.build import reply, run, user
from ethogram.trajectory import Event, Trajectory

TASKS = tuple(f"t{number}" for number in range(8))
HABITS: Mapping[str, Sequence[str]] = {
    "lab/plain": ("get_reader", "update_loan"),
    "lab/careful": ("get_reader", "list_rules", "update_loan", "get_loan"),
    "lab/twin": ("get_reader", "list_rules", "update_loan", "get_loan"),
    "lab/hasty": ("update_loan",),
}
ARGUMENTS = {
    "get_reader": '{"reader":"R77"}',
    "list_rules": "{}",
    "update_loan": '{"loan":"L-501"}',
    "get_loan": '{"loan":"L-501"}',
}


def made(
    system: str, task: str, tools: Sequence[str], *, success: bool | None, trial: int = 0
) -> Trajectory:
    events: list[Event] = [user("I am reader R77, extend my loan please"), reply("I will do that.")]
    events += [
        Event(
            event="action",
            tool=tool,
            action=f"{tool}({ARGUMENTS[tool]})",
            arguments=ARGUMENTS[tool],
            arguments_state="object",
            observation='{"loans":["L-501"]}',
            turn=turn,
        )
        for turn, tool in enumerate(tools)
    ]
    return run(events, system=system, task=task, success=success, trial=trial)


def cohort_of(
    habits: Mapping[str, Sequence[str]] = HABITS,
    *,
    tasks: Sequence[str] = TASKS,
    trials: int = 1,
    success: bool | None = True,
) -> Cohort:
    runs = [
        made(system, task, tools, success=success, trial=trial)
        for system, tools in habits.items()
        for task in tasks
        for trial in range(trials)
    ]
    return from_trajectories(runs, labeler=default_labeler())


@pytest.fixture(scope="module")
def result() -> Result:
    return similarity(
        cohort_of(),
        reference="lab/careful",
        families={"calm": ["lab/careful", "lab/twin"], "quick": ["lab/plain", "lab/hasty"]},
        controlled=("lab/plain", "lab/twin", "lab/careful", "lab/hasty"),
    )


def value(result: Result, name: str, first: str, second: str) -> float | None:
    first, second = sorted((first, second))
    return result.estimate(name, first=first, second=second).value


@pytest.mark.parametrize(
    ("name", "first", "second", "expected"),
    [
        # optional: all tools but update_loan, three of them
        pytest.param("s_node", "lab/careful", "lab/twin", 1.0, id="the same habits agree"),
        pytest.param("s_node", "lab/careful", "lab/plain", 1 / 3, id="one of three agrees"),
        pytest.param("s_node", "lab/careful", "lab/hasty", 0.0, id="none agrees"),
        # careful: read, read, write, read: (1, 1, 0); plain: read, write: (0, 1, 0)
        pytest.param("s_seq", "lab/careful", "lab/plain", 0.5**0.5, id="cosine of (1,1) and (0,1)"),
        pytest.param("s_seq", "lab/careful", "lab/hasty", 0.0, id="one zero vector is unlike"),
        # L-501 comes from get_reader: (1/3, 1, 0)... for careful two of three calls get it
        pytest.param("s_dep", "lab/hasty", "lab/plain", 0.0, id="one passes something on"),
        pytest.param("edit_similarity", "lab/careful", "lab/plain", 0.5, id="two of four inserted"),
        pytest.param("bigram_overlap", "lab/careful", "lab/plain", 1.0, id="the same words"),
        # 2 nodes, 1 edge against 4 nodes, 3 edges (s 1-2, d 1-3, d 1-4): two nodes and two edges in
        pytest.param("ged", "lab/careful", "lab/plain", 1 - 4 / 10, id="four insertions of ten"),
    ],
)
def test_scores_are_those_worked_out_by_hand(
    result: Result, name: str, first: str, second: str, expected: float
) -> None:
    assert value(result, name, first, second) == pytest.approx(expected)


def test_ags_is_the_mean_of_its_parts(result: Result) -> None:
    for first, second in (("lab/careful", "lab/plain"), ("lab/hasty", "lab/twin")):
        parts = [value(result, name, first, second) for name in AGS_PARTS]

        assert value(result, "ags", first, second) == pytest.approx(sum(map(float, parts)) / 3)  # type: ignore[arg-type]


def test_every_measure_of_the_catalogue_but_the_optional_one_is_in_the_result(
    result: Result,
) -> None:
    names = {
        name
        for table in ("similarity", "variants", "baselines")
        for name in result.to_frame(table)["name"]
    }

    assert names == set(CATALOGUE) - {"bertscore"}


def test_pairs_stand_in_order_of_ags(result: Result) -> None:
    ags = result.to_frame("similarity").filter(name="ags")["value"].to_list()

    assert ags == sorted(ags, reverse=True)


def test_what_is_asked_for_is_answered(result: Result) -> None:
    asked = {"references", "families", "controlled", "controlled_verdicts", "correlations", "pool"}

    assert asked <= set(result.tables)
    assert any("nearer" in sentence for sentence in result.summary)
    assert any("Did twin move toward careful" in sentence for sentence in result.summary)
    assert not asked & set(similarity(cohort_of(), ged=False).tables)


def test_nothing_claims_a_distillation(result: Result) -> None:
    said = " ".join((*result.summary, *result.notes)).lower()

    assert "distill" not in said
    assert "consistent with" in said
    assert "proves none" in said


def test_the_result_fits_the_published_schema(result: Result) -> None:
    jsonschema = pytest.importorskip("jsonschema")

    jsonschema.validate(result.to_dict(), result_schema())


def test_a_pool_of_two_has_no_s_node_and_says_why() -> None:
    two = {name: HABITS[name] for name in ("lab/plain", "lab/careful")}
    found = similarity(cohort_of(two), ged=False)
    ags = found.estimate("ags", first="lab/careful", second="lab/plain")

    assert ags.value is None
    assert "three systems with successes; it has 2" in str(ags.reason)
    assert found.summary[0].startswith("There is no AGS: S_node: the pool needs three systems")
    assert value(found, "s_seq", "lab/careful", "lab/plain") == pytest.approx(0.5**0.5)


def test_without_a_success_there_is_no_s_node() -> None:
    found = similarity(cohort_of(success=False), ged=False)

    assert value(found, "s_node", "lab/careful", "lab/plain") is None
    assert value(found, "s_node_all_tools", "lab/careful", "lab/plain") is None
    assert value(found, "s_dep", "lab/careful", "lab/plain") is not None


def test_unrecorded_outcomes_are_no_successes_and_no_failures() -> None:
    found = similarity(cohort_of(success=None), ged=False)

    assert value(found, "s_node", "lab/careful", "lab/plain") is None
    assert found.to_frame("settings")["value"].is_null().all()


def test_the_pool_alone_decides_which_tools_are_optional() -> None:
    """Without the hasty system all others look at the reader: two optional tools are left."""
    pool = [name for name in HABITS if name != "lab/hasty"]
    found = similarity(cohort_of(), pool=pool, ged=False)

    assert value(found, "s_node", "lab/careful", "lab/plain") == 0.0
    assert value(found, "s_node", "lab/hasty", "lab/plain") == 1.0
    assert any("--pool" in note for note in found.notes)


def test_runs_without_a_call_stay() -> None:
    habits = {**HABITS, "lab/silent": ()}
    found = similarity(cohort_of(habits), ged=True)

    assert value(found, "s_seq", "lab/hasty", "lab/silent") == 1.0
    assert value(found, "ged", "lab/hasty", "lab/silent") == 0.0
    assert value(found, "edit_similarity", "lab/hasty", "lab/silent") == 0.0
    assert found.estimate("calls", system="lab/silent").value == 0.0


def test_infrastructure_errors_go_and_are_counted() -> None:
    runs = [
        made(system, task, tools, success=True)
        for system, tools in HABITS.items()
        for task in TASKS
    ]
    broken = run([], system="lab/plain", task="t0", trial=1, success=None, ending="infra_error")
    found = similarity(from_trajectories([*runs, broken], labeler=default_labeler()), ged=False)

    assert "Runs left out: 1 (infrastructure error)." in found.notes
    assert value(found, "s_seq", "lab/careful", "lab/plain") == pytest.approx(0.5**0.5)


def test_repeats_give_floor_and_ceiling() -> None:
    found = similarity(cohort_of(trials=2), ged=False)
    ceilings = found.to_frame("range").filter(pl.col("name").str.contains("ceiling"))

    assert ceilings["value"].drop_nulls().to_list() == pytest.approx([1.0] * ceilings.height)


def test_without_repeats_there_is_no_ceiling_and_a_reason() -> None:
    found = similarity(cohort_of(), ged=False).to_frame("range").filter(name="ceiling")

    assert found.height
    assert found["value"].null_count() == found.height
    assert all("one run" in reason for reason in found["reason"])


def test_the_same_seed_gives_the_same_result_whatever_the_workers() -> None:
    cohort = cohort_of()
    with ThreadPoolExecutor(2) as threads:
        side_by_side = similarity(cohort, ged=True, seed=3, executor=threads)

    assert side_by_side.to_dict() == similarity(cohort, ged=True, seed=3).to_dict()


def test_graphs_that_are_compared_are_counted() -> None:
    told: list[tuple[int, int]] = []
    similarity(cohort_of(), ged=True, progress=lambda done, total: told.append((done, total)))

    assert told == [(place + 1, len(told)) for place in range(len(told))]
    assert told


def test_guessed_effects_are_told() -> None:
    habits = {name: [*tools, "get_reader"] for name, tools in HABITS.items()}
    found = similarity(cohort_of(habits), ged=False)

    assert any("guessed from its name for" in note for note in found.notes)


def test_a_cohort_without_texts_has_no_s_dep_and_says_why(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("no-texts") / "cohort"
    found = similarity(cohort_of().save(folder, texts=False), ged=False)

    for name in ("s_dep", "s_dep_share", "s_dep_non_zero"):
        reason = found.estimate(name, first="lab/careful", second="lab/plain").reason
        assert "saved without texts" in str(reason)
    assert "There is no AGS: S_dep: no call's result" in found.summary[0]
    assert value(found, "s_node", "lab/careful", "lab/twin") == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"reference": "nobody"}, "no system is called 'nobody'", id="reference"),
        pytest.param({"pool": ["nobody"]}, "no system is called 'nobody'", id="pool"),
        pytest.param(
            {"families": {"f": ["nobody"]}}, "no system .of family .f.. is called", id="families"
        ),
        pytest.param({"controlled": ("a", "b")}, "needs four systems", id="controlled"),
        pytest.param({"source": "best"}, "no source of a value is called 'best'", id="source"),
        pytest.param({"level": 1.5}, "level must lie between 0 and 1", id="level"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises((UnknownNameError, UsageError), match=message):
        similarity(cohort_of(), ged=False, **options)  # type: ignore[arg-type]


def test_systems_may_be_called_as_they_are_shown(result: Result) -> None:
    found = similarity(
        cohort_of(),
        reference="careful",
        families={"calm": ["careful", "lab/twin"], "quick": ["plain", "hasty"]},
        controlled=("plain", "twin", "lab/careful", "hasty"),
    )

    assert found.to_dict() == result.to_dict()


def test_a_full_name_goes_before_a_short_one() -> None:
    """`lab/a` is shown as `a` only where all names begin with `lab/`."""
    habits = {"a": HABITS["lab/hasty"], "lab/a": HABITS["lab/plain"], "lab/b": HABITS["lab/twin"]}

    found = similarity(cohort_of(habits), reference="a", ged=False)

    assert set(found.to_frame("references")["second"]) == {"a"}


def test_families_without_a_system_are_answered_with_a_reason() -> None:
    row = similarity(cohort_of(), families={}, ged=False).to_frame("families").row(0, named=True)

    assert row["difference"] is None
    assert row["reason"] == "fewer than two families"


def test_a_table_of_tools_without_a_row_is_not_shown() -> None:
    found = similarity(cohort_of(success=None), ged=False)

    assert found.to_frame("tools").is_empty()
    assert "(no rows)" not in str(found)


def test_one_system_can_not_be_compared() -> None:
    with pytest.raises(NotEnoughDataError, match="compares systems"):
        similarity(cohort_of({"lab/plain": ("get_reader",)}))


def test_systems_without_a_shared_task_can_not_be_compared() -> None:
    runs = [made(system, system, tools, success=True) for system, tools in HABITS.items()]

    with pytest.raises(NotEnoughDataError, match="compares runs of the same task"):
        similarity(from_trajectories(runs, labeler=default_labeler()))


def test_a_pair_without_a_shared_task_has_no_score_and_a_reason() -> None:
    runs = [
        made(system, task, tools, success=True)
        for system, tools in HABITS.items()
        for task in (TASKS[:4] if system == "lab/hasty" else TASKS[4:])
    ]
    runs.append(made("lab/plain", TASKS[0], HABITS["lab/plain"], success=True))
    found = similarity(from_trajectories(runs, labeler=default_labeler()), ged=False)

    assert found.estimate("ags", first="lab/careful", second="lab/hasty").reason == "no shared task"


def test_long_comparisons_are_left_out_or_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ethogram.measures.similarity.measure.MAX_GRAPH_SECONDS", 0.0)
    monkeypatch.setattr("ethogram.measures.similarity.measure.LONG", 0.0)
    said: list[str] = []
    left_out = similarity(cohort_of(), say=said.append)
    asked = similarity(cohort_of(), ged=True, say=said.append)

    assert "ged" not in set(left_out.to_frame("baselines")["name"])
    assert any("--ged" in note for note in left_out.notes)
    assert "ged" in set(asked.to_frame("baselines")["name"])
    assert len(said) == 1
    assert "pairs of graphs: about" in said[0]


def test_each_level_of_a_field_is_measured_by_itself() -> None:
    """The careful system is careful in one benchmark only."""
    runs = [
        run(
            made(system, task, tools, success=True).events,
            system=system,
            task=task,
            benchmark=benchmark,
        )
        for benchmark in ("day", "night")
        for system, tools in HABITS.items()
        for task in TASKS
        if not (benchmark == "night" and system == "lab/careful")
    ]
    found = similarity(
        from_trajectories(runs, labeler=default_labeler()), by="benchmark", ged=False
    )
    levels = found.to_frame("levels").filter(name="s_node", first="lab/plain", second="lab/twin")
    careful = found.to_frame("levels").filter(first="lab/careful")

    # by day careful makes list_rules and get_loan no less optional than by night its twin does
    assert levels.select("at_level", "value").rows() == [
        ("day", pytest.approx(1 / 3)),
        ("night", pytest.approx(1 / 3)),
    ]
    assert set(careful["at_level"]) == {"day"}
    assert "lab/hasty – lab/plain" in set(found.to_frame("ranges")["system"])


def test_a_field_that_nothing_is_called_is_named() -> None:
    with pytest.raises(UsageError, match="no run has a value of 'colour'"):
        similarity(cohort_of(), by="colour", ged=False)


def test_counts_of_what_conventions_decide_are_printed(result: Result) -> None:
    """Hasty alone has zero vectors: one of the two in half the pairs."""
    told = next(note for note in result.notes if note.startswith("Decided by a convention"))

    assert "S_seq 50.0 %, S_dep 50.0 %." in told
    assert "With optional tools: 8 of 8 shared tasks a pair" in told


def test_tools_say_who_uses_them_and_count_skipping_alike_as_agreement(result: Result) -> None:
    tools = result.to_frame("tools")
    columns = ("tool", "agreement", "first_share", "second_share", "n_tasks")
    careful = tools.filter(first="lab/careful", second="lab/plain").select(columns)
    hasty = tools.filter(first="lab/hasty", second="lab/plain").select(columns)

    # what takes most from the pair's agreement comes first
    assert careful.rows() == [
        ("get_loan", 0.0, 1.0, 0.0, 8),
        ("list_rules", 0.0, 1.0, 0.0, 8),
        ("get_reader", 1.0, 1.0, 1.0, 8),
    ]
    assert hasty.rows() == [
        ("get_reader", 0.0, 0.0, 1.0, 8),
        ("get_loan", 1.0, 0.0, 0.0, 8),
        ("list_rules", 1.0, 0.0, 0.0, 8),
    ]


def test_other_pools_find_other_tools_optional() -> None:
    """Of the three pools that keep plain, the one without both hasty systems is hard on it.

    There everybody looks at the reader, so that the two tools which plain skips are left.
    """
    habits = {**HABITS, "lab/rash": HABITS["lab/hasty"]}
    pools = similarity(cohort_of(habits), reference="lab/careful", ged=False).to_frame("pool")
    plain = pools.filter(system="lab/plain").row(0, named=True)

    assert plain["n_pools"] == 3
    assert (plain["full"], plain["highest"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert plain["lowest"] == 0.0
    assert plain["mean"] == pytest.approx(2 / 9)
