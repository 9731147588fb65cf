"""A document without a format, and its four dresses: plain text, Markdown, HTML and the BBCode of Discuz! boards.

HTML is a fragment after the design's rule sheet (`ol.stages.plan`, `dl.terms`, tables that fold on a phone): no inline
style and no script. BBCode has no anchors and no way to escape a bracket, so clause ids are printed and
brackets in texts become full-width ones.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

FORMATS: Final = ("text", "md", "html", "bbcode")


@dataclass(frozen=True)
class Mark:
    """A piece of text set apart. `kind`: b, note, clause, hash, s, tag, tag solid, fac wolf…, card blue…."""

    text: str
    kind: str = "b"


Inline = str | tuple["str | Mark", ...]


@dataclass(frozen=True)
class Para:
    """A paragraph. `kind`: "", note or hash."""

    text: Inline
    kind: str = ""


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True)
class Term:
    """An entry of a list of terms: what is meant, the clause id it can be cited by, and what is said of it."""

    head: Inline
    body: tuple[Inline, ...]
    anchor: str = ""


@dataclass(frozen=True)
class Terms:
    """A definition list."""

    items: tuple[Term, ...]


@dataclass(frozen=True)
class Items:
    """A plain list."""

    items: tuple[Inline, ...]


@dataclass(frozen=True)
class Steps:
    """A numbered list, each with a title (may be empty), a text and a clause id."""

    items: tuple[Term, ...]


@dataclass(frozen=True)
class Table:
    """A table; `numeric` are the columns with figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[Inline, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Bar:
    """One line of a timetable: from `start` to `end` in per cent of the whole, or a moment when both are the same."""

    title: str
    who: str
    start: float
    end: float
    note: str


@dataclass(frozen=True)
class Plan:
    """The night drawn as bars under a scale; HTML only, since the table after it says the same."""

    scale: tuple[str, str, str]
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Form:
    """An exact post format: a name, a hint, and lines of (label, target, "" or reason)."""

    name: str
    hint: str
    lines: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True)
class Forms:
    """Post formats side by side."""

    items: tuple[Form, ...]


@dataclass(frozen=True)
class Choice:
    """A setting or ruling of its own: title, clause id, a tag with whether it was changed, and paragraphs."""

    title: Inline
    body: tuple[Inline, ...]
    anchor: str = ""
    tag: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Choices:
    """A list of settings or rulings."""

    items: tuple[Choice, ...]


Block = Para | Heading | Terms | Items | Steps | Table | Plan | Forms | Choices


@dataclass(frozen=True)
class Section:
    """A part of the document. `id` is its anchor."""

    id: str
    title: str
    note: str = ""
    blocks: tuple[Block, ...] = field(default=())


@dataclass(frozen=True)
class Document:
    """Title, a note beside it, opening paragraphs, and the sections; `contents` is the word for the list of them."""

    title: str
    note: str
    lead: tuple[Block, ...]
    contents: str
    sections: tuple[Section, ...]
    lang: str = "zh"


def plain(inline: Inline) -> str:
    """The text of an inline without its marks; a tag is set in brackets."""
    return "".join(part if isinstance(part, str) else f"〔{part.text}〕" if part.kind == "tag" else part.text for part in _parts(inline))


def render(document: Document, form: str) -> str:
    """The document as text, md, html or bbcode.

    Raises:
        ValueError: another format.
    """
    if form not in FORMATS:
        raise ValueError(f"no format {form!r}; formats are {', '.join(FORMATS)}")
    return {"text": _text, "md": _markdown, "html": _html, "bbcode": _bbcode}[form](document)


def _parts(inline: Inline) -> tuple[str | Mark, ...]:
    return (inline,) if isinstance(inline, str) else inline


# ── plain text ───────────────────────────────────────────────────────────────────────────────────────────────────────


