"""Samples of a linkage are assembled as the linkage itself is, though only its crank is given."""

import warnings

import numpy as np
import pytest

import lagrangian as lg

LENGTHS = np.linspace(0.25, 1.55, 27)  # of the rocker: Newton's method from neutral coordinates alone finds both assemblies
TURN = np.linspace(-6.0, 6.0, 25)  # of the crank
BARS = """
gravity = [0, -9.81, 0]
[parameters]
l1 = 0.3
l2 = 0.9
l3 = 0.6
[[body]]
name = "crank"
mass = 0.6
inertia = [0, 0.005, 0.005]
[[body]]
name = "coupler"
mass = 1.8
center = ["l2/2", 0, 0]
inertia = [0, 0.12, 0.12]
[[body]]
name = "rocker"
mass = 1.2
center = ["l3/2", 0, 0]
inertia = [0, 0.04, 0.04]
[[joint]]
name = "theta"
type = "revolute"
child = "crank"
[[joint]]
name = "phi"
type = "revolute"
parent = "crank"
child = "coupler"
xyz = ["l1", 0, 0]
actuated = false
[[joint]]
name = "psi"
type = "revolute"
child = "rocker"
xyz = [1, 0, 0]
actuated = false
[[loop]]
name = "closure"
type = "point"
a = "coupler"
b = "rocker"
a_xyz = ["l2", 0, 0]
b_xyz = ["l3", 0, 0]
directions = ["x", "y"]
"""
START = "[initial]\nq = { theta = 1.2 }\nt_span = [0, 0.1]\n[pose]\nlow = { theta = -1.0 }\n"


@pytest.fixture(scope="module")
def bars() -> lg.Mechanism:
    return lg.loads(BARS + START)


def below(q: np.ndarray, l1: float | np.ndarray = 0.3, l2: float | np.ndarray = 0.9) -> np.ndarray:
    """Whether the joint of coupler and rocker is below the diagonal from the crank's end to the rocker's ground joint."""
    q = np.atleast_2d(q)
    end = np.stack([l1 * np.cos(q[:, 0]), l1 * np.sin(q[:, 0])])
    joint = l2 * np.stack([np.cos(q[:, 0] + q[:, 1]), np.sin(q[:, 0] + q[:, 1])])
    diagonal = np.array([[1.0], [0.0]]) - end
    return diagonal[0] * joint[1] - diagonal[1] * joint[0] < 0


def is_closed(q: np.ndarray, l3: float, l1: float = 0.3, l2: float = 0.9) -> bool:
    ends = l1 * np.exp(1j * q[0]) + l2 * np.exp(1j * (q[0] + q[1])), 1 + l3 * np.exp(1j * q[2])
    return bool(abs(ends[0] - ends[1]) < 1e-12)


def test_a_length_that_varies_keeps_the_assembly(bars):
    whole = below(lg.assemble(bars))[0]
    for length in LENGTHS:
        q = lg.assemble(bars.with_parameters(l3=length))
        assert q[0] == 1.2
        assert is_closed(q, length)
        assert below(q)[0] == whole
    many = lg.simulate(bars, parameters={"l3": LENGTHS})
    starts = np.array([many[k].q[0] for k in range(len(LENGTHS))])
    assert (below(starts) == whole).all()
    singles = [lg.simulate(bars, parameters={"l3": length}).q[0] for length in LENGTHS]
    np.testing.assert_allclose(starts, singles, rtol=0, atol=1e-13)


def test_a_crank_that_is_given_keeps_the_assembly(bars):
    whole = below(lg.assemble(bars))[0]
    singles = np.array([lg.assemble(bars, {"theta": angle}) for angle in TURN])
    assert (below(singles) == whole).all()
    assert (singles[:, 0] == TURN).all()
    many = lg.simulate(bars, q0={"theta": TURN})
    np.testing.assert_allclose([many[k].q[0] for k in range(len(TURN))], singles, rtol=0, atol=1e-13)


def test_a_length_and_a_crank_together(bars):
    whole = below(lg.assemble(bars))[0]
    lengths = np.linspace(0.5, 0.8, len(TURN))
    many = lg.simulate(bars, q0={"theta": TURN}, parameters={"l3": lengths})
    starts = np.array([many[k].q[0] for k in range(len(TURN))])
    assert (below(starts) == whole).all()
    singles = [lg.simulate(bars, q0={"theta": a}, parameters={"l3": b}).q[0] for a, b in zip(TURN, lengths, strict=True)]
    np.testing.assert_allclose(starts, singles, rtol=0, atol=1e-13)


def test_a_pose_keeps_its_own_assembly(bars):
    whole = below(lg.assemble(bars, "low"))[0]
    many = lg.simulate(bars, q0="low", parameters={"l3": LENGTHS[5:]})
    starts = np.array([many[k].q[0] for k in range(len(LENGTHS) - 5)])
    assert (below(starts) == whole).all()
    np.testing.assert_allclose(starts[:, 0], -1.0, rtol=1e-14)


def test_a_start_in_numbers_keeps_its_assembly(bars):
    for value in lg.assembly_modes(bars):
        numbers = lg.loads(f"{BARS}[initial]\nq = {value.tolist()}\nt_span = [0, 0.1]\n")
        for length in (0.3, 1.0, 1.5):
            assert below(lg.assemble(numbers.with_parameters(l3=length)))[0] == below(value)[0]


