"""Identifiers stay what they are: cohorts that were written before must meet those written now."""

from ethogram.cohort.ids import digest_of, id_of, text_ref


def test_identifiers_are_those_of_earlier_cohorts() -> None:
    assert id_of("a", 1, None) == "bltwjp75hil3"
    assert id_of("mini-swe-agent", "m", "b", "t", ["x", 0], None) == "z3fyqnvhx64m"
    assert digest_of({"b": 1, "a": [None]}) == "1bf05c0d625a0ef0"
    assert text_ref("Größe \ud800") == "28395062b9cea55f7fcdcd07"


def test_a_text_is_addressed_by_the_published_function() -> None:
    # BLAKE3 of "abc": 6437b3ac 38465133 ffb63b75 ...
    assert text_ref("abc") == "6437b3ac38465133ffb63b75"


def test_nothing_differs_from_an_empty_text() -> None:
    assert id_of(None) != id_of("")
