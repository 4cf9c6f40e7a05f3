"""The slides of a lecture in a browser: all of each slide is seen, keys and touch turn them, and nothing is fetched."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import BrowserTab, until

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
NOTEBOOK = DOCS / "lectures" / "2_two_link_arm.ipynb"
SEEN = """sections.map((section, i) => {
  section.classList.add("shown");
  const boxes = [...section.querySelectorAll(".equation, .code")];
  const more = section.scrollHeight > section.clientHeight || boxes.some((it) => it.scrollWidth > it.clientWidth + 1);
  section.classList.toggle("shown", i === now);
  return more;
})"""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    pytest.importorskip("myst_parser")
    import slides

    slides.write(NOTEBOOK, tmp_path / "deck.html")
    return tmp_path / "deck.html"


def test_slides_are_turned_by_keys(browser_tab: BrowserTab, deck: Path) -> None:
    page = browser_tab.page
    page.goto(deck.as_uri())
    count = page.evaluate("sections.length")
    assert count >= 15
    assert page.evaluate(SEEN) == [False] * count
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 24
    for key, shown in (("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1), ("End", count - 1), ("Home", 0)):
        page.keyboard.press(key)
        assert page.evaluate("now") == shown
    page.evaluate("show(3)")  # has fragments: these come first
    page.keyboard.press("Space")
    assert page.evaluate("[now, sections[now].querySelectorAll('.fragment.seen').length]") == [3, 1]
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.classList.contains('dark')")
    animated = page.evaluate("sections.findIndex((it) => it.querySelector('iframe'))")
    page.evaluate(f"show({animated})")
    assert until(page, lambda: len(page.frames) > 1 and page.frames[1].locator("canvas").count() > 0)
    assert not browser_tab.foreign((*("file:", "data:", "blob:"), "about:"))
    assert not [message for message in browser_tab.complaints if message.startswith("error")]


def test_slides_print_one_a_page(browser_tab: BrowserTab, deck: Path) -> None:
    page = browser_tab.page
    page.goto(deck.as_uri())
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == page.evaluate("sections.length")


def test_slides_on_a_narrow_screen(browser_tab: BrowserTab, deck: Path) -> None:
    page = browser_tab.page
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(deck.as_uri())
    for number in range(page.evaluate("sections.length")):
        page.evaluate(f"show({number})")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
