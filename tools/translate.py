"""Keeps the town's catalogues: Chinese stands in the sources, English in bansha/locale/en/LC_MESSAGES/django.po.

    python tools/translate.py [--check]

Messages are extracted from the templates and the Python sources of the served half; what is no longer said leaves the
catalogue, what is new stands there empty. The compiled catalogue is written from it, the same bytes every time. With
`--check` nothing is written; the exit code is 1 unless everything is translated and both files are as they would be written.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SERVED = ("town", "desk", "site", "company", "notify", "api")
PO = ROOT / "bansha" / "locale" / "en" / "LC_MESSAGES" / "django.po"
SPOKEN = ("gettext", "gettext_lazy", "gettext_noop", "_", "lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "npgettext")
"""What marks a text for translation in Python."""
REFUSALS = ("Denied",)
"""Calls whose arguments say it in both languages."""
KEYWORDS: dict[str, Any] = {
    **DEFAULT_KEYWORDS, "lazy": None, "gettext_lazy": None, "gettext_noop": None, "ngettext_lazy": (1, 2), "pgettext_lazy": ((1, "c"), 2),
}  # fmt: skip
QUOTED = re.compile(r"“[^”]*”|〔[^〕]*〕")
HAN = re.compile(r"[\u3400-\u9fff]")
PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|%[sd]")
SINCE = datetime(2026, 1, 1, tzinfo=UTC)
IN_THE_GAME = {
    "company": "computer players speak the language of the game",
    "town/words.py": "the referee's announcements",
    "town/projector.py": "posts of the referee",
    "town/bulk.py": "titles and names of games that measure how cost grows",
    "town/ceremony.py": "notes of the ceremony, kept as they were written",
    "town/masks.py": "names to choose from",
    "town/templatetags/sealing.py": "the words of a seal",
    "site/demonstration.py": "said in the terminal, in both languages",
}
"""Rooms and modules whose Chinese is the game's, not a page's; in it both languages read alike."""
AS_THEY_ARE = {"弃权", "投票", "改票", "对象：", "理由：", "投票对象：", "投票理由：", "简体中文", "中文", "导"}
"""Labels of a vote (C18), the names of languages in themselves, and the director's seal."""
HERE = {
    "desk/forms.py": {"是", "否", "没有人", "其他阵营", "非"},  # typed by a director, beside the English words
    "desk/glance.py": {"开门，", "关门。"},  # an announcement as it would read
    "site/settings.py": {"版杀"},  # the town's name, for authenticators
    "town/acts.py": {"投票理由：导演代投", "[b]问[/b]：", "[b]答[/b]："},  # posts in the language of the game
    "town/letters.py": {"两", "还没有选“", "”的目标。选", "人再交；没有改动。"},  # the Chinese branch of a choice
    "town/opening.py": {"（续）", "号“", "还差", "处："},
    "town/tallies.py": {"警长"},  # kinds of announcements are named in Chinese
    "town/views/hub.py": {"放逐", "出局"},
    "town/views/managers.py": {"管理员", "查看本局", "小时。理由：", "不再查看本局。"},  # kept in the directors' log
    "town/views/thread.py": {"导演"},  # in a quote, in the language of the game
}
"""Chinese that belongs where it stands, module by module."""


def sources(kind: str) -> list[Path]:
    """The files of the served half that end so, in order."""
    found = [path for room in SERVED for path in (ROOT / "bansha" / room).rglob(f"*.{kind}")]
    return sorted(path for path in found if "migrations" not in path.parts)


def extracted() -> Catalog:
    """A catalogue of everything that is said now, without translations."""
    catalog = Catalog(
        locale="en", project="bansha", copyright_holder="the bansha founders", creation_date=SINCE, revision_date=SINCE,
        last_translator="the bansha founders", language_team="English", charset="utf-8", fuzzy=False,
        header_comment="# Chinese is the source; tools/translate.py keeps this file.",
    )  # fmt: skip
    for path in [*sources("html"), *sources("txt"), *sources("py")]:
        text = path.read_text("utf-8") if path.suffix == ".py" else _template(path)
        name = path.relative_to(ROOT).as_posix()
        for _line, function, messages, _comments in extract_python(io.BytesIO(text.encode()), KEYWORDS, [], {}):
            _add(catalog, function, messages, name)
    return catalog


def _template(path: Path) -> str:
    """A template as a row of calls, on lines without indentation."""
    from django.utils.translation.template import templatize

    return "\n".join(line.strip() for line in templatize(path.read_text("utf-8"), origin=str(path)).splitlines())


def _add(catalog: Catalog, function: Any, messages: Any, name: str) -> None:
    parts = list(messages) if isinstance(messages, (tuple, list)) else [messages]
    context = parts.pop(0) if "pgettext" in str(function) else None
    parts = [part for part in parts if isinstance(part, str)]
    if not parts or not all(HAN.search(part) for part in parts):
        return  # said in English already: another catalogue's
    several = str(function).startswith("n")
    catalog.add(tuple(parts[:2]) if several else parts[0], locations=[(name, 0)], context=context)


def renewed() -> Catalog:
    """The catalogue as it is to be: everything said now, with the translations that are there."""
    catalog = extracted()
    if PO.exists():
        with PO.open("rb") as file:
            before = read_po(file, locale="en")
        for message in catalog:
            known = before.get(message.id, message.context) if message.id else None
            if known is not None and known.pluralizable == message.pluralizable:
                message.string = known.string
                message.flags |= known.flags & {"fuzzy"}
    return catalog


