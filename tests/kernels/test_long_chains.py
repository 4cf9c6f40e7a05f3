"""One state of a long chain goes in pieces, and gives what a sweep over its links gives."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import lagrangian as lg
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.algorithms.sweep import run
from lagrangian.kernels.llvm import machine_code, target
from lagrangian.kernels.long_chains import plan as plans
from lagrangian.kernels.long_chains import program
from lagrangian.kernels.long_chains.program import (
    LongChainForwardDynamics,
    LongChainInverseDynamics,
    long_chain_code_if_faster,
    plan_if_faster,
)
from tests.exact_links import links_of
from tests.mechanisms import MOVING, random_mechanism, random_placement, state


def chain(n: int, masses: float | np.ndarray = 1.0, inertias: float | np.ndarray = 1.0, tools: float = 1.0) -> lg.Mechanism:
    """n links hinged about x and y in turn."""
    masses, inertias = np.broadcast_to(masses, n) * 1.0, np.broadcast_to(inertias, n) * 1.0
    masses[-1] *= tools
    bodies = [
        lg.Body(f"b{i}", m, (0, 0, -0.05), tuple(k * x for x in (0.01, 0, 0, 0.01, 0, 0.002)))
        for i, (m, k) in enumerate(zip(masses.tolist(), inertias.tolist(), strict=True))
    ]
    joints = [
        lg.Joint(
            f"j{i}",
            "revolute",
            f"b{i - 1}" if i else "ground",
            f"b{i}",
            lg.Transform(position=(0, 0, -0.1 if i else 0.0)),
            axis=((0, 1, 0) if i % 2 else (1, 0, 0)),
        )
        for i in range(n)
    ]
    return lg.Mechanism("chain", bodies, joints)


def octopus(arms: int, length: int, seed: int) -> lg.Mechanism:
    """A free body with arms: long branches of a tree, one of which branches again."""
    rng = np.random.default_rng(seed)
    one = random_mechanism(["free", *["revolute"] * (arms * length)], seed, chain=True)
    joints = list(one.joints)
    for k in range(arms):
        first = 1 + k * length
        joints[first] = replace(joints[first], parent=one.bodies[0].name, placement=random_placement(rng))
    half = length + length // 2
    joints[-length] = replace(joints[-length], parent=one.bodies[half].name)
    return replace(one, joints=joints)


def two_arms(length: int, seed: int) -> lg.Mechanism:
    """Two chains whose joints are listed in turn, so that the coordinates of neither stand side by side."""
    one = random_mechanism(["revolute"] * (2 * length), seed, chain=True)
    joints = [replace(j, parent=one.bodies[k - 2].name if k > 1 else "ground") for k, j in enumerate(one.joints)]
    return replace(one, joints=joints)


MECHANISMS = {
    "two axes in turn": lambda: chain(120),
    "any axes": lambda: random_mechanism(["revolute"] * 90, 1, chain=True),
    "several kinds": lambda: random_mechanism(["free", *["revolute", "prismatic", "ball"] * 40], 2, chain=True),
    "kinds of several links": lambda: random_mechanism(["universal", "cam", "gimbal"] * 20, 3, chain=True),
    "rotors, friction and springs": lambda: replace(
        random_mechanism(["revolute", "helical"] * 45, 4, chain=True, passive=True), springs=()
    ),
    "octopus": lambda: octopus(3, 60, 5),
    "two arms listed in turn": lambda: two_arms(50, 6),
}


@pytest.fixture(scope="module", autouse=True)
def eager() -> Iterator[None]:
    """Pieces as if they cost little, so that there are many of them in chains that are not long."""
    with pytest.MonkeyPatch.context() as changed:
        for kind in (LongChainForwardDynamics, LongChainInverseDynamics):
            changed.setattr(kind, "cost", plans.Cost(step=100.0, link=60.0, piece=50.0, rest=0.0))
        yield


@pytest.fixture(scope="module")
def dynamics_by_name() -> dict[str, lg.Dynamics]:
    return {name: lg.compile(build()) for name, build in MECHANISMS.items()}


def swept(dyn: lg.Dynamics, *value: np.ndarray, name: str = "forward_dynamics") -> np.ndarray:
    """By a sweep over all links: batches never go in pieces."""
    result: np.ndarray = getattr(dyn, name)(*(np.array([x, x]) for x in value))[0]
    return result


def status_of_long_chain_code(dyn: lg.Dynamics, *arguments: np.ndarray) -> int:
    """What the code in pieces says: 0 if its result was taken, -1 if not."""
    chosen = target.current()
    generated = long_chain_code_if_faster(FORWARD_DYNAMICS, dyn.tree, chosen)
    assert generated is not None
    code = machine_code.LoadedCode(machine_code.compile_object(generated.ir, chosen, level=1), chosen)
    arrays = [*(np.ascontiguousarray(x) for x in (*arguments, arguments[0])), *generated.data(FORWARD_DYNAMICS, dyn.tree)]
    pointers = (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
    out, scratch = np.zeros(dyn.nv), np.zeros(generated.scratch)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(code.address("in_pieces"))
    return function(ctypes.addressof(pointers), out.ctypes.data, scratch.ctypes.data)


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_state_is_as_swept(dynamics_by_name: dict[str, lg.Dynamics], name: str) -> None:
    dyn = dynamics_by_name[name]
    plan = plan_if_faster(FORWARD_DYNAMICS, dyn.tree, target.current())
    assert plan is not None
    assert len(plan.loose_links) < 0.4 * len(dyn.tree)
    for seed in range(3):
        q, qd, _, tau = state(dyn.mechanism, seed)
        expected = swept(dyn, q, qd, tau)
        got = dyn.forward_dynamics(q, qd, tau)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    assert status_of_long_chain_code(dyn, q, qd, tau) == 0


@pytest.mark.parametrize("name", MECHANISMS)
def test_torques_of_one_state_are_as_swept(dynamics_by_name: dict[str, lg.Dynamics], name: str) -> None:
    dyn = dynamics_by_name[name]
    assert plan_if_faster(INVERSE_DYNAMICS, dyn.tree, target.current()) is not None
    for seed in range(3):
        q, qd, qdd, tau = state(dyn.mechanism, seed)
        expected = swept(dyn, q, qd, qdd, name="inverse_dynamics")
        np.testing.assert_allclose(dyn.inverse_dynamics(q, qd, qdd), expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    # both ways: the torques of the accelerations are those that were given
    back = dyn.inverse_dynamics(q, qd, dyn.forward_dynamics(q, qd, tau))
    without = dyn.inverse_dynamics(q, qd, 0 * qdd)
    np.testing.assert_allclose(back, tau, rtol=0, atol=1e-9 * np.abs(without).max())


@pytest.mark.parametrize("cpu", ["sse2", "avx2"])
def test_shorter_vectors(dynamics_by_name: dict[str, lg.Dynamics], cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        target._select_target(cpu)
    except lg.errors.ArgumentError:
        pytest.skip(f"this processor has no {cpu}")
    monkeypatch.setenv(target.VARIABLE, cpu)
    dyn = lg.compile(MECHANISMS["two axes in turn"]())
    q, qd, _, tau = state(dyn.mechanism, 1)
    expected = swept(dyn, q, qd, tau)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_what_is_saved_may_be_fetched_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in chains of tens of thousands of links."""
    monkeypatch.setattr("lagrangian.kernels.long_chains.lanes.MIN_PREFETCH_GROUPS", 1)
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    dyn = lg.compile(chain(102))
    q, qd, _, tau = state(dyn.mechanism, 1)
    expected = swept(dyn, q, qd, tau)
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    motion = lg.simulate(dyn.mechanism, 0.01, np.full(102, 0.02))
    assert np.abs(motion.energy_balance).max() < 1e-6 * motion.energy_scale


