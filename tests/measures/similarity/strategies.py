"""Graphs, runs and cohorts for hypothesis, small and full of coincidences.

Values are drawn from few, so that results, arguments and what is told keep meeting: ids, numbers
and the texts that look like them, values with signs that mean something in patterns, values glued
into longer words, short ones, and tokens that say nothing.
"""

import json

from hypothesis import strategies as st
from measures.similarity.runs_made import call, shell, system
from msgspec.structs import replace

from ethogram.measures.similarity.graph import ActionGraph
from ethogram.simulate.build import reply, run, user

WORDS = ("L-17", "rd_301", "#W55", "a+b(c", "120", "129.5", "Ünï-9", "north", "north west", "-n.x")
DULL = ("", "ab", " L-17 ", "pending", "True")
NUMBERS = (120, 120.0, 129.5, 7, 1e-05, 2**70)
VALUES = st.sampled_from(WORDS) | st.sampled_from((*NUMBERS, *DULL, None, True))
TOOLS = ("get_loan", "get_reader", "cancel_loan", "update_reader", "calculate", "frobnicate")
FILES = ("src/app.py", "app.py", "notes.txt", "L-17")
SYSTEMS = ("anna", "bert", "cora", "dora")


def texts():
    """Running text: values between spaces, commas, or nothing at all."""
    written = st.sampled_from((*WORDS, "120.0", "L-171", "rd_3012", "x120", "pending", FILES[0]))
    return st.builds(
        lambda parts, glue: glue.join(parts),
        st.lists(written, max_size=3),
        st.sampled_from((" ", ", ", "", "\n")),
    )


def structures():
    """What JSON holds."""
    return st.recursive(
        VALUES,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=2)
        ),
        max_leaves=4,
    )


def results():
    """What comes back: nothing, running text, or JSON."""
    return st.none() | texts() | structures().map(json.dumps)


def arguments():
    """An object mostly; else a bare string, null, nothing, or broken JSON."""
    return (
        st.dictionaries(st.sampled_from(("id", "of", "to")), structures(), max_size=3)
        | st.sampled_from(WORDS).map(json.dumps)
        | st.sampled_from((None, "null", "", '{"id": "L-17"', "L-17"))
    )


def commands():
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


def actions():
    """One call of a tool or of a shell."""
    flags = {"is_error": st.sampled_from((None, False, True))}
    calls = st.builds(call, st.sampled_from(TOOLS), arguments(), results(), **flags)
    shells = st.builds(shell, commands(), results(), **flags)
    tools = st.builds(
        lambda command, result: call("bash", {"command": command}, result), commands(), results()
    )
    theirs = st.builds(call, st.sampled_from(TOOLS), arguments(), results(), actor=st.just("user"))
    return st.one_of(calls, calls, calls, calls, shells, tools, theirs)


@st.composite
def events(draw, *, max_steps=6):
    """Events of a run: calls alone or in parallel, talk in between, turns recorded or not."""
    made = [system(draw(texts()))] if draw(st.booleans()) else []
    recorded = draw(st.integers(0, 3)) > 0
    for number in range(draw(st.integers(0, max_steps))):
        turn = number if recorded else None
        talk = draw(st.integers(0, 5))
        if talk == 0:
            made.append(user(draw(texts())))
        elif talk == 1:
            made.append(reply(draw(texts()), turn=turn))
        else:
            calls = draw(st.lists(actions(), min_size=1, max_size=2))
            made += [call if call.actor == "user" else replace(call, turn=turn) for call in calls]
    return made


@st.composite
def cohort_runs(draw, *, max_systems=4, max_tasks=3, max_repeats=2):
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
def graphs(draw):
    """Action graphs of any shape and with any names."""
    names = draw(st.lists(st.text(max_size=5), max_size=6))
    pairs = [(a, b) for b in range(len(names)) for a in range(b)]
    chosen = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    each = {"min_size": len(names), "max_size": len(names)}
    effects = draw(st.lists(st.sampled_from(("read", "write", "none", None)), **each))
    errors = draw(st.lists(st.booleans(), **each))
    return ActionGraph(tuple(names), frozenset(chosen), tuple(effects), tuple(errors))
