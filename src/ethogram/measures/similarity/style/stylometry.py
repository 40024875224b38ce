"""Stylometric features of a run: how it words, lays out and orders what it says.

====================  =====================================================================
block                 features
====================  =====================================================================
function words        each, a word (Mosteller and Wallace 1964; Burrows 2002)
persons               first singular, first plural, second, a word
contractions          each ending (n't, 'll, ...), a word
punctuation           each mark, and emoji, a character
openings              first word of a text, a text
trigrams              characters in threes (Stamatatos 2009): in the place of function words,
                      persons and contractions where a pool is not in English
lengths               words a sentence (mean, deviation, share of short and long ones), words,
                      sentences and paragraphs a text
formatting            list items, numbered items, headings, tables, quotes and blank lines a
                      line; bold, code and links a word; code blocks a text; texts that end in a
                      question or hold a list
acts                  which act follows which (`ethogram.measures.similarity.style.acts`), a step
====================  =====================================================================

Code, in blocks or between backticks, and addresses on the web are no wording: they are taken out
before words are counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

import msgspec
import numpy as np

from ethogram.measures.similarity.style.acts import steps_of
from ethogram.measures.similarity.style.function_words import ENDINGS, FUNCTION_WORDS, PERSONS

Block = Mapping[str, float]
Spoken = Sequence[Sequence[Sequence[str]]]
"""Words of the sentences of texts."""

SHORT: Final = 8
LONG: Final = 25
"""Words of a sentence."""

_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE: Final = re.compile(r"`[^`\n]+`")
_LINK: Final = re.compile(r"\[[^\]\n]+\]\([^)\s]+\)|https?://\S+")
_URL: Final = re.compile(r"https?://\S+")
_IDEOGRAMS: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Chinese characters and kana: written without spaces, so that each counts as a word."""
_LETTERS: Final = rf"[^\W\d_{_IDEOGRAMS}]+"
_WORD: Final = re.compile(rf"[{_IDEOGRAMS}]|{_LETTERS}(?:'{_LETTERS})*")
_ENDING: Final = re.compile(r"(?<=\w)(?:n't|'(?:s|re|ve|ll|d|m))\Z")
_SENTENCE: Final = re.compile(r"(?<=[.!?…][\s\"')*])\s*|(?<=[。！？])|\n+")
_LINES: Final = {
    "list items": re.compile(r"^\s*[-*•+–]\s+\S", re.MULTILINE),
    "numbered items": re.compile(r"^\s*\d{1,2}[.)]\s+\S", re.MULTILINE),
    "headings": re.compile(r"^\s{0,3}(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)", re.MULTILINE),
    "tables": re.compile(r"^\s*\|.*\|", re.MULTILINE),
    "quotes": re.compile(r"^\s*>\s", re.MULTILINE),
    "blank lines": re.compile(r"^\s*$(?=\n)", re.MULTILINE),
}
_BOLD: Final = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")
_MARKS: Final = frozenset(".,;:!?-–—…()[]{}\"'“”/&%$#*_|+=<>¿¡。，、！？：；「」（）")
_EMOJI: Final = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
_DIGIT: Final = re.compile(r"\d")
_SPACE: Final = re.compile(r"\s+")


class Speech(msgspec.Struct, frozen=True):
    """What an agent said and did in a run.

    Attributes
    ----------
    texts : tuple of str
        Its visible texts in order.
    stretches : tuple of tuple of str
        Acts between two events of the user.
    """

    texts: tuple[str, ...]
    stretches: tuple[tuple[str, ...], ...] = ()


class Features(msgspec.Struct, frozen=True):
    """Relative frequencies of a run, by block; a block without anything to count is empty.

    ``known`` is the share of words that are function words, None without a word: some 0.4 in
    English prose, near 0 in another language.
    """

    blocks: Mapping[str, Block]
    known: float | None
    n_words: int


def sentences(text: str) -> list[str]:
    r"""Sentences of a text, each line at least one; code blocks are none.

    >>> sentences("I see. One moment!\n- first item")
    ['I see.', 'One moment!', '- first item']
    """
    parts = _SENTENCE.split(_CODE_BLOCK.sub("\n", text))
    return [part.strip() for part in parts if part.strip()]


def words_of(text: str) -> list[str]:
    """Lower-case words without code and addresses; ``don't`` is ``do`` and ``n't``.

    Where a script has no spaces, each character is a word.

    >>> words_of("I don't know `x`.")
    ['i', 'do', "n't", 'know']
    """
    plain = _URL.sub(" ", _CODE.sub(" ", _CODE_BLOCK.sub("\n", text))).lower().replace("’", "'")
    return [part for word in _WORD.findall(plain) for part in _parted(word)]


def _parted(word: str) -> tuple[str, ...]:
    found = _ENDING.search(word) if "'" in word else None
    return (word,) if found is None else (word[: found.start()], found[0])


