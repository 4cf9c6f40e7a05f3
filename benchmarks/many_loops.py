"""How long mechanisms of many loops take from nothing to the end of their first run, and how that grows with their length.

    python benchmarks/many_loops.py                 # the ladder of IFToMM's benchmark: 10, 20, 40, ..., 320 four-bars
    python benchmarks/many_loops.py tower 10 20     # four-bars that stand on one another; or one of `KINDS`

Each run is a process of its own with an empty cache. `all` is the processor's time from importing the package to the end of the
first half second of motion, `again` that of the same run once more, `loops` how far these are open at the worst row, `energy` by
what part of the energy moved its balance is off. The processor's time counts where others use the machine.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import lagrangian as lg

G = 9.81
DURATION = 0.5
Start = tuple[lg.Mechanism, list[float], list[float]]  # with a configuration and speeds
END = lg.Transform(position=(1, 0, 0))


def bar(name: str) -> lg.Body:
    """A uniform slender bar along x, of 1 kg and 1 m."""
    return lg.Body(name, 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))


def pin_joint(name: str, a: str, b: str) -> lg.LoopJoint:
    return lg.LoopJoint(name, "point", a, b, END, END, directions=("x", "y"))


def rung(k: str, ground: str, x: float) -> tuple[list[lg.Body], list[lg.Joint]]:
    """A crank that stands on something, with a coupler at its end."""
    joints = [
        lg.Joint(f"theta{k}", "revolute", ground, f"crank{k}", (x, 0, 0)),
        lg.Joint(f"phi{k}", "revolute", f"crank{k}", f"coupler{k}", END),
    ]
    return [bar(f"crank{k}"), bar(f"coupler{k}")], joints


def ladder(n: int) -> Start:
    """n + 1 equal cranks, joined by n couplers: the N-four-bar mechanism of IFToMM's benchmark A02."""
    bodies, joints, loops = [], [], []
    for k in range(n):
        more, moving = rung(str(k), "ground", k)
        bodies += more
        joints += moving
        loops.append(pin_joint(f"closure{k}", f"coupler{k}", f"crank{k + 1}"))
    bodies.append(bar(f"crank{n}"))
    joints.append(lg.Joint(f"theta{n}", "revolute", "ground", f"crank{n}", (float(n), 0, 0)))
    mechanism = lg.Mechanism(f"ladder{n}", bodies, joints, loops, gravity=(0, -G, 0))
    return mechanism, [math.pi / 2, -math.pi / 2] * n + [math.pi / 2], [-1.0, 1.0] * n + [-1.0]


def tower(n: int) -> Start:
    """n four-bars, each standing on the coupler of the one below."""
    bodies, joints, loops, q = [], [], [], []
    below = "ground"
    for k in range(n):
        more, moving = rung(str(k), below, 0.0)
        bodies += [*more, bar(f"rocker{k}")]
        joints += [*moving, lg.Joint(f"psi{k}", "revolute", below, f"rocker{k}", (1, 0, 0))]
        loops.append(pin_joint(f"closure{k}", f"coupler{k}", f"rocker{k}"))
        lean = 1.2 if k % 2 == 0 else math.pi - 1.2
        q += [lean, -lean, lean]
        below = f"coupler{k}"
    return lg.Mechanism(f"tower{n}", bodies, joints, loops, gravity=(0, -G, 0)), q, [0.0] * len(q)


