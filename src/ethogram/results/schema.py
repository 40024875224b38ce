"""The published JSON schema of a result (`Result.to_dict`)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from ethogram.results.estimate import Estimate, Test
from ethogram.results.provenance import Provenance
from ethogram.results.result import SCHEMA_VERSION

_TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": {"type": "string"}}
_COLUMN: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "What a column holds; the unit decides how values are rounded when shown.",
    "properties": {key: {"type": "string"} for key in ("name", "label", "unit", "about")},
    "required": ["name", "label", "unit", "about"],
    "additionalProperties": False,
}
_ROW: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": (
        "One row, unrounded; null means not recorded or not defined. Rows of a table of estimates "
        "hold the key columns (such as system) and the fields of Estimate, rows of a table of "
        "tests the fields of Test; other tables hold what their columns say."
    ),
}
_TABLE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "about": {"type": "string"},
        "columns": {"type": "array", "items": {"$ref": "#/$defs/Column"}},
        "rows": {
            "type": "array",
            "items": {
                "if": {"required": list(Estimate.__struct_fields__)},
                "then": {"$ref": "#/$defs/Estimate"},
                "else": {
                    "if": {"required": list(Test.__struct_fields__)},
                    "then": {"$ref": "#/$defs/Test"},
                    "else": {"$ref": "#/$defs/Row"},
                },
            },
        },
    },
    "required": ["title", "about", "columns", "rows"],
    "additionalProperties": False,
}


def result_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of what ``--json`` prints and `Result.to_dict` returns.

    The form carries its version as ``schema: "ethogram.result/N"``; N grows when a reader of the
    old form would misread the new one.
    """
    _, parts = msgspec.json.schema_components(
        (Provenance, Estimate, Test), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:ethogram:result:{SCHEMA_VERSION}",
        "title": "A result of ethogram",
        "type": "object",
        "properties": {
            "schema": {"const": f"ethogram.result/{SCHEMA_VERSION}"},
            "kind": {"type": "string", "description": "Name of the measure."},
            "summary": {**_TEXTS, "description": "The answer in words."},
            "notes": {**_TEXTS, "description": "What must be read with the figures."},
            "provenance": {"$ref": "#/$defs/Provenance"},
            "tables": {
                "type": "object",
                "description": "Tables by name; the first is the main one.",
                "additionalProperties": {"$ref": "#/$defs/Table"},
            },
        },
        "required": ["schema", "kind", "summary", "notes", "provenance", "tables"],
        "additionalProperties": False,
        "$defs": {"Column": _COLUMN, "Row": _ROW, "Table": _TABLE, **parts},
    }
