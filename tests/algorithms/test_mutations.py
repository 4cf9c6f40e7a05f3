"""A wrong sign anywhere in the algorithms is caught.

Every sum, difference, sign and product of the algorithms' source is altered, one at a time, and the identities of
`test_properties` are evaluated in plain Python on the altered algorithm. An alteration that no identity notices fails the test.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import types
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms import (
    coriolis,
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    link,
    mass_matrix,
    regressor,
    regroup,
    tree_factorisation,
)
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.kernels.programs import sweeps
from lagrangian.model.rotation import quaternion
from tests.mechanisms import advance, random_mechanism, state

MODULES = (
    inverse_dynamics,
    mass_matrix,
    forward_dynamics,
    coriolis,
    energy,
    kinematics,
    regressor,
    link,
    regroup,
    tree_factorisation,
)
JOINTS = ["revolute", "prismatic", "revolute", "ball", "helical", "cam", "free"]
ARMS = [random_mechanism(JOINTS, 13, chain=True, passive=passive) for passive in (True, False)]
STEP = 1e-6

# lines and functions that are not altered, and why
LEFT_OUT = {
    "def parent_speeds": "the numbering of speeds, not mechanics: altered, the walk to the ground never ends",
    "for j in range(len(tree) - 1, -1, -1)": "regrouping fewer links, or in another order, changes no result",
    "v.add(dwj, bw)": "the axis of a cam does not turn with it: the angular part of its bias is zero",
    "v.add(dw, own_w)": "the angular part of a bias, again",
    "v.add(ca, bw)": "the angular part of a bias, again",
    "list(range(-1, n - 1))": "of a full M, as massless links in loops have it; test_massless_links solves with it",
    "coordinate - 3": "clears what is zero but for rounding: it saves operations, and changes no result",
}


class _Alter(ast.NodeTransformer):
    """Alters the n-th place where a sign could be wrong."""

    def __init__(self, n: int) -> None:
        self.n, self.seen, self.line = n, -1, 0

    def _here(self, node: ast.AST) -> bool:
        self.seen += 1
        if self.seen == self.n:
            self.line = node.lineno  # type: ignore[attr-defined]
            return True
        return False

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Sub)) and self._here(node):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.USub) and self._here(node) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "v":
            other = {
                "add": "sub",
                "sub": "add",
                "mat_add": "mat_sub",
                "mat_sub": "mat_add",
                "mat_vec": "mat_t_vec",
                "mat_t_vec": "mat_vec",
            }
            if f.attr in other and self._here(node):
                f.attr = other[f.attr]
            elif f.attr == "cross" and self._here(node):
                node.args.reverse()
            elif f.attr == "neg" and self._here(node):
                return node.args[0]
        return node


class Compared(_Alter):
    """Alters comparisons too, and what sets are: in the order of an elimination there are few signs."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        turned = {ast.Gt: ast.LtE, ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In}
        kind = type(node.ops[0])
        if kind in turned and self._here(node):
            node.ops[0] = turned[kind]()
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        turned = {ast.BitOr: ast.BitAnd, ast.Sub: ast.BitOr, ast.Add: ast.Sub}
        kind = type(node.op)
        if kind in turned and self._here(node):
            node.op = turned[kind]()
        return node


def places(module: types.ModuleType, alter: type[_Alter] = _Alter) -> int:
    counter = alter(-2)
    counter.visit(ast.parse(inspect.getsource(module)))
    return counter.seen + 1


def altered_copy(module: types.ModuleType, n: int, alter: type[_Alter] = _Alter) -> tuple[types.ModuleType, int, str]:
    tree = ast.parse(inspect.getsource(module))
    change = alter(n)
    tree = ast.fix_missing_locations(change.visit(tree))
    function = next(
        (f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.lineno <= change.line <= (f.end_lineno or 0)), ""
    )
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update({"__name__": module.__name__, "__file__": module.__file__})
    exec(compile(tree, module.__file__ or "", "exec"), copy.__dict__)
    return copy, change.line, function


