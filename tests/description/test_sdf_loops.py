"""Joints of an SDF that close loops: against the same linkage in TOML, and against joints that are cut elsewhere."""

import numpy as np
import pytest
from tests.description.sdf_models import body_poses, joint, link, model, quiet

import lagrangian as lg

THIN = (0.01, 0.1, 0.1)
BARS = (
    link("crank", "0 0 0 0 0 1.2", 1.0, "0.2 0 0", THIN)
    + '<frame name="A" attached_to="crank"><pose>0.4 0 0 0 0 0</pose></frame>'
    + link("coupler", "0 0 0 0 0 -1.0", 2.0, "0.5 0 0", THIN, relative_to="A")
    + '<frame name="B" attached_to="coupler"><pose>1 0 0 0 0 0</pose></frame>'
    + link("rocker", "0 0 0 0 0 -1.5", 1.5, "0.3 0 0", THIN, relative_to="B")
    + '<frame name="C" attached_to="rocker"><pose>0.8 0 0 0 0 0</pose></frame>'
)
DAMPED = "<dynamics><damping>{}</damping></dynamics>"
AT_C = '<pose relative_to="C"/>'


def four_bar(damping=("", "", "", ""), kinds=("revolute",) * 4, more=("", "", "", "")):
    ends = (
        ("a", "world", "crank", ""),
        ("b", "crank", "coupler", ""),
        ("c", "coupler", "rocker", ""),
        ("d", "world", "rocker", AT_C),
    )
    joints = [
        joint(name, parent, child, kind, more=at + extra, axis=DAMPED.format(c) if c else "")
        for (name, parent, child, at), c, kind, extra in zip(ends, damping, kinds, more, strict=True)
    ]
    return quiet(model(BARS + "".join(joints))).replace(gravity=(0, -9.81, 0))


def twin(viscous=(0, 0, 0)):
    """The same linkage, described by hand."""
    C = np.array([0.4 * np.cos(1.2) + np.cos(0.2) + 0.8 * np.cos(-1.3), 0.4 * np.sin(1.2) + np.sin(0.2) + 0.8 * np.sin(-1.3)])
    bars = (("crank", 1.0, 0.2), ("coupler", 2.0, 0.5), ("rocker", 1.5, 0.3))
    return lg.Mechanism(
        "twin",
        [lg.Body(name, m, (x, 0, 0), THIN) for name, m, x in bars],
        [
            lg.Joint(
                "a",
                "revolute",
                "ground",
                "crank",
                lg.Transform.from_rpy((0, 0, 0), (0, 0, 1.2)),
                friction=lg.Friction(viscous[0]),
            ),
            lg.Joint(
                "b",
                "revolute",
                "crank",
                "coupler",
                lg.Transform.from_rpy((0.4, 0, 0), (0, 0, -1.0)),
                friction=lg.Friction(viscous[1]),
            ),
            lg.Joint(
                "c",
                "revolute",
                "coupler",
                "rocker",
                lg.Transform.from_rpy((1, 0, 0), (0, 0, -1.5)),
                friction=lg.Friction(viscous[2]),
            ),
        ],
        loops=[lg.LoopJoint("d", "revolute", "ground", "rocker", (*C, 0), (0.8, 0, 0))],
        gravity=(0, -9.81, 0),
    )


def moving(m, rate=0.7):
    """The start, and speeds that the loop allows, with a given rate of the crank."""
    q = m.neutral()
    J = lg.compile(m).constraint_jacobian(q)
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, 1e-9) :]
    assert len(free) == 1
    return q, free[0] * (rate / free[0][0])


def test_a_child_with_two_parents_closes_a_loop():
    m, other = four_bar(), twin()
    assert [(loop.name, loop.type, loop.a, loop.b) for loop in m.loops] == [("d", "revolute", "ground", "rocker")]
    (q, qd), (_, same) = moving(m), moving(other)
    np.testing.assert_allclose(lg.compile(m).closure(q), 0, atol=1e-14)
    np.testing.assert_allclose(qd, same, atol=1e-12)
    ours, theirs = (lg.compile(x).forward_dynamics(q, qd, np.zeros(3)) for x in (m, other))
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_the_joint_that_closes_a_loop_is_one_with_nothing_at_it():
    m = four_bar(("0.2", "0.3", "", "0.5"))
    assert [loop.name for loop in m.loops] == ["c"]
    assert {j.name: j.friction.viscous for j in m.joints} == {"a": 0.2, "b": 0.3, "d": 0.5}


def test_a_loop_whose_joints_are_all_damped_keeps_all_their_damping():
    """The joint that closes it read as a joint to an extra body, which is welded to the link."""
    m = four_bar(("0.2", "0.3", "0.4", "0.5"))
    assert [(loop.type, loop.a, loop.b) for loop in m.loops] == [("fixed", "d::end", "rocker")]
    other = twin((0.2, 0.3, 0.4))
    q, qd = moving(m)
    _, same = moving(other)
    np.testing.assert_allclose(qd[:3], same, atol=1e-12)
    np.testing.assert_allclose(qd[3], same.sum(), atol=1e-12)
    by_hand = -0.5 * same.sum() * np.ones(3)  # the damper at d acts on the sum of the three angles
    theirs = lg.compile(other).forward_dynamics(np.zeros(3), same, by_hand)
    np.testing.assert_allclose(lg.compile(m).forward_dynamics(q, qd, np.zeros(4))[:3], theirs, atol=1e-9)


