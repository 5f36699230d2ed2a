"""Generate the API schemas checked in under `schema/`; run as a module to rewrite them."""

import json
from pathlib import Path
from typing import Any

from graph_service.api.graphql.schema import graphql_schema
from schema.frames import frames_schema
from schema.parts import parts_schema


def contracts() -> dict[str, str]:
    """Return the content of the generated files in `schema/`, by name."""
    return {
        "schema.graphql": graphql_schema.as_str() + "\n",
        "frames.schema.json": _json(frames_schema()),
        "parts.schema.json": _json(parts_schema()),
    }


def _json(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, text in contracts().items():
        (Path(__file__).parents[2] / "schema" / name).write_text(text, encoding="utf-8")
