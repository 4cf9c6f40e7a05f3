"""Where FMUs of linkages begin: what is set stays, and the others close the loops, as at the start of a simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lagrangian as lg
from tests.exports.fmus import Fmu

ME, CS = "ModelExchange", "CoSimulation"
Make = Callable[[str], Fmu]
Log = list[tuple[int, str, str]]
STEWART = (
    {"leg1": 3.3},
    {f"leg{k}": 3.1 + 0.05 * k for k in range(1, 7)},
    {"hip1.1": 0.4, "leg2": 3.3},
)


@pytest.fixture(scope="module")
def fmu_of(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Each mechanism is exported once."""
    known: dict[str, Fmu] = {}

    def make(name: str) -> Fmu:
        if name not in known:
            known[name] = Fmu(lg.library(name), tmp_path_factory.mktemp(name), functions=["kinetic_energy"])
        return known[name]

    return make


def begun(fmu: Fmu, kind: str, log: Log | None = None, t: float = 0.0, **value: float) -> np.ndarray:
    """The state after initialization with start values."""
    with fmu.instance(kind, log) as instance:
        instance.set(value, value.values())
        instance.begin(t)
        return instance.get(*fmu.states)


def assert_start_refused(fmu: Fmu, *texts: str, **arguments: float) -> None:
    """Initialization fails, and says why; what was set is left as it was, and other values can be set."""
    log: Log = []
    with fmu.instance(CS, log) as instance:
        instance.set(arguments, arguments.values())
        instance.raw.enterInitializationMode()
        for _ in range(2):
            with pytest.raises(Exception, match="fmi3ExitInitializationMode"):
                instance.raw.exitInitializationMode()
        assert np.array_equal(instance.get(*arguments), list(arguments.values()))
        with pytest.raises(Exception, match="fmi3DoStep"):
            instance.raw.doStep(currentCommunicationPoint=0.0, communicationStepSize=0.1)
    assert log[0][:2] == (3, "logStatusError")
    assert [text for text in texts if text not in log[0][2]] == []


def own(name: str) -> dict[str, float]:
    """The start of a description, as an importer sets it that sets everything."""
    m = lg.library(name)
    return dict(zip(m.coordinate_names, map(float, lg.assemble(m)), strict=True))


@pytest.mark.parametrize("kind", [ME, CS])
@pytest.mark.parametrize(
    ("name", "q0"),
    [
        ("four_bar", {"theta1": 0.2}),
        ("four_bar", {"phi3": 2.0}),
        ("four_bar", {"theta1": 0.2 - 20 * np.pi}),
        ("slider_crank", {"theta": 0.5}),
        ("slider_crank", {"x": 0.25}),
        ("five_bar", {"q1": 1.2, "q2": 0.9}),
        ("five_bar", {"q1": 1.2}),  # one is left to choose: the same as in a simulation
        *(pytest.param("stewart", q0, marks=pytest.mark.slow) for q0 in STEWART),
    ],
)
def test_what_is_set_stays_and_the_others_are_those_of_a_run(fmu_of: Make, kind: str, name: str, q0: dict[str, float]) -> None:
    fmu = fmu_of(name)
    m, spelled = fmu.mechanism, {key.replace(".1", "[1]"): value for key, value in q0.items()}
    actual = begun(fmu, kind, **spelled)[: m.nq]
    assert [actual[m.coordinate_names.index(key)] for key in q0] == list(q0.values())
    assert np.abs(actual - lg.simulate(m, 1e-3, q0=q0).q[0]).max() < 1e-11


