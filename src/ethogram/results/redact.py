r"""Secrets in strangers' texts: what is taken out before a text leaves for a page or a judge.

`SECRETS` lists the patterns; a user adds, switches on or switches off patterns with a TOML file::

    on = ["email"]            # patterns that are listed but off by default
    off = ["jwt"]

    [[secret]]
    name = "ticket"
    pattern = 'TICKET-\d+'     # a group called "secret" limits what is taken out
    about = "our ticket numbers"

LIMIT: a pattern finds what looks like a secret. A password without a telling place is not found.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from ethogram.errors import UnknownNameError, UsageError


class Secret(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of secret and how to find it."""

    name: str
    pattern: str
    """Regular expression; where it has a group called ``secret``, only that is taken out."""
    about: str = ""
    on: bool = True


class _Additions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    secret: tuple[Secret, ...] = ()


def _secret(name: str, pattern: str, about: str, *, on: bool = True) -> Secret:
    return Secret(name=name, pattern=pattern, about=about, on=on)


# Every quantifier stands over one class of characters and none is nested, so time grows in
# proportion to the text, whatever a stranger wrote into it. Most patterns begin with plain letters
# and look back for a word boundary afterwards: `re` skips to plain letters ten times as fast.
SECRETS: Final[tuple[Secret, ...]] = (
    _secret(
        "private_key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
        "PEM or PGP private key, also one whose end was cut off",
    ),
    _secret("anthropic_key", r"sk-ant-[A-Za-z0-9_-]{16,}", "Anthropic"),
    _secret("openrouter_key", r"sk-or-[A-Za-z0-9_-]{16,}", "OpenRouter"),
    _secret(
        "openai_key",
        r"sk-(?<![A-Za-z0-9_]sk-)(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}",
        "OpenAI, DeepSeek and others who took over the form sk-…",
    ),
    _secret("google_key", r"AIza[A-Za-z0-9_-]{35,}", "Google API key"),
    _secret("google_oauth", r"ya29\.[A-Za-z0-9_-]{20,}", "Google OAuth access token"),
    _secret("huggingface_token", r"hf_(?<![A-Za-z0-9_]hf_)[A-Za-z0-9]{30,}", "Hugging Face"),
    _secret("groq_key", r"gsk_[A-Za-z0-9]{40,}", "Groq"),
    _secret("xai_key", r"xai-[A-Za-z0-9]{40,}", "xAI"),
    _secret("perplexity_key", r"pplx-[A-Za-z0-9]{32,}", "Perplexity"),
    _secret("replicate_token", r"r8_(?<![A-Za-z0-9_]r8_)[A-Za-z0-9]{30,}", "Replicate"),
    _secret("github_token", r"gh[pousr]_[A-Za-z0-9]{36,}", "GitHub"),
    _secret("github_fine_grained", r"github_pat_\w{22,}", "GitHub, fine-grained"),
    _secret("gitlab_token", r"glpat-[A-Za-z0-9_-]{20,}", "GitLab"),
    _secret("slack_token", r"xox[abeprs]-[A-Za-z0-9-]{10,}", "Slack"),
    _secret(
        "slack_webhook",
        r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})",
        "path of a Slack webhook",
    ),
    _secret("stripe_key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}", "Stripe"),
    _secret("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "SendGrid"),
    _secret("npm_token", r"npm_[A-Za-z0-9]{36}", "npm"),
    _secret("pypi_token", r"pypi-[A-Za-z0-9_-]{50,}", "PyPI"),
    _secret("aws_key_id", r"A(?:KIA|SIA)(?<![A-Za-z0-9]....)[A-Z0-9]{16}\b", "AWS access key id"),
    _secret(
        "aws_secret_key",
        r"(?:secret_?(?:access_?)?key|SECRET_(?:ACCESS_)?KEY|[Ss]ecretAccessKey)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
        r"(?P<secret>[A-Za-z0-9/+=]{40})",
        "AWS secret access key where it is named",
    ),
    _secret(
        "jwt",
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?",
        "JSON web token",
    ),
    _secret(
        "bearer_token",
        r"[Bb](?:earer|EARER)\s{1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        "token of an Authorization header",
    ),
    _secret(
        "basic_auth",
        r"[Aa]uthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?[Bb]asic\s{1,4}"
        r"(?P<secret>[A-Za-z0-9+/]{6,}={0,2})",
        "user and password of an Authorization header",
    ),
    _secret(
        "url_password",
        r"://[^\s/:@'\"]{0,64}:(?P<secret>[^\s/:@'\"$<{\[][^\s/@'\"]{0,200})@",
        "password in a URL",
    ),
    _secret(
        "assigned_secret",
        r"(?:API_?KEY|ACCESS_KEY|SECRET|TOKEN|PASSWORD|PASSWD)(?:_[A-Z0-9_]{1,20})?="
        r"[\"']?(?P<secret>[A-Za-z0-9+/_.~-]{8,}={0,2})",
        "value of an environment variable whose name says what it is",
    ),
    _secret(
        "email",
        r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,24}\b",
        "e-mail address (off by default: commit logs are full of them)",
        on=False,
    ),
)


