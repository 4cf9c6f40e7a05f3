"""A result that is not finite although the arguments are is told, in every way in which a function is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels.llvm import blocks, vectorcall
from tests.mechanisms import random_mechanism

TOLD = "is not finite"


@pytest.fixture(scope="module")
def slide() -> lg.Dynamics:
    """A mass of 1 kg on a slide of 1 kg, with nothing to hold it: energies are 1e308 J and more at speeds of 1e154 m/s."""
    bodies = [lg.Body("cart", 1), lg.Body("ball", 1, inertia=(1, 1, 1))]
    joints = [lg.Joint("x", "prismatic", "ground", "cart", axis="x"), lg.Joint("y", "prismatic", "cart", "ball", axis="y")]
    return lg.compile(lg.Mechanism("slide", bodies, joints))


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "arrays": lambda f, q, qd: f(np.array(q), np.array(qd)),
    "lists": lambda f, q, qd: f(q, qd),
    "keywords": lambda f, q, qd: f(np.array(q), qd=np.array(qd)),
    "batch": lambda f, q, qd: f(np.array([q] * 3), np.array([[0, 0], qd, [1, 1]])),
    "large batch": lambda f, q, qd: f(np.zeros((9000, 2)), np.array([[0.0, 0.0]] * 8191 + [qd] + [[1.0, 0.0]] * 808)),
}


@pytest.mark.parametrize("how", CALLS)
def test_overflow_is_reported(slide: lg.Dynamics, how: str) -> None:
    call = CALLS[how]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(slide.kinetic_energy, [0.0, 0.0], [1.0, 2.0])
        call(slide.kinetic_energy, [0.0, 0.0], [1e150, 2.0])
        call(slide.kinetic_energy, [0.0, 0.0], [np.nan, 2.0])  # the caller knows
        call(slide.kinetic_energy, [0.0, 0.0], [np.inf, 2.0])
    where = {"batch": "in 1 of 3 states, first in state 1", "large batch": "in 1 of 9000 states, first in state 8191"}
    with pytest.warns(lg.MechanismWarning, match=f"slide: kinetic_energy {TOLD}.*{where.get(how, '')}"):
        result = call(slide.kinetic_energy, [0.0, 0.0], [1e200, 2.0])
    assert np.count_nonzero(np.isinf(result)) == 1


def test_without_the_entry_for_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vectorcall.VARIABLE, "0")
    with pytest.warns(lg.MechanismWarning, match=TOLD):
        lg.compile("pendulum").kinetic_energy(np.array([0.0]), np.array([1e200]))


@pytest.mark.parametrize("size", [1, 3, 7, 8, 9, 31])
def test_every_number_is_looked_at(size: int) -> None:
    """Of vectors of every length, each entry by itself; large numbers and the smallest are finite."""
    mechanism = lg.Mechanism(
        f"slides{size}",
        [lg.Body(f"b{k}", 1) for k in range(size)],
        [lg.Joint(f"x{k}", "prismatic", "ground", f"b{k}", axis="x") for k in range(size)],
    )
    dyn, zero = lg.compile(mechanism), np.zeros(size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (np.finfo(float).max, -np.finfo(float).max, 5e-324, -0.0):
            dyn.forward_dynamics(zero, zero, np.full(size, x))
    light = lg.compile(mechanism.replace(bodies=[lg.Body(f"b{k}", 1e-3) for k in range(size)]))
    for k in range(size):
        tau = np.zeros(size)
        tau[k] = -1e307
        with pytest.warns(lg.MechanismWarning, match=TOLD):
            assert np.isinf(light.forward_dynamics(zero, zero, tau)[k])


def test_long_chains_are_looked_at() -> None:
    """Loops over links instead of straight code."""
    dyn = lg.compile(random_mechanism(["revolute"] * 60, 3, chain=True, passive=True))
    q, qd = np.zeros(dyn.nq), np.zeros(dyn.nv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dyn.inverse_dynamics(q, qd, qd)
    qd[3] = 1e200
    with pytest.warns(lg.MechanismWarning, match=TOLD):
        dyn.inverse_dynamics(q, qd, np.zeros(dyn.nv))


def test_blocks_are_whole_vectors() -> None:
    assert [blocks.block_length(n) % 8 for n in (1, 7, 36, 10**6)] == [0] * 4
    assert blocks.block_length(10**6) == 8


def _sprung(**arguments: Any) -> lg.Dynamics:
    bodies, joints = [lg.Body("ball", 1)], [lg.Joint("x", "prismatic", "ground", "ball", axis="x")]
    spring = lg.PointSpring("coil", "ground", "ball", stiffness=10, **arguments)
    return lg.compile(lg.Mechanism("sprung", bodies, joints, springs=[spring]))


def test_a_spring_without_length_is_named() -> None:
    zero, dyn = np.zeros(1), _sprung(rest=0.5, a_point=(0.25, 0, 0), b_point=(-0.25, 0, 0))
    met = np.array([0.5])
    for call in (
        lambda: dyn.forward_dynamics(met, zero, zero),
        lambda: dyn.inverse_dynamics(met, zero, zero),
        lambda: dyn.gravity(met),
        lambda: dyn.reactions(met, zero, zero),
        lambda: dyn.forward_dynamics_derivatives(met, zero, zero),
    ):
        with pytest.warns(lg.MechanismWarning, match="sprung: .* is not finite: spring 'coil' has no length there"):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dyn.gravity(zero) == pytest.approx(0)
        assert _sprung().gravity(zero) == pytest.approx(0)  # one without rest length pulls by k d, also where its ends meet


def test_a_spring_that_is_too_long_is_reported_once() -> None:
    """Looking for the reason does not overflow with a warning of its own."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        _sprung(rest=0.5).gravity(np.array([1e300]))
    assert [x.category for x in caught_warnings] == [lg.MechanismWarning]
