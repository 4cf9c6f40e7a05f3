"""Studies whose processes are killed with SIGKILL go on where they were, and compute nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from tests.processes import PATIENCE, interruptible
from tests.studies.models import always_deadly, deadly

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")

PROGRAM = """
import sys
import time
import lagrangian as lg

def slowly(mechanism, sample):
    time.sleep(0.02)
    return {"y": sample["a"] * sample["a"]}

if __name__ == "__main__":
    over = {"a": lg.distributions.uniform(0, 1)}
    study = lg.study(None, over, slowly, samples=120, chunk=6, folder=sys.argv[1], workers=int(sys.argv[2]))
    print(study.completed_count, flush=True)
"""


def start_study(tmp_path: Path, folder: str, workers: int) -> subprocess.Popen[str]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(tmp_path / folder), str(workers)]
    return interruptible(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_chunks(folder: Path, many: int) -> None:
    until = time.monotonic() + PATIENCE
    while len(list(folder.glob("chunks/*.chunk"))) < many and time.monotonic() < until:
        time.sleep(0.01)


def working(folder: Path) -> list[int]:
    """The processes that wrote logs, and are alive."""
    results = [int(path.stem.rpartition("-")[2]) for path in folder.glob("log/*.log")]
    return [pid for pid in results if Path(f"/proc/{pid}").exists()]


def have_ended(pids: list[int]) -> bool:
    until = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_worker_and_then_client_killed(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    client = start_study(tmp_path, "killed", 2)
    wait_for_chunks(folder, 3)
    os.kill(working(folder)[0], signal.SIGKILL)
    wait_for_chunks(folder, 8)
    workers = working(folder)
    client.kill()
    client.wait()
    assert have_ended(workers)  # who has nobody to work for ends by itself
    between = lg.read_study(folder)
    assert 0 < between.completed_count < 120
    again = start_study(tmp_path, "killed", 2)
    assert again.communicate(timeout=PATIENCE)[0] == "120\n"
    study = lg.read_study(folder)
    counts = study.counts()
    assert study.complete
    assert counts["kept twice"] == 0
    # a process that is killed after its chunk is in place has not noted it yet
    assert 20 - 1 <= counts["kept"] <= 20
    assert counts["kept"] <= counts["begun"] <= 20 + 3  # those that were in the hands of who was killed
    assert start_study(tmp_path, "whole", 1).communicate(timeout=PATIENCE)[0] == "120\n"
    # who is killed while it writes leaves what it has written under another name
    a, b = ({p.name: p.read_bytes() for p in (tmp_path / x / "chunks").glob("[!.]*")} for x in ("killed", "whole"))
    assert a == b
    assert np.array_equal(study["y"], study["a"] * study["a"])


def test_ctrl_c_ends_the_workers(tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    client = start_study(tmp_path, "stopped", 2)
    wait_for_chunks(folder, 2)
    workers = working(folder)
    client.send_signal(signal.SIGINT)
    out, errors = client.communicate(timeout=PATIENCE)
    assert out == ""  # what the program would do with the study, it does not
    assert "KeyboardInterrupt: slowly: interrupted after" in errors
    assert 0 < lg.read_study(folder).completed_count < 120
    assert have_ended(workers)


def test_a_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEADLY_MARK", str(tmp_path / "died"))
    study = lg.study(None, {"a": lg.distributions.grid(0, 1, 20)}, deadly, chunk=5, folder=tmp_path / "s", workers=2)
    assert study.complete
    assert np.array_equal(study["value"], np.linspace(0, 1, 20))
    assert study.counts() == {"chunks": 4, "begun": 5, "kept": 4, "kept twice": 0}


def test_a_chunk_that_kills_is_left_out(tmp_path: Path) -> None:
    with pytest.warns(lg.StudyWarning, match="samples 15 to 20 are missing: .* died 3 times, by SIGKILL"):
        study = lg.study(None, {"a": lg.distributions.grid(0, 1, 20)}, always_deadly, chunk=5, folder=tmp_path / "s", workers=2)
    assert study.completed_count == 15
    assert not study.complete


def test_a_program_without_a_guard_is_told_of_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace('if __name__ == "__main__":', "if True:"))
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path / "s"), "2"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert "put what the program does below `if __name__ == '__main__':`" in done.stderr


def test_two_clients_share_the_work(tmp_path: Path) -> None:
    """Who comes second waits for a chunk that another computes, and does not compute it."""
    both = [start_study(tmp_path, "shared", 1), start_study(tmp_path, "shared", 1)]
    assert [p.communicate(timeout=PATIENCE)[0] for p in both] == ["120\n", "120\n"]
    assert lg.read_study(tmp_path / "shared").counts() == {"chunks": 20, "begun": 20, "kept": 20, "kept twice": 0}
