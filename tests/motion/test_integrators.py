"""Every integrator converges at its order, at the steps and between them; every stabilisation does what it says."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import lagrangian as lg
from tests.motion.machines import chain, energy_error, four_bar, pendulum

STATE = np.array([0.5, 0.3, 0.4, -0.2])
# method: its order, that of the error between the steps, and numbers of steps between which it shows on either mechanism
ORDERS = {
    "rk4": (4, 4, (64, 128), (128, 256)),
    "dp5": (5, 5, (128, 256), (256, 512)),
    "dop853": (8, 8, (32, 64), (64, 128)),
    "verner9": (9, 9, (32, 64), (64, 128)),
    "rodas5p": (5, 5, (128, 256), (128, 256)),
    "symplectic": (6, 5, (32, 64), ()),
}


def states_with_equal_steps(
    dyn: lg.Dynamics, method: str, steps: int, end: float, y0: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """States of a run in equal steps: with so loose a tolerance every step is the longest allowed, from the first."""
    h, half = end / steps, len(y0) // 2
    motion = lg.simulate(
        dyn, (0, end), y0[:half], y0[half:], torque=0, method=method, rtol=0.9, atol=1e6, step=h, max_step=h, t_eval=rows
    )
    assert motion.statistics["accepted"] == steps
    return np.hstack([motion.q, motion.qd])


def exact(dyn: lg.Dynamics, end: float, y0: np.ndarray, rows: np.ndarray) -> np.ndarray:
    half = len(y0) // 2
    motion = lg.simulate(
        dyn, (0, end), y0[:half], y0[half:], torque=0, method="dop853", rtol=1e-14, atol=1e-15, max_step=end / 50, t_eval=rows
    )
    return np.hstack([motion.q, motion.qd])


def measured_orders(
    mechanism: lg.Mechanism, method: str, end: float, y0: np.ndarray, counts: tuple[int, ...]
) -> tuple[float, float]:
    """The order seen in the errors at steps, all along the run, and in those between steps."""
    dyn = lg.compile(mechanism)
    at, between = [], []
    for n in counts:
        rows = np.arange(1, 9) / 8 * end
        at.append(np.linalg.norm(states_with_equal_steps(dyn, method, n, end, y0, rows) - exact(dyn, end, y0, rows)))
        rows = (np.arange(n) + 0.4) / n * end
        between.append(np.abs(states_with_equal_steps(dyn, method, n, end, y0, rows) - exact(dyn, end, y0, rows)).max())
    return math.log2(at[0] / at[1]), math.log2(between[0] / between[1])


@pytest.mark.parametrize("method", ORDERS)
def test_order_on_an_open_chain(method: str) -> None:
    order, dense, counts, _ = ORDERS[method]
    at, between = measured_orders(chain(2), method, 2.0, STATE, counts)
    assert at == pytest.approx(order, abs=0.4)
    if method == "verner9":  # its interpolant has coefficients of 1e4: with more steps only roundings are seen
        _, between = measured_orders(chain(2), method, 2.0, STATE, (14, 28))
    assert between > dense - 0.4


@pytest.fixture(scope="module")
def linkage() -> tuple[lg.Mechanism, np.ndarray]:
    mechanism = four_bar()
    q0 = lg.assemble(mechanism, [0.8, 0.3, 1.9], fixed=["theta1"])
    return mechanism, np.concatenate([q0, lg.consistent_speeds(mechanism, q0, None, {"theta1": 2.0})])


@pytest.mark.parametrize("method", [m for m in ORDERS if m != "symplectic"])
def test_order_on_a_closed_loop(method: str, linkage: tuple[lg.Mechanism, np.ndarray]) -> None:
    """Projection after every step does not spoil it."""
    mechanism, y0 = linkage
    order, dense, _, counts = ORDERS[method]
    at, between = measured_orders(mechanism, method, 1.0, y0, counts)
    assert at == pytest.approx(order, abs=0.4)
    if method == "verner9":
        _, between = measured_orders(mechanism, method, 1.0, y0, (24, 48))
    assert between > dense - 0.4


def test_symplectic_says_what_it_cannot_do(linkage: tuple[lg.Mechanism, np.ndarray]) -> None:
    with pytest.raises(lg.ArgumentError, match="without constraints, dry friction, ball and free joints"):
        lg.simulate(linkage[0], 1.0, linkage[1][:3], method="symplectic", step=0.01)


def test_symplectic_keeps_energy_in_a_band() -> None:
    """Over a long time the energy of a pendulum neither grows nor falls; RK4's falls."""
    bounds = {}
    for method in ("symplectic", "rk4"):
        motion = lg.simulate(pendulum(), (0, 500), [2.5], [0], method=method, step=0.05, t_eval=2001)
        off = (motion.energy - motion.energy[0]) / motion.energy_scale
        bounds[method] = [np.abs(off[:500]).max(), np.abs(off[-500:]).max()]
    early, late = bounds["symplectic"]
    assert late < 1.5 * early
    early, late = bounds["rk4"]
    assert late > 2.5 * early


