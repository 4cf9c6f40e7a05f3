"""Writers are killed (kill -9) at random moments: each leaves the old file or the new one, never half of one.

    python benchmarks/kill_writers.py [KILLS]

For each kind of file, a process writes it again and again until it is killed, at a moment between its first write and ten writes
later. Then the file is read: it has to be one of those that were written, whole. Leftovers beside it are counted, and have to go
with the next write.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO

PREPARE = """
import os, sys, warnings
from pathlib import Path
import lagrangian as lg
from lagrangian.kernels.llvm import object_cache
warnings.simplefilter("ignore")
name, folder = sys.argv[1], Path(sys.argv[2])
arm = lg.library("two_r")
"""
# what is written, by which code; every version that may be found is written to a place of its own first, as `version(k)`
WRITERS = {
    "simulate.nc": """
motions = [lg.simulate(arm, 0.1 * (k + 1), t_eval=400 * (k + 1)) for k in range(2)]
def put(k, path): motions[k].save(path)
""",
    "report.html": """
pages = [folder / f"page{k}" for k in range(2)]  # made once: what takes its time is not the writing
for k, page in enumerate(pages):
    if not page.exists():
        from lagrangian.report.write import report_html
        page.write_text(report_html(lg.simulate(arm, 0.1 * (k + 1), t_eval=5)), encoding="utf-8")
motion = lg.simulate(arm, 0.1, t_eval=5)
import lagrangian.report.write as report
def put(k, path):
    report.report_html = lambda *_: pages[k].read_text(encoding="utf-8")
    motion.report(path)
""",
    "animate.html": """
motions = [lg.simulate(arm, 0.1 * (k + 1), t_eval=50 * (k + 1)) for k in range(2)]
def put(k, path): motions[k].animate(path)
""",
    "derive.tex": """
made = [lg.derive(arm), lg.derive("pendulum")]
def put(k, path): made[k].save(path)
""",
    "cache.kernel": """
def put(k, path):
    object_cache.store(path.stem, {"version": k}, bytes([k]) * (400_000 * (k + 1)))
""",
}
LOOP = r"""
for k in range(2):
    (folder / f"version{k}").mkdir(exist_ok=True)
    os.environ["LAGRANGIAN_CACHE"] = str(folder / f"version{k}")
    place = folder / f"version{k}" / "kernels" if name.endswith(".kernel") else folder / f"version{k}"
    put(k, place / name)
os.environ["LAGRANGIAN_CACHE"] = str(folder / "kept")
place = folder / "kept" / "kernels" if name.endswith(".kernel") else folder / "kept"
place.mkdir(parents=True, exist_ok=True)
place.chmod(0o700)
print("ready", flush=True)
for _ in sys.stdin:  # a process for each kill, which has all that it needs
    child = os.fork()
    if child == 0:
        k = 0
        while True:
            put(k % 2, place / name)
            k += 1
            os.write(1, f"{k}\n".encode())
    os.write(1, f"process {child}\n".encode())  # at once: two processes write
    os.waitpid(child, 0)
    os.write(1, b"dead\n")
"""


def place_of(folder: Path, name: str) -> Path:
    return folder / "kernels" if name.endswith(".kernel") else folder


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def kill_and_count(name: str, folder: Path, kills: int, chance: random.Random) -> Counter[str]:
    """What was found after each kill."""
    counts: Counter[str] = Counter()
    target = place_of(folder / "kept", name) / name
    command = [sys.executable, "-c", PREPARE + WRITERS[name] + LOOP, name, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        if writer.stdout.readline() != "ready\n":
            raise SystemExit(f"{name}: the writer failed")
        versions = [digest(place_of(folder / f"version{k}", name) / name) for k in range(2)]
        for _ in range(kills):
            writer.stdin.write("go\n")
            writer.stdin.flush()
            kill_at_some_moment(writer.stdout, chance)
            left = [x for x in target.parent.iterdir() if x != target]
            counts["whole" if digest(target) in versions else "BROKEN"] += 1
            counts["leftover beside it"] += bool(left)
            for x in left:  # as the next writer a minute later would find it
                os.utime(x, (1, 1))
        writer.stdin.close()
    return counts


def kill_at_some_moment(message: IO[str], chance: random.Random) -> None:
    """After three writes, within the time of ten more."""
    pid, done, began = 0, 0, time.perf_counter()
    while not pid or done < 3:
        word, *number = line_of(message).split()
        pid, done = (int(number[0]), done) if word == "process" else (pid, int(word))
    time.sleep(chance.uniform(0, 10 / 3 * (time.perf_counter() - began)))
    os.kill(pid, signal.SIGKILL)
    while line_of(message) != "dead\n":
        pass


def line_of(message: IO[str]) -> str:
    """The next line; a writer that fails has none."""
    line = message.readline()
    if not line:
        raise SystemExit("the writer failed")
    return line


def next_write_prunes(folder: Path) -> bool:
    """Whether the next write deletes what is left."""
    from lagrangian.files import delete_leftovers, write

    for name in WRITERS:
        place = place_of(folder / name / "kept", name)
        delete_leftovers(place) if name.endswith(".kernel") else write(place / "next.txt", "x")
        if any(x.name.startswith(".lagrangian-") for x in place.iterdir()):
            return False
    return True


def main(kills: int = 100, seed: int = 1) -> int:
    broken = 0
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        for name in WRITERS:
            (Path(base) / name).mkdir()
            result = kill_and_count(name, Path(base) / name, kills, chance)
            broken += result["BROKEN"]
            print(f"{name:13} {', '.join(f'{what} {times}' for what, times in result.items())}", flush=True)
        clean = next_write_prunes(Path(base))
    print(f"{kills} kills each: {broken} broken; what was left beside is {'' if clean else 'NOT '}deleted by the next write")
    return 1 if broken or not clean else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
