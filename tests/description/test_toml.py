"""The TOML format: the documented example, what each entry becomes, parameters and files."""

import math
import re
import textwrap
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from toml_mistakes import BOB, LOOP, PENDULUM, ROW, THETA

from lagrangian.description.toml import reader as toml
from lagrangian.description.toml.elements import SHAPE_READERS
from lagrangian.errors import ArgumentError, DescriptionError, MechanismWarning
from lagrangian.model.dh import DHParameters
from lagrangian.model.expression import FUNCTIONS, free_symbols
from lagrangian.model.joint import Friction, JointLimits, JointSpring, Rotor
from lagrangian.model.joints import TYPES as JOINT_TYPES
from lagrangian.model.loops import TYPES as LOOP_TYPES
from lagrangian.model.mechanism import Mechanism


def parse(text):
    return toml.read_text(textwrap.dedent(text), "arm.toml")


DOCS = Path(__file__).parents[2] / "docs" / "reference" / "toml.md"


CONSTRAINTS, EXAMPLE, DH_TABLE = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


# -- the documentation -----------------------------------------------------------------------------------------------------


def test_the_documented_example():
    m = toml.read_text(EXAMPLE, "docs.toml")
    assert (m.name, m.nq, m.nv, m.equation_count) == ("example", 8, 7, 3)
    assert [float(x) for x in m.gravity] == [0, -9.81, 0]
    assert m.coordinate_names == ("x", "theta1", "theta2", "theta3", "wheel.w", "wheel.x", "wheel.y", "wheel.z")
    assert m.joints[0].friction == Friction(2.0, 0.5, 0.5)
    assert m.joints[0].limits == JointLimits(-1, 1, 2, 100)
    assert m.joints[1].rotor == Rotor(1e-5, 100)
    assert m.joints[1].spring == JointSpring(0.1, 0)
    assert not m.joints[2].actuated
    assert m.joints[1].actuated
    assert m.poses["bent"] == pytest.approx((0, math.pi / 6, math.pi / 3, 0, 1, 0, 0, 0))
    assert m.poses["turned"] == (0, 0, 0, 0, 0, 0, 0, 1)
    assert m.initial.q == (0, 0.1, 0, 0, 1, 0, 0, 0)
    assert m.initial.qd == (0.2, 0, 0, 0, 1, 0, 0)
    assert m.initial.t_span == (0, 5)
    torques = dict(m.initial.torque)
    assert free_symbols(torques["x"]) == {"t", "qd_x"}
    assert free_symbols(torques["theta1"]) == {"theta1"}
    assert m.frame("tip").placement.position == (0.3, 0, 0)
    spin = m.constraints[0]
    assert {name: free_symbols(c) for name, c in spin.coefficients} == {"wheel.wz": set(), "x": {"theta1"}}
    assert free_symbols(spin.phi) == {"t"}
    assert m.springs[0].stiffness == 50
    assert float(m.springs[0].b_point[0]) == 0.5
    floor = m.springs[-1]
    assert (floor.body, floor.on, floor.point, floor.normal) == ("link3", "ground", (0.35, 0, 0), (0, 1, 0))
    assert (floor.position, floor.stiffness, floor.damping) == ((0, -1.5, 0), 1e5, 1e4)


def test_the_documented_dh_table():
    m = toml.read_text(DH_TABLE, "docs.toml")
    assert m.coordinate_names == ("q1", "slide")
    assert m.frame("tool").body == "carriage"


def test_the_documented_constraints():
    m = toml.read_text(CONSTRAINTS, "docs.toml")
    assert [(type(c).__name__, c.equation_count) for c in m.constraints] == [
        ("RollingConstraint", 3),
        ("HolonomicConstraint", 1),
        ("KnifeEdgeConstraint", 1),
    ]


def test_the_documentation_names_every_entry():
    text = DOCS.read_text(encoding="utf-8")
    source = "".join((Path(toml.__file__).parent / f).read_text() for f in ("elements.py", "motion.py"))
    keys = set(re.findall(r'table\.(?:number|vector|text|name|boolean|choice|get)\("(\w+)"', source))
    assert len(keys) > 15
    for key in keys:
        assert re.search(rf"\b{key}\b", text), f"{key} is not in docs/reference/toml.md"


