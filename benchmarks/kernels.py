"""Kernels against Pinocchio, MuJoCo and Drake: all in this process, interleaved, best of many, as ratios.

    python benchmarks/kernels.py                      # everything whose peers are installed
    python benchmarks/kernels.py --rounds 10          # fewer repetitions
    LAGRANGIAN_CPU=avx2 python benchmarks/kernels.py  # the same with AVX2 only

Pinocchio is measured twice: its Python functions in a loop, and, on one thread, `rneaInParallel` and `abaInParallel`, which loop
in C++. It has no such loop for the mass matrix: there its C++ time is estimated, as the share of the Python call's time that C++
takes in the other two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path

import numpy as np

import lagrangian as lg
from lagrangian.kernels.llvm import target

BATCH = 4096


def best(functions: dict[str, Callable[[], object]], rounds: int, seconds: float = 0.02) -> dict[str, float]:
    """The shortest time of one call of each, all taking turns."""
    inner = {}
    for name, function in functions.items():
        function()
        start = time.perf_counter()
        function()
        inner[name] = max(1, int(seconds / 4 / max(time.perf_counter() - start, 1e-9)))
    best_times = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            n = inner[name]
            for _ in range(3):
                start = time.perf_counter()
                for _ in range(n):
                    function()
                best_times[name] = min(best_times[name], (time.perf_counter() - start) / n)
    return best_times


def show(title: str, unit: float, unit_name: str, times: dict[str, float], ours: str) -> None:
    print(f"\n{title}")
    for name, seconds in times.items():
        ratio = "" if name == ours else f"   {seconds / times[ours]:7.1f}x ours"
        print(f"  {name:<44} {seconds * unit:10.1f} {unit_name}{ratio}")


def urdf(name: str) -> Path:
    files = metadata.files("example-robot-data") or []
    return next(Path(str(f.locate())) for f in files if f.name == name)


def panda(rounds: int) -> None:
    """A 7-joint arm: batches on one thread, and one state."""
    import pinocchio as pin

    whole = pin.buildModelFromUrdf(str(urdf("panda.urdf")))
    fingers = [whole.getJointId(n) for n in whole.names if "finger" in n]
    model = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
    data = model.createData()
    arm = _seven_joints(lg.load(urdf("panda.urdf")))
    dyn = lg.compile(arm)
    dyn.threads = 1
    rng = np.random.default_rng(0)
    q, qd, x = rng.normal(size=(3, BATCH, model.nv))
    # Pinocchio's batches are columns
    qt, qdt, xt = (np.asfortranarray(a.T) for a in (q, qd, x))
    out = np.empty_like(qt, order="F")
    pool = pin.ModelPool(model, 1)
    some = range(64)

    def loop(function: Callable[..., object], *arrays: np.ndarray) -> Callable[[], object]:
        rows = [tuple(a[k].copy() for a in arrays) for k in some]

        def run() -> None:
            for row in rows:
                function(model, data, *row)

        return run

    np.testing.assert_allclose(dyn.inverse_dynamics(q, qd, x)[0], pin.rnea(model, data, q[0], qd[0], x[0]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, x)[0], pin.aba(model, data, q[0], qd[0], x[0]), rtol=1e-8, atol=1e-8)
    times = best(
        {
            "ID ours": lambda: dyn.inverse_dynamics(q, qd, x),
            "ID pin": lambda: pin.rneaInParallel(1, pool, qt, qdt, xt, out),
            "ID pin python": loop(pin.rnea, q, qd, x),
            "FD ours": lambda: dyn.forward_dynamics(q, qd, x),
            "FD pin": lambda: pin.abaInParallel(1, pool, qt, qdt, xt, out),
            "FD pin python": loop(pin.aba, q, qd, x),
            "M ours": lambda: dyn.mass_matrix(q),
            "M pin python": loop(pin.crba, q),
            **_mujoco(arm, q, qd, x),
        },
        rounds,
    )
    for name in times:
        times[name] /= len(some) if "python" in name or "mujoco" in name else BATCH
    # per state; the C++ mass matrix by the ratio of C++ to Python that the other two show
    factor = max(times["ID pin"] / times["ID pin python"], times["FD pin"] / times["FD pin python"])
    times["M pin"] = times["M pin python"] * min(1.0, factor)
    for key, title in (("ID", "inverse dynamics"), ("FD", "forward dynamics"), ("M", "mass matrix")):
        names = {
            f"{key} ours": "lagrangian, one thread",
            f"{key} pin": "Pinocchio C++, one thread" + (" (estimated)" if key == "M" else ""),
            f"{key} pin python": "Pinocchio, loop in Python",
            f"{key} mujoco": "MuJoCo, loop in Python",
        }
        show(
            f"Panda, {title}, batch of {BATCH}",
            1e9,
            "ns/state",
            {n: times[k] for k, n in names.items() if k in times},
            names[f"{key} ours"],
        )
    a, b, c = q[0].copy(), qd[0].copy(), x[0].copy()
    single = best(
        {
            "lagrangian": lambda: dyn.inverse_dynamics(a, b, c),
            "pin.rnea": lambda: pin.rnea(model, data, a, b, c),
        },
        rounds,
    )
    show("Panda, inverse dynamics of one state from Python", 1e9, "ns", single, "lagrangian")


def _seven_joints(arm: lg.Mechanism) -> lg.Mechanism:
    """The Panda with its fingers fixed, and without friction, which Pinocchio does not use."""
    joints = [
        lg.Joint(j.name, "fixed", j.parent, j.child, j.placement)
        if "finger" in j.name
        else lg.Joint(j.name, j.type, j.parent, j.child, j.placement, type_entries=j.type_entries)
        for j in arm.joints
    ]
    return lg.Mechanism(arm.name, arm.bodies, joints)


def _mujoco(arm: lg.Mechanism, q: np.ndarray, qd: np.ndarray, x: np.ndarray) -> dict[str, Callable[[], object]]:
    if util.find_spec("mujoco") is None:
        return {}
    import mujoco

    model = mujoco.MjModel.from_xml_string(_mjcf(arm))
    data = mujoco.MjData(model)
    dense = np.zeros((model.nv, model.nv))

    def inverse() -> None:
        for k in range(64):
            data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], x[k]
            mujoco.mj_inverse(model, data)

    def forward() -> None:
        for k in range(64):
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[k], qd[k], x[k]
            mujoco.mj_forward(model, data)

    def mass() -> None:
        for k in range(64):
            data.qpos[:] = q[k]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_crb(model, data)
            mujoco.mj_fullM(model, dense, data.qM) if hasattr(data, "qM") else None

    return {"ID mujoco": inverse, "FD mujoco": forward, "M mujoco": mass}


def _mjcf(arm: lg.Mechanism) -> str:
    """The arm's moving links as MJCF, from our own lumped inertias."""
    from lagrangian.algorithms.tree import build_tree

    tree = build_tree(arm)
    flags = '<flag contact="disable" constraint="disable"/>'
    text = f'<mujoco><compiler angle="radian" balanceinertia="false"/><option gravity="0 0 -9.81">{flags}</option><worldbody>'
    for i in range(len(tree)):
        link = tree.link(i)
        axes = " ".join(repr(float(link.R[r][c])) for c in (0, 1) for r in range(3))
        center = np.array(link.h) / link.mass
        I = np.array([[link.I[0], link.I[1], link.I[2]], [link.I[1], link.I[3], link.I[4]], [link.I[2], link.I[4], link.I[5]]])
        I = I - link.mass * (center @ center * np.eye(3) - np.outer(center, center))
        full = " ".join(repr(float(v)) for v in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))
        pos, com = (" ".join(repr(float(v)) for v in p) for p in (link.p, center))
        text += f'<body pos="{pos}" xyaxes="{axes}"><joint axis="0 0 1"/>'
        text += f'<inertial mass="{link.mass!r}" pos="{com}" fullinertia="{full}"/>'
    return text + "</body>" * len(tree) + "</worldbody></mujoco>"


