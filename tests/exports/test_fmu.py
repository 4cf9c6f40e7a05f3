"""FMUs against the compiled kernels and runs of the mechanisms that they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.exports.reference_values import sample_states
from tests.exports.fmus import Fmu
from tests.exports.quadruped import quadruped_mechanism
from tests.exports.reference import expected_results as of_kernels
from tests.exports.reference import relative_error

ME, CS = "ModelExchange", "CoSimulation"
NAMES = ("two_r", "puma560", "panda", "four_bar", "rolling_disc", "quadruped")
LONG = (pytest.param("stewart", marks=pytest.mark.slow),)

Make = Callable[[str], Fmu]


def mechanism(name: str) -> lg.Mechanism:
    return quadruped_mechanism() if name == "quadruped" else lg.library(name)


@pytest.fixture(scope="module")
def fmu_of(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Each mechanism is exported once."""
    known: dict[str, Fmu] = {}

    def make(name: str) -> Fmu:
        if name not in known:
            known[name] = Fmu(mechanism(name), tmp_path_factory.mktemp(name))
        return known[name]

    return make


def own_torque(m: lg.Mechanism, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The torques of the description, by the run that they drive."""
    if not m.initial.torque:
        return np.zeros(m.nv)
    return np.asarray(lg.simulate(m, (t, t + 1e-9), q0=q, qd0=qd).tau[0])


def trials(m: lg.Mechanism) -> Iterator[dict[str, np.ndarray]]:
    """Random states; of a mechanism with constraints at configurations that it comes through, with random speeds."""
    rng = np.random.default_rng(7)
    run = lg.simulate(m, 2.0, t_eval=4) if m.equation_count else None
    for k, state in enumerate(sample_states(m, 4)):
        if run is not None:
            state["q"] = lg.assemble(m, run.q[k])
            state["qd"] = lg.consistent_speeds(m, state["q"], rng.uniform(-1, 1, m.nv))
        yield state


@pytest.mark.parametrize("name", [*NAMES, *LONG])
def test_derivatives_and_outputs_are_those_of_the_kernels(fmu_of: Make, name: str) -> None:
    fmu = fmu_of(name)
    m = fmu.mechanism
    dyn, frames = lg.compile(m), [f.name for f in m.frames]
    with fmu.instance(ME) as instance:
        if "friction_speed" in fmu.references:
            instance.set(["friction_speed"], [0.0])  # dry friction that jumps, as in the kernels
        instance.begin()
        for state in trials(m):
            q, qd, t = state["q"], state["qd"], float(state["t"][0])
            pushed = np.array([state["tau"][k] if x.actuated else 0.0 for k, x in enumerate(_of_speeds(m))])
            instance.set(fmu.inputs, [state["tau"][k] for k, x in enumerate(_of_speeds(m)) if x.actuated])
            instance.move([*q, *qd], t)
            tau = own_torque(m, t, q, qd) + pushed
            qdd = dyn.forward_dynamics(q, qd, tau, t=t)
            rates = np.concatenate([of_kernels(dyn, "coordinate_rates", state), qdd])
            assert relative_error(instance.derivatives(), rates) < 1e-12
            assert relative_error(instance.get(*(f"der({x})" for x in fmu.states)), rates) < 1e-12
            energies = np.array([dyn.kinetic_energy(q, qd), dyn.potential_energy(q)])
            assert relative_error(instance.get("kinetic_energy", "potential_energy"), energies) < 1e-12
            for frame in frames:
                pose = dyn.pose(q, frame)
                assert relative_error(instance.get(*(f"{frame}.{axis}" for axis in "xyz")), pose[:3, 3]) < 1e-12
                turned = [f"{frame}.R[{i},{j}]" for i in (1, 2, 3) for j in (1, 2, 3)]
                assert relative_error(instance.get(*turned), pose[:3, :3].ravel()) < 1e-12
            if m.equation_count:
                multipliers = [x for x in fmu.references if x.startswith("lambda_")]
                assert relative_error(instance.get(*multipliers), dyn.multipliers(q, qd, tau, t=t)) < 1e-12


def _of_speeds(m: lg.Mechanism) -> list[lg.Joint]:
    """The joint of each speed."""
    return [joint for joint in m.joints for _ in joint.speed_names]


@pytest.mark.parametrize("name", ["two_r", "four_bar", "rolling_disc", *LONG])
def test_ten_seconds_are_those_of_a_run(fmu_of: Make, name: str) -> None:
    """By fmpy's solver, CVODE, whose errors add up, and by the steps of the FMU itself."""
    fmu = fmu_of(name)
    m = fmu.mechanism
    run = lg.simulate(m, 10.0, t_eval=101, rtol=1e-12, atol=1e-13)
    expected = np.hstack([run.q, run.qd])
    exchanged = fmu.simulate(ME, 10.0, 101, relative_tolerance=1e-10)
    assert np.abs(exchanged - expected).max() < 3e-6
    stepped = fmu.simulate(CS, 10.0, 101)
    assert np.abs(stepped - expected).max() < 3e-8
    if m.equation_count:
        dyn = lg.compile(m)
        assert max(np.abs(dyn.closure(row[: m.nq])).max() for row in exchanged) < 1e-8
        assert max(np.abs(dyn.closure(row[: m.nq])).max() for row in stepped) < 1e-13


def test_errors_of_a_solver_in_the_constraints_fade(fmu_of: Make) -> None:
    """The drift is that of the solver's tolerance, where without the correction it adds up."""
    fmu = fmu_of("four_bar")
    dyn, m = lg.compile(fmu.mechanism), fmu.mechanism
    drift = [
        max(np.abs(dyn.closure(row[: m.nq])).max() for row in actual)
        for actual in (
            fmu.simulate(ME, 10.0, 101, relative_tolerance=1e-6, start_values={"stabilisation": rate}) for rate in (0.0, 100.0)
        )
    ]
    assert drift[1] < 3e-6
    assert drift[1] < drift[0] / 50


def test_a_motion_that_is_too_fast_for_the_steps_divides_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The damper of the governor is stiff: with steps of 1 ms the method of Runge and Kutta is unstable."""
    fmu = Fmu(lg.library("flyball_governor"), tmp_path_factory.mktemp("stiff"))
    assert fmu.description.modelVariables[fmu.references["largest_step"]].start == "0.001"
    run = lg.simulate(fmu.mechanism, 2.0, t_eval=21, rtol=1e-11, atol=1e-12)
    assert np.abs(fmu.simulate(CS, 2.0, 21) - np.hstack([run.q, run.qd])).max() < 1e-4


def test_quaternions_keep_their_length(fmu_of: Make) -> None:
    fmu = fmu_of("quadruped")
    q = [f"base.{x}" for x in "wxyz"]
    start = {"qd_base.wx": 3.0, "qd_base.wy": -2.0, "qd_lf_haa": 4.0, "base.w": 2.0}  # the length is made 1 at the start
    for kind, most in ((ME, 1e-7), (CS, 1e-14)):
        actual = fmu.simulate(kind, 3.0, 31, q, start_values=start, relative_tolerance=1e-8)
        assert np.abs(np.linalg.norm(actual, axis=1) - 1).max() < most


def test_communication_steps_of_any_length_end_where_they_should(fmu_of: Make) -> None:
    fmu = fmu_of("four_bar")
    run = lg.simulate(fmu.mechanism, [0.0, 0.5], rtol=1e-12, atol=1e-13, t_eval=[0.0037, 0.1, 0.5])
    with fmu.instance(CS) as instance:
        instance.begin()
        t = 0.0
        for k, (end, parts) in enumerate([(0.0037, 1), (0.1, 7), (0.5, 3)]):
            begin = t
            for part in range(parts):
                stop = begin + (end - begin) * (part + 1) / parts
                *_, last = instance.raw.doStep(currentCommunicationPoint=t, communicationStepSize=stop - t)
                assert last == pytest.approx(stop, abs=1e-15)
                t = stop
            assert np.abs(instance.get(*fmu.states) - np.hstack([run.q[k], run.qd[k]])).max() < 1e-8


def test_steps_are_no_longer_than_the_largest(fmu_of: Make) -> None:
    """With it a hundredfold, the error of a method of fourth order is far larger."""
    fmu = fmu_of("two_r")
    run = lg.simulate(fmu.mechanism, 2.0, t_eval=3, rtol=1e-12, atol=1e-13)
    off = []
    for largest in (0.01, 0.1):
        actual = fmu.simulate(CS, 2.0, 3, start_values={"largest_step": largest})
        off.append(np.abs(actual - np.hstack([run.q, run.qd])).max())
    assert 1e3 < off[1] / off[0] < 1e5


def test_a_parameter_that_changes_takes_effect(fmu_of: Make) -> None:
    fmu = fmu_of("two_r")
    heavy = fmu.mechanism.with_parameters(m2=9.0)
    run = lg.simulate(heavy, 1.0, t_eval=11, rtol=1e-11, atol=1e-12)
    expected = np.hstack([run.q, run.qd])
    assert np.abs(fmu.simulate(CS, 1.0, 11, start_values={"m2": 9.0}) - expected).max() < 1e-8
    actual = fmu.simulate(ME, 1.0, 11, start_values={"m2": 9.0}, relative_tolerance=1e-10)
    assert np.abs(actual - expected).max() < 1e-7


def test_a_parameter_that_changes_on_the_way_takes_effect(fmu_of: Make) -> None:
    fmu = fmu_of("two_r")
    first = lg.simulate(fmu.mechanism, 0.5, t_eval=2, rtol=1e-11, atol=1e-12)
    heavy = fmu.mechanism.with_parameters(m2=9.0)
    second = lg.simulate(heavy, 0.5, q0=first.q[-1], qd0=first.qd[-1], t_eval=2, rtol=1e-11, atol=1e-12)
    with fmu.instance(CS) as instance:
        instance.begin()
        instance.advance(0.0, 0.5, 0.1)
        instance.set(["m2"], [9.0])
        actual = instance.advance(0.5, 1.0, 0.1)
    assert np.abs(actual - np.hstack([second.q[-1], second.qd[-1]])).max() < 1e-9
    with fmu.instance(ME) as instance:
        instance.begin()
        instance.move([*first.q[-1], *first.qd[-1]], 0.5)
        light = instance.derivatives()
        instance.raw.enterEventMode()
        instance.set(["m2"], [9.0])
        instance.raw.updateDiscreteStates()
        instance.raw.enterContinuousTimeMode()
        actual = instance.derivatives()[2:]
        expected = lg.compile(heavy).forward_dynamics(first.q[-1], first.qd[-1], np.zeros(2))
        assert relative_error(actual, expected) < 1e-12
        assert relative_error(light[2:], expected) > 0.1


@pytest.mark.parametrize("kind", [ME, CS])
def test_loops_are_closed_again_when_a_length_changes(fmu_of: Make, kind: str) -> None:
    fmu = fmu_of("four_bar")
    longer = fmu.mechanism.with_parameters(l2=float(fmu.mechanism.parameters["l2"]) * 1.1)
    dyn, start = lg.compile(longer), [x.start for x in fmu.description.modelVariables if x.name in fmu.states]
    assert np.abs(dyn.closure(np.array(start[:3], dtype=float))).max() > 1e-3
    with fmu.instance(kind) as instance:
        instance.set(["l2"], [float(longer.parameters["l2"])])
        instance.begin()
        values = instance.get(*fmu.states)
        assert np.abs(dyn.closure(values[:3])).max() < 1e-12
        assert np.abs(dyn.constraint_rate(values[:3], values[3:])).max() < 1e-12


def test_states_that_cannot_keep_the_constraints_are_refused(fmu_of: Make) -> None:
    fmu, log = fmu_of("four_bar"), []
    with fmu.instance(CS, log) as instance:
        instance.set(["l2"], [100.0])
        instance.raw.enterInitializationMode()
        with pytest.raises(Exception, match="fmi3ExitInitializationMode"):
            instance.raw.exitInitializationMode()
    assert "closure." in log[-1][2]


def test_states_of_the_fmu_are_kept_and_taken_back(fmu_of: Make) -> None:
    fmu = fmu_of("rolling_disc")
    with fmu.instance(CS) as instance:
        instance.begin()
        instance.advance(0.0, 0.3, 0.1)
        state = instance.raw.getFMUState()
        saved_state = instance.raw.serializeFMUState(state)
        first = instance.advance(0.3, 0.6, 0.1)
        instance.raw.setFMUState(state)
        assert np.array_equal(instance.advance(0.3, 0.6, 0.1), first)
        instance.raw.freeFMUState(state)
    with fmu.instance(CS) as other:
        other.begin()
        state = other.raw.deserializeFMUState(saved_state)
        other.raw.setFMUState(state)
        assert np.array_equal(other.advance(0.3, 0.6, 0.1), first)
        other.raw.freeFMUState(state)
        with pytest.raises(Exception, match="fmi3DeserializeFMUState"):
            other.raw.deserializeFMUState(b"x" + saved_state[1:])


def test_instances_do_not_know_each_other_and_begin_again(fmu_of: Make) -> None:
    fmu = fmu_of("two_r")
    with fmu.instance(CS) as alone:
        alone.begin()
        start = alone.get(*fmu.states)
        expected = alone.advance(0.0, 0.4, 0.1)
        alone.raw.reset()
        assert np.array_equal(alone.get(*fmu.states), start)
        alone.begin()
        assert np.array_equal(alone.advance(0.0, 0.4, 0.1), expected)
    with fmu.instance(CS) as one, fmu.instance(CS) as two:
        two.set(["theta1", "m1"], [1.0, 50.0])
        for each in (one, two):
            each.begin()
        for k in range(4):
            actual, other = (each.advance(0.1 * k, 0.1 * k + 0.1, 0.1) for each in (one, two))
        assert np.array_equal(actual, expected)
        assert np.abs(other - expected).max() > 0.1


def test_what_cannot_be_done_is_reported_by_name(fmu_of: Make) -> None:
    fmu, log = fmu_of("two_r"), []

    def assert_refused(*texts: str) -> None:
        status, category, text = log.pop()
        assert (status, category) == (3, "logStatusError")
        assert all(each in text for each in texts)

    with fmu.instance(CS, log) as instance:
        for name, value, texts in [
            ("qdd_theta1", 1.0, ("qdd_theta1", "computed")),
            ("der(theta2)", 1.0, ("der(theta2)", "computed")),
            ("time", 1.0, ("time", "computed")),
            ("m1", np.nan, ("m1", "finite")),
            ("largest_step", -1.0, ("largest_step", "positive")),
        ]:
            with pytest.raises(Exception, match="fmi3SetFloat64"):
                instance.set([name], [value])
            assert_refused(*texts)
        for call in (lambda: instance.raw.getFloat64([10_000]), lambda: instance.raw.getInt32([1])):
            with pytest.raises(Exception, match="fmi3Get"):
                call()
        assert_refused("Int32")
        assert_refused("10000")
        with pytest.raises(Exception, match="fmi3DoStep"):
            instance.raw.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)
        assert_refused("fmi3DoStep", "Instantiated")
        instance.begin()
        for point, step in ((0.0, -0.1), (0.5, 0.1)):
            with pytest.raises(Exception, match="fmi3DoStep"):
                instance.raw.doStep(currentCommunicationPoint=point, communicationStepSize=step)
            assert_refused("fmi3DoStep")
        with pytest.raises(Exception, match="fmi3SetFloat64"):
            instance.set(["theta1"], [1.0])
        assert_refused("theta1", "mode")
        before = instance.get(*fmu.states)
        instance.set(["m1", "I1", "m2", "I2"], [0.0] * 4)  # nothing has mass: accelerations are not finite
        with pytest.raises(Exception, match="fmi3DoStep"):
            instance.raw.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)
        assert log.pop()[:2] == (2, "logStatusDiscard")
        assert np.array_equal(instance.get(*fmu.states), before)
    with fmu.instance(ME, log) as instance:
        instance.begin()
        with pytest.raises(Exception, match="fmi3SetFloat64"):
            instance.set(["m1"], [2.0])  # in Event Mode alone
        assert_refused("m1", "mode")


def test_a_joint_that_dry_friction_holds_comes_to_rest(fmu_of: Make) -> None:
    """The arm begins at rest: a solver that meets the jump of dry friction there makes no progress."""
    fmu = fmu_of("puma560")
    run = lg.simulate(fmu.mechanism, 2.0, t_eval=5, limits=False)
    for kind in (ME, CS):
        actual = fmu.simulate(kind, 2.0, 5, list(fmu.mechanism.coordinate_names), relative_tolerance=1e-6)
        assert np.abs(actual - run.q).max() < 4e-3


def test_dry_friction_that_a_parameter_may_give_rises_over_small_speeds(tmp_path: Path) -> None:
    joint = lg.Joint("x", "prismatic", "ground", "cart", axis="x", friction=lg.Friction(coulomb=lg.parameter("mu", 0.0)))
    fmu = Fmu(lg.Mechanism("cart", [lg.Body("cart", 2.0)], [joint], parameters={"mu": lg.parameter("mu", 0.0)}), tmp_path)
    assert any("x: dry friction grows over speeds" in note for note in fmu.export.notes)
    for mu in (0.0, 3.0):
        with fmu.instance(ME) as instance:
            instance.set(["mu"], [mu])
            instance.begin()
            for speed in (-1e-3, 0.0, 1e-3, 1.0):
                instance.move([0.0, speed])
                assert abs(instance.get("qdd_x")[0] + mu / 2.0 * np.tanh(speed / 1e-3)) < 1e-12


def test_constraints_that_depend_on_time(tmp_path_factory: pytest.TempPathFactory) -> None:
    drive = lg.HolonomicConstraint("drive", "theta1 = 1 + 2*t + 0.1*sin(5*t)")
    m = lg.library("two_r").replace(constraints=[drive], initial=lg.InitialState(q=(1.0, 0.5), qd=(2.5, 0.0)))
    fmu = Fmu(m, tmp_path_factory.mktemp("timed"))
    run = lg.simulate(m, 2.0, t_eval=21, rtol=1e-11, atol=1e-12)
    expected = np.hstack([run.q, run.qd])
    assert np.abs(fmu.simulate(ME, 2.0, 21, relative_tolerance=1e-10) - expected).max() < 1e-6
    actual = fmu.simulate(CS, 2.0, 21)
    assert np.abs(actual - expected).max() < 1e-9
    t = np.linspace(0.0, 2.0, 21)
    assert np.abs(actual[:, 0] - (1 + 2 * t + 0.1 * np.sin(5 * t))).max() < 1e-13
    with fmu.instance(ME) as instance:  # begun later, the start is moved to where the constraint is then
        instance.begin(0.7)
        assert instance.get("theta1")[0] == pytest.approx(1 + 1.4 + 0.1 * np.sin(3.5), abs=1e-12)


def test_a_long_chain_is_loops_over_its_links(tmp_path_factory: pytest.TempPathFactory) -> None:
    links = 80
    bodies = [lg.Body(f"link{k}", 1.0, (0.05, 0.0, 0.0), (0.001, 0.001, 0.001)) for k in range(links)]
    joints = [
        lg.Joint(f"q{k}", "revolute", f"link{k - 1}" if k else "ground", f"link{k}", (0.1 if k else 0.0, 0.0, 0.0), axis="y")
        for k in range(links)
    ]
    m = lg.Mechanism("chain", bodies, joints, parameters={"unused": lg.parameter("unused", 1.0)})
    fmu = Fmu(m, tmp_path_factory.mktemp("chain"))
    assert [x.name for x in fmu.description.modelVariables if x.causality == "parameter"] == ["largest_step"]
    state = next(sample_states(m, 1))
    q, qd = state["q"], state["qd"]
    with fmu.instance(ME) as instance:
        instance.begin()
        instance.move([*q, *qd])
        assert relative_error(instance.derivatives()[links:], lg.compile(m).forward_dynamics(q, qd, np.zeros(links))) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("name", list(lg.library()))
def test_every_mechanism_of_the_library_runs_as_an_fmu(name: str, tmp_path: Path) -> None:
    """Without stops at limits and events, and with dry friction that rises over 1 mm/s, or 1 mrad/s."""
    fmu = Fmu(lg.library(name), tmp_path)
    m = fmu.mechanism
    stop = min(1.0, m.initial.t_span[1] if m.initial.t_span else 1.0)
    run = lg.simulate(m, stop, t_eval=11, rtol=1e-10, atol=1e-12, limits=False, events=[])
    expected = np.hstack([run.q, run.qd])
    most = 1e-2 if "friction_speed" in fmu.references else 3e-5 * max(1.0, float(np.abs(expected).max()))
    for kind in (ME, CS):
        assert np.abs(fmu.simulate(kind, stop, 11, relative_tolerance=1e-9) - expected).max() < most
