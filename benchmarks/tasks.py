"""The inverse problem in figures: torques of long paths against Pinocchio, torques of parallel mechanisms, and back again.

    python benchmarks/tasks.py               # everything; Pinocchio only if it is installed
    python benchmarks/tasks.py --rounds 3    # fewer repetitions

One process, taking turns, the best of many. The way back is open loop: `simulate` with the torques of `inverse`, as a function of
time, from where the path begins.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib import util
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.model.rotation import quaternion

POINTS = 100_000


def best(functions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The shortest time of one call of each, all taking turns."""
    best_times = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best_times[name] = min(best_times[name], time.perf_counter() - start)
    return best_times


def long_path(rounds: int) -> None:
    """100,000 points of a 7-joint arm."""
    arm = lg.library("panda")
    dyn = lg.compile(arm, threads=1)
    start, end = np.array([0, -0.8, 0, -2.4, 0, 1.6, 0.8]), np.array([0.8, 0.4, -0.5, -1.2, 0.6, 2.2, -0.4])
    path = lg.paths.joint_line(start, end, 2.0)
    q, qd, qdd = path(path.times(POINTS))
    functions: dict[str, Callable[[], object]] = {
        "lagrangian: torques, one thread": lambda: dyn.inverse_dynamics(q, qd, qdd),
        "lagrangian: the path's q, qd, qdd": lambda: path(path.times(POINTS)),
        "lagrangian.inverse in all (energies, work ...)": lambda: lg.inverse(arm, path, t_eval=POINTS),
    }
    if util.find_spec("pinocchio"):
        functions |= pinocchio(arm, q, qd, qdd)
    times = best(functions, rounds)
    ours = times["lagrangian: torques, one thread"]
    print(f"\n{POINTS} points of a 7-joint arm")
    for name, seconds in times.items():
        print(f"  {name:<50} {1e3 * seconds:10.2f} ms   {seconds / ours:8.1f}x")
    frame = arm.bodies[-1].name
    T = dyn.pose(start, frame)
    goal = T.copy()
    goal[:3, 3] += (0.1, 0.2, -0.1)
    begun = time.perf_counter()
    lg.inverse(arm, lg.paths.line(T, goal, 2.0), frame, start)
    print(f"  a line of its hand, 1001 rows, redundancy resolved  {1e3 * (time.perf_counter() - begun):10.2f} ms")


def pinocchio(arm: lg.Mechanism, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict[str, Callable[[], object]]:
    """An arm of as many joints; its own functions, in a loop of Python's, and its loop in C++ on one thread."""
    import pinocchio as pin

    model = pin.Model()
    at = 0
    for k in range(arm.nv):
        at = model.addJoint(
            at, pin.JointModelRZ(), pin.SE3(pin.utils.rotate("x", 1.57 * (-1) ** k), np.array([0.1, 0, 0.3])), f"j{k}"
        )
        model.appendBodyToJoint(at, pin.Inertia.FromCylinder(2.0, 0.05, 0.3), pin.SE3.Identity())
    data = model.createData()
    rows = list(zip(q, qd, qdd, strict=True))
    some = rows[: POINTS // 10]

    def loop() -> None:
        for a, b, c in some:
            pin.rnea(model, data, a, b, c)

    pool = pin.ModelPool(model, 1) if hasattr(pin, "ModelPool") else None
    results: dict[str, Callable[[], object]] = {"Pinocchio rnea in a Python loop, a tenth of the points": loop}
    if pool is not None and hasattr(pin, "rneaInParallel"):
        out = np.empty((arm.nv, len(q)), order="F")
        columns = [np.asfortranarray(x.T) for x in (q, qd, qdd)]
        results["Pinocchio rneaInParallel, C++, one thread"] = lambda: pin.rneaInParallel(1, pool, *columns, out)
    return results


def there_and_back() -> None:
    """Torques of a path, then the path of these torques."""
    print("\ninverse, then simulate: 1 s, 1001 rows, rtol 1e-12")
    print(f"  {'':<16} {'inverse':>10} {'again':>10} {'simulate':>10} {'largest error of a coordinate':>32}")
    for name, path, frame, q0 in tasks():
        mechanism = lg.library(name)
        begun = time.perf_counter()
        lg.inverse(mechanism, path, frame, q0)
        first = time.perf_counter() - begun
        begun = time.perf_counter()
        motion = lg.inverse(mechanism, path, frame, q0)
        again = time.perf_counter() - begun
        begun = time.perf_counter()
        run = lg.simulate(mechanism, torque=motion.torque, rtol=1e-12, atol=1e-13, **motion.start)
        back = time.perf_counter() - begun
        error = float(np.abs(run.q - motion.q).max())
        print(f"  {name:<16} {first:8.2f} s {again:8.2f} s {back:8.2f} s {error:32.1e}")


def tasks() -> list[tuple[str, Any, str | None, Any]]:
    """A short path for each of the mechanisms of the lectures."""
    puma = lg.library("puma560")
    low, high = np.eye(4), np.eye(4)
    low[2, 3] = 2.0
    high[:3, 3] = (0.2, 0.1, 2.1)
    high[:3, :3] = quaternion.matrix(quaternion.exponential(np.array([0.1, 0.2, 0.15])))
    platform = {"platform.x": "0.05*cos(2*pi*t)", "platform.y": "0.05*sin(2*pi*t)", "platform.angle": "0.2*sin(2*pi*t)"}
    hand = {"x": "0.1*sin(2*pi*t)", "y": "0.1*(1 - cos(2*pi*t))", "z": "-1.0643307756520057 + 0.05*sin(4*pi*t)"}
    return [
        ("two_r", lg.paths.circle((1.2, 1.2), 0.2, 1.0, timing="uniform"), "tip", {"theta2": 0.8}),
        ("puma560", lg.paths.joint_line("qz", "qn", 1.0, mechanism=puma), None, None),
        ("four_bar", lg.paths.formula({"theta1": "pi/2 + 2*pi*t"}, 1.0), None, None),
        ("five_bar", lg.paths.joint_line({"q1": 2 * np.pi / 3, "q2": np.pi / 6}, {"q1": 1.5, "q2": 0.2}, 1.0), None, None),
        ("three_rrr", lg.paths.formula(platform, 1.0), None, None),
        ("delta", lg.paths.formula(hand, 1.0, frame="platform"), None, None),
        ("stewart", lg.paths.line(low, high, 1.0), "platform", None),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore", lg.PathWarning)
    long_path(rounds)
    there_and_back()


if __name__ == "__main__":
    main()
