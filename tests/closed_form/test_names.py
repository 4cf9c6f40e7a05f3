"""Names in formulas: the user's own stay as they are, and none that is printed stands for something else when it is read."""

from __future__ import annotations

import pytest

import lagrangian as lg

MIXED = """
name = "mixed"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = 0.5
{parameter} = 2.0
[[body]]
name = "a"
mass = 1.0
[[body]]
name = "b"
mass = "{parameter}"
[[body]]
name = "c"
mass = 1.5
center = ["l", 0.0, 0.0]
[[joint]]
name = "{0}"
type = "prismatic"
axis = "x"
parent = "ground"
child = "a"
friction = {{viscous = 0.2, coulomb = 0.7}}
[[joint]]
name = "{1}"
type = "prismatic"
axis = "y"
parent = "a"
child = "b"
spring = {{stiffness = 3.0, rest = 0.1}}
[[joint]]
name = "{2}"
type = "revolute"
parent = "b"
child = "c"
friction = {{viscous = 0.2, coulomb = 0.7}}
"""


def mixed_equations(*coordinates: str, parameter: str = "m") -> lg.EquationsOfMotion:
    return lg.derive(lg.loads(MIXED.format(*coordinates, parameter=parameter)))


def formulas(eom: lg.EquationsOfMotion) -> list[lg.Formula]:
    results = [x for matrix in (eom.M, eom.C, eom.G, eom.F, eom.tau) for row in matrix.rows for x in row]
    return [*results, eom.kinetic_energy, eom.potential_energy]


@pytest.mark.parametrize(
    "names",
    [
        ("x", "y", "q1"),  # q1 is the third, not the first
        ("q3", "q2", "q1"),
        ("s1", "s2", "s3"),  # s3 is no sine
        ("c3", "y", "s1"),
        ("qd1", "sgn3", "qdd3"),
        ("x", "y", "alpha"),
        ("x1", "y2", "theta3"),
        ("along", "a_long_name_across", "turn"),
    ],
)
@pytest.mark.parametrize("parameter", ["m", "q2"])
def test_what_is_printed_is_what_is_read(names: tuple[str, ...], parameter: str) -> None:
    if parameter in names:
        with pytest.raises(lg.LagrangianError, match="also a parameter"):
            mixed_equations(*names, parameter=parameter)
        return
    for formula in formulas(mixed_equations(*names, parameter=parameter)):
        assert formula == str(formula)
        assert formula == formula.unicode()
        assert not any(formula.diff(name).is_zero for name in formula.names)


def test_the_cosine_of_alpha_is_called_so() -> None:
    eom = mixed_equations("x", "y", "alpha")
    assert str(eom.M[1, 2]) == "3*l*cos(alpha)/2"
    assert eom.M[1, 2].unicode() == "3 l cos(α)/2"
    assert eom.M[1, 2].latex() == r"\frac{3 \, l \, \cos(\alpha)}{2}"
    assert "<mi>cos</mi>" in eom.M[1, 2].mathml()
    assert "<mi>α</mi>" in eom.M[1, 2].mathml()
    assert str(eom.C[0, 2]) == "-3*l*cos(alpha)*qd_alpha/2"
    assert "c₃" not in str(eom)


def test_numbered_angles_keep_the_short_names_of_the_lecture() -> None:
    eom = lg.derive("two_r")
    assert str(eom.G[1]) == "m2*r2*g*c12"
    assert "c₁₂ = cos(θ₁ + θ₂)" in str(eom)


def test_zero_entries_are_shown() -> None:
    eom = lg.derive("four_bar")
    shown = str(eom)
    for line in ("M₁₃ = M₃₁ = 0", "M₂₃ = M₃₂ = 0", "C₁₃ = 0", "C₂₂ = C₂₃ = 0", "C₃₁ = C₃₂ = C₃₃ = 0"):
        assert f"\n  {line}\n" in shown
    assert r"M_{13} = M_{31} &= 0" in eom.latex()
    assert r"C_{31} &= C_{32} = C_{33} = 0" in eom.latex()
    assert "\n  G₂ = 0\n" in str(lg.derive("cartesian_pp"))
    # every entry has its name, once
    for section in eom.sections():
        if section.key in ("M", "C", "Psi", "Psi_dot"):
            names = [name for same, _ in section.formulas for name in same]
            assert sorted(names) == sorted({f"{section.key}{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)} & {*names})
            assert len(names) == (6 if section.key.startswith("Psi") else 9)


def test_quotients_stand_below_a_line() -> None:
    eom = lg.derive("wire_particles")
    assert str(eom.Psi[0, 2]) == "-(x1 - x2)/l"
    assert eom.Psi[0, 0].latex() == r"\frac{x_{1} - x_{2}}{l}"
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>l</mi></mrow></mfrac>" in eom.Psi[0, 0].mathml()
    for formula in (*eom.closure, *eom.Psi[0], *eom.Psi_dot[0]):
        assert formula.round_trips()
        assert formula == str(formula)
        assert formula == formula.unicode()
    assert eom.closure[0] == "((x1 - x2)^2 + (y1 - y2)^2 - l^2)/(2*l)"


def test_an_inverse_meets_what_it_is_of() -> None:
    """sin^2 is written by the cosine, whose inverse was there before."""
    joint = 'name = "x"\ntype = "prismatic"\nparent = "ground"\nchild = "b"\nxyz = [0, 0, 0]'
    text = f"""
name = "m"
gravity = [0, 0, 0]
[parameters]
a = 0.3
[[body]]
name = "b"
mass = "sin(a)^2/cos(a) + cos(a)"
[[joint]]
{joint}
"""
    assert str(lg.derive(lg.loads(text)).M[0, 0]) == "1/cos(a)"
