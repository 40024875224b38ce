"""tau-bench: a results file is a list of runs.

The file names neither the model nor the domain. The model, the agent's strategy, the temperature
and the user's model come from the file's name where it has a known form
(`ethogram.formats.tau_names`); the domain from the policy or the tools, else from the name.

How a run ended is not recorded either: it ended as the last message shows (`LAST_WORDS`), or with
the error that the runner caught instead of a run (`ERRORS`). What makes a run a success is a rule
by name (`RULES`, `with_rule`), because some people's rewards are not 0 or 1.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from ethogram.errors import MalformedTrajectoryError, UnknownNameError
from ethogram.formats.action_text import is_action_text, with_calls
from ethogram.formats.base import Format, Probe, Source
from ethogram.formats.chat import read_messages
from ethogram.formats.digest import digest
from ethogram.formats.json_text import canonical
from ethogram.formats.messages import Int32, Message, text_of
from ethogram.formats.records import decode_or_loose, each_record
from ethogram.formats.settings import recorded
from ethogram.formats.tau_names import DOMAINS, NameParts, parse_name
from ethogram.trajectory import Ending, Outcome, Problem, System, Task, Trajectory

BENCHMARK: Final = "tau-bench"
TOLERANCE: Final = 1e-6


class GoldAction(msgspec.Struct, gc=False):
    """An action that the task wants."""

    name: str | None = None
    kwargs: Any = None


class TaskInfo(msgspec.Struct, gc=False):
    """The task, as far as a run's record repeats it."""

    user_id: str | None = None
    instruction: str | None = None
    actions: list[GoldAction] | None = None
    outputs: Any = None


class Checks(msgspec.Struct, gc=False):
    """What the evaluator found."""

    r_actions: float | bool | None = None
    r_outputs: float | bool | None = None


class RewardInfo(msgspec.Struct, gc=False):
    """The evaluator's record."""

    info: Checks | str | list[Any] | None = None


class RowInfo(msgspec.Struct, gc=False):
    """What a run's record says besides its messages."""

    task: TaskInfo | None = None
    user_cost: float | None = None
    reward_info: RewardInfo | None = None
    error: Any = None
    traceback: Any = None


class Row(msgspec.Struct, gc=False):
    """One run."""

    task_id: int | str | None = None
    trial: Int32 | None = None
    reward: float | bool | None = None
    info: RowInfo | None = None
    traj: list[Message] | None = None


_ROWS: Final = msgspec.json.Decoder(list[Row])


def _checked(row: Row) -> bool | None:
    found = row.info.reward_info.info if row.info and row.info.reward_info else None
    if row.reward is None or not isinstance(found, Checks):
        return None
    values = [value for value in (found.r_actions, found.r_outputs) if value is not None]
    # the evaluator keeps only the last check, and a check that failed before it shows as reward 0
    return all(value == 1 for value in values) and row.reward > 0 if values else None


RULES: Final[Mapping[str, Callable[[Row], bool | None]]] = {
    "reward>=1": lambda row: None if row.reward is None else row.reward >= 1 - TOLERANCE,
    "reward==1": lambda row: None if row.reward is None else abs(row.reward - 1) < TOLERANCE,
    "reward>0": lambda row: None if row.reward is None else row.reward > 0,
    "r_actions": _checked,
}
"""What makes a run a success, by name: the reward (with a tolerance of 1e-6), or ``r_actions``:
every recorded check (``r_actions``, ``r_outputs``) is 1 and the reward above 0."""
DEFAULT_RULE: Final = "reward>=1"

TRANSFER: Final = "transfer_to_human_agents"
LAST_WORDS: Final[Mapping[str, Ending]] = {"###STOP###": "completed", TRANSFER: "completed"}
"""What a finished run ends with: the user's last words, or the tool that hands the user over."""

