"""A studio of a folder, as a process of its own, and what is done on its page again and again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browser.conftest import until
from tests.processes import PATIENCE


@dataclass
class Served:
    process: subprocess.Popen[str]
    address: str
    folder: Path

    @property
    def origin(self) -> str:
        return self.address.split("?")[0]


def start_server(folder: Path, *arguments: str) -> Served:
    """The server of a folder; drafts are kept beside it."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "lagrangian", "studio", *arguments, "--no-browser"]
    environment = {**os.environ, "LAGRANGIAN_STATE": str(folder.with_name(f"{folder.name}-state")), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    result = next((m for line in process.stdout if (m := re.search(r"http://\S+", line))), None)
    timer.cancel()
    assert result, "the studio said no address"
    return Served(process, result.group(0), folder)


@contextmanager
def studio(folder: Path, *arguments: str) -> Iterator[Served]:
    served = start_server(folder, *arguments)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.process.terminate()
            served.process.wait(PATIENCE)


def text_of(page: Any) -> str:
    text: str = page.evaluate("studio.doc.editor.text")
    return text


def at(page: Any, search: str) -> None:
    """Put the cursor at the beginning of the first line that begins so, as the keyboard would."""
    line = text_of(page)[: text_of(page).index(f"\n{search}") + 1].count("\n") + 1
    page.evaluate("line => studio.doc.editor.goTo(line)", line)


def screen(page: Any, point: list[float]) -> tuple[float, float]:
    """Where a point of the world is on the screen."""
    x, y = page.evaluate(
        """p => {
            const { view } = studio.mechanism, box = view.controls.canvas.getBoundingClientRect(), s = view.onScreen(p);
            return [box.left + s[0], box.top + s[1]];
        }""",
        point,
    )
    return x, y


def becomes(page: Any, expression: str) -> None:
    """Wait until something is true on the page; its policy forbids Playwright's own way of waiting for that."""
    assert until(page, lambda: bool(page.evaluate(f"Boolean({expression})"))), expression


def quiet(page: Any) -> None:
    """Wait until the text is checked and the picture of it is drawn."""
    becomes(page, "window.studio?.doc.good && studio.doc.good.text === studio.doc.editor.text && !studio.doc.good.preparing")
    becomes(page, "studio.mechanism.view?.drawn > 0 && !studio.mechanism.view.stale")


def begin(page: Any, address: str, template: int = 0) -> None:
    """The page, with a template on it that is not saved yet."""
    page.goto(address)
    becomes(page, "window.studio && document.getElementById('kept').dataset.state !== 'starting'")
    page.evaluate(
        """async (k) => {
            const { name, text } = (await (await fetch("/api/templates")).json())[k];
            await studio.doc.start(text, "toml", `${name}.toml`);
        }""",
        template,
    )
    quiet(page)


def drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=8)
    page.wait_for_timeout(150)
    page.mouse.move(end[0] + 0.5, end[1])
    page.mouse.move(*end)
