"""Runs for tests of tool use: calls and their results in a line each, and two short stories.

The stories have the shape of Yang et al. 2026's Figures 2 and 4 (cancel something, exchange
something), in a library and in a shop of our own.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from ethogram.cohort import Cohort
from ethogram.formats.chat import call_action
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.measures.similarity.calls import RunCalls, run_calls
from ethogram.simulate.build import action, reply, run, user
from ethogram.trajectory import Event, Trajectory

LABELER = default_labeler()


def call(tool: str, arguments: Any = None, result: Any = None, **fields: Any) -> Event:
    """A call of a tool; a result that is no string stands as JSON."""
    text, written, state = call_action(tool, arguments)
    return action(
        text,
        tool=tool,
        arguments=written,
        arguments_state=state,
        observation=result if isinstance(result, str | None) else json.dumps(result),
        **fields,
    )


def shell(command: str, result: str | None = None, **fields: Any) -> Event:
    """A bare command."""
    return action(command, observation=result, **fields)


def system(text: str) -> Event:
    """The system text."""
    return Event(event="system", text=text)


def in_turns(*steps: Event | Sequence[Event]) -> list[Event]:
    """Events with turns: each of the agent's is a response of its own, a list of calls is one."""
    made: list[Event] = []
    for number, step in enumerate(steps):
        parts = [step] if isinstance(step, Event) else step
        made += [
            replace(part, turn=number) if part.event in {"action", "reply"} else part
            for part in parts
        ]
    return made


def cohort_of(runs: Iterable[Trajectory]) -> Cohort:
    """A labelled cohort."""
    return from_trajectories(runs, labeler=LABELER)


def calls_of(*steps: Event | Sequence[Event]) -> RunCalls:
    """The calls of one run, as they are read from a cohort."""
    return read_back(run(in_turns(*steps)))


def read_back(made: Trajectory) -> RunCalls:
    """The calls of a run whose turns stay as they are."""
    cohort = cohort_of([made])
    return next(run_calls(cohort, cohort.runs["run_id"].to_list()))


RULES = system("Holds may be cancelled until they are ready. The desk's own card is crd_1.")
READER = {"name": "Mia K.", "card": "crd_5", "holds": ["H-771", "H-772"]}
CELLO = {"hold_id": "H-772", "title": "Cello Now", "branch": "north"}


def careful_cancelling() -> list[Event]:
    """Cancel a hold: look both holds up, be refused once, try again, and look at the outcome."""
    return in_turns(
        RULES,
        user("I'm mia.k@post.example, please cancel my hold on the cello book."),
        call("find_reader", {"email": "mia.k@post.example"}, {"reader_id": "rd_301"}),
        call("get_reader", {"reader_id": "rd_301"}, READER),
        [
            call("get_hold", {"hold_id": "H-771"}, {"hold_id": "H-771", "title": "Oboe Today"}),
            call("get_hold", {"hold_id": "H-772"}, CELLO),
        ],
        reply("That is H-772. Shall I cancel it?"),
        user("Yes, H-772."),
        call("cancel_hold", {"hold_id": "H-772"}, "Error: locked, try again", is_error=True),
        call("cancel_hold", {"hold_id": "H-772", "force": True}, {"status": "cancelled"}),
        call("get_hold", {"hold_id": "H-772"}, {"hold_id": "H-772", "status": "cancelled"}),
    )


def brisk_cancelling() -> list[Event]:
    """The same task: the reader names card and hold, nothing is looked up twice."""
    return in_turns(
        RULES,
        user("My card is crd_5. Cancel H-772 and tell me what two late fees of 1.50 are."),
        call("find_reader_by_card", {"card": "crd_5"}, {"reader_id": "rd_301"}),
        call("get_reader", {"reader_id": "rd_301"}, READER),
        call("cancel_hold", {"hold_id": "H-772"}, {"status": "cancelled"}),
        call("calculate", {"expression": "2 * 1.50"}, "3.00"),
    )


def plain_cancelling() -> list[Event]:
    """The same task with nothing but what it takes, by a third system."""
    return in_turns(
        RULES,
        user("I'm mia.k@post.example, cancel H-772."),
        call("find_reader", {"email": "mia.k@post.example"}, {"reader_id": "rd_301"}),
        call("get_reader", {"reader_id": "rd_301"}, READER),
        call("cancel_hold", {"hold_id": "H-772"}, {"status": "cancelled"}),
    )


ORDER = {"order": "#W55", "items": [{"sku": "sk-1", "price": 129.0}], "pay": "visa_7"}
STOCK = "sk-2 (blue): 3 left at 149.50; sk-20 (red): none"


def doubly_checked_exchange() -> list[Event]:
    """Exchange an item: the member is looked up by mail and by name, as nothing asks for."""
    return in_turns(
        user("Order #W55: I'd like the blue lamp instead. Ann Oda, 04109, ann@mail.example."),
        call("find_member_by_mail", {"mail": "ann@mail.example"}, "ann_oda_77"),
        call("find_member_by_name", {"name": "Ann Oda", "zip": "04109"}, "ann_oda_77"),
        call("get_member", {"member": "ann_oda_77"}, {"name": {"first": "Ann"}, "pay": "visa_7"}),
        call("get_order", {"order": "#W55"}, ORDER),
        call("get_stock", {"product": "lamp"}, STOCK),
        call(
            "exchange_item",
            {"order": "#W55", "old": "sk-1", "new": "sk-2", "paid": 129, "by": "visa_7"},
            {"order": "#W55", "due": 20.5},
        ),
    )


def direct_exchange() -> list[Event]:
    """The same exchange without the second look-up and without looking at the member."""
    return in_turns(
        user("Order #W55: I'd like the blue lamp instead. Ann Oda, 04109."),
        call("find_member_by_name", {"name": "Ann Oda", "zip": "04109"}, "ann_oda_77"),
        [
            call("get_order", {"order": "#W55"}, ORDER),
            call("get_stock", {"product": "lamp"}, STOCK),
        ],
        call(
            "exchange_item",
            {"order": "#W55", "old": "sk-1", "new": "sk-2", "paid": 129, "by": "visa_7"},
            {"order": "#W55", "due": 20.5},
        ),
    )