@pytest.mark.parametrize("place", [0, 1, 60, 119])
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.filterwarnings("ignore:.*not finite")
def test_what_is_no_number_shows(dynamics_by_name: dict[str, lg.Dynamics], which: int, place: int) -> None:
    dyn = dynamics_by_name["two axes in turn"]
    q, qd, _, tau = state(dyn.mechanism, 1)
    arguments = [q, qd, tau]
    arguments[which][place] = np.nan
    for name in ("forward_dynamics", "inverse_dynamics"):
        got = getattr(dyn, name)(*arguments)
        assert np.isnan(got).any()
        assert np.isnan(swept(dyn, *arguments, name=name)).any()


def test_angles_of_many_turns(dynamics_by_name: dict[str, lg.Dynamics]) -> None:
    dyn = dynamics_by_name["two axes in turn"]
    q, qd, _, tau = state(dyn.mechanism, 1)
    q[17] += 1e11
    np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), swept(dyn, q, qd, tau), rtol=1e-9, atol=1e-9)


def test_pieces_that_do_not_agree_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if rounding had been large: the result is that of the sweep, to the last bit."""
    monkeypatch.setattr(program, "AGREEMENT_TOLERANCE", 0.0)
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    dyn = lg.compile(chain(101))
    q, qd, _, tau = state(dyn.mechanism, 1)
    assert status_of_long_chain_code(dyn, q, qd, tau) == -1
    np.testing.assert_array_equal(dyn.forward_dynamics(q, qd, tau), swept(dyn, q, qd, tau))


def test_other_numbers_need_no_other_code(monkeypatch: pytest.MonkeyPatch, dynamics_by_name: dict[str, lg.Dynamics]) -> None:
    first = dynamics_by_name["two axes in turn"]
    q, qd, _, tau = state(first.mechanism, 1)
    before = first.forward_dynamics(q, qd, tau)
    compiled: list[str] = []
    original = machine_code.compile_object
    monkeypatch.setattr(
        machine_code, "compile_object", lambda ir, *rest, **named: compiled.append(ir) or original(ir, *rest, **named)
    )
    dyn = lg.compile(chain(120, masses=np.linspace(1, 3, 120), inertias=np.linspace(2, 1, 120)))
    accelerations = dyn.forward_dynamics(q, qd, tau)
    assert not compiled
    assert np.abs(accelerations - before).max() > 1
    np.testing.assert_allclose(accelerations, swept(dyn, q, qd, tau), rtol=0, atol=1e-12 * np.abs(accelerations).max())


def test_a_chain_of_200_is_pinocchios() -> None:
    pin = pytest.importorskip("pinocchio")
    n = 200
    dyn, model, parent = lg.compile(chain(n)), pin.Model(), 0
    for i in range(n):
        joint = pin.JointModelRY() if i % 2 else pin.JointModelRX()
        place = pin.SE3(np.eye(3), np.array([0, 0, -0.1 if i else 0.0]))
        parent = model.addJoint(parent, joint, place, f"j{i}")
        model.appendBodyToJoint(
            parent, pin.Inertia(1.0, np.array([0, 0, -0.05]), np.diag([0.01, 0.01, 0.002])), pin.SE3.Identity()
        )
    q, qd, qdd, tau = state(dyn.mechanism, 7)
    data = model.createData()
    for actual, expected in (
        (dyn.forward_dynamics(q, qd, tau), pin.aba(model, data, q, qd, tau)),
        (dyn.inverse_dynamics(q, qd, qdd), pin.rnea(model, data, q, qd, qdd)),
    ):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_a_motion_goes_in_pieces_too() -> None:
    """Against SciPy's integrator around one sweep."""
    mechanism = chain(100)
    dyn, n = lg.compile(mechanism), 100
    q0 = np.full(n, 0.02)
    motion = lg.simulate(mechanism, 0.05, q0, rtol=1e-9, atol=1e-11)
    rates = lambda t, y: np.concatenate([y[n:], swept(dyn, y[:n], y[n:], np.zeros(n))])  # noqa: E731
    expected = solve_ivp(rates, (0, 0.05), np.concatenate([q0, np.zeros(n)]), method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    np.testing.assert_allclose(motion.q[-1], expected[:n], rtol=0, atol=1e-8)
    assert long_chain_code_if_faster(FORWARD_DYNAMICS, dyn.tree, target.current()) is not None


# -- ill-conditioned: against 60 digits, beside the sweep --------------------------------------------------------------------


def ill_conditioned(n: int) -> dict[str, tuple[lg.Mechanism, float]]:
    """Mechanisms, each with a factor on the angles."""
    alternating = np.where(np.arange(n) % 2, 1.0, 1e-6)
    return {
        "plain": (chain(n), 1.0),
        "heavy tip": (chain(n, tools=1e6), 1.0),
        "masses 1 to 1e-6": (chain(n, alternating, alternating), 1.0),
        "straight": (chain(n), 0.0),
        "tiny inertias": (chain(n, inertias=1e-9), 1.0),
    }


@pytest.mark.parametrize("n", [150, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ill_conditioned(2))
def test_it_loses_no_more_digits_than_the_sweep(name: str, n: int) -> None:
    mechanism, bent = ill_conditioned(n)[name]
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, n)) * 0.3
    q = bent * q
    with mpmath.workdps(60):
        exact = np.array(run(FORWARD_DYNAMICS, dyn.tree, links_of(dyn.tree, {"q": q, "qd": qd, "tau": tau})))
        scale = max(abs(exact))
        errors = [float(max(abs(x - exact)) / scale) for x in (dyn.forward_dynamics(q, qd, tau), swept(dyn, q, qd, tau))]
    assert errors[0] <= 10 * max(errors[1], 2.0**-52)
    assert status_of_long_chain_code(dyn, q, qd, tau) == 0


