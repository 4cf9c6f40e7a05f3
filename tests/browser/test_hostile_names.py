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


def looked_at(watched: Any, address: str) -> list[str]:
    """Open a page, and tell what dialogs came up."""
    dialogs: list[str] = []
    watched.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    watched.page.goto(address)
    watched.page.locator("canvas").first.wait_for(state="attached")
    watched.page.wait_for_timeout(300)
    return dialogs


def test_pages_do_nothing(watched: Any, motion: lg.Motion, tmp_path: Path) -> None:
    from lagrangian.report.tour.tour import tour_page

    result = pages(motion, tmp_path)
    for page in result:
        assert looked_at(watched, page.as_uri()) == []
        assert watched.page.evaluate("typeof pwned") == "undefined"
    assert SAID[:25] in watched.page.content() or SCRIPT in watched.page.title() or watched.page.title() == motion.name
    (tmp_path / "index.html").write_text(tour_page([], [(SCRIPT, IMAGE)], 1.0), encoding="utf-8")
    watched.page.goto((tmp_path / "index.html").as_uri())
    assert watched.page.evaluate("typeof pwned") == "undefined"
    assert SCRIPT in watched.page.locator("body").inner_text()
    assert watched.foreign() == []
    assert not any("nowhere" in url for url in watched.requests)


@pytest.mark.parametrize("what", ["mechanism", "motion"])
def test_the_viewer_does_nothing(watched: Any, motion: lg.Motion, what: str) -> None:
    with view(motion if what == "motion" else mechanism(), browser=False, block=False) as viewer:
        assert looked_at(watched, viewer.url) == []
        watched.page.get_by_text("Axes of bodies").first.wait_for()
        assert watched.page.evaluate("typeof pwned") == "undefined"
        own = (viewer.url, viewer.url.replace("http", "ws").rstrip("/"), "data:", "blob:")
    assert watched.foreign(own) == []
    assert not any("nowhere" in url for url in watched.requests)
