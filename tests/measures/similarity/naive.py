"""The scores of Yang et al. 2026 once more, slowly and plainly: the other truth of the tests here.

Written from the definitions alone, with loops over dicts and lists; nothing of the package's own
scores is imported. A run is a dict: ``system``, ``task``, ``success``, ``ending``, ``events``; an
event is a dict with the fields of `ethogram.trajectory.Event` and the labels ``head``, ``effect``
and ``is_error``.
"""

import itertools
import json
import math
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from decimal import Decimal
from typing import Any, Literal, NoReturn, TypeAlias

from ethogram.cohort import Cohort

Row: TypeAlias = dict[str, Any]
Value: TypeAlias = str | int | float
Leaf: TypeAlias = Value | None
Edge: TypeAlias = tuple[int, int]
Source: TypeAlias = Literal["first", "latest", "all"]
Variant: TypeAlias = Literal["optional", "all_tools", "leave_pair_out"]
Judge: TypeAlias = Callable[[int, int, Value], bool]

UNINFORMATIVE: frozenset[str] = frozenset()
"""Tests hand in the list that is published; the definitions only say that there is one."""
SHELLS = frozenset({"bash"})
"""Tools that are given a command; the tests use no other."""


def runs_of(cohort: Cohort) -> list[Row]:
    """Runs of a cohort as dicts, read from its tables row by row."""
    texts = dict(cohort.texts.select("ref", "text").collect().iter_rows())
    events: dict[str, list[Row]] = {}
    for row in cohort.steps.collect().sort("run_id", "index").iter_rows(named=True):
        event = dict(row)
        for name in ("text", "thought", "observation"):
            event[name] = texts.get(row[f"{name}_ref"])
        events.setdefault(row["run_id"], []).append(event)
    return [
        {
            "run_id": row["run_id"],
            "system": row["system"],
            "task": row["task"],
            "success": row["success"],
            "ending": row["ending"],
            "events": events.get(row["run_id"], []),
        }
        for row in cohort.joined.iter_rows(named=True)
    ]


# --- calls ---------------------------------------------------------------------------------------


def calls_of(run: Row) -> list[Row]:
    """The agent's calls in order, each with its place among the events."""
    found = []
    for place, event in enumerate(run["events"]):
        if event["event"] != "action" or event["actor"] == "user":
            continue
        if event["tool"] is None and event["head"] is None:
            continue
        shell = event["tool"] in {None, *SHELLS}
        found.append(
            {
                "place": place,
                "turn": event["turn"],
                "name": event["head"] or event["tool"],
                "leaves": words_of(event) if shell else leaves_of_arguments(event),
                "result": event["observation"],
                "effect": event["effect"],
                "error": event["is_error"] is True,
            }
        )
    if all(call["turn"] is not None for call in found):
        found.sort(key=lambda call: (call["turn"], call["place"]))
    recorded = [call["turn"] for call in found]
    for number, call in enumerate(found):  # a call without a turn is a turn of its own
        together = number > 0 and recorded[number] == recorded[number - 1] is not None
        call["turn"] = found[number - 1]["turn"] if together else number
    return found


def words_of(event: Row) -> list[str]:
    """Words of a simple command line, without the names of its commands and its operators."""
    command = event["action"]
    if event["tool"] is not None:
        command = json.loads(event["arguments"])["command"]
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words, name_is_next = [], True
    for word in lexer:
        if word in {"&&", "||", ";", "|"}:
            name_is_next = True
        elif name_is_next:
            name_is_next = False
        elif word not in {">", ">>", "<"}:
            words.append(word)
    return words


def leaves_of_arguments(event: Row) -> list[Leaf]:
    text = event["arguments"]
    if text is None or event["arguments_state"] == "redacted":
        return []
    try:
        return leaves(parsed(text))
    except (ValueError, RecursionError):
        return [text.strip()]


def parsed(text: str) -> Any:
    """JSON as its standard has it: no NaN, no Infinity."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def leaves(value: Any) -> list[Leaf]:
    """Scalars of a JSON value, strings trimmed; keys are no values."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value.strip() if isinstance(value, str) else value]