def not_caught(
    module: types.ModuleType,
    failures: Callable[[Callable[[types.ModuleType], types.ModuleType]], Iterator[str]],
    left_out: Iterable[str],
    install: Callable[[pytest.MonkeyPatch, types.ModuleType, types.ModuleType], None],
    monkeypatch: pytest.MonkeyPatch,
    alter: type[_Alter] = _Alter,
) -> list[str]:
    """The places of a module at which an alteration gives no failure; lines that have a fragment that is left out are passed."""
    result, lines = [], inspect.getsource(module).splitlines()
    for n in range(places(module, alter)):
        changed, line, function = altered_copy(module, n, alter)
        text = " ".join(x.strip() for x in lines[line - 1 : line + 1])
        if any(fragment in text for fragment in left_out):
            continue
        with monkeypatch.context() as patch:
            install(patch, module, changed)
            try:
                wrong = next(failures(lambda m, changed=changed: changed if m is module else m), None)
            except (ArithmeticError, ValueError, TypeError, AttributeError, LookupError, lg.LagrangianError):
                wrong = "it does not even run"
        if wrong is None:
            result.append(f"{module.__file__}:{line} in {function}: {text}")
    return result


def value(algorithm: Algorithm, tree: trees.Tree, **inputs: np.ndarray) -> np.ndarray:
    values = sweeps.links_at_state(tree, algorithm.inputs, lambda name, k: float(inputs[name][k]), math.cos, math.sin)
    return np.array(run(algorithm, tree, values), dtype=float)


