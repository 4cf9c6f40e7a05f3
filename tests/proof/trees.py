"""Trees with every kind of joint whose closed form stays small: turned by quarter turns, and by a few other angles."""

from __future__ import annotations

import numpy as np

import lagrangian as lg
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, parameter
from lagrangian.model.joints import TYPES
from lagrangian.model.placement import rotation_x, rotation_y, rotation_z
from lagrangian.model.single_coordinate import with_single_coordinates
from tests.mechanisms import own_entries, random_body

CYCLE = ((0, 0, 1), (1, 0, 0), (0, 1, 0))  # x to y to z: no rotation is less like its own inverse
AXES = (v.X, v.Y, v.Z, (-1, 0, 0), (0, -1, 0), (0, 0, -1))


def decimals(x: np.ndarray, digits: int = 2) -> tuple[float, ...]:
    return tuple(round(float(e), digits) for e in x)


def body(rng: np.random.Generator, name: str) -> lg.Body:
    body = random_body(rng, name)
    return lg.Body(name, round(float(body.mass), 2), decimals(np.array(body.center)), decimals(np.array(body.inertia), 4))


def placement(rng: np.random.Generator, angle: Scalar = 0) -> lg.Transform:
    turn = v.IDENTITY
    for _ in range(int(rng.integers(0, 3))):
        turn = v.mat_mat(turn, CYCLE)
    return lg.Transform(v.mat_mat(turn, rotation_x(angle)), decimals(rng.normal(size=3)))


def tree(
    types: list[str],
    seed: int,
    *,
    chain: bool = False,
    passive: bool = False,
    angle: Scalar = 0,
    gravity: tuple[Scalar, Scalar, Scalar] | None = None,
    **extra: object,
) -> lg.Mechanism:
    """A tree (or chain) with the given joints, made elementary; one joint's frame is turned by `angle` besides."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i, kind in enumerate(types):
        bodies.append(body(rng, f"b{i}"))
        parent = -1 if i == 0 else i - 1 if chain else int(rng.integers(-1, i))
        acts: dict[str, object] = {}
        if passive and kind not in ("ball", "free", "fixed"):
            acts["rotor"] = lg.Rotor(round(rng.random(), 2) / 100, 7)
            acts["friction"] = lg.Friction(round(rng.random(), 2))
            acts["spring"] = lg.JointSpring(round(rng.random() * 5, 2), round(rng.normal(), 2))
        k = int(rng.integers(6))
        joints.append(
            lg.Joint(
                f"j{i}",
                kind,
                f"b{parent}" if parent >= 0 else "ground",
                f"b{i}",
                placement(rng, angle if i == 1 else 0),
                placement(rng),
                **own_entries(TYPES[kind], AXES[k], AXES[(k + 2) % 3], axis2=AXES[(k + 1) % 3], axis3=AXES[(k + 2) % 3]),
                **acts,  # type: ignore[arg-type]
            )
        )
    down = decimals(rng.normal(size=3) * 9, 1) if gravity is None else gravity
    return with_single_coordinates(lg.Mechanism("tree", bodies, joints, gravity=down, **extra))  # type: ignore[arg-type]


def named_twist() -> lg.Mechanism:
    """A 3R arm whose twist angles are names, and gravity too."""
    alpha, beta, g = parameter("alpha", 0.7), parameter("beta", -1.1), parameter("g", 9.81)
    rng = np.random.default_rng(4)
    turns = (rotation_y(alpha), rotation_x(beta), v.mat_mat(rotation_z(alpha), rotation_x(beta)))
    places = [lg.Transform(R, (parameter(f"l{i}", 0.5), 0, 0)) for i, R in enumerate(turns)]
    bodies = [body(rng, f"b{i}") for i in range(3)]
    joints = [lg.Joint(f"j{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}", P) for i, P in enumerate(places)]
    names = {"alpha": alpha, "beta": beta, "g": g, **{f"l{i}": parameter(f"l{i}", 0.5) for i in range(3)}}
    return lg.Mechanism("named_twist", bodies, joints, gravity=(0, -g, 0), parameters=names)
