"""The pages: what they say, cut up for the tests that hold it against the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?:    .*\n|\n(?=    ))+)")
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def name(page: Path) -> str:
    """The page's path in the project."""
    return page.relative_to(ROOT).as_posix()


def read(page: Path | str) -> str:
    """A page's text; a word alone is a page of docs/."""
    return (page if isinstance(page, Path) else DOCS / f"{page}.md").read_text("utf-8")


def fences(text: str) -> list[tuple[str, str]]:
    """(language, content) of the fenced blocks."""
    return [(match[1], match[2]) for match in _FENCE.finditer(text)]


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCE.sub("", text)


def code_lines(text: str) -> Iterator[str]:
    """Lines of fenced blocks without a language or for a shell, and of indented blocks outside lists."""
    blocks = [content for language, content in fences(text) if language in ("", "sh", "console")]
    blocks += [match[1] for match in _INDENTED.finditer(prose(text))]
    for block in blocks:
        for line in block.splitlines():
            yield line.strip().removeprefix("$ ")


def inline_code(text: str) -> list[str]:
    """What stands between single backticks outside fenced blocks."""
    return _INLINE.findall(prose(text))


def table(text: str, head: str) -> list[list[str]]:
    """The cells of the rows of the table whose first column is headed `head`."""
    rows: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        if cells and cells[0] == head:
            inside = True
        elif inside and not cells:
            return rows
        elif inside and not set(cells[0]) <= {"-", ":"}:
            rows.append(cells)
    assert inside, f"no table with a first column {head!r}"
    return rows


def words(cell: str) -> list[str]:
    """What stands between backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def first_words(text: str, head: str) -> set[str]:
    """Everything between backticks in the first column of a table."""
    return {word for row in table(text, head) for word in words(row[0])}


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as they are made on the usual forges."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(plain.replace(" ", "-"))
    return found
