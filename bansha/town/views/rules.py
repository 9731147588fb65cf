"""The rules: the generated sheet of a game with its options in force, and of every bundled board."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.safestring import SafeString, mark_safe

from bansha.rulesets.diff import diff
from bansha.rulesets.document import Document
from bansha.rulesets.document import render as dressed
from bansha.rulesets.load import Loaded, bundled, load
from bansha.rulesets.sheet import build
from bansha.town.guards import TownRequest, anyone, at_game
from bansha.town.views.opening import family, language

CONTENTS = re.compile(r'<nav aria-label="[^"]*"><ol class="toc">.*?</ol></nav>', re.DOTALL)
BARE = re.compile(r'<dt id="([^"]+)">\1</dt>')
"""An entry that has no other name than its clause."""


@lru_cache(maxsize=64)
def _dressed(hash: str, lang: str, options: tuple[tuple[str, str], ...]) -> tuple[Document, str, str]:
    document = build(_by_hash[hash], lang, dict(options))
    return document, dressed(document, "html"), dressed(document, "bbcode")


_by_hash: dict[str, Loaded] = {}


def _sheet(loaded: Loaded, options: dict[str, str]) -> tuple[Document, SafeString, str]:
    """A sheet, made once for each content, language and set of options; its list of contents is the narrow page's alone."""
    _by_hash[loaded.hash] = loaded
    document, made, bbcode = _dressed(loaded.hash, language(), tuple(sorted(options.items())))
    made = made[made.index("\n") + 1 : made.rindex("</div>")]  # what follows the sheet stands on the same paper
    marked = CONTENTS.sub(rf'<details class="phone-only"><summary>{document.contents}</summary>\g<0></details>', made, count=1)
    marked = BARE.sub(r'<dt id="\1" class="bare">\1</dt>', marked)
    return document, mark_safe(marked), bbcode  # every text in it was escaped where it was made


def sheet(loaded: Loaded, options: dict[str, str]) -> dict[str, Any]:
    """What the page shows of a ruleset: its sections, the sheet as HTML (escaped where it was made) and as forum code, and what
    it changes against the version it was written over."""
    document, made, bbcode = _sheet(loaded, options)
    parent = loaded.ruleset.inherits
    changes = diff(load(parent), loaded, language()) if parent in bundled() else []
    return {
        "loaded": loaded, "sections": document.sections, "sheet": made, "bbcode": bbcode, "changes": changes, "parent": parent,
        "versions": [other for other in family(loaded.ruleset.id.partition("-")[0]) if other in bundled()],
    }  # fmt: skip


@at_game
def rules(request: TownRequest) -> HttpResponse:
    """The rules of a game, options and rulings in force."""
    table = request.table
    return _answer(request, {**sheet(table.loaded, table.game.options), "own": True})


@anyone
def ruleset(request: HttpRequest, version: str) -> HttpResponse:
    """The rules of a bundled board at its defaults."""
    if version not in bundled():
        raise Http404
    return _answer(request, {**sheet(load(version), {}), "own": False})


def _answer(request: HttpRequest, shown: dict[str, Any]) -> HttpResponse:
    if request.GET.get("as") == "bbcode":
        return HttpResponse(shown["bbcode"], content_type="text/plain; charset=utf-8")
    return render(request, "town/rules.html", shown)


urls = [
    path("g/<int:game>/rules/", rules, name="rules"),
    path("rules/<slug:version>/", ruleset, name="ruleset"),
]
