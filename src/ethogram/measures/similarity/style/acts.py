"""What an agent does with each sentence and each call: acts by surface rules, and their order.

===========  ====================================================================================
act          a sentence that
===========  ====================================================================================
apologise    says sorry
close        offers further help or says goodbye
confirm      asks for a go-ahead before doing something
ask          is a question, or asks to be given something
thank        thanks
greet        begins with a greeting
refuse       says that something can't be done
acknowledge  begins with an agreement ("Great", "I see")
announce     says what the agent is about to do
say          does none of this: it reports or explains
===========  ====================================================================================

The first rule that fits decides, in this order. A call is the act ``call`` with the kind of what it
does. The rules know English words; of other languages they see questions and calls.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

CALL: Final = "call"
START: Final = "start"
END: Final = "end"
SAY: Final = "say"

_ASKED: Final = r"[?？؟]\s*\W*$"
_RULES: Final = tuple(
    (act, re.compile(pattern, re.IGNORECASE))
    for act, pattern in (
        ("apologise", r"\b(?:sorry|apologi[sz]e|apolog(?:y|ies)|regret)\b"),
        (
            "close",
            r"\banything else\b|\bfeel free\b|\bhave a (?:\w+ )?(?:day|trip|flight|one|time)\b"
            r"|\b(?:further|more) (?:help|assistance|questions)\b|\bgoodbye\b",
        ),
        (
            "confirm",
            r"\bplease confirm\b|\byes\W{0,3}(?:/|or)\W{0,3}no\b|\b(?:reply|answer|respond|say) "
            r"(?:with )?\W?yes\b|\b(?:proceed|go ahead|confirm|shall i|should i|would you like me "
            r"to|do you want me to|(?:is (?:that|this|everything)|does (?:that|this)) "
            rf"(?:\w+ )?(?:right|correct|ok|okay|work|sound)\b).*{_ASKED}",
        ),
        (
            "ask",
            rf"{_ASKED}|\b(?:please|could you|can you|kindly) (?:\w+ )?(?:provide|share|tell|give|"
            r"specify|send|enter|let me know|check|try)\b",
        ),
        ("thank", r"\bthank(?:s| you)\b"),
        ("greet", r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|welcome)\b"),
        (
            "refuse",
            r"\b(?:cannot|can not|can't|unable to|not able to|not possible|not allowed|not "
            r"eligible|isn't possible|won't be able)\b",
        ),
        (
            "acknowledge",
            r"^\W*(?:great|perfect|sure|certainly|of course|absolutely|excellent|got it|understood|"
            r"i (?:completely )?understand|i see|ok|okay|alright|no problem|right|good|yes|done)\b",
        ),
        (
            "announce",
            r"\b(?:i will|i'll|let me|let's|i'm going to|i am going to|i need to|i'd like to|allow "
            r"me|i can now)\b",
        ),
    )
)


def act_of(sentence: str) -> str:
    """What a sentence does.

    >>> [act_of(text) for text in ("Let me look.", "Shall I proceed?", "Your id?", "It is late.")]
    ['announce', 'confirm', 'ask', 'say']
    """
    plain = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return next((act for act, rule in _RULES if rule.search(plain)), SAY)


def acts_of(sentences: Iterable[str]) -> Iterator[str]:
    """Acts of a text; sentences in a row that do the same are one act."""
    for act, _ in groupby(act_of(sentence) for sentence in sentences):
        yield act


def steps_of(stretches: Iterable[Sequence[str]]) -> Iterator[str]:
    """Which act follows which, ``a > b``, with the start and the end of each stretch.

    Parameters
    ----------
    stretches : iterable of sequence of str
        Acts of the agent between two events of the user.

    Examples
    --------
    >>> list(steps_of([["ask"], ["call edit", "say"]]))
    ['start > ask', 'ask > end', 'start > call edit', 'call edit > say', 'say > end']
    """
    for acts in stretches:
        if acts:
            for first, then in pairwise([START, *acts, END]):
                yield f"{first} > {then}"
