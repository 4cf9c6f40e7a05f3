"""Random closed mechanisms, redundant ones too: energy is kept, nothing drifts, constraint forces do no work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import lagrangian as lg
from lagrangian.model.loops import TYPES as LOOP_TYPES
from tests.mechanisms import random_body, random_loop, random_mechanism, random_placement, seeds
from tests.motion.machines import bar, four_bar

few = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def check(mechanism: lg.Mechanism, q0: np.ndarray, qd0: np.ndarray, duration: float = 1.0, rtol: float = 1e-11) -> lg.Motion:
    """Run it, and hold it to everything that is true of any run without driving forces."""
    dyn = lg.compile(mechanism)
    motion = lg.simulate(dyn, duration, q0, qd0, rtol=rtol, atol=1e-2 * rtol, t_eval=21)
    assert motion.success, motion.message
    assert motion.energy_scale > 1e-3
    assert np.abs(motion.energy_balance).max() < 1e-9 * motion.energy_scale
    assert motion.drift.max() < 1e-10
    assert motion.statistics["drift_at_steps"] < 1e-10
    assert motion.rate_drift.max() < 1e-10 * (1 + np.abs(motion.qd).max() ** 2)
    forces, qd = motion.constraint_forces, motion.qd
    power = np.einsum("sn,sn->s", forces, qd)
    assert np.abs(power).max() < 1e-11 * (np.abs(forces) * np.abs(qd)).sum(axis=1).max()
    # M qdd + h = Psi^T lambda, by inverse dynamics of the open tree, and Psi qdd + gamma = 0
    tree = dyn.inverse_dynamics(motion.q, qd, motion.qdd)
    assert np.abs(tree - forces).max() < 1e-9 * max(1.0, np.abs(tree).max())
    psi = dyn.constraint_jacobian(motion.q)
    left = np.einsum("smn,sn->sm", psi, motion.qdd) + dyn.constraint_bias(motion.q, qd)
    assert np.abs(left).max() < 1e-8 * max(1.0, np.abs(motion.qdd).max())
    np.testing.assert_allclose(forces, np.einsum("smn,sm->sn", psi, motion.multipliers), atol=1e-12 * (1 + np.abs(forces).max()))
    return motion


def start(mechanism: lg.Mechanism, seed: int, q0: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A closed configuration away from singular ones, and speeds that keep it closed."""
    rng = np.random.default_rng(seed)
    dyn = lg.compile(mechanism)
    try:
        q = lg.assemble(dyn, mechanism.random_configuration(rng) if q0 is None else q0)
    except lg.AssemblyError:
        assume(False)
    mobility = lg.mobility(dyn, q)
    assume(mobility.degrees >= 1 and not mobility.singular)
    values = np.linalg.svd(dyn.constraint_jacobian(q), compute_uv=False)
    assume(values[mobility.rank - 1] > 0.05 * values[0])
    return q, lg.consistent_speeds(dyn, q, rng.normal(size=mechanism.nv))


# -- planar ----------------------------------------------------------------------------------------------------------


def planar(lengths: list[float], kind: str, copies: int = 1) -> lg.Mechanism:
    """A chain of bars from the ground, whose end is held at a point of the ground by loop joints of one type."""
    bodies = [bar(f"link{i}", 1 + length, length) for i, length in enumerate(lengths)]
    joints = [
        lg.Joint(f"a{i}", "revolute", f"link{i - 1}" if i else "ground", f"link{i}", (lengths[i - 1] if i else 0.0, 0, 0))
        for i in range(len(lengths))
    ]
    more = {"directions": ("x", "y")} if kind == "point" else {}
    reach = 0.6 * sum(lengths)
    loops = [
        lg.LoopJoint(f"close{k}", kind, bodies[-1].name, "ground", (lengths[-1], 0, 0), (reach, 0.1, 0), **more)
        for k in range(copies)
    ]
    return lg.Mechanism("planar", bodies, joints, loops, gravity=(1.0, -9.81, 0))


# every new mechanism is compiled: a few of them, and many states of each
bars = st.sampled_from([list(np.random.default_rng(n).uniform(0.3, 1.0, n)) for n in (3, 4, 5)])


@few
@given(bars, seeds)
def test_planar_chains_closed_by_a_point(lengths: list[float], seed: int) -> None:
    mechanism = planar(lengths, "point")
    q0, qd0 = start(mechanism, seed)
    check(mechanism, q0, qd0)


