"""A long study on a real cluster whose worker and client are killed in the middle: is anything lost, or computed twice?

    python benchmarks/killed_study.py [samples] [folder]

It starts a Dask scheduler and two workers on this machine, hands them a study of a 2R arm with varied lengths, masses and starts,
kills a worker with SIGKILL after a fifth of it and the client after two fifths, starts both again, and lets the study finish.
Then the same study is computed by processes of this machine, undisturbed, and every chunk is compared byte for byte.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lagrangian as lg

HERE = Path(__file__).resolve()


def study(samples: int, folder: str, **where: object) -> lg.Study:
    over = {
        "l1": lg.distributions.normal(1.0, 0.05),
        "m2": lg.distributions.lognormal(2.5, 0.1),
        "theta1": lg.distributions.uniform(-2.0, -1.0),
        "qd_theta2": lg.distributions.normal(0.0, 0.5),
    }
    keep = ["max(theta1)", "peak(qd_theta1)", "rms(qd_theta2)", "end(theta2)"]
    run = {"t_span": 2.0, "t_eval": 201}
    return lg.study("two_r", over, run, keep, samples=samples, seed=7, chunk=256, folder=folder, **where)  # type: ignore[arg-type]


def start_worker(*words: str) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, *words], **quiet)  # type: ignore[call-overload,no-any-return]


def worker(scheduler: str) -> subprocess.Popen[bytes]:
    return start_worker("-m", "distributed.cli.dask_worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard")


def client(samples: int, folder: Path, scheduler: str) -> subprocess.Popen[bytes]:
    return start_worker(str(HERE), "--client", str(samples), str(folder), scheduler)


def chunks(folder: Path) -> int:
    return sum(1 for path in (folder / "chunks").glob("*.chunk"))


def wait_for(folder: Path, many: float, process: subprocess.Popen[bytes]) -> None:
    while chunks(folder) < many:
        if process.poll() is not None:
            raise SystemExit(f"the client ended, with {process.returncode}, after {chunks(folder)} chunks")
        time.sleep(0.1)


def run_with_kills(samples: int, folder: Path, address: Path) -> None:
    """The study on a cluster, with what happens to it."""
    scheduler = start_worker(
        "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(address)
    )  # fmt: skip
    running = [scheduler]
    try:
        while not (address.exists() and address.read_text().endswith("}")):
            time.sleep(0.1)
        where = json.loads(address.read_text())["address"]
        running += [worker(where), worker(where)]
        first = client(samples, folder, where)
        running.append(first)
        wait_for(folder, 1, first)
        total = len(lg.read_study(folder).about["chunks"])
        wait_for(folder, total / 5, first)
        running[1].send_signal(signal.SIGKILL)
        print(f"worker killed after {chunks(folder)} of {total} chunks", flush=True)
        wait_for(folder, 2 * total / 5, first)
        first.send_signal(signal.SIGKILL)
        first.wait()
        print(f"client killed after {chunks(folder)} of {total} chunks", flush=True)
        running.append(worker(where))
        again = client(samples, folder, where)
        running.append(again)
        print(f"begun again with {chunks(folder)} chunks", flush=True)
        if again.wait():
            raise SystemExit(f"the client ended with {again.returncode}")
    finally:
        for process in running:
            process.kill()
            process.wait()


def main(samples: int, base: Path) -> None:
    base.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    run_with_kills(samples, base / "cluster", base / "scheduler.json")
    on_cluster = lg.read_study(base / "cluster")
    print(
        f"on the cluster: {time.perf_counter() - began:.0f} s; {on_cluster.completed_count} of {len(on_cluster)} samples,",
        end=" ",
    )
    print(f"{len(on_cluster.failed)} failed; {on_cluster.counts()}", flush=True)
    began = time.perf_counter()
    alone = study(samples, str(base / "local"), workers=2)
    print(f"undisturbed, two processes: {time.perf_counter() - began:.0f} s; {alone.counts()}")
    a, b = ({p.name: p.read_bytes() for p in (base / x / "chunks").glob("*.chunk")} for x in ("cluster", "local"))
    print(f"chunks of both: {len(a)} and {len(b)}; byte for byte the same: {a == b}")
    begun, saved_count = on_cluster.counts()["begun"], on_cluster.counts()["kept"]
    print(f"kept more than once: {on_cluster.counts()['kept twice']}; begun by who was then killed: {begun - saved_count}")
    print(alone.summary())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        study(int(sys.argv[2]), sys.argv[3], scheduler=sys.argv[4])
        os._exit(0)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        main(count, Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as place:
            main(count, Path(place))
