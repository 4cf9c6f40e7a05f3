"""How the compiled functions are called: shapes, types, batches, threads, errors, and the life of the machine code."""

from __future__ import annotations

import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS
from lagrangian.errors import ArgumentError, DynamicsClosedError, MechanismError, MechanismWarning
from tests.mechanisms import random_mechanism

ARM = random_mechanism(["revolute", "prismatic", "revolute"], 3, chain=True)


@pytest.fixture(params=["fast", "plain"])
def dyn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> lg.Dynamics:
    """With the compiled entry for one state, and without it."""
    monkeypatch.setenv("LAGRANGIAN_FASTCALL", "1" if request.param == "fast" else "0")
    return lg.compile(ARM)


def states(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, n, 3))


def test_a_batch_is_its_states_one_by_one(dyn: lg.Dynamics) -> None:
    for n in (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33):
        q, qd, x = states(n)
        for function, arguments, shape in (
            (dyn.inverse_dynamics, (q, qd, x), (3,)),
            (dyn.mass_matrix, (q,), (3, 3)),
            (dyn.kinetic_energy, (q, qd), ()),
        ):
            many = function(*arguments)
            assert many.shape == (n, *shape)
            assert many.dtype == np.float64
            for k in range(n):
                one = function(*(a[k] for a in arguments))
                # the same operations, rounded alike whatever the width
                np.testing.assert_array_equal(many[k], one)


def test_a_large_angle_changes_nothing_for_the_states_beside_it(dyn: lg.Dynamics) -> None:
    q, qd, x = states(20)
    expected = dyn.inverse_dynamics(q, qd, x)
    q[7, 0] = 1e14
    got = dyn.inverse_dynamics(q, qd, x)
    rest = np.arange(20) != 7
    np.testing.assert_array_equal(got[rest], expected[rest])
    np.testing.assert_array_equal(got[7], dyn.inverse_dynamics(q[7], qd[7], x[7]))


def test_scalars_come_as_floats(dyn: lg.Dynamics) -> None:
    q, qd, _ = states(1)[:, 0]
    assert type(dyn.kinetic_energy(q, qd)) is float
    assert type(dyn.potential_energy(list(q))) is float