ERRORS: Final[Mapping[str, tuple[Ending, str | None]]] = {
    "ContextWindowExceededError": ("limit", "context"),
    "JSONDecodeError": ("agent_error", None),
    "ContentPolicyViolationError": ("agent_error", None),
    "KeyError": ("agent_error", None),
    "IndexError": ("agent_error", None),
    "TypeError": ("agent_error", None),
    "AttributeError": ("agent_error", None),
    "ValueError": ("agent_error", None),
    "AssertionError": ("agent_error", None),
}
"""Class of the error that ended a run -> ending and kind of limit: a full context, a model that
writes no JSON, or a crash of the agent's program. Any other class (rate limits, connections, time
outs, servers' errors, wrong keys) is an infrastructure error."""
_ERROR_CLASS: Final = re.compile(
    r"\b([A-Z]\w*(?:Error|Exception)|(?:[A-Z]\w*)?(?:Timeout|Exceeded|Unavailable))\b"
)

DOMAIN_TOOLS: Final[Mapping[str, frozenset[str]]] = {
    "airline": frozenset(
        {
            "book_reservation",
            "cancel_reservation",
            "get_reservation_details",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
            "send_certificate",
            "update_reservation_baggages",
            "update_reservation_flights",
            "update_reservation_passengers",
        }
    ),
    "retail": frozenset(
        {
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "find_user_id_by_email",
            "find_user_id_by_name_zip",
            "get_order_details",
            "get_product_details",
            "list_all_product_types",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        }
    ),
}
"""Tools that only one domain has."""
_POLICY_TITLE: Final = re.compile(rf"\s*#\s*({'|'.join(DOMAINS)})\b", re.IGNORECASE)
_OF_A_RUN: Final = frozenset({"reward", "info", "traj"})


def sniff(probe: Probe) -> bool:
    """Whether the file is a list of tau-bench's runs; the first may lack one of the fields."""
    found = len(_OF_A_RUN & probe.keys)
    return probe.first_byte == b"[" and "task_id" in probe.keys and found >= len(_OF_A_RUN) - 1


def read(source: Source, *, rule: str = DEFAULT_RULE) -> Iterator[Trajectory | Problem]:
    """Yield the runs of a results file; ``rule`` is a name in `RULES`."""
    rows, problems = decode_or_loose(source.read(), _ROWS, place=source.name)
    yield from problems
    if not isinstance(rows, list):
        raise MalformedTrajectoryError(f"{source.name}: not a list of runs")
    records = list(each_record(rows, Row, name="run"))
    good = [record for _, record in records if isinstance(record, Row)]
    shared = _Shared(good, parse_name(source.basename), rule)
    for position, record in records:
        yield shared.trajectory(record, position) if isinstance(record, Row) else record


def with_rule(rule: str) -> Format:
    """Return the format with another rule for what is a success.

    Raises
    ------
    UnknownNameError
        If no rule of `RULES` has this name.
    """
    name = rule.replace(" ", "")
    if name not in RULES:
        raise UnknownNameError("success rule", rule, list(RULES))
    return replace(FORMAT, read=partial(read, rule=name))


