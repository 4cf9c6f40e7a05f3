"""SDF files by Drake: mass matrix, and torques of random motions with gravity, damping and springs, against ours.

    python benchmarks/sdf_by_drake.py FILE ... [--python /path/to/python/with/drake]

Drake runs in a process of its own for each file, by the Python that --python or LAGRANGIAN_DRAKE names, because it ends the
process where it meets what it does not support. One line a file says what came of it, and a last line how many of each. What
Drake does not have is left off before the comparison: dry friction, equations that close loops or couple joints, the inertia
of links without mass, and links that feel no gravity.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

STATES = 3
CLOSE = 1e-8


@dataclass(frozen=True)
class Compared:
    """What came of one file: agrees, differs, differs as is said, refused by one or both, or not comparable, and why."""

    file: str
    verdict: str
    why: str = ""
    error: float = float("nan")


# -- ours --------------------------------------------------------------------------------------------------------------


def compare(file: str, python: str, seconds: float = 120) -> Compared:
    """One file read by both."""
    import lagrangian as lg
    from lagrangian.errors import LagrangianError
    from lagrangian.model.spring import GravityCompensation

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = lg.load(file)
    except LagrangianError as error:
        theirs = _ask(file, {"states": []}, python, seconds)
        return Compared(file, "refused by both" if "error" in theirs else "refused by us", str(error))
    rubbing = tuple(replace(j, friction=lg.Friction(j.friction.viscous)) for j in m.joints)
    # Drake has inertia by mass, and so none where that is 0
    weighing = tuple(b if float(b.mass) else lg.Body(b.name) for b in m.bodies)
    springs = tuple(s for s in m.springs if not isinstance(s, GravityCompensation))
    m = m.replace(bodies=weighing, joints=rubbing, springs=springs, loops=(), constraints=())
    question = _question(m)
    theirs = _ask(file, question, python, seconds)
    if "error" in theirs:
        return Compared(file, "refused by Drake", theirs["error"])
    if "apart" in theirs:
        return Compared(file, "not comparable", theirs["apart"])
    if m.nv == 0:
        return Compared(file, "agrees", "nothing moves", 0.0)
    dyn = lg.compile(m)
    worst = 0.0
    for state, answer in zip(question["states"], theirs["states"], strict=True):
        q, qd, qdd = (np.array(state[key]) for key in ("q", "qd", "qdd"))
        tau = dyn.inverse_dynamics(q, qd, qdd)
        for ours, other in ((dyn.mass_matrix(q), answer["mass"]), (tau, answer["torque"]), (dyn.gravity(q), answer["still"])):
            scale = max(1.0, float(np.abs(other).max()))
            worst = max(worst, float(np.abs(ours - np.array(other)).max()) / scale)
    if worst < CLOSE:
        return Compared(file, "agrees", "", worst)
    replaced = [b.name for b in m.bodies if not float(b.mass) or b.effective]
    if replaced:  # the latter is what our warning of an impossible inertia says
        why = f"libsdformat gives links without mass, or with an impossible inertia, 1 kg and 1 kg m^2: {replaced[0]}"
        return Compared(file, "differs, said", why, worst)
    return Compared(file, "differs", "", worst)


def _question(m: Any) -> dict[str, Any]:
    """The joints, and random states of them, joint by joint."""
    rng = np.random.default_rng(1)
    joints = [
        {"name": j.name, "type": j.type, "parent": j.parent, "child": j.child, "nq": j.kind.nq, "nv": j.kind.nv} for j in m.joints
    ]
    wide = m.replace(joints=tuple(replace(j, limits=type(j.limits)()) for j in m.joints))
    states = []
    for _ in range(STATES):
        q = wide.random_configuration(rng)
        states.append({"q": q.tolist(), "qd": rng.normal(size=m.nv).tolist(), "qdd": rng.normal(size=m.nv).tolist()})
    name = "" if "<world" in Path(m.file).read_text(errors="replace") else m.name
    return {"joints": joints, "states": states, "gravity": [float(x) for x in m.gravity], "model": name}


def _ask(file: str, question: dict[str, Any], python: str, seconds: float) -> dict[str, Any]:
    """What Drake says, in a process of its own."""
    command = [python, str(Path(__file__).resolve()), "--answer", file]
    environment = {key: x for key, x in os.environ.items() if key != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command, input=json.dumps(question), capture_output=True, text=True, timeout=seconds, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {seconds:g} s"}
    line = done.stdout.strip().rpartition("\n")[2]
    if done.returncode or not line.startswith("{"):
        return {"error": done.stderr.strip().rpartition("\n")[2][:200] or f"ended with {done.returncode}"}
    answer: dict[str, Any] = json.loads(line)
    return answer


# -- Drake's, in its own process ---------------------------------------------------------------------------------------


def answer(file: str, question: dict[str, Any]) -> dict[str, Any]:
    """Mass matrix, torques and gravity at the states of the question, in its speeds."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    here = Path(file).resolve()
    for folder in here.parents[:-1]:  # packages around the file, as our reader looks for them
        if not parser.package_map().Contains(folder.name):
            parser.package_map().Add(folder.name, str(folder))
    for folder in sorted(here.parent.iterdir()):
        if folder.is_dir() and not parser.package_map().Contains(folder.name):
            parser.package_map().Add(folder.name, str(folder))
    try:
        parser.AddModels(file)
        if "gravity" in question:
            plant.mutable_gravity_field().set_gravity_vector(question["gravity"])
        plant.Finalize()
    except Exception as error:
        return {"error": str(error).strip().partition("\n")[0][:300]}
    if not question["states"]:
        return {}
    return _answers(plant, question)