def test_the_documentation_names_every_table_and_type():
    text = DOCS.read_text(encoding="utf-8")
    for name in toml.ELEMENTS:
        assert f"`[[{name}]]`" in text
    for name in ("parameters", "dh", "pose", "initial"):
        assert f"`[{name}]`" in text
    joints, loops = (re.search(rf"^## {title}$.*?^## ", text, re.MULTILINE | re.DOTALL).group() for title in ("Joints", "Loops"))
    for section, kinds in ((joints, JOINT_TYPES), (loops, LOOP_TYPES)):
        for name, kind in kinds.items():
            (row,) = [line for line in section.splitlines() if line.startswith(f"| `{name}` |")]
            assert all(f"`{entry.name}`" in row for entry in kind.entries), row
    for name in SHAPE_READERS:
        assert f'| `"{name}"` |' in text


def test_the_documentation_names_every_function():
    listed = re.search(r"the functions `([^`]*)`", DOCS.read_text(encoding="utf-8"))
    assert listed.group(1).split() == FUNCTIONS


# -- what entries become ---------------------------------------------------------------------------------------------------


def test_names_stay_in_the_closed_form_and_have_values():
    m = parse('[parameters]\nm1 = 2\nl = 0.5\nI = "m1*l^2/3"\nangle = "pi/4"\n' + BOB.replace("mass = 1", 'mass = "m1"') + THETA)
    assert str(m.bodies[0].mass) == "m1"
    assert float(m.bodies[0].mass) == 2
    assert float(m.parameters["I"]) == pytest.approx(1 / 6)
    assert str(m.parameters["I"]) == "m1*l^2/3"
    assert str(m.parameters["angle"]) == "angle"
    assert float(m.parameters["angle"]) == pytest.approx(math.pi / 4)


@pytest.mark.parametrize(
    "inertia",
    [
        "inertia = [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]",
        "inertia = { xx = 2, yy = 3, zz = 4, xy = 0.1, xz = 0.2, yz = 0.3 }",
    ],
)
def test_forms_of_the_inertia(inertia):
    assert parse(BOB + inertia + THETA).bodies[0].inertia == (2, 0.1, 0.2, 3, 0.3, 4)


def test_inertia_at_the_origin_is_shifted_to_the_centre():
    m = parse(BOB.replace("[1, 0, 0]", "[0.1, 0.2, 0.3]") + "inertia_at_origin = [2, 3, 4]" + THETA)
    c = np.array([0.1, 0.2, 0.3])
    assert m.bodies[0].inertia_matrix == pytest.approx(np.diag([2, 3, 4]) - (c @ c * np.eye(3) - np.outer(c, c)))


def test_placements_take_angles_quaternions_and_parents():
    m = parse(
        PENDULUM
        + 'xyz = [1, 2, 3]\nrpy = [0, 0, "pi/2"]\nchild_quaternion = [1, 1, 0, 0]\nchild_xyz = [0, 0, 1]\naxis = "-y"\n'
        + '[[frame]]\nname = "f"\nbody = "bob"\nrpy = [0.1, 0.2, 0.3]\n'
    )
    joint = m.joints[0]
    assert joint.placement.matrix() == pytest.approx(np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]))
    assert joint.child_placement.matrix() == pytest.approx(np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 1], [0, 0, 0, 1]]))
    assert joint.axis == (0, -1, 0)
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (0.1, 0.2, 0.3))
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    pitch = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    roll = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    assert m.frame("f").placement.matrix()[:3, :3] == pytest.approx(yaw @ pitch @ roll)


def test_shapes_are_weighed_and_placed():
    box = '{ shape = "box", size = [2, 1, 1], density = 3, xyz = [1, 0, 0] }'
    point = '{ shape = "point", mass = 6, xyz = [-1, 0, 0] }'
    bob = parse(f'[[body]]\nname = "bob"\nshapes = [{box}, {point}]\n{THETA}').bodies[0]
    assert float(bob.mass) == 12
    assert bob.center == pytest.approx((0, 0, 0))
    assert bob.inertia[0] == pytest.approx(6 * 2 / 12)
    assert bob.inertia[5] == pytest.approx(6 * 5 / 12 + 12)


