"""Links lead somewhere, files that are named exist, and every page can be found from the index."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT, anchors, inline_code, name, prose, read

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"(?<![\w./-])((?:bansha|tools|bench|tests|docs)/[\w./-]+\.(?:py|md|yaml|txt|sh))\b")
EXAMPLES = re.compile(r"myboard")  # files the reader is told to write


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(read(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(read(file))):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_named_exists(page: Path) -> None:
    named = {file for file in FILE.findall(read(page)) if not EXAMPLES.search(file)}
    assert not {file for file in named if not (ROOT / file).exists()}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_folder_named_exists(page: Path) -> None:
    named = {word for word in inline_code(read(page)) if re.fullmatch(r"(bansha|tools|bench|tests|docs)(/\w+)*/", word)}
    assert not {folder for folder in named if not (ROOT / folder).is_dir()}


def test_the_index_names_every_page() -> None:
    listed = set(LINK.findall(read("README")))
    there = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert there <= listed
    assert {target for target in listed if "/" not in target and target.endswith(".md")} == there


def test_every_target_of_make_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in PAGES:
        named = {code.split()[1] for code in inline_code(read(page)) if re.match(r"make [a-z]", code)}
        assert named <= targets, name(page)
