"""A command's block is found as the scaffold's own pattern finds it."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ethogram.formats.mini_swe_agent_fences import FENCES, Block, Fence

PIECES = st.sampled_from(
    [
        *("```bash", "```", "\n", " ", "ls", "`", "\n```", "bash", "\t\n"),
        *("```mswea_bash_command", "<mswea_bash_command>", "</mswea_bash_command>"),
    ]
)


@pytest.mark.parametrize("fence", FENCES.values(), ids=list(FENCES))
@given(text=st.lists(PIECES, max_size=14).map("".join))
@example(text="```bash\n\n```")
@example(text="```bash\n \n\n``` ```bash\nls")
@example(text="```bash\n\n```\nls\n```")
@example(text="```bash\n```")
@example(text="```bash\n```\nls\n```")
@example(text="```bash \n\nls\n\n```bash\nx\n```")
def test_commands_are_found_as_the_scaffolds_pattern_finds_them(fence: Fence, text: str) -> None:
    expected = [
        Block(*match.span(), match[1].strip())
        for match in re.finditer(fence.pattern, text, re.DOTALL)
    ]

    assert fence.blocks(text) == expected
