"""What constraints are checked for, by themselves, in a mechanism, when compiled, and when derived."""

import math

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import DescriptionError, MechanismError
from lagrangian.model.expression import parse, symbol

A, B = lg.Body("a", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), lg.Body("b", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1))
JOINTS = [lg.Joint("qa", "revolute", "ground", "a"), lg.Joint("qb", "revolute", "a", "b", (0.3, 0, 0))]
QA, QB, TIME = symbol("qa"), symbol("qb"), symbol("t")


def make(*constraints):
    return lg.Mechanism("test", [A, B], JOINTS, constraints=constraints)


def row(t, q, qd):
    return qd[0]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda: lg.HolonomicConstraint("c", "qa - "), "constraint 'c': equation: in the expression 'qa - '"),
        (lambda: lg.HolonomicConstraint("c", "qa = qb = 1"), "'qa = qb = 1' has more than one '='"),
        (lambda: make(lg.HolonomicConstraint("c", "qa = 2*qx")), "constraint 'c': there is no coordinate 'qx'"),
        (lambda: lg.HolonomicConstraint("c", None), "constraint 'c': equation is None; a number is needed"),
        (lambda: make(lg.HolonomicConstraint("c", 3.0)), "constraint 'c': its equation contains no coordinate: 3.0"),
        (lambda: make(lg.HolonomicConstraint("c", TIME * 2)), r"its equation contains no coordinate: t\*2"),
        (lambda: make(lg.HolonomicConstraint("c", QA - symbol("qx"))), "constraint 'c': there is no coordinate 'qx'"),
        (
            lambda: lg.PfaffianConstraint("c", ()),
            r"constraint 'c': coefficients is \(\); it must map speeds to their coefficients",
        ),
        (lambda: lg.PfaffianConstraint("c", ("qa", "qb")), "it must map speeds to their coefficients"),
        (lambda: lg.PfaffianConstraint("c", (("qa", "2*"),)), "the coefficient of 'qa': in the expression"),
        (lambda: make(lg.PfaffianConstraint("c", (("qa", 1),), "qb")), "phi may depend on t only"),
        (lambda: lg.RollingConstraint("c", "a", 0), "constraint 'c': radius is 0 m; it must be positive"),
        (lambda: lg.RollingConstraint("c", "a", -0.5), "radius is -0.5 m"),
        (lambda: lg.RollingConstraint("c", "a", "x"), "radius is 'x'; a number is needed"),
        (lambda: lg.RollingConstraint("c", "a", math.nan), "radius is nan; finite numbers"),
        (lambda: lg.RollingConstraint("c", "a", 1.0, (1, 2)), r"center is \(1, 2\); three numbers are needed"),
        (lambda: lg.RollingConstraint("c", "a", 1.0, axis=(0, 0, 0)), "axis is .*it needs a finite direction"),
        (lambda: lg.RollingConstraint("c", "a", 1.0, normal=(0, 0, math.inf)), "normal is .*finite direction"),
        (lambda: lg.RollingConstraint("c", "a", 1.0, on="a"), "body 'a' cannot roll on itself"),
        (lambda: make(lg.RollingConstraint("c", "aa", 1.0)), "constraint 'c': there is no body 'aa'. Did you mean 'a'"),
        (lambda: make(lg.RollingConstraint("c", "a", 1.0, on="floor")), "there is no body 'floor'. Known: ground, a, b"),
        (lambda: lg.KnifeEdgeConstraint("c", "a", (0, 0, 0)), "direction is .*it needs a finite direction"),
        (lambda: lg.KnifeEdgeConstraint("c", "a", (0, 1, 0), (1, math.inf, 0)), "point is inf; finite numbers"),
        (lambda: make(lg.KnifeEdgeConstraint("c", "x", (0, 1, 0))), "constraint 'c': there is no body 'x'"),
        (lambda: lg.PfaffianFunctionConstraint("c", 3), r"constraint 'c': function is 3; it must be a function of \(t, q, qd\)"),
        (lambda: lg.PfaffianFunctionConstraint("c", None), "function is None; it must be a function"),
        (lambda: lg.PfaffianFunctionConstraint("c", row, 0), "equation_count is 0; .* at least 1"),
        (lambda: lg.PfaffianFunctionConstraint("c", row, 1.5), "equation_count is 1.5"),
        (lambda: lg.PfaffianFunctionConstraint("c", row, True), "equation_count is True"),
        (lambda: lg.LoopJoint("l", "distance", "a", "b"), "loop 'l': 'length' is missing; a distance loop needs `length`"),
        (lambda: lg.LoopJoint("l", "distance", "a", "b", length=0), "length is 0 m; the distance must be positive"),
        (lambda: lg.LoopJoint("l", "distance", "a", "b", length=-1), "length is -1 m"),
        (lambda: lg.LoopJoint("l", "distance", "a", "b", length=math.nan), "length is nan; finite numbers"),
        (
            lambda: make(lg.HolonomicConstraint("c", QA), lg.KnifeEdgeConstraint("c", "a", "y")),
            "the name of loop, constraint, spring or wall 'c'",
        ),
        (
            lambda: lg.Mechanism("m", [A, B], JOINTS, constraints=lg.HolonomicConstraint("c", QA)),
            "constraints is one HolonomicConstraint; a list",
        ),
        (
            lambda: make("qa = 3"),
            "constraints has 'qa = 3' in it; it may hold only PfaffianConstraint or HolonomicConstraint or KnifeEdgeConstraint "
            "or RollingConstraint or Pfaff",
        ),
    ],
)
def test_wrong_constraints_are_refused(result, message):
    with pytest.raises(MechanismError, match=message):
        result()


def branching(t, q, qd):
    return qd[0] if q[0] > 0 else qd[1]


