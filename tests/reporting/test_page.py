"""The page: loads nothing, runs nothing of a stranger's, and reads well without a script."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from toy_cohorts import EVIL, SECRET, empty, evil, nameless, one_run, small
from toy_results import result_of, systems_table

from ethogram.cohort import Cohort
from ethogram.ingest import default_labeler, from_trajectories
from ethogram.reporting import ReportContent, Section, report
from ethogram.reporting.build import MAX_ACTIONS, Part, build
from ethogram.reporting.render import render
from ethogram.results.redact import Redactor, Secret
from ethogram.results.schema import result_schema
from ethogram.simulate.build import repeats


class Page(HTMLParser):
    """Elements, attributes and the texts of styles, scripts and everything else."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in {"style", "script"}:
            self._open.append(tag if not dict(attrs).get("type") else "json")
            self.texts.setdefault(self._open[-1], []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"style", "script"} and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        key = self._open[-1] if self._open else "text"
        if key == "text":
            self.texts.setdefault(key, []).append(data)
        else:
            self.texts[key][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts["text"]).split())


def page_of(cohort: Cohort) -> tuple[str, Page]:
    html = render(build(cohort))
    return html, Page(html)


@pytest.fixture(scope="module")
def small_page() -> tuple[str, Page]:
    return page_of(small())


@pytest.fixture(scope="module")
def evil_page() -> tuple[str, Page]:
    return page_of(evil())


def test_the_page_loads_nothing(small_page: tuple[str, Page]) -> None:
    html, page = small_page
    loading = {"src", "href", "srcset", "data", "action", "poster", "background", "ping"}
    targets = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in loading
    ]

    assert all(str(target).startswith("#") for target in targets)
    assert not re.search(r"@import|url\((?!#)", html)
    assert not {"link", "iframe", "object", "embed", "img", "base", "form"} & {
        tag for tag, _ in page.elements
    }
    assert "//" not in re.sub(r"^\s*//.*$", "", page.texts["script"][0], flags=re.MULTILINE)


def test_links_within_the_page_lead_somewhere(small_page: tuple[str, Page]) -> None:
    _, page = small_page
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]

    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for a in page.all("a")} <= set(ids)


@pytest.mark.parametrize("name", ["small_page", "evil_page"])
def test_the_policy_allows_this_style_and_this_script_only(
    name: str, request: pytest.FixtureRequest
) -> None:
    _, page = request.getfixturevalue(name)
    policy = next(
        str(meta["content"])
        for meta in page.all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    digests = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (*page.texts["style"], *page.texts["script"])
    ]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert len(digests) == 2
    assert all(digest in policy for digest in digests)
    assert page.elements.index(("meta", page.all("meta")[1])) < [
        tag for tag, _ in page.elements
    ].index("style")


def test_no_element_carries_style_or_a_handler(evil_page: tuple[str, Page]) -> None:
    _, page = evil_page
    attributes = {name for _, found in page.elements for name in found}

    assert "style" not in attributes
    assert not {name for name in attributes if name.startswith("on")}


def test_names_and_actions_of_strangers_are_shown_as_text(evil_page: tuple[str, Page]) -> None:
    html, page = evil_page

    assert EVIL not in html
    assert EVIL in page.text
    assert [tag for tag, _ in page.elements].count("script") == 2 + html.count(
        'type="application/json"'
    ) - 1
    assert not page.all("img")


def test_secrets_are_taken_out(evil_page: tuple[str, Page]) -> None:
    html, _ = evil_page

    assert SECRET not in html
    assert "[redacted: openai_key]" in html


def test_another_redactor_can_be_given() -> None:
    redactor = Redactor((Secret(name="word", pattern="ls"),))
    content = build(one_run(), redactor=redactor, parts=[])

    assert content.sections[0].result is not None
    assert content.sections[0].result.to_frame("actions")["text"][0] == "[redacted: word]"


def test_each_result_can_be_downloaded_and_fits_the_schema(small_page: tuple[str, Page]) -> None:
    _, page = small_page
    forms = [json.loads(text) for text in page.texts["json"]]
    buttons = {button["data-json"] for button in page.all("button") if "data-json" in button}

    assert {form["kind"] for form in forms} >= {"variance", "traces", "read"}
    assert buttons == {s["id"] for s in page.all("script") if "id" in s}
    for form in forms:
        jsonschema.validate(form, result_schema())


