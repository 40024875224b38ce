r"""What each measure of similarity means: label, range, formula, reading, source."""

from collections.abc import Mapping
from typing import Final

import msgspec

YANG: Final = "Yang et al. 2026"
OWN: Final = "ethogram"


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A measure of how alike two systems are, task by task; from 0 to 1."""

    name: str
    label: str
    formula: str
    """LaTeX, for two runs of one task t; what is shown is the mean over pairs of runs, then over
    tasks."""
    higher_means: str
    about: str
    group: str = "main"
    """The table it stands in: main, variants or baselines."""
    unit: str = "share"
    low: float = 0.0
    high: float = 1.0
    reference: str = YANG

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the measure, for its interval."""
        return self.low, self.high


_COSINE: Final = r"\frac{v_A \cdot v_B}{\lVert v_A \rVert \lVert v_B \rVert}"
_AGREEMENT: Final = r"\frac{1}{|F|} \sum_{f \in F} [f \in T_A \Leftrightarrow f \in T_B]"
_SEQ: Final = r"v = (r_{verify}, r_{confirm}, r_{retry})"
_DEP: Final = r"v = (r_{reuse}, d_{max}, r_{fanout})"

_FIGURES: Final = (
    Figure(
        name="ags",
        label="AGS",
        formula=r"\tfrac{1}{3} (\bar S_{node} + \bar S_{seq} + \bar S_{dep})",
        higher_means="tools are used in more similar ways",
        about="Action graph similarity: the mean of the three beside it, each over its own tasks.",
    ),
    Figure(
        name="s_node",
        label="S_node",
        formula=_AGREEMENT + r",\ F = \text{optional tools of } t",
        higher_means="the same optional tools are used and skipped",
        about="A tool is optional at a task if some but not all successful systems of the pool "
        "used it.",
    ),
    Figure(
        name="s_seq",
        label="S_seq",
        formula=f"{_COSINE},\\ {_SEQ}",
        higher_means="writes are checked, prepared and retried in more similar proportions",
        about="Two runs without writes and errors count as alike (1), a run without beside one "
        "with as unlike (0).",
    ),
    Figure(
        name="s_dep",
        label="S_dep",
        formula=f"{_COSINE},\\ {_DEP}",
        higher_means="results are passed on to later calls in more similar ways",
        about="Two runs that pass nothing on count as alike (1), one beside a run that does as "
        "unlike (0).",
    ),
    Figure(
        name="s_node_others",
        label="S_node, pair left out",
        formula=_AGREEMENT + r",\ F = \text{optional among the other systems}",
        higher_means="the same tools are used and skipped that others find optional",
        about="The pair itself does not decide which tools are optional.",
        group="variants",
        reference=OWN,
    ),
    Figure(
        name="s_node_all_tools",
        label="S_node, all tools",
        formula=_AGREEMENT + r",\ F = \text{tools of successful systems}",
        higher_means="the same tools are used and skipped, mandatory ones too",
        about="The published ablation: what everybody must use raises every score.",
        group="variants",
    ),
    Figure(
        name="s_seq_non_zero",
        label="S_seq, both non-zero",
        formula=f"{_COSINE},\\ {_SEQ} \\ne 0",
        higher_means="writes are checked, prepared and retried in more similar proportions",
        about="Over tasks where both have writes with a read beside them, or retries.",
        group="variants",
        reference=OWN,
    ),
    Figure(
        name="s_dep_non_zero",
        label="S_dep, both non-zero",
        formula=f"{_COSINE},\\ {_DEP} \\ne 0",
        higher_means="results are passed on to later calls in more similar ways",
        about="Over tasks where both pass something on.",
        group="variants",
        reference=OWN,
    ),
    Figure(
        name="s_dep_share",
        label="S_dep, chain as share",
        formula=f"{_COSINE},\\ v = (r_{{reuse}}, d_{{max}} / (|V| - 1), r_{{fanout}})",
        higher_means="results are passed on to later calls in more similar ways",
        about="In calls the longest chain outweighs both rates; as a share of the longest possible "
        "it is one of three.",
        group="variants",
        reference=OWN,
    ),
    Figure(
        name="ged",
        label="GED similarity",
        formula=r"1 - \frac{d_{GED}}{|V_1| + |V_2| + |E_1| + |E_2|}",
        higher_means="fewer edits turn one graph into the other",
        about="Exact graph edit distance of the action graphs, unit costs.",
        group="baselines",
    ),
    Figure(
        name="edit_similarity",
        label="Edit similarity of tools",
        formula=r"1 - \frac{d_{Levenshtein}}{\max(n_A, n_B)}",
        higher_means="fewer edits turn one sequence of tools into the other",
        about="Sequences of tools without their arguments.",
        group="baselines",
        reference=OWN,
    ),
    Figure(
        name="tool_bigrams",
        label="Tool bigrams",
        formula=r"1 - \mathrm{JSD}_2(p_A, p_B)",
        higher_means="neighbouring tools are distributed more alike",
        about="One minus the Jensen-Shannon divergence (base 2) of pairs of neighbouring tools.",
        group="baselines",
        reference=OWN,
    ),
    Figure(
        name="procedures",
        label="Procedures",
        formula=r"1 - \mathrm{JSD}_2(q_A, q_B)",
        higher_means="recurring pieces of work are distributed more alike",
        about="One minus the Jensen-Shannon divergence of byte-pair procedures learnt once over "
        "the pool's tool sequences.",
        group="baselines",
        reference="ProcGrep, arXiv 2606.16988",
    ),
    Figure(
        name="bigram_overlap",
        label="Word bigrams",
        formula=r"\frac{|B_A \cap B_B|}{|B_A \cup B_B|}",
        higher_means="more pairs of neighbouring words are shared",
        about="Jaccard overlap of lower-case word bigrams of what the agent says.",
        group="baselines",
    ),
    Figure(
        name="bertscore",
        label="BERTScore",
        formula=r"F_1 = \frac{2 P R}{P + R}",
        higher_means="the words said are closer in an embedding",
        about="Greedy matching of token embeddings of what the agent says (Zhang et al. 2020).",
        group="baselines",
    ),
)

CATALOGUE: Final[Mapping[str, Figure]] = {figure.name: figure for figure in _FIGURES}
AGS_PARTS: Final = ("s_node", "s_seq", "s_dep")
