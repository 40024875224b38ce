"""A dry run goes as far as the real thing, and costs nothing."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judging.asking import MODEL
from judging.server import Reply, Scripted, serving

from ethogram.judging import JudgeSettings, open_judges, rehearsals
from ethogram.judging.rehearsal import STAND_INS
from ethogram.results.answers import BlockScores
from ethogram.results.judges import Judge
from ethogram.results.questions import (
    goal_question,
    same_goals_question,
    similarity_question,
    stages_question,
)

STAGES = {"look": "reading", "act": "changing", "tell": "reporting"}
RUNS = (("I look.", "I act.", "Done."), ("Looking.", "Acting.", "Finished."))


def two_steps(judge: Judge, runs: Sequence[Sequence[str]] = RUNS) -> int:
    """A measure whose later questions hang on earlier answers; how many of these it asked."""
    found = judge.ask([stages_question(run, STAGES) for run in runs])
    stages = [set(each.value.in_order()) if each else set() for each in found]
    shared = sorted(set.intersection(*stages))
    judge.ask([similarity_question(runs[0][0], runs[1][0], stage=stage) for stage in shared])
    return len(shared)


def settings(server: Scripted, tmp_path: Path) -> JudgeSettings:
    return JudgeSettings(model=MODEL, url=server.url, cache=tmp_path / "judge.sqlite")


def judged(request: dict[str, Any], _: int) -> Reply:
    if request["response_format"]["json_schema"]["name"] == "stages":
        labels = [{"item": place + 1, "stage": stage} for place, stage in enumerate(STAGES)]
        return Reply(json.dumps({"items": labels}))
    return Reply('{"reason": "", "style": 4, "structure": 4, "alignment": 4, "overall": 4}')


def test_a_rehearsal_comes_to_the_later_questions(tmp_path: Path) -> None:
    with serving(judged) as server:
        judges = open_judges(settings(server, tmp_path))
        (rehearsal,) = rehearsals(judges)

        assert two_steps(rehearsal) == 3
        assert server.requests == []
        assert two_steps(judges[0]) == 3
        assert rehearsal.plan.calls == len(server.requests) == 2 + 3
        (after,) = rehearsals(judges)
        two_steps(after)
    assert (after.plan.calls, after.plan.kept) == (0, 5)
    assert "nothing to ask, 5 answers are in the cache" in after.plan.sentences()[0]


def test_a_rehearsal_answers_from_the_cache_where_it_can(tmp_path: Path) -> None:
    with serving(judged) as server:
        judges = open_judges(settings(server, tmp_path))
        question = similarity_question("a", "b")
        real = judges[0].ask([question])
        (rehearsal,) = rehearsals(judges)

        assert rehearsal.ask([question]) == real
    stand_in = STAND_INS[BlockScores](question)
    assert rehearsal.ask([similarity_question("a", "c")])[0] != real[0]
    assert stand_in == BlockScores("stand-in", 3, 3, 3, 3)


def test_goals_of_different_submissions_differ_so_that_their_groupings_are_counted(
    tmp_path: Path,
) -> None:
    with serving(judged) as server:
        (rehearsal,) = rehearsals(open_judges(settings(server, tmp_path)))
        for some in (["a", "b"], ["c", "d"], ["d", "c"]):
            found = rehearsal.ask([goal_question(each, task="t") for each in some])
            goals = [answer.value.goal for answer in found if answer]
            rehearsal.ask([same_goals_question(goals, task="t")])

    assert rehearsal.plan.calls == 4 + 3


def test_the_same_question_is_counted_once(tmp_path: Path) -> None:
    with serving(judged) as server:
        (rehearsal,) = rehearsals(open_judges(settings(server, tmp_path)))
        for _ in range(3):
            rehearsal.ask([similarity_question("a", "b"), similarity_question("a", "b")])

    assert rehearsal.plan.calls == 1