@pytest.mark.parametrize("method", ["dp5", "dop853", "verner9", "rodas5p"])
def test_error_follows_the_tolerance(method: str) -> None:
    dyn = lg.compile(chain(2))
    true = lg.simulate(dyn, (0, 3), STATE[:2], STATE[2:], method="verner9", rtol=1e-14, atol=1e-15, t_eval=31)
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8):
        motion = lg.simulate(dyn, (0, 3), STATE[:2], STATE[2:], method=method, rtol=rtol, atol=rtol, t_eval=31)
        errors.append(max(np.abs(motion.q - true.q).max(), np.abs(motion.qd - true.qd).max()))
        assert errors[-1] < 300 * rtol
        assert energy_error(motion) < 100 * rtol
    assert errors[0] > errors[1] > errors[2]


def test_rows_do_not_change_the_steps() -> None:
    """However many rows are asked for, the run is the same to the last bit."""
    dyn = lg.compile(chain(2))
    few, many = (lg.simulate(dyn, (0, 3), STATE[:2], STATE[2:], t_eval=n) for n in (2, 3001))
    assert few.statistics["accepted"] == many.statistics["accepted"]
    assert np.array_equal(few.q[-1], many.q[-1])


def test_bounded_and_first_steps() -> None:
    dyn = lg.compile(chain(2))
    motion = lg.simulate(dyn, (0, 1), STATE[:2], STATE[2:], rtol=1e-4, max_step=0.01)
    assert motion.statistics["accepted"] >= 100
    steps = motion.trajectory.segments[0].steps
    assert steps[:, 1].max() <= 0.01 * (1 + 1e-12)
    first = lg.simulate(dyn, (0, 1), STATE[:2], STATE[2:], rtol=1e-4, step=1e-3).trajectory.segments[0].steps
    assert first[0, 1] == pytest.approx(1e-3)


def test_auto_chooses_by_tolerance() -> None:
    dyn = lg.compile(chain(1))
    names = [lg.simulate(dyn, 0.1, [0.3], rtol=rtol).statistics["method"] for rtol in (1e-8, 1e-12)]
    assert names == ["DOP853", "Verner 9(8)"]


def test_auto_notices_stiffness() -> None:
    """A pendulum with a strong damper: the explicit method gives way to one for stiff systems, the result is the same."""
    mechanism = pendulum(friction=lg.Friction(viscous=3e4))
    motion = lg.simulate(mechanism, (0, 50), [1.0], [0], rtol=1e-6, atol=1e-9)
    assert motion.statistics["method"].startswith("Rodas")
    assert 0 < motion.statistics["stiff_since"] < 50
    assert motion.statistics["accepted"] < 3000
    # creep: c a' = -m g l/2 sin a
    expected = 2 * np.arctan(math.tan(0.5) * np.exp(-9.81 / 2 / 3e4 * motion.t))
    np.testing.assert_allclose(motion.q[:, 0], expected, rtol=0, atol=1e-5)


# -- stabilisation ---------------------------------------------------------------------------------------------------


def drift(motion: lg.Motion) -> float:
    return float(motion.statistics["drift_between_steps"])