# --- values --------------------------------------------------------------------------------------


def is_number(value: Leaf) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shortest(value: Value) -> str:
    """Shortest decimal text: 25.0 is 25."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def counts(value: Leaf, uninformative: Set[str]) -> bool:
    """Whether a leaf can carry a dependency at all."""
    if value is None or isinstance(value, bool):
        return False
    text = shortest(value)
    return len(text) >= 3 and text.casefold() not in uninformative


def equal(one: Leaf, other: Leaf) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if is_number(one) and is_number(other):
        return one == other
    return isinstance(one, str) and isinstance(other, str) and one == other


def has_token(text: str, value: Value) -> bool:
    """Whether a text holds the value, bounded by what is no word character."""
    return re.search(rf"(?<!\w){re.escape(shortest(value))}(?!\w)", text) is not None


def result_holds(result: str | None, value: Value) -> bool:
    if result is None:
        return False
    try:
        found = parsed(result)
    except (ValueError, RecursionError):
        return has_token(result, value)
    return any(equal(leaf, value) for leaf in leaves(found))


# --- edges ---------------------------------------------------------------------------------------


def known_before(run: Row, calls: Sequence[Row], source: Row, value: Value) -> bool:
    """Whether the value was known before the result of ``source`` came back."""
    for event in run["events"][: source["place"]]:
        told = event["event"] in {"user", "system"} and event["text"] is not None
        if told and has_token(event["text"], value):
            return True
    for call in calls:  # a call of the same turn was written before any result of that turn
        given = any(equal(leaf, value) for leaf in call["leaves"])
        if given and call["turn"] <= source["turn"]:
            return True
    return False


def candidates(
    run: Row, uninformative: Set[str] = UNINFORMATIVE, source: Source = "first"
) -> list[tuple[int, int, Value]]:
    """Triples of source, target and value; source and target are places among the calls."""
    calls = calls_of(run)
    found = []
    for target, call in enumerate(calls):
        for value in call["leaves"]:
            if not counts(value, uninformative):
                continue
            holders = [
                place
                for place, earlier in enumerate(calls)
                if earlier["turn"] < call["turn"] and result_holds(earlier["result"], value)
            ]
            chosen = {"first": holders[:1], "latest": holders[-1:], "all": holders}[source]
            found += [(holder, target, value) for holder in chosen]
    return found


def dependency_edges(
    run: Row,
    uninformative: Set[str] = UNINFORMATIVE,
    source: Source = "first",
    judge: Judge | None = None,
) -> set[Edge]:
    calls = calls_of(run)
    edges = set()
    for origin, target, value in candidates(run, uninformative, source):
        derived = (
            not known_before(run, calls, calls[origin], value)
            if judge is None
            else judge(origin, target, value)
        )
        if derived:
            edges.add((origin, target))
    return edges


def sequential_edges(n_calls: int, dependencies: Iterable[Edge]) -> set[Edge]:
    targets = {target for _, target in dependencies}
    return {(place - 1, place) for place in range(1, n_calls) if place not in targets}


# --- vectors -------------------------------------------------------------------------------------


def rate(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def sequence_vector(run: Row) -> list[float]:
    calls = calls_of(run)
    writes = verified = confirmed = errors = retried = 0
    for place, call in enumerate(calls):
        before = calls[place - 1] if place > 0 else None
        after = calls[place + 1] if place + 1 < len(calls) else None
        if call["effect"] == "write":
            writes += 1
            verified += after is not None and after["effect"] == "read"
            confirmed += before is not None and before["effect"] == "read"
        if call["error"]:
            errors += 1
            retried += after is not None and after["name"] == call["name"]
    return [rate(verified, writes), rate(confirmed, writes), rate(retried, errors)]


def longest_path(edges: Collection[Edge]) -> int:
    def depth(node: int) -> int:
        return max((1 + depth(target) for origin, target in edges if origin == node), default=0)

    return max((depth(origin) for origin, _ in edges), default=0)


def dependency_vector(
    run: Row,
    uninformative: Set[str] = UNINFORMATIVE,
    source: Source = "first",
    judge: Judge | None = None,
    share: bool = False,
) -> list[float]:
    n_calls = len(calls_of(run))
    edges = dependency_edges(run, uninformative, source, judge)
    ways_out: dict[int, int] = {}
    for origin, _ in edges:
        ways_out[origin] = ways_out.get(origin, 0) + 1
    fans = [origin for origin, count in ways_out.items() if count > 1]
    chain = longest_path(edges)
    return [
        rate(len({target for _, target in edges}), n_calls - 1),
        rate(chain, n_calls - 1) if share else float(chain),
        rate(len(fans), len(ways_out)),
    ]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    if not any(one) or not any(other):
        return float(not any(one) and not any(other))
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))


# --- scores of a pair ----------------------------------------------------------------------------


def mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


def scored(runs: Iterable[Row]) -> dict[str, dict[str, list[Row]]]:
    """Runs by system and task; what ended by the infrastructure's fault is no run."""
    found: dict[str, dict[str, list[Row]]] = {}
    for run in runs:
        if run["ending"] != "infra_error":
            found.setdefault(run["system"], {}).setdefault(run["task"], []).append(run)
    return found