def branches(n: int) -> Start:
    """Three towers that share their first four-bar, n in all, the loops of the branches in turns."""
    bodies, joints, loops, q = [], [], [], []
    below = ["ground"] * 3
    for k in range(n):
        at = k % 3
        more, moving = rung(str(k), below[at], 0.0)
        bodies += [*more, bar(f"rocker{k}")]
        joints += [*moving, lg.Joint(f"psi{k}", "revolute", below[at], f"rocker{k}", (1, 0, 0))]
        loops.append(pin_joint(f"closure{k}", f"coupler{k}", f"rocker{k}"))
        lean = 1.2 if (k // 3) % 2 == 0 else math.pi - 1.2
        q += [lean, -lean, lean]
        below = [f"coupler{k}"] * 3 if k == 0 else [f"coupler{k}" if j == at else x for j, x in enumerate(below)]
    return lg.Mechanism(f"branches{n}", bodies, joints, loops, gravity=(0, -G, 0)), q, [0.0] * len(q)


def askew(n: int) -> Start:
    """The ladder in a plane across no axis of the world, with revolute loops: three equations of five follow from the others."""
    flat, _, _ = ladder(n)
    frame = lg.Transform.from_rpy((0, 0, 0), (0.3, 0.5, 0.7))
    joints = [replace(j, placement=frame @ j.placement) if j.parent == "ground" else j for j in flat.joints]
    loops = [lg.LoopJoint(x.name, "revolute", x.a, x.b, END, END) for x in flat.loops]
    mechanism = lg.Mechanism(f"askew{n}", flat.bodies, joints, loops, gravity=(0, 0, -G))
    return mechanism, [1.2, -1.2] * n + [1.2], [-1.0, 1.0] * n + [-1.0]


def scissors(n: int) -> Start:
    """A scissor lift of n storeys on a pin and a rail: every bar is a child of the one that it crosses, or stands on."""
    middle, corner = lg.Transform(position=(0.5, 0, 0)), lg.Transform()
    bodies, joints, q = [], [], []
    loops = [lg.LoopJoint("rail", "point", "ground", "down0", corner, corner, directions=("y",))]
    below, at, lean = "ground", corner, 0.6
    for k in range(n):
        bodies += [bar(f"up{k}"), bar(f"down{k}")]
        joints.append(lg.Joint(f"u{k}", "revolute", below, f"up{k}", at))
        joints.append(lg.Joint(f"d{k}", "revolute", f"up{k}", f"down{k}", middle, child_placement=middle))
        if k:
            loops.append(lg.LoopJoint(f"pin{k}", "point", f"down{k}", f"up{k - 1}", corner, END, directions=("x", "y")))
        q += [2 * lean - math.pi if k else lean, math.pi - 2 * lean]
        below, at = f"down{k}", END
    return lg.Mechanism(f"scissors{n}", bodies, joints, loops, gravity=(0, -G, 0)), q, [0.0] * len(q)


def platforms(n: int) -> Start:
    """Stewart platforms, each standing on the platform of the one below."""
    one = lg.library("stewart")
    bodies, joints, loops = [], [], []
    below = "ground"
    for k in range(n):
        names = {"ground": below, **{body.name: f"{body.name}_{k}" for body in one.bodies}}
        bodies += [replace(body, name=names[body.name]) for body in one.bodies]
        joints += [replace(j, name=f"{j.name}_{k}", parent=names[j.parent], child=names[j.child]) for j in one.joints]
        loops += [replace(x, name=f"{x.name}_{k}", a=names[x.a], b=names[x.b]) for x in one.loops]
        below = names["platform"]
    q = lg.assemble(one).tolist()
    return lg.Mechanism(f"platforms{n}", bodies, joints, loops, gravity=(0, 0, -G)), q * n, [0.0] * one.nv * n


def bridge(n: int) -> Start:
    """A chain of n links between two points of the ground: one loop, and a full mass matrix."""
    angles = np.linspace(-0.9, 0.9, n)
    bodies = [bar(f"bar{k}") for k in range(n)]
    joints = [
        lg.Joint(f"j{k}", "revolute", f"bar{k - 1}" if k else "ground", f"bar{k}", END if k else (0, 0, 0)) for k in range(n)
    ]
    there = lg.Transform(position=(float(np.cos(angles).sum()), float(np.sin(angles).sum()), 0.0))
    tip = lg.LoopJoint("tip", "point", "ground", f"bar{n - 1}", there, END, directions=("x", "y"))
    q = np.diff(angles, prepend=0.0).tolist()
    return lg.Mechanism(f"bridge{n}", bodies, joints, [tip], gravity=(0, -G, 0)), q, [0.0] * n


def ring(n: int) -> Start:
    """A chain of n links that is closed to itself, as a bicycle's, thrown: every second link turns."""
    bodies = [bar(f"bar{k}") for k in range(n)]
    joints = [lg.Joint("thrown", "planar", "ground", "bar0")]
    joints += [lg.Joint(f"j{k}", "revolute", f"bar{k - 1}", f"bar{k}", END) for k in range(1, n)]
    tip = lg.LoopJoint("tip", "point", "bar0", f"bar{n - 1}", lg.Transform(), END, directions=("x", "y"))
    mechanism = lg.Mechanism(f"ring{n}", bodies, joints, [tip], gravity=(0, -G, 0))
    q = [0.0, 0.0, 0.0, *[2 * math.pi / n] * (n - 1)]
    qd = lg.consistent_speeds(mechanism, q, [0.0, 0.0, 1.0, *np.tile([0.3, -0.3], n)[: n - 1].tolist()])
    return mechanism, q, qd.tolist()


KINDS: dict[str, tuple[Callable[[int], Start], tuple[int, ...]]] = {
    "ladder": (ladder, (10, 20, 40, 80, 160, 320)),
    "tower": (tower, (10, 20, 40, 80, 160)),
    "branches": (branches, (10, 20, 40, 80, 160)),
    "scissors": (scissors, (10, 20, 40, 80)),
    "askew": (askew, (10, 20, 40, 80)),
    "platforms": (platforms, (1, 2, 4, 8)),
    "bridge": (bridge, (40, 80, 160, 320)),
    "ring": (ring, (40, 80, 160, 320)),
}


def run(kind: str, n: int) -> None:
    mechanism, q, qd = KINDS[kind][0](n)
    wall = time.perf_counter()
    motion = lg.simulate(mechanism, DURATION, q, qd)
    results = {"all": time.process_time(), "wall": time.perf_counter() - wall}
    began = time.process_time()
    motion = lg.simulate(mechanism, DURATION, q, qd)
    results["again"] = time.process_time() - began
    results |= {"loops": float(motion.drift.max()), "energy": float(abs(motion.energy_balance).max() / motion.energy_scale)}
    print(json.dumps(results))


def measure(kind: str, n: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        # linear algebra on threads of its own would be counted twice where others use the machine
        environment = {**os.environ, "LAGRANGIAN_CACHE": cache, "OPENBLAS_NUM_THREADS": "1"}
        completed = subprocess.run(
            [sys.executable, __file__, "--run", kind, str(n)], env=environment, capture_output=True, text=True, check=True
        )
    times: dict[str, float] = json.loads(completed.stdout.splitlines()[-1])
    return times


def main() -> None:
    kinds = sys.argv[1:2] or ["ladder"]
    print(f"{'':12}{'n':>6}{'all, s':>9}{'per loop, ms':>14}{'again, ms':>11}{'loops':>10}{'energy':>10}")
    for kind in KINDS if kinds == ["all"] else kinds:
        for n in map(int, sys.argv[2:]) if len(sys.argv) > 2 else KINDS[kind][1]:
            x = measure(kind, n)
            figures = f"{x['all']:9.2f}{1e3 * x['all'] / n:14.0f}{1e3 * x['again']:11.1f}{x['loops']:10.0e}{x['energy']:10.0e}"
            print(f"{kind:12}{n:6}{figures}", flush=True)


if __name__ == "__main__":
    run(sys.argv[2], int(sys.argv[3])) if sys.argv[1:2] == ["--run"] else main()
