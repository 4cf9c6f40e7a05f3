"""Names that are scripts, tags and links, in every page, in a real browser: nothing runs, nothing is asked for."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import lagrangian as lg
from lagrangian.viewer.live import view
from tests.test_hostile_names import IMAGE, SAID, SCRIPT, mechanism, pages


@pytest.fixture(scope="module")
def motion() -> lg.Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lg.simulate(mechanism(), 0.2, [0.1, 0.2, 0.0], t_eval=5, events=[lg.Event("t - 0.05", name=IMAGE)])


def looked_at(browser_tab: Any, address: str) -> list[str]:
    """Open a page, and tell what dialogs came up."""
    dialogs: list[str] = []
    browser_tab.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    browser_tab.page.goto(address)
    browser_tab.page.locator("canvas").first.wait_for(state="attached")
    browser_tab.page.wait_for_timeout(300)
    return dialogs


def test_pages_do_nothing(browser_tab: Any, motion: lg.Motion, tmp_path: Path) -> None:
    from lagrangian.report.tour.tour import tour_page

    result = pages(motion, tmp_path)
    for page in result:
        assert looked_at(browser_tab, page.as_uri()) == []
        assert browser_tab.page.evaluate("typeof pwned") == "undefined"
    assert (
        SAID[:25] in browser_tab.page.content() or SCRIPT in browser_tab.page.title() or browser_tab.page.title() == motion.name
    )
    (tmp_path / "index.html").write_text(tour_page([], [(SCRIPT, IMAGE)], 1.0), encoding="utf-8")
    browser_tab.page.goto((tmp_path / "index.html").as_uri())
    assert browser_tab.page.evaluate("typeof pwned") == "undefined"
    assert SCRIPT in browser_tab.page.locator("body").inner_text()
    assert browser_tab.foreign() == []
    assert not any("nowhere" in url for url in browser_tab.requests)


@pytest.mark.parametrize("what", ["mechanism", "motion"])
def test_the_viewer_does_nothing(browser_tab: Any, motion: lg.Motion, what: str) -> None:
    with view(motion if what == "motion" else mechanism(), browser=False, block=False) as viewer:
        assert looked_at(browser_tab, viewer.url) == []
        browser_tab.page.get_by_text("Axes of bodies").first.wait_for()
        assert browser_tab.page.evaluate("typeof pwned") == "undefined"
        own = (viewer.url, viewer.url.replace("http", "ws").rstrip("/"), "data:", "blob:")
    assert browser_tab.foreign(own) == []
    assert not any("nowhere" in url for url in browser_tab.requests)
