"""Links without mass in loops: M is singular, but every motion that the loops leave free moves some inertia.

They are compared with the same mechanism that has a loop of type "distance" in the link's place, and with an own equation
of motion in the crank's angle alone: J(theta) theta'' + J'(theta)/2 theta'^2 + V'(theta) = Q(theta).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import lagrangian as lg
from lagrangian.algorithms import singular_mass
from lagrangian.algorithms.constraints.cholesky import GroupedLDL, sparse
from lagrangian.errors import MechanismError

G = 9.81
CRANK = """
name = "m"
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
mass = 1.0
center = [0.05, 0, 0]
inertia = [0, 0.01, 0.01]
[[joint]]
name = "a"
type = "revolute"
child = "crank"
"""
SLIDER = """
[[body]]
name = "last"
mass = 0.8
[[joint]]
name = "s"
type = "prismatic"
axis = [1, 0, 0]
child = "last"
"""
ROCKER = """
[[body]]
name = "last"
mass = 0.5
center = [0.1, 0, 0]
inertia = [0, 0.004, 0.004]
[[joint]]
name = "s"
type = "revolute"
child = "last"
xyz = [0.35, 0, 0]
"""
ROD = """
[[body]]
name = "rod"
[[joint]]
name = "b"
type = "revolute"
parent = "crank"
child = "rod"
xyz = [0.1, 0, 0]
[[loop]]
name = "pin"
type = "point"
a = "rod"
b = "last"
a_xyz = [0.3, 0, 0]
b_xyz = [{0}, 0, 0]
directions = ["x", "y"]
"""
DISTANCE = """
[[loop]]
name = "pin"
type = "distance"
a = "crank"
b = "last"
a_xyz = [0.1, 0, 0]
b_xyz = [{0}, 0, 0]
length = 0.3
"""
LAST = {"slider-crank": (SLIDER, 0.0), "four-bar": (ROCKER, 0.2)}
both = pytest.mark.parametrize("name", list(LAST))


@cache
def mechanism(name: str, link: str = ROD) -> lg.Mechanism:
    last, at = LAST[name]
    return lg.loads(CRANK + last + link.format(at))


@cache
def compile_link(name: str, link: str = ROD) -> lg.Dynamics:
    return lg.compile(mechanism(name, link))


def last_of(name: str, th: float) -> float:
    """s for the crank's angle: by hand, in one of the two assemblies."""
    x, y = 0.1 * np.cos(th), 0.1 * np.sin(th)
    if name == "slider-crank":
        return float(x + np.sqrt(0.3**2 - y**2))
    x, y = x - 0.35, y  # of the crank's tip from the rocker's joint
    d = np.hypot(x, y)
    return float(np.arctan2(y, x) % (2 * np.pi) - np.arccos((0.2**2 + d**2 - 0.3**2) / (2 * 0.2 * d)))


def rod_of(name: str, th: float) -> float:
    """The rod's angle from the crank's, b."""
    s = last_of(name, th)
    end = np.array([s, 0.0]) if name == "slider-crank" else np.array([0.35 + 0.2 * np.cos(s), 0.2 * np.sin(s)])
    x, y = end - 0.1 * np.array([np.cos(th), np.sin(th)])
    return float(np.arctan2(y, x) - th)


def slopes(of: Callable[[str, float], float], name: str, th: float) -> tuple[float, float]:
    """f' and f'' of a smooth function, to about 1e-11 and 1e-9: by differences of the eighth order."""
    h = 0.02
    f = np.unwrap([of(name, th + k * h) for k in range(-4, 5)])
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
    return float(first @ f / h), float(second @ f / h**2)


