import json
from collections import Counter

import msgspec
import pytest

from ethogram.actions.effects import load_effects
from ethogram.errors import UsageError
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.calls import run_calls
from ethogram.measures.similarity.graph import ActionGraph, action_graph
from ethogram.measures.similarity.vectors import sequence_vector
from ethogram.simulate import ToolHabits, ToolSystem, draw_system, simulate_tools, student_of
from ethogram.simulate.tool_shop import ERRANDS, HELP, TOOLS, draw_shop_task
from ethogram.trajectory import Trajectory

ALL = {errand.name: dict.fromkeys((c.tool for c in errand.choices), 1.0) for errand in ERRANDS}


def system(**fields: object) -> ToolSystem:
    """A system without habits that makes no errors and always succeeds; fields change that."""
    habits = {"optional": {}, "read_before_write": 0, "read_after_write": 0, "retry": 0}
    habits["look_up"] = 1
    own = {key: value for key, value in fields.items() if key not in habits}
    habits |= {key: value for key, value in fields.items() if key in habits}
    made = {"name": "a", "skill": 1.0, "error_rate": 0.0, **own}
    return ToolSystem(habits=ToolHabits(**habits), **made)  # type: ignore[arg-type]


def drawn(*systems: ToolSystem, n_tasks: int = 15, **options: int) -> list[Trajectory]:
    return list(simulate_tools(systems, n_tasks=n_tasks, **options))  # type: ignore[arg-type]


def tools_of(run: Trajectory) -> list[str]:
    return [event.tool or "" for event in run.actions]


def graphs_of(runs: list[Trajectory]) -> list[ActionGraph]:
    cohort = from_trajectories(runs, labeler=default_labeler())
    return [action_graph(run) for run in run_calls(cohort, cohort.runs["run_id"].to_list())]


def test_same_seed_same_runs_other_seed_other_runs() -> None:
    one = draw_system("a", seed=0)

    assert drawn(one, seed=1) == drawn(one, seed=1)
    assert drawn(one, seed=1) != drawn(one, seed=2)


def test_a_run_does_not_depend_on_what_else_is_drawn() -> None:
    first, second = draw_system("a", seed=0), draw_system("b", seed=0)
    few = {run.native_id: run for run in drawn(second, n_tasks=3)}
    many = {run.native_id: run for run in drawn(first, second, n_tasks=6, n_runs=2)}

    assert len(many) == 2 * 6 * 2
    assert all(many[name] == run for name, run in few.items())


def test_the_tables_guess_the_effect_of_every_tool() -> None:
    tables = load_effects()

    assert {name: tables.effect_of_tool(name)[0] for name in TOOLS} == {
        name: tool.effect for name, tool in TOOLS.items()
    }


def test_without_habits_a_run_that_succeeds_makes_the_mandatory_calls_and_no_other() -> None:
    runs = drawn(system())

    assert [tools_of(run) for run in runs] == [
        [step.tool for step in draw_shop_task(number, seed=0).mandatory] for number in range(15)
    ]
    assert all(run.outcome.success for run in runs)


def test_a_run_that_fails_lacks_mandatory_calls_and_is_shorter() -> None:
    full = [len(draw_shop_task(number, seed=0).mandatory) for number in range(15)]

    for gives_up in (0.0, 1.0):
        runs = drawn(system(skill=0.0, gives_up=gives_up))
        assert not any(run.outcome.success for run in runs)
        assert all(len(run.actions) < size for run, size in zip(runs, full, strict=True))


def test_optional_tools_are_called_as_often_as_the_habits_say() -> None:
    habits = {"mend": {"check_warranty": 0.3, "get_customer": 1.0}}
    runs = [run for run in drawn(system(optional=habits), n_tasks=1_000) if "mend" in str(run.task)]
    counts = Counter(tool for run in runs for tool in tools_of(run))

    assert len(runs) == 200
    assert counts["get_customer"] == 200
    assert 60 - 4 * 6.5 < counts["check_warranty"] < 60 + 4 * 6.5
    assert counts["check_recall"] == 0


