"""Robots with loops against Pinocchio: every URDF with a YAML file of loops beside it, as in Gepetto's example-parallel-robots.

    python benchmarks/looped_robots.py FOLDER                  # a table, a line for each robot
    python benchmarks/looped_robots.py FOLDER --only cassie    # those whose path has this in it

Of each robot, with its base held: the speeds and equations, the degrees of freedom (`lg.mobility`), by how much its loops miss
once it is assembled, how far the accelerations are from those of a dense system that is built from Pinocchio's matrices alone
(relative to the largest one, the worst of several states with random torques of the motors, without friction), and how a motion
of one second ends that starts at rest.

The dense system is M a + b = tau + J' f with J a = -c: the mass matrix M, the bias b, the Jacobians J of the two frames of each
loop and their accelerations c are Pinocchio's, in a model that this script builds from URDF and YAML without the package.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import lagrangian as lg
from lagrangian.configuration.coordinates import integrate

STATES, SECONDS = 3, 1.0
HEAD = f"{'robot':34} {'nv':>3} {'eq':>3} {'dof':>8} {'assembled to, in':>18} {'acceleration':>12} motion"


# -- the same robot in Pinocchio ---------------------------------------------------------------------------------------


class Peer:
    """Pinocchio's model, with the joints that the YAML file makes others, and the frames that its loops join."""

    def __init__(self, urdf: Path, loops: Path) -> None:
        import pinocchio as pin
        import yaml

        self.pin = pin
        text = yaml.safe_load(loops.read_text())
        tree = pin.buildModelFromUrdf(str(urdf))
        others = dict(zip(text.get("joint_name", []), text.get("joint_type", []), strict=True))
        self.model, fixed = self._rebuilt(tree, others, {name for pair in text["closed_loop"] for name in pair})
        if fixed:
            self.model = pin.buildReducedModel(self.model, fixed, pin.neutral(self.model))
        self.data = self.model.createData()
        kinds = text.get("type", ["6d"] * len(text["closed_loop"]))
        frames = [[self.model.getFrameId(name) for name in pair] for pair in text["closed_loop"]]
        self.loops = list(zip(frames, (kind.lower() == "6d" for kind in kinds), strict=True))

    def _rebuilt(self, tree: Any, others: dict[str, str], expected: set[str]) -> tuple[Any, list[int]]:
        """The same tree with balls and universal joints; the second are two joints, named after their axes."""
        pin = self.pin
        turn = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}
        model, last, fixed = pin.Model(), {0: 0}, []
        for k in range(1, tree.njoints):
            name, at, joint = tree.names[k], tree.jointPlacements[k], tree.joints[k]
            parent, kind = last[tree.parents[k]], others.get(name, "")
            if kind.startswith("UJOINT"):
                parent = model.addJoint(parent, turn[kind[-2]](), at, f"{name}.1")
                at, joint, name = pin.SE3.Identity(), turn[kind[-1]](), f"{name}.2"
            elif kind == "SPHERICAL":
                joint = pin.JointModelSpherical()
            last[k] = model.addJoint(parent, joint, at, name)
            model.addJointFrame(last[k])  # without which no joint can be fixed
            model.appendBodyToJoint(last[k], tree.inertias[k], pin.SE3.Identity())
            if kind == "FIXED":
                fixed.append(last[k])
        for frame in list(tree.frames)[1:]:
            if frame.name in expected and not model.existFrame(frame.name):
                model.addFrame(pin.Frame(frame.name, last[frame.parentJoint], frame.placement, pin.FrameType.OP_FRAME), False)
        return model, fixed

    def coordinates(self, m: lg.Mechanism, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Their q of ours, and for each of our speeds the place of theirs."""
        theirs, speeds, at = self.pin.neutral(self.model), [], 0
        for joint in m.joints:
            own, at = q[at : at + joint.kind.nq], at + joint.kind.nq
            names = [f"{joint.name}.{k}" for k in (1, 2)] if joint.type == "universal" else [joint.name] * bool(joint.kind.nv)
            for k, name in enumerate(names):
                result = self.model.joints[self.model.getJointId(name)]
                part = own[k : k + 1] if joint.type == "universal" else own
                if joint.type == "ball":
                    part = [*own[1:], own[0]]
                elif result.nq == 2:  # a turn without limits
                    part = [np.cos(own[0]), np.sin(own[0])]
                theirs[result.idx_q : result.idx_q + result.nq] = part
                speeds += range(result.idx_v, result.idx_v + result.nv)
        return theirs, np.array(speeds)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        pin, rows = self.pin, []
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        for (a, b), welded in self.loops:
            J = [pin.getFrameJacobian(self.model, self.data, f, pin.LOCAL_WORLD_ALIGNED) for f in (a, b)]
            rows.append((J[0] - J[1])[: 6 if welded else 3])
        return np.vstack(rows)

    def drift(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The accelerations of the frames against each other where no speed changes."""
        pin, rows = self.pin, []
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros_like(v))
        pin.updateFramePlacements(self.model, self.data)
        for (a, b), welded in self.loops:
            one, other = (
                pin.getFrameClassicalAcceleration(self.model, self.data, f, pin.LOCAL_WORLD_ALIGNED).vector for f in (a, b)
            )
            rows.append((one - other)[: 6 if welded else 3])
        return np.concatenate(rows)

    def speeds(self, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Random ones that keep the loops closed."""
        free = kernel(self.jacobian(q))
        return free @ rng.normal(size=free.shape[1])

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Those of the dense system, whose equations may follow from each other: along the motions that are free, and across."""
        J, c = self.jacobian(q), self.drift(q, v)
        M = self.pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        b = self.pin.nonLinearEffects(self.model, self.data, q, v)
        across = -np.linalg.lstsq(J, c, rcond=1e-9)[0]
        free = kernel(J)
        return across + free @ np.linalg.solve(free.T @ M @ free, free.T @ (tau - b - M @ across))


def kernel(J: np.ndarray) -> np.ndarray:
    """The speeds that J leaves free, as columns."""
    _, sizes, rows = np.linalg.svd(J)
    return rows[np.sum(sizes > 1e-9 * sizes[0]) :].T


# -- a robot -----------------------------------------------------------------------------------------------------------


def worst_difference(m: lg.Mechanism, peer: Peer, q: np.ndarray) -> float:
    """The worst difference of accelerations, at the configuration and at others around it, relative to the largest."""
    m = m.replace(joints=tuple(replace(joint, friction=lg.Friction()) for joint in m.joints))
    dyn, rng, worst = lg.compile(m), np.random.default_rng(0), 0.0
    driven = np.array([joint.actuated for joint in m.joints for _ in range(joint.kind.nv)])
    for k in range(STATES):
        if k:
            theirs, order = peer.coordinates(m, q)
            step = 0.1 * peer.speeds(theirs, rng)
            q = lg.assemble(m, integrate(m, q, step[order]))
        theirs, order = peer.coordinates(m, q)
        v = peer.speeds(theirs, rng)
        tau = driven * rng.normal(size=m.nv)
        push = np.zeros(m.nv)
        push[order] = tau
        expected = peer.accelerations(theirs, v, push)[order]
        accelerations = dyn.forward_dynamics(q, v[order], tau)
        worst = max(worst, float(np.max(np.abs(accelerations - expected)) / np.max(np.abs(expected))))
    return worst


def motion(m: lg.Mechanism, q: np.ndarray) -> str:
    """How a motion of a second ends, from rest."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ended = lg.simulate(m, SECONDS, q0=q)
        except lg.errors.LagrangianError as error:
            return f"refused: {error}"
    seconds = time.perf_counter() - start
    off = float(np.max(np.abs(ended.energy_balance))) / ended.energy_scale
    message = f"{ended.t[-1]:.3g} s in {seconds:.1f} s, energy off by {off:.0e}"
    return message + "".join(f"; {warning.message}" for warning in caught)


def row(urdf: Path, loops: Path, name: str) -> Iterator[str]:
    """The parts of the line of the table, as they are found."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.ReaderWarning)
        m = lg.load(urdf, loops=loops)
    yield f"{name:34} {m.nv:3} {m.equation_count:3} "
    start = time.perf_counter()
    try:
        q = lg.assemble(m)
    except lg.errors.LagrangianError as error:
        yield f"not assembled: {error}"
        return
    seconds = time.perf_counter() - start
    mobile = lg.mobility(m, q)
    dof = f"{mobile.nearby}" + (f" ({mobile.degrees})" if mobile.singular else "")
    yield f"{dof:>8} {float(np.max(np.abs(lg.compile(m).closure(q)))):9.0e} {seconds:6.1f} s "
    try:
        yield f"{worst_difference(m, Peer(urdf, loops), q):12.0e} "
    except (lg.errors.LagrangianError, np.linalg.LinAlgError) as error:
        yield f"no ({error}) "
    yield motion(m, q)


def robots(folder: Path) -> list[tuple[Path, Path]]:
    """URDFs with a file of loops: of the URDF's name, or called robot.yaml."""
    results = []
    for urdf in sorted(folder.rglob("*.urdf")):
        for loops in (urdf.with_suffix(".yaml"), urdf.parent / "robot.yaml"):
            if loops.is_file() and "closed_loop" in loops.read_text():
                results.append((urdf, loops))
                break
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="robots whose path has this in it")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that a robot may take")
    parser.add_argument("--here", action="store_true", help="in this process, not one for each robot")
    options = parser.parse_args()
    chosen = [(u, y) for u, y in robots(options.folder) if options.only in str(u)]
    if not options.here:
        print(HEAD)
    for urdf, loops in chosen:
        name = str(urdf.parent.relative_to(options.folder)) or urdf.stem
        if options.here:
            for part in row(urdf, loops, name):
                print(part, end="", flush=True)
            continue
        command = [sys.executable, __file__, str(options.folder), "--only", str(urdf), "--here"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=options.timeout)
            failed = f"failed: {done.stderr.decode().strip().splitlines()[-1]}" if done.returncode else ""
            print(done.stdout.decode() + failed, flush=True)
        except subprocess.TimeoutExpired as error:
            print(f"{(error.stdout or b'').decode() or name} stopped after {options.timeout:g} s", flush=True)
    if not options.here:
        print(f"{len(chosen)} robots")


if __name__ == "__main__":
    main()
