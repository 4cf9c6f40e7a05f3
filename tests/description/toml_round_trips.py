"""Mechanisms written as TOML and read again, to be compared."""

from dataclasses import fields, replace

import numpy as np
from tests.mechanisms import state

import lagrangian as lg

CARRIED = [f.name for f in fields(lg.Mechanism) if f.name not in ("file", "notes")]


def again(mechanism):
    return lg.loads(lg.dumps(mechanism))


def assert_same(one, other):
    for name in CARRIED:
        assert getattr(one, name) == getattr(other, name), name
    for name in ("poses", "parameters"):
        assert list(getattr(one, name)) == list(getattr(other, name))


def assert_same_dynamics(one, other, seed=1):
    q, qd, qdd, _ = state(one, seed)
    a, b = lg.compile(one), lg.compile(other)
    np.testing.assert_array_equal(a.mass_matrix(q), b.mass_matrix(q))
    np.testing.assert_array_equal(a.inverse_dynamics(q, qd, qdd), b.inverse_dynamics(q, qd, qdd))
    np.testing.assert_array_equal(a.friction(qd, q=q), b.friction(qd, q=q))
    if one.equation_count:
        np.testing.assert_array_equal(a.constraint_jacobian(q), b.constraint_jacobian(q))


def arm(**changes):
    return replace(lg.library("pendulum"), **changes)