def reduced_acceleration(
    name: str, th: float, thd: float, tau: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[float, float]:
    """theta'' and J; tau are the torques of a, s and b."""
    s = last_of(name, th)
    ds, dds = slopes(last_of, name, th)
    inertia = 0.8 if name == "slider-crank" else 0.004 + 0.5 * 0.1**2
    J = 0.01 + 0.05**2 + inertia * ds**2
    weight = G * 0.05 * np.cos(th) + (0.0 if name == "slider-crank" else 0.5 * G * 0.1 * np.cos(s) * ds)
    Q = tau[0] + tau[1] * ds + (tau[2] * slopes(rod_of, name, th)[0] if tau[2] else 0.0)
    return (Q - weight - inertia * ds * dds * thd**2) / J, J


def at(name: str, th: float, thd: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """q and qd, in the order a, s, b."""
    rates = [thd, *(thd * slopes(of, name, th)[0] for of in (last_of, rod_of))]
    return np.array([th, last_of(name, th), rod_of(name, th)]), np.array(rates)


@both
@pytest.mark.filterwarnings("error")
def test_forward_dynamics(name: str) -> None:
    dyn, other = compile_link(name), compile_link(name, DISTANCE)
    for th, thd, tau in (
        (0.3, 12.0, (1.0, 0.0, 0.0)),
        (2.0, -5.0, (0.5, 2.0, -0.7)),
        (-1.1, 0.0, (0.0, 0.0, 0.3)),
        (np.pi, 3.0, (1, 1, 1)),
    ):
        q, qd = at(name, th, thd)
        qdd = dyn.forward_dynamics(q, qd, tau)
        assert qdd[0] == pytest.approx(reduced_acceleration(name, th, thd, tau)[0], rel=1e-8)
        if not tau[2]:
            np.testing.assert_allclose(qdd[:2], other.forward_dynamics(q[:2], qd[:2], tau[:2]), rtol=1e-9)
        # the equations of motion themselves, with the multipliers
        psi, bias = dyn.constraint_jacobian(q), dyn.constraint_bias(q, qd)
        np.testing.assert_allclose(psi @ qdd + bias, 0, atol=1e-11 * np.abs(bias).max() + 1e-12)
        forces = dyn.inverse_dynamics(q, qd, qdd) - tau
        np.testing.assert_allclose(psi.T @ dyn.multipliers(q, qd, tau), forces, atol=1e-10 * np.abs(forces).max())
    many = dyn.forward_dynamics([q, q * np.nan], [qd, qd], [tau, tau])
    assert np.isnan(many[1]).all()
    np.testing.assert_array_equal(many[0], qdd)


@both
@pytest.mark.filterwarnings("error")
def test_the_energy_balance_holds(name: str) -> None:
    q, qd = at(name, 0.3, 12.0)
    run = lg.simulate(mechanism(name), 1.0, q0=q, qd0=qd, rtol=1e-11, atol=1e-12)
    other = lg.simulate(mechanism(name, DISTANCE), 1.0, q0=q[:2], qd0=qd[:2], rtol=1e-11, atol=1e-12)
    own = solve_ivp(
        lambda t, y: [y[1], reduced_acceleration(name, *y)[0]], (0, 1), [0.3, 12.0], method="DOP853", rtol=1e-10, atol=1e-11
    )
    assert abs(run.q[-1, 0] - 0.3) > 5  # it turns round
    np.testing.assert_allclose(run.q[-1, :2], other.q[-1], atol=1e-8)
    np.testing.assert_allclose([run.q[-1, 0], run.qd[-1, 0]], own.y[:, -1], atol=1e-7)
    assert abs(run.energy_balance).max() < 1e-9


@both
def test_consistent_speeds(name: str) -> None:
    m, (q, qd) = mechanism(name), at(name, 0.8, 2.0)
    np.testing.assert_allclose(lg.consistent_speeds(m, q, {"a": 2.0}), qd, rtol=1e-9)
    # the nearest, as M measures it, to speeds that do not keep the constraint: the rod's own speed does not count
    nearest = lg.consistent_speeds(mechanism(name, DISTANCE), q[:2], [2.0, 1.0])
    for rate in (0.0, 5.0):
        speeds = lg.consistent_speeds(m, q, [2.0, 1.0, rate])
        np.testing.assert_allclose(speeds[:2], nearest, rtol=1e-9)
        assert speeds[2] == pytest.approx(speeds[0] * slopes(rod_of, name, 0.8)[0], rel=1e-9)


@both
def test_equilibrium_and_linearise(name: str) -> None:
    m = mechanism(name)
    low = brentq(lambda th: reduced_acceleration(name, th, 0.0)[0], -2.2, -0.9, xtol=1e-13)
    equilibrium = lg.equilibrium(m, at(name, low + 0.3)[0])
    assert equilibrium[0] == pytest.approx(low, abs=1e-9)
    h = 1e-4
    stiffness = (reduced_acceleration(name, low - h, 0.0)[0] - reduced_acceleration(name, low + h, 0.0)[0]) / (2 * h)
    values = lg.linearise(m, equilibrium).eigenvalues()
    np.testing.assert_allclose(values.real, 0, atol=1e-8)
    np.testing.assert_allclose(sorted(values.imag), [-np.sqrt(stiffness), np.sqrt(stiffness)], rtol=1e-6)
    same = lg.linearise(mechanism(name, DISTANCE), equilibrium[:2]).eigenvalues()
    np.testing.assert_allclose(sorted(values.imag), sorted(same.imag), rtol=1e-9)


def test_joints_that_share_one_inertia() -> None:
    """No link is without inertia along its joint, but M is singular: two joints about one axis, and a gear between them."""
    joints = [lg.Joint("a", "revolute", "ground", "hub"), lg.Joint("b", "revolute", "hub", "disc")]
    bodies = [lg.Body("hub"), lg.Body("disc", 1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.2))]
    gear = lg.HolonomicConstraint("gear", "a - 2*b")
    dyn = lg.compile(lg.Mechanism("m", bodies, joints, constraints=[gear]))
    # with b' = a'/2 the disc turns at 3/2 a'
    assert dyn.forward_dynamics([0, 0], [0, 0], [0.9, 0.0]) == pytest.approx([0.9 / (0.2 * 1.5**2), 0.45 / (0.2 * 1.5**2)])


def test_what_nothing_determines_is_named() -> None:
    """A pointer without mass hangs on the rod."""
    loose = '[[body]]\nname = "pointer"\n[[joint]]\nname = "loose"\ntype = "revolute"\nparent = "rod"\nchild = "pointer"\n'
    m = lg.loads(CRANK + SLIDER + ROD.format(0.0) + loose)
    q, qd = (np.append(x, 0.0) for x in at("slider-crank", 0.3, 1.0))
    for ask in (
        lambda: lg.compile(m).forward_dynamics(q, qd, np.zeros(4)),
        lambda: lg.compile(m).multipliers(q, qd, np.zeros(4)),
        lambda: lg.simulate(m, 1.0, q0=q, qd0=qd),
        lambda: lg.consistent_speeds(m, q, [1.0, 0.0, 0.0, 0.0]),
        lambda: lg.linearise(m, q),
        lambda: lg.equilibrium(m, q),
    ):
        with pytest.raises(
            MechanismError, match="the bodies that joint 'loose' moves have no inertia along it, and no constraint"
        ):
            ask()
    # speeds that are given need no inertia
    np.testing.assert_allclose(lg.consistent_speeds(m, q, {"a": 1.0, "loose": 3.0}), [*qd[:3], 3.0], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bodies"),
    [
        ("three_rrr", ["lower1"]),
        ("three_rpr", ["rod1"]),
        ("delta", ["forearm1"]),
        ("spatial_slider_crank", ["rod"]),
        ("andrews_squeezer", ["K2"]),
        ("jansen", None),
    ],
)
def test_the_library_without_some_masses(name: str, bodies: list[str] | None) -> None:
    """Accelerations are those of the whole system of equations, [M, -Psi^T; Psi, 0], which is regular; None is all but one."""
    m = lg.library(name)
    light = [b.name for b in m.bodies[1:]] if bodies is None else bodies
    m = m.replace(bodies=[lg.Body(b.name) if b.name in light else b for b in m.bodies])
    dyn, rng = lg.compile(m), np.random.default_rng(3)
    q, tau = lg.assemble(m), rng.normal(size=dyn.nv)
    qd = lg.consistent_speeds(m, q, rng.normal(size=dyn.nv))
    M, psi = dyn.mass_matrix(q), dyn.constraint_jacobian(q)
    assert np.linalg.matrix_rank(M) < dyn.nv
    whole = np.block([[M, -psi.T], [psi, np.zeros((len(psi), len(psi)))]])
    right = np.concatenate([tau - dyn.inverse_dynamics(q, qd, np.zeros(dyn.nv)), -dyn.constraint_bias(q, qd)])
    expected = np.linalg.lstsq(whole, right, rcond=1e-12)[0][: dyn.nv]
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.slow
@both
@pytest.mark.parametrize("how", ["friction = {coulomb = 1.5}", "limits = {lower = 0.25, upper = 2.0}"])
@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte", "ggl"])
def test_friction_and_stops(name: str, how: str, stabilisation: str) -> None:
    """Of the slider or rocker: both mechanisms stick, reverse and bounce at the same times."""
    if name == "four-bar":
        how = how.replace("1.5", "0.1")
    q, qd = at(name, 0.3, 9.0)
    runs = []
    for link, n in ((ROD, 3), (DISTANCE, 2)):
        last, where = LAST[name]
        m = lg.loads(CRANK + last + how + "\n" + link.format(where))
        run = lg.simulate(m, 1.0, q0=q[:n], qd0=qd[:n], rtol=1e-10, atol=1e-12, restitution=0.5, stabilisation=stabilisation)
        runs.append(run)
    assert [e.name for e in runs[0].events] == [e.name for e in runs[1].events]
    assert runs[0].events
    np.testing.assert_allclose([e.t for e in runs[0].events], [e.t for e in runs[1].events], atol=1e-6)
    np.testing.assert_allclose(runs[0].q[-1, :2], runs[1].q[-1], atol=1e-6)


def test_links_in_another_order_than_joints() -> None:
    """A rod on a free joint has no inertia about itself; its joint comes last, and hangs on the first."""
    parts = [lg.Body("a", 1.5, inertia=(0.02, 0.02, 0.02)), lg.Body("b", 1.0, inertia=(0.03, 0.03, 0.03))]
    rod = lg.Body.from_shapes("rod", [lg.shapes.rod((0, 0, 0), (0, 0, 0.4), mass=2.0)])
    joints = [
        lg.Joint("x", "prismatic", "ground", "a", axis="x"),
        lg.Joint("turn", "revolute", "ground", "b", axis="y"),
        lg.Joint("float", "free", "a", "rod", actuated=False),
    ]
    flat = lg.LoopJoint("flat", "planar", "rod", "ground", axis="x")
    mechanism = lg.Mechanism("carried", [*parts, rod], joints, [flat])
    motion = lg.simulate(mechanism, 0.2, qd0={"turn": 1.0, "float.vy": 0.3}, t_eval=5, torque=0)
    assert motion.success
    assert np.isfinite(motion.q).all()
    # nothing holds the rod in its plane: its centre falls freely
    height = lg.compile(mechanism.replace(frames=[lg.Frame("middle", "rod", (0, 0, 0.2))])).pose(motion.q, "middle")[:, 2, 3]
    np.testing.assert_allclose(height, 0.2 - 9.81 / 2 * motion.t**2, atol=1e-8)


def test_what_nothing_determines_is_named_without_constraints() -> None:
    """Two coaxial joints share one inertia."""
    with pytest.raises(MechanismError, match="no constraint determines its motion"):
        singular_mass.check_determined(np.ones((2, 2)), np.zeros((0, 2)), ("outer", "inner"))


def test_coaxial_joints_that_share_one_inertia_without_constraints() -> None:
    """Dry friction asks what each could move by itself: what nothing determines is said here, too."""
    axis, rub = (0, 1, 0), lg.Friction(coulomb=100.0)
    shaft, arm = lg.Body("shaft"), lg.Body("arm", mass=1.0, center=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09))
    outer = lg.Joint("outer", "revolute", "ground", "shaft", axis=axis, friction=rub)
    inner = lg.Joint("inner", "revolute", "shaft", "arm", axis=axis)
    m = lg.Mechanism("coaxial", bodies=(shaft, arm), joints=(outer, inner))
    with pytest.raises(lg.LagrangianError, match="not determined"):
        lg.simulate(m, 0.1, q0=[0.1, 0.2])


@pytest.mark.parametrize("axis", ["z", "x"])
def test_slides_in_line_with_nothing_between_them_are_reported(axis: str) -> None:
    """How they share the way is not determined; at right angles, each has its own."""
    joints = [lg.Joint("a", "prismatic", "ground", "between"), lg.Joint("b", "prismatic", "between", "last", axis=axis)]
    mechanism = lg.Mechanism("slides", [lg.Body("between"), lg.Body("last", 2.0)], joints)
    if axis == "x":
        np.testing.assert_allclose(lg.compile(mechanism).forward_dynamics([0, 0], [0, 0], [0, 1.0]), [-G, 0.5])
        return
    with pytest.warns(lg.MechanismWarning, match="the bodies that joint '[ab]' moves have no inertia along it"):
        lg.compile(mechanism).forward_dynamics([0, 0], [0, 0], [0, 0])
    with pytest.raises(lg.LagrangianError, match="not determined"):
        lg.simulate(mechanism, 0.1)


def test_rows_that_are_zero_by_structure_are_dependent() -> None:
    """Of constants alone nothing is left to be decided in compiled code."""
    factors = GroupedLDL(sparse([[2.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_allclose(factors.solve([4.0, 1.0]), [2.0, 0.0], rtol=1e-12)
