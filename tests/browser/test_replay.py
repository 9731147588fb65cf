"""The replay in a browser: the slider moves in place, keys and links and the eyes of others, without JavaScript too; and 240 steps
of a long game on a processor four times slower, no task longer than a tenth of a second."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.stage import DESKTOP, PHONE, Look, Town, visitor
from tests.support.long_game import in_town
from tests.support.town import Clock

pytestmark = [pytest.mark.process, pytest.mark.slow]

STEPS = 240
SLOWER = 4
LONGEST = 100
"""Milliseconds a task may take."""


@pytest.fixture(scope="module")
def played(clock: Clock) -> Any:
    """The long game, in the town."""
    return in_town(clock)


def opened(browser: Any, town: Town, address: str, size: tuple[int, int] = DESKTOP, script: bool = True) -> Any:
    """A tab on this address, once its script has its data."""
    tab = visitor(browser, town, "", Look("", size, "light"), script).new_page()
    tab.goto(address)
    if script:
        tab.wait_for_selector("form[data-ready]")
    return tab


SHOWN = """() => {
  const words = (node) => node.textContent.replace(/\\s+/g, " ").trim(), all = (what) => [...document.querySelectorAll(what)];
  return {
    now: words(document.querySelector("[data-now]")),
    when: words(document.querySelector("label [data-when]")),
    seats: all(".seats tbody tr").map((row) => row.className + "|" + words(row)),
    colours: all(".seats .fac, .seats .card").map((node) => node.className),
    steps: all(".steps > li").map((step) => step.className + "|" + words(step)),
    here: words(document.querySelector("[data-here]")),
    votes: all(".flow [data-k]").map((node) => [node.dataset.k, node.getAttribute("class"), node.getAttribute("aria-label"), words(node)]),
    notes: all(".note-of").filter((note) => !note.hidden).map(words),
    letter: all(".letter [data-k]").map(words),
    day: words(document.querySelector(".moments [aria-current]")),
  };
}"""


def shown(tab: Any) -> dict[str, Any]:
    """What the page shows of a moment, told apart from how."""
    return dict(tab.evaluate(SHOWN))


def test_steps_of_a_long_game_on_a_slow_processor_have_no_long_task(
    browser: Any, town: Town, played: Any, says: Callable[[str], None], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Each step is waited for until everything of its moment is painted. The time of a task is its thread's own, slowed down and
    all: on a shared machine the clock on the wall counts what the neighbours do. The short form takes longer strides."""
    steps = STEPS if request.config.getoption("--long") else STEPS // 4
    tab = opened(browser, town, f"/g/{played.pk}/replay/")
    tab.wait_for_load_state("networkidle")
    tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    trace = tmp_path / "trace.json"
    browser.start_tracing(page=tab, path=trace, categories=["toplevel", "devtools.timeline"])
    found = tab.evaluate(
        """async (steps) => {
          const tasks = [], slider = document.querySelector("#t"), form = slider.form, names = new Set(), places = new Set();
          new PerformanceObserver((list) => list.getEntries().forEach((task) => tasks.push(task.duration))).observe({ type: "longtask" });
          const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          for (let step = 1; step <= steps; step += 1) {
            slider.value = Math.round((step * Number(slider.max)) / steps);
            places.add(slider.value);
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            for (let tries = 0; form.dataset.shown !== slider.value && tries < 60; tries += 1) await frame();
            if (form.dataset.shown !== slider.value) return { stuck: slider.value };
            names.add(document.querySelector("[data-now]").textContent + document.querySelector("label [data-when]").textContent);
          }
          return { tasks, places: places.size, names: names.size };
        }""",
        steps,
    )
    browser.stop_tracing()
    assert "stuck" not in found, found
    tasks = _tasks(trace)
    says(
        f"{steps} steps, longest task {max(tasks):.0f} ms of processor time at {SLOWER}x throttle "
        f"({max(found['tasks'], default=0):.0f} ms on the wall clock of this machine)"
    )
    assert len(tasks) > 3 * steps
    assert found["places"] == steps
    assert found["names"] > steps * 0.9  # every step showed its moment
    assert max(tasks) <= LONGEST
    tab.context.close()


