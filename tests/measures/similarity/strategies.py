"""Graphs, runs and cohorts for hypothesis, small and full of coincidences.

Values are drawn from few, so that results, arguments and what is told keep meeting: ids, numbers
and the texts that look like them, values with signs that mean something in patterns, values glued
into longer words, short ones, and tokens that say nothing.
"""

import json
from typing import Any

from hypothesis import strategies as st
from measures.similarity.runs_made import call, shell, system
from msgspec.structs import replace

from ethogram.measures.similarity.graph import ActionGraph
from ethogram.simulate.build import reply, run, user
from ethogram.trajectory import Event, Trajectory

WORDS = ("L-17", "rd_301", "#W55", "a+b(c", "120", "129.5", "Ünï-9", "north", "north west", "-n.x")
DULL = ("", "ab", " L-17 ", "pending", "True")
NUMBERS = (120, 120.0, 129.5, 7, 1e-05, 2**70)
VALUES = st.sampled_from(WORDS) | st.sampled_from((*NUMBERS, *DULL, None, True))
TOOLS = ("get_loan", "get_reader", "cancel_loan", "update_reader", "calculate", "frobnicate")
FILES = ("src/app.py", "app.py", "notes.txt", "L-17")
SYSTEMS = ("anna", "bert", "cora", "dora")


def texts() -> st.SearchStrategy[str]:
    """Running text: values between spaces, commas, or nothing at all."""
    return st.builds(
        lambda parts, glue: glue.join(parts),
        st.lists(st.sampled_from((*WORDS, "120.0", "L-171", "pending", FILES[0])), max_size=3),
        st.sampled_from((" ", ", ", "", "\n")),
    )


def structures() -> st.SearchStrategy[Any]:
    """What JSON holds: a value, a list of them, or a table of both."""
    lists = st.lists(VALUES, max_size=2)
    tables = st.dictionaries(st.sampled_from(WORDS), st.one_of(VALUES, lists), max_size=2)
    return st.one_of(VALUES, lists, tables)


def results() -> st.SearchStrategy[str | None]:
    """What comes back: nothing, running text, or JSON."""
    return st.none() | texts() | structures().map(json.dumps)


def arguments() -> st.SearchStrategy[Any]:
    """An object mostly; else a bare string, null, nothing, or broken JSON."""
    return (
        st.dictionaries(st.sampled_from(("id", "of", "to")), structures(), max_size=2)
        | st.sampled_from(WORDS).map(json.dumps)
        | st.sampled_from((None, "null", "", '{"id": "L-17"', "L-17"))
    )


def commands() -> st.SearchStrategy[str]:
    """Simple command lines."""
    part = st.builds(
        lambda head, files: " ".join((head, *files)),
        st.sampled_from(("cat", "grep -n", "python", "sed -i s/x/y/")),
        st.lists(st.sampled_from(FILES), min_size=1, max_size=2),
    )
    target = st.sampled_from(("", "", " > notes.txt"))
    return st.builds(
        lambda parts, glue, out: glue.join(parts) + out,
        st.lists(part, min_size=1, max_size=2),
        st.sampled_from((" && ", " | ")),
        target,
    )


def actions() -> st.SearchStrategy[Event]:
    """One call of a tool or of a shell."""
    flags = {"is_error": st.sampled_from((None, False, True))}
    calls = st.builds(call, st.sampled_from(TOOLS), arguments(), results(), **flags)
    shells = st.builds(shell, commands(), results(), **flags)
    tools = st.builds(
        lambda command, result: call("bash", {"command": command}, result), commands(), results()
    )
    theirs = st.builds(call, st.sampled_from(TOOLS), arguments(), results(), actor=st.just("user"))
    return st.one_of(calls, calls, calls, calls, shells, tools, theirs)


TEXTS, ACTIONS = texts(), actions()
STEPS = st.one_of(
    TEXTS.map(user),
    TEXTS.map(reply),
    *[st.lists(ACTIONS, min_size=1, max_size=2)] * 3,
)


def events(*, max_steps: int = 6) -> st.SearchStrategy[list[Event]]:
    """Events of a run: calls alone or in parallel, talk in between, turns recorded or not."""
    return st.builds(
        _numbered,
        st.lists(TEXTS.map(system), max_size=1),
        st.lists(STEPS, max_size=max_steps),
        st.sampled_from((True, True, True, False)),
    )


def _numbered(first: list[Event], steps: list[Event | list[Event]], recorded: bool) -> list[Event]:
    made = list(first)
    for number, step in enumerate(steps):
        turn = number if recorded else None
        parts = step if isinstance(step, list) else [step]
        made += [each if each.actor == "user" else replace(each, turn=turn) for each in parts]
    return made


@st.composite
def cohort_runs(
    draw: st.DrawFn, *, max_systems: int = 4, max_tasks: int = 3, max_repeats: int = 2
) -> list[Trajectory]:
    """Runs of several systems at several tasks; some are missing, repeated, broken or unknown."""
    names = SYSTEMS[: draw(st.integers(2, max_systems))]
    places = [
        (name, f"t{task}") for name in names for task in range(draw(st.integers(1, max_tasks)))
    ]
    return [
        run(
            draw(events(max_steps=4)),
            system=name,
            task=task,
            trial=trial,
            success=draw(st.sampled_from((True, True, False, None))),
            ending=draw(st.sampled_from((*("completed",) * 4, "infra_error", "limit"))),
        )
        for name, task in places
        for trial in range(draw(st.integers(0, max_repeats)))
    ]


@st.composite
def graphs(draw: st.DrawFn) -> ActionGraph:
    """Action graphs of any shape and with any names."""
    names = draw(st.lists(st.text(max_size=5), max_size=6))
    pairs = [(a, b) for b in range(len(names)) for a in range(b)]
    chosen = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    n = len(names)
    effects = draw(
        st.lists(st.sampled_from(("read", "write", "none", None)), min_size=n, max_size=n)
    )
    errors = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return ActionGraph(tuple(names), frozenset(chosen), tuple(effects), tuple(errors))
