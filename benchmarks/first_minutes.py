"""How long a new user waits: a fresh virtual environment, an empty folder, an empty cache of kernels, and a stopwatch.

python benchmarks/first_minutes.py            # installs, then runs README's first command and your own 2R
python benchmarks/first_minutes.py --here     # with this interpreter's lagrangian, without installing
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SIX_LINES = """
import lagrangian as lg
arm = lg.load("arm.toml")
print(lg.derive(arm))
motion = lg.simulate(arm)
motion.plot(path="lines.png")
motion.animate("lines.html")
"""


def time_command(what: str, command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Run a command to its end, and say how long it took."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{what}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    print(f"{seconds:8.2f} s  {what}", flush=True)
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = {**os.environ, "LAGRANGIAN_CACHE": str(folder / "cache")}
        install = 0.0
        if "--here" in sys.argv[1:]:
            programs = Path(sys.executable).parent
        else:
            venv.create(folder / "venv", with_pip=True)
            programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
            install = time_command(
                "pip install .", [str(programs / "pip"), "install", "--quiet", str(PROJECT)], folder, environment
            )
        own, tool = folder / "own", str(programs / "lagrangian")
        own.mkdir()
        time_command("lagrangian --help, the first time", [tool, "--help"], own, environment)
        times = [time_command("lagrangian --help, again", [tool, "--help"], own, environment) for _ in range(3)]
        print(f"{min(times):8.2f} s  best\n")
        commands = (["new", "arm"], ["derive", "arm.toml"], ["simulate", "arm.toml", "--plot", "--animate"])
        total = sum(time_command("lagrangian " + " ".join(c), [tool, *c], own, environment) for c in commands)
        print(f"{total:8.2f} s  equations, plot and animation of one's own 2R in three commands\n")
        environment["LAGRANGIAN_CACHE"] = str(folder / "cache of the lines")
        time_command("the same in six lines of Python", [str(programs / "python"), "-c", SIX_LINES], own, environment)
        environment["LAGRANGIAN_CACHE"] = str(folder / "cache of the tour")
        tour = time_command("lagrangian tour", [tool, "tour"], own, environment)
        print(f"{install + tour:8.2f} s  from nothing to the first report")


if __name__ == "__main__":
    main()
