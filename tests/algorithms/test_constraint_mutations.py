"""A wrong sign anywhere in the constraints is caught.

As in `test_mutations`: every sum, difference, sign and product of the source is altered, one at a time, and the equations of
constraints, run in plain Python, are compared with numpy on poses of frames and with differences along a motion.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms import kinematics, springs
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.constraints import cholesky, constrained_dynamics, jet, world
from lagrangian.algorithms.constraints import rows as constraints
from lagrangian.kernels.programs import sweeps
from tests.algorithms.test_mutations import altered_copy, not_caught, places, same, value
from tests.kernels.rows import FUNCTIONS, QUATERNIONS, TIMED, expression, is_holonomic, number, with_equations
from tests.kernels.test_constraints import all_loops, meaning
from tests.kernels.test_velocity_constraints import ROLLING, body_motion, rolling_by_hand
from tests.mechanisms import advance, random_mechanism, random_placement, state

MODULES = (jet, world, constraints, cholesky, springs, constrained_dynamics)
STEP, T = 1e-6, 0.7

# lines, with the one after, that are not altered, and why
LEFT_OUT = {
    "al = v.add(al, bw)": "the axis of a cam does not turn with it: the angular part of its bias is zero",
    "leans = isinstance(": "whether a disc is upright by structure: the root of one is one; it saves operations",
    "self._weights[row.name] * (x": "massless links in loops: test_massless_links notices both signs",
    "sum(name not in groups_by_name": "rows of no group beside those of one in the same block, which no mechanism here has",
    "for i in range(j + 1, n): rest =": "more of L than its lower triangle, which nothing reads",
    "for i in range(j + 1, n): L[i][j] =": "more of L than its lower triangle, again",
    "for i in range(j + 1, n): for k in range(j + 1, i + 1)": "rows for which the inner loop is empty",
}


class Frames:
    """Poses and velocities of frames by the algorithms for frames, in plain Python."""

    def __init__(self, mechanism: lg.Mechanism) -> None:
        self.mechanism, self.tree = mechanism, trees.build_tree(mechanism)

    def _path(self, frame: str | lg.Frame) -> trees.Tree:
        place = self.mechanism.frame(frame)
        link, at = self.tree.body_places[place.body]
        return self.tree.path_to_frame(link, at @ place.placement)

    def pose(self, q: np.ndarray, frame: str | lg.Frame) -> np.ndarray:
        return value(kinematics.POSE_OF_FRAME, self._path(frame), q=q).reshape(4, 4)

    def velocity(self, q: np.ndarray, qd: np.ndarray, frame: str | lg.Frame) -> np.ndarray:
        return value(kinematics.VELOCITY, self._path(frame), q=q, qd=qd)


@dataclass(frozen=True)
class Case:
    """A mechanism at a state, and what its rows are by other means: eta of those that are holonomic, rates of the others."""

    mechanism: lg.Mechanism
    tree: trees.Tree
    q: np.ndarray
    qd: np.ndarray
    want: list[float]
    twists: dict[int, np.ndarray]

    def state(self, q: np.ndarray, qd: np.ndarray, t: float) -> constrained_dynamics.MechanismState:
        values = {"q": q, "qd": qd}
        links = sweeps.links_at_state(self.tree, ("q", "qd"), lambda name, k: float(values[name][k]), math.cos, math.sin)
        return constrained_dynamics.MechanismState(self.mechanism, self.tree, links, q.tolist(), qd.tolist(), t)


def case(mechanism: lg.Mechanism, seed: int, want: Callable[[Frames, np.ndarray, np.ndarray], list[float]]) -> Case:
    q, qd, _, _ = state(mechanism, seed)
    frames = Frames(mechanism)
    twists = {}
    for body in mechanism.bodies:
        # of the body's link, the velocity that of its point at the world's origin
        T, V = frames.pose(q, body.name), frames.velocity(q, qd, body.name)
        twists[frames.tree.body_places[body.name][0]] = np.concatenate([V[:3], V[3:] - np.cross(V[:3], T[:3, 3])])
    return Case(mechanism, frames.tree, q, qd, want(frames, q, qd), twists)


def _loops(mechanism: lg.Mechanism, frames: Frames, q: np.ndarray, _: np.ndarray) -> list[float]:
    results: list[float] = []
    for loop in mechanism.loops:
        ends = ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
        results += meaning(loop, *(frames.pose(q, body) @ at.matrix() for body, at in ends))
    return results


def _contacts(mechanism: lg.Mechanism, frames: Frames, q: np.ndarray, qd: np.ndarray) -> list[float]:
    results: list[float] = []
    for constraint in mechanism.constraints:
        if isinstance(constraint, lg.RollingConstraint):
            results += rolling_by_hand(frames, constraint, q, qd)
        else:
            R, _, _, u = body_motion(frames, q, qd, constraint.body, constraint.point)
            results.append(R @ np.array(constraint.direction, dtype=float) @ u)
    return results


def row_functions(t, q, qd):
    return [np.cos(q[0]) * qd[1] - qd[0] * q[1] * t, 2.5, q[2] * qd[2] + np.sin(t)]


COEFFICIENTS = (("j0", "1 + j1^2*cos(2*t)"), ("j2", "sin(j0 - t)"), ("j0", "tanh(j2)"))


def _speeds(mechanism: lg.Mechanism, frames: Frames, q: np.ndarray, qd: np.ndarray) -> list[float]:
    values = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True)) | {"t": T}
    a, b, c = (number(text, values) for _, text in COEFFICIENTS)
    return [T**2 + (a + c) * qd[0] + b * qd[2], 0.5 + 2 * qd[1], *row_functions(T, q, qd)]


def _equations(mechanism: lg.Mechanism, frames: Frames, q: np.ndarray, qd: np.ndarray) -> list[float]:
    values = dict(zip(mechanism.coordinate_names, q.tolist(), strict=True)) | {"t": T}
    return [number(c.equation, values) for c in mechanism.constraints if isinstance(c, lg.HolonomicConstraint)]


@cache
def cases() -> list[Case]:
    closed = all_loops(["ball", "helical", "cam", "revolute"], ["free"], 0)
    small = random_mechanism(["revolute", "prismatic", "helical"], 2, chain=True)
    values = tuple((speed, expression(small, text)) for speed, text in COEFFICIENTS)
    rows = [lg.PfaffianConstraint("p", values, expression(small, "t^2")), lg.PfaffianConstraint("c", (("j1", 2.0),), 0.5)]
    of_speeds = small.replace(constraints=[*rows, lg.PfaffianFunctionConstraint("f", row_functions, 3)])
    tree = random_mechanism(["revolute", "prismatic", "ball", "free", "planar"], 1, chain=True)
    equations = with_equations(tree, *FUNCTIONS, *TIMED, *QUATERNIONS, "j4.x*j4.angle - j4.y^2")
    carrier = random_mechanism(["free", "revolute"], 8, chain=True)
    plate = lg.Body("plate", 1.0, inertia=(0.1, 0.1, 0.1))
    hinge = lg.Joint("hinge", "ball", "ground", "plate", random_placement(np.random.default_rng(1)))
    named = [
        lg.RollingConstraint(f"r{k}", r.body, r.radius, r.center, r.axis, r.on, r.normal, r.point)
        for k, r in enumerate(ROLLING.values())
    ]
    edge = lg.KnifeEdgeConstraint("e", "b1", (1.0, 2.0, -0.5), (0.3, -0.2, 0.1))
    contacts = carrier.replace(bodies=[*carrier.bodies, plate], joints=[*carrier.joints, hinge], constraints=[*named, edge])
    chain = random_mechanism(["ball", "revolute", "prismatic", "revolute"], 3, chain=True)
    carried = chain.replace(loops=[lg.LoopJoint("x", "ball", "b1", "b3"), lg.LoopJoint("y", "revolute", "b0", "b3")])
    return [
        case(carried, 1, partial(_loops, carried)),
        case(of_speeds, 1, partial(_speeds, of_speeds)),
        case(equations, 1, partial(_equations, equations)),
        case(closed, 1, partial(_loops, closed)),
        case(contacts, 1, partial(_contacts, contacts)),
    ]


def column(rows: list[constraints.ConstraintRow], of: str) -> np.ndarray:
    return np.array([getattr(row, of) for row in rows], dtype=float)


def alike(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Entry by entry: a large one must not hide what is wrong with a small one."""
    return bool(np.all(np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b))))


