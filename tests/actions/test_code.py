"""What code is for: rewriting, showing, or being run."""

import re

import pytest

from ethogram.actions.code import MAX_CODE, Purpose, literal_start
from ethogram.actions.kinds import Kind, load_kinds

LANGUAGES = load_kinds().languages


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param("edit", "s = open(p).read()\nopen(p, 'w').write(s)", id="open-twice"),
        pytest.param("edit", "p = Path('a')\np.write_text(p.read_text() + 'x')", id="one-line"),
        pytest.param(
            "edit",
            "import numpy\nwith open('a.py', encoding='utf-8') as f:\n    s = f.read()\n"
            "with open('a.py', mode='w') as f:\n    f.write(s)",
            id="same-file-whatever-is-imported",
        ),
        pytest.param("edit", "with open('a.py', 'r+') as f:\n    f.write('x')", id="in-place"),
        pytest.param("edit", "for l in fileinput.input(f, inplace=True): print(l)", id="fileinput"),
        pytest.param("edit", "open('new.py', 'w').write('x')", id="creates-a-file"),
        pytest.param("edit", "open(join(a, 'b'), 'a').write('x')", id="call-as-name"),
        pytest.param(
            "verify", "import pkg\nopen('t.csv', 'w').write('1')\npkg.read('t.csv')", id="data"
        ),
        pytest.param(
            "verify",
            "import tempfile\nd = tempfile.mkdtemp()\nopen(d + '/a', 'w').write('x')",
            id="temporary",
        ),
        pytest.param(
            "verify",
            "import pkg\nopen('t', 'w').write('x')\npkg.run()\nprint(open('t').read())",
            id="written-then-read",
        ),
        pytest.param("verify", "print(1 + 1)", id="prints"),
        pytest.param("verify", "import ast\nast.parse(open('a.py').read())", id="checks-syntax"),
        pytest.param(
            "verify", "import pkg\nprint(pkg.load(open('a.json')))", id="reads-by-project"
        ),
        pytest.param("verify", "reopen(p, 'w')", id="another-function"),
        pytest.param("understand", "print(open('a.py').read())", id="shows-a-file"),
        pytest.param("understand", "import pkg\nhelp(pkg.run)", id="help"),
        pytest.param(
            "understand", "import inspect, pkg\nprint(inspect.getsource(pkg))", id="source"
        ),
        pytest.param("verify", "x.help()", id="a-method-called-help"),
        pytest.param("verify", "", id="nothing"),
    ],
)
def test_python_code_has_a_purpose(kind: Kind, code: str) -> None:
    purpose = Purpose(LANGUAGES["python"])

    assert purpose.kind_of(code) == kind
    assert purpose.edits(code) is (kind == "edit")


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "fs.writeFileSync('a', fs.readFileSync('a') + '')"),
        ("ruby", "File.write('a', File.read('a').upcase)"),
        ("php", "file_put_contents('a', file_get_contents('a') . 'x');"),
    ],
)
def test_other_languages_rewrite_files_too(language: str, code: str) -> None:
    assert Purpose(LANGUAGES[language]).kind_of(code) == "edit"


def test_only_the_beginning_of_long_code_counts() -> None:
    filling = "#" * MAX_CODE

    assert Purpose(LANGUAGES["python"]).kind_of(filling + "\nopen('a', 'w').write('')") == "verify"


@pytest.mark.parametrize(
    ("pattern", "start"),
    [
        (r"open\s*\(", "open"),
        (r"\.open\(", ".open"),
        (r"ast\.parse", "ast.parse"),
        (r"exec(?<!\.exec)\s*\(", "exec"),
        ("colou?r", "colo"),
        ("ab*", "a"),
        ("a{0,2}", ""),
        (r"a\.?b", "a"),
        ("ab+c", "ab"),
        ("ab|cd", ""),
        ("ab(?:c|d)", "ab"),
        ("ab[|]", "ab"),
        (r"ab\|c", "ab"),
        ("ab([)|(])|c", ""),
        (r"\bab", ""),
        ("[ab]", ""),
        ("(?i)ab", ""),
        ("ab(?#what)?", ""),
        ("^ab", ""),
        ("", ""),
    ],
)
def test_a_pattern_tells_what_its_matches_begin_with(pattern: str, start: str) -> None:
    assert literal_start(pattern) == start


def test_what_the_tables_patterns_match_begins_as_they_do() -> None:
    code = "open('x', 'w').write_text(exec(help(pydoc))) try: assert ast.parse(1) FILE = tempfile"
    patterns = [p for rule in load_kinds().languages.values() for p in rule.patterns]
    found = [(p, m[0]) for p in patterns for m in re.finditer(p, code)]

    assert len(found) > 5
    assert all(text.startswith(literal_start(pattern)) for pattern, text in found)
