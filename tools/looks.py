"""Looks at every page of the town: phone and desktop, by day and by night. No fault of access, no error on the console.

    python tools/looks.py [--only WORD] [--pictures]

The pages come from the router: each address for each kind of viewer it answers, in a game that has something to show there.
axe runs on each of them in four looks. With `--pictures` docs/pictures/ is drawn anew.
"""

from __future__ import annotations

import argparse
import io
import logging
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PICTURES = ROOT / "docs" / "pictures"
EVERY = ("day", "night", "dusk", "election", "many", "over", "setup", "signup", "ceremony", "draft")
SCENES = {
    "town:hub": EVERY, "town:thread": EVERY, "town:ballot": EVERY, "town:letter": EVERY, "desk:desk": EVERY, "town:lastwords": EVERY,
    "town:deal": ("ceremony", "over", "signup"), "town:signup": ("signup", "ceremony", "day"), "town:edit": ("draft", "signup"),
    "town:people": ("signup", "ceremony", "draft"), "town:hole": ("day", "over"), "town:den": ("night", "over"),
}  # fmt: skip
"""Where an address's page differs from phase to phase, the scenes it is looked at in; others in the first that has them."""
NOBODY = "/nothing-stands-here/"
COLOURS = 64


class Page(NamedTuple):
    """A page to look at: its address's name, the scene and the kind of viewer, and the path."""

    address: str
    scene: str
    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.address} ({self.kind}, {self.scene}) {self.path}"


class Fault(NamedTuple):
    """Something wrong with a page: `rule` of axe, `too-wide`, or `console`; and where."""

    page: Page
    look: str
    rule: str
    where: str


def pages(scenes: Mapping[str, Any], clock: Any, only: str = "") -> list[Page]:
    """Every page of the router that answers: in the scene `day` for visitors, players, directors; elsewhere for whom it is.
    `only`: those whose address holds this word."""
    from tests.support import router

    found = [Page("404", "day", "visitor", NOBODY)] if only in "404" else []
    answers = _answers(scenes, clock)
    for address in router.addresses():
        if only not in address.name:
            continue
        in_game = "game" in address.parameters
        for name in SCENES.get(address.name, EVERY if in_game else EVERY[:1]):
            seen = any(page.address == address.name for page in found)
            if name not in scenes or (seen and address.name not in SCENES):
                continue
            for path in router.paths(address, scenes[name]):
                found += [Page(address.name, name, kind, path) for kind in _kinds(address, name, path, answers)]
    return found


def _kinds(address: Any, scene: str, path: str, answers: Any) -> list[str]:
    """Whom a path is looked at for: in the scene `day` everybody whose page differs, elsewhere the player before others."""
    kinds = [kind for kind in ("visitor", "player", "director") if answers(scene, kind, path)]
    kinds = kinds or [kind for kind in ("member", "manager") if answers(scene, kind, path)][:1]
    if scene == "day" and address.ours:
        return kinds
    return ["player"] if "player" in kinds else kinds[-1:]


def _answers(scenes: Mapping[str, Any], clock: Any) -> Any:
    """Whether a path answers a kind of viewer with a page."""
    from tests.support.town import client

    def answers(name: str, kind: str, path: str) -> bool:
        clock.set(scenes[name].moment)
        visitor = client(scenes[name].account(kind))
        visitor.raise_request_exception = False
        answer = visitor.get(path)
        return bool(answer.status_code == 200 and answer.headers.get("Content-Type", "").startswith("text/html"))

    return answers