@pytest.mark.slow
@settings(few, max_examples=5)
@given(st.just([0.7, 0.4, 0.9, 0.5]), seeds, st.sampled_from(["revolute", "ball", "cylindrical", "point twice"]))
def test_planar_chains_closed_redundantly(lengths: list[float], seed: int, kind: str) -> None:
    """The same motion as with just the equations needed, and multipliers with the same effect that are no larger."""
    name, copies = ("point", 2) if kind == "point twice" else (kind, 1)
    plain, mechanism = planar(lengths, "point"), planar(lengths, name, copies)
    q0, qd0 = start(plain, seed)
    mobility = lg.mobility(mechanism, q0)
    assert mobility.redundant == mechanism.equation_count - 2
    assert mobility.degrees == len(lengths) - 2
    motion, simple = check(mechanism, q0, qd0), check(plain, q0, qd0)
    np.testing.assert_allclose(motion.q, simple.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(motion.constraint_forces, simple.constraint_forces, rtol=1e-4, atol=1e-5)
    assert np.all(np.linalg.norm(motion.multipliers, axis=1) <= np.linalg.norm(simple.multipliers, axis=1) * (1 + 1e-6))


@settings(few, max_examples=2)
@given(st.floats(0.2, 0.9), st.floats(0.3, 1.2), seeds)
def test_parallelograms_closed_by_hinges(crank: float, base: float, seed: int) -> None:
    """Five equations where two would do; the coupler stays parallel to the ground."""
    mechanism = four_bar("revolute", (base, crank, base, crank))
    theta = np.random.default_rng(seed).uniform(0.5, 2.6)
    q0 = np.array([theta, -theta, theta])
    rate = 1.5 * (-1) ** (seed % 2)
    # away from the flat positions, where another branch begins
    motion = check(mechanism, q0, rate * np.array([1, -1, 1]), duration=0.15)
    np.testing.assert_allclose(motion.q[:, 0] + motion.q[:, 1], 0, atol=1e-9)
    np.testing.assert_allclose(motion.q[:, 0], motion.q[:, 2], atol=1e-9)


# -- spatial ---------------------------------------------------------------------------------------------------------

# tree joints with enough freedom that something is left to move when the loop is closed
CHAINS = {
    "point": ["revolute", "universal", "revolute"],
    "ball": ["revolute", "ball", "prismatic"],
    "universal": ["revolute", "universal", "revolute", "revolute"],
    "cylindrical": ["universal", "ball", "revolute"],
    "revolute": ["revolute", "ball", "universal", "revolute"],
    "prismatic": ["ball", "revolute", "universal", "revolute"],
    "fixed": ["revolute", "ball", "universal", "revolute", "revolute"],
    "planar": ["revolute", "ball", "revolute"],
    "distance": ["helical", "revolute", "prismatic"],
}


def closed_chain(types: list[str], kind: str, seed: int, copies: int = 1) -> tuple[lg.Mechanism, np.ndarray]:
    """A random chain and a configuration of it; the loop's frame on the ground is put where its end is then."""
    mechanism = random_mechanism(types, seed, chain=True)
    rng = np.random.default_rng(seed)
    q = mechanism.random_configuration(rng)
    tip = random_placement(rng)
    last = mechanism.bodies[-1].name
    end = lg.compile(mechanism.replace(frames=[lg.Frame("end", last, tip)])).pose(q, "end")
    loop = random_loop(rng, "close", kind, last, "ground")
    there = lg.Transform.from_matrix(end)
    if kind == "distance":
        there = replace(there, position=tuple(np.array(end[:3, 3]) + 0.7 * rng.normal(size=3)))
        loop = replace(loop, length=float(np.linalg.norm(np.array(there.position) - end[:3, 3])))
    loop = replace(loop, a_placement=tip, b_placement=there)
    loops = [replace(loop, name=f"close{k}") for k in range(copies)]
    return mechanism.replace(loops=loops), q


QUICK = ("point", "revolute", "distance")


@pytest.mark.parametrize("kind", [pytest.param(k, marks=() if k in QUICK else pytest.mark.slow) for k in LOOP_TYPES])
def test_every_loop_joint(kind: str) -> None:
    @settings(few, max_examples=1)
    @given(seeds)
    def run(seed: int) -> None:
        mechanism, q = closed_chain(CHAINS[kind], kind, seed)
        q0, qd0 = start(mechanism, seed, q)
        check(mechanism, q0, qd0, duration=0.5)

    run()


@pytest.mark.slow
@settings(few, max_examples=1)
@given(seeds, st.sampled_from(["revolute", "fixed", "ball"]))
def test_duplicated_spatial_loops(seed: int, kind: str) -> None:
    """A loop closed twice moves as one closed once."""
    (once, q), (twice, _) = (closed_chain(CHAINS[kind], kind, seed, copies) for copies in (1, 2))
    q0, qd0 = start(once, seed, q)
    single, double = check(once, q0, qd0, duration=0.4), check(twice, q0, qd0, duration=0.4)
    np.testing.assert_allclose(double.q, single.q, rtol=0, atol=1e-7)
    half = double.multipliers.shape[1] // 2
    # of all multipliers the least are those of which either loop carries half
    np.testing.assert_allclose(double.multipliers[:, :half], double.multipliers[:, half:], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(2 * double.multipliers[:, :half], single.multipliers, rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_bennett_linkage_moves() -> None:
    """A spatial 4R loop that Gruebler's count says is rigid (-2): sin(alpha)/a = sin(beta)/b lets it move (Bennett 1903)."""
    a, alpha, beta = 1.0, 0.7, 1.3
    b = a * np.sin(beta) / np.sin(alpha)
    rng = np.random.default_rng(5)
    bodies = [random_body(rng, f"b{k}") for k in range(3)]
    ends = [lg.Transform.from_rpy((a, 0, 0), (alpha, 0, 0)), lg.Transform.from_rpy((b, 0, 0), (beta, 0, 0))]
    joints = [
        lg.Joint("j0", "revolute", "ground", "b0"),
        lg.Joint("j1", "revolute", "b0", "b1", ends[0]),
        lg.Joint("j2", "revolute", "b1", "b2", ends[1]),
    ]
    # the ground is the fourth bar: it begins where the third ends, and ends at joint 0
    loop = lg.LoopJoint("close", "revolute", "b2", "ground", ends[0], ends[1].inverse())
    mechanism = lg.Mechanism("bennett", bodies, joints, [loop])
    q0 = lg.assemble(mechanism, [0.6, 1.0, 2.0], fixed=["j0"])
    mobility = lg.mobility(mechanism, q0)
    assert (mobility.degrees, mobility.gruebler, mobility.redundant) == (1, -2, 3)
    motion = check(mechanism, q0, lg.consistent_speeds(mechanism, q0, None, {"j0": 1.0}), rtol=1e-12)
    # the half angles keep one ratio of tangents all along
    opposite = np.tan(motion.q[:, 0] / 2) * np.tan(motion.q[:, 1] / 2)
    np.testing.assert_allclose(opposite, opposite[0], rtol=1e-9)
