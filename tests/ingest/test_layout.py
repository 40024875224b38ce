from pathlib import Path
from typing import Any

import pytest
from archive_files import pack
from toy_formats import line, write

from ethogram.cohort import Cohort
from ethogram.errors import UsageError
from ethogram.ingest import Reading, run_reading
from ethogram.ingest.layout import Layout, apply_captures, parse_trial
from ethogram.simulate.build import run

RUNS = "{system}/{task_id}/run{trial}.traj.json"


@pytest.mark.parametrize(
    ("template", "path", "expected"),
    [
        (RUNS, "gpt/t-1/run3.traj.json", {"system": "gpt", "task_id": "t-1", "trial": "3"}),
        (RUNS, "deep/er/gpt/t-1/run3.traj.json", {"system": "gpt", "task_id": "t-1", "trial": "3"}),
        (RUNS, "x.tar::gpt/t-1/run3.traj.json", {"system": "gpt", "task_id": "t-1", "trial": "3"}),
        (RUNS, "gpt/t/run3.traj.json.gz", {"system": "gpt", "task_id": "t", "trial": "3"}),
        (RUNS, "t-1/run3.traj.json", None),
        (RUNS, "gpt/t-1/run.traj.json", None),
        (RUNS, "gpt/t-1/run3.traj.jsonl", None),
        ("{a}-{b}.json", "x-y-z.json", {"a": "x", "b": "y-z"}),
        ("{a}.json.gz", "x.json.gz", {"a": "x"}),
        ("{Condition}.json", "hot.json", {"Condition": "hot"}),
        ("{a}/{a}.json", "t/t.json", {"a": "t"}),
        ("{a}/{a}.json", "t/u.json", None),
        ("{a}.x.json", "tax.json", None),
        ("{a}*.json", "abc.json", {"a": "a"}),
        ("r/{a}/**/f", "r/s/t/u/f", {"a": "s"}),
        ("{a}?.json", "ab.json", {"a": "a"}),
        ("{a}.json", "ü ñ.json", {"a": "ü ñ"}),
        ("{a}.json", "a\nb.json", {"a": "a\nb"}),
    ],
)
def test_a_template_captures_whole_components_at_the_end_of_a_path(
    template: str, path: str, expected: dict[str, str] | None
) -> None:
    assert Layout(template).captures(path) == expected


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("run.json", "names no {field}; fields of a run: system, model"),
        ("{a", "a '{' without its partner"),
        ("a}", "a '}' without its partner"),
        ("{{a}}", "without its partner"),
        ("{}", "{} is not a name"),
        ("{a b}", "{a b} is not a name"),
        ("{1}", "{1} is not a name"),
    ],
)
def test_a_template_that_cannot_be_taken_is_refused(template: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Layout(template)

    assert said in str(caught.value)


def test_characters_of_regular_expressions_stand_for_themselves() -> None:
    assert Layout("a.(b)+[c]$/{x}").captures("a.(b)+[c]$/d")
    assert not Layout("a.b/{x}").captures("aXb/d")


@pytest.mark.parametrize(("text", "trial"), [("0", 0), ("007", 7), (str(2**31 - 1), 2**31 - 1)])
def test_a_trial_is_a_number(text: str, trial: int) -> None:
    assert parse_trial(text, place="p") == trial


@pytest.mark.parametrize("text", ["", "a", "-1", "1.5", str(2**31), "9" * 5_000])
def test_a_trial_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"{trial} must be a number"):
        parse_trial(text, place="p")


@pytest.mark.parametrize(
    ("text", "said"),
    [("run3", "write 'run{trial}'"), ("try_3b", "write 'try_{trial}b'"), ("1.5", "got '1.5'")],
)
def test_words_around_a_trial_are_said_to_stand_outside_the_braces(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_trial(text, place="p")

    assert str(refused.value).endswith(said)


def test_what_the_path_says_wins_and_what_it_does_not_say_stays() -> None:
    made = run(["ls"], task="t1", settings={"x": 1})
    fields = {"task_id": "t2", "model": "m", "trial": "4", "native_id": "n", "condition": "hot"}
    filled = apply_captures(made, fields, "p")

    assert (filled.task.task_id, filled.task.benchmark) == ("t2", "bench")
    assert (filled.system.model, filled.system.settings) == ("m", {"x": 1, "condition": "hot"})
    assert (filled.trial, filled.native_id) == (4, "n")
    assert filled.events == made.events


def cohort(*paths: Path | str, **options: Any) -> Cohort:
    return run_reading(Reading(paths=paths, **options)).cohort


@pytest.mark.usefixtures("toys")
class TestReading:
    def test_a_field_that_no_run_has_tells_systems_apart(self, tmp_path: Path) -> None:
        for condition in ("hot", "cold"):
            write(tmp_path / condition / "a.jsonl", {"name": None, "model": "m"})
        made = cohort(tmp_path, layout="{condition}/a.jsonl")

        assert made.systems["system"].to_list() == ["m (condition=cold)", "m (condition=hot)"]

    def test_files_that_a_shell_spelled_out_fit_by_the_path_as_given(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        paths = [write(tmp_path / "gpt" / "t1" / f"run{n}.jsonl", {}) for n in range(2)]
        monkeypatch.chdir(tmp_path)
        layout = "{system}/{task_id}/run{trial}.jsonl"
        given = [path.relative_to(tmp_path) for path in paths]

        assert cohort(*given, layout=layout).runs["trial"].sort().to_list() == [0, 1]
        assert cohort("gpt/*/run?.jsonl", layout=layout).systems["system"].to_list() == ["gpt"]
        assert cohort("gpt", layout="{task_id}/run{trial}.jsonl").runs.height == 2

    def test_members_of_archives_fit_by_the_path_within_or_with_the_archive(
        self, tmp_path: Path
    ) -> None:
        pack(tmp_path / "gpt.tar", {"t1/run0.jsonl": line(name=None).encode()})

        assert cohort(tmp_path, layout="{task_id}/run{trial}.jsonl").runs.height == 1
        assert cohort(tmp_path, layout="{system}.tar/{task_id}/run{trial}.jsonl").systems[
            "system"
        ].to_list() == ["gpt"]

    def test_a_file_off_the_layout_is_read_and_that_is_said(self, tmp_path: Path) -> None:
        write(tmp_path / "t1" / "run0.jsonl", {})
        write(tmp_path / "other.jsonl", {"task": "t2"})
        made = cohort(tmp_path, layout="{task_id}/run{trial}.jsonl")

        assert made.runs["task_id"].sort().to_list() == ["t1", "t2"]
        assert made.problems.select("severity", "source").rows() == [
            ("warning", f"{tmp_path}/other.jsonl#line 1")
        ]

    def test_a_trial_that_is_no_number_is_a_problem_of_that_run(self, tmp_path: Path) -> None:
        write(tmp_path / "t1" / "run0.jsonl", {})
        write(tmp_path / "t1" / "runX.jsonl", {})
        made = cohort(tmp_path, layout="{task_id}/run{trial}.jsonl")

        assert made.runs.height == 1
        assert "{trial} must be a number" in made.problems["reason"][0]
