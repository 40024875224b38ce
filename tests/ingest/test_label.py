import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ethogram.ingest import default_labeler
from ethogram.ingest.label import NO_LABELS, EventLabels
from ethogram.simulate.build import action, reply, user
from ethogram.trajectory import Event


def test_what_is_no_action_has_no_labels() -> None:
    labeler = default_labeler()

    assert labeler.label(reply("ls"), "f") == labeler.label(user("ls"), "f") == NO_LABELS


def test_a_command_has_kind_effect_and_head_with_their_origins() -> None:
    assert default_labeler().label(action("ls -la"), "f") == EventLabels(
        head="ls", kind="explore", kind_origin="table", effect="read", effect_origin="table"
    )


def test_a_refused_attempt_did_nothing_and_is_an_error() -> None:
    event = action("rm -rf x", refused=True)

    assert default_labeler().label(event, "f") == EventLabels(
        kind="other",
        kind_origin="recorded",
        effect="none",
        effect_origin="recorded",
        is_error=True,
        error_origin="recorded",
    )


def test_the_digest_is_that_of_the_tables(tmp_path: Path) -> None:
    (tmp_path / "k.toml").write_text('[commands]\nls = "verify"\n', "utf-8")
    other = default_labeler(kinds=[tmp_path / "k.toml"])

    assert default_labeler().digest == default_labeler().digest != other.digest
    assert other.label(action("ls"), "f").kind == "verify"


def test_a_labeler_travels_to_other_processes(tmp_path: Path) -> None:
    (tmp_path / "k.toml").write_text('[commands]\nls = "verify"\n', "utf-8")
    labeler = default_labeler(kinds=[tmp_path / "k.toml"])
    travelled = copy.copy(labeler)  # the protocol of pickle, which takes it to other processes

    assert travelled is not labeler
    assert travelled.digest == labeler.digest
    assert travelled.label(action("ls"), "f") == labeler.label(action("ls"), "f")


def test_threads_get_the_same_labels_as_one_alone() -> None:
    labeler = default_labeler()
    events = [action(f"grep -n x{n} f.py | sed 's/a/b/' && pytest -k {n % 50}") for n in range(400)]

    def label(event: Event) -> EventLabels:
        return labeler.label(event, "f")

    alone = [default_labeler().label(event, "f") for event in events[:50]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(label, events))

    assert together[:50] == alone
    assert len(set(together)) == 1
