from collections import Counter

import msgspec
import numpy as np
import pytest

from ethogram.actions.kinds import KINDS
from ethogram.actions.label import Labeler
from ethogram.simulate.commands import Setting, patch, setting, type_command
from ethogram.simulate.draw import draw_path, draw_task, simulate
from ethogram.simulate.policy import LOOP_ACTIONS
from ethogram.simulate.systems import DEFAULT, ERRATIC, HASTY, LEVELS, METHODICAL
from ethogram.trajectory import Trajectory

ABOUT = Setting("orchard", ("oven", "urn", "yarn"), ("bind_oven", "fold_urn", "knit_yarn"))


def drawn(*, n_tasks: int, n_runs: int = 5, seed: int = 0) -> list[Trajectory]:
    return list(simulate(n_tasks=n_tasks, n_runs=n_runs, seed=seed))


def actions_of(run: Trajectory) -> list[str]:
    return [event.action or "" for event in run.actions]


def ends_in_a_cycle(run: Trajectory) -> bool:
    last = actions_of(run)[-LOOP_ACTIONS:]
    return len(last) == LOOP_ACTIONS and any(
        last[period:] == last[:-period] for period in (1, 2, 3)
    )


def test_same_seed_same_runs_other_seed_other_runs() -> None:
    first = drawn(n_tasks=3, n_runs=2, seed=1)

    assert first == drawn(n_tasks=3, n_runs=2, seed=1)
    assert first != drawn(n_tasks=3, n_runs=2, seed=2)


def test_a_run_does_not_depend_on_what_else_is_drawn() -> None:
    few = {run.native_id: run for run in simulate((ERRATIC,), n_tasks=2, n_runs=2)}
    many = {run.native_id: run for run in simulate(n_tasks=4, n_runs=3)}

    assert len(many) == 3 * 4 * 3
    assert all(many[name] == run for name, run in few.items())


def test_all_systems_meet_the_same_tasks() -> None:
    runs = drawn(n_tasks=5, n_runs=1)
    by_system = {policy.name: set[str]() for policy in DEFAULT}
    for run in runs:
        by_system[run.system.name or ""].add(msgspec.json.encode(run.task).decode())

    assert len({frozenset(tasks) for tasks in by_system.values()}) == 1
    assert len(by_system["hasty"]) == 5


@pytest.mark.parametrize("policy", DEFAULT, ids=lambda policy: policy.name)
def test_the_labels_find_the_true_kind_of_every_action(policy: object) -> None:
    labeler = Labeler()
    wrong = Counter[tuple[str, str, str | None]]()
    for run in simulate((policy,), n_tasks=12, n_runs=3):  # type: ignore[arg-type]
        for event, kind in zip(run.actions, run.extra["kinds"], strict=True):
            label = labeler.label(event)
            if label is None or label.kind != kind:
                wrong[kind, label.kind if label else "none", event.action] += 1

    assert wrong == Counter()


@pytest.mark.parametrize("kind", KINDS)
def test_every_program_of_a_kind_is_the_head_that_the_labels_find(kind: str) -> None:
    labeler, rng = Labeler(), np.random.default_rng(0)
    heads = {head for policy in DEFAULT for head in policy.heads[kind]}  # type: ignore[index]

    for head in sorted(heads):
        for prefix in ("", "cd /testbed && "):
            typed = type_command(kind, {head: 1.0}, ABOUT, rng, prefix=prefix)  # type: ignore[arg-type]
            label = labeler.label_command(typed.command)

            assert (label.kind, label.head) == (kind, head)


def test_a_program_is_drawn_as_often_as_its_share_says() -> None:
    rng = np.random.default_rng(0)
    shares = {"ls": 0.7, "find": 0.3}
    found = Counter(
        type_command("explore", shares, ABOUT, rng).command.split()[0] for _ in range(2_000)
    )

    assert found["ls"] / 2_000 == pytest.approx(0.7, abs=4 * np.sqrt(0.21 / 2_000))


