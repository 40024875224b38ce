from itertools import cycle, islice
from typing import Any

import msgspec
import numpy as np
import pytest

from ethogram.actions.kinds import KINDS
from ethogram.errors import UsageError
from ethogram.simulate.markov import count_moments, expected_counts, expected_visits
from ethogram.simulate.policy import LOOP_ACTIONS, Policy, planned
from ethogram.simulate.systems import DEFAULT, ERRATIC, HASTY, LEVELS, METHODICAL, SYSTEMS

EVERY = pytest.mark.parametrize("policy", DEFAULT, ids=lambda policy: policy.name)


def changed(**fields: Any) -> Policy:
    return msgspec.structs.replace(HASTY, **fields)


def test_a_plan_repeats_skips_and_ends() -> None:
    kinds, rows = planned("xue", repeat=0.25, skip=0.125)

    assert kinds == ("explore", "understand", "edit")
    assert rows == ((0.25, 0.625, 0.125), (0.0, 0.25, 0.625), (0.0, 0.0, 0.25))


def test_a_longer_plan_is_steadier() -> None:
    def cv(letters: str) -> float:
        kinds, rows = planned(letters, repeat=0.3, skip=0.1)
        start = (1.0, *[0.0] * (len(kinds) - 1))
        policy = changed(kinds=kinds, start=start, transition=rows)
        mean, variance = count_moments(policy.chain(0))
        return float(np.sqrt(variance) / mean)

    assert cv("xuev" * 4) < cv("xuev" * 2) < cv("xuev")


@EVERY
def test_a_run_submits_once_or_ends_in_the_cycle(policy: Policy) -> None:
    for level in range(len(LEVELS)):
        visits = expected_visits(policy.chain(level))[len(policy.kinds) :]

        assert visits[0] == pytest.approx(1 - policy.loop)
        assert visits[1:].tolist() == pytest.approx([policy.loop] * LOOP_ACTIONS)


def test_the_cycle_shows_its_kinds_in_turn() -> None:
    chain = ERRATIC.chain(0)

    assert [KINDS[symbol] for symbol in chain.symbols[-LOOP_ACTIONS:]] == list(
        islice(cycle(ERRATIC.cycle), LOOP_ACTIONS)
    )


@EVERY
def test_dwelling_scales_the_counts_and_keeps_their_proportions(policy: Policy) -> None:
    n = len(policy.kinds)
    own = [expected_visits(policy.chain(level))[:n] for level in range(len(LEVELS))]

    for visits, dwell in zip(own, policy.dwell, strict=True):
        assert visits.tolist() == pytest.approx((own[0] / policy.dwell[0] * dwell).tolist())


def test_without_dwelling_the_chain_has_the_policys_own_transitions() -> None:
    n = len(HASTY.kinds)

    assert HASTY.chain(0).transition[:n, :n].tolist() == [list(row) for row in HASTY.transition]


def test_the_systems_differ_as_their_names_say() -> None:
    def cv(policy: Policy) -> float:
        mean, variance = count_moments(policy.chain(0))
        return float(np.sqrt(variance) / mean)

    assert cv(METHODICAL) < cv(HASTY) < cv(ERRATIC)
    assert expected_counts(HASTY.chain(0)).sum() < expected_counts(METHODICAL.chain(0)).sum()
    assert list(SYSTEMS) == ["methodical", "hasty", "erratic"]


@EVERY
def test_the_parameters_are_complete(policy: Policy) -> None:
    assert sum(level.share for level in LEVELS) == pytest.approx(1)
    assert len(policy.success) == len(policy.dwell) == len(LEVELS)
    assert set(policy.heads) == set(KINDS)
    assert all(sum(shares.values()) == pytest.approx(1) for shares in policy.heads.values())


@EVERY
def test_a_policy_can_be_written_down_and_read_back(policy: Policy) -> None:
    assert msgspec.json.decode(msgspec.json.encode(policy), type=Policy) == policy


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"start": (1.0,)}, "differ in size", id="sizes"),
        pytest.param({"loop": 1.5}, "between 0 and 1", id="rate"),
        pytest.param({"dwell": (0.5, 1.0, 1.0)}, "dwell is 1 or more", id="dwell"),
    ],
)
def test_a_policy_that_is_none_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        changed(**fields)