def test_other_numbers_than_float64(dyn: lg.Dynamics) -> None:
    q, qd, x = states(5)
    expected = dyn.inverse_dynamics(q, qd, x)
    half = np.float32(q)
    np.testing.assert_allclose(dyn.inverse_dynamics(half, qd, x), dyn.inverse_dynamics(np.float64(half), qd, x))
    np.testing.assert_allclose(dyn.inverse_dynamics(half[0], qd[0], x[0]), dyn.inverse_dynamics(np.float64(half[0]), qd[0], x[0]))
    np.testing.assert_array_equal(dyn.inverse_dynamics(q.tolist(), qd.tolist(), x.tolist()), expected)
    np.testing.assert_array_equal(dyn.inverse_dynamics(q[0].tolist(), tuple(qd[0]), x[0]), expected[0])
    np.testing.assert_array_equal(dyn.gravity([1, 0, 2]), dyn.gravity([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(dyn.gravity(np.array([1, 0, 2])), dyn.gravity([1.0, 0.0, 2.0]))
    swapped = q[0].astype(">f8")
    np.testing.assert_array_equal(dyn.inverse_dynamics(swapped, qd[0], x[0]), expected[0])


def test_arrays_that_are_not_contiguous(dyn: lg.Dynamics) -> None:
    q, qd, x = states(10)
    expected = dyn.inverse_dynamics(q[::2], qd[::2], x[::2])
    np.testing.assert_array_equal(dyn.inverse_dynamics(np.asfortranarray(q)[::2], qd[::2].copy(), x[::2]), expected)
    wide = np.zeros((10, 6))
    wide[:, ::2] = q
    np.testing.assert_array_equal(dyn.inverse_dynamics(wide[::2, ::2], qd[::2], x[::2]), expected)
    np.testing.assert_array_equal(dyn.inverse_dynamics(wide[0, ::2], qd[0], x[0]), expected[0])
    frozen = q[0].copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(dyn.inverse_dynamics(frozen, qd[0], x[0]), expected[0])


def test_one_state_goes_with_every_row_of_a_batch(dyn: lg.Dynamics) -> None:
    q, qd, x = states(4)
    np.testing.assert_array_equal(dyn.inverse_dynamics(q, qd[0], x), dyn.inverse_dynamics(q, np.tile(qd[0], (4, 1)), x))


def test_arguments_can_be_given_by_keyword(dyn: lg.Dynamics) -> None:
    q, qd, x = states(1)[:, 0]
    np.testing.assert_array_equal(dyn.inverse_dynamics(q, qdd=x, qd=qd), dyn.inverse_dynamics(q, qd, x))


def test_methods_have_signatures_and_docstrings() -> None:
    for function in (lg.Dynamics.inverse_dynamics, lg.compile(ARM).inverse_dynamics):
        assert list(inspect.signature(function).parameters)[-4:] == ["q", "qd", "qdd", "wrenches"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0] * 4, [0.0] * 3, [0.0] * 3), r"q has shape \(4,\); \(3,\) for one state or \(batch, 3\)"),
        ((np.zeros((2, 3, 3)), np.zeros(3), np.zeros(3)), r"q has shape \(2, 3, 3\)"),
        ((np.zeros(3), np.zeros(()), np.zeros(3)), r"qd has shape \(\)"),
        ((np.zeros((2, 3)), np.zeros((3, 3)), np.zeros(3)), "qd has 3 rows where another argument has 2"),
        ((np.zeros(3), np.zeros(3, dtype=complex), np.zeros(3)), "qd is an array of complex128; real numbers"),
        ((np.zeros(3), ["a", "b", "c"], np.zeros(3)), "qd is an array of <U1"),
        (([[0.0], [0.0, 1.0]], np.zeros(3), np.zeros(3)), "q is not an array of numbers"),
        ((None, np.zeros(3), np.zeros(3)), "q is an array of object"),
        ((object(), np.zeros(3), np.zeros(3)), "q is an array of object"),
    ],
)
def test_wrong_arguments_are_refused_by_name(dyn: lg.Dynamics, arguments: tuple, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        dyn.inverse_dynamics(*arguments)


def test_a_missing_argument(dyn: lg.Dynamics) -> None:
    with pytest.raises(TypeError, match="qdd"):
        dyn.inverse_dynamics([0.0] * 3, [0.0] * 3)
    with pytest.raises(TypeError):
        dyn.inverse_dynamics()


@pytest.mark.parametrize("form", ["unrolled", "rolled"])
def test_a_bad_number_is_never_hidden(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of these depends on the first angle, which turns about the vertical; a NaN there must show all the same."""
    if form == "rolled":
        monkeypatch.setattr("lagrangian.kernels.programs.sweeps.MAX_UNROLLED_LINKS", -1)
    dyn = lg.compile(lg.library("panda"))
    zero = np.zeros(7)
    for bad in (np.nan, np.inf):
        for k in range(7):
            q = zero.copy()
            q[k] = bad
            for result in (
                dyn.inverse_dynamics(q, zero, zero),
                dyn.mass_matrix(q),
                dyn.gravity(q),
                dyn.forward_dynamics(q, zero, zero),
            ):
                assert np.isnan(result).any()
            assert np.isnan(dyn.gravity(np.array([zero, q, zero]))[1]).any()
            assert np.isfinite(dyn.gravity(np.array([zero, q, zero]))[[0, 2]]).all()


def test_threads_change_nothing_but_the_time() -> None:
    dyn = lg.compile(lg.library("puma560"))
    q, qd, x = np.random.default_rng(0).normal(size=(3, 20_003, 6))
    dyn.threads = 1
    alone = dyn.forward_dynamics(q, qd, x)
    for n in (2, 3, 8):
        dyn.threads = n
        np.testing.assert_array_equal(dyn.forward_dynamics(q, qd, x), alone)
    for bad in (0, -1, 1.5, "2", True, None):
        with pytest.raises(ArgumentError, match="threads"):
            dyn.threads = bad


def test_calls_from_many_threads(dyn: lg.Dynamics) -> None:
    """One-state calls share a scratch, which Python's lock keeps apart; batches have their own."""
    q, qd, x = states(64)
    expected = dyn.inverse_dynamics(q, qd, x)
    wrong: list[int] = []

    def work() -> None:
        for k in range(64):
            if (dyn.inverse_dynamics(q[k], qd[k], x[k]) != expected[k]).any() or (
                dyn.inverse_dynamics(q, qd, x) != expected
            ).any():
                wrong.append(k)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong


def test_closed_dynamics_refuse_calls(dyn: lg.Dynamics) -> None:
    q, qd, x = states(1)[:, 0]
    function = dyn.inverse_dynamics
    expected = function(q, qd, x)
    dyn.close()
    np.testing.assert_array_equal(function(q, qd, x), expected)  # it has its own hold on the code
    for use in (lambda: dyn.inverse_dynamics(q, qd, x), lambda: dyn.pose(q, "b0"), lambda: dyn.threads, lambda: dyn.friction(qd)):
        with pytest.raises(DynamicsClosedError, match="compile the mechanism again"):
            use()
    dyn.close()
    with lg.compile(ARM) as other:
        other.gravity(q)
    with pytest.raises(DynamicsClosedError):
        other.gravity(q)


def test_a_function_outlives_its_dynamics_and_everything_is_freed() -> None:
    dyn = lg.compile(ARM)
    function = dyn.inverse_dynamics
    q, qd, x = states(1)[:, 0]
    expected = function(q, qd, x)
    gone = weakref.ref(dyn)
    kernels = weakref.ref(dyn._kernels)
    del dyn
    gc.collect()
    assert gone() is None
    np.testing.assert_array_equal(function(q, qd, x), expected)
    del function
    gc.collect()
    assert kernels() is None


def test_the_fast_entry_does_not_leak() -> None:
    dyn = lg.compile(ARM)
    q, qd, x = states(1)[:, 0]
    function = dyn.inverse_dynamics

    def use(times: int) -> list[int]:
        for _ in range(times):
            function(q, qd, x)
            for bad in ((q, qd), (q, qd, x[:2]), (q, qd, None)):
                with pytest.raises((ArgumentError, TypeError)):
                    function(*bad)
        gc.collect()
        return [sys.getrefcount(a) for a in (q, qd, x, function)]

    assert use(1000) == use(1)


def test_results_are_new_arrays(dyn: lg.Dynamics) -> None:
    q, qd, x = states(1)[:, 0]
    first, second = dyn.inverse_dynamics(q, qd, x), dyn.inverse_dynamics(q, qd, x)
    first[:] = 0
    assert second.any()
    assert second.flags.writeable


def test_help_and_signature() -> None:
    function = lg.compile(ARM).inverse_dynamics
    assert "joint forces" in inspect.getdoc(function)
    assert list(inspect.signature(function).parameters)[:3] == ["q", "qd", "qdd"]


def test_frames_by_name(dyn: lg.Dynamics) -> None:
    with pytest.raises(MechanismError, match="Did you mean 'b2'"):
        dyn.pose(np.zeros(3), "b22")
    np.testing.assert_array_equal(dyn.pose(np.zeros(3), "ground"), np.eye(4))
    assert dyn.jacobian(np.zeros((5, 3)), "b1").shape == (5, 6, 3)


def test_wrenches_of_unknown_frames_and_wrong_sizes(dyn: lg.Dynamics) -> None:
    z = np.zeros(3)
    with pytest.raises(MechanismError, match="no frame or body 'hand'"):
        dyn.inverse_dynamics(z, z, z, wrenches={"hand": np.zeros(6)})
    with pytest.raises(ArgumentError, match="wrench has shape"):
        dyn.inverse_dynamics(z, z, z, wrenches={"b2": np.zeros(3)})


def test_friction_needs_q_where_dampers_hang_between_points() -> None:
    damped = random_mechanism(["revolute", "revolute"], 4, passive=True)
    with pytest.raises(ArgumentError, match=r"friction\(qd, q=q\)"):
        lg.compile(damped).friction(np.zeros(2))


def test_coulomb_friction_has_two_sides() -> None:
    slide = lg.Joint("x", "prismatic", "ground", "cart", axis=(1, 0, 0), friction=lg.Friction(0.5, 2.0, 3.0))
    dyn = lg.compile(lg.Mechanism("cart", [lg.Body("cart", 1.0)], [slide]))
    for speed, force in ((2.0, 3.0), (-2.0, -4.0), (0.0, 0.0), (-0.0, 0.0)):
        assert dyn.friction([speed])[0] == force
        assert dyn.inverse_dynamics([0.0], [speed], [0.0])[0] == force
        assert dyn.forward_dynamics([0.0], [speed], [0.0])[0] == -force
    assert np.isnan(dyn.friction([np.nan])[0])
    assert np.isnan(dyn.inverse_dynamics([0.0], [np.nan], [0.0])[0])


def test_a_joint_that_moves_no_mass_is_reported() -> None:
    joints = [lg.Joint("j", "revolute", "ground", "a"), lg.Joint("loose", "revolute", "a", "b", lg.Transform(position=(1, 0, 0)))]
    dyn = lg.compile(lg.Mechanism("m", [lg.Body("a", 1.0, (0.5, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1)), lg.Body("b")], joints))
    with pytest.warns(MechanismWarning, match="'loose' moves have no inertia along it.*NaN"):
        assert np.isnan(dyn.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))[1])
    assert np.isfinite(dyn.inverse_dynamics(np.zeros(2), np.zeros(2), np.ones(2))).all()