def vector_scores(
    runs: Iterable[Row],
    one: str,
    other: str,
    vector: Callable[[str], Sequence[float]],
    nonzero: bool = False,
) -> dict[str, float]:
    """Scores by shared task: mean cosine over all pairs of runs; ``vector`` takes a run's id."""
    by_system = scored(runs)
    found = {}
    for task in by_system.get(one, {}).keys() & by_system.get(other, {}).keys():
        pairs = [
            (vector(a["run_id"]), vector(b["run_id"]))
            for a, b in itertools.product(by_system[one][task], by_system[other][task])
        ]
        if nonzero:
            pairs = [(a, b) for a, b in pairs if any(a) and any(b)]
        if pairs:
            found[task] = mean(cosine(a, b) for a, b in pairs)
    return found


def tools_of(run: Row) -> set[str]:
    return {call["name"] for call in calls_of(run)}


def winners(runs: Iterable[Row], pool: Set[str], task: str) -> dict[str, set[str]]:
    """System of the pool -> union of the tools of its successful runs of a task."""
    found: dict[str, set[str]] = {}
    for run in runs:
        if run["ending"] == "infra_error" or run["success"] is not True:
            continue
        if run["system"] in pool and run["task"] == task:
            found.setdefault(run["system"], set()).update(tools_of(run))
    return found


def optional_tools(runs: Iterable[Row], pool: Set[str], task: str) -> set[str]:
    sets = list(winners(runs, pool, task).values())
    return sets[0].union(*sets) - sets[0].intersection(*sets) if sets else set()


def all_tools(runs: Iterable[Row], pool: Set[str], task: str) -> set[str]:
    return set().union(*winners(runs, pool, task).values())


def n_systems_with_success(runs: Iterable[Row], pool: Set[str]) -> int:
    return len(
        {
            run["system"]
            for run in runs
            if run["system"] in pool and run["success"] is True and run["ending"] != "infra_error"
        }
    )


def s_node(
    runs: Sequence[Row],
    one: str,
    other: str,
    pool: Collection[str] | None = None,
    variant: Variant = "optional",
) -> dict[str, float] | None:
    """Scores by shared task with tools to agree on; None with a pool that can't tell."""
    pool = {run["system"] for run in runs} if pool is None else set(pool)
    if variant == "leave_pair_out":
        pool = pool - {one, other}
    elif variant == "optional" and n_systems_with_success(runs, pool) < 3:
        return None
    by_system = scored(runs)
    found = {}
    for task in by_system.get(one, {}).keys() & by_system.get(other, {}).keys():
        choose = all_tools if variant == "all_tools" else optional_tools
        tools = choose(runs, pool, task)
        if tools:
            found[task] = mean(
                mean((tool in tools_of(a)) == (tool in tools_of(b)) for tool in tools)
                for a, b in itertools.product(by_system[one][task], by_system[other][task])
            )
    return found