def test_coulomb_friction_in_two_directions():
    assert parse(PENDULUM + "friction = { coulomb = 0.3, coulomb_negative = 0.4 }").joints[0].friction == Friction(0, 0.3, 0.4)


def test_limits_may_be_infinite():
    assert parse(PENDULUM + "limits = { lower = -inf, upper = 2 }").joints[0].limits == JointLimits(-math.inf, 2)


ARM = """
[dh]
convention = "modified"
base = { xyz = [0, 0, 1] }
[[dh.row]]
joint = "R"
alpha = 0.3
mass = 2
inertia = { xx = 1, yy = 1, zz = 1, xy = 0.1 }
[[dh.row]]
joint = "P"
a = 0.5
friction = { viscous = 2 }
"""


def test_a_dh_table_is_what_from_dh_makes_of_its_rows():
    rows = [
        DHParameters("R", alpha=0.3, mass=2, inertia=[[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]),
        DHParameters("P", a=0.5, friction=Friction(2)),
    ]
    ours = parse(ARM)
    theirs = Mechanism.from_dh(rows, convention="modified", base=ours.joints[0].placement @ ours.joints[0].placement.inverse())
    assert ours.bodies == theirs.bodies
    assert ours.joints[1] == theirs.joints[1]
    assert ours.joints[0].placement.position == (0, 0, 1)


@pytest.mark.parametrize(
    ("joint", "kind"), [("", "revolute"), ("joint = 'revolute'", "revolute"), ("joint = 'prismatic'", "prismatic")]
)
def test_a_dh_joint_by_its_whole_name_or_none(joint, kind):
    assert parse(ROW + joint).joints[0].type == kind


def test_bodies_beside_a_dh_table_hang_on_its_links():
    hand = '[[body]]\nname = "hand"\nmass = 1\n[[joint]]\nname = "grip"\ntype = "fixed"\nparent = "link2"\nchild = "hand"\n'
    m = parse(ARM + hand)
    assert [b.name for b in m.bodies] == ["link1", "link2", "hand"]
    assert m.joints[2].parent == "link2"


def test_the_name_is_the_files_if_none_is_given():
    assert toml.read_text(PENDULUM, "dir/pend.toml").name == "pend"
    assert toml.read_text(PENDULUM).name == "mechanism"


def test_dotted_names_with_and_without_quotes():
    free = BOB + '[[joint]]\nname = "base"\ntype = "free"\nchild = "bob"\n'
    plain = parse(free + "[initial]\nqd = { base.vx = 1 }\n[pose]\np = { base.px = 2 }")
    quoted = parse(free + '[initial]\nqd = { "base.vx" = 1 }\n[pose]\np = { "base.px" = 2 }')
    assert plain.initial.qd == quoted.initial.qd == (0, 0, 0, 1, 0, 0)
    assert plain.poses == quoted.poses == {"p": (1, 0, 0, 0, 2, 0, 0)}


# -- degrees ---------------------------------------------------------------------------------------------------------------


def test_angles_can_be_written_in_degrees():
    joint = parse(PENDULUM + 'rpy = [0, 0, "deg(90)"]').joints[0]
    assert joint.placement.rotation == ((0, -1, 0), (1, 0, 0), (0, 0, 1))  # exactly


@pytest.mark.parametrize(
    ("text", "entry", "inside"),
    [
        (PENDULUM + "rpy = [0, 90, 0]", "[[joint]] 1 'theta': rpy[1]", "90"),
        (PENDULUM + "child_rpy = [-180.0, 0, 0]", "[[joint]] 1 'theta': child_rpy[0]", "-180"),
        (LOOP + "type = 'ball'\na = 'bob'\nb = 'ground'\na_rpy = [0, 0, 45]", "[[loop]] 1 'l': a_rpy[2]", "45"),
        (LOOP + "type = 'ball'\na = 'bob'\nb = 'ground'\nb_rpy = [0, 0, 45]", "[[loop]] 1 'l': b_rpy[2]", "45"),
        (ROW + "alpha = 90", "[dh]: [[dh.row]] 1: alpha", "90"),
        ("[parameters]\na = 30\n" + ROW + "theta = '3*a'", "[dh]: [[dh.row]] 1: theta", "3*a"),
    ],
)
def test_an_angle_of_more_than_a_turn_may_be_in_degrees(text, entry, inside):
    with pytest.warns(MechanismWarning) as caught:
        parse(text)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert message.startswith(f"arm.toml: {entry}: ")
    assert f'rad is more than a turn; if you mean degrees, write "deg({inside})"' in message
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "text",
    [
        PENDULUM + "rpy = [6.2832, -6.2832, '4*pi']",
        PENDULUM + "rpy = ['deg(400)', 0, 0]",
        PENDULUM + "[pose]\np = [90]\n[initial]\nq = [90]",
        ROW + "a = 90\nd = 90\nalpha = 'deg(-720)'",
    ],
)
def test_angles_that_are_not_doubted(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(text).nv == 1


# -- parameters the caller gives ---------------------------------------------------------------------------------------------


NAMED = "[parameters]\nm1 = 2\nl = 0.5\nI = 'm1*l^2/3'\n" + BOB.replace("mass = 1", 'mass = "m1"') + THETA


@pytest.mark.parametrize("value", [6, 6.0, np.float64(6), np.int64(6), Fraction(6)])
def test_other_values_of_parameters(value):
    m = toml.read_text(NAMED, "arm.toml", {"m1": value})
    assert float(m.bodies[0].mass) == 6
    assert str(m.bodies[0].mass) == "m1"
    assert float(m.parameters["l"]) == 0.5
    assert float(m.parameters["I"]) == pytest.approx(0.5)  # what is derived follows
    assert str(m.parameters["I"]) == "m1*l^2/3"


def test_a_derived_parameter_may_be_given_a_value():
    m = toml.read_text(NAMED, "arm.toml", {"I": 7})
    assert str(m.parameters["I"]) == "I"
    assert float(m.parameters["I"]) == 7


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"m_1": 1}, "there is no parameter 'm_1'. Did you mean 'm1'"),
        ({3: 1}, "there is no parameter 3"),
        ({"m1": "2"}, "m1 is '2'; a finite number"),
        ({"m1": True}, "m1 is true; a finite number"),
        ({"m1": None}, "m1 is NoneType None; a finite number"),
        ({"m1": math.nan}, "m1 is nan; a finite number"),
        ({"m1": -math.inf}, "m1 is -inf; a finite number"),
        ({"m1": 10**400}, "m1 is a very large integer; a finite number"),
        ([("m1", 1)], "a mapping of names to numbers is needed, not list"),
    ],
)
def test_values_of_parameters_that_are_refused(value, message):
    with pytest.raises(ArgumentError, match=rf"^arm\.toml: parameters: {message}"):
        toml.read_text(NAMED, "arm.toml", value)
    with pytest.raises(ArgumentError, match="Known: none"):
        toml.read_text(PENDULUM, "arm.toml", {"m1": 1})


