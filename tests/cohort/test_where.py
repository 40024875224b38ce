from contextlib import suppress
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ethogram.cohort import Cohort
from ethogram.cohort.where import parse_where
from ethogram.errors import EthogramError, UnknownNameError, UsageError
from ethogram.ingest import from_trajectories
from ethogram.simulate.build import run

ROWS: list[dict[str, Any]] = [
    {"name": "won", "success": True, "n": 1, "ending": "completed"},
    {"name": "lost", "success": False, "n": 2, "ending": "limit"},
    {"name": "open", "success": None, "n": None, "ending": None},
]
SCHEMA: dict[str, pl.DataType] = {
    "name": pl.String(),
    "success": pl.Boolean(),
    "n": pl.Int32(),
    "ending": pl.Enum(["completed", "limit"]),
}
FRAME = pl.DataFrame(ROWS, schema=SCHEMA)


def kept(text: str) -> list[str]:
    return FRAME.filter(parse_where(text, SCHEMA))["name"].to_list()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("success", ["won"]),
        ("not success", ["lost"]),
        ("success is None", ["open"]),
        ("None is success", ["open"]),
        ("success is not None", ["won", "lost"]),
        ("not (success is None)", ["won", "lost"]),
        ("success == True", ["won"]),
        ("success != True", ["lost"]),
        ("n < 2", ["won"]),
        ("n >= 1.5", ["lost"]),
        ("not n < 2", ["lost"]),
        ("1 <= n < 2", ["won"]),
        ("1 < n < 2", []),
        ("n != 1", ["lost"]),
        ("n == -1", []),
        ('ending == "limit"', ["lost"]),
        ('"limit" == ending', ["lost"]),
        ('ending != "limit"', ["won"]),
        ('ending in ["limit", "unheard of"]', ["lost"]),
        ('ending not in ("limit",)', ["won"]),
        ("n in {1, 2.0}", ["won", "lost"]),
        ("n in []", []),
        ("n in [None, 1]", ["won", "open"]),
        ("n not in [None, 1]", ["lost"]),
        ("n not in [1]", ["lost"]),
        ('name == "open" or success', ["won", "open"]),
        ("n > 1 and not success", ["lost"]),
        ('success or name == "open"', ["won", "open"]),
        ('not (success and name == "won")', ["lost", "open"]),
        ("True", ["won", "lost", "open"]),
        ("name == name", ["won", "lost", "open"]),
        ("  success  # those that won\n", ["won"]),
    ],
)
def test_a_filter_keeps_the_rows_for_which_it_is_true(text: str, names: list[str]) -> None:
    assert kept(text) == names


def test_a_filter_is_true_or_false_and_never_missing() -> None:
    assert FRAME.select(x=parse_where("not n < 2", SCHEMA))["x"].to_list() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "can't read ''"),
        ("success and", "can't read"),
        ("\0", "can't read"),
        ("__import__('os').system('true')", "is not allowed"),
        ("name == __import__('os')", "is not allowed"),
        ("name.str", "is not allowed"),
        ("name[0] == 'w'", "is not allowed"),
        ("(lambda: success)()", "is not allowed"),
        ("[success for success in name]", "is not allowed"),
        ("(success := True)", "is not allowed"),
        ("f'{name}' == 'won'", "is not allowed"),
        ("n + 1 == 2", "is not allowed"),
        ("-n == 1", "is not allowed"),
        ("1", "is not allowed"),
        ("name == {'a': 1}", "is not allowed"),
        ("name == b'won'", "is not allowed"),
        ("name == ...", "is not allowed"),
        ("n == 1j", "is not allowed"),
        (f"n == {2**63}", "is not allowed"),
        ("name", "is not true or false: compare it"),
        ("n", "is not true or false: compare it"),
        ("success == None", "`is None`"),
        ("None != n", "`is None`"),
        ("'w' in name", "right of `in` stands a list"),
        ("name in 'won'", "right of `in` stands a list"),
        ("n in [[1]]", "is not allowed"),
        ("not " * 60 + "success", "nested more than 50 deep"),
        ("not " * 30_000 + "success", "can't read|characters"),
        ("(" * 5_000 + "success" + ")" * 5_000, "can't read"),
        ("success or " * 20_000 + "success", "characters; allowed"),
    ],
)
def test_whatever_is_no_filter_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse_where(text, SCHEMA)

    assert len(str(caught.value)) < 250


def test_an_unknown_column_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no column is called 'sucess'.*ending, n, name"):
        parse_where("sucess", SCHEMA)


def test_a_long_list_of_conditions_is_no_deep_nesting() -> None:
    assert kept(" or ".join(["success"] * 2_000)) == ["won"]


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    return from_trajectories(
        [
            run(["ls"], task="t1", temperature=0.5),
            run(["ls"], task="t2", success=False, ending="limit"),
            run([], task="t2", trial=1, success=None, benchmark=None, cluster="django"),
        ]
    )


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ('task == "bench::t2"', 1),
        ('task_id == "t2"', 2),
        ("benchmark is None", 1),
        ("temperature == 0.5", 1),
        ("temperature is None", 2),
        ('cluster == "django"', 1),
        ('ending in ["limit"]', 1),
        ('cost_origin == "recorded"', 0),
        ("n_actions == 0", 1),
    ],
)
def test_the_columns_of_systems_and_tasks_can_be_used(cohort: Cohort, text: str, n: int) -> None:
    assert cohort.filter(text).runs.height == n


@pytest.mark.parametrize(
    "text",
    ['n_actions == "x"', "task_id == 3", "scores == 1", 'started_at > "2020"', "trial in [1, 'a']"],
)
def test_a_comparison_of_unlike_things_is_a_sentence_of_one_line(cohort: Cohort, text: str) -> None:
    with pytest.raises(UsageError, match=r"^where: [^\n]*$"):
        cohort.filter(text)


NAMES = st.sampled_from(
    ["success", "n_actions", "task_id", "ending", "scores", "started_at", "zzz"]
)
CONSTANTS = st.sampled_from(["None", "True", "1", "-1.5", "'t1'", "[1, 2]", "['a', None]", "()"])
TERMS = NAMES | CONSTANTS
OPERATORS = st.sampled_from(["==", "!=", "<", ">=", "is", "is not", "in", "not in"])
COMPARISONS = st.tuples(TERMS, OPERATORS, TERMS).map(" ".join)
EXPRESSIONS = st.recursive(
    COMPARISONS | NAMES,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({' '.join(t)})")
        | inner.map(lambda e: f"not ({e})")
    ),
    max_leaves=4,
)


@given(text=EXPRESSIONS)
@settings(max_examples=150, deadline=None)
def test_any_expression_filters_or_is_refused(cohort: Cohort, text: str) -> None:
    with suppress(EthogramError):
        assert cohort.filter(text).runs.height <= 3


@given(text=st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text_filters_or_is_refused(text: str) -> None:
    with suppress(EthogramError):
        kept(text)
