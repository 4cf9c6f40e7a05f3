"""A wrong sign anywhere in the closed forms is caught.

Every sum, difference and sign of their source is altered, one at a time, and the poses below are solved again: with Newton's
steps, and without, so that these cannot hide a closed form that is wrong. What the unaltered source finds is held to forward
kinematics.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from lagrangian.kinematics import analytic, screws, spherical_wrist
from tests.algorithms.test_mutations import _Alter, places
from tests.kinematics.arms import Z, apart, arm_with_wrist, pose, serial, unit, upright

MODULES = (screws, spherical_wrist, analytic)
# what is altered: a whole module, or some definitions of one
ALTERED = {
    "screws": (screws, ()),
    "planar 2R": (analytic, ("PlanarTwoR",)),
    "3R": (spherical_wrist, ("ThreeR", "_evaluate_row", "_row_derivative")),
    "spherical wrist": (spherical_wrist, ("SphericalWrist", "_find_wrist", "_WristSolver", "_angle")),
}

# lines that are not altered, and why
LEFT_OUT = {
    **dict.fromkeys(
        ("REACH_SLACK", "ALIGNMENT_TOLERANCE", "FOLD_TOLERANCE", "MEETING_TOLERANCE", "PARALLEL_TOLERANCE", "REACH_TOLERANCE"),
        "how near is near enough",
    ),
    **dict.fromkeys(("size = arm.size", "size = max("), "any length of about the arm's will do"),
    "reach = ": "only saves work where nothing can be found",
    "p1, p2 = feet[0]": "any point of axis 2 will do",
    "middle + math.pi": "half a turn either way",
    "self.aligned_angle + math.pi": "half a turn either way",
    "length(v.cross(a, b))": "a length",
    "reach - error": "a guess to start from, on either side",
    "damping_term": "how much the steps are damped",
    "det = gg * hh": "as it is only divided by: another step, damped until it is short enough",
}


def cases():
    """Arms and poses; those that can only be met with Newton's steps apart."""
    rng = np.random.default_rng(0)
    exact, inexact = [], []
    for kind in ("general", "i12 p23", "i23", "p12 euler", "mirrored"):
        arm = arm_with_wrist(kind, rng)
        exact += [(arm, pose(arm, q)) for q in rng.uniform(-np.pi, np.pi, (2, 6))]
    w = unit(np.array([1.0, 2.0, 3.0]))
    arm = serial([w, -w], rng.normal(size=(2, 3)), rng.normal(size=3))
    T = pose(arm, rng.uniform(-np.pi, np.pi, 2))
    exact += [(arm, T), (arm, T[:2, 3]), (arm, T[:3, 3] + 1e-3 * w)]
    plain = serial([Z, Z], [(0, 0, 0), (1, 0, 0)], (1.4, 0, 0))
    exact += [(plain, p) for p in ((1.4, 0), (0.6, 0), (0.61, 0), (1.41, 0), (1.39, 0), (0.59, 0), (0.4, -1))]
    arm = upright()
    for change in ({2: 0}, {2: np.pi}, {4: 0}, {4: np.pi}):
        q = rng.uniform(-3, 3, 6)
        q[list(change)] = list(change.values())
        exact.append((arm, pose(arm, q)))
    for kind, rounding in (("i12 p23 euler", 1e-7), ("orthogonal i23", 1e-5), ("p12 i23", 1e-6)):
        arm = arm_with_wrist(kind, rng, rounding)
        inexact += [(arm, pose(arm, q)) for q in rng.uniform(-np.pi, np.pi, (2, 6))]
        missed = [replace(j, placement=np.array(j.placement.position) + 1e-6 * rng.normal(size=3)) for j in arm.joints]
        arm = arm.replace(joints=missed)
        inexact += [(arm, pose(arm, q)) for q in rng.uniform(-np.pi, np.pi, (2, 6))]
    return exact, inexact


EXACT, INEXACT = cases()