def test_a_point_mass_on_its_own_axis_is_reported() -> None:
    turning = lg.Mechanism("m", [lg.Body("a", 1.0)], [lg.Joint("j", "revolute", "ground", "a")])
    with pytest.warns(MechanismWarning, match="'j' moves have no inertia"):
        assert np.isnan(lg.compile(turning).forward_dynamics([0.0], [0.0], [1.0])).all()


def test_nothing_moves() -> None:
    still = lg.Mechanism("post", [lg.Body("post", 1.0)], [lg.Joint("foot", "fixed", "ground", "post")])
    dyn = lg.compile(still)
    assert dyn.inverse_dynamics([], [], []).shape == (0,)
    assert dyn.mass_matrix([]).shape == (0, 0)
    assert dyn.mass_matrix(np.zeros((4, 0))).shape == (4, 0, 0)
    assert dyn.kinetic_energy([], []) == 0.0
    np.testing.assert_array_equal(dyn.pose([], "post"), np.eye(4))


def test_compile_takes_a_mechanism() -> None:
    with pytest.raises(ArgumentError, match="a Mechanism, the path of a file or a name of the library is needed, not int"):
        lg.compile(3)
    with pytest.raises(ArgumentError, match=r"arm\.toml: there is no such file"):
        lg.compile("arm.toml")


