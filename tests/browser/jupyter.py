"""A real JupyterLab on loopback, with settings of its own, and notebooks that are opened and run in it."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.browser.conftest import PATIENCE, BrowserTab

QUIET = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}
_HAS_RUN = """([k, before]) => { const cell = document.querySelectorAll('.jp-CodeCell')[k];
    const text = cell.querySelector('.jp-InputArea-prompt').innerText; return text !== before && /\\d/.test(text); }"""


@dataclass
class Lab:
    """A server in a folder."""

    process: subprocess.Popen[bytes]
    folder: Path
    url: str
    token: str

    @staticmethod
    def start(folder: Path) -> Lab:
        """In an empty folder, which takes all that JupyterLab writes."""
        token, home = secrets.token_hex(16), folder / "jupyter"
        for name, settings in QUIET.items():
            place = home / "settings" / f"{name}.jupyterlab-settings"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(settings), encoding="utf-8")
        (folder / "notebooks").mkdir()
        names = {"CONFIG": "config", "RUNTIME": "runtime", "DATA": "data"}
        env = {**os.environ, **{f"JUPYTER_{name}_DIR": str(home / place) for name, place in names.items()}}
        env |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces")}
        env |= {"IPYTHONDIR": str(home / "ipython"), "JUPYTER_PREFER_ENV_PATH": "1"}
        options = [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            "--port=0",
            f"--IdentityProvider.token={token}",
            "--expose-app-in-browser",
        ]
        command = [sys.executable, "-m", "jupyterlab", *options, "--ServerApp.root_dir", str(folder / "notebooks")]
        with open(folder / "jupyter.log", "wb") as log:
            process = subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)
        return Lab(process, folder, _address(process, home / "runtime", folder / "jupyter.log"), token)

    def stop(self) -> None:
        """The server, and the kernels that it started."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def write(self, name: str, *cells: str) -> None:
        """A notebook of these cells."""
        results = [
            {"cell_type": "code", "id": f"cell{k}", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
            for k, cell in enumerate(cells)
        ]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        notebook = {"cells": results, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / "notebooks" / name).write_text(json.dumps(notebook), encoding="utf-8")

    def open(self, browser_tab: BrowserTab, name: str) -> Notebook:
        """A notebook, when its cells are there and its kernel waits."""
        page = browser_tab.page
        page.goto(f"{self.url}lab/tree/{name}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        result = Notebook(browser_tab)
        result.idle()
        return result

    def forget_kernels(self) -> None:
        """End all sessions, so that a notebook that is opened has none that knows its widgets."""
        for session in self._request("api/sessions"):
            self._request(f"api/sessions/{session['id']}", "DELETE")

    def _request(self, path: str, method: str = "GET") -> Any:
        request = Request(self.url + path, method=method, headers={"Authorization": f"token {self.token}"})
        with urlopen(request, timeout=PATIENCE / 1000) as answer:
            text = answer.read()
        return json.loads(text) if text else None


@dataclass
class Notebook:
    """A notebook in the browser."""

    browser_tab: BrowserTab

    @property
    def page(self) -> Any:
        return self.browser_tab.page

    def idle(self) -> None:
        self.page.wait_for_function(
            "() => { const panel = jupyterapp.shell.currentWidget, kernel = panel?.sessionContext?.session?.kernel;"
            " return kernel?.connectionStatus === 'connected' && kernel.status === 'idle'; }"
        )

    def run(self, k: int) -> Any:
        """Run a cell as people do, and give the place of what it shows."""
        cell = self.page.locator(".jp-CodeCell").nth(k)
        cell.locator(".cm-content").click()
        before = cell.locator(".jp-InputArea-prompt").inner_text()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(_HAS_RUN, arg=[k, before])
        return cell.locator(".jp-OutputArea")

    def save(self) -> None:
        self.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
        self.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")

    def theme(self, name: str) -> None:
        self.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)


def _address(process: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """Where the server says that it is."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end and process.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                return str(json.loads(file.read_text())["url"])
            except (ValueError, KeyError):  # not all of it is written yet
                pass
        time.sleep(0.05)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")
