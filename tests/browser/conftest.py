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
class Watched:
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
def watched(chromium: Any) -> Iterator[Watched]:
    """A fresh page, 1200 x 800."""
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(PATIENCE)
    seen = Watched(page)

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.complaints.append(f"{message.type}: {message.text}")

    page.on("console", console)
    page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    yield seen
    page.close()
