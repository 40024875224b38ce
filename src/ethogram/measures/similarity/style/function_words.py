"""Words that every English text needs whatever it is about, and what they are glued with."""

from typing import Final

_LISTED: Final = """
a an the this that these those each every either neither both all any some no none few many much
more most other another such what which who whom whose whatever whichever whoever
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves one ones
something anything nothing everything someone anyone everyone nobody
am is are was were be been being have has had having do does did doing done
can could may might must shall should will would ought need
not never nor neither only just also too very quite rather even still already yet almost always
often ever again once then there here now soon perhaps maybe however therefore thus hence
instead otherwise moreover furthermore indeed actually simply really currently
and or but so if because since unless until while whereas although though when where why how
whether than as like
of in on at by for with about against between into through during before after above below to
from up down out off over under within without per via upon across along around among behind
beside besides beyond despite except inside near onto outside past regarding toward towards
please yes okay
"""
FUNCTION_WORDS: Final = frozenset(_LISTED.split())
"""Closed classes of English words (after Mosteller and Wallace 1964), and words of courtesy."""

ENDINGS: Final = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")
"""What contractions are made with."""

PERSONS: Final = {
    "first singular": frozenset({"i", "me", "my", "mine", "myself"}),
    "first plural": frozenset({"we", "us", "our", "ours", "ourselves"}),
    "second": frozenset({"you", "your", "yours", "yourself", "yourselves"}),
}
