"""Simulated speakers with known habits of wording, layout and order, at tasks of a help desk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ethogram.simulate.build import action, reply, run, user
from ethogram.simulate.draw import generator
from ethogram.trajectory import Event, Trajectory

THINGS: Final = ("booking", "refund", "parcel", "ticket", "seat", "account", "invoice", "voucher")
SAID: Final = (
    ("I have", "I've", "found your {thing} in the system"),
    ("it is", "it's", "possible to change the {thing} today"),
    ("you will", "you'll", "get the amount for the {thing} back"),
    ("there is", "there's", "a fee for this {thing}"),
    ("we do not", "we don't", "need anything more for the {thing}"),
)


@dataclass(frozen=True)
class Speaker:
    """How a system speaks. Every number is a probability."""

    name: str
    opening: str = "Thank you"
    short: float = 0.1
    """Of a contraction where there can be one."""
    exclaims: float = 0.1
    lists: float = 0.1
    """Of giving the facts as a list."""
    bold: float = 0.1
    announces: float = 0.1
    """Of saying what it is about to do, before a call."""
    asks_first: float = 0.1
    """Of asking for a go-ahead before a change, in a turn of its own."""


TERSE: Final = Speaker("terse", "Okay", short=0.9, announces=0.0)
WARM: Final = Speaker("warm", "Great", short=0.6, exclaims=0.9, announces=0.9)
FORMAL: Final = Speaker("formal", "Certainly", short=0.0, lists=0.9, bold=0.8, asks_first=0.9)
SPEAKERS: Final = (TERSE, WARM, FORMAL)


def talk(
    speakers: Sequence[Speaker] = SPEAKERS, *, n_tasks: int = 8, n_runs: int = 2, seed: int = 0
) -> Iterator[Trajectory]:
    """Runs of every speaker at every task; who is named twice is another system of that habit."""
    for speaker in speakers:
        for task in range(n_tasks):
            for trial in range(n_runs):
                rng = generator(seed, speaker.name, task, trial)
                yield run(
                    _events(speaker, THINGS[task % len(THINGS)], rng),
                    system=speaker.name,
                    task=f"task-{task:02d}",
                    trial=trial,
                )


def _events(speaker: Speaker, thing: str, rng: np.random.Generator) -> Iterator[Event]:
    for turn in range(4):
        yield user(f"My {thing}, please.")
        before = "Let me look that up." if rng.random() < speaker.announces else None
        yield action(f"get_{thing}", tool=f"get_{thing}", text=before, observation="{}")
        if turn == 2 and rng.random() < speaker.asks_first:
            yield reply(f"{speaker.opening}. Shall I proceed with the {thing}?")
            yield user("Yes.")
        if turn == 2:
            yield action(f"update_{thing}", tool=f"update_{thing}", observation="done")
        yield reply(text_of(speaker, thing, rng))


def text_of(speaker: Speaker, thing: str, rng: np.random.Generator) -> str:
    """One reply."""
    drawn = rng.permutation(len(SAID))[: rng.integers(2, 5)]
    facts = [_fact(speaker, *SAID[place], thing=thing, rng=rng) for place in drawn]
    if rng.random() < speaker.bold:
        facts[0] = facts[0].replace(thing, f"**{thing}**")
    mark = "!" if rng.random() < speaker.exclaims else "."
    if rng.random() < speaker.lists:
        return "\n".join(
            [f"{speaker.opening}{mark} Here is what matters:", *map("- {}".format, facts)]
        )
    return " ".join([f"{speaker.opening}{mark}", *(f"{fact}{mark}" for fact in facts)])


def _fact(
    speaker: Speaker, long: str, short: str, rest: str, *, thing: str, rng: np.random.Generator
) -> str:
    start = short if rng.random() < speaker.short else long
    return f"{start[0].upper()}{start[1:]} {rest.format(thing=thing)}"
