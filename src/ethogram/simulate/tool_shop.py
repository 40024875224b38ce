"""A repair shop whose tools simulated systems call: tools, errands, tasks. Nothing in it is real.

An errand is a class of tasks. Its mandatory calls are those without which it is not done; ids flow
from the results of some calls into the arguments of others, so that calls depend on each other.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
import numpy as np

from ethogram.actions.effects import Effect
from ethogram.simulate.draw import generator
from ethogram.trajectory import Task

BENCHMARK: Final = "repair-shop"
MAX_ITEMS: Final = 3
"""Things that one customer comes with, at most."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of the shop."""

    name: str
    """Begins with a verb from which the tables of effects guess the effect."""
    effect: Effect
    takes: tuple[str, ...] = ()
    """Names of the values among its arguments."""
    gives: tuple[str, ...] = ()
    """Names of the values that its result adds to the arguments."""
    whole: bool = False
    """Whether it gives the values of all things that the customer comes with, or of one."""
    before: str = ""
    """Tool that shows what this one is about to change; empty for tools that change nothing."""
    after: str = ""
    """Tool that shows what this one has changed."""


class Choice(msgspec.Struct, frozen=True):
    """A tool that an errand may do without."""

    tool: str
    after: str
    """The mandatory tool after whose first call it would be called."""


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """A class of tasks."""

    name: str
    wish: str
    """What the customer says first."""
    told: tuple[str, ...]
    """Values that the customer says first."""
    opening: tuple[str, ...]
    """Mandatory tools, called once."""
    look: tuple[str, ...]
    """Mandatory tools, called for each thing after the opening."""
    act: tuple[str, ...]
    """Mandatory tools, called for each thing after all have been looked at."""
    choices: tuple[Choice, ...]
    """Optional tools in the order in which they are called."""


class Step(NamedTuple):
    """A call to be made: of which tool, and about which thing."""

    tool: str
    item: int


class ShopTask(NamedTuple):
    """A task with what only the simulation knows of it."""

    number: int
    task: Task
    errand: Errand
    n_items: int
    values: Mapping[str, tuple[str | float, ...]]
    """Each value by name: one for each thing (values of the customer repeat)."""

    @property
    def mandatory(self) -> tuple[Step, ...]:
        """The calls without which the task isn't done, in order."""
        errand, items = self.errand, range(self.n_items)
        return (
            *(Step(tool, 0) for tool in errand.opening),
            *(Step(tool, item) for item in items for tool in errand.look),
            *(Step(tool, item) for item in items for tool in errand.act),
        )


PREFIXES: Final[Mapping[str, str]] = {
    "customer_id": "CU",
    "branch_id": "BR",
    "device_id": "DV",
    "model_no": "MD",
    "repair_id": "RP",
    "part_no": "PT",
    "offer_id": "OF",
    "order_id": "OR",
    "slot_id": "SL",
    "visit_id": "VI",
    "invoice_id": "IN",
    "refund_id": "RF",
}
"""How the ids of the shop begin; five figures follow."""
OF_CUSTOMER: Final = ("email", "customer_id", "branch_id")
"""Values that are the same for all things that one customer comes with."""

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool(
            name="find_customer",
            effect="read",
            takes=("email",),
            gives=("customer_id", "branch_id"),
        ),
        Tool(
            name="list_devices",
            effect="read",
            takes=("customer_id",),
            gives=("device_id",),
            whole=True,
        ),
        Tool(
            name="list_repairs",
            effect="read",
            takes=("customer_id",),
            gives=("repair_id",),
            whole=True,
        ),
        Tool(
            name="list_visits",
            effect="read",
            takes=("customer_id",),
            gives=("visit_id",),
            whole=True,
        ),
        Tool(
            name="list_invoices",
            effect="read",
            takes=("customer_id",),
            gives=("invoice_id",),
            whole=True,
        ),
        Tool(
            name="list_slots", effect="read", takes=("branch_id",), gives=("slot_id",), whole=True
        ),
        Tool(name="get_device", effect="read", takes=("device_id",), gives=("model_no",)),
        Tool(
            name="get_repair", effect="read", takes=("repair_id",), gives=("device_id", "part_no")
        ),
        Tool(name="get_visit", effect="read", takes=("visit_id",), gives=("repair_id",)),
        Tool(name="get_invoice", effect="read", takes=("invoice_id",), gives=("amount",)),
        Tool(name="search_parts", effect="read", takes=("part_no",), gives=("offer_id",)),
        Tool(
            name="create_repair",
            effect="write",
            takes=("device_id", "fault"),
            gives=("repair_id",),
            before="get_device",
            after="get_repair",
        ),
        Tool(
            name="cancel_repair",
            effect="write",
            takes=("repair_id",),
            before="get_repair",
            after="get_repair",
        ),
        Tool(
            name="create_order",
            effect="write",
            takes=("repair_id", "offer_id"),
            gives=("order_id",),
            before="get_repair",
            after="get_repair",
        ),
        Tool(
            name="book_visit",
            effect="write",
            takes=("repair_id", "slot_id"),
            gives=("visit_id",),
            before="get_repair",
            after="get_visit",
        ),
        Tool(
            name="change_visit",
            effect="write",
            takes=("visit_id", "slot_id"),
            before="get_visit",
            after="get_visit",
        ),
        Tool(
            name="apply_refund",
            effect="write",
            takes=("invoice_id", "amount"),
            gives=("refund_id",),
            before="get_invoice",
            after="get_invoice",
        ),
        # optional ones
        Tool(name="get_customer", effect="read", takes=("customer_id",)),
        Tool(name="get_opening_hours", effect="read", takes=("branch_id",)),
        Tool(name="check_warranty", effect="read", takes=("device_id",)),
        Tool(name="check_recall", effect="read", takes=("model_no",)),
        Tool(name="check_stock", effect="read", takes=("part_no",)),
        Tool(name="get_price_list", effect="read"),
        Tool(name="search_manual", effect="read", takes=("model_no",)),
        Tool(name="calculate", effect="none", takes=("amount",)),
        Tool(name="search_help", effect="read"),
    )
}
HELP: Final = "search_help"
"""What a system looks into after an error when it doesn't try again at once."""