def test_a_mechanism_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(ARM))
    q = np.array([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(lg.compile(copy).gravity(q), lg.compile(ARM).gravity(q))


def test_a_forked_child_has_threads_of_its_own() -> None:
    program = (
        "import os, numpy as np, lagrangian as lg\n"
        "d = lg.compile(lg.library('puma560')); d.threads = 2; q = np.random.default_rng(0).normal(size=(20000, 6))\n"
        "a = d.gravity(q); a = d.forward_dynamics(q, q, q)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if (d.forward_dynamics(q, q, q) == a).all() else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=120, check=False).returncode == 0


def test_the_fast_entry_without_numpys_own_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numpy's table of C functions is not one we know, its arrays come from `numpy.empty`."""
    from lagrangian.kernels.llvm import vectorcall

    monkeypatch.setattr(vectorcall, "_numpy_new", lambda: (0, 0, 0))
    q, qd, x = states(1)[:, 0]
    function = lg.compile(ARM).inverse_dynamics
    assert inspect.isbuiltin(function)
    np.testing.assert_array_equal(function(q, qd, x), lg.compile(ARM).inverse_dynamics(q, qd, x))
    before = sys.getrefcount(q)
    for _ in range(100):
        function(q, qd, x)
    assert sys.getrefcount(q) == before


GARBAGE = """
import gc, numpy as np, lagrangian as lg
arm = lg.library("two_r")

class Last:
    def __init__(self):
        self.dyn = lg.compile(arm)
        self.function = self.dyn.gravity
        self.function(np.zeros(2))
        self.itself = self

    def __del__(self):
        assert self.function(np.zeros(2)).shape == (2,)

for _ in range(20):
    Last()
    f = lg.compile(arm).gravity
    cycle = [f]
    cycle.append(cycle)
    del f, cycle
    gc.collect()
"""


def test_code_is_there_for_the_last_call_of_a_finaliser() -> None:
    """Functions in cycles of garbage, with freed memory overwritten so that a use of it shows."""
    environment = {
        **os.environ,
        "PYTHONMALLOC": "malloc",
        "MALLOC_PERTURB_": "255",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    }
    done = subprocess.run(
        [sys.executable, "-c", GARBAGE], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_forward_dynamics_with_wrenches_checks_its_shapes_too() -> None:
    dyn = lg.compile(ARM)
    z, wrench = np.zeros(3), {"b2": np.ones(6)}
    for tau in (0.0, [5.0], np.zeros((3, 1)), "abc"):
        with pytest.raises(ArgumentError, match="forward_dynamics: tau"):
            dyn.forward_dynamics(z, z, tau, wrenches=wrench)
    for wrong in ([0.0] * 6, z, "b2"):
        with pytest.raises(ArgumentError, match="a mapping from frames to moment and force is needed"):
            dyn.inverse_dynamics(z, z, z, wrong)
    with pytest.raises(ArgumentError, match="wrench on 'b2'"):
        dyn.forward_dynamics(z, z, z, {"b2": np.zeros(5)})


def test_empty_batches_everywhere() -> None:
    dyn = lg.compile(ARM)
    z = np.zeros((0, 3))
    assert dyn.regressor(z, z, z).shape == (0, 3, 30)
    assert dyn.reactions(z, z, z).shape == (0, 3, 6)
    assert dyn.jacobian(z, "b2").shape == (0, 6, 3)
    assert dyn.friction(z).shape == (0, 3)
    nothing = lg.compile(lg.Mechanism("nothing", [], []))
    assert nothing.reactions([], [], []).shape == (0, 6)
    assert nothing.regressor([], [], []).shape == (0, 0)


def test_one_row_goes_with_every_row_of_a_batch(dyn: lg.Dynamics) -> None:
    q, qd, x = states(4)
    np.testing.assert_array_equal(dyn.inverse_dynamics(q, qd[:1], x), dyn.inverse_dynamics(q, qd[0], x))
    wrench = np.arange(24.0).reshape(4, 6)
    many = dyn.reactions(q[0], qd[0], x[0], wrenches={"b2": wrench})
    np.testing.assert_allclose(many[2], dyn.reactions(q[0], qd[0], x[0], wrenches={"b2": wrench[2]}))


def test_swapped_and_other_frames(dyn: lg.Dynamics) -> None:
    q = np.zeros(3)
    with pytest.raises(ArgumentError, match="the last argument must be the name of a frame; it is a ndarray"):
        dyn.pose("b2", q)
    np.testing.assert_array_equal(dyn.pose(q, ARM.frame("b2")), dyn.pose(q, "b2"))
    with pytest.raises(MechanismError, match="'j2' is a joint; the body it moves is 'b2'"):
        dyn.pose(q, "j2")


def test_only_threads_can_be_set() -> None:
    dyn = lg.compile(ARM, threads=1)
    assert dyn.threads == 1
    with pytest.raises(AttributeError, match="Did you mean 'threads'"):
        dyn.thread = 2


def test_a_copy_by_pickle() -> None:
    dyn = lg.compile(ARM)
    q = np.array([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(dyn)).gravity(q), dyn.gravity(q))


def test_forward_dynamics_keeps_the_loops() -> None:
    mechanism = lg.library("four_bar")
    dyn = lg.compile(mechanism)
    q, qd = np.array(mechanism.initial.q), np.array([1.0, -2.0, 0.5])
    qdd = dyn.forward_dynamics(q, qd, np.array([3.0, 0.0, 0.0]))
    Psi, gamma = dyn.constraint_jacobian(q), dyn.constraint_bias(q, qd)
    assert np.abs(gamma).min() > 0.1  # zero accelerations would not do
    np.testing.assert_allclose(Psi @ qdd + gamma, 0, atol=1e-12)


def test_nothing_is_compiled_by_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAGRANGIAN_CACHE", "off")
    dyn = lg.compile(ARM)
    assert hasattr(dyn, "inverse_dynamics")
    assert not dyn._kernels.sweep(INVERSE_DYNAMICS)._codes


def test_small_batches_need_no_code_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """They go through the code for one state, until there have been so many states that more code pays; the bits are the same."""
    monkeypatch.setattr("lagrangian.kernels.kernel.MIN_VECTORISED_STATES", 20)
    dyn = lg.compile(ARM)
    kernel = dyn._kernels.sweep(INVERSE_DYNAMICS)
    q, qd, x = states(9)
    first = dyn.inverse_dynamics(q, qd, x)
    again = dyn.inverse_dynamics(q, qd, x)
    assert [width for _, width in kernel._codes] == [1]
    third = dyn.inverse_dynamics(q, qd, x)
    assert [width > 1 for _, width in kernel._codes] == [False, True]
    np.testing.assert_array_equal(first, third)
    np.testing.assert_array_equal(again, third)


def test_springs_whose_ends_meet() -> None:
    """Without a rest length the force is k d, also where d is zero."""
    joint = lg.Joint("j", "free", "ground", "b")
    body = lg.Body("b", 1.0, inertia=(0.1, 0.1, 0.1))
    held = lg.Mechanism("m", [body], [joint], springs=[lg.PointSpring("s", "ground", "b", stiffness=10.0)], gravity=(0, 0, 0))
    dyn, q = lg.compile(held), held.neutral()
    np.testing.assert_array_equal(dyn.gravity(q), np.zeros(6))
    assert dyn.potential_energy(q) == 0.0
    q[4] = 0.5
    np.testing.assert_allclose(dyn.gravity(q), [0, 0, 0, 5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(dyn.forward_dynamics(q, np.zeros(6), np.zeros(6)), [0, 0, 0, -5, 0, 0], atol=1e-15)


def test_dampers_take_energy() -> None:
    """Their power is -c (rate of the distance)^2, the rate from the poses by differences."""
    damped = random_mechanism(["revolute", "revolute"], 4, passive=True)
    bare = [
        lg.Joint(j.name, j.type, j.parent, j.child, j.placement, j.child_placement, type_entries=j.type_entries)
        for j in damped.joints
    ]
    damped = damped.replace(joints=bare)
    dyn = lg.compile(damped)
    (spring,) = damped.springs
    q, qd = np.array([0.3, -0.4]), np.array([0.7, 1.1])

    def distance(q: np.ndarray) -> float:
        T = dyn.pose(q, spring.b)
        return float(np.linalg.norm(T[:3, :3] @ spring.b_point + T[:3, 3] - spring.a_point))

    rate = (distance(q + 1e-6 * qd) - distance(q - 1e-6 * qd)) / 2e-6
    assert qd @ dyn.friction(qd, q=q) == pytest.approx(spring.damping * rate**2, rel=1e-7)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("inverse_dynamics", 3),
        ("forward_dynamics", 3),
        ("mass_matrix", 1),
        ("closure", 1),
        ("constraint_jacobian", 1),
        ("constraint_rate", 2),
        ("constraint_bias", 2),
        ("regressor", 3),
        ("reactions", 3),
    ],
)
def test_an_error_names_the_method_that_was_called(name: str, arguments: int) -> None:
    with pytest.raises(ArgumentError, match=f"^{name}: q has shape"):
        getattr(lg.compile("four_bar"), name)(*[[0.0]] * arguments)


@pytest.mark.parametrize(
    ("name", "states"), [("pose", 1), ("velocity", 2), ("acceleration", 3), ("jacobian", 1), ("jacobian_dot_qd", 2)]
)
def test_an_error_names_the_function_of_a_frame_that_was_called(name: str, states: int) -> None:
    dyn = lg.compile("two_r")
    with pytest.raises(ArgumentError, match=f"^{name}: q has shape"):
        getattr(dyn, name)(*[[0.0]] * states, "tip")
    with pytest.raises(ArgumentError, match=f"^{name}: the last argument"):
        getattr(dyn, name)(*[[0.0, 0.0]] * states, 3)
