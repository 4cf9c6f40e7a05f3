"""The studio as tests use it: inside this process where that suffices, and as a process of its own where it must be one."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lagrangian.studio import open_files
from tests.processes import PATIENCE, interruptible

pytest.importorskip("httpx")
PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


def text(name: str) -> str:
    """The description of a mechanism of the library."""
    return open_files.library_text(name)


class Inside:
    """The application behind its guard, without a socket."""

    def __init__(self, folder: Path, state: Path, path: Path | None = None) -> None:
        from starlette.testclient import TestClient

        from lagrangian.studio.access import AccessGuard
        from lagrangian.studio.app import application
        from lagrangian.studio.workspace import StudioWorkspace

        state.mkdir(exist_ok=True)
        self.folder = folder
        self.workspace = StudioWorkspace(state, folder, path)
        self.guard = AccessGuard(application(self.workspace), PORT)
        self.stranger = TestClient(self.guard, base_url=ADDRESS)
        self.client = TestClient(self.guard, base_url=ADDRESS, headers={"X-Lagrangian-Token": self.guard.token})

    def get(self, path: str, status: int = 200) -> Any:
        return _answer(self.client.get(path), status)

    def post(self, path: str, asked: dict[str, Any], status: int = 200) -> Any:
        return _answer(self.client.post(path, json=asked), status)

    def put(self, path: str, asked: dict[str, Any], status: int = 200) -> Any:
        return _answer(self.client.put(path, json=asked), status)

    def check(self, description: str, format: str = "toml") -> Any:  # noqa: A002
        """Asked again, as the page does, while something is still compiled."""
        while (answer := self.post("/api/check", {"text": description, "format": format}))["preparing"]:
            assert answer["mechanism"] is not None
        return answer


def _answer(response: Any, status: int) -> Any:
    assert response.status_code == status, (response.status_code, response.text[:500])
    return response.json()


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    client = Inside(tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("state"))
    with client.client:
        yield client


class Server:
    """`lagrangian studio` as people start it."""

    def __init__(self, folder: Path, state: Path, *arguments: str) -> None:
        import httpx

        command = [sys.executable, "-m", "lagrangian", "studio", "--no-browser", *arguments]
        env = {**os.environ, "LAGRANGIAN_STATE": str(state), "PYTHONUNBUFFERED": "1"}
        import subprocess

        self.process = interruptible(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.told = self.process.stdout.readline()
        match = re.search(r"(http://127\.0\.0\.1:(\d+))/\?token=(\S+)", self.told)
        assert match is not None, (self.told, self.process.stderr.read() if self.process.stderr else "")
        self.address, self.port, self.token = match[1], int(match[2]), match[3]
        self.client = httpx.Client(base_url=self.address, headers={"X-Lagrangian-Token": self.token}, timeout=PATIENCE)

    def start(self, kind: str, description: str, **options: Any) -> str:
        asked = {"kind": kind, "text": description, "format": "toml", "options": options}
        return str(_answer(self.client.post("/api/jobs", json=asked), 200)["id"])

    def events(self, number: str) -> Iterator[dict[str, Any]]:
        with self.client.stream("GET", f"/api/jobs/{number}/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])

    def job_result(self, kind: str, description: str, **options: Any) -> Any:
        """The result of a job."""
        last = list(self.events(self.start(kind, description, **options)))[-1]
        assert "result" in last, last
        return last["result"]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("served"), tmp_path_factory.mktemp("state"))
    yield server
    server.close()
