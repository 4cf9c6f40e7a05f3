"""Forces that hold linkages at rest: slopes of energies in closed form, to forty digits, and balances that are known."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import lagrangian as lg

FOUR_BAR = """
name = "sprung bars"
gravity = [0, "-g", 0]
parameters = { l0 = 1.0, l1 = 0.3, l2 = 0.9, l3 = 0.6, m1 = 0.6, m2 = 1.8, m3 = 1.2, g = 9.81, k = 40.0, a = 0.2, s = 0.15 }
body = [
    { name = "crank", mass = "m1", center = ["l1/2", 0, 0], inertia = [0, 0.01, 0.01] },
    { name = "coupler", mass = "m2", center = ["l2/3", 0, 0], inertia = [0, 0.01, 0.01] },
    { name = "rocker", mass = "m3", center = ["l3/2", 0, 0], inertia = [0, 0.01, 0.01] },
]
joint = [
    { name = "theta1", type = "revolute", child = "crank" },
    { name = "phi2", type = "revolute", parent = "crank", child = "coupler", xyz = ["l1", 0, 0], actuated = false },
    { name = "phi3", type = "revolute", child = "rocker", xyz = ["l0", 0, 0], actuated = false },
]
loop = [
    { name = "closure", type = "point", a = "coupler", b = "rocker", a_xyz = ["l2", 0, 0], b_xyz = ["l3", 0, 0], directions = ["x", "y"] },
]
[[spring]]
name = "post"
a = "ground"
a_point = [0.4, "a", 0]
b = "coupler"
b_point = ["l2/2", 0, 0]
stiffness = "k"
rest = "s"
[initial]
q = [1.0, 0.2, 2.0]
"""  # noqa: E501
NAMES = ["l0", "l1", "l2", "l3", "m2", "g", "k", "a", "s"]
ANGLES = np.array([-0.4, 0.5, 1.3, 2.6, 4.0])


@pytest.fixture(scope="module")
def bars() -> lg.Mechanism:
    m = lg.loads(FOUR_BAR)
    return m.replace(initial=lg.InitialState(q=lg.assemble(m, [1.0, 0.2, 2.0], fixed=("theta1",))))


def energy(p: dict[str, mp.mpf], angle: mp.mpf) -> mp.mpf:
    """Of the four-bar by the law of cosines, with the coupler above the diagonal."""
    end = p["l1"] * mp.expj(angle)
    diagonal = p["l0"] - end
    e = abs(diagonal)
    coupler = mp.expj(mp.arg(diagonal) + mp.acos((p["l2"] ** 2 + e**2 - p["l3"] ** 2) / (2 * p["l2"] * e)))
    pin = end + p["l2"] * coupler
    heights = p["m1"] * end.imag / 2 + p["m2"] * (end + p["l2"] / 3 * coupler).imag + p["m3"] * pin.imag / 2
    stretched = abs(end + p["l2"] / 2 * coupler - mp.mpc(mp.mpf("0.4"), p["a"])) - p["s"]
    return p["g"] * heights + p["k"] * stretched**2 / 2


def test_a_four_bar_in_forty_digits(bars: lg.Mechanism) -> None:
    """The torque at the crank is dV/dtheta, and its gradient the mixed derivatives, to 1e-11."""
    r, J = lg.goals.holding_torque({"theta1": ANGLES}).evaluate(bars, NAMES, np.zeros(0))
    with mp.workdps(40):
        p = {n: mp.mpf(repr(float(x))) for n, x in bars.parameters.items()}
        for i, angle in enumerate(map(mp.mpf, ANGLES)):
            torque = mp.diff(lambda x: energy(p, x), angle)
            assert abs(r[i] - float(torque)) < 1e-11
            for k, name in enumerate(NAMES):
                slope = mp.diff(lambda x, v, name=name: energy({**p, name: v}, x), (angle, p[name]), (1, 1))
                assert abs(J[i, k] - float(slope)) < 1e-10, name


def test_rows_close_their_loops_where_the_driven_joint_is(bars: lg.Mechanism) -> None:
    """Configurations that are given whole, for other lengths, are the same poses of the crank."""
    rows = lg.analyse_cycle(bars, over=(0.2, 2.0), rows=5)
    by_name, by_row = lg.goals.holding_torque({"theta1": rows.x}), lg.goals.holding_torque(rows.q)
    changed = bars.with_parameters(l3=0.63)
    for a, b in zip(by_name.evaluate(changed, NAMES, np.zeros(0)), by_row.evaluate(changed, NAMES, np.zeros(0)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_allclose(by_row.evaluate(bars, NAMES, np.zeros(0))[0], rows.static_torque, atol=1e-10)


def test_a_passive_joint_may_hold_it_or_lead(bars: lg.Mechanism) -> None:
    """By power: the torque at the rocker is that at the crank over the velocity ratio."""
    rows = lg.analyse_cycle(bars, over=(0.8, 1.6), rows=4)
    at_rocker, _ = lg.goals.holding_torque(rows.q, joints=["phi3"]).evaluate(bars, ["k"], np.zeros(0))
    assert rows.output_ratio is not None
    np.testing.assert_allclose(at_rocker * rows.output_ratio, rows.static_torque, atol=1e-9)
    led = lg.goals.holding_torque({"phi3": rows.q[:, 2]}, joints=["theta1"])
    np.testing.assert_allclose(led.evaluate(bars, ["k"], np.zeros(0))[0], rows.static_torque, atol=1e-8)


FIVE_BAR = """
name = "five"
gravity = [0, -9.81, 0]
parameters = { w = 0.5, l1 = 0.4, l2 = 0.6, m = 2.0 }
body = [
    { name = "near1", mass = 1.0, center = ["l1/2", 0, 0], inertia = [0, 0.01, 0.01] },
    { name = "far1", mass = "m", center = ["l2", 0, 0], inertia = [0, 0.01, 0.01] },
    { name = "near2", mass = 1.0, center = ["l1/2", 0, 0], inertia = [0, 0.01, 0.01] },
    { name = "far2", mass = 1.0, center = ["l2/2", 0, 0], inertia = [0, 0.01, 0.01] },
]
joint = [
    { name = "q1", type = "revolute", child = "near1" },
    { name = "p1", type = "revolute", parent = "near1", child = "far1", xyz = ["l1", 0, 0], actuated = false },
    { name = "q2", type = "revolute", child = "near2", xyz = ["w", 0, 0] },
    { name = "p2", type = "revolute", parent = "near2", child = "far2", xyz = ["l1", 0, 0], actuated = false },
]
loop = [{ name = "t", type = "point", a = "far1", b = "far2", a_xyz = ["l2", 0, 0], b_xyz = ["l2", 0, 0], directions = ["x", "y"] }]
"""  # noqa: E501


def test_two_driven_joints_in_forty_digits() -> None:
    m = lg.loads(FIVE_BAR)
    poses = np.array([[2.0, 1.0], [1.6, 0.4]])
    q = np.array([lg.assemble(m, [a, -1.2, b, 1.2], fixed=("q1", "q2")) for a, b in poses])

    def height(w: mp.mpf, l1: mp.mpf, l2: mp.mpf, mass: mp.mpf, a: mp.mpf, b: mp.mpf) -> mp.mpf:
        left, right = l1 * mp.expj(a), w + l1 * mp.expj(b)
        middle, half = (left + right) / 2, (right - left) / 2
        tip = middle + half / abs(half) * 1j * mp.sqrt(l2**2 - abs(half) ** 2)
        return mp.mpf("9.81") * (left.imag / 2 + right.imag / 2 + mass * tip.imag + (right + tip).imag / 2)

    r, J = lg.goals.holding_torque(q).evaluate(m, ["w", "l1", "l2", "m"], np.zeros(0))
    with mp.workdps(40):
        point = [mp.mpf(repr(float(m.parameters[n]))) for n in ("w", "l1", "l2", "m")]
        for i, row in enumerate(poses.tolist()):
            at = (*point, *map(mp.mpf, row))
            for d in range(2):
                order = [0] * 4 + [int(d == 0), int(d == 1)]
                assert abs(r[2 * i + d] - float(mp.diff(height, at, tuple(order)))) < 1e-11
                for k in range(4):
                    twice = tuple(x + (j == k) for j, x in enumerate(order))
                    assert abs(J[2 * i + d, k] - float(mp.diff(height, at, twice))) < 1e-9


LAMP = FOUR_BAR.replace("l2 = 0.9, l3 = 0.6", "l2 = 1.0, l3 = 0.3").replace('center = ["l2/3", 0, 0]', 'center = ["l2", 0, 0]')
LAMP = LAMP.replace('b = "coupler"\nb_point = ["l2/2", 0, 0]', 'b = "crank"\nb_point = ["l1", 0, 0]').replace(
    "a_point = [0.4,", "a_point = [0,"
)
LAMP = LAMP.replace("s = 0.15", "s = 0.0").replace("q = [1.0, 0.2, 2.0]", "q = [1.0, -1.0, 1.0]")


def test_a_parallelogram_lamp_is_balanced_exactly() -> None:
    """Its coupler goes along a circle without turning: k a l1 = (m1/2 + m2 + m3/2) g l1, for a spring without rest length."""
    lamp = lg.loads(LAMP)
    goal = lg.goals.holding_torque({"theta1": np.linspace(0.6, 2.4, 7)})
    optimum = lg.optimise(lamp, {"k": (1.0, 2000.0)}, goal)
    assert optimum.success
    assert optimum.parameters["k"] == pytest.approx((0.3 + 1.8 + 0.6) * 9.81 / 0.2, rel=1e-9)
    assert optimum.value < 1e-8 < optimum.initial_value


def test_the_best_spring_of_a_four_bar_is_the_best(bars: lg.Mechanism) -> None:
    """No small change of spring and anchor makes the torques, by analyse_cycle, smaller."""
    angles = np.linspace(0.0, 3.0, 13)
    optimum = lg.optimise(bars, {"k": (0, 400), "a": (-1.0, 2.0), "s": (0.0, 0.6)}, lg.goals.holding_torque({"theta1": angles}))
    assert optimum.value < 0.5 * optimum.initial_value

    def torque(**change: float) -> float:
        turn = lg.analyse_cycle(optimum.mechanism.with_parameters(change), over=(0.0, 3.0), rows=13)
        return float(np.sqrt(np.mean(turn.static_torque**2)))

    assert torque() == pytest.approx(optimum.value, rel=1e-8)
    for name in set(optimum.parameters) - set(optimum.at_bound):
        for factor in (0.98, 1.02):
            assert torque(**{name: optimum.parameters[name] * factor}) > optimum.value * (1 - 1e-9)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (lambda: lg.goals.holding_torque({"theta1": [1.0]}, joints=["theta1", "phi3"]), "cannot be held by theta1, phi3"),
        (lambda: lg.goals.holding_torque([[0, 0]]), r"have shape \(1, 2\)"),
        (lambda: lg.goals.holding_torque({"theta9": [1.0]}), "no coordinate 'theta9'"),
        (lambda: lg.goals.holding_torque({"theta1": [1.0], "phi3": [1.0, 2.0]}), "different lengths"),
        (lambda: lg.goals.holding_torque({"theta1": [1.0], "phi3": [1.0]}), "cannot be held|closes the loops|loop"),
    ],
)
def test_what_cannot_be_held_is_refused(bars: lg.Mechanism, goal, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(lg.LagrangianError, match=message):
        lg.optimise(bars, {"k": (1.0, 100.0)}, goal())


def test_a_dead_centre_holds_nothing() -> None:
    m = lg.library("slider_crank")
    with pytest.raises(lg.LagrangianError, match="cannot be held by x"):
        lg.goals.holding_torque([[0.0, 0.0, 0.4]], joints=["x"]).evaluate(m, ["r"], np.zeros(0))


def test_an_open_arm_by_name() -> None:
    arm, names = lg.library("two_r"), ["m2"]
    both = [
        lg.goals.holding_torque(x).evaluate(arm, names, np.zeros(0)) for x in ({"theta2": [0.5], "theta1": [0.2]}, [[0.2, 0.5]])
    ]
    np.testing.assert_array_equal(both[0][0], both[1][0])
    with pytest.raises(lg.ArgumentError, match="leave out theta2"):
        lg.goals.holding_torque({"theta1": [0.5]}).evaluate(arm, names, np.zeros(0))