def rebuilt(monkeypatch, change: types.ModuleType | None = None, n: int = -1):
    """All the modules afresh, the n-th place of one altered; and the line that was altered."""
    copies, line = {}, 0
    for module in MODULES:
        copy = types.ModuleType(module.__name__)
        copy.__dict__["__file__"] = module.__file__
        monkeypatch.setitem(sys.modules, module.__name__, copy)
        tree = ast.parse(inspect.getsource(module))
        if module is change:
            alter = _Alter(n)
            tree, line = ast.fix_missing_locations(alter.visit(tree)), alter.line
        exec(compile(tree, module.__file__ or "", "exec"), copy.__dict__)
        copies[module] = copy
    return copies, line


def solve_with(copies, newton: bool) -> Iterator[np.ndarray | None]:
    if not newton:
        copies[screws].MAX_STEPS = copies[spherical_wrist].MAX_STEPS = 0
        copies[spherical_wrist].POSE_TOLERANCE = 1e-7
    for arm, T in EXACT + INEXACT if newton else EXACT:
        result = copies[analytic].analytic_inverse_kinematics(arm, T, "tip")
        yield None if result is None else np.array(result)
    if newton:
        yield from steps(copies)


def steps(copies) -> Iterator[np.ndarray]:
    """Newton's steps by themselves: four or five bring back what was moved by a hundredth."""
    arm, q = arm_with_wrist("general", np.random.default_rng(1)), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    chain = copies[screws].serial_chain(arm, arm.frame("tip"))
    copies[screws].MAX_STEPS, copies[spherical_wrist].MAX_STEPS = 4, 5
    angles, miss = chain.refine([q + 0.01 * np.cos(np.arange(6))], pose(arm, q), 1.0)
    yield np.array([*(angles[0] - q), *miss])
    solver, kind = copies[spherical_wrist].SphericalWrist.from_chain(chain), copies[spherical_wrist].ThreeR
    exact = kind._quartic
    kind._quartic = lambda self, a, d: [x + 0.01 for x in exact(self, a, d)]
    target = chain.exponential_products(q[None])[0, 3] @ [*solver.centre, 1]
    results = [x for x in solver.arm.solve(tuple(target[:3])) if apart(x, q[:3]) < 0.1]
    yield np.array(results[0]) - q[:3] if len(results) == 1 else np.full(3, np.nan)


def differs(actual: np.ndarray | None, expected: np.ndarray | None) -> bool:
    if actual is None or expected is None or actual.shape != expected.shape:
        return actual is not expected
    return actual.size > 0 and not apart(actual, expected) < 1e-6


def test_unaltered_they_hold(monkeypatch):
    assert max(np.abs(x).max() for x in steps(rebuilt(monkeypatch)[0])) < 1e-9
    for arm, T in EXACT + INEXACT:
        for q in analytic.analytic_inverse_kinematics(arm, T, "tip"):
            miss = pose(arm, q) - T if np.ndim(T) == 2 else pose(arm, q)[: len(T), 3] - T
            assert np.abs(miss if arm.nq == 6 or np.ndim(T) == 1 else miss[:3, 3]).max() < 1e-10


def lines_of(module: types.ModuleType, names: tuple[str, ...]) -> set[int]:
    """The lines of some definitions of a module, or all of them."""
    definitions = [s for s in ast.parse(inspect.getsource(module)).body if not names or getattr(s, "name", "") in names]
    return {line for s in definitions for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)}


@pytest.mark.slow
@pytest.mark.parametrize("part", ALTERED)
def test_every_sign_counts(part, monkeypatch):
    module, names = ALTERED[part]
    source, lines = inspect.getsource(module).splitlines(), lines_of(module, names)
    expected = {newton: list(solve_with(rebuilt(monkeypatch)[0], newton)) for newton in (False, True)}
    missed = []
    for n in range(places(module)):
        copies, line = rebuilt(monkeypatch, module, n)
        if line not in lines:
            continue
        text = source[line - 1].strip()
        if any(left in text for left in LEFT_OUT):
            continue
        try:
            with np.errstate(all="ignore"):
                caught = any(map(differs, solve_with(copies, True), expected[True])) or any(
                    map(differs, solve_with(rebuilt(monkeypatch, module, n)[0], False), expected[False])
                )
        except (ValueError, ArithmeticError, IndexError, TypeError, np.linalg.LinAlgError):
            caught = True
        if not caught:
            missed.append(f"{line}: {text}")
    assert not missed, "\n".join(missed)
