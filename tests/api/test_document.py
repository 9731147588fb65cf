"""The OpenAPI document is the one that was agreed on, and the pages about it say what it says. A change of the interface changes
`tests/golden/openapi.json`: BANSHA_GOLDEN=1 writes it anew; docs/api.md says what may change in a version."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from bansha.api import shapes
from bansha.api.calls import document
from bansha.sight.types import View
from tests.docs.pages import read, table

AGREED = Path(__file__).parents[1] / "golden" / "openapi.json"


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """The document as it is now, without the program's own version."""
    found = document()
    del found["info"]["x-bansha"]
    return found


def test_the_document_is_the_agreed_one(made: dict[str, Any]) -> None:
    text = json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if os.environ.get("BANSHA_GOLDEN") == "1":
        AGREED.write_text(text, "utf-8")
    assert text == AGREED.read_text("utf-8"), "the interface has changed: see docs/api.md, then run with BANSHA_GOLDEN=1"


def test_every_call_documents_what_any_call_may_answer(made: dict[str, Any]) -> None:
    for route, methods in made["paths"].items():
        for method, call in methods.items():
            assert {"200", "400", "401", "405", "429", "503"} <= set(call["responses"]), (route, method)
            assert call["security"] == [{"Token": []}] and call["summary"] and call["description"]
            assert method == "get" or route.endswith("/stream") or {"403", "404", "422"} <= set(call["responses"]), (route, method)
    names = [call["operationId"] for methods in made["paths"].values() for call in methods.values()]
    assert sorted(names) == sorted(set(names))


def test_a_struct_is_documented_field_by_field() -> None:
    model = shapes.documented(View)
    assert list(model.model_fields) == list(View.__struct_fields__)
    assert model.model_json_schema()["required"] == list(View.__struct_fields__)
    seen: dict[str, type] = {}
    for struct, one in shapes._made.items():
        assert seen.setdefault(one.__name__, struct) is struct, "two structs of one name would be one schema"
    assert issubclass(shapes.Seen, msgspec.Struct)


def test_the_reference_shows_every_call_and_shape(made: dict[str, Any]) -> None:
    page = Client(headers={"host": "localhost"}).get("/programs/reference/").content.decode()
    for route, methods in made["paths"].items():
        for method in methods:
            assert f"<b>{method.upper()}</b> {route}" in page
    ids = set(re.findall(r' id="([^"]+)"', page))
    assert {f"shape-{name}" for name in made["components"]["schemas"]} <= ids
    assert {href for href in re.findall(r'href="#([^"]+)"', page) if not href.startswith("i-")} <= ids
    assert "<script>" not in page and "style=" not in page


def test_the_page_lists_every_call(made: dict[str, Any]) -> None:
    rows = table(read("api"), "call")
    told = {tuple(row[0].strip("`").split(" ", 1)) for row in rows}
    assert told == {(m.upper(), route.removeprefix("/api/v1")) for route, methods in made["paths"].items() for m in methods}
    for word in ("no_token", "read_only", "other_game", "nothing", "method", "too_many", "unreadable", "denied", "over", "unavailable"):
        assert f"`{word}`" in read("api"), word