def same(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    scale = max(1.0, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    return bool(np.abs(a - b).max(initial=0) <= tolerance * scale)


def failures(get) -> Iterator[str]:
    """The identities that do not hold on either arm; `get(module, name)` gives an algorithm."""
    for arm in ARMS:
        yield from failures_of(arm, get)


def failures_of(arm: lg.Mechanism, get) -> Iterator[str]:
    tree = trees.build_tree(arm)
    n = arm.nv
    q, qd, qdd, _ = state(arm, 6)
    place = tree.body_places[arm.bodies[-1].name]
    path = tree.path_to_frame(*place)
    M = value(get(mass_matrix, "MASS_MATRIX"), tree, q=q).reshape(n, n)
    C = value(get(coriolis, "CORIOLIS_MATRIX"), tree, q=q, qd=qd).reshape(n, n)
    G = value(get(inverse_dynamics, "GRAVITY"), tree, q=q)
    F = value(get(inverse_dynamics, "BIAS"), tree, q=q, qd=qd) - C @ qd - G
    ID = value(get(inverse_dynamics, "INVERSE_DYNAMICS"), tree, q=q, qd=qd, qdd=qdd)
    friction = np.zeros(n)
    for i in range(len(tree)):
        one = tree.link(i)
        for k in range(one.iv, one.iv + one.nv):
            friction[k] = one.viscous * qd[k] + (one.coulomb_positive if qd[k] > 0 else -one.coulomb_negative)
    checks = {"friction": lambda: same(F, friction, 1e-10)}
    checks["equation of motion"] = lambda: same(ID, M @ qdd + C @ qd + G + friction, 1e-10)

    def rate(function) -> np.ndarray:
        return (function(advance(arm, q, qd, STEP)) - function(advance(arm, q, qd, -STEP))) / (2 * STEP)

    checks["M' = C + C^T"] = lambda: same(
        rate(lambda x: value(get(mass_matrix, "MASS_MATRIX"), tree, q=x)).reshape(n, n), C + C.T, 1e-6
    )
    checks["kinetic energy"] = lambda: same(
        value(get(energy, "KINETIC_ENERGY"), tree, q=q, qd=qd), np.array([0.5 * qd @ M @ qd]), 1e-10
    )
    checks["dV/dt = G qd"] = lambda: same(
        rate(lambda x: value(get(energy, "POTENTIAL_ENERGY"), tree, q=x)), np.array([G @ qd]), 1e-6
    )
    checks["forward dynamics"] = lambda: same(
        value(get(forward_dynamics, "FORWARD_DYNAMICS"), tree, q=q, qd=qd, tau=ID), qdd, 1e-8
    )
    T = value(get(kinematics, "POSE_OF_FRAME"), path, q=q).reshape(4, 4)
    J = value(get(kinematics, "JACOBIAN"), path, q=q).reshape(6, n)
    dT = rate(lambda x: value(get(kinematics, "POSE_OF_FRAME"), path, q=x)).reshape(4, 4)
    W = dT[:3, :3] @ T[:3, :3].T
    checks["Jacobian"] = lambda: same(np.array([W[2, 1], W[0, 2], W[1, 0], *dT[:3, 3]]), J @ qd, 1e-6)
    checks["velocity"] = lambda: same(value(get(kinematics, "VELOCITY"), path, q=q, qd=qd), J @ qd, 1e-10)
    bias = value(get(kinematics, "JACOBIAN_DOT_QD"), path, q=q, qd=qd)
    checks["J' qd"] = lambda: same(rate(lambda x: value(get(kinematics, "JACOBIAN"), path, q=x)).reshape(6, n) @ qd, bias, 1e-5)
    wrench = np.arange(1.0, 7.0)
    checks["J^T F"] = lambda: same(value(get(kinematics, "EXTERNAL_TORQUE"), path, q=q, wrench=wrench), J.T @ wrench, 1e-10)
    Y = value(get(regressor, "REGRESSOR"), tree, q=q, qd=qd, qdd=qdd).reshape(n, -1)
    p = np.hstack([tree.constants[k] for k in ("mass", "h", "I")]).ravel()
    rotor_and_spring = np.zeros(n)
    for i in range(len(tree)):
        one = tree.link(i)
        one.q = tuple(q[one.iq : one.iq + one.nq])
        stretch = quaternion.logarithm(np.array(one.q)) if one.kind.name == "ball" else np.array(one.q) - one.rest
        for k in range(one.nv):
            extra = one.stiffness * stretch[k] if one.stiffness else 0.0
            rotor_and_spring[one.iv + k] = one.rotor * qdd[one.iv + k] + extra
    checks["regressor"] = lambda: same(Y @ p + rotor_and_spring + friction, ID, 1e-10)
    center, momentum = value(get(energy, "CENTER_OF_MASS"), tree, q=q), value(get(energy, "MOMENTUM"), tree, q=q, qd=qd)
    mass = tree.constants["mass"].sum()
    checks["momentum"] = lambda: same(mass * rate(lambda x: value(get(energy, "CENTER_OF_MASS"), tree, q=x)), momentum[3:], 1e-6)
    checks["angular momentum"] = lambda: same(_momentum(arm, tree, q, qd, center), momentum[:3], 1e-10)
    reaction = value(get(inverse_dynamics, "REACTIONS"), tree, q=q, qd=qd, qdd=qdd).reshape(-1, 6)
    poses = value(get(kinematics, "LINK_POSES"), tree, q=q).reshape(-1, 12)
    checks["reactions"] = lambda: same(_reactions_as_torques(tree, q, reaction), ID - rotor_and_spring - friction, 1e-10)
    checks["poses"] = lambda: same(poses[-1, 9:], (T @ np.linalg.inv(place[1].matrix()))[:3, 3], 1e-10)
    moved = get(regroup, "regroup")(tree)
    checks["regrouped"] = lambda: same(value(inverse_dynamics.INVERSE_DYNAMICS, moved, q=q, qd=qd, qdd=qdd), ID, 1e-10)
    checks["factorised"] = lambda: same(
        np.array(get(tree_factorisation, "TreeLDL")(tree, M.ravel().tolist()).solve((M @ qdd).tolist())), qdd, 1e-8
    )
    some = {k: float(x) for k, x in enumerate(qdd) if k % 2}
    factors = get(tree_factorisation, "TreeLDL")(tree, M.ravel().tolist())
    whole = factors.solve_transposed([some.get(k, 0.0) for k in range(n)])
    checks["half of some speeds"] = lambda: factors.solve_transposed_sparse(some) == {k: x for k, x in enumerate(whole) if x != 0}
    held = np.arange(n) % 3 == 1
    checks["held dynamics"] = lambda: _holds(
        value(get(forward_dynamics, "LOCKED_DYNAMICS"), tree, q=q, qd=qd, tau=ID, locked=held).reshape(2, n), M, M @ qdd, held
    )
    checks["factorised with held speeds"] = lambda: _holds(_solution_and_factors(get, tree, M, M @ qdd, held), M, M @ qdd, held)
    for name, holds in checks.items():
        if not holds():
            yield name


def _solution_and_factors(
    get, tree: trees.Tree, M: np.ndarray, right: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    factors = get(tree_factorisation, "TreeLDL")(tree, M.ravel().tolist(), locked={k: float(x) for k, x in enumerate(held)})
    y = factors.solve_transposed(right.tolist())
    x = factors.solve(right.tolist())
    return np.array(x), np.array(factors.locking_torques(y, x))


def _holds(actual: tuple[np.ndarray, np.ndarray] | np.ndarray, M: np.ndarray, right: np.ndarray, held: np.ndarray) -> bool:
    """M x = right + force, with x zero where speeds are held, and a force there alone."""
    x, force = actual
    return same(M @ x, right + force, 1e-8) and not np.any(x[held]) and not np.any(force[~held])


def _reactions_as_torques(tree: trees.Tree, q: np.ndarray, reaction: np.ndarray) -> np.ndarray:
    tau = np.zeros(tree.nv)
    for i in range(len(tree)):
        one = tree.link(i)
        one.q = tuple(float(x) for x in q[one.iq : one.iq + one.nq])
        for k, (angular, linear) in enumerate(one.motion_subspace):
            tau[one.iv + k] = np.dot([float(x) for x in angular], reaction[i, :3]) + np.dot(
                [float(x) for x in linear], reaction[i, 3:]
            )
    return tau


def _momentum(arm: lg.Mechanism, tree: trees.Tree, q: np.ndarray, qd: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Angular momentum about the centre of mass from the poses and velocities of the bodies, by unaltered algorithms."""
    total = np.zeros(3)
    for body in arm.bodies:
        path = tree.path_to_frame(*tree.body_places[body.name])
        T = value(kinematics.POSE_OF_FRAME, path, q=q).reshape(4, 4)
        w, u = np.split(value(kinematics.VELOCITY, path, q=q, qd=qd), 2)
        c = T[:3, :3] @ np.array(body.center)
        p = float(body.mass) * (u + np.cross(w, c))
        total += T[:3, :3] @ body.inertia_matrix @ T[:3, :3].T @ w + np.cross(T[:3, 3] + c - center, p)
    return total


def test_unaltered_everything_holds() -> None:
    assert not list(failures(lambda module, name: getattr(module, name)))


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rsplit(".", 1)[1])
def test_every_alteration_is_caught(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    missed = []
    count = places(module)
    assert count >= 3
    for n in range(count):
        changed, line, function = altered_copy(module, n)
        text = inspect.getsource(module).splitlines()[line - 1]
        if any(fragment in text or fragment == f"def {function}" for fragment in LEFT_OUT):
            continue
        monkeypatch.setattr(trees, "Link", getattr(changed, "Link", link.Link))
        try:
            wrong = next(failures(lambda m, name, changed=changed: getattr(changed if m is module else m, name)), None)
        except (ArithmeticError, ValueError, TypeError, AttributeError, KeyError, IndexError):
            wrong = "it does not even run"
        if wrong is None:
            missed.append(f"{module.__file__}:{line} in {function}")
    assert not missed, "\n".join(["no test notices an altered sign at", *missed])


def test_importing_again_is_the_same() -> None:
    """The alterations above did not stay."""
    assert importlib.import_module("lagrangian.algorithms.tree").Link is link.Link