def _not_carried(one: Case, row: constraints.ConstraintRow) -> dict[int, float]:
    """Slopes of a row, those of a loop without the joints that both its bodies stand on."""
    result, tree = dict(row.psi), one.tree
    for loop in one.mechanism.loops:
        if loop.name == constraints.row_owner(row.name):
            a, b = (tree.path_to_root(tree.body_places[body][0]) for body in (loop.a, loop.b))
            for i in set(a) & set(b):
                for k in range(tree.kind[i].nv):
                    result.pop(tree.iv[i] + k, None)
    return result


def wrong_rows(one: Case, free_world: type) -> Iterator[str]:
    """What does not hold of the rows of a case."""
    now = one.state(one.q, one.qd, T)
    rows = now.rows
    names = [row.name for row in rows]
    if len(set(names)) != len(names) or len(names) != one.mechanism.equation_count or any(n.endswith(".0") for n in names):
        yield "names"
    holonomic = np.array([row.eta is not None for row in rows])
    if holonomic.tolist() != [is_holonomic(one.mechanism, name) for name in names]:
        yield "which are holonomic"
    value, rate, gamma = (
        np.array([row.rate if row.eta is None else row.eta for row in rows]),
        column(rows, "rate"),
        column(rows, "gamma"),
    )
    if not alike(value, np.array(one.want), 1e-11):
        yield "value"
    still = column(one.state(one.q, np.zeros_like(one.qd), T).rows, "rate")
    along = np.array([sum(x * one.qd[k] for k, x in row.psi.items()) for row in rows])
    if not alike(still + along, rate, 1e-11):
        yield "rate = phi + Psi qd"
    there, back = (one.state(advance(one.mechanism, one.q, one.qd, h), one.qd, T + h).rows for h in (STEP, -STEP))
    eta = [np.array([row.eta for row in rows if row.eta is not None]) for rows in (there, back)]
    if not alike((eta[0] - eta[1]) / (2 * STEP), rate[holonomic], 1e-7):
        yield "rate"
    if not alike((column(there, "rate") - column(back, "rate")) / (2 * STEP), gamma, 1e-7):
        yield "gamma"
    ends = [advance(one.mechanism, one.q, one.qd, h) for h in (STEP, -STEP)]
    rates = constraints.coordinate_rates(one.mechanism, one.q.tolist(), one.qd.tolist())
    if not alike((ends[0] - ends[1]) / (2 * STEP), np.array(rates), 1e-7):
        yield "rates of coordinates"
    other = one.state(one.q, one.qd, T)
    other.relative = True
    if [row.psi for row in other.rows] != [_not_carried(one, row) for row in rows]:
        yield "relative Psi"
    # by virtual work on links as if they were free
    free = constraints.constraint_rows(
        one.mechanism,
        free_world(one.tree, now.links),
        constraints.CoordinateJets(one.mechanism, now.q, [0] * one.mechanism.nv, T),
    )
    power = [
        sum(x * (one.twists[key[0]][key[1]] if isinstance(key, tuple) else one.qd[key]) for key, x in row.psi.items())
        for row in free
    ]
    if not alike(np.array(power), along, 1e-11):
        yield "virtual work"


