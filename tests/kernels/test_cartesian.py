"""`dyn.cartesian`: against the closed form, and against the accelerations that forces at the frame give."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lagrangian as lg

NAMES = ("wx", "wy", "wz", "x", "y", "z")


def close(a: np.ndarray, b: np.ndarray, tolerance: float) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, float(np.abs(b).max())))


@pytest.mark.parametrize(
    ("name", "frame", "directions"),
    [
        ("two_r", "tip", ("x", "y")),
        ("two_r", "tip", ("wz", "y")),
        ("three_r", "tip", ("wz", "x", "y")),
        ("cartesian_pp", "link2", ("y", "z")),
        ("scara", "link4", ("wz", "x", "y", "z")),
    ],
)
def test_closed_form(name: str, frame: str, directions: tuple[str, ...]) -> None:
    arm = lg.library(name)
    dyn, exact = lg.compile(arm), lg.derive(arm).cartesian(frame, directions)
    rng = np.random.default_rng(5)
    for _ in range(3):
        q, qd = rng.uniform(0.3, 1.2, dyn.nq), rng.normal(size=dyn.nv)
        cartesian_dynamics = dyn.cartesian(q, qd, frame, directions)
        assert not cartesian_dynamics.singular
        close(cartesian_dynamics.M_x, exact.M_x.evaluate(q), 1e-12)
        close(cartesian_dynamics.C_x, exact.C_x.evaluate(q, qd), 1e-12)
        close(cartesian_dynamics.G_x, exact.G_x.evaluate(q), 1e-12)
        close(cartesian_dynamics.F_x, exact.F_x.evaluate(q, qd), 1e-12)
        close(cartesian_dynamics.J, exact.J.evaluate(q), 1e-12)
        close(cartesian_dynamics.J @ cartesian_dynamics.J_bar, np.eye(len(directions)), 1e-12)
        close(cartesian_dynamics.N_T, np.zeros((dyn.nv, dyn.nv)), 1e-12)


MECHANISMS = [
    ("puma560", "link6", None),
    ("puma560", "link6", ("x", "y", "z")),
    ("stanford", "link6", None),
    ("panda", "tool", None),
    ("lwr7", "tool", ("z", "wx")),
    ("four_bar", "coupler", ("x",)),
    ("five_bar", "tip", ("x", "y")),
    ("three_rrr", "platform", ("wz", "x", "y")),
    ("three_rrr", "lower2", ("y",)),
    ("delta", "platform", ("x", "y", "z")),
    ("stewart", "platform", None),
]


def state(dyn: lg.Dynamics, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    arm = dyn.mechanism
    if not arm.equation_count:
        return rng.uniform(0.3, 1.3, dyn.nq), rng.normal(size=dyn.nv)
    q = np.array(arm.initial.q)
    return q, lg.consistent_speeds(dyn, q, rng.normal(size=dyn.nv))


@pytest.mark.parametrize(("name", "frame", "directions"), MECHANISMS)
def test_forces_give_the_accelerations(name: str, frame: str, directions: tuple[str, ...] | None) -> None:
    """F at the frame and any joint forces besides: M_x x'' + C_x + G_x + F_x is all that acts, seen from the frame."""
    arm = lg.library(name)
    dyn = lg.compile(arm)
    rng = np.random.default_rng(1)
    q, qd = state(dyn, rng)
    cartesian_dynamics = dyn.cartesian(q, qd, frame, directions)
    rows = [NAMES.index(d) for d in cartesian_dynamics.directions]
    tau, wrench = rng.normal(size=dyn.nv), np.zeros(6)
    wrench[rows] = rng.normal(size=len(rows))
    qdd = dyn.forward_dynamics(q, qd, tau, wrenches={frame: wrench})
    x = dyn.acceleration(q, qd, qdd, frame)[rows]
    right = wrench[rows] + cartesian_dynamics.J_bar.T @ tau
    left = cartesian_dynamics.M_x @ x + cartesian_dynamics.C_x + cartesian_dynamics.G_x + cartesian_dynamics.F_x
    scale = max(
        1.0, *(float(np.abs(p).max()) for p in (cartesian_dynamics.M_x @ x, cartesian_dynamics.C_x, cartesian_dynamics.G_x))
    )
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-11 * scale)
    # joint forces in the null space do not accelerate the frame
    idle = cartesian_dynamics.N_T @ rng.normal(size=dyn.nv)
    moved = dyn.forward_dynamics(q, qd, tau + idle, wrenches={frame: wrench})
    np.testing.assert_allclose(dyn.acceleration(q, qd, moved, frame)[rows], x, atol=1e-9 * max(1.0, float(np.abs(x).max())))
    np.testing.assert_allclose(cartesian_dynamics.N_T @ cartesian_dynamics.N_T, cartesian_dynamics.N_T, atol=1e-9)


def test_dynamically_consistent_inverse_has_least_energy() -> None:
    dyn = lg.compile(lg.library("panda"))
    rng = np.random.default_rng(2)
    q = rng.uniform(0.3, 1.0, 7)
    cartesian_dynamics = dyn.cartesian(q, np.zeros(7), "tool")
    M, velocity = dyn.mass_matrix(q), rng.normal(size=6)
    least = cartesian_dynamics.J_bar @ velocity
    np.testing.assert_allclose(cartesian_dynamics.J @ least, velocity, atol=1e-12)
    other = np.linalg.pinv(cartesian_dynamics.J) @ velocity
    assert least @ M @ least < other @ M @ other
    # it is the energy of the mass M_x
    np.testing.assert_allclose(least @ M @ least, velocity @ cartesian_dynamics.M_x @ velocity, rtol=1e-12)


def test_batch_is_state_by_state() -> None:
    dyn = lg.compile(lg.library("five_bar"))
    q = np.array([lg.assemble(dyn, "open", {"q1": 2.0 + 0.1 * k, "q2": 0.5}) for k in range(4)])
    qd = np.array([lg.consistent_speeds(dyn, x, None, {"q1": 1.0, "q2": -0.5}) for x in q])
    many = dyn.cartesian(q, qd, "tip", ("x", "y"))
    assert many.M_x.shape == (4, 2, 2)
    assert many.singular.shape == (4,)
    assert "4 states" in str(many)
    for k in range(4):
        one = dyn.cartesian(q[k], qd[k], "tip", ("x", "y"))
        for name in ("M_x", "C_x", "G_x", "F_x", "J", "J_bar", "N_T", "J_dot_qd", "condition"):
            np.testing.assert_allclose(getattr(many, name)[k], getattr(one, name), rtol=1e-10, atol=1e-12)
    bad = q.copy()
    bad[2] = np.nan
    partly = dyn.cartesian(bad, qd, "tip", ("x", "y"))
    assert np.isnan(partly.M_x[2]).all()
    np.testing.assert_allclose(partly.M_x[[0, 1, 3]], many.M_x[[0, 1, 3]], rtol=1e-12)


def test_singular_is_reported_and_left_out() -> None:
    """A stretched 2R arm along y: it cannot move along y, and what acts along x still moves it as it should."""
    dyn = lg.compile(lg.library("two_r"))
    q, qd = np.array([np.pi / 2, 0.0]), np.array([0.7, 0.0])
    with pytest.warns(lg.SingularWarning, match=r"'tip' moves along y at .* of the speed"):
        cartesian_dynamics = dyn.cartesian(q, qd, "tip", ("x", "y"))
    assert cartesian_dynamics.singular is True
    assert cartesian_dynamics.condition >= 1e7
    assert all(np.isfinite(getattr(cartesian_dynamics, n)).all() for n in ("M_x", "C_x", "G_x", "J_bar", "N_T", "J_dot_qd"))
    only = dyn.cartesian(q, qd, "tip", ("x",))
    np.testing.assert_allclose(cartesian_dynamics.M_x, [[only.M_x[0, 0], 0], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(cartesian_dynamics.J_bar[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(cartesian_dynamics.C_x[0], only.C_x[0], atol=1e-12)
    # no force is found along y, whatever acceleration is asked for
    assert np.abs(cartesian_dynamics.M_x @ [0.0, 1e3]).max() < 1e-9


def test_condition_has_no_units() -> None:
    """The same arm in other units of length: the figure stays, and so does a light wrist no singularity."""

    def arm(scale: float) -> lg.Mechanism:
        rows = [
            lg.DHParameters(joint="R", d=0.4 * scale, alpha=np.pi / 2, mass=3.0, inertia=(0.1, 0.1, 0.1)),
            lg.DHParameters(joint="R", a=0.5 * scale, mass=3.0, inertia=(0.1, 0.1, 0.1)),
            lg.DHParameters(joint="P", alpha=np.pi / 3, a=0.3 * scale, mass=3.0, inertia=(0.1, 0.1, 0.1)),
            lg.DHParameters(joint="R", alpha=np.pi / 2, a=0.1 * scale, mass=1e-3, inertia=(1e-9, 1e-9, 1e-9)),
        ]
        return lg.Mechanism.from_dh(rows, convention="standard")

    actual = []
    for scale in (1.0, 1e-3):
        dyn = lg.compile(arm(scale))
        q = np.array([0.3, 0.5, 0.4 * scale, 0.2])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            actual.append(dyn.cartesian(q, np.zeros(4), dyn.mechanism.bodies[-1].name, ("x", "y", "z", "wx")).condition)
    np.testing.assert_allclose(actual[0], actual[1], rtol=1e-6)


def test_closer_is_worse() -> None:
    dyn = lg.compile(lg.library("two_r"))
    q = np.column_stack([np.zeros(4), [1.0, 0.1, 0.02, 0.01]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cartesian_dynamics = dyn.cartesian(q, np.zeros(2), "tip", ("x", "y"))
    assert (np.diff(cartesian_dynamics.condition) > 0).all()
    # by hand: singular values of [[-s, -s2], [..]] of unit links
    s = [np.linalg.svd(J, compute_uv=False) for J in cartesian_dynamics.J]
    np.testing.assert_allclose(cartesian_dynamics.condition, [a / b for a, b in s], rtol=1e-6)


def test_errors_say_which_directions() -> None:
    dyn = lg.compile(lg.library("two_r"))
    q = qd = np.array([0.2, 0.3])
    with pytest.raises(
        lg.ArgumentError, match=r"2 degrees of freedom.*Independent directions are x, y: use directions=\('x', 'y'\)"
    ):
        dyn.cartesian(q, qd, "tip")
    with pytest.raises(lg.ArgumentError, match="not independent in any configuration"):
        dyn.cartesian(q, qd, "tip", ("x", "z"))
    with pytest.raises(lg.ArgumentError, match="Did you mean 'wx'"):
        dyn.cartesian(q, qd, "tip", ("wxx",))
    with pytest.raises(lg.ArgumentError, match="each once"):
        dyn.cartesian(q, qd, "tip", ("x", "x"))
    with pytest.raises(lg.ArgumentError, match="threshold"):
        dyn.cartesian(q, qd, "tip", ("x", "y"), threshold=0)
    with pytest.raises(lg.MechanismError, match="no frame or body"):
        dyn.cartesian(q, qd, "hand", ("x", "y"))
    closed = lg.compile(lg.library("three_rrr"))
    start = np.array(closed.mechanism.initial.q)
    with pytest.raises(lg.ArgumentError, match=r"3 degrees of freedom.*directions=\('wz', 'x', 'y'\)"):
        closed.cartesian(start, np.zeros(9), "platform")
    with pytest.raises(lg.ArgumentError, match="not independent"):
        closed.cartesian(start, np.zeros(9), "platform", ("x", "y", "z"))


def test_moving_constraints() -> None:
    """A drive that depends on time accelerates the frame by itself: J_dot_qd and C_x carry it."""
    arm = lg.library("two_r")
    driven = arm.replace(constraints=(lg.HolonomicConstraint("drive", lg.loads(DRIVE).constraints[0].equation),))
    dyn = lg.compile(driven)
    t = 0.3
    q = np.array([np.sin(t), 0.8])
    qd = np.array([np.cos(t), 0.4])
    cartesian_dynamics = dyn.cartesian(q, qd, "tip", ("x",), t=t)
    qdd = dyn.forward_dynamics(q, qd, np.zeros(2), wrenches={"tip": (0, 0, 0, 2.5, 0, 0)}, t=t)
    x = dyn.acceleration(q, qd, qdd, "tip")[3]
    np.testing.assert_allclose(
        cartesian_dynamics.M_x[0, 0] * x + cartesian_dynamics.C_x[0] + cartesian_dynamics.G_x[0], 2.5, atol=1e-10
    )


DRIVE = """
name = "drive"
[[body]]
name = "a"
mass = 1.0
inertia = [1, 1, 1]
[[joint]]
name = "theta1"
type = "revolute"
child = "a"
[[constraint]]
name = "drive"
equation = "theta1 = sin(t)"
"""
