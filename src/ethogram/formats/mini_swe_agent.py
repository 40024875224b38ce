"""mini-SWE-agent: ``.traj.json`` files, one run each.

Every version of the format is read: ``mini-swe-agent-1`` (one command in a fence of the reply's
text), files from before the format had a name, bare lists of messages, and ``mini-swe-agent-1.1``
with its three kinds of messages (chat, whole Responses objects, items for the Responses interface).

A reply that the scaffold refused (no command, several commands, a call that can't be parsed) is an
action with ``is_error``: its text as recorded, None where the file keeps the refusal only. The last
message of a run repeats how it ended and is no event. A ``timestamp`` is the scaffold's own where
there is one, else the moment at which the model's server says it began to answer; the duration of a
run is the span from the first to the last. A task's prompt is what stood in the slot of the
prompt's template, so that systems with different templates meet on the same task.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ethogram.formats.base import Format, Probe, Source
from ethogram.formats.digest import digest, repository
from ethogram.formats.json_text import decode
from ethogram.formats.mini_swe_agent_events import (
    FORMAT_ERROR,
    Reading,
)
from ethogram.formats.mini_swe_agent_fences import FENCES, Fence
from ethogram.formats.mini_swe_agent_response import NO_COUNTS, Style, TokenCounts
from ethogram.formats.mini_swe_agent_shapes import (
    ENDINGS,
    LEFT_OUT,
    LIMIT_KINDS,
    VERSION_PREFIX,
    Config,
    File,
    Info,
    Message,
    ModelStats,
    text_of,
)
from ethogram.formats.mini_swe_agent_system import SCAFFOLD, system_of
from ethogram.trajectory import Outcome, Problem, System, Task, Trajectory, Usage

SUBMITTED: Final = "Submitted"

_DECODER: Final = msgspec.json.Decoder(File | list[Message])
_SUFFIX: Final = ".traj.json"
_DEFAULT_STEM: Final = "last_mini_run"  # where the scaffold writes to if it isn't told a name
_FINISH_MARK: Final = b"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_VERSION_MARK: Final = b'"' + VERSION_PREFIX.encode()
_TIMED_OUT: Final = "The last command <command>"
_TASK_SLOT: Final = re.compile(r"\{\{-?\s*task\s*-?\}\}")
_TAG: Final = re.compile(r"\{\{|\{%|\{#")


def declares(probe: Probe) -> bool:
    """Whether the file names this format itself."""
    if probe.first_byte != b"{":
        return False
    return _names_version(probe.tail) or _names_version(probe.head)


def _names_version(part: bytes) -> bool:
    return b'"trajectory_format"' in part and _VERSION_MARK in part


def sniff(probe: Probe) -> bool:
    """Whether the file is a mini-SWE-agent trajectory, whole or broken."""
    if probe.first_byte == b"[":
        return probe.name.endswith(".traj.json") and _FINISH_MARK in probe.head
    if probe.first_byte != b"{" or "info" not in probe.keys:
        return False
    cut_before_messages = probe.keys == {"info"} and b'"model_stats"' in probe.head
    return "messages" in probe.keys or b'"mini_version"' in probe.head or cut_before_messages


def read(source: Source) -> Iterator[Trajectory | Problem]:
    """Yield the one run of the file."""
    value, problems = decode(source.read(), _DECODER, place=source.name)
    file = File(messages=value) if isinstance(value, list) else value
    yield _trajectory(file, problems, name=_task_in_name(source.basename))


def _task_in_name(name: str) -> str | None:
    """Task of a file that is called ``<task>.traj.json``, as the scaffold's batch mode does."""
    stem = name.removesuffix(_SUFFIX)
    return None if stem in {name, _DEFAULT_STEM} else stem


def _trajectory(file: File, problems: list[Problem], *, name: str | None) -> Trajectory:
    info = file.info or Info()
    config = info.config or Config()
    stats = info.model_stats or ModelStats()
    style = _style(file, config)
    reading = Reading(_without_exit(file.messages, info), style)
    system = system_of(info, config)
    outcome, more = _outcome(info, system, stats)
    version = (file.trajectory_format or "").removeprefix(VERSION_PREFIX) or None
    return Trajectory(
        system=system,
        task=_task(file, config, name),
        outcome=outcome,
        events=tuple(reading.events),
        usage=_usage(reading, stats, style),
        submission=_submission(info, version),
        recorded_actions=_claimed(
            file, stats, failed=version == "1.1" and outcome.ending == "infra_error"
        ),
        format_version=version,
        problems=(*problems, *reading.problems(), *more),
        extra=_extra(info, stats),
    )


def _without_exit(messages: Sequence[Message], info: Info) -> Sequence[Message]:
    """Return the messages without the last one, if all it does is repeat how the run ended."""
    if not messages:
        return messages
    last = messages[-1]
    repeats = info.exit_status is not None and text_of(last.content) == (info.submission or "")
    ends = last.role == "exit" or (last.role == "user" and last.extra is None and repeats)
    return messages[:-1] if ends else messages


def _style(file: File, config: Config) -> Style:
    agent, model = config.agent or {}, config.model or {}
    template = agent.get("timeout_template")
    return Style(
        fence=_fence(file.messages, agent.get("action_regex") or model.get("action_regex")),
        one_command_a_text=file.trajectory_format in {None, VERSION_PREFIX + "1"},
        timed_out=_TAG.split(template, maxsplit=1)[0] if isinstance(template, str) else _TIMED_OUT,
        timed="outputs" not in model,
        zero_costs=model.get("cost_tracking") != "ignore_errors",
    )


