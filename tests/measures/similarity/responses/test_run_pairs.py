"""Which pairs of runs are drawn."""

import pytest

from ethogram.errors import UnknownNameError, UsageError
from ethogram.ingest import from_trajectories
from ethogram.measures.similarity.responses.run_pairs import RunPair, drawn_pairs
from ethogram.measures.similarity.sample import Sample, sample_of
from ethogram.simulate.build import run

Names = list[tuple[str, str]]


def sample(*counts: int, names: str = "abc", tasks: int = 1) -> Sample:
    """So many runs of each system at each task, whose ids don't hang on the systems' names."""
    return sample_of(
        from_trajectories(
            run(
                [],
                system=names[place],
                task=f"t{task}",
                trial=trial,
                native_id=f"{place}-{task}-{trial}",
            )
            for place, count in enumerate(counts)
            for task in range(tasks)
            for trial in range(count)
        )
    )


def named(runs: Sample, pairs: list[RunPair]) -> set[frozenset[str]]:
    ids = runs.runs["run_id"]
    return {frozenset((ids[pair.first], ids[pair.second])) for pair in pairs}


def test_without_repeats_every_two_systems_make_a_pair_a_task() -> None:
    runs = sample(1, 1, 1, tasks=4)
    pairs = drawn_pairs(runs)

    assert len(pairs) == len(set(pairs)) == 3 * 4
    assert all(runs.system[pair.first] < runs.system[pair.second] for pair in pairs)
    assert all(runs.task[pair.first] == runs.task[pair.second] == pair.task for pair in pairs)


def test_with_repeats_every_two_runs_make_a_pair_up_to_the_limit() -> None:
    runs = sample(2, 2)

    assert len(drawn_pairs(runs)) == 4
    for seed in range(20):
        assert len(set(drawn_pairs(sample(3, 2), max_pairs=5, seed=seed))) == 5


def test_a_seed_draws_the_same_pairs_and_another_seed_others() -> None:
    runs = sample(6, 6)

    assert drawn_pairs(runs, seed=1) == drawn_pairs(runs, seed=1)
    assert len({tuple(drawn_pairs(runs, seed=seed)) for seed in range(5)}) > 1


def test_each_pair_is_drawn_alike_often() -> None:
    runs = sample(2, 3)
    counts: dict[frozenset[str], int] = {}
    for seed in range(600):
        for each in named(runs, drawn_pairs(runs, max_pairs=2, seed=seed)):
            counts[each] = counts.get(each, 0) + 1

    assert len(counts) == 6
    assert all(150 < count < 250 for count in counts.values())


def test_what_is_drawn_hangs_neither_on_names_nor_on_other_systems() -> None:
    one, other = sample(4, 4), sample(4, 4, names="zyx")
    more = sample(4, 4, 4)
    three = named(more, drawn_pairs(more))

    assert named(one, drawn_pairs(one)) == named(other, drawn_pairs(other)) <= three


def test_a_reference_is_in_every_pair() -> None:
    runs = sample(1, 1, 1)
    pairs = drawn_pairs(runs, reference="b")

    assert len(pairs) == 2
    assert all(1 in {runs.system[pair.first], runs.system[pair.second]} for pair in pairs)


def test_one_of_several_references_is_in_every_pair() -> None:
    runs = sample(1, 1, 1, 1, names="abcd")
    pairs = drawn_pairs(runs, reference=["b", "d"])
    systems = {(int(runs.system[p.first]), int(runs.system[p.second])) for p in pairs}

    assert systems == {(0, 1), (1, 2), (1, 3), (0, 3), (2, 3)}
    assert len(drawn_pairs(runs, reference=[])) == 6


def test_repeats_of_one_system_are_paired_on_request() -> None:
    runs = sample(3, 1)
    own = [pair for pair in drawn_pairs(runs, own_repeats=True) if runs.system[pair.second] == 0]

    assert len(own) == 3
    assert all(pair.first != pair.second for pair in own)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no system is called 'x'"):
        drawn_pairs(sample(1, 1), reference="x")
    with pytest.raises(UsageError, match="max_pairs must be 1 or more, got 0"):
        drawn_pairs(sample(1, 1), max_pairs=0)