@pytest.mark.parametrize("damping", ["", DAMPED.format(0.1)])
def test_a_loop_through_a_screw(damping):
    """A nut that slides along the world and a rod that turns in it, with a screw between them."""
    screw = "<screw_thread_pitch>0.1</screw_thread_pitch>"
    parts = link("nut") + link("rod") + joint("turn", "world", "rod", axis=damping)
    parts += joint("slide", "world", "nut", "prismatic", axis=damping)
    m = quiet(model(parts + joint("screw", "rod", "nut", "screw", more=screw, axis=damping)))
    assert [(loop.name, loop.type) for loop in m.loops] == [("screw::weld", "fixed") if damping else ("slide", "prismatic")]
    q, qd = moving(m, 2.0)
    rates = dict(zip(m.speed_names, qd, strict=True))
    assert rates["screw"] == pytest.approx(-rates["turn"])  # the nut does not turn
    rise = 0.1 / (2 * np.pi) * rates["screw"]
    np.testing.assert_allclose(lg.compile(m).velocity(q, qd, "nut"), [0, 0, 0, 0, 0, rise], atol=1e-12)


def test_a_joint_whose_child_is_nearer_to_the_ground():
    """A link that is a parent only hangs on its child; its coordinate has the sign that the file gives it."""
    text = link("a") + link("b", "0 0 1 0 0 0") + joint("hold", "world", "b", "fixed", "")
    m = quiet(model(text + joint("j", "a", "b", xyz="0 1 0", more="<pose>0 0 -0.5 0 0 0</pose>")))
    assert (m.joint("j").parent, m.joint("j").child) == ("b", "a")
    q = m.neutral()
    q[[j.name for j in m.joints if j.kind.nq].index("j")] = 0.3
    poses = body_poses(m, q)
    relative = np.linalg.inv(poses["a"]) @ poses["b"]  # of the child in the parent: turned by +0.3 about y
    np.testing.assert_allclose(relative[:3, :3] @ [0, 0, 1], [np.sin(0.3), 0, np.cos(0.3)], atol=1e-14)
    np.testing.assert_allclose(relative[:3, 3], np.array([0, 0, 0.5]) + 0.5 * np.array([np.sin(0.3), 0, np.cos(0.3)]), atol=1e-14)


def test_a_universal_joint_from_the_other_side():
    text = link("a") + link("b") + joint("hold", "world", "b", "fixed", "")
    m = quiet(model(text + joint("j", "a", "b", "universal", "1 0 0", more="<axis2><xyz>0 1 0</xyz></axis2>")))
    plain = quiet(
        model(
            link("a")
            + link("b")
            + joint("hold", "world", "a", "fixed", "")
            + joint("j", "a", "b", "universal", "1 0 0", more="<axis2><xyz>0 1 0</xyz></axis2>")
        )
    )
    turned, straight = body_poses(m, [0.5, 0.3]), body_poses(plain, [0.3, 0.5])
    np.testing.assert_allclose(np.linalg.inv(turned["a"]), straight["b"], atol=1e-14)


def test_joint_that_must_be_a_loop_joint():
    forced = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    assert [loop.name for loop in four_bar(more=("", forced, "", "")).loops] == ["b"]


def test_a_joint_that_an_equation_needs_is_not_cut():
    """Nor is one that leads another: each keeps its coordinate."""
    mimic = '<drake:mimic joint="c" multiplier="0.5"/>'
    m = four_bar(more=("", "", "", mimic))
    assert [loop.name for loop in m.loops] == ["b"]
    assert [c.name for c in m.constraints] == ["d_mimic"]


def test_a_gearbox_in_a_loop():
    """The angles of crank and rocker against the coupler, on which one joint begins and the other ends."""
    gear = (
        "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>coupler</gearbox_reference_body><axis2><xyz>0 0 1</xyz></axis2>"
    )
    ends = joint("a", "world", "crank") + joint("d", "world", "rocker", more=AT_C)
    sides = joint("b", "crank", "coupler") + joint("c", "coupler", "rocker")
    m = quiet(model(BARS + ends + sides + joint("gear", "crank", "rocker", "gearbox", more=gear)))
    assert [loop.name for loop in m.loops] == ["d"]
    q = dict.fromkeys(m.coordinate_names, 0.0) | {"b": 0.3, "c": 0.6}
    # theta1 of the crank is -b, theta2 of the rocker is c: c = -2 (-b)
    np.testing.assert_allclose(lg.compile(m).closure(list(q.values()))[-1], 0, atol=1e-15)
