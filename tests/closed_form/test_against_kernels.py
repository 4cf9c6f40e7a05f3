"""The closed form against the recursions: two derivations, two programs, the same numbers to rounding."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.model.placement import rotation_x, rotation_y, rotation_z
from tests.closed_form.test_round_trips import modified_puma
from tests.mechanisms import MARKED, random_mechanism

HEAVY = ("delta", "lwr7", "stewart", "three_rpr")
LIBRARY = [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in MARKED if name != "panda"]


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> None:
    """To 1e-12 of the largest entry."""
    assert np.abs(np.asarray(a) - b).max(initial=0.0) <= tolerance * max(1e-3, np.abs(b).max(initial=0.0))


def check(mechanism: lg.Mechanism, symbols: str = "given", seed: int = 0) -> None:
    eom = lg.derive(mechanism, symbols=symbols)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.MechanismWarning)
        dyn = lg.compile(eom.mechanism)
    closed = eom.compile()
    rng = np.random.default_rng(seed)
    q = np.array([eom.mechanism.random_configuration(rng) for _ in range(7)])
    qd, qdd = rng.normal(size=(2, 7, eom.n))
    close(closed.mass_matrix(q), dyn.mass_matrix(q))
    close(closed.coriolis_matrix(q, qd), dyn.coriolis_matrix(q, qd))
    close(closed.gravity(q), dyn.gravity(q))
    close(closed.friction(qd, q), dyn.friction(qd, q=q))
    close(closed.inverse_dynamics(q, qd, qdd), dyn.inverse_dynamics(q, qd, qdd))
    close(closed.kinetic_energy(q, qd), dyn.kinetic_energy(q, qd))
    close(closed.potential_energy(q), dyn.potential_energy(q))
    for frame in eom.mechanism.frames[:2]:
        close(np.array([eom.jacobian(frame.name).evaluate(x) for x in q[:2]]), dyn.jacobian(q[:2], frame.name))
        close(np.array([eom.pose(frame.name).evaluate(x) for x in q[:2]]), dyn.pose(q[:2], frame.name))
    close(closed.mass_matrix(q[0]), dyn.mass_matrix(q[0]))


@pytest.mark.parametrize("name", LIBRARY)
def test_mechanisms_of_the_library_agree_with_compiled_code(name: str) -> None:
    check(lg.library(name))


@pytest.mark.parametrize(
    ("name", "symbols"),
    [
        ("puma560", "inertial"),
        ("puma560", "all"),
        ("stanford", "inertial"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [("stanford", "all"), ("ur5", "inertial"), ("ur5", "all")]),
    ],
)
def test_named_parameters(name: str, symbols: str) -> None:
    check(lg.library(name), symbols)


def test_modified_puma() -> None:
    check(modified_puma(), "inertial")


def example_robot(name: str) -> str:
    peers = pytest.importorskip("tests.peers.test_pinocchio")
    return str(next(path for path in peers.robots() if path.name == name))


def test_ur5_from_its_urdf() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(lg.load(example_robot("ur5_robot.urdf")))


@pytest.mark.slow
def test_panda_from_its_urdf() -> None:
    """M, G and energies compiled; the Coriolis matrix, of 60,000 terms, term by term at one state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = lg.load(example_robot("panda.urdf"))
        eom = lg.derive(arm)
        dyn = lg.compile(arm)
    closed = eom.compile()
    q, qd = np.random.default_rng(3).uniform(-0.02, 0.02, size=(2, 5, 9)) + 0.02
    q[:, :7] *= 60
    close(closed.mass_matrix(q), dyn.mass_matrix(q))
    close(closed.gravity(q), dyn.gravity(q))
    close(closed.kinetic_energy(q, qd), dyn.kinetic_energy(q, qd))
    close(eom.C.evaluate(q[0], qd[0]), dyn.coriolis_matrix(q[0], qd[0]))


@pytest.mark.slow
def test_all_lengths_and_twists_named() -> None:
    """Four joints in full; of six, M and G."""
    check(general_arm(4))
    arm = general_arm(6)
    eom, dyn = lg.derive(arm), lg.compile(arm)
    q = np.random.default_rng(0).normal(size=6)
    close(eom.compile().mass_matrix(q), dyn.mass_matrix(q))
    close(eom.compile().gravity(q), dyn.gravity(q))


