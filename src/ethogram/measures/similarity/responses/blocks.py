"""Blocks: all that a run thought and said in one stage, in order, as a judge reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from ethogram.cohort import Cohort
from ethogram.measures.similarity.responses.items import REPLY, Item, Limits, run_items, task_texts
from ethogram.measures.similarity.responses.run_pairs import RunPair
from ethogram.measures.similarity.responses.stages import Taxonomy
from ethogram.measures.similarity.sample import Sample
from ethogram.results.excerpts import cut_middle
from ethogram.results.judges import Judge
from ethogram.results.questions import stages_question

WHOLE: Final = ""
"""Name of the one stage of a run that is not sorted into stages."""


class Block(msgspec.Struct, frozen=True):
    """What a run said in one stage."""

    text: str
    """As shown: cut in the middle where it is longer than the limit, which the text says."""
    n_items: int
    n_characters: int
    """Before it was cut."""

    @property
    def cut(self) -> bool:
        """Whether some of it is left out."""
        return len(self.text) != self.n_characters


@dataclass(frozen=True)
class Staged:
    """Runs of a sample, ready to be compared by a judge.

    Attributes
    ----------
    sample : Sample
        The runs.
    items : sequence of tuple of Item
        Of each run.
    labels : sequence of tuple of str or None
        Stage of each item of each run; None where the judge had no answer.
    pairs : sequence of RunPair
        Which runs are compared.
    taxonomy : Taxonomy
        The stages.
    limits : Limits
        How much a judge is shown.
    """

    sample: Sample
    items: Sequence[tuple[Item, ...]]
    labels: Sequence[tuple[str, ...] | None]
    pairs: Sequence[RunPair]
    taxonomy: Taxonomy
    limits: Limits

    def blocks(self, *, stages: bool = True) -> list[dict[str, Block]]:
        """Blocks of each run by stage, in the order of the taxonomy; without stages one a run.

        A run without words, or without labels where stages are asked for, has none.
        """
        made = []
        for items, labels in zip(self.items, self.labels, strict=True):
            sorted_in = labels if stages else (WHOLE,) * len(items)
            names = self.taxonomy.stages if stages else (WHOLE,)
            made.append(
                {} if sorted_in is None else _by_stage(items, sorted_in, names, self.limits)
            )
        return made

    def replies(self) -> list[Block | None]:
        """All replies of each run in order, without thoughts and calls; None without any."""
        found = []
        for items in self.items:
            texts = [item.text for item in items if item.kind == REPLY]
            found.append(_block(texts, self.limits) if texts else None)
        return found


def staged(
    cohort: Cohort,
    sample: Sample,
    judge: Judge,
    pairs: Sequence[RunPair],
    *,
    taxonomy: Taxonomy,
    limits: Limits | None = None,
) -> Staged:
    """Let a judge sort the items of runs into stages: one question a run that is in a pair.

    Parameters
    ----------
    cohort : Cohort
        With its texts.
    sample : Sample
        The runs.
    judge : Judge
        Who sorts; asked once a run, however many samples it gives of other questions.
    pairs : sequence of RunPair
        The runs to compare.
    taxonomy : Taxonomy
        The stages.
    limits : Limits, optional
        How much is shown.
    """
    limits = limits or Limits()
    run_ids = sample.runs["run_id"].to_list()
    wanted = {place for pair in pairs for place in (pair.first, pair.second)}
    items = [
        found if place in wanted else ()
        for place, found in enumerate(run_items(cohort, run_ids, limits=limits))
    ]
    labels: list[tuple[str, ...] | None] = [() for _ in run_ids]
    asked = [place for place, found in enumerate(items) if found]
    tasks = task_texts(cohort, run_ids)
    questions = [
        stages_question(
            [cut_middle(item.shown(), limits.item) for item in items[place]],
            taxonomy.stages,
            task=_cut(tasks[place], limits.task),
        )
        for place in asked
    ]
    for place, answer in zip(asked, judge.ask(questions), strict=True):
        labels[place] = None if answer is None else tuple(answer.value.in_order())
    return Staged(sample, items, labels, pairs, taxonomy, limits)


def _cut(text: str | None, limit: int) -> str | None:
    return None if text is None else cut_middle(text, limit)


def _by_stage(
    items: Sequence[Item],
    labels: Sequence[str],
    names: Mapping[str, str] | Sequence[str],
    limits: Limits,
) -> dict[str, Block]:
    grouped: dict[str, list[str]] = {name: [] for name in names}
    for item, label in zip(items, labels, strict=True):
        grouped[label].append(item.shown())
    return {name: _block(shown, limits) for name, shown in grouped.items() if shown}


def _block(texts: Sequence[str], limits: Limits) -> Block:
    whole = "\n\n".join(texts)
    return Block(cut_middle(whole, limits.block), len(texts), len(whole))