def _fence(messages: Sequence[Message], written: object) -> Fence:
    """Find out how commands stand in a text: as configured, else as the prompts show it.

    The file's own regular expression is looked up, not used: it is a stranger's.
    """
    for fence in FENCES.values():
        if fence.pattern == written:
            return fence
    prompts = [text_of(message.content) for message in messages[:2]]
    for name in ("mswea_bash_command", "xml"):
        if any(FENCES[name].blocks(prompt) for prompt in prompts):
            return FENCES[name]
    return FENCES["bash"]


def _outcome(info: Info, system: System, stats: ModelStats) -> tuple[Outcome, list[Problem]]:
    status = info.exit_status
    ending = ENDINGS.get(status or "")
    outcome = Outcome(ending=ending, ending_raw=status, limit_kind=_limit(status, system, stats))
    if ending is not None:
        return outcome, []
    place = "info.exit_status"
    if status is None:
        reason = "the file records no exit status: the run was cut off, or it was still going"
        return outcome, [Problem(reason=reason, field=place, severity="note")]
    reason = f"exit status {status!r} is not in the table of endings; known: {', '.join(ENDINGS)}"
    return outcome, [Problem(reason=reason, field=place, severity="warning")]


def _limit(status: str | None, system: System, stats: ModelStats) -> str | None:
    if status != "LimitsExceeded":
        return LIMIT_KINDS.get(status or "")
    for kind, limit, spent in (
        ("steps", system.step_limit, stats.api_calls),
        ("cost", system.cost_limit, stats.instance_cost),
    ):
        if limit and spent is not None and spent >= limit:
            return kind
    return None


def _submission(info: Info, version: str | None) -> str | None:
    """Return what was submitted; version 1 writes the text of an exception in the same place."""
    if version == "1.1" or info.exit_status in {SUBMITTED, None} or not info.submission:
        return info.submission
    return None


def _extra(info: Info, stats: ModelStats) -> dict[str, Any]:
    extra = {"api_calls": stats.api_calls, "exception": info.exception_str}
    return {key: value for key, value in extra.items() if value is not None}


def _claimed(file: File, stats: ModelStats, *, failed: bool) -> int | None:
    """Count the actions that the file itself claims: the commands found, else the model's calls.

    Version 1.1 counts the call that failed and ended the run too.
    """
    extras = [message.extra for message in file.messages if message.extra is not None]
    found = [extra.actions for extra in extras if extra.actions is not None]
    if found:
        n_refused = [extra.interrupt_type for extra in extras].count(FORMAT_ERROR)
        return sum(map(len, found)) + n_refused
    return max(0, stats.api_calls - failed) if stats.api_calls is not None else None


def _usage(reading: Reading, stats: ModelStats, style: Style) -> Usage:
    moments, cost = reading.moments, stats.instance_cost
    totals = _totals(reading.tokens)
    return Usage(
        started_at=min(moments) if moments else None,
        duration_s=max(moments) - min(moments) if len(moments) > 1 else None,
        input_tokens=totals.input,
        cache_read_tokens=totals.cached,
        output_tokens=totals.output,
        reasoning_tokens=totals.reasoning,
        cost_usd=cost if cost or style.zero_costs else None,
    )


def _totals(tokens: Sequence[TokenCounts | None]) -> TokenCounts:
    """Sums over the responses; None as soon as one of them records nothing."""
    if not tokens or None in tokens:
        return NO_COUNTS
    rows = [msgspec.structs.astuple(counts) for counts in tokens if counts is not None]
    columns = zip(*rows, strict=True)
    return TokenCounts(*(None if None in column else sum(column) for column in columns))


def _task(file: File, config: Config, name: str | None) -> Task:
    task_id = name if file.instance_id in {None, ""} else str(file.instance_id)
    first = next((text_of(m.content) for m in file.messages if m.role == "user"), None)
    template = (config.agent or {}).get("instance_template")
    prompt = _slot(first, template) if first and isinstance(template, str) else None
    prompt = (prompt if prompt is not None else first or "").strip() or None
    return Task(
        task_id=task_id,
        prompt=prompt,
        digest=digest(prompt) if prompt else None,
        cluster=repository(task_id),
    )


def _slot(prompt: str, template: str) -> str | None:
    """Return what the template's task slot was filled with; None if that can't be told."""
    slot = _TASK_SLOT.search(template)
    if slot is None:
        return None
    before = template[: slot.start()]
    tag = _TAG.search(template, slot.end())
    after = template[slot.end() : tag.start()] if tag else template[slot.end() :].removesuffix("\n")
    if not prompt.startswith(before) or (tag and not after.strip()):
        return None
    end = prompt.find(after, len(before)) if after else len(prompt)
    return prompt[len(before) : end] if end >= 0 else None


FORMAT: Final = Format(
    name=SCAFFOLD,
    sniff=sniff,
    read=read,
    declares=declares,
    about="mini-SWE-agent .traj.json, versions 1 and 1.1 and older files; one run a file.",
    docs_url="https://mini-swe-agent.com/latest/usage/output_files/",
    typed_events=True,
    left_out="; ".join(f"{section}: {', '.join(keys)}" for section, keys in LEFT_OUT.items()),
)