def wrong_refusals() -> Iterator[str]:
    """Functions that are not linear in a speed, whichever it is, must not pass."""
    tree = random_mechanism(["revolute", "prismatic"], 2, chain=True)
    for k in range(2):
        changed = tree.replace(constraints=[lg.PfaffianFunctionConstraint("f", lambda t, q, qd, k=k: qd[k] * qd[k])])
        try:
            Case(changed, trees.build_tree(changed), np.zeros(2), np.zeros(2), [], {}).state(np.ones(2), np.ones(2), 0.0).rows  # noqa: B018
        except lg.MechanismError:
            continue
        yield "a function that is not linear passes"


# -- sums and products of jets ---------------------------------------------------------------------------------------

OPERATIONS: list[Callable] = [
    lambda x, y: x + y - (x - y) * 2 + (3 - x) - (y - 4) + (1 + y),
    lambda x, y: -x * y + x * 3 - 2 * y + x / y + 1 / x - y / 2,
    lambda x, y: x**3 - y**-2 + x**0.5 + 2**y - abs(y) * abs(x),
]
RATES: list[Callable] = [
    lambda r, s, x: r + s - (r - s) * 2.0 + (0 - s) * 3.0 - r * x + x * s,
    lambda r, s, x: 0 + r - 0 + (-s) - 2.0 * r,
]


