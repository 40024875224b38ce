"""Identifiers made from content: equal content, equal id, on every machine.

Files and texts are strangers' and of any size: BLAKE3 stands for them, which nobody can find a
second content to and which costs little on machines without instructions for SHA-256, where that
would take a fifth of a read.
"""

import base64
import hashlib
from typing import Any, Final

import msgspec
from blake3 import blake3

_ID_CHARS: Final = 12  # 60 bits: a chance of one in a million that two of a million runs collide
_ID_BYTES: Final = 10  # enough for those bits; encoding more of them takes as long as making them
_REF_BYTES: Final = 12
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
    return blake3(text.encode("utf-8", "surrogatepass")).hexdigest(length=_REF_BYTES)
