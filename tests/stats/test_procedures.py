"""Byte-pair procedures: by hand, against merges done one after the other, by their laws."""

from collections import Counter
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UsageError
from ethogram.stats import procedures
from ethogram.stats.procedures import Procedures, learn_procedures

Token = tuple[str, ...]
SEQUENCES = st.lists(st.text("abc", max_size=12).map(list), max_size=8)


def merged_by_hand(tokens: list[Token], pair: tuple[Token, Token]) -> list[Token]:
    made: list[Token] = []
    place = 0
    while place < len(tokens):
        here = tuple(tokens[place : place + 2]) == pair
        made.append(pair[0] + pair[1] if here else tokens[place])
        place += 2 if here else 1
    return made


def times_merged(tokens: list[Token], pair: tuple[Token, Token]) -> int:
    return len(tokens) - len(merged_by_hand(tokens, pair))


def learnt_by_hand(
    sequences: list[list[str]], n_merges: int, min_count: int
) -> tuple[list[tuple[Token, Token]], list[list[Token]]]:
    """Merges and what becomes of the sequences; tokens are told apart by their symbols alone."""
    rows: list[list[Token]] = [[(symbol,) for symbol in sequence] for sequence in sequences]
    merges = []
    for _ in range(n_merges):
        pairs = {pair for row in rows for pair in pairwise(row)}
        counts = {pair: sum(times_merged(row, pair) for row in rows) for pair in pairs}
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < min_count:
            break
        merges.append(best)
        rows = [merged_by_hand(row, best) for row in rows]
    return merges, rows


def named(tokens: list[Token]) -> Token:
    return tuple(" > ".join(token) for token in tokens)


def made_by(found: Procedures) -> list[str]:
    return list(found.names[len(found.symbols) :])


def test_the_most_frequent_pair_comes_first_and_is_merged_further() -> None:
    """find read three times; then find-read pay twice; then nothing occurs twice."""
    runs = [["find", "read", "pay"], ["find", "read", "pay", "look"], ["find", "read", "look"]]
    found = learn_procedures(runs)

    assert found.symbols == ("find", "look", "pay", "read")
    assert made_by(found) == ["find > read", "find > read > pay"]
    assert found.merges == ((1, 4), (5, 3))
    assert found.encode_all(runs) == [
        ("find > read > pay",),
        ("find > read > pay", "look"),
        ("find > read", "look"),
    ]


def test_ties_go_to_the_first_in_the_alphabet_whatever_the_order_of_runs() -> None:
    runs = [list("xy"), list("xy"), list("ba"), list("ba"), list("bc"), list("bc")]

    assert made_by(learn_procedures(runs)) == ["b > a", "b > c", "x > y"]
    assert learn_procedures(runs[::-1]) == learn_procedures(runs)


def test_repeats_are_taken_in_pairs_from_the_left() -> None:
    """aaa has one aa, not two: ab, twice, comes before it."""
    found = learn_procedures([list("aaa"), list("ab"), list("cab")])

    assert made_by(found) == ["a > b"]
    assert learn_procedures([list("aaaa")]).encode("aaaaa") == ("a > a", "a > a", "a")


def test_a_symbol_often_repeated_grows_by_doubling() -> None:
    found = learn_procedures([["a"] * 9])

    assert made_by(found) == ["a > a", "a > a > a > a"]
    assert found.encode(["a"] * 9) == ("a > a > a > a", "a > a > a > a", "a")


@given(SEQUENCES, st.integers(0, 6), st.integers(1, 4), st.booleans())
def test_it_learns_what_merging_step_by_step_learns(
    sequences: list[list[str]], n_merges: int, min_count: int, sparse: bool
) -> None:
    merges, rows = learnt_by_hand(sequences, n_merges, min_count)
    made = [one + other for one, other in merges]
    if len(set(made)) < len(made):
        return  # two ways to one name: ours are kept apart, those above are not
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(procedures, "_MAX_CELLS", 0)
        found = learn_procedures(sequences, n_merges=n_merges, min_count=min_count)

    assert made_by(found) == [" > ".join(token) for token in made]
    assert found.encode_all(sequences) == [named(row) for row in rows]


@given(SEQUENCES, SEQUENCES)
def test_encoding_keeps_every_symbol_in_its_place(
    learnt: list[list[str]], sequences: list[list[str]]
) -> None:
    found = learn_procedures(learnt)
    encoded = found.encode_all(sequences)

    assert encoded == [found.encode(sequence) for sequence in sequences]
    for sequence, names in zip(sequences, encoded, strict=True):
        assert list(chain.from_iterable(name.split(" > ") for name in names)) == sequence


@given(SEQUENCES, st.permutations("abc"))
def test_each_merge_shortens_the_pool_by_its_count(
    sequences: list[list[str]], order: list[str]
) -> None:
    """So that none is learnt in vain, also after renaming."""
    name = dict(zip("abc", order, strict=True))
    renamed = [[name[symbol] for symbol in sequence] for sequence in sequences]
    lengths = [
        sum(map(len, learn_procedures(renamed, n_merges=n, min_count=3).encode_all(renamed)))
        for n in range(5)
    ]
    n_learnt = len(learn_procedures(renamed, n_merges=4, min_count=3).merges)

    for n in range(n_learnt):
        assert lengths[n + 1] <= lengths[n] - 3
    assert len(set(lengths[n_learnt:])) == 1


def test_one_name_by_two_ways_is_one_name() -> None:
    """ab and c, or a and bc: names are what is counted."""
    found = Procedures(("a", "b", "c"), ((1, 2), (4, 3), (2, 3), (1, 6)))

    assert found.names[3:] == ("a > b", "a > b > c", "b > c", "a > b > c")
    assert Counter(found.encode("abc")) == {"a > b > c": 1}


def test_symbols_that_were_not_seen_stay_as_they_are() -> None:
    found = learn_procedures([["a", "b"], ["a", "b"]])

    assert found.encode(["z", "a", "b", "y", "a", "z"]) == ("z", "a > b", "y", "a", "z")


def test_nothing_is_learnt_from_nothing() -> None:
    pools: list[list[list[str]]] = [[], [[]], [["a"], [], ["a"]]]
    for sequences in pools:
        found = learn_procedures(sequences)

        assert found.merges == ()
        assert found.encode_all(sequences) == [tuple(sequence) for sequence in sequences]
    assert learn_procedures([["a", "b"]] * 5, n_merges=0).merges == ()


@pytest.mark.parametrize(("n_merges", "min_count"), [(-1, 2), (1, 0)])
def test_numbers_of_merges_and_least_counts_are_checked(n_merges: int, min_count: int) -> None:
    with pytest.raises(UsageError, match="n_merges of 0 or more and min_count of 1 or more"):
        learn_procedures([["a"]], n_merges=n_merges, min_count=min_count)
