"""All kinds of constraints in one mechanism, in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import lagrangian as lg
from tests.kernels.rows import (
    FUNCTIONS,
    QUATERNIONS,
    TIMED,
    check_differences,
    expression,
    wheel,
    with_equations,
)
from tests.mechanisms import random_mechanism, two_chains


def mixture() -> lg.Mechanism:
    """A loop, and one of each other kind."""
    closed = two_chains(["free", "revolute"], ["universal", "ball"], "universal", 6)
    rows = [
        lg.HolonomicConstraint("h", expression(closed, "j0.px*j1 - exp(sin(t)) + k0.1")),
        lg.PfaffianConstraint("p", (("j1", expression(closed, "j0.w + t")), ("k1.wx", 2)), expression(closed, "cos(t)")),
        lg.KnifeEdgeConstraint("e", "c1", (1, 2, 3), (0.1, 0.2, 0.3)),
        lg.RollingConstraint("r", "b1", 0.3, (0.1, 0, 0), (0, 1, 1), "c0", (1, 1, 1), (0.2, 0, 0)),
        lg.PfaffianFunctionConstraint("f", lambda t, q, qd: [qd[0] * np.sin(q[0]) + t, np.tanh(q[9]) * qd[7]], 2),
    ]
    return closed.replace(constraints=rows)


def test_a_mixture() -> None:
    mechanism = mixture()
    check_differences(mechanism)
    names = lg.compile(mechanism).constraint_names
    loop = tuple(f"close.{x}" for x in ("x", "y", "z", "axes"))
    assert names == (*loop, "h", "p", "e", "r.contact", "r.x", "r.y", "f.1", "f.2")


def test_batches_are_their_states_one_by_one() -> None:
    """Bit for bit, with a time for each state, one for all, and one state at many times."""
    mechanism = mixture()
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(0)
    count = 11
    q = np.array([mechanism.random_configuration(rng) for _ in range(count)])
    qd, tau = rng.normal(size=(2, count, mechanism.nv))
    t = rng.random(count)
    calls = [
        (dyn.closure, (q,)),
        (dyn.constraint_jacobian, (q,)),
        (dyn.constraint_rate, (q, qd)),
        (dyn.constraint_bias, (q, qd)),
        (dyn.forward_dynamics, (q, qd, tau)),
        (dyn.multipliers, (q, qd, tau)),
    ]
    for function, arguments in calls:
        many = function(*arguments, t=t)
        for k in range(count):
            np.testing.assert_array_equal(many[k], function(*(x[k] for x in arguments), t=t[k]), err_msg=str(function))
        np.testing.assert_array_equal(function(*arguments, t=0.5), function(*arguments, t=np.full(count, 0.5)))
        np.testing.assert_array_equal(function(*(x[0] for x in arguments), t=t)[3], function(*(x[0] for x in arguments), t=t[3]))


def test_batches_of_functions_of_the_c_library() -> None:
    tree = random_mechanism(["revolute", "prismatic", "ball", "free"], 1, chain=True)
    mechanism = with_equations(tree, *FUNCTIONS, *TIMED, *QUATERNIONS)
    dyn = lg.compile(mechanism)
    rng = np.random.default_rng(3)
    q = np.array([mechanism.random_configuration(rng) for _ in range(9)])
    many = dyn.constraint_jacobian(q, 0.2)
    for k in range(9):
        np.testing.assert_array_equal(many[k], dyn.constraint_jacobian(q[k], 0.2))


def test_bad_numbers_are_not_hidden() -> None:
    dyn = lg.compile(wheel())
    for k in range(4):
        q = np.zeros(4)
        q[k] = np.nan
        assert np.isnan(dyn.forward_dynamics(q, np.zeros(4), np.zeros(4))).any()
        assert np.isnan(dyn.multipliers(q, np.zeros(4), np.zeros(4))).any()
        assert np.isnan(dyn.constraint_jacobian(q)).any()


def test_without_constraints() -> None:
    """Nothing to close: empty results, and the open tree's accelerations."""
    tree = random_mechanism(["revolute", "prismatic"], 2)
    dyn, z = lg.compile(tree), np.zeros(2)
    assert dyn.constraint_names == ()
    assert dyn.closure(z).shape == dyn.constraint_rate(z, z).shape == dyn.constraint_bias(z, z).shape == (0,)
    assert dyn.constraint_jacobian(z).shape == (0, 2)
    assert dyn.constraint_jacobian(np.zeros((3, 2))).shape == (3, 0, 2)
    assert dyn.multipliers(z, z, z).shape == (0,)
    np.testing.assert_array_equal(dyn.forward_dynamics(z, z, z, t=1.0), dyn.forward_dynamics(z, z, z))


def test_shapes_of_time() -> None:
    mechanism = with_equations(random_mechanism(["revolute", "prismatic"], 2), "j0 - sin(t)")
    dyn, q = lg.compile(mechanism), np.zeros((3, 2))
    with pytest.raises(lg.ArgumentError):
        dyn.closure(q, t=[0.1, 0.2])
    assert dyn.closure(q, t=[0.1, 0.2, 0.3]).shape == (3, 1)
    assert np.isnan(dyn.closure(q[0], t=np.nan)).all()
