"""Reports in a real browser: they play, their equations can be seen, they fit wide and narrow windows, and fetch nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.report.equations_section import EQUATIONS
from lagrangian.report.html import Html
from lagrangian.report.page import PageSection, render_page
from lagrangian.report.subject import ReportSubject
from lagrangian.report.write import write_report
from tests.browser.conftest import BrowserTab, until

WIDTHS = (1200, 400)
OVERFLOW = "() => document.documentElement.scrollWidth - window.innerWidth"
# what a reader cannot see: formulas that are not folded away and yet have no size
INVISIBLE = """() => [...document.querySelectorAll('math')].filter(m => {
  const box = m.getBoundingClientRect();
  return !m.closest('details:not([open])') && (box.width < 2 || box.height < 4);
}).map(m => m.outerHTML.slice(0, 200))"""
# formulas that stick out of what holds them, where that does not scroll
STICKING_OUT = """() => [...document.querySelectorAll('main *')].filter(e => {
  const box = e.getBoundingClientRect();
  const scrolls = e.closest('.wide, .display, .rhs, .pair, pre, figure, .lagrangian-player');
  return box.width && box.right > window.innerWidth + 1 && !scrolls;
}).map(e => e.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed loop, and equations with everything in them."""
    motion = lg.simulate(lg.library("four_bar"), 1.0, t_eval=101)
    return write_report(motion, tmp_path_factory.mktemp("report") / "four_bar.html")


@pytest.fixture(scope="module")
def puma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long formulas, which have to be broken."""
    motion = lg.simulate(lg.library("puma560"), 0.01, t_eval=2)
    body = EQUATIONS.make(ReportSubject(motion))
    assert body is not None
    file = tmp_path_factory.mktemp("report") / "puma.html"
    file.write_text(render_page("puma560", Html(""), [PageSection(EQUATIONS.id, EQUATIONS.title, body)]), encoding="utf-8")
    return file


def visit(browser_tab: BrowserTab, page: Path, width: int = 1200) -> Any:
    browser_tab.page.set_viewport_size({"width": width, "height": 700})
    browser_tab.page.goto(page.as_uri())
    return browser_tab.page


def quiet(browser_tab: BrowserTab) -> None:
    assert browser_tab.complaints == []
    assert browser_tab.foreign() == []
    assert [url for url in browser_tab.requests if url.startswith("file:")] == [browser_tab.page.url.split("#")[0]]


def test_it_plays_and_fetches_nothing(browser_tab: BrowserTab, report: Path) -> None:
    page = visit(browser_tab, report)
    player = "Object.values(lagrangianPlayers)[0]"
    page.wait_for_function(f"() => {player}.drawn && {player}.time > 0.1")
    assert page.locator("h1").inner_text() == "four_bar"
    assert page.locator("header .badge.good").count() == 3
    quiet(browser_tab)


def test_contents_lead_to_the_sections(browser_tab: BrowserTab, report: Path) -> None:
    page = visit(browser_tab, report)
    links = page.locator("nav.toc ol a")
    assert links.count() == page.locator("section").count() > 6
    links.filter(has_text="Energy").click()
    page.wait_for_function("() => Math.abs(document.querySelector('#energy').getBoundingClientRect().top) < 120")
    assert page.locator("nav.toc").bounding_box()["y"] >= 0  # it stays in sight
    for image in page.locator("figure img").all():
        assert until(page, lambda image=image: image.evaluate("e => e.complete && e.naturalWidth > 100"))
        assert image.get_attribute("alt")
    quiet(browser_tab)


@pytest.mark.parametrize("width", [1280, 1000])
def test_tables_and_plots_fill_the_column(browser_tab: BrowserTab, report: Path, width: int) -> None:
    page = visit(browser_tab, report, width)
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = "() => [...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
    assert page.evaluate(wide) == []
    sizes = "() => [...document.querySelectorAll('figure img')].map(e => e.clientWidth / e.closest('section').clientWidth)"
    assert min(page.evaluate(sizes)) > 0.98


def test_a_still_until_the_player_draws(browser_tab: BrowserTab, report: Path) -> None:
    """It lies behind the player: seen before that draws, and not after."""
    page = visit(browser_tab, report)
    layers = page.evaluate(
        "() => ['.print', '.lagrangian-player'].map(s => +getComputedStyle(document.querySelector('.stage ' + s)).zIndex)"
    )
    assert layers[0] < layers[1]
    still = page.locator(".stage .print")
    assert until(page, lambda: still.evaluate("e => e.complete && e.naturalWidth > 100 && e.clientWidth > 100"))


def test_brackets_are_as_high_as_fractions(browser_tab: BrowserTab, report: Path) -> None:
    page = visit(browser_tab, report)
    low = page.evaluate(
        """() => [...document.querySelectorAll('#equations mrow')].filter(m => m.getBoundingClientRect().height
          && m.firstElementChild?.textContent === '(' && m.lastElementChild?.textContent === ')' && m.querySelector('mfrac'))
          .map(m => [m.firstElementChild, m.querySelector('mfrac')].map(e => e.getBoundingClientRect().height))
          .map(([bracket, fraction]) => bracket / fraction)"""
    )
    assert low
    assert min(low) > 0.95


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("which", ["report", "puma"])
def test_formulas_are_seen_and_fit(browser_tab: BrowserTab, which: str, width: int, request: pytest.FixtureRequest) -> None:
    page = visit(browser_tab, request.getfixturevalue(which), width)
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.locator("math").count() > 40
    assert page.evaluate(INVISIBLE) == []
    assert page.evaluate(OVERFLOW) <= 0
    assert page.evaluate(STICKING_OUT) == []
    if which == "puma":
        lines = page.evaluate("() => Math.max(...[...document.querySelectorAll('.rhs')].map(e => e.offsetHeight))")
        assert lines > 100  # the longest goes over several lines
    quiet(browser_tab)


def test_a_fraction_is_set_as_one(browser_tab: BrowserTab, report: Path) -> None:
    """MathML is laid out, not written one after the other: what stands above a line is above what stands below."""
    page = visit(browser_tab, report)
    boxes = page.evaluate(
        "() => { const f = document.querySelector('#equations mfrac'); "
        "return [...f.children].map(e => e.getBoundingClientRect()).map(b => [b.top, b.bottom]); }"
    )
    (_, above), (below, _) = boxes
    assert above <= below + 1
    dots = page.evaluate(
        "() => { const f = document.querySelector('#equations mover'); "
        "return [...f.children].map(e => e.getBoundingClientRect()).map(b => b.top); }"
    )
    assert dots[1] < dots[0]  # a rate's dot is above its letter


def test_a_dark_browser_shows_a_dark_report(browser_tab: BrowserTab, report: Path) -> None:
    browser_tab.page.emulate_media(color_scheme="dark")
    page = visit(browser_tab, report)
    background, ink = page.evaluate("() => { const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]; }")
    assert sum(map(int, background[4:-1].split(","))) < 150
    assert sum(map(int, ink[4:-1].split(","))) > 600
    quiet(browser_tab)


def test_on_paper(browser_tab: BrowserTab, report: Path) -> None:
    browser_tab.page.emulate_media(media="print")
    page = visit(browser_tab, report)
    assert not page.locator("nav.toc").is_visible()
    assert not page.locator(".lagrangian-player").first.is_visible()
    assert page.locator(".stage .print").is_visible()
    pdf = page.pdf(format="A4")
    assert pdf[:5] == b"%PDF-"
    assert len(pdf) > 50_000


def test_names_do_not_run(browser_tab: BrowserTab, tmp_path: Path) -> None:
    wicked = "<img src=x onerror=\"alert('x')\"><script>alert('y')</script>"
    model = lg.library("pendulum").replace(name=wicked, description=f"{wicked}.", source=wicked)
    spoken: list[str] = []
    browser_tab.page.on("dialog", lambda dialog: (spoken.append(dialog.message), dialog.dismiss()))
    page = visit(browser_tab, write_report(lg.simulate(model, 0.1, t_eval=5), tmp_path / "page.html"))
    page.wait_for_function("() => Object.values(lagrangianPlayers)[0].drawn")
    assert spoken == []
    assert page.locator("h1").inner_text() == wicked
    quiet(browser_tab)


# -- light and dark ----------------------------------------------------------------------------------------------------


def brightness(page: Any, selector: str) -> float:
    """Of most of what is seen of an element, 0 to 1."""
    import io

    from PIL import Image

    data = page.locator(selector).first.screenshot()
    return float(np.median(np.asarray(Image.open(io.BytesIO(data)).convert("L")))) / 255


def test_dark_pages_are_dark_throughout_and_light_on_paper(browser_tab: BrowserTab, report: Path) -> None:
    page = visit(browser_tab, report)
    shown = ("header .quiet", "#joints figure", "#energy figure", ".stage .print")
    page.evaluate("() => document.querySelectorAll('.stage .lagrangian-player').forEach(e => e.replaceChildren())")
    for scheme, media, light in (("light", "screen", True), ("dark", "screen", False), ("dark", "print", True)):
        page.emulate_media(color_scheme=scheme, media=media)
        for selector in shown if media == "screen" else shown[1:]:
            actual = brightness(page, selector)
            assert (actual > 0.9) if light else (actual < 0.15), (scheme, media, selector, actual)
    quiet(browser_tab)


# how far exponents begin above their letters, with a dot on these and without it
EXPONENTS = """() => [...document.querySelectorAll('#equations msubsup')].filter(s => s.querySelector('mover')).map(s => {
  const above = letter => letter.getBoundingClientRect().top - s.lastElementChild.getBoundingClientRect().top;
  const mover = s.querySelector('mover'), dotted = above(mover.firstElementChild);
  const letter = mover.firstElementChild.cloneNode(true);
  s.firstElementChild.replaceWith(letter);
  return [dotted, above(letter)];
})"""


def test_dots_are_above_their_letter_alone(browser_tab: BrowserTab, report: Path) -> None:
    page = visit(browser_tab, report)
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    values = page.evaluate(
        """() => [...document.querySelectorAll('#equations mover')].filter(m => m.closest('msub, msubsup')).map(m => {
          const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom]; };
          const scripts = m.closest('msub, msubsup');
          return [...m.children, ...[...scripts.children].slice(1)].map(box);
        })"""
    )
    assert len(values) > 10
    assert any(len(row) == 4 for row in values)
    for letter, dot, index, *_ in values:
        middle = (dot[0] + dot[1]) / 2
        assert letter[0] < middle < letter[1]  # it is above the letter
        assert dot[1] <= index[0] + 1  # and not above the index
        assert dot[3] <= letter[2] + 2
    for dotted, plain in page.evaluate(EXPONENTS):  # which the dot does not push up, whatever the font
        assert dotted == pytest.approx(plain, abs=2)
