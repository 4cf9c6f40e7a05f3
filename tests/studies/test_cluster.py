"""A study on a Dask cluster of two workers, one of which is killed: the same bits as without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lagrangian as lg
from tests.processes import PATIENCE
from tests.studies.models import SLIDER

pytest.importorskip("distributed")


def start_module(module: str, *words: str) -> subprocess.Popen[Any]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", module, *words, "--no-dashboard"], **quiet)  # type: ignore[call-overload]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[Any]]]]:
    """The address of a scheduler, and its two workers."""
    file = tmp_path / "scheduler.json"
    scheduler = start_module(
        "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", str(file)
    )
    running = [scheduler]
    try:
        until = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text().endswith("}")) and time.monotonic() < until:
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        running += [start_module("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny") for _ in range(2)]
        yield address, running[1:]
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_two_workers_and_one_of_them_killed(cluster: tuple[str, list[subprocess.Popen[Any]]], tmp_path: Path) -> None:
    address, workers = cluster
    over = {"m": lg.distributions.uniform(1, 3), "x": lg.distributions.normal(0, 1)}
    messages: list[int] = []

    def kill(done: int, total: int) -> None:
        messages.append(done)
        if len(messages) == 8:
            workers[0].send_signal(signal.SIGKILL)

    options: dict[str, Any] = {"keep": ["end(x)", "rms(qd_x)"], "samples": 1500, "chunk": 50}
    study = lg.study(SLIDER, over, folder=tmp_path / "cluster", scheduler=address, progress=kill, **options)
    assert study.complete
    counts = study.counts()
    assert (counts["chunks"], counts["kept twice"]) == (30, 0)
    assert 29 <= counts["kept"] <= counts["begun"] <= 31
    lg.study(SLIDER, over, folder=tmp_path / "local", workers=2, **options)
    a, b = ({p.name: p.read_bytes() for p in (tmp_path / x / "chunks").iterdir()} for x in ("cluster", "local"))
    assert a == b


def test_a_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lagrangian.studies.cluster.ANSWER_TIMEOUT", "1s")
    with pytest.raises(lg.ArgumentError, match="where no scheduler answers"):
        lg.study(SLIDER, {"m": [1.0, 2.0]}, folder=tmp_path / "s", scheduler="tcp://127.0.0.1:9")
    assert not os.listdir(tmp_path / "s" / "chunks")