def test_every_figure_has_a_caption_with_numbers(small_page: tuple[str, Page]) -> None:
    html, page = small_page
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", html, flags=re.DOTALL)

    assert len(captions) == len(page.all("figure")) > 8
    for number, text in enumerate(captions, start=1):
        label, _, words = text.partition("</b>")
        assert label == f"<b>Figure {number}."
        assert re.search(r"\d", words)


def test_without_a_script_every_task_of_the_ribbons_is_there(small_page: tuple[str, Page]) -> None:
    _, page = small_page
    tasks = [a for tag, a in page.elements if "task" in str(a.get("class", "")).split()]
    cells = [a for tag, a in page.elements if tag == "i" and "k-" in str(a.get("class"))]

    assert len(tasks) == 4
    assert all("hidden" not in task for task in tasks)
    assert len(cells) >= 180
    assert all("hidden" in p for p in page.all("p") if p.get("class") in {"choose", "download"})


def test_ribbons_can_be_read_aloud_and_reached_by_keyboard(small_page: tuple[str, Page]) -> None:
    _, page = small_page
    rows = [a for a in page.all("span") if a.get("class") == "cells"]

    assert len(rows) == 36
    assert all(row["tabindex"] == "0" for row in rows)
    assert all(re.match(r"Run \d+, \d+ actions, ", str(row["aria-label"])) for row in rows)


def test_the_summary_comes_first_and_in_words(small_page: tuple[str, Page]) -> None:
    _, page = small_page
    sections = [section["id"] for section in page.all("section")]

    assert sections == [
        "summary",
        "ribbons",
        "variance",
        "consistency",
        "similarity",
        "graphs",
        "data",
    ]
    assert "36 runs · 4 tasks · 3 systems" in page.text
    assert "ethogram variance" not in page.text


def test_an_empty_cohort_has_a_page_that_says_so() -> None:
    _, page = page_of(empty())

    assert "No run was read." in page.text
    assert "0 runs · 0 tasks · 0 systems" in page.text


def test_one_run_has_a_page() -> None:
    _, page = page_of(one_run())

    assert "1 run · 1 task · 1 system" in page.text
    assert [a for a in page.all("span") if a.get("class") == "cells"]


def test_runs_without_names_have_a_page() -> None:
    _, page = page_of(nameless())

    assert "2 runs" in page.text
    assert len([a for a in page.all("span") if a.get("class") == "cells"]) == 2


def test_a_measure_that_cannot_be_computed_costs_its_section_only() -> None:
    part = Part("odd", "An odd one", "", "toy_cohorts:needs_a_package")
    page = Page(render(build(one_run(), parts=[part])))

    assert "Not computed: pip install this" in page.text
    assert "What the runs did" in page.text


def test_further_results_get_a_section() -> None:
    extra = replace(result_of(systems_table(), summary=["It holds."]), kind="demo")
    content = build(one_run(), also=[extra])
    html = render(content)

    assert content.sections[-2].result is not None
    assert 'id="also-demo"' in html
    assert "It holds." in html


def test_the_same_cohort_gives_the_same_page() -> None:
    assert render(build(one_run())) == render(build(one_run()))


def test_ribbons_are_bounded_and_say_what_they_leave_out() -> None:
    runs = [
        run
        for number in range(20)
        for run in repeats([["ls"] * 400] * 2, task=f"t{number:02d}", system="a")
    ]
    content = build(from_trajectories(runs, labeler=default_labeler()), parts=[])
    ribbons = next(s for s in content.sections if s.name == "ribbons").result

    assert ribbons is not None
    assert ribbons.to_frame("actions").height <= MAX_ACTIONS
    assert ribbons.to_frame("groups").height == 15
    assert any("5 more are not shown" in note for note in ribbons.notes)


def test_long_runs_get_narrow_cells() -> None:
    cohort = from_trajectories(repeats([["ls"] * 300, ["ls"]]), labeler=default_labeler())
    html = render(build(cohort, parts=[]))

    assert 'class="task w4"' in html
    assert ".w4{--cell:4px}" in html


def test_a_section_without_ribbons_or_figures_is_rendered() -> None:
    content = ReportContent("T", ("b",), (), [Section("s", "S", "about", result_of())])

    assert "There is nothing to say" in render(content)


def test_the_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = report(one_run(), tmp_path / "new" / "page.html", title="Mine")

    assert path == tmp_path / "new" / "page.html"
    assert "<h1>Mine</h1>" in path.read_text(encoding="utf-8")
    assert list(path.parent.iterdir()) == [path]