def chain(n: int) -> lg.Mechanism:
    """n links hinged about x and y in turn, each 0.1 m long."""
    bodies = [lg.Body(f"b{i}", 1.0, (0, 0, -0.05), (0.01, 0, 0, 0.01, 0, 0.002)) for i in range(n)]
    joints = [
        lg.Joint(
            f"j{i}",
            "revolute",
            f"b{i - 1}" if i else "ground",
            f"b{i}",
            lg.Transform(position=(0, 0, -0.1 if i else 0.0)),
            axis=((0, 1, 0) if i % 2 else (1, 0, 0)),
        )
        for i in range(n)
    ]
    return lg.Mechanism("chain", bodies, joints)


def long_chain(rounds: int) -> None:
    """1000 links, one state, against Drake, and against Pinocchio where it has the memory."""
    n = 1000
    start = time.perf_counter()
    dyn = lg.compile(chain(n))
    inverse, forward = dyn.inverse_dynamics, dyn.forward_dynamics
    built = time.perf_counter() - start
    rng = np.random.default_rng(0)
    q, qd, x = rng.normal(size=(3, n)) * 0.3
    functions: dict[str, Callable[[], object]] = {"ID ours": lambda: inverse(q, qd, x), "FD ours": lambda: forward(q, qd, x)}
    if util.find_spec("pydrake"):
        functions.update(_drake(n, q, qd, x, inverse(q, qd, x), forward(q, qd, x)))
    times = best(functions, rounds)
    print(f"\nchain of {n} links: built and compiled in {built:.2f} s")
    for key, title in (("ID", "inverse dynamics"), ("FD", "forward dynamics")):
        names = {f"{key} ours": "lagrangian", f"{key} drake": "Drake"}
        show(f"chain of {n}, {title}, one state", 1e6, "us", {names[k]: times[k] for k in names if k in times}, "lagrangian")


