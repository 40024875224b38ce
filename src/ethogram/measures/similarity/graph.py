"""The action graph of a run: calls, their order, and what was passed on (Yang et al. 2026)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final
from xml.etree import ElementTree as ET

import msgspec

from ethogram.measures.similarity.calls import RunCalls
from ethogram.measures.similarity.dependency import Source, dependencies_of
from ethogram.results.judges import DependencyJudge

SEQUENTIAL: Final = "s"
DEPENDENCY: Final = "d"
_NAMES: Final = {SEQUENTIAL: "sequential", DEPENDENCY: "dependency"}
GRAPHML: Final = "http://graphml.graphdrawing.org/xmlns"
DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_XML: Final = re.compile(r"[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold, and the carriage return, which readers take for a line's end."""


class ActionGraph(msgspec.Struct, frozen=True, dict=True):
    """A run's calls as nodes, numbered from 0, with directed edges between them.

    Attributes
    ----------
    names : tuple of str
        Tool (or, for shell commands, the command's head) of each call, in order.
    dependency : frozenset of (int, int)
        Edges E_d: the target was given something that the source had returned.
    effects : tuple of str or None
        read, write or none, of each call.
    errors : tuple of bool
        Whether each call failed.
    """

    names: tuple[str, ...]
    dependency: frozenset[tuple[int, int]] = frozenset()
    effects: tuple[str | None, ...] = ()
    errors: tuple[bool, ...] = ()

    @cached_property
    def sequential(self) -> frozenset[tuple[int, int]]:
        """Edges E_s: from each call to the next, unless a dependency leads to the next."""
        fed = {target for _, target in self.dependency}
        return frozenset(
            (place - 1, place) for place in range(1, len(self.names)) if place not in fed
        )

    @cached_property
    def edges(self) -> Mapping[tuple[int, int], str]:
        """Every edge with its type, ``s`` or ``d``; two nodes are joined by at most one."""
        return {
            **dict.fromkeys(sorted(self.sequential), SEQUENTIAL),
            **dict.fromkeys(sorted(self.dependency), DEPENDENCY),
        }


def action_graph(
    run: RunCalls, *, source: Source = "first", judge: DependencyJudge | None = None
) -> ActionGraph:
    """Build the action graph of a run.

    Parameters
    ----------
    run : RunCalls
        Its calls, with what came back and what was told before.
    source : {"first", "latest", "all"}
        Which of several earlier calls whose results hold a value is its source.
    judge : DependencyJudge, optional
        Decides on dependencies in place of the rule.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, section 3.3 and appendix B.1.
    """
    return action_graphs_of([run], source=source, judge=judge)[0]


def action_graphs_of(
    runs: Sequence[RunCalls], *, source: Source = "first", judge: DependencyJudge | None = None
) -> list[ActionGraph]:
    """`action_graph` of several runs, about which a judge is asked in one go."""
    edges = dependencies_of(runs, source=source, judge=judge)
    return [
        ActionGraph(
            names=run.names,
            dependency=own,
            effects=tuple(call.effect for call in run.calls),
            errors=tuple(call.is_error for call in run.calls),
        )
        for run, own in zip(runs, edges, strict=True)
    ]


def to_graphml(graphs: Iterable[tuple[str, ActionGraph]]) -> str:
    """Write graphs as one GraphML document, each under its name.

    Nodes carry ``tool``, ``effect`` and ``error``, edges ``type`` (sequential or dependency).

    Parameters
    ----------
    graphs : iterable of (str, ActionGraph)
        Name (such as the run's id) and graph.

    References
    ----------
    http://graphml.graphdrawing.org
    """
    ET.register_namespace("", GRAPHML)
    root = ET.Element(f"{{{GRAPHML}}}graphml")
    for name, where, kind in (
        ("tool", "node", "string"),
        ("effect", "node", "string"),
        ("error", "node", "boolean"),
        ("type", "edge", "string"),
    ):
        attributes = {"id": name, "for": where, "attr.name": name, "attr.type": kind}
        ET.SubElement(root, f"{{{GRAPHML}}}key", attributes)
    for number, (name, graph) in enumerate(graphs):
        _add_graph(root, f"g{number}", name, graph)
    ET.indent(root)
    # ElementTree would declare the machine's encoding, and the file is written as UTF-8
    return f"{DECLARATION}\n{ET.tostring(root, encoding='unicode')}"


def _add_graph(root: ET.Element, prefix: str, name: str, graph: ActionGraph) -> None:
    made = ET.SubElement(root, f"{{{GRAPHML}}}graph", {"id": _xml(name), "edgedefault": "directed"})
    effects = graph.effects or (None,) * len(graph.names)
    errors = graph.errors or (False,) * len(graph.names)
    for place, (tool, effect, error) in enumerate(zip(graph.names, effects, errors, strict=True)):
        node = ET.SubElement(made, f"{{{GRAPHML}}}node", {"id": f"{prefix}n{place}"})
        _add_data(node, "tool", tool)
        if effect is not None:
            _add_data(node, "effect", effect)
        _add_data(node, "error", "true" if error else "false")
    for (source, target), kind in graph.edges.items():
        ends = {"source": f"{prefix}n{source}", "target": f"{prefix}n{target}"}
        _add_data(ET.SubElement(made, f"{{{GRAPHML}}}edge", ends), "type", _NAMES[kind])


def _add_data(parent: ET.Element, key: str, text: str) -> None:
    ET.SubElement(parent, f"{{{GRAPHML}}}data", {"key": key}).text = _xml(text)


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