@dataclass(frozen=True)
class Redactor:
    """Takes secrets out of texts.

    Parameters
    ----------
    secrets : sequence of Secret
        The patterns; those that are not ``on`` are left out. They are applied in order.

    Raises
    ------
    UsageError
        If a pattern is not a regular expression, or one that matches nothing at all.
    """

    secrets: Sequence[Secret] = SECRETS

    def __post_init__(self) -> None:
        for secret in self.secrets:
            try:
                empty = re.compile(secret.pattern).match("")
            except re.error as err:
                raise UsageError(
                    f"redaction pattern {secret.name!r} is not a regular expression: {err}"
                ) from err
            if empty:
                raise UsageError(f"redaction pattern {secret.name!r} matches the empty text")

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """The listed patterns with a user's additions (see the module's docstring for the form).

        Raises
        ------
        UsageError
            If the file is not TOML of that form, or switches a pattern that nobody listed.
        """
        try:
            form: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
            additions = msgspec.convert(form, _Additions)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as err:
            raise UsageError(f"{path}: not a list of redaction patterns: {err}") from err
        listed = {secret.name: secret for secret in (*SECRETS, *additions.secret)}
        for name in (*additions.on, *additions.off):
            if name not in listed:
                raise UnknownNameError("redaction pattern", name, list(listed))
        switches = {**dict.fromkeys(additions.on, True), **dict.fromkeys(additions.off, False)}
        return cls(
            tuple(
                msgspec.structs.replace(secret, on=switches.get(name, secret.on))
                for name, secret in listed.items()
            )
        )

    @property
    def digest(self) -> str:
        """Sixteen hex digits that stand for the patterns in use."""
        used = [(secret.name, secret.pattern) for secret in self._used()]
        return hashlib.sha256(msgspec.json.encode(used)).hexdigest()[:16]

    def redact(self, text: str) -> str:
        """The text with ``[redacted: NAME]`` in place of every secret; the rest as it is."""
        for secret in self._used():
            mark = f"[redacted: {secret.name}]"
            text = re.sub(secret.pattern, lambda match, mark=mark: _without(match, mark), text)  # type: ignore[misc]
        return text

    def _used(self) -> Iterable[Secret]:
        return (secret for secret in self.secrets if secret.on)


def redact(text: str) -> str:
    """The text without what the listed patterns find.

    >>> redact("git clone https://me:hunter2!@host/x.git")
    'git clone https://me:[redacted: url_password]@host/x.git'
    """
    return Redactor().redact(text)


def _without(match: re.Match[str], mark: str) -> str:
    whole = match.group()
    if "secret" not in match.re.groupindex:
        return mark
    start, end = (place - match.start() for place in match.span("secret"))
    return whole[:start] + mark + whole[end:]
