"""A real Chromium, without a screen: pages are opened as people open them, and watched for errors and requests."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 120_000.0  # ms, for what takes a second when nothing else runs
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class BrowserTab:
    """A page, what its console complained of, and what it asked the network for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def foreign(self, own: tuple[str, ...] = ("file:", "data:", "blob:")) -> list[str]:
        """Requests that went elsewhere."""
        return [url for url in self.requests if not url.startswith(own)]


def until(page: Any, true: Callable[[], bool]) -> bool:
    """Whether something becomes true in time; the browser goes on while it is waited for."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        if true():
            return True
        page.wait_for_timeout(30)
    return False


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install Debian's `chromium`")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS), timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def browser_tab(chromium: Any) -> Iterator[BrowserTab]:
    """A fresh page, 1200 x 800."""
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(PATIENCE)
    seen = BrowserTab(page)

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.complaints.append(f"{message.type}: {message.text}")

    page.on("console", console)
    page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    yield seen
    page.close()


# tests that drive a page for long are slow ones, but for those that stand for each page in the suite
LONG = (
    "test_computing_page.py",
    "test_draw.py",
    "test_studio_questions.py",
    "test_studio_hostile.py",
    "test_studio_killed.py",
    "test_studio_page.py",
)
SHORT = (
    "test_a_slider_gives_another_motion",
    "test_names_are_only_text",
    "test_a_four_bar_drawn_with_the_mouse_has_the_coupler_curve_of_the_library",
    "test_names_that_are_scripts_run_nothing",
    "test_nothing_is_lost_when_server_and_browser_are_killed",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "browser" and item.path.name in LONG and not item.name.startswith(SHORT):
            item.add_marker(pytest.mark.slow)