def features(speech: Speech, *, characters: bool = False) -> Features:
    """Features of a run.

    Texts without a word (emoji alone, code alone) have layout but no wording.

    Parameters
    ----------
    speech : Speech
        What was said and done.
    characters : bool
        Count characters in threes, too: they take longest and are needed of other languages only.
    """
    texts = [text for text in speech.texts if text.strip()]
    spoken = [[words_of(part) for part in sentences(text)] for text in texts]
    every = Counter(chain.from_iterable(chain.from_iterable(spoken)))
    n_words = sum(every.values())
    blocks = {
        "function words": _shares({w: every[w] for w in FUNCTION_WORDS & every.keys()}, n_words),
        "persons": _shares(
            {who: sum(every[word] for word in forms) for who, forms in PERSONS.items()}, n_words
        ),
        "contractions": _shares({end: every[end] for end in ENDINGS}, n_words),
        "openings": _shares(Counter(_first_words(spoken)), len(texts)),
        "punctuation": _punctuation(texts),
        "trigrams": _trigrams(texts) if characters else {},
        "lengths": _lengths(spoken, texts),
        "formatting": _formatting(texts, n_words),
        "acts": _frequencies(steps_of(speech.stretches)),
    }
    known = sum(every[word] for word in FUNCTION_WORDS) / n_words if n_words else None
    return Features(blocks, known, n_words)


def _punctuation(texts: Sequence[str]) -> Block:
    plain = [_prose(text) for text in texts]
    counts: Counter[str] = Counter()
    for text in plain:
        counts.update(_EMOJI.sub("", text))
        counts["emoji"] += len(_EMOJI.findall(text))
    marks = {mark: counts[mark] for mark in (*_MARKS, "emoji") if counts[mark]}
    return _shares(marks, sum(map(len, plain)))


def _trigrams(texts: Sequence[str]) -> Block:
    counts: Counter[str] = Counter()
    for text in texts:
        padded = f" {_DIGIT.sub('0', _prose(text).lower())} "
        counts.update(padded[place : place + 3] for place in range(len(padded) - 2))
    return _shares(counts, counts.total())


def _prose(text: str) -> str:
    """A text in one line without its code blocks."""
    return _SPACE.sub(" ", _CODE_BLOCK.sub(" ", text)).strip()


def _first_words(spoken: Spoken) -> Iterator[str]:
    for text in spoken:
        yield from islice(chain.from_iterable(text), 1)


def _lengths(spoken: Spoken, texts: Sequence[str]) -> Block:
    counts = np.array([len(part) for text in spoken for part in text if part], dtype=np.float64)
    if not len(counts):
        return {}
    sizes = np.log1p([sum(map(len, text)) for text in spoken])
    paragraphs = [text.strip().count("\n\n") + 1 for text in texts]
    return {
        "words a sentence": float(np.log(counts).mean()),
        "deviation of sentences": float(np.log(counts).std()),
        "short sentences": float((counts <= SHORT).mean()),
        "long sentences": float((counts >= LONG).mean()),
        "words a text": float(sizes.mean()),
        "deviation of texts": float(sizes.std()),
        "sentences a text": float(np.log(len(counts) / len(texts))),
        "paragraphs a text": float(np.log(paragraphs).mean()),
    }


def _formatting(texts: Sequence[str], n_words: int) -> Block:
    if not texts:
        return {}
    bare = [_CODE_BLOCK.sub("\n", text) for text in texts]
    n_lines = sum(text.count("\n") + 1 for text in bare)
    per_line = {
        name: sum(len(rule.findall(text)) for text in bare) for name, rule in _LINES.items()
    }
    per_word = {
        "bold": sum(len(_BOLD.findall(text)) for text in bare),
        "code": sum(len(_CODE.findall(text)) for text in bare),
        "links": sum(len(_LINK.findall(text)) for text in bare),
    }
    listed = [_LINES["list items"], _LINES["numbered items"]]
    per_text = {
        "code blocks": sum(len(_CODE_BLOCK.findall(text)) for text in texts),
        "ends in a question": sum(text.rstrip(" \n*_)\"'").endswith(("?", "？")) for text in texts),
        "ends with an exclamation": sum(text.rstrip().endswith("!") for text in texts),
        "holds a list": sum(any(rule.search(text) for rule in listed) for text in bare),
        "one line": sum("\n" not in text.strip() for text in texts),
    }
    return {
        **_shares(per_line, n_lines),
        **_shares(per_word, max(n_words, 1)),
        **_shares(per_text, len(texts)),
    }


def _frequencies(items: Iterable[str]) -> Block:
    counts = Counter(items)
    return _shares(counts, counts.total())


def _shares(counts: Mapping[str, int], of: int) -> dict[str, float]:
    return {name: count / of for name, count in counts.items()} if of else {}


def most_frequent(blocks: Iterable[Block], most: int) -> Iterator[str]:
    """Features of a block by their mean over runs, at most so many, ties by name."""
    totals: Counter[str] = Counter()
    for block in blocks:
        totals.update(block)
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    yield from (name for name, _ in ranked[:most])
