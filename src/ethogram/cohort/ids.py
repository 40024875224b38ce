"""Identifiers made from content: equal content, equal id, on every machine."""

import base64
import hashlib
from typing import Any, Final

import msgspec

_ID_CHARS: Final = 12  # 60 bits: a chance of one in a million that two of a million runs collide
_ID_BYTES: Final = 10  # enough for those bits; encoding more of them takes as long as making them
_REF_CHARS: Final = 24
_DIGEST_CHARS: Final = 16


def id_of(*parts: Any) -> str:
    """Twelve lower-case letters and digits that stand for the parts (None differs from "")."""
    digest = hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).digest()
    return base64.b32encode(digest[:_ID_BYTES])[:_ID_CHARS].decode().lower()


def digest_of(value: Any) -> str:
    """Sixteen hex digits that stand for a JSON-able value."""
    encoded = msgspec.json.encode(value, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:_DIGEST_CHARS]


def text_ref(text: str) -> str:
    """Address of a text by its content."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_REF_CHARS]