# -- any chain and tree ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=40)
@given(
    pattern=st.lists(st.sampled_from(MOVING), min_size=1, max_size=3),
    count=st.integers(8, 30),
    tree=st.booleans(),
    passive=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_chain_and_tree(pattern: list[str], count: int, tree: bool, passive: bool, seed: int) -> None:
    """Pieces of as few as two links, wherever there can be one."""
    mechanism = random_mechanism((pattern * count)[:count], seed, chain=not tree, passive=passive)
    dyn = lg.compile(replace(mechanism, springs=()))
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(plans, "MIN_PIECE_LENGTH", 2)
        for kind in (LongChainForwardDynamics, LongChainInverseDynamics):
            changed.setattr(kind, "cost", plans.Cost(step=1.0, link=60.0, piece=0.0, rest=0.0))
        changed.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", 0)
        q, qd, _, tau = state(dyn.mechanism, seed % 1000)
        expected = swept(dyn, q, qd, tau)
        np.testing.assert_allclose(dyn.forward_dynamics(q, qd, tau), expected, rtol=0, atol=1e-9 * np.abs(expected).max())
        expected = swept(dyn, q, qd, tau, name="inverse_dynamics")
        np.testing.assert_allclose(dyn.inverse_dynamics(q, qd, tau), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_every_link_is_in_one_piece_or_in_none() -> None:
    for build in MECHANISMS.values():
        tree = lg.compile(build()).tree
        plan = plan_if_faster(FORWARD_DYNAMICS, tree, target.current())
        assert plan is not None
        links = sorted([*plan.loose_links, *(i for links in plan.pieces.values() for i in links)])
        assert links == list(range(len(tree)))
        for group in plan.groups:
            kinds = {tuple(plan.link_variants[i] for i in links) for links in group.pieces}
            assert len(kinds) == 1
        for run_of in plan.runs:
            inside = [i for piece in run_of for i in plan.pieces[piece]]
            assert all(tree.parent[b] == a for a, b in pairwise(inside))
