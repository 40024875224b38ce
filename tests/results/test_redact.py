"""Secrets go, everything else stays."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ethogram.errors import UnknownNameError, UsageError
from ethogram.results.redact import SECRETS, Redactor, Secret, redact

# Joined from parts, so that no scanner takes this file for a leak.
EXAMPLES = {
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n-----END RSA " + "PRIVATE KEY-----",
    "anthropic_key": "sk-" + "ant-api03-" + "a1B2" * 8,
    "openrouter_key": "sk-" + "or-v1-" + "0f" * 24,
    "openai_key": "sk-" + "proj-" + "Ab3" * 12,
    "google_key": "AI" + "za" + "x" * 35,
    "google_oauth": "ya" + "29." + "a0Af" * 8,
    "huggingface_token": "h" + "f_" + "Zz9" * 11,
    "groq_key": "gs" + "k_" + "A1" * 25,
    "xai_key": "xa" + "i-" + "A1" * 40,
    "perplexity_key": "ppl" + "x-" + "0a" * 24,
    "replicate_token": "r" + "8_" + "A1b" * 12,
    "github_token": "gh" + "p_" + "A1b2" * 9,
    "github_fine_grained": "github" + "_pat_" + "A1_b" * 9,
    "gitlab_token": "glp" + "at-" + "A1b2" * 5,
    "slack_token": "xo" + "xb-" + "123456-abcdef",
    "slack_webhook": "https://hooks.slack" + ".com/services/T00000000/B00000000/XXXXXXXXXXXX",
    "stripe_key": "sk" + "_live_" + "4e" * 12,
    "sendgrid_key": "S" + "G." + "a1" * 11 + "." + "b2" * 21,
    "npm_token": "np" + "m_" + "A1b2" * 9,
    "pypi_token": "py" + "pi-" + "A1b2" * 13,
    "aws_key_id": "AK" + "IA" + "ABCDEFGH12345678",
    "aws_secret_key": 'aws_secret_access_key = "' + "wJalrXUt/" * 4 + 'abcd"',
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "bearer_token": "curl -H 'Authorization: Bearer " + "abcdef0123456789" + "'",
    "basic_auth": "Authorization: Basic " + "dXNlcjpwYXNz",
    "url_password": "git clone https://user:" + "hunter2" + "@example.org/x.git",
    "assigned_secret": "export MY_SERVICE_API_KEY=" + "0123456789",
    "email": "write to someone@example.org today",
}
HARMLESS = [
    "cd /testbed && python -m pytest astropy/io/ascii/tests/test_rst.py -q",
    "grep -rn 'def token' src | head -20",
    "sed -n '1,40p' django/contrib/auth/tokens.py",
    "the risk-free-task-number-1234567890-is-not-a-key",
    "pip install sk-learn-contrib-wordy-name-of-a-package",
    "https://github.com/astropy/astropy/pull/14309#issue@somewhere",
    "token = tokenizer.next_token(password=request.POST)",
    "https://user:$TOKEN@example.org and https://user:${PASSWORD}@example.org",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "ssh://git@example.org:22/x.git",
    "Basic authentication and bearer of bad news",
]


def test_every_listed_pattern_has_an_example() -> None:
    assert {secret.name for secret in SECRETS} == set(EXAMPLES)


@pytest.mark.parametrize(("name", "text"), EXAMPLES.items(), ids=EXAMPLES)
def test_each_secret_is_found_under_its_name(name: str, text: str) -> None:
    everything = Redactor(tuple(Secret(name=s.name, pattern=s.pattern) for s in SECRETS))

    assert f"[redacted: {name}]" in everything.redact(f"before {text} after")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_only_the_secret_itself_is_taken_out() -> None:
    assert redact("curl https://me:pw12@host/ -o x") == (
        "curl https://me:[redacted: url_password]@host/ -o x"
    )


def test_a_private_key_without_its_end_goes_to_the_end_of_the_text() -> None:
    assert redact("x -----BEGIN PRIVATE" + " KEY-----\nMIIEvQ\nabc") == "x [redacted: private_key]"


def test_email_addresses_stay_by_default() -> None:
    assert redact(EXAMPLES["email"]) == EXAMPLES["email"]


@given(st.lists(st.sampled_from([*EXAMPLES.values(), *HARMLESS, "\n", '"', "x=", " "])))
def test_a_second_pass_changes_nothing(parts: list[str]) -> None:
    once = redact(" ".join(parts))

    assert redact(once) == once


@given(st.text())
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(redact(text), str)


def test_a_user_adds_and_switches_patterns(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(
        "on = ['email']\noff = ['url_password']\n"
        "[[secret]]\nname = 'ticket'\npattern = 'no (?P<secret>T-[0-9]+)'\n",
        encoding="utf-8",
    )
    redactor = Redactor.from_toml(file)

    assert redactor.redact("a@b.org, ticket no T-12, http://u:pw@h") == (
        "[redacted: email], ticket no [redacted: ticket], http://u:pw@h"
    )


def test_digest_tells_sets_of_patterns_apart(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text("off = ['jwt']", encoding="utf-8")

    assert Redactor().digest == Redactor().digest
    assert Redactor.from_toml(file).digest != Redactor().digest
    assert len(Redactor().digest) == 16


@pytest.mark.parametrize(
    ("form", "message"),
    [
        pytest.param("off = ['no_such']", "no redaction pattern is called 'no_such'", id="unknown"),
        pytest.param("secrets = 1", "not a list of redaction patterns", id="shape"),
        pytest.param("on = [", "not a list of redaction patterns", id="toml"),
        pytest.param("[[secret]]\nname='x'\npattern='('", "not a regular expression", id="regex"),
        pytest.param("[[secret]]\nname='x'\npattern='a*'", "matches the empty text", id="empty"),
    ],
)
def test_a_wrong_file_is_refused_with_a_sentence(tmp_path: Path, form: str, message: str) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text(form, encoding="utf-8")

    with pytest.raises(UsageError, match=message):
        Redactor.from_toml(file)


def test_an_unknown_switch_lists_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text("on = ['emial']", encoding="utf-8")

    with pytest.raises(UnknownNameError, match=r"known: .*email"):
        Redactor.from_toml(file)