def general_arm(n: int) -> lg.Mechanism:
    """Standard DH, every a, d and alpha a parameter; links with a point mass at their ends."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(1, n + 1):
        a, d, alpha, mass = (lg.parameter(f"{name}{i}", 0.1 + rng.random()) for name in ("a", "d", "alpha", "m"))
        rows.append(lg.DHParameters("R", a=a, d=d, alpha=alpha, mass=mass))
    return lg.Mechanism.from_dh(rows, convention="standard", name="general")


def test_named_twists_antiparallel_axes_and_named_gravity() -> None:
    alpha, gx, gz = lg.parameter("alpha", 0.4), lg.parameter("gx", 2.0), lg.parameter("gz", 9.0)
    rows = [
        lg.DHParameters("R", a=0.3, alpha=alpha, mass=2, center=(0.1, 0.02, 0), inertia=(0.1, 0.2, 0.15)),
        lg.DHParameters("R", a=0.2, alpha=math.pi, mass=1, center=(-0.1, 0.05, 0.03), inertia=(0.1, 0.1, 0.1)),
        lg.DHParameters("P", alpha=0.3, theta=alpha, mass=1, center=(0, 0.1, 0.1)),
        lg.DHParameters("R", a=0.1, d=0.1, mass=0.5, center=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02)),
    ]
    arm = lg.Mechanism.from_dh(rows, convention="modified", gravity=(gx, 0, -gz))
    check(arm)
    eom = lg.derive(arm)
    assert {"gx", "gz"} <= set(eom.parameters())
    # other values of the parameters, in the same formulas
    changed = lg.derive(arm).compile({"alpha": 1.1})
    again = lg.Mechanism.from_dh(
        [*(lg.DHParameters(**{**r.__dict__, **_with(r, 1.1)}) for r in rows)], convention="modified", gravity=(2.0, 0, -9.0)
    )
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 4))
    close(changed.inverse_dynamics(q, qd, qdd), lg.compile(again).inverse_dynamics(q, qd, qdd))
    value = eom.tau.evaluate(q, qd, qdd, alpha=1.1)
    close(value, lg.compile(again).inverse_dynamics(q, qd, qdd))


def _with(row: lg.DHParameters, alpha: float) -> dict:
    return {key: alpha for key in ("alpha", "theta") if not isinstance(getattr(row, key), (int, float))}


@given(
    st.lists(st.sampled_from(["revolute", "prismatic", "helical", "universal", "planar", "fixed"]), min_size=1, max_size=3),
    st.integers(0, 10**6),
    st.booleans(),
)
@settings(max_examples=5, deadline=None)
def test_random_mechanisms(types: list[str], seed: int, passive: bool) -> None:
    check(random_mechanism(types, seed, passive=passive), seed=seed)


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_joints_with_quaternions_become_angles(kind: str) -> None:
    """The same kinetic and potential energy as with quaternions and body-axis speeds, for any motion."""
    mechanism = random_mechanism([kind, "revolute"], 3, chain=True)
    eom = lg.derive(mechanism)
    check(mechanism)
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(1)
    slides = 3 if kind == "free" else 0
    for _ in range(4):
        q, qd = rng.normal(size=(2, eom.n))
        yaw, pitch, roll = q[slides : slides + 3]
        R = np.array(rotation_z(yaw)) @ np.array(rotation_y(pitch)) @ np.array(rotation_x(roll))
        w = 0.5 * math.sqrt(max(0.0, 1 + np.trace(R)))
        quaternion = [w, *(x / (4 * w) for x in (R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))]
        dyaw, dpitch, droll = qd[slides : slides + 3]
        omega = [
            droll - math.sin(pitch) * dyaw,
            math.cos(roll) * dpitch + math.sin(roll) * math.cos(pitch) * dyaw,
            -math.sin(roll) * dpitch + math.cos(roll) * math.cos(pitch) * dyaw,
        ]
        q_full = [*quaternion, *q[:slides], *q[slides + 3 :]]
        qd_full = [*omega, *(R.T @ qd[:3] if slides else ()), *qd[slides + 3 :]]
        assert eom.kinetic_energy.evaluate(q, qd) == pytest.approx(dyn.kinetic_energy(q_full, qd_full), rel=1e-10)
        assert eom.potential_energy.evaluate(q) == pytest.approx(dyn.potential_energy(q_full), rel=1e-10)


def test_external_wrench() -> None:
    arm = lg.library("puma560")
    eom, dyn = lg.derive(arm), lg.compile(arm)
    q, wrench = arm.poses["qn"], np.arange(1.0, 7.0)
    loads = dict(zip(("load_Mx", "load_My", "load_Mz", "load_Fx", "load_Fy", "load_Fz"), wrench, strict=True))
    torque = eom.generalised_wrench("link6").evaluate(q, **loads)
    zero = np.zeros(6)
    want = dyn.inverse_dynamics(q, zero, zero) - dyn.inverse_dynamics(q, zero, zero, {"link6": wrench})
    assert torque == pytest.approx(want, rel=1e-12)


def test_large_angles_and_nan() -> None:
    closed, dyn = lg.derive(lg.library("two_r")).compile(), lg.compile(lg.library("two_r"))
    q = np.array([1e12, 3e11])
    close(closed.mass_matrix(q), dyn.mass_matrix(q), 1e-9)
    assert np.isnan(closed.mass_matrix([math.nan, 0.0])).any()
