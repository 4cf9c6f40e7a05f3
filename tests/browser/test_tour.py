"""The whole tour, from nothing, and its page in a real browser."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian.cli.commands.tour import make_tour
from tests.browser.conftest import BrowserTab
from tests.browser.test_report import INVISIBLE, OVERFLOW, STICKING_OUT, WIDTHS


@pytest.fixture(scope="module")
def tour_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tour")
    began = time.process_time()
    assert make_tour(folder) == 0
    assert time.process_time() - began < 60  # of this process; the reports are written by another
    return folder


@pytest.mark.slow
def test_the_tour(tour_folder: Path) -> None:
    expected = {"index.html", "two_r.tex", "puma560.tex"}
    for stem in ("circle", "double_pendulum", "four_bar", "stewart"):
        expected |= {f"{stem}.nc", f"{stem}.png", f"{stem}-report.html"}
    assert {path.name for path in tour_folder.iterdir()} == expected
    html = (tour_folder / "index.html").read_text(encoding="utf-8")
    assert len(html) < 4e6
    for figure in ("71.9 to 168.3", "12.2830", "150.46", "31.6399"):
        assert figure in html
    for link in re.findall(r'href="([^"#]+)"', html):
        assert link.startswith("data:") or (tour_folder / link).is_file(), link
    assert 'class="missing"' not in html
    motion = lg.read(tour_folder / "stewart.nc")
    assert motion.mechanism == lg.library("stewart")


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_its_page(browser_tab: BrowserTab, tour_folder: Path, width: int) -> None:
    page = browser_tab.page
    page.set_viewport_size({"width": width, "height": 700})
    page.goto((tour_folder / "index.html").as_uri())
    assert page.locator(".card").count() == 6
    page.locator(".card").nth(5).click()
    page.wait_for_function("() => Object.values(lagrangianPlayers).some(p => p.visible && p.drawn && p.time > 0.05)")
    assert page.evaluate("() => Object.keys(lagrangianPlayers).length") == 5
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate(INVISIBLE) == []
    assert page.evaluate(OVERFLOW) <= 0
    assert page.evaluate(STICKING_OUT) == []
    assert browser_tab.complaints == []
    assert browser_tab.foreign() == []