def po_of(catalog: Catalog) -> bytes:
    """The catalogue as its file."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, sort_output=True, omit_header=False, include_lineno=False)
    return out.getvalue()


def mo_of(catalog: Catalog) -> bytes:
    """The catalogue, compiled."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def translations(message: Any) -> tuple[str, ...]:
    """What a message is translated to."""
    return tuple(message.string) if message.pluralizable else (message.string or "",)


def untranslated(catalog: Catalog) -> list[str]:
    """Messages without a translation, or with one that still is Chinese."""
    return [str(message.id) for message in catalog if message.id and not all(map(_english, translations(message)))]


def _english(text: str) -> bool:
    """There is a translation, and Chinese in it only as a quoted word."""
    return bool(text) and not HAN.search(QUOTED.sub("", text))


def fuzzy(catalog: Catalog) -> list[str]:
    """Messages whose translation is a guess."""
    return [str(message.id) for message in catalog if message.id and message.fuzzy]


def unlike(catalog: Catalog) -> list[str]:
    """Messages whose translation does not have the placeholders of the message."""
    found = []
    for message in catalog:
        if message.id:
            asked = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
            wanted = {match[0] for text in asked for match in PLACEHOLDER.finditer(text)}
            given = [{match[0] for match in PLACEHOLDER.finditer(text)} for text in translations(message) if text]
            if any(names - wanted for names in given) or (given and set().union(*given) != wanted):
                found.append(str(message.id))
    return found


# --- Chinese that no catalogue reaches ------------------------------------------------------------------------------


def bare_in_template(text: str) -> Iterator[tuple[int, str]]:
    """Chinese of a template outside translate tags, blocktranslate blocks and comments: line and text."""
    from django.template.base import Lexer, TokenType

    inside = ""
    for token in Lexer(text).tokenize():
        name = token.contents.split()[0] if token.token_type is TokenType.BLOCK and token.contents.split() else ""
        if inside:
            inside = "" if name == f"end{inside}" else inside
        elif name in ("blocktranslate", "blocktrans", "comment"):
            inside = name
        elif token.token_type is not TokenType.COMMENT and name not in ("translate", "trans"):
            said = re.sub(r"""_\((?:"[^"]*"|'[^']*')\)""", "", token.contents)
            if any(HAN.search(piece) and piece.strip() not in AS_THEY_ARE for piece in re.split(r"[<>=\"]", said)):
                yield token.lineno or 0, " ".join(said.split())[:60]


def bare_in_python(text: str) -> Iterator[tuple[int, str]]:
    """Chinese string literals of a module outside gettext calls, refusals, docstrings, comparisons with what gettext gave, and
    neighbours that say it in both languages: line and text."""
    tree = ast.parse(text)
    fine: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            fine |= {arg for arg in node.args if _name(node.func) in SPOKEN}
            fine |= {inner for arg in node.args for inner in ast.walk(arg) if _name(node.func) in REFUSALS}
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and _name(node.left.func) in SPOKEN:
            fine |= set(node.comparators)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            fine.add(node.value)
        beside = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        for zh, en in pairwise(beside):
            if _written(zh) and _written(en):
                fine |= {*ast.walk(zh), *ast.walk(en)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in fine and HAN.search(node.value):
            yield node.lineno, node.value.strip()


def _written(node: ast.expr) -> bool:
    """A text that is written here: a literal, with or without places to fill."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value))


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def bare() -> list[str]:
    """Chinese that stands untranslated in templates and modules: file, line, text."""
    found = []
    for path in sources("html"):
        found += [f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in bare_in_template(path.read_text("utf-8"))]
    for path in sources("py"):
        place = path.relative_to(ROOT / "bansha")
        if not any(place.is_relative_to(own) for own in IN_THE_GAME):
            known = AS_THEY_ARE | HERE.get(place.as_posix(), set())
            said = [(line, text) for line, text in bare_in_python(path.read_text("utf-8")) if text not in known]
            found += [f"{path.relative_to(ROOT)}:{line}: {text[:60]}" for line, text in said]
    return found


def summary(catalog: Catalog) -> str:
    """`N messages, 0 untranslated, 0 fuzzy`."""
    return f"{len(catalog)} messages, {len(untranslated(catalog))} untranslated, {len(fuzzy(catalog))} fuzzy"


def main(arguments: list[str]) -> int:
    """Write both files, or with `--check` compare; returns 0 when everything is translated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    chosen = parser.parse_args(arguments)
    catalog = renewed()
    po, mo = po_of(catalog), mo_of(catalog)
    files = {PO: po, PO.with_suffix(".mo"): mo}
    same = all(path.exists() and path.read_bytes() == content for path, content in files.items())
    if not chosen.check:
        PO.parent.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            path.write_bytes(content)
    for text in untranslated(catalog):
        print(f"untranslated: {text}")
    for text in unlike(catalog):
        print(f"placeholders differ: {text}")
    for text in bare():
        print(f"in no catalogue: {text}")
    print(summary(catalog))
    clean = not (untranslated(catalog) or fuzzy(catalog) or unlike(catalog) or bare())
    return 0 if clean and (same or not chosen.check) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
