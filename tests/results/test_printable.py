"""What strangers write into names and actions is shown, not obeyed."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.results import Column, Provenance, Result, Table
from ethogram.results.printable import printable, printable_name, printable_result
from ethogram.results.show import to_text

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202eevil\u200b \x00"


def hostile_result() -> Result:
    frame = pl.DataFrame({"system": [HOSTILE, "plain", None], "n": [1, 2, 3]})
    columns = (Column("system", "System"), Column("n", "n", "count"))
    return Result(
        kind="toy",
        tables={"toy": Table("toy", "Toy", frame, columns)},
        notes=(f"a note {HOSTILE}",),
        summary=(f"a sentence {HOSTILE}",),
        provenance=Provenance(measure="toy", measure_version=1, cohort_digest=""),
    )


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    kept = {"\n", "\t", "\xa0"}

    assert all(char.isprintable() or char in kept or ord(char) > 0xFF for char in printable(text))
    assert "\n" not in printable_name(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_left_alone(text: str) -> None:
    assert printable(text) == printable_name(text) == text


@pytest.mark.parametrize("char", ["\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\x00", "\r", "\x08"])
def test_a_shown_result_has_none_of_it(char: str) -> None:
    assert char not in to_text(hostile_result())


def test_a_result_keeps_what_was_recorded() -> None:
    result = hostile_result()
    printable_result(result)

    assert result.to_frame()["system"][0] == HOSTILE
