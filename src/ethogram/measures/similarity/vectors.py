"""What a graph says of habits, as three numbers each (appendices B.3 and B.4 of Yang et al. 2026).

A rate over zero is 0: a run that writes nothing neither verifies nor confirms.
"""

from typing import Final

from ethogram.measures.similarity.graph import ActionGraph

SEQUENCE_FEATURES: Final = ("post_write_verification", "pre_write_confirmation", "error_retry")
DEPENDENCY_FEATURES: Final = ("output_reuse", "longest_chain", "output_fan_out")
WRITE: Final = "write"
READ: Final = "read"

Vector = tuple[float, float, float]


def sequence_vector(graph: ActionGraph) -> Vector:
    """Verification, confirmation and retry rates of a run.

    With ``n_w`` writes and ``n_err`` failed calls: writes whose very next call is a read, over
    ``n_w``; writes whose call just before is a read, over ``n_w``; failed calls whose very next
    call is of the same tool, whatever its arguments, over ``n_err``. Neighbours are neighbours in
    the order of calls (not along E_s), whatever text lies between; a tool that neither reads nor
    writes is a neighbour all the same, and failed writes count as writes.

    Returns
    -------
    tuple of three floats
        Each from 0 to 1.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, appendix B.3.

    Examples
    --------
    >>> effects = ("read", "write", "write", "read")
    >>> errors = (False, True, False, False)
    >>> sequence_vector(ActionGraph(("look", "book", "book", "look"), frozenset(), effects, errors))
    (0.5, 0.5, 1.0)
    """
    n, effects = len(graph.names), graph.effects
    writes = [place for place, effect in enumerate(effects) if effect == WRITE]
    verified = sum(place + 1 < n and effects[place + 1] == READ for place in writes)
    confirmed = sum(place > 0 and effects[place - 1] == READ for place in writes)
    failed = [place for place, failed in enumerate(graph.errors) if failed]
    retried = sum(
        place + 1 < n and graph.names[place + 1] == graph.names[place] for place in failed
    )
    return (
        _rate(verified, len(writes)),
        _rate(confirmed, len(writes)),
        _rate(retried, len(failed)),
    )


def dependency_vector(graph: ActionGraph) -> Vector:
    """Reuse rate, longest chain and fan-out rate of a run.

    ``r_reuse``: calls that something was passed on to, over all calls but the first; ``d_max``:
    edges of the longest path along dependencies; ``r_fanout``: calls whose results went to two or
    more later calls, over those whose results went to any.

    Returns
    -------
    tuple of three floats
        The rates from 0 to 1, the chain in edges.

    References
    ----------
    Yang et al. (2026), When Agents Look the Same, appendix B.4.

    Examples
    --------
    >>> dependency_vector(ActionGraph(("a", "b", "c", "d"), frozenset({(0, 1), (1, 2), (1, 3)})))
    (1.0, 2.0, 0.5)
    """
    sources: dict[int, int] = {}
    depth: dict[int, int] = {}
    for source, target in sorted(graph.dependency, key=lambda edge: edge[1]):
        sources[source] = sources.get(source, 0) + 1
        depth[target] = max(depth.get(target, 0), depth.get(source, 0) + 1)
    return (
        _rate(len(depth), len(graph.names) - 1),
        float(max(depth.values(), default=0)),
        _rate(sum(count > 1 for count in sources.values()), len(sources)),
    )


def chain_as_share(vector: Vector, n_calls: int) -> Vector:
    """The dependency vector with its chain as a share of the longest that so many calls allow.

    In edges the chain outweighs both rates as soon as it is longer than one or two, so that the
    cosine asks little more than whether there is a dependency at all.
    """
    reuse, chain, fan_out = vector
    return reuse, _rate(chain, n_calls - 1), fan_out


def _rate(count: float, of: int) -> float:
    return count / of if of > 0 else 0.0