ERRANDS: Final = (
    Errand(
        name="mend",
        wish="please mend what I bring and give me a time for it",
        told=("email", "fault"),
        opening=("find_customer", "list_devices", "list_slots"),
        look=("get_device",),
        act=("create_repair", "book_visit"),
        choices=(
            Choice("get_customer", "find_customer"),
            Choice("get_opening_hours", "find_customer"),
            Choice("check_warranty", "list_devices"),
            Choice("check_recall", "get_device"),
            Choice("search_manual", "get_device"),
            Choice("get_price_list", "get_device"),
        ),
    ),
    Errand(
        name="part",
        wish="please order the parts that my repairs wait for",
        told=("email",),
        opening=("find_customer", "list_repairs"),
        look=("get_repair", "search_parts"),
        act=("create_order",),
        choices=(
            Choice("get_customer", "find_customer"),
            Choice("check_warranty", "get_repair"),
            Choice("check_stock", "get_repair"),
            Choice("get_price_list", "get_repair"),
        ),
    ),
    Errand(
        name="cancel",
        wish="I don't want these repaired any more",
        told=("email",),
        opening=("find_customer", "list_repairs"),
        look=("get_repair",),
        act=("cancel_repair",),
        choices=(
            Choice("get_customer", "find_customer"),
            Choice("list_invoices", "find_customer"),
            Choice("list_visits", "list_repairs"),
            Choice("check_warranty", "get_repair"),
        ),
    ),
    Errand(
        name="move",
        wish="I can't come when we said, any later time will do",
        told=("email",),
        opening=("find_customer", "list_visits", "list_slots"),
        look=(),
        act=("change_visit",),
        choices=(
            Choice("get_customer", "find_customer"),
            Choice("get_opening_hours", "find_customer"),
            Choice("list_repairs", "find_customer"),
            Choice("get_visit", "list_visits"),
        ),
    ),
    Errand(
        name="refund",
        wish="it broke again, I want my money back",
        told=("email",),
        opening=("find_customer", "list_invoices"),
        look=("get_invoice",),
        act=("apply_refund",),
        choices=(
            Choice("get_customer", "find_customer"),
            Choice("list_repairs", "find_customer"),
            Choice("get_price_list", "get_invoice"),
            Choice("calculate", "get_invoice"),
        ),
    ),
)


def draw_shop_task(number: int, *, seed: int) -> ShopTask:
    """Draw the task of a number (from 0): its errand, how many things, and the ids of everything.

    Errands take turns, so that equally many tasks are of each.

    Examples
    --------
    >>> task = draw_shop_task(2, seed=0)
    >>> task.errand.name, task.n_items, task.mandatory[-1]
    ('cancel', 2, Step(tool='cancel_repair', item=1))
    """
    rng = generator(seed, "shop", number)
    errand = ERRANDS[number % len(ERRANDS)]
    n_items = int(rng.integers(1, MAX_ITEMS + 1))
    task = Task(task_id=f"{errand.name}-{number + 1:03d}", benchmark=BENCHMARK, prompt=errand.wish)
    return ShopTask(number, task, errand, n_items, _values(n_items, rng))


def _values(n_items: int, rng: np.random.Generator) -> dict[str, tuple[str | float, ...]]:
    """Draw the ids of a task; no two are equal."""
    figures = iter(rng.choice(90_000, size=len(PREFIXES) * n_items + n_items + 1, replace=False))
    values: dict[str, tuple[str | float, ...]] = {
        name: tuple(f"{prefix}{10_000 + next(figures)}" for _ in range(n_items))
        for name, prefix in PREFIXES.items()
    }
    values["email"] = (f"guest{next(figures)}@post.example",)
    values["amount"] = tuple(int(next(figures)) / 100 + 10 for _ in range(n_items))
    values["fault"] = ("does not switch on",)
    for name in (*OF_CUSTOMER, "fault"):
        values[name] = values[name][:1] * n_items
    return values