def _tasks(trace: Path) -> list[float]:
    """The processor time of every task of the page's main thread, in milliseconds."""
    events = json.loads(trace.read_text("utf-8"))["traceEvents"]
    frames = Counter((event["pid"], event["tid"]) for event in events if event.get("name") == "FireAnimationFrame")
    (main, _count), *_ = frames.most_common(1)
    return [
        event.get("tdur", 0) / 1000
        for event in events
        if event.get("ph") == "X" and event["name"].endswith("RunTask") and (event["pid"], event["tid"]) == main
    ]


@pytest.mark.parametrize("eyes", ["", "7", "public"])
def test_a_moment_looks_the_same_whoever_made_it(browser: Any, town: Town, played: Any, eyes: str) -> None:
    more = f"&as={eyes}" if eyes else ""
    moving = opened(browser, town, f"/g/{played.pk}/replay/?{more[1:]}")
    plain = opened(browser, town, f"/g/{played.pk}/replay/?{more[1:]}", script=False)
    marks = [mark[0] for mark in moving.request.get(f"/g/{played.pk}/replay/data/?{more[1:]}").json()["marks"]]
    for t in (3, 40, 61, len(marks) // 2, len(marks) - 1):
        moving.evaluate(
            "(t) => { const s = document.querySelector('#t'); s.value = t; s.dispatchEvent(new Event('input', {bubbles: true})); }", t
        )
        moving.wait_for_selector(f"form[data-shown='{t}']")
        plain.goto(f"/g/{played.pk}/replay/?t={marks[t]}{more}")
        assert shown(moving) == shown(plain), f"moment {t} as {eyes or 'all'}"
    moving.wait_for_url(f"**/replay/?t={marks[-1]}{more}")
    moving.reload()
    moving.wait_for_selector("form[data-ready]")
    assert shown(moving) == shown(plain)
    moving.context.close()
    plain.context.close()


def test_keys_links_and_play(browser: Any, town: Town, played: Any) -> None:
    from playwright.sync_api import expect

    tab = opened(browser, town, f"/g/{played.pk}/replay/")
    slider, here, name = tab.locator("#t"), tab.locator(".moments [aria-current]"), tab.locator("[data-now]")
    said = slider.get_attribute("aria-valuetext")
    slider.focus()
    tab.keyboard.press("ArrowRight")
    expect(slider).to_have_value("1")
    expect(slider).not_to_have_attribute("aria-valuetext", said)
    tab.keyboard.press("PageDown")
    expect(here).to_have_text("零夜")
    tab.keyboard.press("End")
    expect(name).to_contain_text("终局")
    tab.keyboard.press("Home")
    expect(slider).to_have_value("0")
    tab.keyboard.press("j")
    expect(slider).to_have_value("1")
    tab.locator("body").press("ArrowRight")
    expect(slider).to_have_value("2")
    tab.keyboard.press("k")
    expect(slider).to_have_value("1")
    tab.keyboard.press("?")
    expect(tab.locator("#keys")).to_be_visible()
    tab.keyboard.press("?")
    expect(tab.locator("#keys")).not_to_be_visible()
    tab.locator(".moments a", has_text="三日").click()
    expect(tab.locator("[data-span]")).to_have_text("第三日")
    expect(tab.locator("[data-play]")).not_to_be_visible()  # less motion was asked for
    tab.emulate_media(reduced_motion="no-preference")
    before = slider.input_value()
    tab.locator("[data-play]").click()
    expect(slider).not_to_have_value(before)
    tab.emulate_media(reduced_motion="reduce")
    expect(tab.locator("[data-play]")).not_to_be_visible()
    tab.locator("select[name=as]").select_option("7")
    tab.wait_for_url("**as=7")
    expect(tab.locator(".letter h2")).to_have_text("7 号当时的信")
    tab.context.close()


def test_on_a_phone_nothing_is_wider_and_the_slider_stays_in_sight(browser: Any, town: Town, played: Any) -> None:
    tab = opened(browser, town, f"/g/{played.pk}/replay/?t=330", PHONE)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert tab.evaluate(wide) == 0
    tab.evaluate("document.querySelector('.seats').scrollIntoView()")
    box = tab.locator("#t").bounding_box()
    assert box is not None and box["y"] >= 0 and box["y"] + box["height"] < PHONE[1] / 3
    heights = tab.evaluate("[...document.querySelectorAll('.flow text')].map((node) => node.getBoundingClientRect().height)")
    assert heights and min(heights) >= 9
    tab.context.close()
