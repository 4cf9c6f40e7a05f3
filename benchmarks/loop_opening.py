"""How far the loop of a four-bar opens in 10 s, and how long that takes: lagrangian, Pinocchio, MuJoCo and Drake.

    OMP_NUM_THREADS=1 python benchmarks/loop_opening.py [--rounds 5]

The mechanism, its start and its torque are those of benchmarks/motion.py. Everybody runs in one process in turn, and the best
time counts. The opening is the largest residual of the closure at 1001 times; the error is the largest difference of a coordinate
from a reference of benchmarks/motion_peers.py. Pinocchio has two algorithms for loops, both used with Baumgarte's correction and
SciPy's DOP853. MuJoCo and Drake take fixed steps, and are shown with their own settings and with stiffer ones.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

import lagrangian as lg
import motion_peers as peers

TIMES = peers.TIMES
RTOL = 1e-8


def ours(problem: peers.Problem) -> Callable[[], np.ndarray]:
    dyn = lg.compile(problem.mechanism)

    def run() -> np.ndarray:
        motion = lg.simulate(dyn, (0.0, 10.0), problem.start[:3], problem.start[3:], torque=problem.torques, rtol=RTOL)
        return np.concatenate([motion.q, motion.qd], axis=1)

    return run


def pinocchio_peer(problem: peers.Problem, algorithm: Callable[..., np.ndarray]) -> Callable[[], np.ndarray]:
    """`constraintDynamics` factorises the mass matrix with the constraints; `lcaba` recurses over the links."""
    model, contact, set_torques = peers.four_bar_in_pinocchio(problem.mechanism)
    rates = peers.closed_rates(model, contact, set_torques, algorithm)

    def run() -> np.ndarray:
        return solve_ivp(rates, (0.0, 10.0), problem.start, "DOP853", TIMES, rtol=RTOL, atol=RTOL / 100).y.T

    return run


def mujoco_peer(problem: peers.Problem, step: float, stiff: bool) -> Callable[[], np.ndarray]:
    text = re.sub(r"<actuator>.*?</actuator>", "", lg.dumps(problem.mechanism, "mjcf"), flags=re.DOTALL)
    if not stiff:
        text = re.sub(r' sol(ref|imp)="[^"]*"', "", text)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = step
    every = round((TIMES[1] - TIMES[0]) / step)

    def run() -> np.ndarray:
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = problem.start[:3], problem.start[3:]
        rows = np.empty((len(TIMES), 6))
        rows[0] = problem.start
        for i in range(1, len(TIMES)):
            for _ in range(every):
                data.qfrc_applied[0] = problem.tau(data.time, np.concatenate([data.qpos, data.qvel]))[0]
                mujoco.mj_step(model, data)
            rows[i] = [*data.qpos, *data.qvel]
        return rows

    return run


def drake_peer(problem: peers.Problem, step: float) -> Callable[[], np.ndarray]:
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
    from pydrake.systems.analysis import Simulator

    p = peers.values(problem.mechanism)
    plant = MultibodyPlant(step)
    plant.mutable_gravity_field().set_gravity_vector([0.0, -p["g"], 0.0])

    def bar(name: str, mass: float, length: float) -> Any:
        return plant.AddRigidBody(name, SpatialInertia.ThinRodWithMassAboutEnd(mass, length, [1.0, 0.0, 0.0]))

    bars = [bar(f"bar{i}", p[f"m{i}"], p[f"l{i}"]) for i in (1, 2, 3)]
    world = plant.world_frame()
    places = ((world, 0.0, bars[0]), (bars[0].body_frame(), p["l1"], bars[1]), (world, p["l0"], bars[2]))
    joints = []
    for i, (parent, where, child) in enumerate(places):
        offset = plant.AddFrame(fixed_frame(f"at{i}", parent, RigidTransform([where, 0.0, 0.0])))
        joints.append(plant.AddJoint(RevoluteJoint(f"j{i}", offset, child.body_frame(), [0.0, 0.0, 1.0])))
    plant.AddBallConstraint(bars[1], [p["l2"], 0.0, 0.0], bars[2], [p["l3"], 0.0, 0.0])
    plant.AddJointActuator("motor", joints[0])
    plant.Finalize()

    def run() -> np.ndarray:
        simulator = Simulator(plant)
        context = simulator.get_mutable_context()
        plant.SetPositions(context, problem.start[:3])
        plant.SetVelocities(context, problem.start[3:])
        rows = np.empty((len(TIMES), 6))
        rows[0] = problem.start
        for i in range(1, len(TIMES)):
            t = TIMES[i - 1]
            while t < TIMES[i] - step / 2:
                x = np.concatenate([plant.GetPositions(context), plant.GetVelocities(context)])
                plant.get_actuation_input_port().FixValue(context, [problem.tau(t, x)[0]])
                t += step
                simulator.AdvanceTo(t)
            rows[i] = [*plant.GetPositions(context), *plant.GetVelocities(context)]
        return rows

    return run


def fixed_frame(name: str, parent: Any, pose: Any) -> Any:
    from pydrake.multibody.tree import FixedOffsetFrame

    return FixedOffsetFrame(name, parent, pose)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    problem = peers.four_bar()
    pinocchio, mujoco_name = f"Pinocchio {pin.__version__}", f"MuJoCo {mujoco.__version__}"
    runs = {
        "lagrangian": ours(problem),
        f"{pinocchio}, constraintDynamics": pinocchio_peer(problem, pin.constraintDynamics),
        f"{pinocchio}, lcaba": pinocchio_peer(problem, pin.lcaba),
        f"{mujoco_name}, its defaults, 2 ms": mujoco_peer(problem, 2e-3, stiff=False),
        f"{mujoco_name}, stiff loop, 2 ms": mujoco_peer(problem, 2e-3, stiff=True),
        f"{mujoco_name}, stiff loop, 0.2 ms": mujoco_peer(problem, 2e-4, stiff=True),
    }
    try:
        drake = f"Drake {importlib.metadata.version('drake')}"
        runs |= {f"{drake}, SAP, {1e3 * step:g} ms": drake_peer(problem, step) for step in (1e-3,)}
    except ImportError:
        print("Drake is not installed: it is left out")
    best = dict.fromkeys(runs, float("inf"))
    rows = {}
    for _ in range(options.rounds):
        for name, run in runs.items():
            begin = time.perf_counter()
            rows[name] = run()
            best[name] = min(best[name], time.perf_counter() - begin)
    for name, seconds in best.items():
        opening, error = problem.drift(rows[name]), np.abs(rows[name] - problem.reference)[:, :3].max()
        ratio = seconds / best["lagrangian"]
        print(f"{name:<38} opens by {opening:.1e} m   error {error:.1e} rad   {1e3 * seconds:9.2f} ms  {ratio:7.1f}x")


if __name__ == "__main__":
    main()