def test_only_what_verifies_fails_and_as_often_as_stated() -> None:
    runs = drawn(n_tasks=40, n_runs=2)
    events = [
        (event.exit_code, kind)
        for run in runs
        if run.system.name == "hasty"
        for event, kind in zip(run.actions, run.extra["kinds"], strict=True)
    ]
    codes = [code for code, kind in events if kind == "verify"]

    assert {code for code, kind in events if kind != "verify"} == {0}
    assert np.mean([code or 0 for code in codes]) == pytest.approx(
        HASTY.failing, abs=4 * np.sqrt(0.16 / len(codes))
    )


def test_runs_that_end_in_a_cycle_are_those_that_loop() -> None:
    runs = list(simulate((ERRATIC, METHODICAL), n_tasks=30, n_runs=4))
    stopped = [run for run in runs if run.extra["loops"]]

    assert {run.system.name for run in stopped} == {"erratic"}
    assert [run for run in runs if ends_in_a_cycle(run)] == stopped
    assert {(run.outcome.success, run.submission == "") for run in stopped} == {(False, False)}


def test_runs_that_submit_end_with_the_submission() -> None:
    finished = [run for run in drawn(n_tasks=8, n_runs=2) if not run.extra["loops"]]

    assert all("COMPLETE_TASK" in actions_of(run)[-1] for run in finished)
    assert not any("COMPLETE_TASK" in text for run in finished for text in actions_of(run)[:-1])


def test_nothing_succeeds_without_a_submission() -> None:
    solved = [run for run in drawn(n_tasks=10) if run.outcome.success]

    assert solved
    assert all((run.submission or "").startswith("diff --git") for run in solved)


def test_the_methodical_repeat_their_wrong_patch() -> None:
    patches: dict[str | None, list[str | None]] = {}
    for run in simulate((METHODICAL,), n_tasks=12):
        if not run.outcome.success:
            patches.setdefault(run.task.task_id, []).append(run.submission)
    most_frequent = [Counter(group).most_common(1)[0][1] for group in patches.values()]
    total = sum(len(group) for group in patches.values())

    assert total >= 15
    assert sum(most_frequent) / total == pytest.approx(METHODICAL.same_patch, abs=0.15)


def test_totals_are_the_sums_of_the_actions() -> None:
    for run in drawn(n_tasks=2, n_runs=1):
        usage, actions = run.usage, run.actions

        assert usage.input_tokens == sum(event.input_tokens or 0 for event in actions)
        assert usage.output_tokens == sum(event.output_tokens or 0 for event in actions)
        assert usage.cost_usd == pytest.approx(sum(event.cost_usd or 0 for event in actions))
        assert usage.duration_s == pytest.approx(sum(event.duration_s or 0 for event in actions))
        assert run.events[0].event == "user"
        assert run.events[0].text == run.task.prompt
        assert [event.turn for event in actions] == list(range(len(actions)))


def test_trajectories_are_valid_and_survive_json() -> None:
    for run in drawn(n_tasks=2, n_runs=2):
        assert msgspec.json.decode(msgspec.json.encode(run), type=Trajectory) == run


def test_levels_are_drawn_as_often_as_their_shares_say() -> None:
    n = 2_000
    levels = [draw_task(number, seed=0).level for number in range(n)]
    found = np.bincount(levels, minlength=len(LEVELS)) / n

    for share, level in zip(found, LEVELS, strict=True):
        assert share == pytest.approx(level.share, abs=4 * np.sqrt(0.25 / n))


def test_paths_follow_the_transitions() -> None:
    chain, rng = HASTY.chain(2), np.random.default_rng(0)
    moves = np.zeros((chain.n_states, chain.n_states + 1))
    for _ in range(3_000):
        path = [*draw_path(chain, rng), chain.n_states]
        np.add.at(moves, (path[:-1], path[1:]), 1)
    expected = np.column_stack([chain.transition, chain.ending])

    for state in range(len(HASTY.kinds)):
        visits = moves[state].sum()
        error = 4.5 * np.sqrt(0.25 / visits)
        assert moves[state] / visits == pytest.approx(expected[state], abs=error)
        assert (moves[state][expected[state] == 0] == 0).all()


def test_patches_mend_the_file_of_the_prompt() -> None:
    about = setting(0, np.random.default_rng(0))

    assert about.file in about.prompt
    assert patch(about, np.random.default_rng(1)).splitlines()[0].endswith(f"b/{about.file}")