@pytest.mark.parametrize("kind", [ME, CS])
@pytest.mark.parametrize(
    ("name", "factors"),
    [
        ("slider_crank", {"l": 0.35 / 0.3}),
        ("four_bar", {"l2": 1.07, "l3": 1.1}),
        ("five_bar", {"l1": 0.95, "l2": 1.05}),
    ],
)
def test_lengths_that_change_leave_driven_joints_where_they_are(
    fmu_of: Make, kind: str, name: str, factors: dict[str, float]
) -> None:
    fmu = fmu_of(name)
    m = fmu.mechanism
    values = {key: float(m.parameters[key]) * factor for key, factor in factors.items()}
    driven = [m.coordinate_names.index(joint.name) for joint in m.joints if joint.actuated]
    other, start = m.with_parameters(**values), lg.assemble(m)
    expected = lg.simulate(other, 1e-3, q0={m.coordinate_names[k]: start[k] for k in driven}).q[0]
    actual = begun(fmu, kind, **values)
    assert np.array_equal(actual[driven], start[driven])
    assert np.abs(actual[: m.nq] - expected).max() < 1e-11
    assert np.abs(lg.compile(other).constraint_rate(actual[: m.nq], actual[m.nq :])).max() < 1e-12


def test_lengths_and_coordinates_change_together(fmu_of: Make) -> None:
    """With a rod this short the crank cannot stay where the description has it, and it need not."""
    theta, phi, x = begun(fmu_of("slider_crank"), CS, l=0.05, theta=0.1)[:3]
    assert theta == 0.1
    assert theta + phi == pytest.approx(-np.arcsin(0.1 * np.sin(0.1) / 0.05), abs=1e-11)
    assert x == pytest.approx(0.1 * np.cos(0.1) + 0.05 * np.cos(theta + phi), abs=1e-11)


def test_the_assembly_stays_all_round(fmu_of: Make) -> None:
    fmu = fmu_of("four_bar")
    dyn = lg.compile(fmu.mechanism)
    for theta in np.linspace(-3, 3, 25):
        actual = begun(fmu, CS, theta1=theta)[:3]
        expected = lg.assemble(dyn, {"theta1": theta})
        assert actual[0] == theta
        assert np.abs(actual - expected).max() < 1e-11


@pytest.mark.slow
def test_the_platform_can_be_set(fmu_of: Make) -> None:
    """All of it, and the legs follow; or some of it, though its coordinates are no speeds."""
    fmu = fmu_of("stewart")
    m = fmu.mechanism
    dyn, names = lg.compile(m), m.coordinate_names
    pose = {"w": 1.0, "x": 0.1, "y": 0.0, "z": 0.0, "px": 0.1, "py": 0.0, "pz": 2.1}
    for item in (pose, {"pz": 2.1}, {"x": 0.1}):
        actual = begun(fmu, ME, **{f"platform.{key}": value for key, value in item.items()})[: m.nq]
        assert np.abs(dyn.closure(actual)).max() < 1e-12
        length = np.hypot(1.0, 0.1) if "x" in item else 1.0  # quaternions are brought to length one
        for key, value in item.items():
            expected = value if key.startswith("p") else value / length
            assert actual[names.index(f"platform.{key}")] == pytest.approx(expected, abs=0.0 if key.startswith("p") else 1e-16)


def test_starts_that_cannot_be_reached_are_refused(fmu_of: Make) -> None:
    crank = fmu_of("slider_crank")
    assert_start_refused(crank, "x = 1.25", "pin.x", "0.85", "reached", x=1.25)
    assert_start_refused(crank, "l = 0.02", "theta = 1.5708", "pin.y", "0.08", l=0.02)
    assert_start_refused(crank, "theta = 0.5, phi = 1, x = 0.2", "pin.", "fewer", theta=0.5, phi=1.0, x=0.2)
    assert_start_refused(fmu_of("four_bar"), "theta1 = 0.2, phi2 = 0.5", "closure.", theta1=0.2, phi2=0.5)
    assert_start_refused(fmu_of("four_bar"), "l2 = 100", "closure.", l2=100.0)


