"""The forms of a rendered page, as a browser without script would send them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any


@dataclass
class Control:
    """An input or a button: type, name, value, and whether it is checked or disabled."""

    kind: str
    name: str
    value: str
    on: bool = False
    off: bool = False


@dataclass
class Form:
    """A form: where it goes and its controls; `text`: the words between them."""

    action: str
    method: str
    controls: list[Control] = field(default_factory=list)
    text: str = ""

    def data(self, button: Control | None = None, /, **chosen: Any) -> dict[str, list[str]]:
        """What is sent: hidden and checked controls, those of `chosen` set instead, and the button pressed."""
        sent: dict[str, list[str]] = {}
        for control in self.controls:
            if control.name in chosen or control.off or control.kind == "submit" or not control.name:
                continue
            if control.kind not in ("radio", "checkbox") or control.on:
                sent.setdefault(control.name, []).append(control.value)
        for name, values in chosen.items():
            sent[name] = [str(x) for x in (values if isinstance(values, list) else [values])]
        if button is not None and button.name:
            sent[button.name] = [button.value]
        return sent

    def options(self, name: str, off: bool = False) -> list[int]:
        """The seats a choice offers (`off`: those it does not)."""
        return [int(c.value) for c in self.controls if c.name == name and c.value.isdigit() and c.off == off]

    def button(self, name: str) -> Control | None:
        """The button of this name."""
        return next((c for c in self.controls if c.kind == "submit" and c.name == name), None)

    def values(self, name: str) -> list[str]:
        """The values of the hidden controls of this name."""
        return [c.value for c in self.controls if c.name == name and c.kind == "hidden"]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.form: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        if tag == "form":
            self.form = Form(at.get("action") or "", at.get("method") or "get")
            self.forms.append(self.form)
        elif self.form is not None and tag in ("input", "button", "textarea"):
            kind = "submit" if tag == "button" else at.get("type") or "text"
            on, off = "checked" in at, "disabled" in at
            self.form.controls.append(Control(kind, at.get("name") or "", at.get("value") or "", on, off))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None

    def handle_data(self, data: str) -> None:
        if self.form is not None:
            self.form.text += data


def forms(html: str) -> list[Form]:
    """Every form of a page."""
    reader = _Reader()
    reader.feed(html)
    return reader.forms


def skill_form(html: str, index: int) -> Form:
    """The form of a letter in which this skill is handed in."""
    return next(form for form in forms(html) if str(index) in form.values("skill"))
