"""A command's block is found as the scaffold's own pattern finds it."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from ethogram.formats.mini_swe_agent_shapes import FENCES

PIECES = st.sampled_from(["```bash", "```", "\n", " ", "ls", "`", "\n```", "bash", "\t\n"])


@given(st.lists(PIECES, max_size=14).map("".join))
@example("```bash\n\n```")
@example("```bash\n```\nls\n```")
@example("```bash \n\nls\n\n```bash\nx\n```")
def test_a_line_at_a_time_is_a_character_at_a_time(text: str) -> None:
    slow = re.compile(r"```bash\s*\n(.*?)\n```", re.DOTALL)

    assert [m.span(1) for m in FENCES["bash"].finditer(text)] == [
        m.span(1) for m in slow.finditer(text)
    ]
