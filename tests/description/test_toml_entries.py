"""Every entry of a mechanism in TOML, and what cannot be written."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.description.toml_round_trips import (
    CARRIED,
    again,
    arm,
    assert_same,
    assert_same_dynamics,
)

import lagrangian as lg
from lagrangian.errors import ArgumentError, ReaderWarning, has_invisible
from lagrangian.model.expression import free_symbols, parse, symbol
from lagrangian.model.shapes import Visual

# -- everything else a mechanism has ---------------------------------------------------------------------------------------


TEXTS = [
    'quotes " and \' and """three"""',
    "back\\slash \\n \\u0041",
    "lines\nof\n\ntext\n",
    "\nfirst line empty",
    "crlf\r\nand cr\r",
    "tab\tbell\x07 del\x7f nul\x00",
    "ünïcödé 中文 🦾 \u2028 \u0085",
    "# no comment [table] = 3",
    "trailing backslash\\\n next",
    "spaces   \n   around  ",
    ". " * 40,
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_read_back(text):
    m = replace(lg.library("pendulum"), description=text, source=text)
    read = again(m)
    assert (read.description, read.source) == (text, text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text(text):
    seen = "".join(c for c in text if not has_invisible(c))  # names have no other characters
    m = replace(lg.library("pendulum"), description=text, poses={seen: (0.5,)})
    read = again(m) if text not in ("name", "description", "source", "gravity") else m
    assert (read.description, read.poses) == (m.description, m.poses)


def test_names_that_need_quotes():
    m = lg.Mechanism(
        'ä "b"',
        [lg.Body("link 1", 1.0, (0.1, 0, 0), (1, 1, 1)), lg.Body("a'\"]\\", 1.0)],
        [lg.Joint("elbow-1.x", "revolute", "ground", "link 1"), lg.Joint("2 d", "planar", "link 1", "a'\"]\\")],
        poses={"a.b": (1, 2, 3, 4), "": (0, 0, 0, 0)},
        constraints=[lg.PfaffianConstraint("c c", (("2 d.vx", 1), ("elbow-1.x", 0.5)), 0)],
        initial=lg.InitialState(torque=(("2 d.w", 3.5), ("elbow-1.x", parse("sin(t)", {"t": symbol("t")})))),
    )
    assert_same(m, again(m))


def everything():
    k = lg.parameter("k", 3e-7)
    body = lg.Body(
        "b", 2.0, (0.1, 0.2, 0.3), (0.5, 0.01, -0.02, 0.6, 0.03, 0.7), visuals=(Visual("mesh", (1, 1, 2), file="a b.stl"),)
    )
    light = lg.Body("e", -0.1, (0, 0, 0), (0.1, 0, 0, -0.3, 0, 1), effective=True)
    names = {"j": symbol("j"), "t": symbol("t"), "qd_j": symbol("qd_j"), "k": k}
    return lg.Mechanism(
        "all",
        [body, light, lg.Body("w", 1.0, (0, 0, 0), (1, 1, 1))],
        [
            lg.Joint(
                "j",
                "helical",
                "ground",
                "b",
                axis=(1, 2, 3),
                pitch=-0.01,
                friction=lg.Friction(0.1, 0.2, k),
                rotor=lg.Rotor(1e-7, -100),
                spring=lg.JointSpring(-2.0, 0.1),
                limits=lg.JointLimits(-math.inf, 3, effort=2.5),
                actuated=False,
            ),
            lg.Joint("u", "universal", "b", "e", axis="x", axis2="-z", friction=lg.Friction(0, k, 0)),
            lg.Joint("w", "free", "ground", "w", friction=lg.Friction(0.5)),
        ],
        [lg.LoopJoint("rod", "distance", "e", "w", length=0.5 * k)],
        [
            lg.HolonomicConstraint("gear", "j = 2*u.1 - (0.1 + (0.2 + t))"),
            lg.PfaffianConstraint("p", (("u.2", "cos(j)/3"), ("j", 1)), "sin(t)^2"),
            lg.RollingConstraint("tyre", "w", 0.3, (0, 0, 0.1), (0, 1, 1), "b", "x", (1, 2, 3)),
            lg.RollingConstraint("sphere", "e", 0.1),
            lg.KnifeEdgeConstraint("blade", "w", (0.6, 0.8, 0.3), (0, 0, 1)),
        ],
        [
            lg.PointSpring("s", "ground", "e", (0, 0, 1), (1, 0, k), 5, 0.1, 0.2),
            lg.Wall("floor", "w", (0, 0, 1), "b", (0.1, 0, 0), (1, 1, 0), 1e5, k),
        ],
        [lg.Frame("tip", "e", lg.Transform.from_rpy((k, 0, 0), (0.1, 0.2, 0.3)))],
        gravity=(0, 0.1 + 0.2, -9.80665),
        poses={"p": (0.1, 1 / 3, -0.0, 1, 0, 0, 0, 1, 2, 3)},
        initial=lg.InitialState(
            (0.0,) * 3 + (1.0,) + (0.0,) * 6,
            tuple(np.linspace(0, 1, 9)),
            (0.5, 2),
            (("j", parse("-k*(j-(t-qd_j))", names)), ("w.vx", 2)),
        ),
        parameters={"twice": 2 * k, "k": k, "unused": lg.parameter("unused", 5)},
    )


def test_every_entry_is_read_back():
    m = everything()
    read = again(m)
    for name in CARRIED:
        assert getattr(m, name) == getattr(read, name), name  # parameters in an order in which they can be read
    assert list(read.parameters) == ["k", "twice", "unused"]
    assert free_symbols(dict(read.initial.torque)["j"]) == {"j", "t", "qd_j"}
    assert_same_dynamics(m, read)


def test_sums_keep_their_order():
    """a + (b + c) and (a + b) + c differ in the last bit."""
    a, b, c = (lg.parameter(n, x) for n, x in (("a", 0.1), ("b", 0.2), ("c", 0.3)))
    one, other = a + (b + c), (a + b) + c
    assert float(one) != float(other)
    for mass in (one, other, a * (b * c), a / (b / c), a - (b - c), (-a) ** 2 * -b, -((a * b) ** (c**2))):
        m = lg.Mechanism("m", [lg.Body("b", mass, effective=True)], [lg.Joint("j", "prismatic", "ground", "b")])
        assert again(m).bodies == m.bodies


# -- what cannot be written ------------------------------------------------------------------------------------------------


def test_long_expressions_are_written_by_their_values():
    a = lg.parameter("a", 0.1)
    long = sum([a * a] * 200, a)
    m = arm(gravity=(0, long, 0))
    with pytest.warns(ReaderWarning, match="1 expression"):
        read = again(m)
    assert read.gravity == (0, float(long), 0)


def test_walls_before_springs():
    wall, spring = lg.Wall("w", "bob", stiffness=1e3), lg.PointSpring("s", "ground", "bob", stiffness=1.0)
    with pytest.warns(ReaderWarning, match="order"):
        assert again(arm(springs=(wall, spring))).springs == (spring, wall)


def ball():
    return lg.Mechanism("m", [lg.Body("b", 1.0, (0, 0, 0), (1, 1, 1))], [lg.Joint("j", "ball", "ground", "b")])


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (
            arm(constraints=[lg.PfaffianFunctionConstraint("f", lambda t, q, qd: qd[0])]),
            "pendulum: .*constraint 'f': a file cannot hold a Python function",
        ),
        (arm(poses={"gravity": (0.0,)}), "'gravity' belongs to the whole file"),
        (arm(description="\ud800"), "not Unicode"),
        (arm(gravity=(0, lg.parameter("x.y", 1), 0)), "'x.y' cannot be a name"),
        (arm(gravity=(0, lg.parameter("c", 1), lg.parameter("c", 2))), "'c' is 2.0 in one place and 1.0 in another"),
        (ball().replace(poses={"p": (2, 0, 0, 0)}), "has length 2; it must be 1"),
        (lg.Mechanism("m", [lg.Body("b", 1.0)], [lg.Joint("t", "prismatic", "ground", "b")]), "give the joint another name"),
        (lg.Mechanism("m", [], []), "describes no joints"),
        ("pendulm", "neither a file nor a mechanism of the library"),
        (None, "not NoneType"),
    ],
)
def test_mechanisms_that_a_file_cannot_describe_are_refused(mechanism, message):
    with pytest.raises(ArgumentError, match=message):
        lg.dumps(mechanism)


def test_files_are_written_without_carriage_returns(tmp_path):
    m = lg.library("pendulum")
    for path, message in {
        tmp_path / "a.tml": "Did you mean '.toml'",
        tmp_path / "a": "no writer for the suffix",
        tmp_path / "no" / "a.toml": "there is no folder",
    }.items():
        with pytest.raises(ArgumentError, match=message):
            lg.save(m, path)
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(ArgumentError, match="this is a folder"):
        lg.save(m, tmp_path / "d.toml")
    with pytest.raises(ArgumentError, match="a path to a file is needed"):
        lg.save(m, 3)
    file = lg.save(lg.library("two_r"), str(tmp_path / "a.toml"))
    with pytest.raises(ArgumentError, match="Python function"):
        lg.save(arm(constraints=[lg.PfaffianFunctionConstraint("f", lambda t, q, qd: qd[0])]), file)
    assert lg.load(file).name == "two_r"  # what cannot be written leaves the file alone
    lg.save(m, file)
    assert lg.load(file).name == "pendulum"
    assert b"\r" not in file.read_bytes()