def _answers(plant: Any, question: dict[str, Any]) -> dict[str, Any]:
    context = plant.CreateDefaultContext()
    if sum(j["nv"] for j in question["joints"]) != plant.num_velocities():
        return {"apart": f"{sum(j['nv'] for j in question['joints'])} speeds here, {plant.num_velocities()} in Drake"}
    results = []
    for state in question["states"]:
        T, bias = np.zeros((plant.num_velocities(),) * 2), np.zeros(plant.num_velocities())
        at_q = at_v = 0
        for joint in question["joints"]:
            q = np.array(state["q"][at_q : at_q + joint["nq"]])
            columns = slice(at_v, at_v + joint["nv"])
            qd = np.array(state["qd"][columns])
            if joint["nv"] and (apart := _set(plant, context, question["model"], joint, q, qd, T, bias, columns)):
                return {"apart": apart}
            at_q, at_v = at_q + joint["nq"], at_v + joint["nv"]
        results.append(_evaluate_dynamics(plant, context, T, bias, np.array(state["qd"]), np.array(state["qdd"])))
    return {"states": results}


def _evaluate_dynamics(
    plant: Any, context: Any, T: np.ndarray, bias: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> dict[str, Any]:
    from pydrake.multibody.tree import MultibodyForces

    plant.SetVelocities(context, T @ qd)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    torque = plant.CalcInverseDynamics(context, T @ qdd + bias, forces)
    return {
        "mass": (T.T @ plant.CalcMassMatrix(context) @ T).tolist(),
        "torque": (T.T @ torque).tolist(),
        "still": (T.T @ _still(plant, context)).tolist(),
    }


def _still(plant: Any, context: Any) -> np.ndarray:
    """The torques that hold a state: those of gravity and springs."""
    from pydrake.multibody.tree import MultibodyForces

    nothing = np.zeros(plant.num_velocities())
    plant.SetVelocities(context, nothing)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    held: np.ndarray = plant.CalcInverseDynamics(context, nothing, forces)
    return held


def _set(
    plant: Any,
    context: Any,
    model: str,
    joint: dict[str, Any],
    q: np.ndarray,
    qd: np.ndarray,
    T: np.ndarray,
    bias: np.ndarray,
    columns: slice,
) -> str:
    """Set one joint, and how Drake's speeds follow from ours, v = T qd and v' = T qd' + bias; or why it cannot be done."""
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

    name = (
        f"{model}::{joint['child' if joint['type'] == 'free' else 'name']}"
        if model
        else joint["child" if joint["type"] == "free" else "name"]
    )
    scope, _, local = name.rpartition("::")
    instance = plant.GetModelInstanceByName(scope) if scope and plant.HasModelInstanceNamed(scope) else None
    if joint["type"] != "free" and instance is not None and not plant.HasJointNamed(local, instance):
        instance = None  # of a model that is merged, or has no links of its own
    if joint["type"] == "free":
        if not (plant.HasBodyNamed(local, instance) if instance is not None else plant.HasBodyNamed(local)):
            return f"Drake has no body {name}"
        body = plant.GetBodyByName(local, instance) if instance is not None else plant.GetBodyByName(local)
        if not body.is_floating_base_body():
            return f"{name} does not float in Drake"
        R = RotationMatrix(Quaternion(q[:4]))
        plant.SetFreeBodyPose(context, body, RigidTransform(R, q[4:]))
        start = body.floating_velocities_start_in_v()
        turn = R.matrix()
        T[start : start + 3, columns.start : columns.start + 3] = turn
        T[start + 3 : start + 6, columns.start + 3 : columns.start + 6] = turn
        bias[start + 3 : start + 6] = turn @ np.cross(qd[:3], qd[3:])
        return ""
    if not (plant.HasJointNamed(local, instance) if instance is not None else plant.HasJointNamed(local)):
        return f"Drake has no joint {name}"
    theirs = plant.GetJointByName(local, instance) if instance is not None else plant.GetJointByName(local)
    start, count = theirs.velocity_start(), theirs.num_velocities()
    if count != joint["nv"]:
        return f"joint {name} has {count} speeds in Drake"
    if joint["type"] == "ball":
        R = RotationMatrix(Quaternion(q))
        theirs.set_angles(context, RollPitchYaw(R).vector())
        T[start : start + 3, columns] = R.matrix()
        return ""
    positions = plant.GetPositions(context)
    positions[theirs.position_start() : theirs.position_start() + count] = q
    plant.SetPositions(context, positions)
    T[start : start + count, columns] = np.eye(count)
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--python", default=os.environ.get("LAGRANGIAN_DRAKE", sys.executable), help="a Python that has Drake")
    parser.add_argument("--answer", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        print(json.dumps(answer(options.answer, json.load(sys.stdin))))
        return
    results = []
    for file in options.files:
        results.append(compare(file, options.python))
        one = results[-1]
        shown = f"{one.error:.1e}" if one.error == one.error else ""
        print(f"{one.verdict:16} {shown:8} {file}  {one.why[:160]}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in Counter(one.verdict for one in results).most_common()))


if __name__ == "__main__":
    main()