# -- files -----------------------------------------------------------------------------------------------------------------


def test_a_file_is_read_as_utf_8(tmp_path):
    file = tmp_path / "pend.toml"
    file.write_bytes(b"\xef\xbb\xbf" + ("description = 'θ'\n" + PENDULUM).encode())
    m = toml.read(file)
    assert (m.name, m.description, m.file) == ("pend", "θ", str(file))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DescriptionError, match="no such file"):
        toml.read(tmp_path / "x.toml")
    with pytest.raises(DescriptionError, match="directory"):
        toml.read(tmp_path)
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"name = 'a'\nsource = '\xe4'\n")
    with pytest.raises(DescriptionError, match="line 2 is not UTF-8"):
        toml.read(bad)
    with pytest.raises(DescriptionError, match=r"cannot be read|no such file"):
        toml.read("a\0b.toml")


def test_files_that_never_end(tmp_path, monkeypatch):
    monkeypatch.setattr("lagrangian.description.files.MAX_TEXT_BYTES", 1000)
    big = tmp_path / "big.toml"
    big.write_text("#" * 1001)
    with pytest.raises(DescriptionError, match="larger than"):
        toml.read(big)
    if Path("/dev/zero").exists():
        with pytest.raises(DescriptionError, match="not a regular file"):
            toml.read("/dev/zero")


@pytest.mark.parametrize("text", [None, b"", 3])
def test_what_is_no_text(text):
    with pytest.raises(ArgumentError):
        toml.read_text(text)
