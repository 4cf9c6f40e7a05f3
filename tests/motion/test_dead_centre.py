"""Dead centres: where a crank and its coupler are in line, found along a run, and as an event."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.algorithms.constraints.rows import ConstraintRow
from lagrangian.algorithms.structure import Structure
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.program import TracedProgram
from lagrangian.kernels.programs.constraints import traced_state
from lagrangian.kernels.trace.node import Graph
from lagrangian.motion import dead_centre
from lagrangian.motion.events import Happening


def driven_by(mechanism: lg.Mechanism, *names: str) -> lg.Mechanism:
    """The same with other joints driven."""
    return replace(mechanism, joints=[replace(j, actuated=j.name in names) for j in mechanism.joints])


def parameters(mechanism: lg.Mechanism) -> dict[str, float]:
    return {name: float(value) for name, value in mechanism.parameters.items()}


# -- where they are --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine() -> lg.Dynamics:
    """The slider-crank as an engine is: the piston drives."""
    return lg.compile(driven_by(lg.library("slider_crank"), "x"))


def at(motion: lg.Motion) -> list[Happening]:
    return [e for e in motion.events if e.name == dead_centre.NAME]


def test_engine_recorded(engine: lg.Dynamics) -> None:
    """Without being asked: every half turn, with the piston at l + r or l - r."""
    p = parameters(lg.library("slider_crank"))
    motion = lg.simulate(engine, 1.0)
    value = at(motion)
    turns = motion.q[-1, 0] / math.pi
    assert len(value) == int(turns)
    assert len(value) >= 4
    for k, event in enumerate(value, 1):
        theta, phi, x = event.q
        assert theta == pytest.approx(k * math.pi, abs=1e-9)
        assert math.sin(phi) == pytest.approx(0, abs=1e-9)
        assert x == pytest.approx(p["l"] + (-1) ** k * p["r"], abs=1e-12)
        assert event.qd[2] == pytest.approx(0, abs=1e-9)  # the piston stands still
        np.testing.assert_allclose(motion(event.t)[0], event.q, rtol=0, atol=1e-12)
    assert all(a.t < b.t for a, b in pairwise(value))


def test_engine_with_few_rows(engine: lg.Dynamics) -> None:
    """As an event of the run none is missed between rows; and none is told twice."""
    many = lg.simulate(engine, 1.0, events=[lg.Event("dead centre")])
    few = lg.simulate(engine, 1.0, events=[lg.Event("dead centre")], t_eval=2)
    assert [e.t for e in at(many)] == pytest.approx([e.t for e in at(few)], abs=1e-12)
    recorded = lg.simulate(engine, 1.0)
    assert [e.t for e in at(many)] == pytest.approx([e.t for e in at(recorded)], abs=1e-8)


@pytest.mark.parametrize("when", ["dead centre", "dead_centre", "dead center"])
def test_engine_stopped(when: str, engine: lg.Dynamics) -> None:
    motion = lg.simulate(engine, 1.0, events=when)
    assert motion.message.startswith(f"stopped by event {when!r}")
    assert motion.q[-1, 0] == pytest.approx(math.pi, abs=1e-9)
    assert motion.t[-1] == motion.events[-1].t


def test_engine_in_one_direction(engine: lg.Dynamics) -> None:
    """Rising and falling crossings are the inner and outer dead centres in turn."""
    actual = {
        direction: [e.q[2] for e in lg.simulate(engine, 1.0, events=[lg.Event("dead centre", direction=direction)]).events]
        for direction in ("rising", "falling")
    }
    one, other = actual.values()
    assert {round(x, 9) for x in one} != {round(x, 9) for x in other}
    assert {round(x, 9) for x in (*one, *other)} == {0.2, 0.4}


def test_a_crank_that_drives_has_none() -> None:
    """The rod is longer than the crank: it never stands across the slider's way."""
    assert at(lg.simulate(lg.library("slider_crank"), 1.0)) == []


def test_rocker_that_drives() -> None:
    """The four-bar: crank and coupler stretched, or folded, by the law of cosines."""
    mechanism = driven_by(lg.library("four_bar"), "phi3")
    p = parameters(mechanism)
    l0, l1, l2, l3 = (p[f"l{k}"] for k in range(4))

    def crank(diagonal: float) -> float:
        return math.acos((l0**2 + diagonal**2 - l3**2) / (2 * l0 * diagonal))

    dyn = lg.compile(mechanism)
    q = lg.assemble(dyn)
    motion = lg.simulate(dyn, 1.5, q, {"theta1": 12.0}, torque=0)
    value = at(motion)
    assert len(value) >= 4
    folded = 0
    for event in value:
        theta, phi2, _ = event.q
        assert math.sin(phi2) == pytest.approx(0, abs=1e-8)
        # folded, the crank points away from the coupler's end
        away = math.cos(phi2) < 0
        folded += away
        expected = math.pi + crank(l2 - l1) if away else crank(l1 + l2)
        assert math.cos(theta) == pytest.approx(math.cos(expected), abs=1e-8)
        assert event.qd[2] == pytest.approx(0, abs=1e-7)
    assert 0 < folded < len(value)
    stopped = lg.simulate(dyn, 1.5, q, {"theta1": 12.0}, torque=0, events="dead centre")
    assert stopped.t[-1] == pytest.approx(value[0].t, abs=1e-9)