class Looker:
    """Opens pages in one browser: a context for each viewer and sky, kept until `end`."""

    def __init__(self, browser: Any, town: Any, scenes: Mapping[str, Any], clock: Any) -> None:
        self.browser = browser
        self.town = town
        self.scenes = scenes
        self.clock = clock
        self._open: dict[tuple[str, str], tuple[Any, Any]] = {}
        self._errors: list[str] = []
        self._loading = ""

    def end(self) -> None:
        """Close every context."""
        for context, _tab in self._open.values():
            context.close()
        self._open.clear()

    def tab(self, account: str, look: Any) -> Any:
        """The tab of this viewer under this sky."""
        from tests.browser.stage import visitor

        if (account, look.sky) not in self._open:
            context = visitor(self.browser, self.town, account, look)
            tab = context.new_page()
            tab.on("pageerror", lambda error: self._errors.append(str(error)))
            tab.on("console", self._console)
            self._open[account, look.sky] = (context, tab)
        return self._open[account, look.sky][1]

    def _console(self, message: Any) -> None:
        if message.type == "error" and not (self._loading.endswith(NOBODY) and message.location.get("url", "").endswith(NOBODY)):
            self._errors.append(f"{message.text} {message.location.get('url', '')}")

    def open(self, page: Page, look: Any) -> Any:
        """The page under this sky."""
        scene = self.scenes[page.scene]
        for _context, other in self._open.values():  # a page left open would ask for its stream again, at another scene's time
            if other.url != "about:blank":
                other.goto("about:blank")
        self.clock.set(scene.moment)
        tab = self.tab(scene.account(page.kind), look)
        self._errors.clear()
        self._loading = page.path
        tab.goto(page.path)
        return tab

    def look(self, page: Page, looks: Sequence[Any]) -> list[Fault]:
        """Every fault of a page. Looks under the same sky share one loading."""
        from axe_playwright_python.sync_playwright import Axe

        faults: list[Fault] = []
        last = None
        for look in sorted(looks, key=lambda look: look.sky):
            if last != look.sky:
                tab = self.open(page, look)
                last = look.sky
            tab.set_viewport_size({"width": look.size[0], "height": look.size[1]})
            for violation in Axe().run(tab).response["violations"]:
                faults += [Fault(page, look.name, violation["id"], f"{node['target']}: {_short(node)}") for node in violation["nodes"]]
            wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                faults.append(Fault(page, look.name, "too-wide", f"{wide} px"))
            faults += [Fault(page, look.name, "console", error) for error in self._errors]
            self._errors.clear()
        return faults

    def picture(self, page: Page, look: Any) -> bytes:
        """A picture of a page in few colours, at most two windows high."""
        from PIL import Image

        tab = self.open(page, look)
        tab.set_viewport_size({"width": look.size[0], "height": look.size[1]})
        high = max(look.size[1], min(tab.evaluate("document.documentElement.scrollHeight"), 2 * look.size[1]))
        tab.set_viewport_size({"width": look.size[0], "height": high})  # what sticks to the lower edge is to stand there
        shot = tab.screenshot(animations="disabled")
        small = io.BytesIO()
        Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
        return small.getvalue()


def _short(node: Mapping[str, Any]) -> str:
    told = [item["message"] for kind in ("any", "all", "none") for item in node.get(kind, [])]
    return " ".join(told[:1])[:160]


def told(faults: Iterable[Fault]) -> list[str]:
    """The faults by page, rule and place, each once."""
    return sorted({f"{fault.page} [{fault.look}] {fault.rule}: {fault.where}" for fault in faults})


def summary(count: int, looks: int, faults: Sequence[Fault]) -> str:
    """`N pages × 4 looks, 0 axe violations, 0 console errors`."""
    console = len(told(fault for fault in faults if fault.rule == "console"))
    return f"{count} pages × {looks} looks, {len(told(faults)) - console} axe violations, {console} console errors"


MAIN = ("town:front", "town:hub", "town:thread", "town:ballot", "town:letter", "town:rules", "town:deal", "town:edit", "desk:desk")
"""Addresses that are pictured in every look."""


def draw(looker: Looker, found: Sequence[Page]) -> int:
    """Draw a picture of every address: on a phone, by night where the scene is a night; the main ones in every look."""
    from tests.browser.stage import LOOKS

    for old in PICTURES.glob("*.png"):
        old.unlink()
    best: dict[str, Page] = {}
    for page in found:
        name = page.address.rpartition(":")[2].removeprefix("account_").replace("_", "-")
        first = next(other.scene for other in found if other.address == page.address)
        name += "" if page.scene == first else f"-{page.scene}"
        if name not in best or best[name].kind == "visitor":
            best[name] = page
    drawn = 0
    for name, page in best.items():
        sky = "dark" if page.scene in ("night", "dusk", "many") else "light"
        for look in LOOKS:
            if (page.address in MAIN and "-" not in name) or (look.sky == sky and look.name.startswith("phone")):
                (PICTURES / f"{name}-{look.name.replace(' ', '-')}.png").write_bytes(looker.picture(page, look))
                drawn += 1
    return drawn


def main(arguments: list[str]) -> int:
    """Look at every page; returns 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="pages whose address holds this word")
    parser.add_argument("--pictures", action="store_true", help="draw docs/pictures/ anew instead")
    chosen = parser.parse_args(arguments)

    from tests.browser import scenes, stage
    from tests.support.town import Clock

    stage.prepare()
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # which page answers whom is asked by trying
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(Path(folder))
        made = scenes.scenes(clock)
        found = pages(made, clock, chosen.only)
        town = stage.Town(Path(folder, "log"))
        faults: list[Fault] = []
        try:
            with stage.chromium() as browser:
                looker = Looker(browser, town, made, clock)
                if chosen.pictures:
                    print(f"{draw(looker, found)} pictures")
                else:
                    for page in found:
                        here = looker.look(page, stage.LOOKS)
                        for line in told(here):
                            print(line, flush=True)
                        faults += here
                looker.end()
        finally:
            town.end()
    if not chosen.pictures:
        print(summary(len(found), len(stage.LOOKS), faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
