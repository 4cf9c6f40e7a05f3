"""Equations outside their domain, springs without length and mechanisms without coordinates: a sentence, or what is right."""

import contextlib
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import lagrangian as lg

BODY = """name = "one"
[[body]]
name = "b"
mass = 1.0
center = [0.1, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "j"
type = "{type}"
parent = "ground"
child = "b"
{more}
"""
SLIDE, TURN = BODY.format(type="prismatic", more='axis = "z"'), BODY.format(type="revolute", more='axis = "z"')
FIXED = BODY.format(type="fixed", more="")
EQUATION = '[[constraint]]\nname = "c"\ntype = "equation"\nequation = "{}"\n'
SPRING = (
    '[[spring]]\nname = "s"\na = "ground"\na_point = [0, 0, 0]\nb = "b"\nb_point = [0, 0, 0]\nstiffness = 10.0\nrest = {}\n'
    "damping = {}\n"
)
EQUATIONS = ["sqrt(j) - t", "log(j) - t", "1/j - t", "asin(j + 2)", "atan2(j, j)", "j/t", "sqrt(t - 1) + j", "log(t) + j"]


def everything(model: lg.Mechanism) -> list[Any]:
    """What can be asked of a mechanism at its neutral configuration."""
    dyn, q, rest = lg.compile(model), model.neutral(), np.zeros(model.nv)
    return [
        lambda: dyn.forward_dynamics(q, rest, rest),
        lambda: dyn.inverse_dynamics(q, rest, rest),
        lambda: dyn.multipliers(q, rest, rest),
        lambda: dyn.forward_dynamics_derivatives(q, rest, rest),
        lambda: dyn.reactions(q, rest, rest),
        lambda: dyn.spring_forces(q, rest),
        lambda: lg.simulate(model, 0.01, t_eval=5),
        lambda: lg.simulate(model, 0.01, q, t_eval=5),
        lambda: lg.linearise(model),
        lambda: str(lg.linearise(model)),
        lambda: lg.equilibrium(model),
        lambda: lg.assemble(model),
        lambda: lg.assembly_modes(model),
        lambda: lg.consistent_speeds(model, q, rest),
        lambda: str(lg.mobility(model)),
        lambda: str(model),
        lambda: lg.inverse_kinematics(model, [0.1, 0.1, 0.0], "b"),
        lambda: str(lg.derive(model)),
        lambda: lg.derive(model).compile().mass_matrix(q),
        lambda: lg.certify(model, 0.01),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *(SLIDE + EQUATION.format(e) for e in EQUATIONS),
        SLIDE + EQUATION.format("exp(j)*1e308*10 - 1"),
        SLIDE + SPRING.format(0.5, 0),
        SLIDE + SPRING.format(0, 1),
        TURN + SPRING.format(0.5, 1),
        FIXED,
        FIXED + SPRING.format(0.5, 1),
        FIXED + '[[loop]]\nname = "s"\ntype = "point"\na = "ground"\nb = "b"\n',
    ],
)
def test_every_function_gives_a_result_or_an_error_of_our_own(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    model = lg.loads(text)
    for ask in everything(model):
        with warnings.catch_warnings(), contextlib.suppress(lg.LagrangianError):
            warnings.simplefilter("ignore")
            actual = ask()
            if isinstance(actual, lg.Motion) and actual.success:
                assert np.isfinite(actual.q).all()
                assert np.isfinite(actual.kinetic_energy).all()
    assert capfd.readouterr() == ("", "")  # nor does LAPACK say anything


def test_a_constraint_without_a_slope_is_named() -> None:
    model = lg.loads(SLIDE + EQUATION.format("sqrt(j) - t"))
    with pytest.raises(lg.AssemblyError, match=r"one: constraint 'c' has no finite rate at j = 0; a function may be outside"):
        lg.simulate(model, 1.0, [0.0])


def test_what_is_not_closed_because_it_is_no_number_is_not_taken_as_closed() -> None:
    model = lg.loads(SLIDE + EQUATION.format("asin(j + 2)"))
    with pytest.raises(lg.AssemblyError):
        lg.assemble(model, [0.0], starts=0)


def test_a_spring_between_points_that_never_part_does_nothing() -> None:
    spring, plain = lg.compile(lg.loads(TURN + SPRING.format(0.5, 1))), lg.compile(lg.loads(TURN))
    state = np.array([0.3]), np.array([0.2]), np.array([0.1])
    assert spring.forward_dynamics(*state) == pytest.approx(plain.forward_dynamics(*state))
    assert spring.spring_forces(*state[:2]) == pytest.approx([-5.0])


def test_linearise_says_where_accelerations_have_no_derivatives() -> None:
    model = lg.loads(SLIDE + SPRING.format(0.5, 0))
    with pytest.raises(lg.MechanismError, match=r"the acceleration of 'j' has no finite derivatives at j = 0"):
        lg.linearise(model)
    with pytest.raises(lg.MechanismError, match="no finite derivatives"):
        lg.equilibrium(model)


def test_linearise_warns_in_a_singular_configuration() -> None:
    """A parallelogram stretched flat: its loop leaves two speeds free there, and one around it."""
    four_bar = _parallelogram()
    with pytest.warns(lg.errors.SingularWarning, match="leave 2 speeds free here, but 1 nearby"):
        lg.linearise(four_bar, [0.0, 0.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.linearise(four_bar, {"a": 1.0})


def _parallelogram() -> lg.Mechanism:
    links = [lg.Body(n, mass=1.0, center=(0.5 * x, 0, 0), inertia=(0.01, 0.1, 0.1)) for n, x in (("A", 1), ("B", 2), ("C", 1))]
    joints = [
        lg.Joint("a", "revolute", "ground", "A", axis="z"),
        lg.Joint("b", "revolute", "A", "B", axis="z", placement=(1, 0, 0)),
        lg.Joint("c", "revolute", "B", "C", axis="z", placement=(2, 0, 0)),
    ]
    close = lg.LoopJoint("close", "revolute", "ground", "C", a_placement=(2, 0, 0), b_placement=(-1, 0, 0), axis="z")
    return lg.Mechanism("parallelogram", links, joints, loops=[close])


@pytest.mark.parametrize("arguments", [{"type": "fixed"}, {"type": "prismatic", "axis": (1, 0, 0)}])
def test_a_weld_of_what_cannot_move_that_does_not_fit(arguments: dict[str, Any]) -> None:
    loop = lg.LoopJoint("weld", a="ground", b="b", b_placement=(0, 0, 0.5), **arguments)
    body = lg.Body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = lg.Mechanism("still", bodies=[body], joints=[lg.Joint("f", "fixed", "ground", "b")], loops=[loop])
    for function in (lg.assemble, lg.mobility, lambda m: lg.simulate(m, 0.1)):
        with pytest.raises(lg.errors.AssemblyError, match=r"'weld' misses by 0\.5"):
            function(model)


def test_what_does_not_move_is_not_linearised() -> None:
    with pytest.raises(lg.errors.ArgumentError, match="no joint that moves"):
        lg.linearise(lg.Mechanism("nothing", bodies=[], joints=[]))


def test_linear_algebra_says_nothing_on_standard_error() -> None:
    code = """
import warnings, numpy as np, lagrangian as lg
warnings.simplefilter("ignore")
d = lg.compile(lg.library("four_bar"))
q = d.mechanism.neutral() * np.nan
for f in (lambda: d.multipliers(q, q, q), lambda: d.forward_dynamics(q, q, q), lambda: d.forward_dynamics_derivatives(q, q, q),
          lambda: lg.linearise(d, t=np.nan), lambda: lg.equilibrium(d, t=np.inf)):
    try:
        f()
    except lg.LagrangianError:
        pass
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_disc_that_lies_flat_is_named() -> None:
    """Its axis is along the normal of the plane whatever moves: it touches at no one point."""
    disc = lg.Body("disc", 1.0, inertia=(0.1, 0.1, 0.2))
    lift = lg.Joint("lift", "prismatic", "ground", "disc")
    flat = lg.RollingConstraint("edge", "disc", radius=0.3, axis="z", normal="z")
    mechanism = lg.Mechanism("flat", [disc], [lift], constraints=[flat])
    with pytest.raises(lg.MechanismError, match=r"edge.*lies flat"):
        lg.compile(mechanism).forward_dynamics([0.3], [0.0], [0.0])