def wrong_sums(module: types.ModuleType) -> Iterator[str]:
    """Values, rates, biases and slopes of sums and products, against the same with numbers along parabolas and lines."""
    a, b = (0.7, 0.3, 0.2, {0: 1.1, 1: -0.4}), (1.4, 0.5, -0.1, {1: 0.6, 2: 2.0})
    x, y = module.Jet(*a), module.Jet(*b)
    r, s = (module.Rate(part[0], part[1], part[3]) for part in (a, b))

    def along(part: tuple, h: float) -> float:
        return part[0] + part[1] * h + part[2] * h * h / 2

    def check(actual: object, function: Callable[[float, float], float], second: float | None) -> bool:
        h = 1e-4
        rate = (function(*(along(p, h) for p in (a, b))) - function(*(along(p, -h) for p in (a, b)))) / (2 * h)
        right = same(np.array(actual.value), np.array(function(a[0], b[0])), 1e-12) and same(
            np.array(actual.rate), np.array(rate), 1e-6
        )
        for k in range(3):
            up, down = (function(a[0] + e * a[3].get(k, 0), b[0] + e * b[3].get(k, 0)) for e in (h, -h))
            right = right and same(np.array(actual.slopes.get(k, 0.0)), np.array((up - down) / (2 * h)), 1e-6)
        return right and same(np.array(actual.bias), np.array(second), 1e-5)

    for function in OPERATIONS:
        h = 1e-3
        values = [function(along(a, e), along(b, e)) for e in (h, 0.0, -h)]
        if not check(function(x, y), function, (values[0] - 2 * values[1] + values[2]) / h**2):
            yield "sums and products"
    for function in RATES:
        actual, want = function(r, s, x), function(a[0], b[0], a[0])
        h = 1e-4
        ends = [function(a[0] + e * a[1], b[0] + e * b[1], along(a, e)) for e in (h, -h)]
        slopes = [function(a[3].get(k, 0.0), b[3].get(k, 0.0), a[0]) for k in range(3)]
        if not same(np.array(actual.value), np.array(want), 1e-12) or not same(
            np.array(actual.bias), np.array((ends[0] - ends[1]) / (2 * h)), 1e-6
        ):
            yield "rates"
        if not same(np.array([actual.slopes.get(k, 0.0) for k in range(3)]), np.array(slopes), 1e-12):
            yield "slopes of rates"
    if not same(np.array(module.Jet(*a).as_rate.value), np.array(0.3), 0):
        yield "velocity"


# -- symmetric systems -----------------------------------------------------------------------------------------------


def pivots(A: np.ndarray, in_order: bool) -> float:
    """The least of the pivots: in their order as a part of the largest diagonal, or largest first, of rows of unit diagonal."""
    scale = np.full(len(A), 1 / np.sqrt(np.diag(A).max())) if in_order else 1 / np.sqrt(np.diag(A))
    W, left, results = A * np.outer(scale, scale), list(range(len(A))), []
    while left:
        k = left[0] if in_order else max(left, key=lambda i: W[i, i])
        left.remove(k)
        results.append(W[k, k])
        W = W - np.outer(W[:, k], W[k]) / W[k, k]
    return min(results)