@pytest.fixture(scope="module")
def motions_by_stabilisation(linkage: tuple[lg.Mechanism, np.ndarray]) -> dict[str, dict[float, lg.Motion]]:
    """The four-bar for 20 and for 200 s, by each stabilisation, at a loose tolerance so that there is something to see."""
    mechanism, y0 = linkage
    dyn = lg.compile(mechanism)
    results: dict[str, dict[float, lg.Motion]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.SimulationWarning)  # of the drift, which is what is looked at
        for name in ("projection", "baumgarte", "ggl", "none"):
            results[name] = {
                end: lg.simulate(dyn, end, y0[:3], y0[3:], rtol=1e-5, atol=1e-7, method="dp5", stabilisation=name)
                for end in (20.0, 200.0)
            }
    return results


def test_projection_stays_on_the_constraints(motions_by_stabilisation: dict[str, dict[float, lg.Motion]]) -> None:
    for motion in motions_by_stabilisation["projection"].values():
        assert motion.statistics["drift_at_steps"] < 1e-14
        assert motion.drift.max() < 1e-14
        assert motion.rate_drift.max() < 1e-9


def test_nothing_drifts_as_much_as_none(motions_by_stabilisation: dict[str, dict[float, lg.Motion]]) -> None:
    short, long = (max(motions_by_stabilisation["none"][end].drift) for end in (20.0, 200.0))
    assert long > 5 * short  # it grows and grows
    for name in ("projection", "baumgarte", "ggl"):
        assert motions_by_stabilisation[name][200.0].drift.max() < 0.1 * long


def test_baumgarte_is_bounded(motions_by_stabilisation: dict[str, dict[float, lg.Motion]]) -> None:
    short, long = (motions_by_stabilisation["baumgarte"][end] for end in (20.0, 200.0))
    assert 1e-12 < long.drift.max() < 3 * short.drift.max()
    assert long.rate_drift.max() < 3 * short.rate_drift.max()


def test_ggl_keeps_positions(motions_by_stabilisation: dict[str, dict[float, lg.Motion]]) -> None:
    """Index 2: rates are kept by the equations, positions drift by rounding and the error of steps only."""
    motion = motions_by_stabilisation["ggl"][200.0]
    assert motion.drift.max() < 1e-2 * motions_by_stabilisation["none"][200.0].drift.max()


def test_baumgarte_follows_its_equation(
    motions_by_stabilisation: dict[str, dict[float, lg.Motion]], linkage: tuple[lg.Mechanism, np.ndarray]
) -> None:
    """eta'' + 2 alpha eta' + beta^2 eta = 0, and none has eta'' = 0: as the accelerations at the rows have it."""
    dyn = lg.compile(linkage[0])
    for name, alpha, beta in (("baumgarte", 10.0, 10.0), ("none", 0.0, 0.0)):
        motion = motions_by_stabilisation[name][20.0]
        second = np.einsum("smn,sn->sm", dyn.constraint_jacobian(motion.q), motion.qdd) + dyn.constraint_bias(motion.q, motion.qd)
        pull = 2 * alpha * dyn.constraint_rate(motion.q, motion.qd) + beta**2 * dyn.closure(motion.q)
        assert np.abs(second + pull).max() < 1e-10
        assert name == "none" or np.abs(pull).max() > 1e-6


@pytest.mark.parametrize("name", ["projection", "baumgarte", "ggl", "none"])
def test_all_agree_at_tight_tolerances(name: str, linkage: tuple[lg.Mechanism, np.ndarray]) -> None:
    mechanism, y0 = linkage
    dyn = lg.compile(mechanism)
    true = lg.simulate(dyn, 2.0, y0[:3], y0[3:], method="verner9", rtol=1e-13, atol=1e-14, t_eval=21)
    motion = lg.simulate(dyn, 2.0, y0[:3], y0[3:], rtol=1e-10, atol=1e-12, stabilisation=name, t_eval=21)
    np.testing.assert_allclose(motion.q, true.q, rtol=0, atol=1e-7)
    assert energy_error(motion) < 1e-7