class _Shared:
    """What the runs of one file have in common."""

    def __init__(self, rows: Sequence[Row], name: NameParts, rule: str) -> None:
        self._rule = rule
        self._system = System(
            scaffold=name.strategy,
            model=name.model,
            user_model=name.user_model,
            temperature=name.temperature,
            settings={"user_strategy": name.user_strategy} if name.user_strategy else {},
        )
        domain = _domain_of(rows) or name.domain
        self._benchmark = f"{BENCHMARK}/{domain}" if domain else None
        self._tasks: dict[str, Task] = {}
        for row in rows:  # a run that failed to start has no task; its repeats have
            if row.task_id is not None and row.info and row.info.task:
                self._tasks.setdefault(
                    str(row.task_id), self._task(str(row.task_id), row.info.task)
                )

    def _task(self, task_id: str | None, info: TaskInfo) -> Task:
        actions = [{"name": a.name, "arguments": a.kwargs} for a in info.actions or []]
        return Task(
            task_id=task_id,
            benchmark=self._benchmark,
            digest=digest([info.user_id, info.instruction, actions, info.outputs]),
            prompt=info.instruction,
            reference=canonical(actions) if actions else None,
        )

    def _task_of(self, row: Row, info: RowInfo) -> Task:
        """The task as the run's own record describes it, else as its repeats do."""
        task_id = None if row.task_id is None else str(row.task_id)
        if info.task:
            return self._task(task_id, info.task)
        known = None if task_id is None else self._tasks.get(task_id)
        return known or Task(task_id=task_id, benchmark=self._benchmark)

    def trajectory(self, row: Row, position: int) -> Trajectory:
        """One run."""
        messages = row.traj or []
        if is_action_text(messages):
            messages = list(with_calls(messages))
        chat = read_messages(messages)
        info = row.info or RowInfo()
        extra = {
            "user_cost_usd": info.user_cost,
            "unwrapped_messages": chat.unwrapped or None,
            "error": None if info.error is None else str(info.error),
        }
        return Trajectory(
            system=self._system,
            task=self._task_of(row, info),
            outcome=_outcome(row, self._rule),
            events=chat.events,
            trial=row.trial,
            recorded_actions=chat.agent_calls,
            record=str(position),
            problems=chat.problems,
            extra=recorded(extra),
        )


def _outcome(row: Row, rule: str) -> Outcome:
    success = RULES[rule](row)
    found = row.info.reward_info.info if row.info and row.info.reward_info else None
    checks = found if isinstance(found, Checks) else Checks()
    named = (("r_actions", checks.r_actions), ("r_outputs", checks.r_outputs))
    ending, raw, limit = _ending(row)
    return Outcome(
        success=success,
        score=None if row.reward is None else float(row.reward),
        scores=tuple((name, float(v), None) for name, v in named if v is not None),
        source=None if success is None else "own file",
        rule=None if success is None else rule,
        ending=ending,
        ending_raw=raw,
        limit_kind=limit,
    )


def _ending(row: Row) -> tuple[Ending | None, str | None, str | None]:
    """Ending, what says so, and the kind of limit."""
    if row.info is not None and row.info.error is not None:
        raw = _error_class(row.info)
        ending, limit = ERRORS.get(raw or "", ("infra_error", None))
        return ending, raw, limit
    last = row.traj[-1] if row.traj else None
    if last is None or last.role not in {"tool", "user"}:
        return None, None, None
    said = last.name if last.role == "tool" else text_of(last.content)
    mark = next((mark for mark in LAST_WORDS if mark in (said or "")), None)
    return (LAST_WORDS[mark], mark, None) if mark else (None, None, None)


def _error_class(info: RowInfo) -> str | None:
    """Class of the error: the last one in the traceback, else the first one in the message."""
    lines = str(info.traceback or "").strip().splitlines()
    for text in (*reversed(lines), str(info.error)):
        if match := _ERROR_CLASS.search(text):
            return match[1]
    return None


def _domain_of(rows: Sequence[Row]) -> str | None:
    """Domain that the policy's title or the tools of the runs show; None if they disagree."""
    titles, tools = set(), set()
    for row in rows:
        for message in row.traj or []:
            if message.role == "system" and (
                match := _POLICY_TITLE.match(text_of(message.content) or "")
            ):
                titles.add(match[1].lower())
            if message.role == "tool" and message.name:
                tools.add(message.name)
    found = titles or {domain for domain, own in DOMAIN_TOOLS.items() if own & tools}
    return found.pop() if len(found) == 1 else None


FORMAT: Final = Format(
    name="tau-bench",
    sniff=sniff,
    read=read,
    about="Results of tau-bench: a list of runs with their messages and rewards.",
    docs_url="https://github.com/sierra-research/tau-bench",
    with_rule=with_rule,
    left_out="the range of tasks and the time in the file's name; the policy (it is the domain's)",
)