@np.errstate(divide="ignore", invalid="ignore")  # both sides of a choice are computed: 1 / 0 on the one not taken
def wrong_solutions(module: types.ModuleType) -> list[str]:
    return list(_wrong_solutions(module))


def _wrong_solutions(module: types.ModuleType) -> Iterator[str]:
    rng = np.random.default_rng(4)
    B = rng.normal(size=(5, 7)) * np.array([1.0, 3.0, 0.2, 5.0, 1.0])[:, None]
    A, x = B @ B.T, rng.normal(size=5)
    for kind, in_order in ((module.OrderedLDL, True), (module.GroupedLDL, False)):
        solved = kind(module.sparse(A.tolist()))
        if not same(np.array(solved.solve((A @ x).tolist())), x, 1e-10):
            yield f"{kind.__name__}: independent rows"
        if not same(np.array(solved.ratio), np.array(pivots(A, in_order)), 1e-10):
            yield f"{kind.__name__}: ratio"
        # a row that is the sum of two others, and one that rounding left of zeros, in the middle
        B2 = np.vstack([B[:2], 1e-17 * B[2:3], B[3:], B[:1] + B[4:]])
        A2, thresholds = B2 @ B2.T, [1e-20] * 6
        solved = kind(module.sparse(A2.tolist()), thresholds=thresholds)
        right = B2 @ rng.normal(size=7)
        values = np.array(solved.solve(right.tolist()))
        if (
            not same((A2 @ values)[[0, 1, 3, 4, 5]], right[[0, 1, 3, 4, 5]], 1e-9)
            or values[2] != 0
            or not np.abs(values).max() < 1e3
        ):
            yield f"{kind.__name__}: dependent rows"
        if kind is module.GroupedLDL and not 1e-3 < solved.ratio <= 1:
            yield "GroupedLDL: ratio of dependent rows"
        chain = np.diag([2.0, 1e-5, 3.0])
        if not same(
            np.array(kind(module.sparse(chain.tolist()), thresholds=[1e-3] * 3).solve([1.0, 1.0, 1.0])),
            np.array([0.5, 0.0, 1 / 3]),
            1e-12,
        ):
            yield f"{kind.__name__}: a row below the least"
    yield from _wrong_groups(module, rng)