def _drake(
    n: int, q: np.ndarray, qd: np.ndarray, x: np.ndarray, tau: np.ndarray, qdd: np.ndarray
) -> dict[str, Callable[[], object]]:
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia, UnitInertia

    plant = MultibodyPlant(0.0)
    parent = plant.world_body()
    for i in range(n):
        inertia = SpatialInertia(1.0, [0, 0, -0.05], UnitInertia(0.0125, 0.0125, 0.002))
        body = plant.AddRigidBody(f"b{i}", inertia)
        axis = [0, 1, 0] if i % 2 else [1, 0, 0]
        plant.AddJoint(
            RevoluteJoint(
                f"j{i}",
                parent.body_frame() if i == 0 else _offset(plant, parent, i, RigidTransform([0, 0, -0.1])),
                body.body_frame(),
                axis,
            )
        )
        plant.AddJointActuator(f"a{i}", plant.GetJointByName(f"j{i}"))
        parent = body
    plant.Finalize()
    context = plant.CreateDefaultContext()
    from pydrake.multibody.tree import MultibodyForces

    forces = MultibodyForces(plant)
    shake = [0.0]

    def move() -> None:
        # a changed state, so that nothing is taken from Drake's cache
        shake[0] += 1e-12
        plant.SetPositions(context, q + shake[0])
        plant.SetVelocities(context, qd)

    def inverse() -> np.ndarray:
        move()
        forces.SetZero()
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, x, forces)

    def forward() -> np.ndarray:
        move()
        plant.get_actuation_input_port().FixValue(context, x)
        return plant.get_generalized_acceleration_output_port().Eval(context)

    scale = np.abs(tau).max()
    np.testing.assert_allclose(inverse() / scale, tau / scale, atol=1e-7)
    scale = np.abs(qdd).max()
    np.testing.assert_allclose(forward() / scale, qdd / scale, atol=1e-5)
    return {"ID drake": inverse, "FD drake": forward}