@pytest.mark.parametrize(
    ("function", "equations", "message"),
    [
        (lambda t, q, qd: [qd[0], qd[1]], 1, "constraint 'f': its function returns 2 numbers, but `equation_count` is 1"),
        (lambda t, q, qd: qd[0], 2, "returns 1 numbers, but `equation_count` is 2"),
        (lambda t, q, qd: qd[0] * qd[0], 1, "is not linear in the speeds"),
        (lambda t, q, qd: qd[0] * qd[1] * q[0], 1, "is not linear in the speeds"),
        (lambda t, q, qd: np.sqrt(1 + qd[1] ** 2), 1, "is not linear in the speeds"),
        (lambda t, q, qd: math.cos(q[0]) * qd[0], 1, "cannot be compiled: .*not those of the math module"),
        (branching, 1, "cannot be compiled: .*must not branch on values"),
        (lambda t, q, qd: None, 1, "cannot be compiled: .*must return a number or a list of numbers"),
    ],
)
def test_functions_that_cannot_be_compiled(function, equations, message):
    mechanism = make(lg.PfaffianFunctionConstraint("f", function, equations))
    with pytest.raises(MechanismError, match=message):
        lg.compile(mechanism).constraint_jacobian([0.0, 0.0])


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (lg.PfaffianFunctionConstraint("c", row), "constraint 'c': a Python function has no closed form"),
        (lg.HolonomicConstraint("c", QA * TIME), "constraint 'c': its time derivative depends on 'qa'"),
    ],
)
def test_what_has_no_closed_form(constraint, message):
    with pytest.raises(MechanismError, match=message):
        lg.derive(make(constraint))


def test_quaternions_have_no_closed_form():
    flying = [lg.Joint("f", "free", "ground", "a"), lg.Joint("qb", "revolute", "a", "b")]
    held = lg.Mechanism("m", [A, B], flying, constraints=[lg.HolonomicConstraint("c", symbol("f.w") - symbol("f.x"))])
    with pytest.raises(MechanismError, match="is part of a quaternion"):
        lg.derive(held)


def test_a_mapping_serves_as_coefficients():
    assert lg.PfaffianConstraint("c", {"qa": 1, "qb": QA}) == lg.PfaffianConstraint("c", (("qa", 1), ("qb", QA)))


def test_all_kinds_in_a_file():
    """The same constraints from TOML as from Python, and in the table."""
    text = """
        [parameters]
        r = 0.3
        [[body]]
        name = "a"
        mass = 1.0
        [[body]]
        name = "b"
        mass = 1.0
        [[joint]]
        name = "qa"
        type = "free"
        child = "a"
        [[joint]]
        name = "qb"
        type = "revolute"
        parent = "a"
        child = "b"
        [[constraint]]
        name = "drive"
        equation = "qb = 2*sin(3*t) + qa.px"
        [[constraint]]
        name = "zero"
        type = "equation"
        equation = "qa.py^2 - qb"
        [[constraint]]
        name = "wheel"
        type = "rolling"
        body = "b"
        radius = "2*r"
        center = [0, "r", 0]
        axis = "y"
        normal = "-x"
        point = [1, 2, 3]
        [[constraint]]
        name = "ball"
        type = "rolling"
        body = "b"
        radius = 0.2
        on = "a"
        [[constraint]]
        name = "edge"
        type = "knife_edge"
        body = "a"
        direction = [0, 2, 0]
        point = [0, 0, "r"]
        [[constraint]]
        name = "row"
        coefficients = { qa.wx = "qb", qb = 1 }
        phi = "t"
    """
    drive, zero, wheel, ball, edge, row = lg.loads(text).constraints
    px, py = symbol("qa.px"), symbol("qa.py")
    assert str(drive.equation) == "qb-(2*sin(3*t)+qa.px)"
    assert zero.equation == py**2 - symbol("qb")
    assert px != py
    want = lg.RollingConstraint("wheel", "b", 0.6, (0, 0.3, 0), (0, 1, 0), "ground", (-1, 0, 0), (1, 2, 3))
    assert [float(wheel.radius), *map(float, (*wheel.center, *wheel.axis, *wheel.normal, *wheel.point))] == pytest.approx(
        [0.6, *want.center, *want.axis, *want.normal, *want.point]
    )
    assert (wheel.on, ball.on, ball.axis, ball.normal) == ("ground", "a", None, (0, 0, 1))
    assert tuple(map(float, edge.direction)) == (0, 1, 0)
    assert float(edge.point[2]) == 0.3
    assert {speed for speed, _ in row.coefficients} == {"qa.wx", "qb"}
    shown = str(lg.loads(text))
    for line in ("constraint drive: qb-(2*sin(3*t)+qa.px) = 0", "disc of b, radius 2*r m, rolls on ground", "knife edge of a"):
        assert line in shown
    with pytest.raises(DescriptionError, match="more than one '='"):
        lg.loads(text.replace("qa.py^2 - qb", "qb = 1 = 2"))


def test_equations_in_text():
    """The same as expressions: names are coordinates, or t."""
    assert lg.HolonomicConstraint("c", "qa = 2*qb + sin(t)").equation == parse(
        "qa - (2*qb + sin(t))", {"qa": QA, "qb": QB, "t": TIME}
    )
    assert lg.PfaffianConstraint("c", {"qa": "cos(qb)"}, "t").coefficients == (("qa", parse("cos(qb)", {"qb": QB})),)


def test_long_coefficients_are_shown():
    long = "0.1*cos(theta1) + 0.2*sin(theta2) - 0.3*theta1*theta2"
    shown = str(lg.library("two_r").replace(constraints=[lg.PfaffianConstraint("c", {"theta1": long, "theta2": 1})]))
    assert "0.3*theta1*theta2" in shown