def test_every_choice_of_every_errand_is_called_once_by_whoever_always_does() -> None:
    runs = drawn(system(optional=ALL))

    for number, run in enumerate(runs):
        errand = ERRANDS[number % len(ERRANDS)]
        counts = Counter(tools_of(run))
        assert {counts[choice.tool] for choice in errand.choices} == {1}


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_reads_after_writes_are_what_the_habit_says(rate: float) -> None:
    for graph in graphs_of(drawn(system(read_after_write=rate))):
        assert sequence_vector(graph)[0] == rate


def test_reads_before_writes_come_where_there_is_none_and_the_habit_says_so() -> None:
    never = [sequence_vector(graph)[1] for graph in graphs_of(drawn(system()))]
    always = [sequence_vector(g)[1] for g in graphs_of(drawn(system(read_before_write=1)))]

    assert set(always) == {1.0}
    assert min(never) < 1


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_retries_are_what_the_habit_says_and_help_is_searched_otherwise(rate: float) -> None:
    runs = drawn(system(error_rate=0.5, retry=rate))

    assert {sequence_vector(graph)[2] for graph in graphs_of(runs)} == {rate}
    assert any(HELP in tools_of(run) for run in runs) == (rate == 0)


def test_ids_are_taken_from_results_or_asked_for_as_the_habit_says() -> None:
    taking, asking = graphs_of(drawn(system())), graphs_of(drawn(system(look_up=0)))

    assert all(graph.dependency for graph in taking)
    # an amount is no id: it is never asked for
    fed = {graph.names[target] for graph in asking for _, target in graph.dependency}
    assert fed == {"apply_refund"}


def test_no_call_is_given_what_nobody_has_said_before() -> None:
    systems = [draw_system(name, seed=3, skill=0.4) for name in "abcd"]
    for run in drawn(*systems, n_records=2):
        known = ""
        for event in run.events:
            for value in json.loads(event.arguments or "{}").values():
                assert str(value) in known, (run.native_id, event.tool, value)
            known += f"{event.text or ''} {event.observation or ''}"


def test_records_make_results_longer_and_change_nothing_else() -> None:
    plain, long = (drawn(draw_system("a", seed=0), n_records=n) for n in (0, 10))

    assert [tools_of(run) for run in plain] == [tools_of(run) for run in long]
    sizes = [len(event.observation or "") for run in long for event in run.actions]
    assert 900 < sorted(sizes)[len(sizes) // 2] < 2_000


def test_a_student_mixes_probabilities_by_weight() -> None:
    base, teacher = draw_system("base", seed=0, skill=0.35), draw_system("teacher", seed=0)
    half = student_of(base, teacher, 0.5, skill=0.6)
    tools = student_of(base, teacher, 1.0, order_weight=0.0)
    first, second = (each.habits.optional["mend"]["check_recall"] for each in (base, teacher))

    assert student_of(base, teacher, 0.0).habits == base.habits
    assert student_of(base, teacher, 1.0).habits == teacher.habits
    assert half.habits.optional["mend"]["check_recall"] == (first + second) / 2
    assert half.habits.retry == (base.habits.retry + teacher.habits.retry) / 2
    assert (half.skill, student_of(base, teacher, 1.0).skill) == (0.6, 0.35)
    assert tools.habits == msgspec.structs.replace(base.habits, optional=teacher.habits.optional)


def test_what_is_no_probability_and_no_tool_is_refused() -> None:
    one = system()

    with pytest.raises(UsageError, match=r"probabilities from 0 to 1; got .*1\.5"):
        system(retry=1.5)
    with pytest.raises(UsageError, match="errand 'mend' has no optional tool 'fly'"):
        system(optional={"mend": {"fly": 0.5}})
    with pytest.raises(UsageError, match="system 'a': rates lie between 0 and 1"):
        system(skill=2.0)
    with pytest.raises(UsageError, match=r"weights lie between 0 and 1; got 2 and 2"):
        student_of(one, one, 2)
