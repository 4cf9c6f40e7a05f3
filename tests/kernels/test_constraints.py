"""Loops and equations between coordinates: their rows in compiled code."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.placement import rotation_z_to
from tests.kernels.rows import (
    FUNCTIONS,
    QUATERNIONS,
    TIMED,
    check_closed_form,
    check_differences,
    number,
    with_equations,
)
from tests.mechanisms import random_mechanism, state, two_chains

# all loop joints, and points held along some directions only
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{kind: (kind, ("x", "y", "z")) for kind in LOOP_TYPES},
    "point along x and z": ("point", ("x", "z")),
    "point along y": ("point", ("y",)),
}


# -- loops -----------------------------------------------------------------------------------------------------------


# joints the closed form has as they are; and all kinds of joints
ONE_TO_ONE = [(["universal", "helical"], ["prismatic"]), (["revolute"], ["planar", "revolute"])]


OTHERS = (["ball", "helical", "revolute"], ["free", "universal"])


@pytest.mark.parametrize(("first", "second"), ONE_TO_ONE)
def test_loops_as_in_the_closed_form(first: list[str], second: list[str]) -> None:
    check_closed_form(all_loops(first, second, 10))


def meaning(loop: lg.LoopJoint, A: np.ndarray, B: np.ndarray) -> list[float]:
    """A loop joint's equations, from the poses of its two frames."""
    gap = A[:3, 3] - B[:3, 3]
    own = dict(loop.type_entries)
    x, y, z = np.array(rotation_z_to(own.get("axis", (0, 0, 1))), dtype=float).T
    (xa, ya, za), (xb, zb) = (A[:3, :3] @ d for d in (x, y, z)), (B[:3, :3] @ d for d in (x, z))
    across, parallel, turned = [xa @ gap, ya @ gap], [xa @ zb, ya @ zb], [ya @ xb]
    length, directions = float(own.get("length", 1)), own.get("directions", ("x", "y", "z"))
    return {
        "point": [A[:3, k] @ gap for k in range(3) if "xyz"[k] in directions] if len(directions) < 3 else [*gap],
        "ball": [*gap],
        "universal": [*gap, za @ B[:3, :3] @ np.array(own.get("axis2", (0, 1, 0)), dtype=float)],
        "revolute": [*gap, *parallel],
        "cylindrical": [*across, *parallel],
        "prismatic": [*across, *parallel, *turned],
        "fixed": [*gap, *parallel, *turned],
        "planar": [za @ gap, *parallel],
        "distance": [(gap @ gap - length**2) / (2 * length)],
    }[loop.type]


def all_loops(first: list[str], second: list[str], seed: int) -> lg.Mechanism:
    """One of each between the same two chains."""
    results = [two_chains(first, second, kind, seed, directions=directions) for kind, directions in KINDS.values()]
    return results[0].replace(loops=[replace(m.loops[0], name=f"l{k}") for k, m in enumerate(results)])


@pytest.mark.parametrize("seed", [0, 1])
def test_loops_of_all_joints(seed: int) -> None:
    mechanism = all_loops(*OTHERS, seed)
    check_differences(mechanism, seed)
    dyn = lg.compile(mechanism)
    q, *_ = state(mechanism, seed)
    want: list[float] = []
    for loop in mechanism.loops:
        A, B = (dyn.pose(q, body) @ at.matrix() for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)))
        want += meaning(loop, A, B)
    np.testing.assert_allclose(dyn.closure(q), want, rtol=1e-12, atol=1e-12)


def test_a_loop_to_the_ground_and_along_a_chain() -> None:
    """Either body may be the ground, and one may carry the other: columns of joints that carry both are zero for the gap."""
    tree = random_mechanism(["ball", "revolute", "prismatic"], 3, chain=True)
    loops = [
        lg.LoopJoint("g", "ball", "ground", "b2"),
        lg.LoopJoint("h", "fixed", "b1", "ground"),
        lg.LoopJoint("d", "distance", "b0", "b2", length=0.3),
    ]
    mechanism = tree.replace(loops=loops)
    check_differences(mechanism)
    Psi = lg.compile(mechanism).constraint_jacobian(state(mechanism, 0)[0])
    np.testing.assert_allclose(Psi[-1, :3], 0, atol=1e-14)
    assert np.abs(Psi[-1, 3:]).min() > 1e-3


def test_quaternions_of_any_length() -> None:
    """They stand for the rotation of the one of length one, in closure as in Psi."""
    mechanism = two_chains(["ball"], ["free"], "fixed", 4)
    dyn, (q, qd, _, _) = lg.compile(mechanism), state(mechanism, 4)
    longer = q.copy()
    longer[:4] *= 1.7
    longer[4:8] *= 0.6
    np.testing.assert_allclose(dyn.closure(longer), dyn.closure(q), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(dyn.constraint_jacobian(longer), dyn.constraint_jacobian(q), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(dyn.constraint_bias(longer, qd), dyn.constraint_bias(q, qd), rtol=1e-13, atol=1e-13)


# -- equations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equations_of_coordinates_and_time(seed: int) -> None:
    tree = random_mechanism(["revolute", "prismatic", "ball", "free"], seed, chain=True)
    texts = [*FUNCTIONS, *TIMED, *QUATERNIONS]
    mechanism, t = with_equations(tree, *texts), 0.7
    check_differences(mechanism, seed, t)
    q, *_ = state(mechanism, seed)
    values = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True)) | {"t": t}
    want = [number(text, values) for text in texts]
    np.testing.assert_allclose(lg.compile(mechanism).closure(q, t), want, rtol=1e-13, atol=1e-13)


def test_equations_as_in_the_closed_form() -> None:
    tree = random_mechanism(["revolute", "prismatic"], 5, chain=True)
    check_closed_form(with_equations(tree, *FUNCTIONS, *TIMED[:1]))


def test_equations_of_universal_and_planar_joints_as_in_the_closed_form() -> None:
    tree = random_mechanism(["universal", "planar"], 5, chain=True)
    a, b, x, y, angle = tree.coordinate_names
    check_closed_form(with_equations(tree, f"sin({a})*{x} - {b}", f"{y}*{angle} - t^2"))


def test_both_sides_of_a_choice() -> None:
    """abs, sign, min, max where their argument is on the other side, and at it."""
    tree = random_mechanism(["prismatic", "prismatic"], 0, chain=True)
    dyn = lg.compile(with_equations(tree, "abs(j0)", "sign(j0) + j1", "min(j0, j1)", "max(j0, j1)"))
    for x, y in ((-2.0, 0.5), (2.0, 0.5), (0.5, 0.5), (0.0, 1.0)):
        np.testing.assert_array_equal(dyn.closure([x, y]), [abs(x), np.sign(x) + y, min(x, y), max(x, y)])
    np.testing.assert_array_equal(dyn.constraint_jacobian([-2.0, 0.5]), [[-1, 0], [0, 1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(dyn.constraint_jacobian([2.0, 0.5]), [[1, 0], [0, 1], [0, 1], [1, 0]])


def test_large_angles_in_equations() -> None:
    """Of lengths, which are not reduced to a turn, and of more than a coordinate; single and in batches."""
    tree = random_mechanism(["prismatic"], 0)
    dyn = lg.compile(with_equations(tree, "sin(100*j0) + cos(j0)"))
    for x in (0.3, 3e3, 1e4):
        want = math.sin(100 * x) + math.cos(x)
        assert dyn.closure([x])[0] == pytest.approx(want, abs=1e-13)
        assert dyn.closure([[x], [0.1], [x]])[2, 0] == pytest.approx(want, abs=1e-13)