def _offset(plant: object, parent: object, i: int, where: object) -> object:
    from pydrake.multibody.tree import FixedOffsetFrame

    return plant.AddFrame(FixedOffsetFrame(f"f{i}", parent, where))  # type: ignore[attr-defined]


def huge() -> None:
    """100,000 links: time and, from Linux, the most memory of a process of its own."""
    program = (
        "import re, sys, time; sys.path.insert(0, sys.argv[2])\n"
        "import numpy as np, lagrangian as lg; from kernels import chain\n"
        "n = int(sys.argv[1]); t = time.perf_counter(); m = chain(n); a = time.perf_counter(); d = lg.compile(m)\n"
        "q = np.zeros(n); d.forward_dynamics(q, q, q); d.inverse_dynamics(q, q, q); b = time.perf_counter()\n"
        "d.forward_dynamics(q, q, q); c = time.perf_counter()\n"
        "mb = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1e3\n"
        "print(f'  {n:>7} links: model {a-t:.2f} s, compiled and first run {b-a:.2f} s,', end=' ')\n"
        "print(f'forward dynamics {1e3*(c-b):.1f} ms, {mb:.0f} MB')"
    )
    print("\nlong chains, each in a process of its own")
    for n in (1_000, 10_000, 100_000):
        subprocess.run([sys.executable, "-c", program, str(n), str(Path(__file__).parent)], check=True)


def start_up() -> None:
    """Import, first kernel cold, first kernel from the cache, a robot of 101 joints: each in a process of its own."""
    print("\nstart-up, each in a process of its own, best of 3")

    def time_program(title: str, program: str, cache: str, fresh: bool) -> None:
        results = []
        for k in range(3):
            folder = f"{cache}/{k}" if fresh else cache
            environment = {**os.environ, "LAGRANGIAN_CACHE": folder}
            results.append(
                float(
                    subprocess.run(
                        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
                    ).stdout
                )
            )
        print(f"  {title:<58} {min(results):8.3f} s")

    clock = "import time; t = time.perf_counter(); "
    arm = "import lagrangian as lg, numpy as np; m = lg.library('panda'); x = np.zeros(7); "
    first = arm + clock + "lg.compile(m).inverse_dynamics(x, x, x); print(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as cache:
        time_program("import lagrangian", clock + "import lagrangian; print(time.perf_counter() - t)", cache, False)
        time_program("first kernel of a 7-joint arm, cold", first, cache + "/cold", True)
        time_program("first kernel of a 7-joint arm, from the cache", first, cache + "/cold/0", False)
        path = str(urdf("tiago_dual.urdf"))
        tiago = (
            "import warnings; warnings.simplefilter('ignore'); import lagrangian as lg, numpy as np\n"
            f"m = lg.load({path!r}); x = np.zeros(m.nv); q = m.neutral()\n"
            + clock
            + "d = lg.compile(m); d.inverse_dynamics(q, x, x); d.forward_dynamics(q, x, x); d.mass_matrix(q)\n"
            + "print(time.perf_counter() - t)"
        )
        time_program("tiago_dual: inverse, forward dynamics and mass matrix, cold", tiago, cache + "/tiago", True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=("panda", "chain", "huge", "start"), default=None)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core, so that nothing moves between them
    chosen = target.current()
    print(f"target {chosen.name} ({chosen.cpu}), {chosen.width} doubles to a vector")
    have = {name: util.find_spec(name) is not None for name in ("pinocchio", "mujoco", "pydrake")}
    print("peers: " + ", ".join(f"{k} {'yes' if v else 'not installed'}" for k, v in have.items()))
    if options.only in (None, "panda") and have["pinocchio"]:
        panda(options.rounds)
    if options.only in (None, "chain"):
        long_chain(options.rounds)
    if options.only in (None, "huge"):
        huge()
    if options.only in (None, "start"):
        start_up()


if __name__ == "__main__":
    main()