def _wrong_groups(module: types.ModuleType, rng: np.random.Generator) -> Iterator[str]:
    """Rows from a thousandth to a thousand in size, ten of which are independent: six, then three, then one."""
    if module.rows_by_owner(["a", "b", "a", "c"]) != [[0, 2], [1], [3]]:
        yield "grouped"
    sizes = 10.0 ** (np.arange(16) % 3 - 1) * np.array([1e-2, 1e2, 1.0])[np.arange(16) // 6]
    common = rng.normal(size=(10, 12))
    parts = [rng.normal(size=(6, 6)) @ common[:6], rng.normal(size=(6, 9)) @ common[:9], rng.normal(size=(4, 10)) @ common]
    groups, ranks = [list(range(6)), list(range(6, 12)), list(range(12, 16))], {0: 6, 6: 3, 12: 1}
    B = sizes[:, None] * np.vstack(parts)
    A, right = B @ B.T, B @ rng.normal(size=12)
    for rank in (None, lambda group: ranks[group[0]]):
        solved = module.GroupedLDL(module.sparse(A.tolist()), groups, rank=rank)
        values = np.array(solved.solve(right.tolist()))
        if not same((A @ values) / sizes, right / sizes, 1e-7):
            yield "GroupedLDL: groups"
        if not 1e-5 < solved.ratio <= 1:
            yield "GroupedLDL: ratio of groups"
        if rank and [int((values[group] != 0).sum()) for group in groups] != list(ranks.values()):
            yield "GroupedLDL: as many as are independent"


# -- springs, accelerations ------------------------------------------------------------------------------------------


@cache
def sprung() -> Case:
    tree = random_mechanism(["ball", "revolute", "free"], 5, chain=True)
    between = [
        lg.PointSpring("a", "ground", "b2", (0.1, 0.2, 0.3), (0.3, 0, -0.1), stiffness=7.0, rest=0.4),
        lg.PointSpring("b", "b0", "b2", (0.1, 0.2, 0.3), stiffness=3.0),
        lg.PointSpring("c", "b1", "b2", (0.1, 0.2, 0.3), damping=0.7),
        lg.PointSpring("d", "b1", "ground", stiffness=2.0, rest=0.1, damping=0.5),
    ]
    turn, slide = tree.coordinate_names[4], tree.coordinate_names[-1]
    between += [
        lg.PointSpring("e", "ground", "b2", (0.1, 0.2, 0.3), stiffness=4.0, rest=0.2, damping=0.3, via=[("b1", (0.2, 0, 0.1))]),
        lg.PointSpring("f", "b0", "b2", stiffness=3.0, rest=0.01, slack=0.02),  # longer than its slack, within it, and shorter
        lg.PointSpring("g", "b0", "b2", stiffness=3.0, slack=50.0, damping=0.2),
        lg.PointSpring("h", "b0", "b2", stiffness=3.0, rest=9.0, slack=1.0),
        lg.PointSpring("i", "ground", "b2", stiffness=5.0, via=[("b1", (0, 0.2, 0.1))]),  # without rest length
        lg.CoordinateSpring("j", f"2*`{turn}` - `{turn}`*`{slide}`", 6.0, -0.3, 0.4),
        lg.GravityCompensation("k", "b1", 0.7),
    ]
    mechanism = tree.replace(springs=between, loops=[lg.LoopJoint("l", "ball", "b0", "b2")])
    return case(mechanism, 3, lambda frames, q, qd: [])


def _lengths(one: Case, q: np.ndarray) -> np.ndarray:
    """Of springs; of what carries weight, its height times the weight."""
    frames, results = Frames(one.mechanism), []
    turn, slide = q[4], q[-1]
    for s in one.mechanism.springs:
        if isinstance(s, lg.CoordinateSpring):
            results.append(2 * turn - turn * slide)
        elif isinstance(s, lg.GravityCompensation):
            body = one.mechanism.body(s.body)
            at = frames.pose(q, lg.Frame("c", s.body, lg.Transform(position=body.center)))[:3, 3]
            results.append(0.7 * float(body.mass) * (at @ np.array(one.mechanism.gravity, dtype=float)))
        else:
            points = [frames.pose(q, lg.Frame("p", body, lg.Transform(position=at)))[:3, 3] for body, at in s.points]
            results.append(sum(np.linalg.norm(y - x) for x, y in pairwise(points)))
    return np.array(results)


def _stretches(one: Case, lengths: np.ndarray) -> np.ndarray:
    rest, slack = (np.array([float(getattr(s, part, 0)) for s in one.mechanism.springs]) for part in ("rest", "slack"))
    return np.maximum(0, lengths - rest - slack) + np.minimum(0, lengths - rest)


def wrong_springs(module: types.ModuleType) -> Iterator[str]:
    one = sprung()
    stiffness, damping = (
        np.array([float(getattr(s, part, 0)) for s in one.mechanism.springs]) for part in ("stiffness", "damping")
    )
    ends = [_lengths(one, advance(one.mechanism, one.q, one.qd, h)) for h in (STEP, -STEP)]
    rates = (ends[0] - ends[1]) / (2 * STEP)
    here = _lengths(one, one.q)
    energies = [0.5 * stiffness @ _stretches(one, lengths) ** 2 + lengths[-1] for lengths in (*ends, here)]
    now = one.state(one.q, one.qd, T)
    if not same(np.array(module.energy(one.mechanism, now.world, now.coordinates_by_name)), np.array(energies[2]), 1e-12):
        yield "energy"
    power = {}
    for elastic, viscous in ((True, False), (False, True), (True, True)):
        torque = module.torques(one.mechanism, now.world, now.coordinates_by_name, elastic, viscous)
        power[elastic, viscous] = sum(x * one.qd[k] for k, x in torque.items())
    elastic, viscous = -(energies[0] - energies[1]) / (2 * STEP), -damping @ rates**2
    if not same(np.array([power[True, False], power[False, True]]), np.array([elastic, viscous]), 1e-7):
        yield "power"
    if not same(np.array(power[True, True]), np.array(elastic + viscous), 1e-7):
        yield "power of both"
    tensions = stiffness * _stretches(one, here) + damping * rates
    g = np.array(one.mechanism.gravity, dtype=float)
    tensions[-1] = 0.7 * float(one.mechanism.body("b1").mass) * np.linalg.norm(g)
    if not same(np.array(module.forces(one.mechanism, now.world, now.coordinates_by_name)), tensions, 1e-7):
        yield "tensions"
    slack = one.mechanism.springs[5]
    ends_of_slack = [here[5] - 0.01, here[5] - 0.03]
    if not same(np.array(module.kink_quantities(now.world, slack, now.coordinates_by_name)), np.array(ends_of_slack), 1e-9):
        yield "kinks of slack"
    # forces at joints are not asked for: springs of coordinates are left out
    bare = module.torques(one.mechanism, now.world, None)
    without = one.mechanism.replace(springs=[x for x in one.mechanism.springs if not isinstance(x, lg.CoordinateSpring)])
    others = module.torques(without, now.world, now.coordinates_by_name)
    by_speed = [np.array([x.get(k, 0.0) for k in range(one.mechanism.nv)]) for x in (bare, others)]
    if not same(*by_speed, 1e-12):
        yield "springs of coordinates among forces on links"


def _gap(mechanism: lg.Mechanism, wall: lg.Wall, q: np.ndarray) -> float:
    frames = Frames(mechanism)
    point = frames.pose(q, wall.body) @ [*wall.point, 1.0]
    plane = np.linalg.inv(frames.pose(q, wall.on)) @ point
    return float((plane[:3] - wall.position) @ wall.normal)


@cache
def wall_cases() -> list[Case]:
    """Walls that are touched and not, approached and left, without damping, with some, and with so much that they let go."""
    tree = random_mechanism(["ball", "revolute", "free"], 5, chain=True)
    q, *_ = state(tree, 3)
    results = []
    for on in ("ground", "b0"):
        for normal in (np.array([1.0, 2.0, 2.0]) / 3, np.array([-1.0, -2.0, -2.0]) / 3):
            for gap, damping in ((-0.2, 0.0), (-0.3, 0.5), (-0.1, 1000.0), (0.2, 0.5)):
                wall = lg.Wall("w", "b2", (0.1, 0.2, -0.3), on, (0, 0, 0), normal, 7.0, damping)
                at = (_gap(tree, wall, q) - gap) * normal
                changed = tree.replace(springs=[lg.Wall("w", "b2", wall.point, on, at, normal, 7.0, damping)])
                results.append(case(changed, 3, lambda frames, q, qd: []))
    return results


def wrong_walls(module: types.ModuleType) -> Iterator[str]:
    """Push, energy, power and kinks, from poses and differences."""
    for one in wall_cases():
        (wall,) = one.mechanism.springs
        k, c = float(wall.stiffness), float(wall.damping)
        gaps = [_gap(one.mechanism, wall, advance(one.mechanism, one.q, one.qd, h)) for h in (0.0, STEP, -STEP)]
        depth, rate = max(0.0, -gaps[0]), (gaps[1] - gaps[2]) / (2 * STEP)
        push = depth * max(0.0, k - c * rate)
        now = one.state(one.q, one.qd, T)
        if not alike(
            np.array(module.energy(one.mechanism, now.world, now.coordinates_by_name)), np.array(0.5 * k * depth**2), 1e-9
        ):
            yield "energy of a wall"
        if not alike(np.array(module.forces(one.mechanism, now.world, now.coordinates_by_name)), np.array([push]), 1e-6):
            yield "push"
        if not alike(
            np.array(module.kink_quantities(now.world, wall, now.coordinates_by_name)),
            np.array([gaps[0], 1 - c / k * rate][: 2 if c else 1]),
            1e-6,
        ):
            yield "kinks"
        for elastic, viscous, force in ((True, True, push), (True, False, k * depth), (False, True, push - k * depth)):
            torque = module.torques(one.mechanism, now.world, now.coordinates_by_name, elastic, viscous)
            power = sum(x * one.qd[i] for i, x in torque.items())
            if not alike(np.array(power), np.array(force * rate), 1e-6):
                yield "power of a wall"


def wrong_accelerations() -> Iterator[str]:
    """Both equations of motion, each term by itself in numpy."""
    from lagrangian.algorithms.inverse_dynamics import BIAS
    from lagrangian.algorithms.mass_matrix import MASS_MATRIX

    one = sprung()
    n = one.mechanism.nv
    now = one.state(one.q, one.qd, T)
    M, bias = value(MASS_MATRIX, one.tree, q=one.q).reshape(n, n), value(BIAS, one.tree, q=one.q, qd=one.qd)
    pull = springs.torques(one.mechanism, now.world, now.coordinates_by_name)
    bias = bias - np.array([pull.get(k, 0.0) for k in range(n)])
    tau, residual = np.arange(1.0, n + 1), np.array([0.3, -0.2, 0.1])
    Psi, gamma = np.array([[row.psi.get(k, 0.0) for k in range(n)] for row in now.rows]), column(now.rows, "gamma")
    for redundant in (True, False):
        system = constrained_dynamics.ConstrainedDynamics(now, now.rows, redundant)
        force = [a - b for a, b in zip(tau, now.bias, strict=True)]
        qdd, multipliers, _ = (np.array(part, dtype=float) for part in system.acceleration(force, gamma.tolist()))
        if not same(M @ qdd + bias, tau + Psi.T @ multipliers, 1e-9) or not same(Psi @ qdd, -gamma, 1e-9):
            yield "equations of motion"
        move = np.array(system.correction(residual.tolist()))
        if not same(Psi @ move, -residual, 1e-9) or not same(np.linalg.lstsq(Psi.T, M @ move)[0] @ Psi, M @ move, 1e-9):
            yield "correction"
        for which in range(n):
            held = constrained_dynamics.ConstrainedDynamics(now, now.rows, redundant, {which: 1.0, (which + 1) % n: 0.0})
            qdd, multipliers, holding = (np.array(part, dtype=float) for part in held.acceleration(force, gamma.tolist()))
            if qdd[which] != 0.0 or np.delete(holding, which).any():
                yield "what is held"
            if not same(M @ qdd + bias, tau + Psi.T @ multipliers + holding, 1e-9) or not same(Psi @ qdd, -gamma, 1e-9):
                yield "equations of what is held"


def failures(get: Callable[[types.ModuleType], types.ModuleType]) -> Iterator[str]:
    yield from wrong_sums(get(jet))
    yield from wrong_solutions(get(cholesky))
    yield from wrong_springs(get(springs))
    yield from wrong_walls(get(springs))
    yield from wrong_accelerations()
    for one in cases():
        yield from wrong_rows(one, get(world).FreeWorld)
    yield from wrong_refusals()


def install(patch: pytest.MonkeyPatch, module: types.ModuleType, changed: types.ModuleType) -> None:
    """Put an altered module in place of the true one, wherever the others use it or something it defines."""
    for user in (world, constraints, springs, constrained_dynamics):
        for name, thing in list(vars(user).items()):
            if thing is module:
                patch.setattr(user, name, changed)
            elif getattr(thing, "__module__", None) == module.__name__ and user is not module:
                patch.setattr(user, name, getattr(changed, name))
    for name, thing in list(globals().items()):
        if thing is module:
            patch.setitem(globals(), name, changed)


def test_unaltered_everything_holds() -> None:
    assert not list(failures(lambda module: module))


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rsplit(".", 1)[1])
def test_a_copy_in_its_place_changes_nothing(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every alteration would seem to be caught."""
    copy, *_ = altered_copy(module, -2)
    install(monkeypatch, module, copy)
    assert not list(failures(lambda m: copy if m is module else m))


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rsplit(".", 1)[1])
def test_every_alteration_is_caught(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places(module) >= 3
    missed = not_caught(module, failures, LEFT_OUT, install, monkeypatch)
    assert not missed, "\n".join(["no check notices an altered sign at", *missed])