def test_a_file_that_is_loaded_with_other_values_keeps_the_assembly(bars):
    whole = below(lg.assemble(bars))[0]
    for length in LENGTHS[::6]:
        q = lg.assemble(lg.loads(BARS + START, parameters={"l3": float(length)}))
        np.testing.assert_allclose(q, lg.assemble(bars.with_parameters(l3=length)), rtol=0, atol=1e-12)
        assert below(q)[0] == whole


def test_values_that_are_given_one_after_another_lead_to_the_same_start(bars):
    once = lg.assemble(bars.with_parameters(l3=1.4, l1=0.2))
    twice = lg.assemble(bars.with_parameters(l3=1.4).with_parameters(l1=0.2))
    np.testing.assert_allclose(once, twice, rtol=0, atol=1e-12)


def test_a_study_keeps_the_assembly(bars, tmp_path):
    whole = below(lg.assemble(bars))[0]
    over = {"theta": lg.distributions.uniform(-3, 3), "l3": lg.distributions.uniform(0.5, 0.8)}
    columns = [f"start({name})" for name in bars.coordinate_names]
    study = lg.study(bars, over=over, samples=12, keep=columns, folder=tmp_path)
    assert (below(np.column_stack([study[name] for name in columns])) == whole).all()


def test_an_assembly_that_is_not_reached_is_reported(bars):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.assemble(bars, {"psi": 1.9})
    rocker = lg.loads(BARS + "[initial]\nq = { psi = 1.7 }\n")
    # a rocker that swings above the ground does not come below it
    with pytest.warns(lg.MechanismWarning, match="psi = -1.7 cannot be reached from the mechanism's start"):
        assert lg.assemble(rocker, {"psi": -1.7})[2] == -1.7


def test_a_study_takes_no_sample_of_another_assembly(tmp_path):
    rocker = lg.loads(BARS + "[initial]\nq = { psi = 1.7 }\nt_span = [0, 0.1]\n")
    study = lg.study(rocker, over={"psi": [1.6, -1.7, 1.8]}, keep=["start(psi)"], folder=tmp_path)
    np.testing.assert_allclose(study["start(psi)"], [1.6, np.nan, 1.8])


def test_goals_keep_the_assembly():
    """A crank-rocker goes through the points of its own coupler curve; steps of half a radian lost its assembly."""
    values = {"l1": 0.31402165588583747, "l2": 1.1383890582635774, "l3": 0.503890349680588}
    text = BARS + '[[frame]]\nname = "C"\nbody = "coupler"\nxyz = [0.5, 0.3, 0]\n[initial]\nq = { theta = 1.0 }\n'
    bars = lg.loads(text, parameters=values)
    angles, points = 1 + np.arange(6) * np.pi / 3, []
    whole = below(lg.assemble(bars), values["l1"], values["l2"])[0]
    for angle in angles:  # by the law of cosines
        end = values["l1"] * np.exp(1j * angle)
        across = 1 - end
        inner = np.arccos((values["l2"] ** 2 + abs(across) ** 2 - values["l3"] ** 2) / (2 * values["l2"] * abs(across)))
        coupler = across / abs(across) * np.exp(-1j * inner if whole else 1j * inner)
        point = end + (0.5 + 0.3j) * coupler
        points.append([point.real, point.imag])
    goal = lg.goals.path_points("C", points, "theta", angles=angles)
    np.testing.assert_allclose(goal.evaluate(bars, ["l1"], np.array([values["l1"]]))[0], 0.0, atol=1e-12)


def test_a_file_says_that_it_does_not_hold_the_assembly(bars):
    changed = bars.with_parameters(l3=0.7)
    with pytest.warns(lg.ReaderWarning, match="its start, low: some coordinates follow from"):
        lg.dumps(changed)
    q = lg.assemble(changed)
    whole = lg.loads(lg.dumps(changed.replace(initial=lg.InitialState(q=q), poses={})))
    assert lg.assemble(whole).tolist() == q.tolist()


def test_a_pose_that_cannot_be_computed_says_so():
    bars = lg.loads(BARS + '[initial]\nq = { theta = 1.2 }\n[pose]\nlow = { theta = "acos(l1/0.5)" }\n')
    with pytest.raises(lg.ArgumentError, match=r"pose 'low' is left out, because it cannot be computed .*acos"):
        lg.assemble(bars.with_parameters(l1=0.6), "low")


def test_lengths_that_do_not_fit_together_are_named():
    """The crank of this four-bar stands upright at its start; with 5 m the diagonal is longer than the other two bars."""
    bar = lg.library("four_bar")
    said = r"with l1 = 5 the loops cannot close where \[initial\] begins: .*acos needs a number from -1 to 1, and its argument is"
    with pytest.raises(lg.DescriptionError, match=f"^four_bar: {said}"):
        lg.simulate(bar, 0.1, parameters={"l1": 5.0})
    with pytest.warns(lg.EndedEarlyWarning, match=f"motion 1 of 2 ended early: .*{said}"):
        motions = lg.simulate(bar, 0.1, parameters={"l1": [0.3, 5.0]})
    assert motions.success.tolist() == [True, False]