def width(text: str) -> int:
    """Columns of a terminal that the text takes: a wide character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, to: int, right: bool) -> str:
    gap = " " * max(0, to - width(text))
    return gap + text if right else text + gap


_WIDEST: Final = 140  # a table beyond these columns is written row by row


def _columns(table: Table) -> list[str]:
    cells = [list(table.head), *([plain(cell) for cell in row] for row in table.rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(table.head))]
    lines = []
    for row in cells:
        padded = [_pad(cell, widths[index], index in table.numeric) for index, cell in enumerate(row[:-1])]
        lines.append("  ".join([*padded, row[-1]]).rstrip())
    if sum(widths) > _WIDEST:
        return [f"{'    ' if index else '* '}{table.head[index]}: {cell}" for row in cells[1:] for index, cell in enumerate(row)]
    return [lines[0], "  ".join("-" * size for size in widths), *lines[1:]]


def _hints(document: Document) -> Callable[[str], str]:
    return lambda hint: (f" ({hint})" if document.lang == "en" else f"（{hint}）") if hint else ""


def _cited(anchor: str, head: Inline) -> str:
    return f" ({anchor})" if anchor and anchor != plain(head) else ""


def _text(document: Document) -> str:
    hinted = _hints(document)
    out = [document.title, document.note, ""]

    def block(block: Block) -> None:
        match block:
            case Para(text, _):
                out.extend([plain(text), ""])
            case Heading(text):
                out.extend([f"{text}", ""])
            case Terms(items):
                for term in items:
                    out.append(f"* {plain(term.head)}{_cited(term.anchor, term.head)}")
                    out.extend(f"    {plain(line)}" for line in term.body)
                out.append("")
            case Items(lines):
                out.extend([*(f"* {plain(line)}" for line in lines), ""])
            case Steps(items):
                for number, term in enumerate(items, 1):
                    out.append(f"{number}. {plain(term.head)}{_cited(term.anchor, term.head)}".replace(".  ", ". "))
                    out.extend(f"    {plain(line)}" for line in term.body)
                out.append("")
            case Table():
                out.extend([*_columns(block), ""])
            case Forms(forms):
                for form in forms:
                    out.append(f"{form.name}{hinted(form.hint)}")
                    out.extend(f"    {label}{value}" for label, value, _ in form.lines)
                    out.append("")
            case Choices(choices):
                for choice in choices:
                    tag = f" [{choice.tag}]" if choice.tag else ""
                    out.append(f"* {plain(choice.title)}{_cited(choice.anchor, choice.title)}{tag}")
                    out.extend(f"    {plain(line)}" for line in choice.body)
                out.append("")
            case Plan():
                pass

    for lead in document.lead:
        block(lead)
    out.append(document.contents)
    out.extend(f"  {number}. {section.title}" for number, section in enumerate(document.sections, 1))
    for number, section in enumerate(document.sections, 1):
        title = f"{number}. {section.title}" + (f" — {section.note}" if section.note else "")
        out.extend(["", title, "=" * min(width(title), 100), ""])
        for part in section.blocks:
            block(part)
    return _tidy(out)


def _tidy(lines: Iterable[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_MD_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|#~])")


def _md(text: str) -> str:
    return _MD_SPECIAL.sub(r"\\\1", text)


def _md_inline(inline: Inline) -> str:
    said = []
    for part in _parts(inline):
        if isinstance(part, str):
            said.append(_md(part))
        elif part.kind == "s":
            said.append(f"~~{_md(part.text)}~~")
        elif part.kind == "hash":
            said.append(f"`{part.text}`")
        elif part.kind in ("b", "tag solid") or part.kind.startswith(("fac", "card")):
            said.append(f"**{_md(part.text)}**")
        else:
            said.append(_md(plain((part,))))
    return "".join(said)


def _md_anchor(anchor: str) -> str:
    return f'<a id="{html.escape(anchor)}"></a>' if anchor else ""


def _markdown(document: Document) -> str:
    hinted = _hints(document)
    out = [f"# {_md(document.title)}", "", _md(document.note), ""]

    def cited(head: Inline, anchor: str) -> str:
        return f"{_md_anchor(anchor)}**{_md(plain(head))}**{f' `{anchor}`' if anchor and anchor != plain(head) else ''}"

    def block(block: Block) -> None:
        match block:
            case Para(text, _):
                out.extend([_md_inline(text), ""])
            case Heading(text):
                out.extend([f"### {_md(text)}", ""])
            case Terms(items):
                for term in items:
                    out.append(f"- {cited(term.head, term.anchor)}  ")
                    out.extend(f"  {_md_inline(line)}  " for line in term.body)
                out.append("")
            case Items(lines):
                out.extend([*(f"- {_md_inline(line)}" for line in lines), ""])
            case Steps(items):
                for number, term in enumerate(items, 1):
                    out.append(f"{number}. {cited(term.head, term.anchor)}  ")
                    out.extend(f"   {_md_inline(line)}  " for line in term.body)
                out.append("")
            case Table(head, rows, numeric):
                out.append("| " + " | ".join(map(_md, head)) + " |")
                out.append("|" + "|".join(" --: " if index in numeric else " --- " for index in range(len(head))) + "|")
                out.extend("| " + " | ".join(map(_md_inline, row)) + " |" for row in rows)
                out.append("")
            case Forms(forms):
                for form in forms:
                    out.extend([f"**{_md(form.name)}**{_md(hinted(form.hint))}", "", "```"])
                    out.extend(f"{label}{value}" for label, value, _ in form.lines)
                    out.extend(["```", ""])
            case Choices(choices):
                for choice in choices:
                    tag = f" *{_md(choice.tag)}*" if choice.tag else ""
                    out.append(f"- {cited(choice.title, choice.anchor)}{tag}  ")
                    out.extend(f"  {_md_inline(line)}  " for line in choice.body)
                out.append("")
            case Plan():
                pass

    for lead in document.lead:
        block(lead)
    out.extend([f"**{_md(document.contents)}**", ""])
    out.extend(f"{number}. [{_md(section.title)}](#{section.id})" for number, section in enumerate(document.sections, 1))
    for section in document.sections:
        out.extend(["", f"{_md_anchor(section.id)}", "", f"## {_md(section.title)}", ""])
        if section.note:
            out.extend([f"*{_md(section.note)}*", ""])
        for part in section.blocks:
            block(part)
    return _tidy(out)


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _html_inline(inline: Inline) -> str:
    said = []
    for part in _parts(inline):
        if isinstance(part, str):
            said.append(html.escape(part, quote=False))
            continue
        text = html.escape(part.text, quote=False)
        if part.kind in ("b", "s"):
            said.append(f"<{part.kind}>{text}</{part.kind}>")
        elif part.kind.startswith("card"):
            said.append(f'<span class="{part.kind}"><i>{text[:1]}</i>{text}</span>')
        else:
            said.append(f'<span class="{html.escape(part.kind)}">{text}</span>')
    return "".join(said)


def _per_cent(share: float) -> str:
    return f"{round(share, 2):g}%"


def _html_plan(plan: Plan) -> str:
    left, middle, right = (html.escape(mark) for mark in plan.scale)
    out = [
        '<ol class="stages plan"><li class="scale"><span></span><svg aria-hidden="true">'
        f'<text x="0" y="11">{left}</text><text x="50%" y="11" text-anchor="middle">{middle}</text>'
        f'<text x="100%" y="11" text-anchor="end">{right}</text></svg></li>'
    ]
    for bar in plan.bars:
        note = html.escape(bar.note)
        x = _per_cent(bar.start)
        if bar.end > bar.start:
            drawn = f'<rect class="span" x="{x}" y="8" width="{_per_cent(bar.end - bar.start)}" height="18"/>'
        else:
            drawn = f'<line class="hand" x1="{x}" x2="{x}" y1="4" y2="30"/>'
        out.append(
            f"<li><b>{html.escape(bar.title)}<small>{html.escape(bar.who)}</small></b>"
            f'<svg class="track" aria-hidden="true">{drawn}'
            f'<text x="{_per_cent(bar.start + 1.5)}" y="21">{note}</text></svg></li>'
        )
    return "".join([*out, "</ol>"])


def _html_table(table: Table) -> str:
    def cell(index: int, inline: Inline) -> str:
        kind = ' class="n"' if index in table.numeric else ""
        label = f' data-k="{html.escape(table.head[index])}"' if 0 < index < len(table.head) - 1 else ""
        return f'<td role="cell"{kind}{label}>{_html_inline(inline)}</td>'

    head = "".join(
        f'<th role="columnheader"{" class=" + chr(34) + "n" + chr(34) if index in table.numeric else ""}>{html.escape(title)}</th>'
        for index, title in enumerate(table.head)
    )
    rows = "".join(f'<tr role="row">{"".join(cell(index, inline) for index, inline in enumerate(row))}</tr>' for row in table.rows)
    return (
        '<table class="table fold-rows prose" role="table"><thead role="rowgroup"><tr role="row">'
        f'{head}</tr></thead><tbody role="rowgroup">{rows}</tbody></table>'
    )


def _html_id(anchor: str) -> str:
    return f' id="{html.escape(anchor)}"' if anchor else ""


def _html_clause(anchor: str) -> str:
    return f' <span class="clause">{html.escape(anchor)}</span>' if anchor else ""


def _html_block(block: Block) -> str:
    match block:
        case Para(text, kind):
            shown = {"note": ' class="note"', "hash": ' class="note"', "": ' class="doc small"'}[kind]
            return f"<p{shown}>{_html_inline(text)}</p>"
        case Heading(text):
            return f"<h3>{html.escape(text)}</h3>"
        case Terms(items):
            said = []
            for term in items:
                head = _html_inline(term.head)
                clause = "" if plain(term.head) == term.anchor else _html_clause(term.anchor)
                said.append(f"<dt{_html_id(term.anchor)}>{head}{clause}</dt>")
                said.extend(f"<dd>{_html_inline(line)}</dd>" for line in term.body[:1])
                if len(term.body) > 1:
                    said[-1] = "<dd>" + "<br>".join(_html_inline(line) for line in term.body) + "</dd>"
            return f'<dl class="terms gap">{"".join(said)}</dl>'
        case Items(lines):
            return f'<ul class="list">{"".join(f"<li>{_html_inline(line)}</li>" for line in lines)}</ul>'
        case Steps(items):
            said = []
            for number, term in enumerate(items, 1):
                title = f"<b>{_html_inline(term.head)}</b>" if plain(term.head) else ""
                body = "".join(f"<p>{_html_inline(line)}</p>" for line in term.body)
                said.append(
                    f'<li class="done"{_html_id(term.anchor)}><span class="k">{number}</span>'
                    f"<div>{title}{_html_clause(term.anchor)}{body}</div></li>"
                )
            return f'<ol class="steps">{"".join(said)}</ol>'
        case Table():
            return _html_table(block)
        case Plan():
            return _html_plan(block)
        case Forms(forms):
            said = []
            for form in forms:
                hint = f' <span class="hint">{html.escape(form.hint)}</span>' if form.hint else ""
                shown = "\n".join(
                    f"<span>{html.escape(label)}</span>" + (f"<mark>{html.escape(value)}</mark>" if target else html.escape(value))
                    for label, value, target in form.lines
                )
                said.append(
                    f'<div class="field"><span class="label">{html.escape(form.name)}{hint}</span><p class="strict">{shown}</p></div>'
                )
            return f'<div class="pair">{"".join(said)}</div>'
        case Choices(choices):
            said = []
            for choice in choices:
                solid = " solid" if choice.changed else ""
                tag = f'<span class="tag{solid}">{html.escape(choice.tag)}</span>' if choice.tag else ""
                body = "".join(f"<p>{_html_inline(line)}</p>" for line in choice.body)
                said.append(
                    f'<li{_html_id(choice.anchor)}><div class="row between"><h3>{_html_inline(choice.title)}'
                    f"{_html_clause(choice.anchor)}</h3>{tag}</div>{body}</li>"
                )
            return f'<ul class="opts">{"".join(said)}</ul>'


def _html(document: Document) -> str:
    lang = "en" if document.lang == "en" else "zh-Hans"
    contents = "".join(f'<li><a href="#{section.id}">{html.escape(section.title)}</a></li>' for section in document.sections)
    out = [
        f'<div class="main" lang="{lang}">',
        '<section class="sheet stack">',
        f"<header><h1>{html.escape(document.title)}</h1>",
        f'<span class="note">{html.escape(document.note)}</span></header>',
        *(_html_block(block) for block in document.lead),
        f'<nav aria-label="{html.escape(document.contents)}"><ol class="toc">{contents}</ol></nav>',
        "</section>",
    ]
    for section in document.sections:
        note = f'<span class="note">{html.escape(section.note)}</span>' if section.note else ""
        out.append(f'<section class="sheet stack" id="{section.id}">')
        out.append(f"<header><h2>{html.escape(section.title)}</h2>{note}</header>")
        out.extend(_html_block(block) for block in section.blocks)
        out.append("</section>")
    return "\n".join([*out, "</div>"]) + "\n"


# ── BBCode ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_BB_BRACKETS: Final = str.maketrans("[]", "［］")


def _bb(text: str) -> str:
    return text.translate(_BB_BRACKETS)


def _bb_inline(inline: Inline) -> str:
    said = []
    for part in _parts(inline):
        if isinstance(part, str):
            said.append(_bb(part))
        elif part.kind == "s":
            said.append(f"[s]{_bb(part.text)}[/s]")
        elif part.kind in ("b", "tag solid") or part.kind.startswith("fac"):
            said.append(f"[b]{_bb(part.text)}[/b]")
        elif part.kind.startswith("card"):
            colour = {"card blue": "blue", "card yellow": "#b58900", "card red": "#8b0000"}[part.kind]
            said.append(f"[color={colour}]{_bb(part.text)}[/color]")
        else:
            said.append(_bb(plain((part,))))
    return "".join(said)


def _bbcode(document: Document) -> str:
    hinted = _hints(document)
    out = [f"[b][size=5]{_bb(document.title)}[/size][/b]", _bb(document.note), ""]

    def listed(lines: Sequence[str], kind: str = "") -> list[str]:
        return [f"[list{kind}]", *(f"[*]{line}" for line in lines), "[/list]", ""]

    def entry(head: str, anchor: str, body: Iterable[str], tag: str = "") -> str:
        cited = f"〔{_bb(anchor)}〕" if anchor and anchor != head else ""
        title = f"[b]{_bb(head)}[/b]" if head else ""
        return "\n".join([f"{title}{cited}{f'（{_bb(tag)}）' if tag else ''}", *body])

    def block(block: Block) -> None:
        match block:
            case Para(text, _):
                out.extend([_bb_inline(text), ""])
            case Heading(text):
                out.extend([f"[b]{_bb(text)}[/b]", ""])
            case Terms(items):
                out.extend(listed([entry(plain(t.head), t.anchor, map(_bb_inline, t.body)) for t in items]))
            case Items(entries):
                out.extend(listed([_bb_inline(line) for line in entries]))
            case Steps(items):
                out.extend(listed([entry(plain(t.head), t.anchor, map(_bb_inline, t.body)) for t in items], "=1"))
            case Table(head, rows, _):
                cells = [*(f"[td][b]{_bb(title)}[/b][/td]" for title in head)]
                out.append("[table=98%]")
                out.append(f"[tr]{''.join(cells)}[/tr]")
                out.extend(f"[tr]{''.join(f'[td]{_bb_inline(cell)}[/td]' for cell in row)}[/tr]" for row in rows)
                out.extend(["[/table]", ""])
            case Forms(forms):
                for form in forms:
                    out.append(f"[b]{_bb(form.name)}[/b]{_bb(hinted(form.hint))}")
                    shown = [f"{label}{_bb(value)}" for label, value, _ in form.lines]
                    out.append("\n".join(["[quote]", *shown, "[/quote]"]))
                out.append("")
            case Choices(choices):
                out.extend(listed([entry(plain(c.title), c.anchor, map(_bb_inline, c.body), c.tag) for c in choices]))
            case Plan():
                pass

    for lead in document.lead:
        block(lead)
    out.append(f"[b]{_bb(document.contents)}[/b]")
    out.extend(listed([_bb(section.title) for section in document.sections], "=1"))
    for number, section in enumerate(document.sections, 1):
        note = f"（{_bb(section.note)}）" if section.note else ""
        out.extend(["", f"[b][size=4]{number}. {_bb(section.title)}[/size][/b]{note}", ""])
        for part in section.blocks:
            block(part)
    return _tidy(out)
