"""How long the first motion of a robot takes: 1 s of it, with limits and friction, with an empty cache and then with a full one.

    python benchmarks/first_motion.py                          # what comes with the project
    python benchmarks/first_motion.py panda.urdf hand.xml      # besides, robots from files

Each run is a process of its own. `hand` and `humanoid` are built here, with as many joints as a Shadow hand and a humanoid with
hands have, each with limits and dry friction; if `example-robot-data` is installed, its Panda and Talos are run too. Beside the
time of `simulate` stands that of the processor, which counts where others use the machine, and how many modules were compiled
before the run began and after.
"""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import lagrangian as lg
from lagrangian.kernels.llvm import machine_code
from lagrangian.motion.run.run import Run

ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
PUBLIC = {"panda": "panda_description/urdf/panda.urdf", "talos": "talos_data/robots/talos_full_v2.urdf"}


def tree(name: str, parents: list[int]) -> lg.Mechanism:
    """Links one after the other on the links before them, each on a joint with limits and dry friction."""
    rng = np.random.default_rng(len(parents))
    bodies, joints = [], []
    for i, parent in enumerate(parents):
        length = float(rng.uniform(0.05, 0.3))
        inertia = (length**3 / 12, 0, 0, length**3 / 12, 0, length**3 / 50)  # of a mass of 1 kg/m
        bodies.append(lg.Body(f"link{i}", length, center=(0, 0, -length / 2), inertia=inertia))
        axis = np.eye(3)[rng.integers(3)].tolist()
        limits = lg.JointLimits(float(-rng.uniform(0.1, 1)), float(rng.uniform(0.1, 1)))
        joints.append(
            lg.Joint(
                f"q{i}",
                "revolute",
                "ground" if parent < 0 else f"link{parent}",
                f"link{i}",
                placement=lg.Transform(position=(0.02 * i, 0, 0) if parent < 0 else (0, 0.01, -length / 2)),
                axis=axis,
                limits=limits,
                friction=lg.Friction(viscous=0.01, coulomb=float(rng.uniform(0.001, 0.02))),
            )
        )
    return lg.Mechanism(name, bodies, joints)


def hand() -> lg.Mechanism:
    """A wrist of two joints, and five fingers."""
    parents = [-1, 0]
    for joints in (4, 4, 4, 5, 5):
        parents += [1, *range(len(parents), len(parents) + joints - 1)]
    return tree("hand", parents)


def humanoid() -> lg.Mechanism:
    """A trunk of three joints, two legs of six, two arms of seven, and hands of seven and fourteen: fifty joints."""
    parents = [-1, 0, 1]
    for base, joints in ((-1, 6), (-1, 6), (2, 7), (2, 7)):
        parents += [base, *range(len(parents), len(parents) + joints - 1)]
    for wrist, fingers in ((21, (3, 2, 2)), (28, (3, 4, 4, 3))):
        for joints in fingers:
            parents += [wrist, *range(len(parents), len(parents) + joints - 1)]
    return tree("humanoid", parents)


def mechanism(name: str) -> lg.Mechanism:
    makers = {"hand": hand, "humanoid": humanoid, "puma": lambda: lg.library("puma560")}
    return makers[name]() if name in makers else lg.load(name)


def once(name: str) -> None:
    """In a process of its own: one run, and what it took, as JSON."""
    warnings.simplefilter("ignore")
    compiled, began = [0, 0], 0
    compile_object, go = machine_code.compile_object, Run.go

    def count_and_compile(*arguments: object, **options: object) -> bytes:
        compiled[began] += 1
        return compile_object(*arguments, **options)  # type: ignore[arg-type]

    def going(run: Run, end: float) -> object:
        nonlocal began
        began = 1
        return go(run, end)

    machine_code.compile_object, Run.go = count_and_compile, going  # type: ignore[assignment,method-assign]
    robot = mechanism(name)
    wall, cpu = time.perf_counter(), time.process_time()
    motion = lg.simulate(robot, 1.0)
    took = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps([robot.nv, *took, *compiled, len(motion.events), motion.t[-1]]))


def in_process(name: str, folder: str) -> list[float]:
    environment = {**os.environ, "LAGRANGIAN_CACHE": folder}
    done = subprocess.run([sys.executable, __file__, "--once", name], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    times: list[float] = json.loads(done.stdout.splitlines()[-1])
    return times


def main() -> None:
    robots = {"puma": "puma", "hand": "hand", "humanoid": "humanoid"}
    for folder in site.getsitepackages():
        robots |= {k: str(path) for k, part in PUBLIC.items() if (path := Path(folder) / ROBOTS / part).exists()}
    robots |= {Path(path).stem: path for path in sys.argv[1:]}
    print(
        f"{'robot':20} speeds | cold: wall s   CPU s  compiled before, after | warm: wall s   CPU s  compiled | events  until s"
    )
    for name, value in robots.items():
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = in_process(value, folder), in_process(value, folder)
        print(
            f"{name:20} {cold[0]:6.0f} | {cold[1]:12.2f} {cold[2]:7.2f} {cold[3]:16.0f}, {cold[4]:5.0f} | {warm[1]:12.2f} "
            f"{warm[2]:7.2f} {warm[3] + warm[4]:9.0f} | {warm[5]:6.0f} {warm[6]:8.3g}",
            flush=True,
        )


if __name__ == "__main__":
    once(sys.argv[2]) if sys.argv[1:2] == ["--once"] else main()