def test_linkage_that_locks() -> None:
    """The deployable four-bar opens until links 2 and 3 are in line: twice l1 sin(theta1/2) is l2 + l3."""
    mechanism = lg.library("deployable_four_bar")
    p = parameters(mechanism)
    motion = lg.simulate(mechanism, 13.0, events={"locked": "record", "top": lg.Event("dead centre", "stop")})
    angle = 2 * math.asin((p["l2"] + p["l3"]) / (2 * p["l1"]))
    assert motion.q[-1, 0] == pytest.approx(angle, abs=1e-7)
    assert math.degrees(motion.q[-1, 0]) == pytest.approx(150.46, abs=0.01)
    assert motion.message.startswith("stopped by event 'top' at t = 12.2829956 s")


# -- the determinant -------------------------------------------------------------------------------------------------


def with_passive(passive: int, driven: int) -> lg.Mechanism:
    """Joints on the ground, every second one driven while there are any left."""
    kinds = [k % 2 == 1 and k // 2 < driven for k in range(2 * max(passive, driven))]
    kinds = [*kinds, *[False] * passive]
    chosen, left = [], {True: driven, False: passive}
    for kind in kinds:
        if left[kind]:
            chosen.append(kind)
            left[kind] -= 1
    bodies = [lg.Body(f"b{k}", 1.0) for k in range(len(chosen))]
    joints = [lg.Joint(f"j{k}", "prismatic", "ground", f"b{k}", actuated=kind) for k, kind in enumerate(chosen)]
    return lg.Mechanism("many", bodies, joints)


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("zeros", [0.0, 0.5])
def test_the_determinant_is_that_of_numpy(m: int, zeros: float) -> None:
    """Against numpy, of full matrices and of those with structural zeros."""
    mechanism = with_passive(m, 3)
    passive = dead_centre.passive_speeds(mechanism)
    assert len(passive) == m
    rng = np.random.default_rng(m)
    for _ in range(5):
        psi = rng.normal(size=(m, mechanism.nv)) * (rng.random((m, mechanism.nv)) >= zeros)
        rows = [ConstraintRow(f"r{i}", None, 0, 0, {k: float(x) for k, x in enumerate(row) if x}) for i, row in enumerate(psi)]
        empty = ConstraintRow("says nothing", None, 0, 0, {})
        if any(not row.psi for row in rows):
            continue
        actual = dead_centre.determinant(mechanism, [*rows, empty])
        assert actual == pytest.approx(np.linalg.det(psi[:, passive]), rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "three_rrr"])
def test_determinant_of_mechanisms(name: str) -> None:
    """As it is compiled into a run, for up to six equations, at many configurations."""
    mechanism = lg.library(name)
    dyn = lg.compile(mechanism)
    structure = Structure(mechanism, dyn.tree)

    def outputs(graph: Graph) -> list[Any]:
        state = traced_state(graph, structure, 0)
        return [dead_centre.determinant(mechanism, state.rows)]

    key = hashlib.sha256(b"determinant" + name.encode() + repr(mechanism.parameters).encode()).digest()
    sizes = {"q": dyn.nq, "qd": dyn.nv}
    kernel = Kernel(TracedProgram("determinant", sizes, (), dyn.angles, outputs, key, structure.numbers.values))
    rng = np.random.default_rng(0)
    passive = dead_centre.passive_speeds(mechanism)
    for _ in range(10):
        q = mechanism.random_configuration(rng)
        expected = np.linalg.det(dyn.constraint_jacobian(q)[:, passive])
        assert kernel(q, np.zeros(dyn.nv)) == pytest.approx(expected, rel=1e-10, abs=1e-14)


# -- what is refused -------------------------------------------------------------------------------------------------


def test_as_many_passive_speeds_as_equations_are_needed() -> None:
    """Passive speeds and equations must be as many, and not too many."""
    event = [lg.Event("dead centre")]
    with pytest.raises(lg.ArgumentError, match=r"two_r: a dead centre needs as many passive speeds .* there are 0 and 0"):
        lg.simulate(lg.library("two_r"), 0.1, events=event)
    undriven, overdriven = (driven_by(lg.library("four_bar"), *names) for names in ((), ("theta1", "phi2")))
    with pytest.raises(lg.ArgumentError, match=r"there are 3 and 2\. `actuated` marks the driven joints"):
        lg.simulate(undriven, 0.1, events=event)
    with pytest.raises(lg.ArgumentError, match="there are 1 and 2"):
        lg.simulate(overdriven, 0.1, events=event)
    with pytest.raises(lg.ArgumentError, match="with up to 8 constraint equations; there are 18"):
        lg.simulate(lg.library("stewart"), 0.1, events=event)


def test_not_requested_where_it_means_nothing() -> None:
    """Runs of mechanisms that are refused above go on without."""
    motion = lg.simulate(driven_by(lg.library("four_bar"), "theta1", "phi2"), 0.5, torque=0)
    assert motion.success
    assert at(motion) == []