def test_an_assembly_is_not_changed_unless_it_is_chosen(fmu_of: Make) -> None:
    """With the rocker far beyond where the assembly of the description ends, the message has the other one, which can be set."""
    fmu, m = fmu_of("slider_crank"), lg.library("slider_crank")
    other = next(q for q in lg.assembly_modes(m, fixed={"theta": 0.5}) if q[2] < 0)
    log: Log = []
    with pytest.raises(Exception, match="fmi3ExitInitializationMode"):
        begun(fmu, CS, log, theta=0.5, phi=float(other[1]))
    assert "dead centre" in log[0][2]
    assert f"x = {other[2]:.6g}" in log[0][2]
    entries = dict(zip(m.coordinate_names, map(float, other), strict=True))
    assert np.abs(begun(fmu, CS, **entries)[:3] - other).max() < 1e-11
    rounded = {key: round(value, 7) for key, value in entries.items()}
    assert np.abs(begun(fmu, CS, **rounded)[:3] - other).max() < 1e-6


def test_importers_may_set_everything(fmu_of: Make) -> None:
    """What they set to the value of the description moves where it must, and that is told."""
    fmu, log = fmu_of("slider_crank"), []
    start = own("slider_crank")
    alone = begun(fmu, CS, theta=0.5)
    assert np.abs(begun(fmu, CS, log, **{**start, "theta": 0.5}) - alone).max() < 1e-11
    assert [text for _, category, text in log if category == "logStatusWarning" and "description move" in text]
    assert np.abs(begun(fmu, CS, **start, l=0.35) - begun(fmu, CS, l=0.35)).max() < 1e-11


@pytest.mark.parametrize("kind", [ME, CS])
def test_speeds_that_are_set_stay(fmu_of: Make, kind: str) -> None:
    fmu = fmu_of("five_bar")
    q = lg.assemble(fmu.mechanism)
    for qd0 in ({"q1": 1.2}, {"q1": 1.2, "q2": -0.4}, {"phi3": 0.7}):
        actual = begun(fmu, kind, **{f"qd_{name}": value for name, value in qd0.items()})[4:]
        assert np.abs(actual - lg.consistent_speeds(fmu.mechanism, q, qd0)).max() < 1e-11
        assert [actual[fmu.mechanism.speed_names.index(name)] for name in qd0] == list(qd0.values())


def test_speeds_that_cannot_all_stay_are_reported(fmu_of: Make) -> None:
    fmu, log = fmu_of("four_bar"), []
    actual = begun(fmu, CS, log, qd_theta1=1.2, qd_phi2=0.3)
    assert np.abs(lg.compile(fmu.mechanism).constraint_rate(actual[:3], actual[3:])).max() < 1e-12
    expected = lg.consistent_speeds(fmu.mechanism, actual[:3], [1.2, 0.3, 0.0])
    assert np.abs(actual[3:] - expected).max() < 1e-11
    assert log[0][1] == "logStatusWarning"


def test_without_start_values_nothing_moves(fmu_of: Make) -> None:
    for name in ("four_bar", "slider_crank", "five_bar"):
        fmu = fmu_of(name)
        start = [float(x.start) for x in fmu.description.modelVariables if x.name in fmu.states]
        assert np.array_equal(begun(fmu, ME), start)
        assert np.abs(begun(fmu, CS, largest_step=0.002) - start).max() < 1e-12


def test_a_drive_that_depends_on_time_is_followed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The crank of a linkage at a later start is where the drive has it by then, after turns in the same assembly."""
    m = lg.library("four_bar").replace(constraints=[lg.HolonomicConstraint("drive", "theta1 = pi/2 + 2*t")])
    m = m.replace(initial=lg.InitialState(q=m.initial.q))
    fmu = Fmu(m, tmp_path_factory.mktemp("timed"), functions=["kinetic_energy"])
    actual = begun(fmu, ME, t=30.2)[:3]
    assert actual[0] == pytest.approx(np.pi / 2 + 60.4, abs=1e-11)
    expected = lg.assemble("four_bar", {"theta1": actual[0]})
    assert np.abs(np.sin((actual - expected) / 2)).max() < 1e-11
